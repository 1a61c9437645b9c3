/* Three lines that never scroll away: what is priced, the price, what it rests on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case/verdict_text.h"
#include "text/number.h"
#include "app/rows.h"
#include "view/screen.h"
#include "view/text.h"

/* Columns of a cut name that still tell it from others. */
#define NAME_LEAST 8

/* Text put piece by piece with bars between. */
struct pen {
	const struct area *area;
	int row, col;
	bool has_any;
};

static bool has_room(const struct pen *pen, const char *text)
{
	return pen->col + 3 + text_width(text) <= area_cols(pen->area);
}

/* Screens as wide as this have the shares of the price in full. */
#define SHARE_WHOLE_COLS 100

/* A segment that has no room is left out whole; the first is always there. */
static void segment(struct pen *pen, enum style_role style, const char *text)
{
	if (pen->has_any && !has_room(pen, text))
		return;
	if (pen->has_any)
		pen->col = area_put(pen->area, pen->row, pen->col, STYLE_BORDER, " | ");
	pen->col = area_put(pen->area, pen->row, pen->col, style, text);
	pen->has_any = true;
}

static const char *text_of(const struct app *app, enum ss_field_id field)
{
	const struct ss_value *value = ss_scenario_value(app->draft.scenario, app->pool, field);

	return value->is_stated && value->text ? value->text : "";
}

/* The scenario's name as far as it goes, and how many edits were made. */
static void draw_name(const struct area *area, const struct app *app, int col)
{
	const struct ss_value *name = &app->draft.scenario->values[SS_F_NAME];
	const struct history *history = &app->history;
	size_t saved = history->saved == SIZE_MAX ? 0 : history->saved;
	bool is_dirty = history_is_dirty(history), is_ahead = history->position >= saved;
	char count[32] = "", cut[128], text[192];
	int room = area_cols(area) - col - 1;

	/* Edits since it was saved, or taken back since. */
	if (is_dirty)
		snprintf(count, sizeof(count), " [%c%zu]", is_ahead ? '+' : '-',
			 is_ahead ? history->position - saved : saved - history->position);
	text_cut(cut, sizeof(cut), name->is_stated ? name->text : "", room - text_width(count));
	snprintf(text, sizeof(text), "%s%s", text_width(cut) > 5 ? cut : "", count);
	if (room >= text_width(text))
		area_right(area, 0, col, room, is_dirty ? STYLE_CHANGED : STYLE_TEXT, text);
}

static void draw_subject(const struct area *area, const struct app *app)
{
	struct pen pen = { area, 0, 1, false };
	const struct ss_scenario *scenario = app->draft.scenario;
	long long nodes = ss_scenario_value(scenario, app->pool, SS_F_NODES)->integer;
	long long gpus = ss_scenario_value(scenario, app->pool, SS_F_GPUS_PER_NODE)->integer;
	const struct ss_basis_inputs *inputs =
		app->quote ? ss_basis_inputs(app->quote->basis) : NULL;
	bool is_taken = inputs && inputs->is_fallback_pack;
	char text[160];

	snprintf(text, sizeof(text), "%s %s", text_of(app, SS_F_MODEL),
		 app->quote ? ss_kernel_resolution(app->quote->kernel)->quantization : "");
	segment(&pen, STYLE_HEADER, text);
	snprintf(text, sizeof(text), "%lldx %s", nodes * gpus, text_of(app, SS_F_HARDWARE));
	segment(&pen, STYLE_TEXT, text);
	/* a release without a pack is priced as another: never out of sight */
	snprintf(text, sizeof(text), "%s %s%s%s", text_of(app, SS_F_ENGINE),
		 text_of(app, SS_F_ENGINE_VERSION), is_taken ? " as " : "",
		 is_taken ? inputs->pack->version : "");
	segment(&pen, is_taken ? STYLE_CHANGED : STYLE_TEXT, text);
	snprintf(text, sizeof(text), "pool %s %zu/%zu", text_of(app, SS_F_ROLE), app->pool + 1,
		 scenario->pool_count);
	segment(&pen, STYLE_TEXT, text);
	draw_name(area, app, pen.col + 2);
}

