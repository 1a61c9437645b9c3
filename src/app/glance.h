/*
 * A scenario in one line, for where one is chosen: what it serves, on what, the price
 * of its own batch and whether it fits, or why it is refused.
 */
#ifndef APP_GLANCE_H
#define APP_GLANCE_H

#include "app/app.h"

/** Write `deepseek-v3 | 8x h200 | 25.22 ms | FITS 313`; the scenario stays the caller's. */
void glance(char *out, size_t size, const struct app *app, const struct ss_scenario *scenario);

/**
 * The same of a draft's pool without what it serves: `25.22 ms | FITS 313`, `x why`.
 *
 * @param cache as quote_new() takes it.
 */
void glance_price(char *out, size_t size, const struct app *app, struct quote_basis **cache,
		  const struct draft *draft, size_t pool);

#endif
