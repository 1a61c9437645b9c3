/* A served load for a person. */
#include "report/served.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"

/* -- where the time went ------------------------------------------------------------------ */

double served_seconds(const struct served *served)
{
	double seconds = 0;

	for (int i = 0; i < served->serving->pool_count; i++)
		seconds += ss_step_figure(&serving_total(served->run, i)->step,
					  served->serving->request.pricing.figure);
	return seconds;
}

static int by_seconds(const void *left, const void *right)
{
	const struct served_term *a = left, *b = right;

	if (a->seconds > b->seconds || a->seconds < b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return a->term->term - b->term->term;
}

/** A term may rest on other values in other steps: a graph replayed, or launched apart. */
static struct served_term *find_term(struct served_term *rows, size_t count,
				     const struct served_term *row)
{
	const struct ss_term *t = row->term;

	for (size_t i = 0; i < count; i++) {
		const struct ss_term *u = rows[i].term;

		if (rows[i].pool == row->pool && u->term == t->term && u->kind == t->kind &&
		    u->resource == t->resource && u->is_draft == t->is_draft &&
		    !strcmp(u->detail, t->detail))
			return &rows[i];
	}
	return NULL;
}

struct served_term *served_terms(const struct served *served, size_t *count)
{
	const enum ss_figure figure = served->serving->request.pricing.figure;
	struct served_term *out = NULL;
	size_t n = 0;

	for (int i = 0; i < served->serving->pool_count; i++) {
		const struct ss_breakdown *total = serving_total(served->run, i);

		out = xrealloc(out, n + total->term_count + 1, sizeof(*out));
		for (size_t t = 0; t < total->term_count; t++) {
			struct served_term row = { served->serving->kernels[i], &total->terms[t], i,
						   ss_term_figure(&total->terms[t], figure) };
			struct served_term *same = find_term(out, n, &row);

			if (same)
				same->seconds += row.seconds;
			else
				out[n++] = row;
		}
	}
	if (n)
		qsort(out, n, sizeof(*out), by_seconds);
	*count = n;
	return out;
}

const char *served_layer(const struct served_term *t)
{
	const struct ss_model *model = ss_basis_inputs(ss_kernel_basis(t->kernel))->model;

	if (t->term->kind < 0)
		return t->term->kind == -1 ? "head" : "host";
	return model->kinds[t->term->kind].id;
}

/* -- the load -----------------------------------------------------------------------------------
 */

void served_load(struct doc *doc, const struct served_report *r)
{
	const struct served *s = r->served;
	char text[200], slo[200] = "";

	(void)ss_load_describe(s->load, text, sizeof(text));
	if (s->serving->has_slo)
		(void)ss_slo_format(&s->serving->slo, slo, sizeof(slo));
	doc_heading(doc, "Load");
	doc_line(doc, MARK_NONE, "%s%s%s", text, *slo ? "; promised: " : "", slo);
	if (s->serving->pool_count > 1)
		doc_line(doc, MARK_NONE, "prefilled in pool %zu, decoded in pool %zu",
			 s->serving->pools[0], s->serving->pools[1]);
}

/* -- figures ------------------------------------------------------------------------------------
 */

static const char *range_text(const struct served *s, enum ss_latency_id id, char *out, size_t size)
{
	double low = s->fast.latency[id].p50, high = s->slow.latency[id].p50;

	if (!s->has_band || !s->result.latency[id].count)
		return "";
	(void)snprintf(out, size, "%s .. %s", number_time(fmin(low, high)).text,
		       number_time(fmax(low, high)).text);
	return out;
}

static void put_latencies(struct doc *doc, const struct served *s)
{
	static const struct column columns[] = {
		{ "", "latency", false }, { "mean", "mean_s", true },
		{ "p50", "p50_s", true }, { "p90", "p90_s", true },
		{ "p99", "p99_s", true }, { "band of p50", "band", true },
	};

	doc_table(doc, columns, 6, true);
	for (int i = 0; i < SS_LATENCY_COUNT; i++) {
		const struct ss_latency *l = &s->result.latency[i];
		const double figures[] = { l->mean, l->p50, l->p90, l->p99 };
		char band[96];

		doc_figure(doc, MARK_NONE, ss_latency_label((enum ss_latency_id)i),
			   ss_latency_name((enum ss_latency_id)i));
		for (size_t k = 0; k < 4; k++)
			if (l->count)
				doc_number(doc, MARK_NONE, number_time(figures[k]).text,
					   figures[k]);
			else
				doc_figure(doc, MARK_DIM, "-", "");
		doc_cell(doc, MARK_DIM, range_text(s, (enum ss_latency_id)i, band, sizeof(band)));
	}
}

static void put_row(struct doc *doc, const char *label, const char *key, const char *text,
		    double exact, const char *note)
{
	doc_figure(doc, MARK_NONE, label, key);
	doc_number(doc, MARK_NONE, text, exact);
	doc_cell(doc, MARK_DIM, note);
}

static void put_counts(struct doc *doc, const struct served *s)
{
	static const struct column columns[] = { { "", "figure", false },
						 { "", "value", true },
						 { "", "note", false } };
	const struct ss_serve_result *r = &s->result;
	double gpus = (double)s->serving->gpus;
	char note[240];

	doc_table(doc, columns, 3, false);
	(void)snprintf(note, sizeof(note), "of %s; %s refused, %s preempted, %s prefix hits",
		       number_count((double)r->requests).text,
		       number_count((double)r->refused).text,
		       number_count((double)r->preemptions).text,
		       number_count((double)r->prefix_hits).text);
	put_row(doc, "requests done", "completed", number_count((double)r->completed).text,
		(double)r->completed, note);
	(void)snprintf(note, sizeof(note), "%s steps, busy %s", number_count((double)r->steps).text,
		       number_percent(r->busy_share, 1).text);
	put_row(doc, "duration", "duration_s", number_time(r->duration_s).text, r->duration_s,
		note);
	put_row(doc, "requests/s", "requests_per_s", number_fixed(r->requests_per_s, 2).text,
		r->requests_per_s, "");
	(void)snprintf(note, sizeof(note), "%s on each of %s GPUs",
		       number_count(r->output_tokens_per_s / gpus).text, number_count(gpus).text);
	put_row(doc, "output tokens/s", "output_tokens_per_s",
		number_count(r->output_tokens_per_s).text, r->output_tokens_per_s, note);
	(void)snprintf(note, sizeof(note), "%s on each",
		       number_count(r->total_tokens_per_s / gpus).text);
	put_row(doc, "all tokens/s", "total_tokens_per_s", number_count(r->total_tokens_per_s).text,
		r->total_tokens_per_s, note);
	(void)snprintf(note, sizeof(note), "at most %s at once; waiting %s, at most %s",
		       number_count(r->running.peak).text, number_fixed(r->waiting.mean, 1).text,
		       number_count(r->waiting.peak).text);
	put_row(doc, "running, mean", "running_mean", number_fixed(r->running.mean, 1).text,
		r->running.mean, note);
	(void)snprintf(note, sizeof(note), "at most %s", number_percent(r->kv.peak, 1).text);
	put_row(doc, "KV in use, mean", "kv_mean", number_percent(r->kv.mean, 1).text, r->kv.mean,
		note);
}

void served_serve(struct doc *doc, const struct served_report *report)
{
	const struct served *s = report->served;

	doc_heading(doc, "Serve");
	if (s->is_partial)
		doc_line(doc, MARK_DIVERGES,
			 "stopped on the way: the figures are those until then");
	if (s->result.is_saturated)
		doc_line(doc, MARK_DIVERGES,
			 "saturated: the queue grows to the end, so that latencies are those of "
			 "this many requests and grow with more");
	if (s->result.unserved && !s->is_partial)
		doc_line(doc, MARK_REFUSED,
			 "%s requests are never served: no step takes their prompt whole, and "
			 "chunked prefill is off",
			 number_count((double)s->result.unserved).text);
	put_latencies(doc, s);
	put_counts(doc, s);
}

/* -- time and what it rests on ---------------------------------------------------------------- */

#define TERMS_SHOWN 10

void served_time(struct doc *doc, const struct served_report *report)
{
	static const struct column columns[] = {
		{ "layers", "kind", false },       { "term", "term", false },
		{ "resource", "resource", false }, { "seconds", "seconds", true },
		{ "share", "share", true },
	};
	const struct served *s = report->served;
	double all = served_seconds(s);
	struct served_term *terms;
	char sentence[300];
	size_t count;

	if (!(all > 0))
		return;
	terms = served_terms(s, &count);
	doc_heading(doc, "Where the time went");
	doc_table(doc, columns, 5, true);
	for (size_t i = 0; i < count && i < TERMS_SHOWN; i++) {
		const struct ss_term *t = terms[i].term;

		doc_cell(doc, MARK_NONE, served_layer(&terms[i]));
		doc_figure(doc, MARK_NONE, ss_term_label(t->term), ss_term_name(t->term));
		doc_cell(doc, MARK_NONE, ss_resource_name(t->resource));
		doc_number(doc, MARK_NONE, number_time(terms[i].seconds).text, terms[i].seconds);
		doc_number(doc, MARK_NONE, number_percent(terms[i].seconds / all, 1).text,
			   terms[i].seconds / all);
	}
	free(terms);
	(void)ss_share_sentence(s->leader, &s->share, "the time", sentence, sizeof(sentence));
	doc_line(doc, MARK_NONE, "%s.", sentence);
}

/* -- the service level ----------------------------------------------------------------------------
 */

void served_slo(struct doc *doc, const struct served_report *report)
{
	static const struct column columns[] = {
		{ "promised", "latency", false }, { "at", "percentile", true },
		{ "limit", "limit_s", true },     { "found", "seconds", true },
		{ "", "is_met", false },
	};
	const struct served *s = report->served;
	const struct ss_slo *slo = &s->serving->slo;
	const struct ss_goodput *g = &s->goodput;

	if (!s->serving->has_slo)
		return;
	doc_heading(doc, "Service level");
	doc_line(doc, g->is_met ? MARK_STRONG : MARK_DIVERGES,
		 "%s; goodput %s requests/s: %s of the requests meet all of it",
		 g->is_met ? "met" : "NOT met", number_fixed(g->requests_per_s, 2).text,
		 number_percent(g->share, 1).text);
	doc_table(doc, columns, 5, true);
	for (size_t i = 0; i < slo->term_count; i++) {
		bool is_met = g->seconds[i] <= slo->terms[i].limit_s;
		char at[24];

		(void)snprintf(at, sizeof(at), "p%g", slo->terms[i].percentile * 100);
		doc_cell(doc, MARK_NONE, ss_latency_name(slo->terms[i].latency));
		doc_number(doc, MARK_NONE, at, slo->terms[i].percentile);
		doc_number(doc, MARK_NONE, number_time(slo->terms[i].limit_s).text,
			   slo->terms[i].limit_s);
		doc_number(doc, MARK_NONE, number_time(g->seconds[i]).text, g->seconds[i]);
		doc_cell(doc, is_met ? MARK_NONE : MARK_DIVERGES, is_met ? "met" : "not met");
	}
}

void served_find(struct doc *doc, const struct served_report *report)
{
	const struct serving_search *search = report->search;
	const char *what = search && search->what == SERVING_FIND_RATE ? "rate" : "concurrency";

	if (!search)
		return;
	doc_heading(doc, "Largest %s that meets it", what);
	if (!search->is_found) {
		doc_line(doc, MARK_REFUSED, "none: even %s does not meet it",
			 search->what == SERVING_FIND_RATE ? "a request now and then"
							   : "one request at a time");
		return;
	}
	if (search->what == SERVING_FIND_RATE)
		doc_line(doc, MARK_STRONG, "%s requests/s, to 1 %%, after %d runs",
			 number_fixed(search->low, 3).text, search->probes);
	else
		doc_line(doc, MARK_STRONG, "%s requests at once, after %d runs",
			 number_count(search->low).text, search->probes);
}

void served_assumptions(struct doc *doc, const struct served_report *report)
{
	bool has_heading = false;

	for (int i = 0; i < SS_SERVE_ASSUMED_COUNT; i++) {
		enum ss_serve_assumption_id id = (enum ss_serve_assumption_id)i;
		const struct ss_serve_assumption *row = ss_serve_assumption(id);

		if (!ss_serve_assumed(report->served->run->serve, id))
			continue;
		if (!has_heading)
			doc_heading(doc, "Assumed of the run");
		has_heading = true;
		doc_line(doc, MARK_ASSUMED, "%s: %s; %s", row->name, row->what, row->why);
	}
}

void served_bench(struct doc *doc, const struct served_report *report)
{
	static const struct column columns[] = { { "", "key", false }, { "", "value", true } };
	cJSON *bench = json_served_bench(report);
	const cJSON *item;

	doc_data(doc, columns, 2);
	cJSON_ArrayForEach(item, bench)
	{
		doc_cell(doc, MARK_NONE, item->string);
		if (cJSON_IsNumber(item))
			doc_number(doc, MARK_NONE, number_plain(item->valuedouble).text,
				   item->valuedouble);
		else
			doc_cell(doc, MARK_NONE, cJSON_IsString(item) ? item->valuestring : "");
	}
	cJSON_Delete(bench);
}
