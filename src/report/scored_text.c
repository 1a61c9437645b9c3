#include "report/scored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/xbuf.h"

/* -- columns ------------------------------------------------------------------------------- */

/* clang-format off */
/** What a view adds to the table of groups, and to that of runs. */
static const struct column of_groups[SCORE_VIEW_COUNT][3] = {
#define X(id, name, title, brief)                    \
	{                                     \
		{ brief, name "_median", true }, \
		{ "p90", name "_p90", true },    \
		{ "bias", name "_bias", true },  \
	},
	SCORE_VIEWS(X)
#undef X
};
/* clang-format on */

static const struct column group_columns[] = {
	{ "by", "by", false },
	{ "", "value", false },
	{ "runs", "runs", true },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void scored_columns(struct scored_report *r)
{
	memcpy(r->group_columns, group_columns, sizeof(group_columns));
	for (size_t i = 0; i < r->view_count; i++)
		memcpy(r->group_columns + COUNT(group_columns) + 3 * i, of_groups[r->views[i]],
		       sizeof(of_groups[0]));
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

void scored_put_share(struct doc *doc, double share, bool has_sign)
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
	scored_put_share(doc, stat->rows ? stat->median : NAN, false);
	scored_put_share(doc, stat->rows ? stat->p90 : NAN, false);
	scored_put_share(doc, stat->rows ? stat->bias : NAN, true);
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
		{ "by", "figure", false }, { "runs", "runs", true }, { "median", "median", true },
		{ "p90", "p90", true },    { "bias", "bias", true },
	};
	const struct score *score = r->score;
	size_t refused = scored_refusals(score);

	doc_heading(doc, "Score");
	doc_line(doc, MARK_NONE, "%s: %zu runs, %zu priced, %zu not", score->file,
		 score->runs.count, score->runs.count - refused, refused);
	put_assumed(doc, r);
	doc_table(doc, columns, COUNT(columns), true);
	for (size_t i = 0; i < r->view_count; i++) {
		struct score_stat stat;

		score_stat(&stat, score, r->views[i], NULL, NULL);
		doc_cell(doc, i ? MARK_NONE : MARK_STRONG, score_view_title(r->views[i]));
		doc_count(doc, MARK_NONE, (long long)stat.rows);
		put_stat(doc, &stat);
	}
	doc_line(doc, MARK_DIM,
		 "Errors are predicted over measured, less 1: median and p90 of their size, bias "
		 "their mean");
}

void scored_groups(struct doc *doc, const struct scored_report *r)
{
	doc_heading(doc, "By what was served");
	doc_line(doc, MARK_NONE, "Under a name is the median");
	doc_table(doc, r->group_columns, COUNT(group_columns) + 3 * r->view_count, true);
	for (int g = 0; g < SCORE_GROUP_COUNT; g++) {
		const enum score_group group = (enum score_group)g;
		char **values;
		size_t count;

		score_group_values(r->score, group, &values, &count);
		/* what all runs share tells none apart */
		for (size_t v = 0, shown = 0; v < count && (count > 1 || r->is_whole); v++) {
			struct score_stat stat;

			score_group_stat(&stat, r->score, r->views[0], group, values[v]);
			if (!stat.rows)
				continue;
			doc_figure(doc, MARK_NONE, shown++ ? "" : score_group_name(group),
				   score_group_name(group));
			doc_figure(doc, MARK_NONE, *values[v] ? values[v] : "unstated", values[v]);
			doc_count(doc, MARK_NONE, (long long)stat.rows);
			for (size_t i = 0; i < r->view_count; i++) {
				score_group_stat(&stat, r->score, r->views[i], group, values[v]);
				put_stat(doc, &stat);
			}
		}
		names_free(values, count);
	}
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
		double predicted = row->seconds[r->views[0]];
		double measured = score_measured(row, r->views[0]);

		if (isnan(score_error(row, r->views[0])))
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

		if (!isnan(score_error(row, r->views[0])))
			runs[place(row->seconds[r->views[0]], low, high, PLOT_ROWS)]
			    [place(score_measured(row, r->views[0]), low, high, PLOT_COLUMNS)]++;
	}
	doc_heading(doc, "Predicted against measured");
	doc_line(doc, MARK_NONE,
		 "%s upwards, measured to the right, both from %s to %s in logarithms; on the "
		 "diagonal they agree",
		 score_view_title(r->views[0]), number_time(low).text, number_time(high).text);
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
