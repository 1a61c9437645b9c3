/* The Compare pane: the baseline against now, and any number of pins beside. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/difference.h"
#include "text/number.h"
#include "app/rows.h"

/* Columns: what, baseline, now, change, the waterfall, then further pins. */
#define FIXED_COLUMNS 5
#define WATERFALL 4
#define WATERFALL_COLS 20

static const struct table_column columns[TABLE_MAX_COLUMNS] = {
	{ .title = "", .width = 26, .min_width = 14, .grows = true },
	{ .title = "A", .width = 16, .min_width = 8, .is_right = true },
	{ .title = "now", .width = 16, .min_width = 8, .is_right = true },
	{ .title = "change", .width = 10, .min_width = 8, .is_right = true },
	{ .title = "waterfall", .width = WATERFALL_COLS, .min_width = WATERFALL_COLS, .rank = 1 },
	{ .title = "B", .width = 16, .min_width = 8, .is_right = true, .rank = 2 },
	{ .title = "C", .width = 16, .min_width = 8, .is_right = true, .rank = 3 },
	{ .title = "D", .width = 16, .min_width = 8, .is_right = true, .rank = 4 },
	{ .title = "E", .width = 16, .min_width = 8, .is_right = true, .rank = 5 },
	{ .title = "F", .width = 16, .min_width = 8, .is_right = true, .rank = 6 },
};

static size_t column_quotes(const struct app *app, const struct quote *quotes[TABLE_MAX_COLUMNS])
{
	size_t count = FIXED_COLUMNS;

	quotes[1] = app->pins[0].quote;
	quotes[2] = app->quote;
	for (size_t i = 1; i < app->pin_count && count < TABLE_MAX_COLUMNS; i++)
		quotes[count++] = app->pins[i].quote;
	return count;
}

static double lead_ms(const struct app *app, const struct quote *quote)
{
	return quote->has_price ? quote_lead(quote, app->figure) * 1e3 : NAN;
}

static double known_error_ms(const struct app *app, const struct quote *quote)
{
	(void)app;
	return quote->has_price ? quote->known_error_s * 1e3 : NAN;
}

static double itl_ms(const struct app *app, const struct quote *quote)
{
	struct figures f;

	return quote_figures(&f, quote, app->figure, app->acceptance) ? f.itl_s * 1e3 : NAN;
}

static double rate(const struct app *app, const struct quote *quote)
{
	struct figures f;

	return quote_figures(&f, quote, app->figure, app->acceptance) ? f.tokens_per_s : NAN;
}

static double rate_per_gpu(const struct app *app, const struct quote *quote)
{
	struct figures f;

	return quote_figures(&f, quote, app->figure, app->acceptance) ? f.tokens_per_s_per_gpu
								      : NAN;
}

static double gib(int64_t bytes)
{
	return (double)bytes / (1 << 30);
}

static double room_gib(const struct app *app, const struct quote *quote)
{
	(void)app;
	return gib(ss_kernel_memory(quote->kernel)->budget_bytes);
}

static double fixed_gib(const struct app *app, const struct quote *quote)
{
	(void)app;
	return gib(ss_kernel_memory(quote->kernel)->total_bytes);
}

static double fit_count(const struct app *app, const struct quote *quote)
{
	return (double)ss_kernel_requests_that_fit(quote->kernel, app_context(app));
}

static double evidenced(const struct app *app, const struct quote *quote)
{
	(void)app;
	return (double)quote->evidence.evidenced;
}

static double assumed(const struct app *app, const struct quote *quote)
{
	(void)app;
	return (double)quote->evidence.assumed;
}

static void put_figures(struct table *table, const char *name,
			const double values[TABLE_MAX_COLUMNS], size_t count, int decimals)
{
	double change = values[2] - values[1];

	table_row(table, 0, isfinite(change) && fabs(change) > 0 ? '*' : ' ');
	table_put(table, 0, name);
	for (size_t c = 1; c < count; c++) {
		if (c == WATERFALL)
			continue;
		if (c == 3) {
			if (isfinite(change))
				table_put_number(table, 3, change,
						 number_signed(change, decimals).text);
		} else if (isfinite(values[c])) {
			table_put_number(table, (int)c, values[c],
					 number_fixed(values[c], decimals).text);
		}
	}
}

static void add_figures(struct table *table, const struct app *app)
{
	static const struct {
		const char *name;
		double (*of)(const struct app *app, const struct quote *quote);
		int decimals;
	} figures[] = {
		{ "step, ms", lead_ms, 2 },
		{ "of it known error, ms", known_error_ms, 2 },
		{ "ITL, ms", itl_ms, 2 },
		{ "tok/s", rate, 0 },
		{ "tok/s/GPU", rate_per_gpu, 0 },
		{ "fixed memory, GiB", fixed_gib, 2 },
		{ "room for KV, GiB", room_gib, 2 },
		{ "requests that fit", fit_count, 0 },
		{ "entries on evidence", evidenced, 0 },
		{ "entries assumed", assumed, 0 },
	};
	const struct quote *quotes[TABLE_MAX_COLUMNS] = { 0 };
	size_t count = column_quotes(app, quotes);

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		double values[TABLE_MAX_COLUMNS] = { 0 };

		for (size_t c = 1; c < count; c++) {
			if (quotes[c])
				values[c] = figures[i].of(app, quotes[c]);
		}
		put_figures(table, figures[i].name, values, count, figures[i].decimals);
	}
}

