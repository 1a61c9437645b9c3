/* The groups of the batch, with the cell that + and - change. */
#include <stdio.h>

#include "app/batch_edit.h"
#include "app/rows.h"
#include "view/screen.h"

void batch_pane_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	static const char *const cells[BATCH_CELLS] = { "count", "kind", "new tokens", "context" };
	const struct ss_workload *workload = &app->draft.scenario->workload;
	int64_t threshold = workload->decode_threshold;
	int groups = (int)workload->group_count, row = 0;
	struct area list = area_part(area, 0, 0, groups + 2, area_cols(area));

	if (groups)
		table_pane_draw(screen, &list, app, PANE_BATCH);
	row = groups + 3;
	if (!groups)
		area_put(area, 0, 1, STYLE_TEXT, "the batch is empty: a adds a group");
	area_printf(area, row++, 1, STYLE_TEXT, "+ and - change the %s (h l choose)",
		    cells[app->lists[PANE_BATCH].column % BATCH_CELLS]);
	if (threshold > 0)
		area_printf(area, row++, 1, STYLE_TEXT,
			    "threshold %lld: more new tokens make a prefill", (long long)threshold);
	else if (app->quote)
		area_printf(area, row++, 1, STYLE_TEXT, "decode threshold %lld, the engine's own",
			    (long long)ss_kernel_resolution(app->quote->kernel)->decode_threshold);
	if (app->draft.sm_budget)
		area_printf(area, row++, 1, STYLE_TEXT, "%lld SMs for the step",
			    (long long)app->draft.sm_budget);
	if (app->quote && app->quote->has_price && !app->is_refused)
		area_printf(area, row++, 1, STYLE_TEXT, "%lld tokens: %lld decodes, %lld prefills",
			    (long long)app->quote->breakdown.step.tokens,
			    (long long)app->quote->breakdown.step.decode_requests,
			    (long long)app->quote->breakdown.step.prefill_requests);
	row++;
	area_put(area, row++, 1, STYLE_TEXT, "p: steady, mixed, prefill, verify in turn");
	area_put(area, row, 1, STYLE_TEXT, ":batch 64x8k,1x2048p  :threshold N  :sm-budget N");
}
