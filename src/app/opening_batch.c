#include "app/opening_batch.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "case/opening.h"
#include "text/xbuf.h"

void app_forget_workload(struct app *app)
{
	free(app->workload.groups);
	app->workload = (struct ss_workload){ 0 };
}

void app_keep_workload(struct app *app, const struct ss_workload *workload)
{
	app_forget_workload(app);
	app->workload.groups = xcalloc(workload->group_count + 1, sizeof(*workload->groups));
	app->workload.group_count = workload->group_count;
	app->workload.has_batch = true;
	if (workload->group_count)
		memcpy(app->workload.groups, workload->groups,
		       workload->group_count * sizeof(*workload->groups));
}

static bool is_same(const struct ss_workload *workload, const struct ss_group *groups, size_t count)
{
	bool same = workload->group_count == count;

	for (size_t i = 0; same && i < count; i++) {
		const struct ss_group *a = &workload->groups[i], *b = &groups[i];

		same = a->count == b->count && a->scheduled == b->scheduled &&
		       a->computed == b->computed && a->prompt_len == b->prompt_len;
	}
	return same;
}

static struct ss_group *groups_for(const struct app *app, const struct draft *draft, size_t pool)
{
	return opening_groups(draft->scenario, pool, draft->scenario->workload.decode_threshold,
			      app->workload.groups, app->workload.group_count);
}

static bool is_opening_of(const struct app *app, const struct draft *draft, size_t pool)
{
	struct ss_group *groups = groups_for(app, draft, pool);
	bool same = is_same(&draft->scenario->workload, groups, app->workload.group_count);

	free(groups);
	return same;
}

bool app_is_opening(const struct app *app)
{
	return app->workload.has_batch && is_opening_of(app, &app->draft, app->pool);
}

/* Is it the workload as it was read, or what some pool makes of it? */
static bool is_unedited(const struct app *app, const struct draft *draft)
{
	if (!app->workload.has_batch)
		return false;
	for (size_t p = 0; p < draft->scenario->pool_count; p++) {
		if (is_opening_of(app, draft, p))
			return true;
	}
	return is_same(&draft->scenario->workload, app->workload.groups, app->workload.group_count);
}

void app_follow_pool(const struct app *app, struct draft *draft)
{
	struct ss_workload *workload = &draft->scenario->workload;
	struct ss_group *groups = NULL;

	if (app->pool >= draft->scenario->pool_count || !is_unedited(app, draft))
		return;
	groups = groups_for(app, draft, app->pool);
	/* A shape stays: it is what the file states. */
	free(workload->groups);
	workload->groups = groups;
	workload->group_count = app->workload.group_count;
}

struct ss_scenario *app_scenario(const struct app *app)
{
	struct ss_scenario *scenario = draft_scenario(&app->draft);
	struct ss_workload *workload = &scenario->workload;

	if (!app_is_opening(app))
		return scenario;
	/* A batch that was made up, for there was none, is left out again. */
	if (!app->source.scenario->workload.has_batch && !workload->shape) {
		free(workload->groups);
		workload->groups = NULL;
		workload->group_count = 0;
		workload->has_batch = false;
		return scenario;
	}
	free(workload->groups);
	workload->group_count = app->workload.group_count;
	workload->groups = xcalloc(workload->group_count + 1, sizeof(*workload->groups));
	if (workload->group_count)
		memcpy(workload->groups, app->workload.groups,
		       workload->group_count * sizeof(*workload->groups));
	return scenario;
}

char *app_scenario_json(const struct app *app)
{
	struct ss_scenario *scenario = app_scenario(app);
	char *json = ss_scenario_to_json(scenario);

	if (!json)
		out_of_memory();
	ss_scenario_free(scenario);
	return json;
}