/* -- the waterfall -------------------------------------------------------------------- */

static void term_totals(const struct app *app, const struct quote *quote,
			double seconds[SS_TERM_COUNT])
{
	for (int i = 0; i < SS_TERM_COUNT; i++)
		seconds[i] = 0;
	for (size_t i = 0; i < quote->breakdown.term_count; i++)
		seconds[quote->breakdown.terms[i].term] +=
			ss_term_figure(&quote->breakdown.terms[i], app->figure);
}

/*
 * Where a change leads from and to, on a line that holds every step of the way
 * from the baseline to now: '+' adds, '-' takes away.
 */
static void put_step(struct table *table, double from, double to, double low, double high)
{
	char text[WATERFALL_COLS + 1];
	double span = high > low ? high - low : 1;
	int start = (int)lround((fmin(from, to) - low) / span * WATERFALL_COLS);
	int end = (int)lround((fmax(from, to) - low) / span * WATERFALL_COLS);

	/* A step that is there is seen. */
	if (end == start && end < WATERFALL_COLS)
		end++;
	else if (end == start)
		start--;
	memset(text, ' ', WATERFALL_COLS);
	memset(text + start, to > from ? '+' : '-', (size_t)(end - start));
	text[end] = '\0';
	table_put(table, WATERFALL, text);
}

/* Lowest and highest point of the way, its steps from the largest down. */
static void find_range(const double was[SS_TERM_COUNT], const double now[SS_TERM_COUNT],
		       double *low, double *high)
{
	bool done[SS_TERM_COUNT] = { false };
	double at = 0;

	for (int t = 0; t < SS_TERM_COUNT; t++)
		at += was[t];
	*low = *high = at;
	for (int n = 0; n < SS_TERM_COUNT; n++) {
		int best = -1;

		for (int t = 0; t < SS_TERM_COUNT; t++) {
			if (!done[t] &&
			    (best < 0 || fabs(now[t] - was[t]) > fabs(now[best] - was[best])))
				best = t;
		}
		done[best] = true;
		at += now[best] - was[best];
		*low = fmin(*low, at);
		*high = fmax(*high, at);
	}
}

static void add_waterfall(struct table *table, const struct app *app)
{
	const struct quote *quotes[TABLE_MAX_COLUMNS] = { 0 };
	double seconds[TABLE_MAX_COLUMNS][SS_TERM_COUNT];
	bool done[SS_TERM_COUNT] = { false };
	double at = 0, low = 0, high = 0;
	char label[96];
	size_t count = column_quotes(app, quotes);

	for (size_t c = 1; c < count; c++) {
		if (quotes[c])
			term_totals(app, quotes[c], seconds[c]);
	}
	table_heading(table, "BY TERM, ms, the largest change first");
	find_range(seconds[1], seconds[2], &low, &high);
	for (int t = 0; t < SS_TERM_COUNT; t++)
		at += seconds[1][t];
	for (;;) {
		int best = -1;
		double values[TABLE_MAX_COLUMNS] = { 0 };

		for (int t = 0; t < SS_TERM_COUNT; t++) {
			if (done[t] || (fabs(seconds[1][t]) < 5e-9 && fabs(seconds[2][t]) < 5e-9))
				continue;
			if (best < 0 || fabs(seconds[2][t] - seconds[1][t]) >
						fabs(seconds[2][best] - seconds[1][best]))
				best = t;
		}
		if (best < 0)
			break;
		done[best] = true;
		for (size_t c = 1; c < count; c++) {
			if (quotes[c])
				values[c] = seconds[c][best] * 1e3;
		}
		term_label_of_both(label, sizeof(label), (enum ss_term_id)best,
				   quotes[1]->breakdown.step.graph,
				   quotes[2]->breakdown.step.graph);
		put_figures(table, label, values, count, 2);
		if (fabs(seconds[2][best] - seconds[1][best]) > 5e-9)
			put_step(table, at, at + seconds[2][best] - seconds[1][best], low, high);
		at += seconds[2][best] - seconds[1][best];
	}
}

/* -- what is no gain or loss of the engine's ------------------------------------------- */

