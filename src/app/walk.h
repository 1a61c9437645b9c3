/*
 * The walk goes from one assumed entry to the next: those that move the price or the
 * memory, then what else the kernel assumed, then the rest on request. What is said of
 * an entry is in the app's review, which outlives the walk.
 */
#ifndef APP_WALK_H
#define APP_WALK_H

#include "app/app.h"

enum walk_verdict { WALK_OPEN, WALK_REVIEWED, WALK_TRIED, WALK_STATED, WALK_CHANGED };

struct walk_item {
	char *name, *set, *value, *scope; /**< as they are, or were while assumed; owned */
	bool is_own;
	int entry;                     /**< in the present kernel; -1: it is gone */
	struct ss_influence influence; /**< on the present price; nothing once it is gone */
	double moves_s;                /**< |elasticity| x the lead figure */
	enum walk_verdict verdict;     /**< by the review and what is tried */
};

struct walk {
	struct walk_item *items;
	size_t count;
	size_t moving_count, own_count; /**< those that move something, then the kernel's own */
	bool has_rest;                  /**< the rest is walked too */
	size_t at;
	struct ss_walk_page page; /**< of the entry it stands at; point_count 0: none */
};

/** NULL is fine. */
void walk_free(struct walk *walk);
struct walk *walk_new(struct app *app);
/** Enter the mode. There must be a quote. */
void walk_start(struct app *app);

/** Items that the walk goes through now. */
size_t walk_length(const struct walk *walk);

/** After a new price: find the entries again. */
void walk_follow(struct app *app);

unsigned walk_move(struct app *app, int by);
unsigned walk_apply(struct app *app, enum action_id action);

/** The value asked for was taken: as a setting, or to try (or no longer to). */
void walk_tried(struct app *app, bool is_setting);
unsigned walk_note(struct app *app, const char *text);

/** What is said of an item; NULL when nothing is. Borrowed until the next change. */
const struct ss_review_entry *walk_said(const struct app *app, const struct walk_item *item);

/** Start walking at an entry. */
unsigned walk_to(struct app *app, const char *name);

/** "reviewed", "tried", "stated", "changed", "......". */
const char *walk_verdict_name(enum walk_verdict verdict);

#endif
