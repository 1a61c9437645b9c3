/*
 * Between the table of actions and what they change; for act.c and act_edit.c.
 * Each returns flags of enum app_ask.
 */
#ifndef APP_ACT_H
#define APP_ACT_H

#include "app/app.h"

/** What a change of the draft asks for. */
unsigned act_edited(bool is_changed);

/** Space, + and -; is_cycle: Space. */
unsigned act_change(struct app *app, int step, bool is_cycle);
/** Ask for the value of what is selected. */
unsigned act_ask_edit(struct app *app);
/** Ask which file to save to. */
unsigned act_ask_save(struct app *app);
unsigned act_unstate(struct app *app);
/** The n-th way out of a refusal, 0 first. */
unsigned act_take_fix(struct app *app, int n);
/** Bring back the box of a refusal that was put away. */
unsigned act_refusal(struct app *app);
unsigned act_undo(struct app *app, bool is_redo);
unsigned act_to_baseline(struct app *app);
unsigned act_next_pool(struct app *app, int by);
unsigned act_next_figure(struct app *app);

#endif
