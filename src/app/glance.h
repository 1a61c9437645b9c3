/*
 * A scenario in one line, for where one is chosen: what it serves, on what, the price
 * of its own batch and whether it fits, or why it is refused.
 */
#ifndef APP_GLANCE_H
#define APP_GLANCE_H

#include "app/app.h"

/** Write `deepseek-v3 | 8x h200`. */
void glance_subject(char *out, size_t size, const struct ss_scenario *scenario);

/** Write `25.22 ms | FITS 313`, of its first pool; the scenario stays the caller's. */
void glance(char *out, size_t size, const struct app *app, const struct ss_scenario *scenario);

/**
 * The same of a draft's pool; `x why` for what is refused.
 *
 * @param cache as quote_new() takes it.
 */
void glance_price(char *out, size_t size, const struct app *app, struct quote_basis **cache,
		  const struct draft *draft, size_t pool);

/** The same with what it adds to the price on screen, and why the field's kernel is so. */
void glance_value(char *out, size_t size, char *why, size_t why_size, const struct app *app,
		  struct quote_basis **cache, const struct draft *draft, enum ss_field_id field);

#endif