static void add_known_errors(struct table *table, const struct app *app)
{
	const struct app_pin *pin = &app->pins[0];
	struct ss_batch batches[] = { draft_batch(&pin->draft), draft_batch(&app->draft) };
	struct difference_side was = { pin->quote->kernel, &batches[0], app->figure };
	struct difference_side now = { app->quote->kernel, &batches[1], app->figure };
	struct difference difference;
	char text[96];

	difference_of(&difference, &was, &now);
	if (!difference_has_error(&difference) && !difference.part_count)
		return;
	snprintf(text, sizeof(text), "OF THE CHANGE, %s KNOWN ERROR OF THE LAWS",
		 number_time_signed(difference.known_error_s).text);
	table_heading(table, text);
	for (size_t i = 0; i < difference.part_count; i++) {
		const struct difference_part *part = &difference.parts[i];
		double values[TABLE_MAX_COLUMNS] = { 0, part->seconds[0] * 1e3,
						     part->seconds[1] * 1e3 };

		put_figures(table, ss_divergence(part->id)->name, values, 3, 2);
		table_put_number(table, 3, values[2] - values[1],
				 number_signed(values[2] - values[1], 2).text);
	}
}

/* -- what came and went --------------------------------------------------------------- */

static void pair(struct table *table, char mark, const char *name, const char *was, const char *now)
{
	table_row(table, 0, mark);
	table_put(table, 0, name);
	table_put(table, 1, was);
	table_put(table, 2, now);
}

static void add_settings(struct table *table, const struct app *app)
{
	const struct app_pin *pin = &app->pins[0];
	bool any = false;

	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *row = ss_field((enum ss_field_id)id);
		const struct ss_value *was = NULL, *now = NULL;
		char was_text[64] = "unstated", now_text[64] = "unstated";

		was = ss_scenario_value(pin->draft.scenario, pin->pool, row->id);
		now = ss_scenario_value(app->draft.scenario, app->pool, row->id);
		if (ss_value_equal(was, now))
			continue;
		if (!any)
			table_heading(table, "SETTINGS");
		any = true;
		if (was->is_stated)
			ss_value_format(was_text, sizeof(was_text), row, was);
		if (now->is_stated)
			ss_value_format(now_text, sizeof(now_text), row, now);
		pair(table, '*', rows_label(row->id), was_text, now_text);
	}
}

static bool has_entry(const struct quote *quote, const struct ss_entry *entry)
{
	size_t count = ss_kernel_entry_count(quote->kernel);

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *other = ss_kernel_entry(quote->kernel, i);

		if (other->is_shadowed == entry->is_shadowed && !strcmp(other->name, entry->name) &&
		    !strcmp(other->set, entry->set))
			return true;
	}
	return false;
}

static void add_entries(struct table *table, const struct app *app, bool came)
{
	const struct quote *from = came ? app->quote : app->pins[0].quote;
	const struct quote *in = came ? app->pins[0].quote : app->quote;
	size_t count = ss_kernel_entry_count(from->kernel);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(from->kernel, i);

		if (entry->is_shadowed || has_entry(in, entry))
			continue;
		if (!any)
			table_heading(table, came ? "ENTRIES THAT CAME" : "ENTRIES THAT WENT");
		any = true;
		pair(table, came ? '+' : '-', entry->name,
		     came ? "" : ss_method_name(entry->method),
		     came ? ss_method_name(entry->method) : "");
	}
}

static void add_overrides(struct table *table, const struct app *app, bool came)
{
	const struct quote *from = came ? app->quote : app->pins[0].quote;
	const struct quote *in = came ? app->pins[0].quote : app->quote;
	size_t count = ss_kernel_override_count(from->kernel);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct ss_override *override = ss_kernel_override(from->kernel, i);
		const struct ss_override *other = quote_override(in, override->field);

		if (other && !strcmp(other->resolved, override->resolved))
			continue;
		if (!any)
			table_heading(table, came ? "OVERRIDES THAT CAME" : "OVERRIDES THAT WENT");
		any = true;
		pair(table, came ? '+' : '-', override->field, came ? "" : override->resolved,
		     came ? override->resolved : "");
	}
}

void rows_compare(struct table *table, const struct app *app)
{
	size_t count = FIXED_COLUMNS + (app->pin_count ? app->pin_count - 1 : 0);

	table_reset(table, columns, (int)(count > TABLE_MAX_COLUMNS ? TABLE_MAX_COLUMNS : count));
	if (!app->pin_count || !app->quote)
		return;
	table_row(table, 0, ' ');
	table_put(table, 0, "configuration");
	table_put(table, 1, app->pins[0].name);
	table_put(table, 2, app->quote->label);
	for (size_t i = 1; i < app->pin_count && i + 4 < TABLE_MAX_COLUMNS; i++)
		table_put(table, (int)i + 4, app->pins[i].name);
	add_figures(table, app);
	if (app->quote->has_price && app->pins[0].quote->has_price) {
		add_known_errors(table, app);
		add_waterfall(table, app);
	}
	add_settings(table, app);
	add_overrides(table, app, true);
	add_overrides(table, app, false);
	add_entries(table, app, true);
	add_entries(table, app, false);
}
