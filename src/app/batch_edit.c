#include "app/batch_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/rows.h"

static const char *const presets[] = { "steady", "mixed", "prefill", "verify" };
#define PRESET_COUNT ((int)(sizeof(presets) / sizeof(*presets)))

/* No figure is doubled past what a file may hold. */
#define TOKENS_MAX ((int64_t)500000000)

/* A copy of the groups with room for one more. */
static struct ss_group *copy_groups(const struct app *app, size_t *count)
{
	const struct ss_workload *workload = &app->draft.scenario->workload;
	struct ss_group *groups = xcalloc(workload->group_count + 1, sizeof(*groups));

	*count = workload->group_count;
	if (workload->group_count)
		memcpy(groups, workload->groups, workload->group_count * sizeof(*groups));
	return groups;
}

static bool put(struct app *app, struct ss_group *groups, size_t count, const char *what)
{
	char text[96], name[160];

	if (ss_batch_tokens(groups, count) > SS_BATCH_TOKENS_MAX) {
		app_say(app, true, "a batch of more than %.0e tokens has room on no machine",
			SS_BATCH_TOKENS_MAX);
		free(groups);
		return false;
	}
	ss_batch_format(text, sizeof(text), groups, count);
	snprintf(name, sizeof(name), "%s: batch %s", what, text);
	return history_set_groups(&app->history, &app->draft, groups, count, name);
}

static int64_t scaled(int64_t value, int step, int64_t least)
{
	if (step > 0)
		return value < 1 ? 1 : value < TOKENS_MAX ? value * 2 : value;
	return value / 2 < least ? least : value / 2;
}

static int64_t verify_tokens(const struct app *app)
{
	const struct ss_resolution *r =
		app->quote ? ss_kernel_resolution(app->quote->kernel) : NULL;

	return r && r->spec_tokens > 0 ? 1 + r->spec_tokens : 2;
}

/* The next kind at the same context: decode, prefill, verify. */
static void next_kind(const struct app *app, struct ss_group *group, int step)
{
	int64_t context = group->computed + group->scheduled;
	int kind = group->scheduled == 1 ? 0 : group->computed == 0 ? 1 : 2;

	kind = (kind + step + 3) % 3;
	group->scheduled = kind == 0 ? 1 : kind == 1 ? context : verify_tokens(app);
	if (group->scheduled > context)
		group->scheduled = context;
	group->computed = context - group->scheduled;
}

bool batch_step(struct app *app, int step, bool is_cycle)
{
	const struct app_list *list = &app->lists[PANE_BATCH];
	size_t count = 0;
	struct ss_group *groups = copy_groups(app, &count);
	struct ss_group *group = NULL;
	int64_t context = 0;

	if ((size_t)list->selected >= count) {
		free(groups);
		app_say(app, false, "the batch is empty: a adds a group");
		return false;
	}
	group = &groups[list->selected];
	context = group->computed + group->scheduled;
	if (list->column == 1 || is_cycle) {
		next_kind(app, group, step);
	} else if (list->column == 0) {
		group->count = scaled(group->count, step, 0);
	} else if (list->column == 2) {
		group->scheduled = scaled(group->scheduled, step, 1);
		if (group->scheduled > context)
			group->scheduled = context;
		group->computed = context - group->scheduled;
	} else {
		context = scaled(context, step, group->scheduled);
		group->computed = context - group->scheduled;
	}
	if (group->prompt_len && context > group->prompt_len)
		group->prompt_len = context;
	return put(app, groups, count, "group");
}

bool batch_add(struct app *app)
{
	size_t count = 0;
	struct ss_group *groups = copy_groups(app, &count);
	int64_t context = app_context(app) > 0 ? app_context(app) : 4096;

	groups[count] = (struct ss_group){ .count = 1, .scheduled = 1, .computed = context - 1 };
	app->lists[PANE_BATCH].selected = (int)count;
	return put(app, groups, count + 1, "added");
}

bool batch_delete(struct app *app)
{
	size_t count = 0;
	struct ss_group *groups = copy_groups(app, &count);
	size_t at = (size_t)app->lists[PANE_BATCH].selected;

	if (at >= count) {
		free(groups);
		return false;
	}
	memmove(&groups[at], &groups[at + 1], (count - at - 1) * sizeof(*groups));
	return put(app, groups, count - 1, "deleted");
}

