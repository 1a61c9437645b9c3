/* The Batch pane: groups with what each costs by itself in the step. */
#include <stdio.h>
#include <stdlib.h>

#include "text/number.h"
#include "app/rows.h"

/* The lead figure with one group more or less is what the group adds. */
static double group_seconds(const struct app *app, size_t index)
{
	struct ss_batch batch = draft_batch(&app->draft);
	struct ss_group *groups = NULL;
	struct ss_step step = { 0 };
	double rest = 0;

	if (batch.group_count < 2)
		return quote_lead(app->quote, app->figure);
	groups = xcalloc(batch.group_count, sizeof(*groups));
	for (size_t i = 0; i < batch.group_count; i++)
		groups[i] = batch.groups[i];
	groups[index].count = 0;
	batch.groups = groups;
	ss_kernel_step(app->quote->kernel, &batch, &step);
	rest = ss_step_figure(&step, app->figure);
	free(groups);
	return quote_lead(app->quote, app->figure) - rest;
}

void rows_batch(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "count", .width = 7, .min_width = 5, .is_right = true },
		{ .title = "kind", .width = 8, .min_width = 6 },
		{ .title = "new", .width = 7, .min_width = 4, .is_right = true },
		{ .title = "context", .width = 9, .min_width = 7, .is_right = true },
		{ .title = "ms", .width = 7, .min_width = 6, .is_right = true },
		{ .title = "GiB", .width = 7, .min_width = 5, .is_right = true, .rank = 1 },
	};
	const struct ss_workload *workload = &app->draft.scenario->workload;

	table_reset(table, columns, 6);
	for (size_t i = 0; i < workload->group_count; i++) {
		const struct ss_group *group = &workload->groups[i];
		int64_t context = group->computed + group->scheduled;

		table_row(table, (int)i, ' ');
		table_put_number(table, 0, (double)group->count,
				 number_count((double)group->count).text);
		table_put(table, 1, rows_group_kind(app, group));
		table_put_number(table, 2, (double)group->scheduled,
				 number_count((double)group->scheduled).text);
		table_put_number(table, 3, (double)context, number_count((double)context).text);
		if (app->quote && app->quote->has_price && !app->is_refused) {
			double seconds = group_seconds(app, i);

			table_put_number(table, 4, seconds,
					 number_time_in(seconds, NUMBER_MS, 2).text);
		}
		if (app->quote && !app->is_refused) {
			struct ss_batch one = { .groups = group, .group_count = 1 };
			double bytes = (double)ss_kernel_batch_bytes(app->quote->kernel, &one);

			table_put_number(table, 5, bytes, number_gib(bytes, 2).text);
		}
	}
}
