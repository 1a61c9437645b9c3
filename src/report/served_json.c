/* A served load as JSON: the contract's part, and what `vllm bench serve` would save. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_price.h"
#include "report/served.h"

static cJSON *length_json(const struct ss_length *length)
{
	static const char *const forms[] = { "fixed", "uniform", "normal" };
	cJSON *o = json_object();

	json_put_text(o, "form", forms[length->form]);
	json_put_count(o, "low", length->low);
	json_put_count(o, "high", length->high);
	json_put_number(o, "mean", ss_length_mean(length));
	json_put_number(o, "stdev", length->stdev);
	return o;
}

cJSON *json_served_load(const struct served_report *r)
{
	static const char *const arrivals[] = { "at_once", "concurrency", "rate", "trace" };
	const struct ss_load *load = r->served->load;
	bool is_trace = load->arrival == SS_ARRIVAL_TRACE;
	cJSON *o = json_object();
	char text[200];

	(void)ss_load_describe(load, text, sizeof(text));
	json_put_text(o, "description", text);
	json_put_count(o, "requests", load->requests);
	json_put_text(o, "arrival", arrivals[load->arrival]);
	json_put(o, "prompt", is_trace ? cJSON_CreateNull() : length_json(&load->prompt));
	json_put(o, "output", is_trace ? cJSON_CreateNull() : length_json(&load->output));
	json_put_count(o, "prefix_tokens", load->prefix_tokens);
	json_put_number(o, "seed", (double)load->seed);
	json_put_count(o, "warmup", load->warmup);
	json_put_number(o, "concurrency",
			load->arrival == SS_ARRIVAL_CONCURRENCY ? (double)load->concurrency : NAN);
	json_put_number(o, "rate", load->arrival == SS_ARRIVAL_RATE ? load->rate : NAN);
	json_put_number(o, "burstiness", load->arrival == SS_ARRIVAL_RATE ? load->burstiness : NAN);
	json_put_number(o, "speedup", is_trace ? load->speedup : NAN);
	return o;
}

static cJSON *latency_json(const struct served *s, enum ss_latency_id id)
{
	const struct ss_latency *l = &s->result.latency[id];
	double fast = s->fast.latency[id].p50, slow = s->slow.latency[id].p50;
	cJSON *o = json_object();
	bool has = l->count > 0, has_band = has && s->has_band;

	json_put_count(o, "count", l->count);
	json_put_number(o, "mean_s", has ? l->mean : NAN);
	json_put_number(o, "stdev_s", has ? l->deviation : NAN);
	json_put_number(o, "p50_s", has ? l->p50 : NAN);
	json_put_number(o, "p90_s", has ? l->p90 : NAN);
	json_put_number(o, "p99_s", has ? l->p99 : NAN);
	json_put_number(o, "p50_low_s", has_band ? fmin(fast, slow) : NAN);
	json_put_number(o, "p50_high_s", has_band ? fmax(fast, slow) : NAN);
	return o;
}

static cJSON *level_json(const struct ss_serve_level *level)
{
	cJSON *o = json_object();

	json_put_number(o, "mean", level->mean);
	json_put_number(o, "peak", level->peak);
	return o;
}

static void put_rates(cJSON *o, const struct served *s)
{
	const struct ss_serve_result *r = &s->result;
	double gpus = (double)s->serving->gpus;

	json_put_number(o, "duration_s", r->duration_s);
	json_put_number(o, "busy_s", r->busy_s);
	json_put_number(o, "busy_share", r->busy_share);
	json_put_number(o, "requests_per_s", r->requests_per_s);
	json_put_number(o, "output_tokens_per_s", r->output_tokens_per_s);
	json_put_number(o, "output_tokens_per_s_low",
			s->has_band ? fmin(s->slow.output_tokens_per_s, r->output_tokens_per_s)
				    : NAN);
	json_put_number(o, "output_tokens_per_s_high",
			s->has_band ? fmax(s->fast.output_tokens_per_s, r->output_tokens_per_s)
				    : NAN);
	json_put_number(o, "output_tokens_per_s_per_gpu", r->output_tokens_per_s / gpus);
	json_put_number(o, "total_tokens_per_s", r->total_tokens_per_s);
	json_put_number(o, "total_tokens_per_s_per_gpu", r->total_tokens_per_s / gpus);
	json_put_count(o, "gpus", s->serving->gpus);
}

cJSON *json_served_serve(const struct served_report *report)
{
	const struct served *s = report->served;
	const struct ss_serve_result *r = &s->result;
	cJSON *o = json_object();

	json_put_bool(o, "is_partial", s->is_partial);
	json_put_bool(o, "is_saturated", r->is_saturated);
	json_put_count(o, "requests", r->requests);
	json_put_count(o, "completed", r->completed);
	json_put_count(o, "refused", r->refused);
	json_put_count(o, "unserved", r->unserved);
	json_put_count(o, "steps", r->steps);
	json_put_count(o, "preemptions", r->preemptions);
	json_put_count(o, "prefix_hits", r->prefix_hits);
	json_put_count(o, "cached_tokens", r->cached_tokens);
	json_put_count(o, "input_tokens", r->input_tokens);
	json_put_count(o, "output_tokens", r->output_tokens);
	json_put_count(o, "max_running", r->max_running);
	put_rates(o, s);
	json_put(o, "running", level_json(&r->running));
	json_put(o, "waiting", level_json(&r->waiting));
	json_put(o, "kv", level_json(&r->kv));
	for (int i = 0; i < SS_LATENCY_COUNT; i++)
		json_put(o, ss_latency_name((enum ss_latency_id)i),
			 latency_json(s, (enum ss_latency_id)i));
	return o;
}

static cJSON *resources_json(const struct served *s, double all)
{
	const enum ss_figure figure = s->serving->request.pricing.figure;
	cJSON *o = json_object();

	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		double seconds = 0;

		for (int i = 0; i < s->serving->pool_count; i++)
			seconds += ss_step_resources(&serving_total(s->run, i)->step, figure)[r];
		json_put_number(o, ss_resource_name((enum ss_resource)r), all > 0 ? seconds : NAN);
	}
	return o;
}

static cJSON *share_json(const struct served *s)
{
	cJSON *o = json_object();

	for (int m = 0; m < SS_METHOD_COUNT; m++)
		json_put_number(o, ss_method_name((enum ss_method)m), s->share.by_method[m]);
	return o;
}

cJSON *json_served_time(const struct served_report *report)
{
	const struct served *s = report->served;
	double all = served_seconds(s);
	cJSON *o = json_object(), *list = json_array();
	size_t count;
	struct served_term *terms = served_terms(s, &count);

	for (size_t i = 0; i < count; i++) {
		const struct ss_term *t = terms[i].term;
		cJSON *row = json_object();

		json_put_count(row, "pool", (int64_t)s->serving->pools[terms[i].pool]);
		json_put_text(row, "kind", served_layer(&terms[i]));
		json_put_text(row, "term", ss_term_name(t->term));
		json_put_text(row, "detail", t->detail);
		json_put_text(row, "resource", ss_resource_name(t->resource));
		json_put_bool(row, "is_draft", t->is_draft);
		json_put_number(row, "seconds", terms[i].seconds);
		json_put_number(row, "share", all > 0 ? terms[i].seconds / all : 0);
		json_put(list, NULL, row);
	}
	free(terms);
	json_put_number(o, "seconds", all);
	json_put(o, "resources_s", resources_json(s, all));
	json_put(o, "terms", list);
	json_put(o, "share", share_json(s));
	json_put_text_or_null(o, "leading",
			      s->share.leading >= 0
				      ? ss_kernel_entry(s->leader, (size_t)s->share.leading)->name
				      : "");
	return o;
}

cJSON *json_served_slo(const struct served_report *report)
{
	const struct served *s = report->served;
	const struct ss_slo *slo = &s->serving->slo;
	cJSON *o, *list;
	char text[200];

	if (!s->serving->has_slo)
		return cJSON_CreateNull();
	o = json_object();
	list = json_array();
	(void)ss_slo_format(slo, text, sizeof(text));
	json_put_text(o, "text", text);
	json_put_bool(o, "is_met", s->goodput.is_met);
	json_put_count(o, "requests", s->goodput.requests);
	json_put_number(o, "share", s->goodput.share);
	json_put_number(o, "requests_per_s", s->goodput.requests_per_s);
	for (size_t i = 0; i < slo->term_count; i++) {
		cJSON *term = json_object();

		json_put_text(term, "latency", ss_latency_name(slo->terms[i].latency));
		json_put_number(term, "percentile", slo->terms[i].percentile);
		json_put_number(term, "limit_s", slo->terms[i].limit_s);
		json_put_number(term, "seconds", s->goodput.seconds[i]);
		json_put_bool(term, "is_met", s->goodput.seconds[i] <= slo->terms[i].limit_s);
		json_put(list, NULL, term);
	}
	json_put(o, "terms", list);
	return o;
}

cJSON *json_served_find(const struct served_report *report)
{
	const struct serving_search *search = report->search;
	cJSON *o;

	if (!search)
		return cJSON_CreateNull();
	o = json_object();
	json_put_text(o, "what", search->what == SERVING_FIND_RATE ? "rate" : "concurrency");
	json_put_bool(o, "is_found", search->is_found);
	json_put_number(o, "value", search->is_found ? search->low : NAN);
	json_put_number(o, "fails_at", search->high > 0 ? search->high : NAN);
	json_put_count(o, "runs", search->probes);
	return o;
}

cJSON *json_served_assumptions(const struct served_report *report)
{
	cJSON *list = json_array();

	for (int i = 0; i < SS_SERVE_ASSUMED_COUNT; i++) {
		enum ss_serve_assumption_id id = (enum ss_serve_assumption_id)i;
		const struct ss_serve_assumption *row = ss_serve_assumption(id);
		cJSON *o;

		if (!ss_serve_assumed(report->served->run->serve, id))
			continue;
		o = json_object();
		json_put_text(o, "name", row->name);
		json_put_text(o, "what", row->what);
		json_put_text(o, "why", row->why);
		json_put(list, NULL, o);
	}
	return list;
}

/* -- as vllm bench serve saves it ------------------------------------------------------------ */

