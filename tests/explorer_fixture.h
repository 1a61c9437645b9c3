/**
 * @file
 * The explorer without a terminal: its state over the tree's registry, its
 * screen on a page.
 */
#ifndef STEPSCOPE_TESTS_EXPLORER_FIXTURE_H
#define STEPSCOPE_TESTS_EXPLORER_FIXTURE_H

#include "app/app.h"
#include "case/findings.h"
#include "view/screen.h"

struct explorer_fixture {
	struct app app;
	struct screen screen;
	struct page page;
	bool is_hurried; /**< keys come before long runs end: a slice a drawing */
};

/** Open a scenario of the tree on a screen; a failure fails the test. */
void explorer_open(struct explorer_fixture *f, const char *scenario, int rows, int cols);
/** The same with a figure that leads; SS_FIGURE_LEAD: as it opens for a user. */
void explorer_open_as(struct explorer_fixture *f, const char *scenario, enum ss_figure figure,
		      int rows, int cols);
void explorer_release(struct explorer_fixture *f);

/** Press keys, named as in the table of actions and apart by blanks; draws at the end. */
void explorer_keys(struct explorer_fixture *f, const char *keys);

/** Press one key; text asked for is given up. Returns what it asked of the loop. */
unsigned explorer_key(struct explorer_fixture *f, struct key key);

/** Answer a prompt that the last key opened; fails the test when there is none. */
void explorer_type(struct explorer_fixture *f, const char *text);

void explorer_resize(struct explorer_fixture *f, int rows, int cols);

/** The screen as text, a line a row; for the caller to free. */
char *explorer_text(struct explorer_fixture *f);

/** Is this somewhere on the screen? Prints the screen when not. */
bool explorer_shows(struct explorer_fixture *f, const char *text);

/** Select a setting's row of the deployment pane. */
void explorer_select(struct explorer_fixture *f, enum ss_field_id field);

/** What the commands would find in the state on screen. */
struct explorer_findings {
	struct session session;
	struct ss_whatif whatifs[8];
	struct findings findings;
};

/** Release `out->findings` after use. */
void explorer_find(const struct explorer_fixture *f, struct explorer_findings *out);

/** The names of all scenarios that ship; setup and teardown of a group. */
int explorer_find_shipped(void **state);
int explorer_free_shipped(void **state);

/** Do something with each pool of each of them. */
void explorer_each_pool(void (*check)(struct explorer_fixture *f));

#endif
