/* Tables of runs; what all of them share is said once above. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/scored.h"
#include "text/number.h"
#include "text/xbuf.h"

/* clang-format off */
/** What a view adds. */
static const struct column of_views[SCORE_VIEW_COUNT][2] = {
#define X(id, name, title, brief)                  \
	{                                          \
		{ title ", ms", name "_s", true }, \
		{ "error", name "_error", true },  \
	},
	SCORE_VIEWS(X)
#undef X
};

/** What tells runs apart. */
static const struct label {
	enum score_group group;
	struct column column;
} labels[SCORED_LABELS] = {
	{ SCORE_BY_MODEL,     { "model", "model", false } },
	{ SCORE_BY_PART,      { "part", "part", false } },
	{ SCORE_BY_PRECISION, { "weights", "precision", false } },
	{ SCORE_BY_TP,        { "tp", "tp", true } },
	{ SCORE_BY_LENGTH,    { "in/out", "length", false } },
	{ SCORE_BY_BATCH,     { "at once", "concurrency", true } },
};
/* clang-format on */

static const struct column line_column = { "line", "line", true };
static const struct column tpot_column = { "TPOT, ms", "tpot_s", true };
static const struct column ttft_column = { "TTFT, ms", "ttft_s", true };

enum { TEXT_SIZE = 256 };

static void put_ms(struct doc *doc, double seconds)
{
	if (!(seconds > 0))
		doc_figure(doc, MARK_NONE, "-", "");
	else
		doc_number(doc, MARK_NONE, number_time_in(seconds, NUMBER_MS, 2).text, seconds);
}

/** Rows to be shown, and what is shown of each. */
struct shown {
	const struct score_row **rows;
	size_t count, views;
	bool has_label[SCORED_LABELS];
};

static bool is_shared(const struct shown *shown, enum score_group group)
{
	char first[TEXT_SIZE], text[TEXT_SIZE];

	for (size_t i = 0; i < shown->count; i++) {
		score_group_value(i ? text : first, TEXT_SIZE, shown->rows[i], group);
		if (i && strcmp(text, first) != 0)
			return false;
	}
	return shown->count > 1;
}

/** Say what all of them share, and leave it out of the table. */
static void put_shared(struct doc *doc, struct shown *shown)
{
	struct xbuf text = { 0 };

	for (int l = 0; l < SCORED_LABELS; l++) {
		char value[TEXT_SIZE];

		if (!is_shared(shown, labels[l].group))
			continue;
		score_group_value(value, sizeof(value), shown->rows[0], labels[l].group);
		shown->has_label[l] = false;
		if (*value)
			xbuf_printf(&text, "%s%s %s", text.len ? ", " : "", labels[l].column.title,
				    value);
	}
	if (text.len)
		doc_line(doc, MARK_NONE, "All: %s", xbuf_text(&text));
	xbuf_release(&text);
}

static void add_column(struct scored_table *table, struct column column)
{
	table->columns[table->count++] = column;
}

static void make_columns(struct scored_table *table, const struct scored_report *r,
			 const struct shown *shown)
{
	table->count = 0;
	add_column(table, line_column);
	for (int l = 0; l < SCORED_LABELS; l++)
		if (shown->has_label[l])
			add_column(table, labels[l].column);
	add_column(table, tpot_column);
	for (size_t i = 0; i < shown->views; i++) {
		/* what was measured stands before what is held against it */
		if (r->views[i] == SCORE_SERVE_TTFT)
			add_column(table, ttft_column);
		add_column(table, of_views[r->views[i]][0]);
		add_column(table, of_views[r->views[i]][1]);
	}
}

static void put_run(struct doc *doc, const struct scored_report *r, const struct shown *shown,
		    const struct score_row *row)
{
	char text[TEXT_SIZE];

	doc_count(doc, MARK_NONE, (long long)row->run->line);
	for (int l = 0; l < SCORED_LABELS; l++) {
		if (!shown->has_label[l])
			continue;
		score_group_value(text, sizeof(text), row, labels[l].group);
		doc_cell(doc, MARK_NONE, text);
	}
	put_ms(doc, row->run->tpot_s);
	for (size_t i = 0; i < shown->views; i++) {
		if (r->views[i] == SCORE_SERVE_TTFT)
			put_ms(doc, row->run->ttft_s);
		put_ms(doc, row->seconds[r->views[i]]);
		scored_put_share(doc, score_error(row, r->views[i]), true);
	}
}

static void put_runs(struct doc *doc, struct scored_table *table, const struct scored_report *r,
		     struct shown *shown)
{
	for (int l = 0; l < SCORED_LABELS; l++)
		shown->has_label[l] = true;
	if (!r->is_whole)
		put_shared(doc, shown);
	make_columns(table, r, shown);
	doc_table(doc, table->columns, table->count, true);
	for (size_t i = 0; i < shown->count; i++)
		put_run(doc, r, shown, shown->rows[i]);
}

void scored_worst(struct doc *doc, struct scored_report *r)
{
	struct shown shown = { .views = 1 };

	shown.rows = scored_by_error(r, &shown.count);
	if (shown.count > SCORED_WORST)
		shown.count = SCORED_WORST;
	doc_heading(doc, "Furthest off");
	put_runs(doc, &r->worst, r, &shown);
	free(shown.rows);
}

void scored_runs(struct doc *doc, struct scored_report *r)
{
	struct shown shown = { .views = r->view_count };

	shown.rows = xcalloc(r->score->runs.count, sizeof(*shown.rows));
	for (size_t i = 0; i < r->score->runs.count; i++)
		if (!r->score->rows[i].refusal)
			shown.rows[shown.count++] = &r->score->rows[i];
	doc_heading(doc, "Runs");
	put_runs(doc, &r->runs, r, &shown);
	free(shown.rows);
}