static void put_metric(cJSON *o, const char *name, const struct ss_latency *l)
{
	const struct {
		const char *statistic;
		double seconds;
	} rows[] = { { "mean", l->mean },
		     { "median", l->p50 },
		     { "std", l->deviation },
		     { "p90", l->p90 },
		     { "p99", l->p99 } };
	char key[40];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(key, sizeof(key), "%s_%s_ms", rows[i].statistic, name);
		json_put_number(o, key, rows[i].seconds * 1e3);
	}
}

cJSON *json_served_bench(const struct served_report *report)
{
	const struct served *s = report->served;
	const struct ss_serve_result *r = &s->result;
	bool is_open = s->load->arrival == SS_ARRIVAL_RATE;
	cJSON *o = json_object();

	json_put_text(o, "backend", "vllm");
	json_put_text(o, "model_id", session_text(s->serving->request.scenario, 0, SS_F_MODEL));
	json_put_count(o, "num_prompts", r->requests);
	if (is_open)
		json_put_number(o, "request_rate", s->load->rate);
	else
		json_put_text(o, "request_rate", "inf");
	json_put_number(o, "burstiness", is_open ? s->load->burstiness : 1);
	json_put_number(o, "max_concurrency",
			s->load->arrival == SS_ARRIVAL_CONCURRENCY ? (double)s->load->concurrency
								   : NAN);
	json_put_number(o, "duration", r->duration_s);
	json_put_count(o, "completed", r->completed);
	json_put_count(o, "failed", r->refused);
	json_put_count(o, "total_input_tokens", r->input_tokens);
	json_put_count(o, "total_output_tokens", r->output_tokens);
	json_put_number(o, "request_throughput", r->requests_per_s);
	json_put_number(o, "request_goodput",
			s->serving->has_slo ? s->goodput.requests_per_s : NAN);
	json_put_number(o, "output_throughput", r->output_tokens_per_s);
	json_put_number(o, "total_token_throughput", r->total_tokens_per_s);
	put_metric(o, "ttft", &r->latency[SS_LATENCY_TTFT]);
	put_metric(o, "tpot", &r->latency[SS_LATENCY_TPOT]);
	put_metric(o, "itl", &r->latency[SS_LATENCY_ITL]);
	put_metric(o, "e2el", &r->latency[SS_LATENCY_E2E]);
	return o;
}
