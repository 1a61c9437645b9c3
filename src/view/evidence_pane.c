/* How many entries and how much of the price rest on each method. */
#include <stdio.h>

#include "text/number.h"
#include "app/rows.h"
#include "view/popup.h"
#include "view/screen.h"

static int draw_methods(const struct area *area, const struct app *app, int row)
{
	const struct ss_evidence *evidence = &app->quote->evidence;
	const struct ss_share *share = &app->quote->share;
	int half = (area_cols(area) - 2) / 2, bar = half - 26;
	double percents[SS_SHARE_PARTS];

	ss_share_percents(share, 1, percents);
	area_put(area, row, 1, STYLE_SECTION, "ENTRIES BY METHOD");
	area_put(area, row++, half + 1, STYLE_SECTION, "SHARE OF THE PRICE");
	for (int m = SS_METHOD_COUNT - 1; m >= 0; m--) {
		enum ss_method method = (enum ss_method)m;
		double count = (double)evidence->by_method[m];
		enum style_role style = ss_method_is_evidence(method) ? STYLE_BAR : STYLE_ASSUMED;

		if (!evidence->by_method[m] && !(share->by_method[m] > 0))
			continue;
		area_put(area, row, 1, STYLE_TEXT, ss_method_name(method));
		area_right(area, row, 13, 5, STYLE_TEXT, number_count(count).text);
		if (bar > 3 && evidence->total)
			area_bar(area, row, 20, bar, style, count / (double)evidence->total);
		if (app->quote->has_price) {
			area_right(area, row, half + 1, 8, STYLE_TEXT,
				   number_percent(percents[m] / 100, 1).text);
			if (bar > 3)
				area_bar(area, row, half + 11, bar, style, share->by_method[m]);
		}
		row++;
	}
	return row;
}

/* The lead figure within the range that the entries' spreads give it. */
static int draw_band(const struct area *area, const struct app *app, int row)
{
	const double *band = app->quote->band_s;
	double lead = quote_lead(app->quote, app->figure);
	enum number_unit unit = number_time_unit(lead);
	int cols = area_cols(area) - 27, at = 0;
	char note[200];

	if (!app->quote->influences || cols < 10 || !(band[1] > band[0]))
		return row;
	area_printf(area, row, 1, STYLE_TEXT, "band %s .. %s %s",
		    number_time_in(band[0], unit, 2).text, number_time_in(band[1], unit, 2).text,
		    number_unit_name(unit));
	at = (int)((lead - band[0]) / (band[1] - band[0]) * (cols - 1));
	area_hline(area, row, 26, cols, STYLE_BAR);
	area_put(area, row, 26, STYLE_BAR, "|");
	area_put(area, row, 26 + cols - 1, STYLE_BAR, "|");
	area_put(area, row++, 26 + at, STYLE_LEAD, "+");
	ss_kernel_band_note(app->quote->kernel, &app->quote->breakdown, &app->spread, note,
			    sizeof(note));
	if (*note)
		area_printf(area, row++, 3, STYLE_TEXT, "%s", note);
	return row;
}

static int draw_sentence(const struct area *area, const struct app *app, int row)
{
	char text[300];
	struct area line = area_part(area, row, 1, 2, area_cols(area) - 2);

	if (!app->quote->has_price)
		return row;
	ss_share_sentence(app->quote->kernel, &app->quote->share, "this step", text, sizeof(text));
	return row + popup_text(&line, STYLE_TEXT, text, 0);
}

/* How far off the price was of published runs like these. */
static int draw_validated(const struct area *area, const struct app *app, int row)
{
	struct area line = area_part(area, row, 1, 3, area_cols(area) - 2);
	char text[256];

	if (!app->validated.is_done)
		return row;
	validated_text(text, sizeof(text), &app->validated,
		       ss_kernel_lead(app->quote->kernel, app->figure));
	return row + popup_text(&line, STYLE_TEXT, text, 0);
}

void evidence_pane_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	struct area rest;
	int row = 0;
	char text[200];

	if (!app->quote)
		return;
	if (area_rows(area) >= 14) {
		snprintf(text, sizeof(text), "%zu of %zu entries rest on evidence; %zu are assumed",
			 app->quote->evidence.evidenced, app->quote->evidence.total,
			 app->quote->evidence.assumed);
		area_put(area, row++, 1, STYLE_HEADER, text);
		row = draw_methods(area, app, row);
		row = draw_band(area, app, row);
		row = draw_sentence(area, app, row);
		row = draw_validated(area, app, row);
		row++;
	}
	rest = area_part(area, row, 0, area_rows(area) - row, area_cols(area));
	table_pane_draw(screen, &rest, app, PANE_EVIDENCE);
}
