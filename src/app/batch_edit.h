/*
 * Edits of the batch in the terms people use: so many requests of a kind, at a
 * context length, with so many new tokens.
 */
#ifndef APP_BATCH_EDIT_H
#define APP_BATCH_EDIT_H

#include "app/app.h"

/** Cells of a group that + and - change: count, kind, new tokens, context. */
#define BATCH_CELLS 4

/** Each says whether the batch changed. */
bool batch_step(struct app *app, int step, bool is_cycle);
bool batch_add(struct app *app);
bool batch_delete(struct app *app);
bool batch_duplicate(struct app *app);
/** Take the next of `steady`, `mixed`, `prefill`, `verify`. */
bool batch_preset(struct app *app);
/** One of them by name; false with `err` filled when there is none. */
bool batch_preset_named(struct app *app, const char *name, struct ss_error *err);

/** Ask for the text of a group. */
unsigned batch_ask(struct app *app, int row);
/** Take that text; false with `err` filled when it does not read. */
bool batch_put(struct app *app, int row, const char *text, struct ss_error *err);

/** Replace the whole batch from text, as `--batch` reads it. */
bool batch_set(struct app *app, const char *text, struct ss_error *err);

#endif
