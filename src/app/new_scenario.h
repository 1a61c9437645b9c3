/*
 * A scenario of one's own from a model and a part: the fewest GPUs that hold it, a load
 * to look at, a name. Nothing of the scenario that is open carries over.
 */
#ifndef APP_NEW_SCENARIO_H
#define APP_NEW_SCENARIO_H

#include "app/app.h"

/** Open it, or ask first when edits would be lost. Returns flags of enum app_ask. */
unsigned new_scenario_open(struct app *app, const char *model, const char *part);

/** What it would cost, in a line: `8x | 31.2 ms | FITS 12`. */
void new_scenario_price(char *out, size_t size, struct app *app, const char *model,
			const char *part);

#endif
