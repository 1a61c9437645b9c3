#include "report/scored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/xbuf.h"

/* -- columns ------------------------------------------------------------------------------- */

/* clang-format off */
#define FIGURES(X)                               \
	X(SERIAL,     "Serial",    "serial")     \
	X(NO_OVERLAP, "NoOverlap", "no_overlap") \
	X(OVERLAP,    "Overlap",   "overlap")    \
	X(KERNELS,    "Kernels",   "kernels")

/** What a figure adds to the table of groups, and to that of runs. */
static const struct column of_groups[SS_FIGURE_COUNT][3] = {
#define X(id, title, name)                                   \
	[SS_FIGURE_##id] = {                                 \
		{ title, name "_median", true },   \
		{ "p90", name "_p90", true },                \
		{ "bias", name "_bias", true },              \
	},
	FIGURES(X)
#undef X
};
static const struct column of_runs[SS_FIGURE_COUNT][2] = {
#define X(id, title, name)                                   \
	[SS_FIGURE_##id] = {                                 \
		{ title ", ms", name "_tpot_s", true },      \
		{ "error", name "_error", true },            \
	},
	FIGURES(X)
#undef X
};
static const char *const figure_titles[SS_FIGURE_COUNT] = {
#define X(id, title, name) [SS_FIGURE_##id] = title,
	FIGURES(X)
#undef X
};
/* clang-format on */

