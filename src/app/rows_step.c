/* The Step pane's terms and divergences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/around.h"
#include "text/number.h"
#include "app/rows.h"

/* Terms of several layer kinds that are the same work, as one row. */
struct line {
	size_t first; /* of the breakdown's terms */
	double seconds, hidden, count;
	enum ss_method weakest;
	bool is_mixed;
};

static bool is_same_work(const struct ss_term *a, const struct ss_term *b)
{
	return a->term == b->term && a->resource == b->resource && a->is_draft == b->is_draft &&
	       !strcmp(a->detail, b->detail);
}

static void weaken(struct line *line, enum ss_method method, double seconds)
{
	if (!(seconds > 0))
		return;
	if (method == SS_METHOD_COUNT)
		method = SS_METHOD_VENDOR_SPEC;
	if (line->weakest == SS_METHOD_COUNT) {
		line->weakest = method;
		return;
	}
	if (method != line->weakest)
		line->is_mixed = true;
	if (method < line->weakest)
		line->weakest = method;
}

static size_t gather(const struct app *app, struct line *lines)
{
	const struct ss_breakdown *breakdown = &app->quote->breakdown;
	size_t count = 0;

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *term = &breakdown->terms[i];
		size_t at = 0;

		while (at < count && !is_same_work(&breakdown->terms[lines[at].first], term))
			at++;
		if (at == count)
			lines[count++] = (struct line){ .first = i, .weakest = SS_METHOD_COUNT };
		lines[at].seconds += ss_term_figure(term, app->figure);
		lines[at].hidden += ss_term_hidden(term, app->figure);
		lines[at].count += term->count;
		weaken(&lines[at], quote_weakest(app->quote, term->floor_reads), term->floor_s);
		weaken(&lines[at], quote_weakest(app->quote, term->slope_reads), term->slope_s);
	}
	return count;
}

/* Less is not worth a row. */
#define SHOWN_S 5e-9

static int by_seconds(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->seconds < y->seconds || x->seconds > y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->first < y->first ? -1 : 1;
}

static bool diverges(const struct app *app, const struct ss_term *term)
{
	/* The one divergence tied to a term: expert compute that tp does not shard. */
	if (term->term != SS_TERM_EXPERTS)
		return false;
	for (size_t i = 0; i < app->quote->effect_count; i++) {
		const struct ss_divergence_effect *effect = &app->quote->effects[i];

		if (effect->id == SS_DIVERGENCE_EXPERT_TENSOR_SHARDING && !effect->is_corrected)
			return true;
	}
	return false;
}

/* Six places hold every step: the longer, the fewer decimals. */
static int ms_decimals(double seconds)
{
	return seconds < 1 ? 2 : seconds < 10 ? 1 : 0;
}

/** Do two lines read alike but for what they are of? */
static bool is_twin(const struct app *app, const struct line *a, const struct line *b)
{
	const struct ss_term *x = &app->quote->breakdown.terms[a->first];
	const struct ss_term *y = &app->quote->breakdown.terms[b->first];

	return a != b && b->seconds > SHOWN_S && x->term == y->term && x->resource == y->resource &&
	       x->is_draft == y->is_draft;
}

/** A twin goes by what it is of: "router GEMMs" beside "dense GEMMs". */
static void write_label(char *out, size_t size, const struct ss_term *term, const char *name,
			bool has_twin)
{
	const char *draft = term->is_draft ? "draft: " : "", *last = strrchr(name, ' ');

	if (has_twin && *term->detail)
		snprintf(out, size, "%s%s %s", draft, term->detail, last ? last + 1 : name);
	else
		snprintf(out, size, "%s%s", draft, name);
}

static void add_line(struct table *table, const struct app *app, const struct line *line,
		     bool has_twin)
{
	const struct ss_term *term = &app->quote->breakdown.terms[line->first];
	double lead = quote_lead(app->quote, app->figure);
	/* said once: where it tells twins apart it is in their labels */
	const char *detail = has_twin ? "" : term->detail;
	const char *name = ss_term_label_in(term->term, app->quote->breakdown.step.graph);
	char label[96], times[24] = "", of[96], rests[40];
	char mark = rows_method_mark(line->weakest);

	write_label(label, sizeof(label), term, name, has_twin);
	if (line->count > 1.5)
		snprintf(times, sizeof(times), "%sx%.0f", *detail ? " " : "", line->count);
	snprintf(of, sizeof(of), "%.60s%s", detail, times);
	table_row(table, (int)line->first, diverges(app, term) ? '!' : mark);
	table_put(table, 0, label);
	table_put_number(table, 1, line->seconds,
			 number_time_in(line->seconds, NUMBER_MS, ms_decimals(line->seconds)).text);
	table_put_number(table, 2, line->seconds,
			 lead > 0 ? number_fixed(line->seconds / lead * 100, 1).text : "");
	if (line->weakest == SS_METHOD_COUNT)
		snprintf(rests, sizeof(rests), "-");
	else if (line->is_mixed && mark != ' ')
		snprintf(rests, sizeof(rests), "part %c", mark);
	else
		snprintf(rests, sizeof(rests), "%s%s", line->is_mixed ? "part " : "",
			 line->weakest == SS_METHOD_VENDOR_SPEC ? "vendor"
								: ss_method_name(line->weakest));
	table_put(table, 3, rests);
	table_put(table, 4, ss_resource_name(term->resource));
	table_put(table, 5, of);
}