bool batch_duplicate(struct app *app)
{
	size_t count = 0;
	struct ss_group *groups = copy_groups(app, &count);
	size_t at = (size_t)app->lists[PANE_BATCH].selected;

	if (at >= count) {
		free(groups);
		return false;
	}
	memmove(&groups[at + 1], &groups[at], (count - at) * sizeof(*groups));
	app->lists[PANE_BATCH].selected = (int)at + 1;
	return put(app, groups, count + 1, "duplicated");
}

/* The most decodes of a context that fit and that the engine admits. */
static int64_t steady_count(const struct app *app, int64_t context)
{
	const struct ss_resolution *r = ss_kernel_resolution(app->quote->kernel);
	int64_t fit = ss_kernel_requests_that_fit(app->quote->kernel, context);

	if (r->max_num_seqs > 0 && fit > r->max_num_seqs)
		fit = r->max_num_seqs;
	return fit < 1 ? 1 : fit;
}

bool batch_preset_named(struct app *app, const char *name, struct ss_error *err)
{
	struct ss_group *groups = xcalloc(2, sizeof(*groups));
	int64_t context = app_context(app) > 0 ? app_context(app) : 4096;
	const struct ss_resolution *r = NULL;
	int64_t decodes = 0, chunk = 0;
	int at = 0;

	while (at < PRESET_COUNT && strcmp(presets[at], name) != 0)
		at++;
	if (at == PRESET_COUNT || !app->quote) {
		free(groups);
		ss_fail(err, SS_EUSAGE, name, "%s",
			app->quote ? "no such batch: steady, mixed, prefill, verify"
				   : "there is no price to size a batch by");
		return false;
	}
	r = ss_kernel_resolution(app->quote->kernel);
	decodes = steady_count(app, context);
	groups[0] = (struct ss_group){ .count = decodes, .scheduled = 1, .computed = context - 1 };
	if (at == 1) {
		/* What the decodes leave of the token budget goes to one prompt. */
		chunk = r->max_num_batched_tokens - decodes;
		groups[1] = (struct ss_group){ .count = 1, .scheduled = chunk < 1 ? 1 : chunk };
	} else if (at == 2) {
		groups[0] = (struct ss_group){ .count = 1, .scheduled = r->max_num_batched_tokens };
	} else if (at == 3) {
		int64_t tokens = verify_tokens(app) < context ? verify_tokens(app) : context;

		groups[0].scheduled = tokens;
		groups[0].computed = context - tokens;
	}
	app->preset = (at + 1) % PRESET_COUNT;
	app->lists[PANE_BATCH].selected = 0;
	app_say(app, false, "batch %s; p takes %s", presets[at], presets[app->preset]);
	return put(app, groups, at == 1 ? 2 : 1, presets[at]);
}

bool batch_preset(struct app *app)
{
	struct ss_error err = { 0 };
	bool changed = batch_preset_named(app, presets[app->preset], &err);

	if (err.status)
		app_say(app, true, "%s", err.message);
	return changed;
}

unsigned batch_ask(struct app *app, int row)
{
	const struct ss_workload *workload = &app->draft.scenario->workload;
	char text[96] = "";

	if (row >= 0 && (size_t)row < workload->group_count)
		ss_batch_format(text, sizeof(text), &workload->groups[row], 1);
	app->prompt.row = row;
	return app_ask(app, PROMPT_GROUP, "group (32x4096, 1x8192p, 8x2s+4094)", text);
}

bool batch_put(struct app *app, int row, const char *text, struct ss_error *err)
{
	struct ss_group *given = NULL, *groups = NULL;
	size_t given_count = 0, count = 0, at = row < 0 ? 0 : (size_t)row;
	bool changed = false;

	if (ss_batch_parse(&given, &given_count, text, err))
		return false;
	groups = copy_groups(app, &count);
	if (at > count)
		at = count;
	groups = xrealloc(groups, count + given_count + 1, sizeof(*groups));
	if (at < count) {
		memmove(&groups[at], &groups[at + 1], (count - at - 1) * sizeof(*groups));
		count--;
	}
	memmove(&groups[at + given_count], &groups[at], (count - at) * sizeof(*groups));
	if (given_count)
		memcpy(&groups[at], given, given_count * sizeof(*groups));
	free(given);
	changed = put(app, groups, count + given_count, "group");
	return changed;
}

bool batch_set(struct app *app, const char *text, struct ss_error *err)
{
	struct ss_group *groups = NULL;
	size_t count = 0;

	for (int i = 0; i < PRESET_COUNT; i++) {
		if (!strcmp(text, presets[i]))
			return batch_preset_named(app, text, err);
	}
	if (ss_batch_parse(&groups, &count, text, err))
		return false;
	return put(app, groups, count, "typed");
}