static const struct column group_columns[] = {
	{ "by", "by", false },
	{ "", "value", false },
	{ "runs", "runs", true },
};
static const struct column run_columns[] = {
	{ "line", "line", true },      { "model", "model", false },
	{ "part", "part", false },     { "weights", "precision", false },
	{ "tp", "tp", true },          { "at once", "concurrency", true },
	{ "in/out", "length", false }, { "TPOT, ms", "tpot_s", true },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void scored_columns(struct scored_report *r)
{
	memcpy(r->group_columns, group_columns, sizeof(group_columns));
	memcpy(r->run_columns, run_columns, sizeof(run_columns));
	for (size_t i = 0; i < r->figure_count; i++) {
		memcpy(r->group_columns + COUNT(group_columns) + 3 * i, of_groups[r->figures[i]],
		       sizeof(of_groups[0]));
		memcpy(r->run_columns + COUNT(run_columns) + 2 * i, of_runs[r->figures[i]],
		       sizeof(of_runs[0]));
	}
}

/* -- figures --------------------------------------------------------------------------------- */

/** A share with its sign. */
static struct number_text signed_percent(double share)
{
	struct number_text text = number_signed(share * 100, 1);
	size_t length = strlen(text.text);

	(void)snprintf(text.text + length, sizeof(text.text) - length, " %%");
	return text;
}

static void put_share(struct doc *doc, double share, bool has_sign)
{
	if (isnan(share))
		doc_figure(doc, MARK_NONE, "-", "");
	else
		doc_number(doc, MARK_NONE,
			   has_sign ? signed_percent(share).text : number_percent(share, 1).text,
			   share);
}

static void put_stat(struct doc *doc, const struct score_stat *stat)
{
	put_share(doc, stat->rows ? stat->median : NAN, false);
	put_share(doc, stat->rows ? stat->p90 : NAN, false);
	put_share(doc, stat->rows ? stat->bias : NAN, true);
}

static void put_ms(struct doc *doc, double seconds)
{
	if (!(seconds > 0))
		doc_figure(doc, MARK_NONE, "-", "");
	else
		doc_number(doc, MARK_NONE, number_time_in(seconds, NUMBER_MS, 2).text, seconds);
}

/* -- the whole ----------------------------------------------------------------------------------
 */

static void put_assumed(struct doc *doc, const struct scored_report *r)
{
	char **releases;
	size_t count, assumed = 0;
	struct xbuf text = { 0 };

	for (size_t i = 0; i < r->score->runs.count; i++)
		assumed += r->score->rows[i].is_release_assumed;
	if (!assumed)
		return;
	scored_releases(r->score, &releases, &count);
	for (size_t i = 0; i < count; i++) {
		size_t rows = scored_assumed(r->score, releases[i]);

		if (rows)
			xbuf_printf(&text, "%s%s (%zu)", text.len ? ", " : "", releases[i], rows);
	}
	doc_line(doc, MARK_ASSUMED, "%zu state no release, taken as vllm %s%s", assumed,
		 xbuf_text(&text),
		 r->score->request->adhoc.engine_version
			 ? ""
			 : ", the middle of those that runs like them state");
	names_free(releases, count);
	xbuf_release(&text);
}

void scored_summary(struct doc *doc, const struct scored_report *r)
{
	static const struct column columns[] = {
		{ "TPOT by", "figure", false }, { "runs", "runs", true },
		{ "median", "median", true },   { "p90", "p90", true },
		{ "bias", "bias", true },
	};
	const struct score *score = r->score;
	size_t refused = scored_refusals(score);

	doc_heading(doc, "Score");
	doc_line(doc, MARK_NONE, "%s: %zu runs, %zu priced, %zu not", score->file,
		 score->runs.count, score->runs.count - refused, refused);
	put_assumed(doc, r);
	doc_table(doc, columns, COUNT(columns), true);
	for (size_t i = 0; i < r->figure_count; i++) {
		struct score_stat stat;

		score_stat(&stat, score, r->figures[i], NULL, NULL);
		doc_cell(doc, i ? MARK_NONE : MARK_STRONG, figure_titles[r->figures[i]]);
		doc_count(doc, MARK_NONE, (long long)stat.rows);
		put_stat(doc, &stat);
	}
	doc_line(
		doc, MARK_DIM,
		"Error of the predicted time per output token against the measured one; median and "
		"p90 of its size, bias its mean");
}

void scored_groups(struct doc *doc, const struct scored_report *r)
{
	doc_heading(doc, "By what was served");
	doc_line(doc, MARK_NONE, "Under a figure's name is its median");
	doc_table(doc, r->group_columns, COUNT(group_columns) + 3 * r->figure_count, true);
	for (int g = 0; g < SCORE_GROUP_COUNT; g++) {
		const enum score_group group = (enum score_group)g;
		char **values;
		size_t count;

		score_group_values(r->score, group, &values, &count);
		for (size_t v = 0, shown = 0; v < count; v++) {
			struct score_stat stat;

			score_group_stat(&stat, r->score, r->figures[0], group, values[v]);
			if (!stat.rows)
				continue;
			doc_figure(doc, MARK_NONE, shown++ ? "" : score_group_name(group),
				   score_group_name(group));
			doc_figure(doc, MARK_NONE, *values[v] ? values[v] : "unstated", values[v]);
			doc_count(doc, MARK_NONE, (long long)stat.rows);
			for (size_t i = 0; i < r->figure_count; i++) {
				score_group_stat(&stat, r->score, r->figures[i], group, values[v]);
				put_stat(doc, &stat);
			}
		}
		names_free(values, count);
	}
}

/* -- runs ------------------------------------------------------------------------------------ */

static void put_run(struct doc *doc, const struct scored_report *r, const struct score_row *row,
		    size_t figures)
{
	char text[256];

	doc_count(doc, MARK_NONE, (long long)row->run->line);
	doc_cell(doc, MARK_NONE, row->run->model);
	doc_cell(doc, MARK_NONE, row->run->part);
	doc_cell(doc, MARK_NONE, row->run->precision);
	score_group_value(text, sizeof(text), row, SCORE_BY_TP);
	doc_cell(doc, MARK_NONE, text);
	doc_count(doc, MARK_NONE, (long long)row->run->concurrency);
	score_group_value(text, sizeof(text), row, SCORE_BY_LENGTH);
	doc_cell(doc, MARK_NONE, text);
	put_ms(doc, row->run->tpot_s);
	for (size_t i = 0; i < figures; i++) {
		put_ms(doc, row->tpot_s[r->figures[i]]);
		put_share(doc, score_error(row, r->figures[i]), true);
	}
}

void scored_worst(struct doc *doc, const struct scored_report *r)
{
	size_t count;
	const struct score_row **rows = scored_by_error(r, &count);

	doc_heading(doc, "Furthest off");
	doc_table(doc, r->run_columns, COUNT(run_columns) + 2, true);
	for (size_t i = 0; i < count && i < SCORED_WORST; i++)
		put_run(doc, r, rows[i], 1);
	free(rows);
}

void scored_runs(struct doc *doc, const struct scored_report *r)
{
	doc_heading(doc, "Runs");
	doc_table(doc, r->run_columns, COUNT(run_columns) + 2 * r->figure_count, true);
	for (size_t i = 0; i < r->score->runs.count; i++)
		if (!r->score->rows[i].refusal)
			put_run(doc, r, &r->score->rows[i], r->figure_count);
}

void scored_refused(struct doc *doc, const struct scored_report *r)
{
	static const struct column columns[] = {
		{ "line", "line", true },
		{ "model", "model", false },
		{ "part", "part", false },
		{ "why", "reason", false },
	};

	doc_heading(doc, "Not priced");
	doc_table(doc, columns, COUNT(columns), true);
	for (size_t i = 0; i < r->score->runs.count; i++) {
		const struct score_row *row = &r->score->rows[i];

		if (!row->refusal)
			continue;
		doc_count(doc, MARK_NONE, (long long)row->run->line);
		doc_cell(doc, MARK_NONE, row->run->model);
		doc_cell(doc, MARK_NONE, row->run->part);
		doc_cell(doc, MARK_REFUSED, row->refusal);
	}
}

/* -- a picture -------------------------------------------------------------------------------- */

enum { PLOT_ROWS = 16, PLOT_COLUMNS = 56 };

/** How many runs lie in a cell; where none do, the diagonal. */
static char dot(int runs, bool is_diagonal)
{
	if (!runs)
		return is_diagonal ? '/' : ' ';
	return runs > 9 ? '#' : runs > 3 ? 'o' : '.';
}

static void plot_range(const struct scored_report *r, double *low, double *high)
{
	*low = INFINITY;
	*high = 0;
	for (size_t i = 0; i < r->score->runs.count; i++) {
		const struct score_row *row = &r->score->rows[i];
		double predicted = row->tpot_s[r->figures[0]], measured = row->run->tpot_s;

		if (isnan(score_error(row, r->figures[0])))
			continue;
		*low = fmin(*low, fmin(predicted, measured));
		*high = fmax(*high, fmax(predicted, measured));
	}
}

static int place(double value, double low, double high, int cells)
{
	double share = high > low ? log(value / low) / log(high / low) : 0.5;
	int at = (int)(share * cells);

	return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

void scored_plot(struct doc *doc, const struct scored_report *r)
{
	static const struct column columns[] = { { "", "plot", false } };
	int runs[PLOT_ROWS][PLOT_COLUMNS] = { { 0 } };
	double low, high;

	plot_range(r, &low, &high);
	if (!(high > 0))
		return;
	for (size_t i = 0; i < r->score->runs.count; i++) {
		const struct score_row *row = &r->score->rows[i];

		if (!isnan(score_error(row, r->figures[0])))
			runs[place(row->tpot_s[r->figures[0]], low, high, PLOT_ROWS)]
			    [place(row->run->tpot_s, low, high, PLOT_COLUMNS)]++;
	}
	doc_heading(doc, "Predicted against measured");
	doc_line(doc, MARK_NONE,
		 "%s upwards, measured to the right, both from %s to %s in logarithms; on the "
		 "diagonal they agree",
		 figure_titles[r->figures[0]], number_time(low).text, number_time(high).text);
	doc_beside(doc, NULL);
	doc_table(doc, columns, COUNT(columns), false);
	for (int y = PLOT_ROWS; y-- > 0;) {
		char line[PLOT_COLUMNS + 2] = "|";

		for (int x = 0; x < PLOT_COLUMNS; x++)
			line[x + 1] = dot(runs[y][x], x * PLOT_ROWS / PLOT_COLUMNS == y);
		for (int x = PLOT_COLUMNS; line[x] == ' '; x--)
			line[x] = '\0';
		doc_cell(doc, MARK_NONE, line);
	}
}
