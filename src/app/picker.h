/*
 * A list to choose from that narrows as you type: scenarios, the values of a setting,
 * the model and the part of a new scenario. What each choice would cost is worked out
 * while no key waits.
 */
#ifndef APP_PICKER_H
#define APP_PICKER_H

#include "app/app.h"

enum picker_kind {
	PICKER_SCENARIO, /**< opens one */
	PICKER_FIELD,    /**< sets app->prompt.field */
	PICKER_MODEL,    /**< of a new scenario; its part is asked for next */
	PICKER_PART,     /**< of a new scenario */
};

struct picker_item {
	char *name, *about;
	char *path;  /**< of a scenario; "" for the others */
	char *price; /**< NULL: not worked out yet */
	char *why;   /**< of a kernel chosen: with its price; may be NULL */
};

struct picker {
	enum picker_kind kind;
	char title[96];
	char typed[64];
	char model[160]; /**< chosen for PICKER_PART */
	struct picker_item *items;
	int count;
	int *shown; /**< items that match what was typed */
	int shown_count, selected;
	struct quote_basis *basis;
};

struct picker *picker_new(enum picker_kind kind, const char *title);
void picker_free(struct picker *picker);
void picker_add(struct picker *picker, const char *name, const char *about, const char *path);

/** Lay it over the panes; taken over. The item of this name is selected. */
void picker_show(struct app *app, struct picker *picker, const char *name);

/** Choose a setting's value; false when it has no list of them. */
bool picker_of_field(struct app *app, enum ss_field_id field);

/** `new [MODEL [PART]]`: choose what is not named, then open the scenario. */
unsigned picker_new_scenario(struct app *app, const char *words);

/** What a key does that a list to type into has a use for; false: it has none. */
bool picker_key(struct app *app, struct key key, unsigned *asked);
unsigned picker_move(struct app *app, int by);
/** Take what is selected. */
unsigned picker_take(struct app *app);

/** Work out one more price; see app_think(). */
bool picker_think(struct app *app);

/** The selected item, or NULL when none matches. */
const struct picker_item *picker_selected(const struct picker *picker);

#endif