static void draw_change(struct pen *pen, const struct app *app)
{
	const struct app_pin *pin = app_baseline(app);
	struct number_text signed_change;
	const char *by = "", *what = NULL;
	double change = 0, error = 0;
	char text[256], name[64], with_error[96];

	if (!pin || !pin->quote->has_price)
		return;
	change = quote_lead(app->quote, app->figure) - quote_lead(pin->quote, app->figure);
	signed_change = number_time_signed(change);
	by = fabs(change) < 5e-9 ? "" : signed_change.text;
	what = fabs(change) < 5e-9 ? "as A" : "vs A";
	/* What a known error of the laws makes of it is no gain. */
	error = app->quote->known_error_s - pin->quote->known_error_s;
	if (*by && fabs(error) >= 5e-9) {
		snprintf(with_error, sizeof(with_error), "%s (! %s)", by,
			 number_time_signed(error).text);
		snprintf(text, sizeof(text), "%s %s", what, with_error);
		if (!has_room(pen, text))
			snprintf(with_error, sizeof(with_error), "%s !", by);
		by = with_error;
	}
	/* The change is what counts: the name takes the room that is left, if it tells any. */
	text_cut(name, sizeof(name), pin->name,
		 area_cols(pen->area) - pen->col - 3 - text_width(what) - text_width(by) - 2);
	if (strcmp(name, pin->name) != 0 && text_width(name) < NAME_LEAST)
		name[0] = '\0';
	snprintf(text, sizeof(text), "%s%s%s%s%s", what, *name ? " " : "", name, *by ? " " : "",
		 by);
	segment(pen,
		fabs(change) < 5e-9 ? STYLE_TEXT
		: change > 0        ? STYLE_WORSE
				    : STYLE_BETTER,
		text);
}

static void draw_price(const struct area *area, const struct app *app)
{
	struct pen pen = { area, 1, 1, false };
	const struct ss_step *step = NULL;
	bool is_stale = app->is_refused, is_kernels, is_own;
	enum number_unit unit = NUMBER_MS;
	char text[200];
	struct figures figures;
	const char *binds = NULL;
	size_t word = 0;

	if (!app->quote) {
		segment(&pen, STYLE_ERROR, "no price yet: the deployment is refused");
		return;
	}
	if (is_stale) {
		snprintf(text, sizeof(text), "last valid: %s", app->quote->label);
		segment(&pen, STYLE_STALE, text);
	}
	if (!app->quote->has_price) {
		segment(&pen, STYLE_WARN,
			"no price: a coefficient of the step is missing; memory is known");
		return;
	}
	step = &app->quote->breakdown.step;
	(void)quote_figures(&figures, app->quote, app->figure, app->acceptance);
	unit = number_time_unit(figures.lead_s);
	segment(&pen, is_stale ? STYLE_STALE : STYLE_LEAD, number_time(figures.lead_s).text);
	binds = ss_kernel_bottleneck(app->quote->kernel, &app->quote->breakdown);
	/* "host (fitted remainder)": the resource, then what else there is to say. */
	word = strcspn(binds, " ");
	/* measured kernels have the band of their errors, the laws two bounds */
	is_kernels = app_figure(app) == SS_FIGURE_KERNELS;
	is_own = app_figure(app) == ss_kernel_lead(app->quote->kernel, SS_FIGURE_LEAD);
	snprintf(text, sizeof(text), " (%s .. %s) %s%s%.*s%s%s",
		 number_time_in(is_kernels ? app->quote->band_s[0] : step->overlap_s, unit, 2).text,
		 number_time_in(is_kernels ? app->quote->band_s[1] : step->no_overlap_s, unit, 2)
			 .text,
		 is_own ? "" : ss_figure_name(app_figure(app)), is_own ? "" : ", ", (int)word,
		 binds, is_own ? "-bound" : "", binds + word);
	pen.col = area_put(area, 1, pen.col, is_stale ? STYLE_STALE : STYLE_TEXT, text);
	if (is_stale)
		return;
	if (figures.tokens_per_s > 0) {
		snprintf(text, sizeof(text), "%s tok/s %s/GPU",
			 number_count(figures.tokens_per_s).text,
			 number_count(figures.tokens_per_s_per_gpu).text);
		segment(&pen, STYLE_TEXT, text);
	} else if (figures.prefill_tokens_per_s > 0) {
		snprintf(text, sizeof(text), "%s prompt tok/s",
			 number_count(figures.prefill_tokens_per_s).text);
		segment(&pen, STYLE_TEXT, text);
	}
	draw_change(&pen, app);
}