static void add_divergences(struct table *table, const struct app *app)
{
	char text[96];
	double largest = 0;

	if (!app->quote->effect_count)
		return;
	for (size_t i = 0; i < app->quote->effect_count; i++) {
		const struct ss_divergence_effect *effect = &app->quote->effects[i];

		if (effect->has_seconds && !effect->is_corrected &&
		    fabs(effect->seconds) > fabs(largest))
			largest = effect->seconds;
	}
	/* The rows may be below the fold: the size of it is not. */
	if (fabs(largest) > 0)
		snprintf(text, sizeof(text), "DIVERGENCES, largest %s (Space)",
			 number_time_signed(largest).text);
	else
		snprintf(text, sizeof(text), "DIVERGENCES (Space)");
	table_heading(table, text);
	for (size_t i = 0; i < app->quote->effect_count; i++) {
		const struct ss_divergence_effect *effect = &app->quote->effects[i];
		const struct ss_divergence *row = ss_divergence(effect->id);

		table_row(table, ROWS_DIVERGENCE + (int)effect->id,
			  effect->is_corrected ? ' ' : '!');
		snprintf(text, sizeof(text), "%s", row->name);
		table_put(table, 0, text);
		if (effect->has_seconds)
			table_put_number(table, 1, effect->seconds,
					 number_signed(effect->seconds * 1e3, 2).text);
		table_put(table, 3,
			  effect->is_corrected  ? "corrected"
			  : row->has_correction ? "the law's"
						: "no figure");
	}
}

static void add_around(struct table *table, const struct app *app)
{
	struct ss_batch batch = draft_batch(&app->draft);
	int64_t tokens = app->ttft_tokens ? app->ttft_tokens : around_longest(&batch);
	struct around_row rows[AROUND_ROWS_MAX];
	size_t count = around_of(rows, app->quote->kernel, app->draft.scenario, tokens);
	char text[96];

	snprintf(text, sizeof(text), "AROUND A STEP, %s tokens", number_count((double)tokens).text);
	table_heading(table, text);
	for (size_t i = 0; i < count; i++) {
		table_row(table, -1, ' ');
		table_put(table, 0, rows[i].label);
		if (isfinite(rows[i].seconds))
			table_put_number(table, 1, rows[i].seconds,
					 number_time_in(rows[i].seconds, NUMBER_MS, 3).text);
		table_put(table, 5, rows[i].note);
	}
}

void rows_step(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "term", .width = 22, .min_width = 22, .grows = true },
		{ .title = "ms", .width = 7, .min_width = 6, .is_right = true },
		{ .title = "%", .width = 5, .min_width = 4, .is_right = true, .rank = 1 },
		{ .title = "rests on", .width = 13, .min_width = 9, .rank = 2 },
		{ .title = "on", .width = 6, .min_width = 4, .rank = 3 },
		{ .title = "of", .width = 14, .min_width = 9, .rank = 4 },
	};
	struct line *lines = NULL;
	double hidden = 0;
	size_t count = 0;

	table_reset(table, columns, 6);
	if (!app->quote || !app->quote->has_price)
		return;
	lines = xcalloc(app->quote->breakdown.term_count, sizeof(*lines));
	count = gather(app, lines);
	qsort(lines, count, sizeof(*lines), by_seconds);
	for (size_t i = 0; i < count; i++) {
		bool has_twin = false;

		hidden += lines[i].hidden;
		/* the longest of them is what the plain word means */
		for (size_t j = 0; j < i && !has_twin; j++)
			has_twin = is_twin(app, &lines[i], &lines[j]);
		if (lines[i].seconds > SHOWN_S)
			add_line(table, app, &lines[i], has_twin);
	}
	if (hidden > SHOWN_S) {
		table_row(table, -1, ' ');
		table_put(table, 0, "hidden behind another");
		table_put_number(table, 1, -hidden, number_signed(-hidden * 1e3, 2).text);
	}
	free(lines);
	add_divergences(table, app);
	add_around(table, app);
}
