/*
 * The batch a pool opens with. A workload states the step of the pool that takes
 * the prompts; a decode pool takes over the requests it is handed after them.
 */
#ifndef APP_OPENING_H
#define APP_OPENING_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/scenario.h"

struct app;
struct draft;

/** Does the pool only decode what another pool prefilled? */
bool opening_is_handed_over(const struct ss_scenario *scenario, size_t pool);

/**
 * A workload's groups as the pool opens with them, as many as there were: on a
 * decode pool each prefill is a decode of one token at the end of its prompt.
 *
 * @param threshold more scheduled tokens make a prefill; 0: the pool's own.
 * @return a copy to free.
 */
struct ss_group *opening_groups(const struct ss_scenario *scenario, size_t pool, int64_t threshold,
				const struct ss_group *groups, size_t count);

/** Keep the workload of a scenario that is opened, for every pool to open with. */
void app_keep_workload(struct app *app, const struct ss_workload *workload);
void app_forget_workload(struct app *app);

/** Is the draft's batch the one the pool opens with? False when the user stated one. */
bool app_is_opening(const struct app *app);

/** Unless its batch was edited, give a draft the one that the pool shown opens with. */
void app_follow_pool(const struct app *app, struct draft *draft);

/** The draft as its file would have it: an opening batch goes back to the workload. */
char *app_scenario_json(const struct app *app);

#endif
