/*
 * The workload a scenario was opened with, and which draft still shows it.
 */
#ifndef APP_OPENING_BATCH_H
#define APP_OPENING_BATCH_H

#include <stdbool.h>

#include "stepscope/scenario.h"

struct app;
struct draft;

/** Keep the workload of a scenario that is opened, for every pool to open with. */
void app_keep_workload(struct app *app, const struct ss_workload *workload);
void app_forget_workload(struct app *app);

/** Is the draft's batch the one the pool opens with? False when the user stated one. */
bool app_is_opening(const struct app *app);

/** Unless its batch was edited, give a draft the one that the pool shown opens with. */
void app_follow_pool(const struct app *app, struct draft *draft);

/**
 * The draft as its file would have it: with what is tried and corrected, an opening batch
 * as the workload it came from. For the caller to free.
 */
struct ss_scenario *app_scenario(const struct app *app);
char *app_scenario_json(const struct app *app);

#endif
