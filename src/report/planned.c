#include "report/planned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"

void planned_release(struct planned *p)
{
	for (size_t i = 0; i < p->count; i++) {
		names_free(p->rows[i].values, p->axis_count);
		free(p->rows[i].command);
	}
	names_free(p->axes, p->axis_count);
	free(p->rows);
	free(p->columns);
	free(p->data);
	*p = (struct planned){ 0 };
}

int64_t planned_gpus(const struct planned_row *row)
{
	return row->gpus * row->replicas[SS_SERVE_FIGURE];
}

/** Of as dear ones the one that leaves more requests well served, then the one tried first. */
static int by_cost(const void *left, const void *right)
{
	const struct planned_row *a = left, *b = right;
	double costs[2] = { a->cost, b->cost };

	if (a->is_met != b->is_met)
		return a->is_met ? -1 : 1;
	if (isnan(costs[0]) || isnan(costs[1])) {
		costs[0] = (double)planned_gpus(a);
		costs[1] = (double)planned_gpus(b);
	}
	if (a->is_met && (costs[0] < costs[1] || costs[0] > costs[1]))
		return costs[0] < costs[1] ? -1 : 1;
	if (a->goodput.share < b->goodput.share || a->goodput.share > b->goodput.share)
		return a->goodput.share > b->goodput.share ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/** Fewest and most replicas over the band; the figure's own where an end finds none. */
static void band_of(const struct planned_row *row, int64_t out[2])
{
	out[0] = out[1] = row->replicas[SS_SERVE_FIGURE];
	for (int i = 0; i < CAPACITY_SIDES; i++) {
		if (row->replicas[i] && row->replicas[i] < out[0])
			out[0] = row->replicas[i];
		if (row->replicas[i] > out[1])
			out[1] = row->replicas[i];
	}
}

static double rate_each(const struct planned *p, const struct planned_row *row)
{
	return p->rate / (double)row->replicas[SS_SERVE_FIGURE];
}

/** Is a dear end of the band beyond what any number of replicas meets? */
static bool is_unsure(const struct planned_row *row)
{
	return !row->replicas[SS_SERVE_SLOW];
}

/* -- for a person ------------------------------------------------------------------------ */

/** Room for columns beside those of axes and of the service level. */
enum { FIXED_COLUMNS = 20 };

static void name_terms(struct planned *p)
{
	for (size_t i = 0; i < p->slo.term_count; i++) {
		const char *name = ss_latency_name(p->slo.terms[i].latency);
		struct number_text percent = number_plain(p->slo.terms[i].percentile * 100);

		(void)snprintf(p->titles[i][0], sizeof(p->titles[i][0]), "%s p%.8s", name,
			       percent.text);
		(void)snprintf(p->titles[i][1], sizeof(p->titles[i][1]), "%s_p%.8s_s", name,
			       percent.text);
	}
}

/** What both tables begin with: the deployment. */
static struct column *begin_columns(const struct planned *p, size_t *count)
{
	struct column *columns =
		xcalloc(p->axis_count + p->slo.term_count + FIXED_COLUMNS, sizeof(*columns));

	columns[0] = (struct column){ "part", "part", false };
	for (size_t i = 0; i < p->axis_count; i++)
		columns[1 + i] = (struct column){ p->axes[i], p->axes[i], true };
	*count = 1 + p->axis_count;
	return columns;
}

static void add_terms(const struct planned *p, struct column *columns, size_t *count)
{
	for (size_t i = 0; i < p->slo.term_count; i++)
		columns[(*count)++] = (struct column){ p->titles[i][0], p->titles[i][1], true };
}

static void make_columns(struct planned *p)
{
	struct column *columns = begin_columns(p, &p->column_count);
	size_t n = p->column_count;

	columns[n++] = (struct column){ "GPUs", "gpus", true };
	columns[n++] = (struct column){ "replicas", "replicas", true };
	if (p->has_cost)
		columns[n++] = (struct column){ "cost/h", "cost_per_hour", true };
	columns[n++] = (struct column){ "each, req/s", "rate_per_replica", true };
	add_terms(p, columns, &n);
	columns[n++] = (struct column){ "tok/s/GPU", "output_tokens_per_s_per_gpu", true };
	p->columns = columns;
	p->column_count = n;
}

static void make_data(struct planned *p)
{
	static const char *const before[] = { "meets",           "gpus",          "replicas",
					      "replicas_low",    "replicas_high", "cost_per_hour",
					      "rate_per_replica" };
	static const char *const after[] = { "output_tokens_per_s",
					     "output_tokens_per_s_per_gpu",
					     "measured",
					     "assumed",
					     "leading",
					     "reason",
					     "command" };
	struct column *columns = begin_columns(p, &p->data_count);
	size_t n = p->data_count;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		columns[n++] = (struct column){ before[i], before[i], true };
	add_terms(p, columns, &n);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		columns[n++] = (struct column){ after[i], after[i], true };
	p->data = columns;
	p->data_count = n;
}

void planned_finish(struct planned *p)
{
	if (p->count)
		qsort(p->rows, p->count, sizeof(*p->rows), by_cost);
	name_terms(p);
	make_columns(p);
	make_data(p);
}

static void put_replicas(struct doc *doc, const struct planned_row *row)
{
	struct number_text low, high;
	char text[120], exact[32];
	int64_t band[2];

	band_of(row, band);
	(void)snprintf(exact, sizeof(exact), "%lld", (long long)row->replicas[SS_SERVE_FIGURE]);
	low = number_count((double)band[0]);
	high = number_count((double)band[1]);
	if (is_unsure(row))
		(void)snprintf(text, sizeof(text), "%s (%s..?)", exact, low.text);
	else if (band[0] == band[1])
		(void)snprintf(text, sizeof(text), "%s", exact);
	else
		(void)snprintf(text, sizeof(text), "%s (%s..%s)", exact, low.text, high.text);
	doc_figure(doc, is_unsure(row) ? MARK_ASSUMED : MARK_NONE, text, exact);
}

static void put_row(struct doc *doc, const struct planned *p, const struct planned_row *row)
{
	double gpus = (double)planned_gpus(row);

	doc_cell(doc, MARK_NONE, row->part);
	for (size_t i = 0; i < p->axis_count; i++)
		doc_cell(doc, MARK_NONE, row->values[i]);
	doc_count(doc, MARK_STRONG, planned_gpus(row));
	put_replicas(doc, row);
	if (p->has_cost && isnan(row->cost))
		doc_figure(doc, MARK_DIM, "-", "");
	else if (p->has_cost)
		doc_number(doc, MARK_NONE, number_fixed(row->cost, 2).text, row->cost);
	doc_number(doc, MARK_NONE, number_fixed(rate_each(p, row), 2).text, rate_each(p, row));
	for (size_t i = 0; i < p->slo.term_count; i++)
		doc_number(doc, MARK_NONE, number_time(row->goodput.seconds[i]).text,
			   row->goodput.seconds[i]);
	doc_number(doc, MARK_NONE, number_count(row->output_tokens_per_s / gpus).text,
		   row->output_tokens_per_s / gpus);
}

/* -- CSV: every row, met or not --------------------------------------------------------------- */

static void put_exact(struct doc *doc, double number, bool is_known)
{
	if (is_known && isfinite(number))
		doc_number(doc, MARK_NONE, number_plain(number).text, number);
	else
		doc_cell(doc, MARK_NONE, "");
}

/** Each command on one line: the continued ones joined. */
static void join_command(struct xbuf *out, const char *command)
{
	const char *next;

	out->len = 0;
	for (; (next = strstr(command, " \\\n")); command = next + 3 + strspn(next + 3, " "))
		xbuf_printf(out, "%.*s ", (int)(next - command), command);
	xbuf_puts(out, command);
	while (out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
}

static void put_command(struct doc *doc, const struct planned_row *row)
{
	struct xbuf line = { 0 };

	join_command(&line, row->command ? row->command : "");
	doc_cell(doc, MARK_NONE, xbuf_text(&line));
	xbuf_release(&line);
}

static void put_data_row(struct doc *doc, const struct planned *p, const struct planned_row *row)
{
	double gpus = (double)planned_gpus(row);
	int64_t band[2];

	band_of(row, band);
	doc_cell(doc, MARK_NONE, row->part);
	for (size_t i = 0; i < p->axis_count; i++)
		doc_cell(doc, MARK_NONE, row->values[i]);
	doc_cell(doc, MARK_NONE, row->is_met ? "yes" : "no");
	put_exact(doc, gpus, row->is_met);
	put_exact(doc, (double)row->replicas[SS_SERVE_FIGURE], row->is_met);
	put_exact(doc, (double)band[0], row->is_met);
	put_exact(doc, (double)band[1], row->is_met && !is_unsure(row));
	put_exact(doc, row->cost, row->is_met);
	put_exact(doc, rate_each(p, row), row->is_met);
	for (size_t i = 0; i < p->slo.term_count; i++)
		put_exact(doc, row->goodput.seconds[i], row->is_met);
	put_exact(doc, row->output_tokens_per_s, row->is_met);
	put_exact(doc, row->output_tokens_per_s / gpus, row->is_met);
	put_exact(doc, row->by_method[SS_METHOD_MEASURED], row->is_met);
	put_exact(doc, row->by_method[SS_METHOD_ASSUMED], row->is_met);
	doc_cell(doc, MARK_NONE, row->leading);
	doc_cell(doc, MARK_NONE, row->reason);
	put_command(doc, row);
}

/* -- for a person: lines ---------------------------------------------------------------------- */

/** `h200 tp 8`. */
static void name_row(struct xbuf *out, const struct planned *p, const struct planned_row *row)
{
	out->len = 0;
	xbuf_puts(out, row->part);
	for (size_t i = 0; i < p->axis_count; i++)
		xbuf_printf(out, " %s %s", p->axes[i], *row->values[i] ? row->values[i] : "-");
}

static size_t count_met(const struct planned *p)
{
	size_t met = 0;

	for (size_t i = 0; i < p->count; i++)
		met += p->rows[i].is_met;
	return met;
}

static void put_head(struct doc *doc, const struct planned *p)
{
	char slo[200];

	(void)ss_slo_format(&p->slo, slo, sizeof(slo));
	doc_heading(doc, "Plan");
	doc_line(doc, MARK_STRONG, "%s requests/s of %s under %s", number_plain(p->rate).text,
		 p->model, slo);
	doc_line(doc, MARK_NONE, "load: %s", p->load);
	if (p->count < p->tried)
		doc_line(doc, MARK_DIVERGES, "stopped: %zu of %zu deployments were tried", p->count,
			 p->tried);
}

/** What the first row rests on, and what the columns mean. */
static void put_footing(struct doc *doc, const struct planned *p)
{
	const struct planned_row *row = &p->rows[0];
	double assumed = row->by_method[SS_METHOD_ASSUMED] * 100;
	double measured = row->by_method[SS_METHOD_MEASURED] * 100;

	doc_line(doc, MARK_NONE,
		 "%s first. Replicas (and over the band) share the requests, each to the least "
		 "loaded%s.",
		 p->has_cost ? "Cheapest" : "Fewest GPUs",
		 row->replicas[SS_SERVE_FIGURE] > CAPACITY_PLAYED
			 ? "; of many, eight are played at their share"
			 : "");
	for (size_t i = 0; i < p->count; i++)
		if (p->rows[i].is_met && is_unsure(&p->rows[i])) {
			doc_line(doc, MARK_ASSUMED,
				 "..? at the slow end of the band no number of them meets it");
			break;
		}
	doc_line(doc, MARK_ASSUMED,
		 "of the first one's time %s %% rests on measurement, %s %% on assumptions%s%s",
		 number_fixed(measured, 0).text, number_fixed(assumed, 0).text,
		 *row->leading ? ", led by " : "", row->leading);
}

static void put_failures(struct doc *doc, const struct planned *p)
{
	static const struct column columns[] = { { "", "deployment", false },
						 { "", "reason", false } };
	struct xbuf name = { 0 };

	doc_heading(doc, "Do not carry it");
	doc_beside(doc, NULL);
	doc_table(doc, columns, 2, false);
	for (size_t i = 0; i < p->count; i++) {
		if (p->rows[i].is_met)
			continue;
		name_row(&name, p, &p->rows[i]);
		doc_cell(doc, MARK_NONE, xbuf_text(&name));
		doc_cell(doc, MARK_DIM, p->rows[i].reason);
	}
	xbuf_release(&name);
}

void planned_plan(struct doc *doc, const struct planned *p)
{
	size_t met = count_met(p);

	put_head(doc, p);
	if (met) {
		doc_beside(doc, NULL);
		doc_table(doc, p->columns, p->column_count, true);
		for (size_t i = 0; i < met; i++)
			put_row(doc, p, &p->rows[i]);
		put_footing(doc, p);
	} else {
		doc_line(doc, MARK_REFUSED, "none of them carries it");
	}
	if (met < p->count)
		put_failures(doc, p);
	doc_data(doc, p->data, p->data_count);
	for (size_t i = 0; i < p->count; i++)
		put_data_row(doc, p, &p->rows[i]);
}

/** The lines of a text, one by one. */
static void put_lines(struct doc *doc, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		doc_line(doc, MARK_NONE, "%.*s", (int)n, text);
		text += n + (text[n] != '\0');
	}
}

void planned_commands(struct doc *doc, const struct planned *p)
{
	size_t met = count_met(p);
	struct xbuf name = { 0 };

	if (met)
		doc_heading(doc, "Commands");
	for (size_t i = 0; i < met; i++) {
		const struct planned_row *row = &p->rows[i];

		name_row(&name, p, row);
		doc_line(doc, MARK_STRONG, "# %s: %s of these, on %s GPUs each", xbuf_text(&name),
			 number_count((double)row->replicas[SS_SERVE_FIGURE]).text,
			 number_count((double)row->gpus).text);
		put_lines(doc, row->command);
	}
	xbuf_release(&name);
}

/* -- JSON ---------------------------------------------------------------------------------------
 */

static cJSON *range_json(double low, double high)
{
	cJSON *list = json_array();

	json_put_number(list, NULL, low);
	json_put_number(list, NULL, high);
	return list;
}

static cJSON *row_json(const struct planned *p, const struct planned_row *row)
{
	cJSON *o = json_object(), *settings = json_object(), *found = json_object();
	double gpus = (double)planned_gpus(row);
	struct xbuf line = { 0 };
	int64_t band[2];

	band_of(row, band);
	json_put_text(o, "part", row->part);
	for (size_t i = 0; i < p->axis_count; i++)
		json_put_text(settings, p->axes[i], row->values[i]);
	json_put(o, "settings", settings);
	json_put_bool(o, "meets", row->is_met);
	json_put_text_or_null(o, "reason", row->reason);
	json_put_number(o, "gpus", row->is_met ? gpus : NAN);
	json_put_number(o, "replicas", row->is_met ? (double)row->replicas[SS_SERVE_FIGURE] : NAN);
	json_put(o, "replicas_band",
		 range_json(row->is_met ? (double)band[0] : NAN,
			    row->is_met && !is_unsure(row) ? (double)band[1] : NAN));
	json_put_number(o, "gpus_each", row->gpus ? (double)row->gpus : NAN);
	json_put_number(o, "cost_per_hour", row->is_met ? row->cost : NAN);
	json_put_number(o, "rate_per_replica", row->is_met ? rate_each(p, row) : NAN);
	for (size_t i = 0; i < p->slo.term_count; i++)
		json_put_number(found, p->titles[i][1],
				row->is_met ? row->goodput.seconds[i] : NAN);
	json_put(o, "found", found);
	json_put_number(o, "output_tokens_per_s", row->is_met ? row->output_tokens_per_s : NAN);
	json_put_number(o, "output_tokens_per_s_per_gpu",
			row->is_met ? row->output_tokens_per_s / gpus : NAN);
	if (row->is_met) {
		cJSON *share = json_object();

		for (int m = 0; m < SS_METHOD_COUNT; m++)
			json_put_number(share, ss_method_name((enum ss_method)m),
					row->by_method[m]);
		json_put(o, "share", share);
	} else {
		json_put_null(o, "share");
	}
	json_put_text_or_null(o, "leading", row->leading);
	join_command(&line, row->command ? row->command : "");
	json_put_text_or_null(o, "command", xbuf_text(&line));
	xbuf_release(&line);
	return o;
}

cJSON *json_planned_plan(const struct planned *p)
{
	cJSON *o = json_object(), *rows = json_array();
	char slo[200];

	(void)ss_slo_format(&p->slo, slo, sizeof(slo));
	json_put_text(o, "model", p->model);
	json_put_number(o, "rate", p->rate);
	json_put_text(o, "slo", slo);
	json_put_text(o, "load", p->load);
	json_put_count(o, "tried", (int64_t)p->count);
	json_put_count(o, "asked", (int64_t)p->tried);
	for (size_t i = 0; i < p->count; i++)
		json_put(rows, NULL, row_json(p, &p->rows[i]));
	json_put(o, "rows", rows);
	return o;
}

cJSON *json_planned_commands(const struct planned *p)
{
	size_t met = count_met(p);
	cJSON *list = json_array();

	struct xbuf line = { 0 };

	for (size_t i = 0; i < met; i++) {
		join_command(&line, p->rows[i].command);
		json_put_text(list, NULL, xbuf_text(&line));
	}
	xbuf_release(&line);
	return list;
}
