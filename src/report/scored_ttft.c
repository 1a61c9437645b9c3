/* The time to the first token: what of it playing the load does not explain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/scored.h"
#include "text/number.h"

/** Means over the runs of one concurrency and length; they add up. */
struct cell {
	char concurrency[24], length[128];
	size_t runs;
	double measured_s, played_s, admission_s;
};

/** Makes one of every cell that has runs, in order, for the caller to free. */
static struct cell *make_cells(const struct score *score, size_t *count)
{
	struct cell *cells = xcalloc(score->runs.count, sizeof(*cells));

	*count = 0;
	for (size_t i = 0; i < score->runs.count; i++) {
		const struct score_row *row = &score->rows[i];
		struct cell new = { .runs = 0 };
		size_t k = 0;

		if (isnan(score_error(row, SCORE_SERVE_TTFT)))
			continue;
		score_group_value(new.concurrency, sizeof(new.concurrency), row, SCORE_BY_BATCH);
		score_group_value(new.length, sizeof(new.length), row, SCORE_BY_LENGTH);
		while (k < *count && (strcmp(cells[k].concurrency, new.concurrency) != 0 ||
				      strcmp(cells[k].length, new.length) != 0))
			k++;
		if (k == *count)
			cells[(*count)++] = new;
		cells[k].runs++;
		cells[k].measured_s += row->run->ttft_s;
		cells[k].played_s += row->seconds[SCORE_SERVE_TTFT];
		cells[k].admission_s += row->admission_s;
	}
	for (size_t k = 0; k < *count; k++) {
		cells[k].measured_s /= (double)cells[k].runs;
		cells[k].played_s /= (double)cells[k].runs;
		cells[k].admission_s /= (double)cells[k].runs;
	}
	return cells;
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	long m = strtol(x->concurrency, NULL, 10), n = strtol(y->concurrency, NULL, 10);

	if (m != n)
		return m < n ? -1 : 1;
	return strcmp(x->length, y->length);
}

static struct cell *cells_of(const struct score *score, size_t *count)
{
	struct cell *cells = make_cells(score, count);

	qsort(cells, *count, sizeof(*cells), compare_cells);
	return cells;
}

static void put_ms(struct doc *doc, double seconds, bool has_sign)
{
	doc_number(doc, MARK_NONE,
		   has_sign ? number_signed(seconds * 1e3, 1).text
			    : number_time_in(seconds, NUMBER_MS, 1).text,
		   seconds);
}

void scored_ttft(struct doc *doc, const struct scored_report *r)
{
	static const struct column columns[] = {
		{ "at once", "concurrency", true },
		{ "in/out", "length", false },
		{ "runs", "runs", true },
		{ "measured, ms", "measured_s", true },
		{ "played", "played_s", true },
		{ "of it admission", "admission_s", true },
		{ "left over", "left_over_s", true },
	};
	size_t count;
	struct cell *cells;

	if (!score_has(r->score, SCORE_SERVE_TTFT))
		return;
	cells = cells_of(r->score, &count);
	doc_heading(doc, "Time to the first token, by concurrency and length");
	doc_line(doc, MARK_ASSUMED,
		 "Means. Admission is host_admission_per_request and host_admission_per_token, "
		 "assumed and fitted to none of these; left over is measured less played");
	doc_table(doc, columns, sizeof(columns) / sizeof(columns[0]), true);
	for (size_t i = 0; i < count; i++) {
		doc_cell(doc, MARK_NONE, cells[i].concurrency);
		doc_cell(doc, MARK_NONE, cells[i].length);
		doc_count(doc, MARK_NONE, (long long)cells[i].runs);
		put_ms(doc, cells[i].measured_s, false);
		put_ms(doc, cells[i].played_s, false);
		put_ms(doc, cells[i].admission_s, false);
		put_ms(doc, cells[i].measured_s - cells[i].played_s, true);
	}
	free(cells);
}

cJSON *json_scored_ttft(const struct scored_report *r)
{
	cJSON *list = json_array();
	size_t count;
	struct cell *cells = cells_of(r->score, &count);

	for (size_t i = 0; i < count; i++) {
		cJSON *o = json_object();

		json_put_text(o, "concurrency", cells[i].concurrency);
		json_put_text(o, "length", cells[i].length);
		json_put_count(o, "runs", (int64_t)cells[i].runs);
		json_put_number(o, "measured_s", cells[i].measured_s);
		json_put_number(o, "played_s", cells[i].played_s);
		json_put_number(o, "admission_s", cells[i].admission_s);
		json_put_number(o, "left_over_s", cells[i].measured_s - cells[i].played_s);
		json_put(list, NULL, o);
	}
	free(cells);
	return list;
}
