/* Resources to scale, the figures around the step, then the terms. */
#include <stdio.h>

#include "text/number.h"
#include "app/rows.h"
#include "view/screen.h"

static int draw_resources(const struct area *area, const struct app *app, int row)
{
	const struct ss_step *step = &app->quote->breakdown.step;
	const double *resource_s = ss_step_resources(step, app->figure);
	double whole = 0, most = 0;
	int order[SS_RESOURCE_COUNT], count = 0;

	for (int i = 0; i < SS_RESOURCE_COUNT; i++)
		whole += resource_s[i];
	for (int i = 0; i < SS_RESOURCE_COUNT; i++) {
		int at = count;

		if (!(resource_s[i] > 0))
			continue;
		most = resource_s[i] > most ? resource_s[i] : most;
		while (at > 0 && resource_s[order[at - 1]] < resource_s[i]) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
		count++;
	}
	for (int i = 0; i < count; i++) {
		double seconds = resource_s[order[i]];

		area_put(area, row, 1, STYLE_TEXT, ss_resource_name((enum ss_resource)order[i]));
		area_right(area, row, 8, 9, STYLE_TEXT, number_time(seconds).text);
		area_right(area, row, 18, 5, STYLE_TEXT,
			   whole > 0 ? number_percent(seconds / whole, 0).text : "");
		area_bar(area, row, 25, area_cols(area) - 26, STYLE_BAR, seconds / most);
		row++;
	}
	return row;
}

static int draw_around(const struct area *area, const struct app *app, int row)
{
	double lead = quote_lead(app->quote, app->figure);
	struct ss_batch batch = draft_batch(&app->draft);
	int64_t prompt = app->ttft_tokens ? app->ttft_tokens : app_context(app);
	const struct ss_step *step = &app->quote->breakdown.step;
	char text[160];
	size_t len = 0;
	int n = snprintf(text, sizeof(text), "ITL %s",
			 number_time(ss_kernel_itl_s(app->quote->kernel, lead)).text);

	len = n > 0 ? (size_t)n : 0;
	if (prompt > 0)
		snprintf(text + len, sizeof(text) - len, "  TTFT of %s %s",
			 prompt < 100000 ? number_count((double)prompt).text
					 : number_short((double)prompt).text,
			 number_time(
				 ss_kernel_ttft_s(app->quote->kernel, &batch, app->figure, prompt))
				 .text);
	area_put(area, row, 1, STYLE_TEXT, text);
	if (area_cols(area) > 70)
		area_printf(area, row, 46, STYLE_TEXT, "%lld kernels, %s graph",
			    (long long)step->kernels, ss_graph_name(step->graph));
	return row + 1;
}

void step_pane_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	struct area rest;
	int row = 0;

	if (!app->quote || !app->quote->has_price) {
		area_put(area, 0, 1, STYLE_TEXT, "no price to show");
		return;
	}
	/* On a small screen the terms are worth more than the bars. */
	if (area_rows(area) >= 10) {
		row = draw_resources(area, app, 0);
		row = draw_around(area, app, row);
	}
	rest = area_part(area, row, 0, area_rows(area) - row, area_cols(area));
	table_pane_draw(screen, &rest, app, PANE_STEP);
}