static void draw_fit(struct pen *pen, const struct app *app)
{
	const struct ss_fit *fit = &app->quote->fit;
	enum ss_verdict_id id = verdict_first(&fit->verdict);
	char text[160];

	if (id != SS_VERDICT_COUNT) {
		verdict_mark(text, sizeof(text), &fit->verdict, id, fit->term);
		/* The most important word of the line: by how much is left to Memory. */
		if (!has_room(pen, text) && strstr(text, " by "))
			*strstr(text, " by ") = '\0';
		segment(pen, STYLE_ERROR, text);
	} else {
		snprintf(text, sizeof(text), "FITS %s",
			 number_count((double)ss_kernel_requests_that_fit(app->quote->kernel,
									  app_context(app)))
				 .text);
		segment(pen, STYLE_GOOD, text);
	}
}

/*
 * "27% measured 56 vendor 17~": of the lead figure. What follows it counts for more than
 * its words, which are whole where there is room for both.
 */
static void draw_share(struct pen *pen, const struct app *app)
{
	static const struct {
		enum ss_method method;
		const char *word, *brief;
	} parts[] = {
		{ SS_METHOD_MEASURED, " measured", " measured" },
		{ SS_METHOD_VENDOR_SPEC, " vendor", " vendor" },
		{ SS_METHOD_LITERATURE, " literature", " lit" },
		{ SS_METHOD_COPIED, " copied", " copied" },
		{ SS_METHOD_ASSUMED, " assumed", "~" },
		{ SS_METHOD_NOT_CHARGED, " not charged", " not charged" },
	};
	bool is_whole = area_cols(pen->area) >= SHARE_WHOLE_COLS;
	char text[160] = "";
	size_t used = 0;
	double percents[SS_SHARE_PARTS];

	ss_share_percents(&app->quote->share, 0, percents);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && used < sizeof(text); i++) {
		double percent = percents[parts[i].method];

		if (percent >= 1)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.0f%s%s",
						 !used      ? ""
						 : is_whole ? ", "
							    : " ",
						 percent,
						 is_whole ? " %"
						 : !used  ? "%"
							  : "",
						 is_whole ? parts[i].word : parts[i].brief);
	}
	if (used)
		segment(pen, STYLE_TEXT, text);
}

static void draw_footing(const struct area *area, const struct app *app)
{
	struct pen pen = { area, 2, 1, false };
	const struct ss_workload *workload = &app->draft.scenario->workload;
	char text[160], group[80];
	size_t divergences = 0, warnings = ss_problems_count(&app->problems, SS_WARNING);

	if (workload->group_count) {
		rows_group(app, &workload->groups[0], group, sizeof(group));
		if (workload->group_count > 1)
			snprintf(text, sizeof(text), "batch %s + %zu more", group,
				 workload->group_count - 1);
		else
			snprintf(text, sizeof(text), "batch %s", group);
	} else {
		snprintf(text, sizeof(text), "batch empty");
	}
	segment(&pen, STYLE_TEXT, text);
	if (!app->quote)
		return;
	draw_fit(&pen, app);
	draw_share(&pen, app);
	/* those of known size: the others are listed, with their direction, beside the step */
	for (size_t i = 0; i < app->quote->effect_count; i++)
		divergences +=
			app->quote->effects[i].has_seconds && !app->quote->effects[i].is_corrected;
	if (divergences) {
		snprintf(text, sizeof(text), "%zu divergence%s !", divergences,
			 divergences > 1 ? "s" : "");
		segment(&pen, STYLE_WARN, text);
	}
	if (warnings) {
		snprintf(text, sizeof(text), "%zu warning%s !", warnings, warnings > 1 ? "s" : "");
		segment(&pen, STYLE_WARN, text);
	}
}

void header_draw(const struct area *area, const struct app *app)
{
	int rows = area_rows(area);

	/* With less than three lines the price comes first. */
	if (rows == 1) {
		struct area up = area_part(area, -1, 0, 2, area_cols(area));

		draw_price(&up, app);
		return;
	}
	if (rows >= 1)
		draw_subject(area, app);
	if (rows >= 2)
		draw_price(area, app);
	if (rows >= 3)
		draw_footing(area, app);
}
