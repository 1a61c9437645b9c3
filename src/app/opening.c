#include "app/opening.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/session.h"
#include "app/xbuf.h"

bool opening_is_handed_over(const struct ss_scenario *scenario, size_t pool)
{
	return !strcmp(session_text(scenario, pool, SS_F_ROLE), "decode");
}

/* More tokens than this are a prefill when nothing states it: one and those drafted. */
static int64_t usual_threshold(const struct ss_scenario *scenario, size_t pool)
{
	const struct ss_value *drafted = ss_scenario_value(scenario, pool, SS_F_SPEC_TOKENS);

	return 1 + (drafted->is_stated ? drafted->integer : 0);
}

static bool is_prefill(const struct ss_group *group, int64_t threshold)
{
	/* Several tokens after a whole prompt are drafted ones. */
	bool is_past_prompt = group->prompt_len > 0 && group->computed >= group->prompt_len;

	return group->scheduled > threshold && !is_past_prompt;
}

struct ss_group *opening_groups(const struct ss_scenario *scenario, size_t pool, int64_t threshold,
				const struct ss_group *groups, size_t count)
{
	struct ss_group *out = xcalloc(count + 1, sizeof(*out));

	if (count)
		memcpy(out, groups, count * sizeof(*out));
	if (!opening_is_handed_over(scenario, pool))
		return out;
	if (threshold <= 0)
		threshold = usual_threshold(scenario, pool);
	for (size_t i = 0; i < count; i++) {
		struct ss_group *group = &out[i];
		int64_t context = group->computed + group->scheduled;

		if (!is_prefill(group, threshold))
			continue;
		/* Part of a prompt is handed over only with the rest of it. */
		if (group->prompt_len > context)
			context = group->prompt_len;
		group->scheduled = 1;
		group->computed = context - 1;
	}
	return out;
}

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

char *app_scenario_json(const struct app *app)
{
	struct ss_scenario *copy = NULL;
	char *json = NULL;

	if (!app_is_opening(app)) {
		json = ss_scenario_to_json(app->draft.scenario);
	} else if (!ss_scenario_clone(&copy, app->draft.scenario)) {
		free(copy->workload.groups);
		copy->workload.groups = app->workload.groups;
		json = ss_scenario_to_json(copy);
		copy->workload.groups = NULL;
		ss_scenario_free(copy);
	}
	if (!json)
		out_of_memory();
	return json;
}
