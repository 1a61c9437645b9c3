/*
 * Settings of the engine's own tree, where the deployment's build has one: rows of
 * the deployment pane beside those of the table of fields.
 */
#ifndef APP_TREE_H
#define APP_TREE_H

#include "app/app.h"
#include "stepscope/engine.h"

/** Ids of such rows in the deployment pane: this and the field's index. */
#define TREE_ROW 10000

/** The reference behind the deployment, or NULL. */
const struct ss_reference *tree_reference(const struct app *app);

/** Can a deployment state this field? Rows that stand for others cannot. */
bool tree_is_setting(const struct ss_config_field *field);

/** The field of the selected row of the deployment pane, or NULL. */
const struct ss_config_field *tree_field(const struct app *app);

/**
 * The field of the build that a setting of the deployment states, by its flag
 * or the tail of its path; NULL when the reference has none.
 */
const struct ss_config_field *tree_declared(const struct ss_reference *reference,
					    enum ss_field_id field);

/** `owner.path.field`, as `engine.sm70.` takes it. */
void tree_path(const struct ss_config_field *field, char *out, size_t size);

/** The text stated for it; NULL when it is not. Borrowed from the draft. */
const char *tree_stated(const struct app *app, const struct ss_config_field *field);

/** Take the next value of a switch or an enumeration; says whether anything changed. */
bool tree_cycle(struct app *app, const struct ss_config_field *field, int step);

/** State it, or with "" no longer; false with `err` filled or nothing to change. */
bool tree_put(struct app *app, const char *path, const char *text, struct ss_error *err);

/** What Enter shows of it. */
void tree_detail(const struct app *app, const struct ss_config_field *field, struct xbuf *out);

#endif
