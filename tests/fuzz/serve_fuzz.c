/*
 * A load played: the first line is its short form, those that follow settings of it or of
 * the engine (`seqs=`, `blocks=`, ...), and what comes behind `---` a trace. Every request
 * comes to an end that can be told, in an order that can be.
 */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/load.h"
#include "stepscope/serve.h"

enum { REQUESTS_MOST = 40, TOKENS_MOST = 1000, STEPS_MOST = 2000 };

static double price(void *context, const struct ss_batch *batch)
{
	double tokens = 0;

	(void)context;
	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];

		FUZZ_CHECK(g->count >= 1 && g->scheduled >= 1 && g->computed >= 0);
		tokens += (double)g->count * (double)g->scheduled;
	}
	return 1e-3 + 1e-6 * tokens;
}

/* Settings of the engine, by name: within what a deployment may state. */
static void set_engine(struct ss_serve_engine *e, const char *name, const char *value)
{
	const struct {
		const char *name;
		int64_t *at, least, most;
	} settings[] = {
		{ "tokens", &e->max_num_batched_tokens, 1, 1 << 20 },
		{ "seqs", &e->max_num_seqs, 1, 1 << 12 },
		{ "length", &e->max_model_len, 0, 1 << 20 },
		{ "block", &e->block_size, 1, 1 << 12 },
		{ "blocks", &e->blocks, 1, 1 << 20 },
		{ "long", &e->long_prefill_token_threshold, 0, 1 << 20 },
		{ "drafts", &e->drafts, 0, 16 },
		{ "ranks", &e->ranks, 1, 16 },
		{ "replicas", &e->replicas, 1, 8 },
	};
	int64_t number = strtoll(value, NULL, 10);

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!strcmp(settings[i].name, name) && number >= settings[i].least &&
		    number <= settings[i].most)
			*settings[i].at = number;
	if (!strcmp(name, "flags")) {
		e->has_chunked_prefill = number & 1;
		e->has_prefix_caching = number & 2;
		e->reserves_full_isl = number & 4;
		e->is_block_aligned = number & 8;
		e->is_lockstep = number & 16;
		e->acceptance = number & 32 ? 0.7 : 0;
	}
}

static void check_request(const struct ss_serve *serve, size_t index)
{
	struct ss_serve_request q;
	double seconds;

	ss_serve_request(serve, index, &q);
	if (q.generated < 0 || q.cached < 0 || q.preemptions < 0)
		abort();
	if (q.state == SS_SERVE_DONE && (!(q.arrival_s <= q.first_s) || !(q.first_s <= q.last_s) ||
					 !(q.last_s <= q.end_s) || q.generated < q.output))
		abort();
	for (int id = 0; id < SS_LATENCY_COUNT; id++)
		if (ss_serve_request_latency(&q, (enum ss_latency_id)id, &seconds))
			FUZZ_CHECK(isfinite(seconds) && seconds >= 0);
}

static void check(const struct ss_serve *serve, bool is_whole, int64_t warmup)
{
	struct ss_serve_result r;

	if (ss_serve_is_incomplete(serve) || ss_serve_result(serve, &r))
		return;
	FUZZ_CHECK(isfinite(r.duration_s) && r.duration_s >= 0);
	FUZZ_CHECK(isfinite(r.requests_per_s) && isfinite(r.total_tokens_per_s));
	FUZZ_CHECK(r.busy_share >= 0 && r.busy_share <= 1 + 1e-9);
	FUZZ_CHECK(r.kv.mean >= 0 && r.kv.peak <= 1 + 1e-9 && r.kv.mean <= r.kv.peak + 1e-9);
	FUZZ_CHECK(r.running.mean <= r.running.peak + 1e-9);
	if (is_whole && !warmup)
		FUZZ_CHECK(r.completed + r.refused + r.unserved == r.requests);
	for (int id = 0; id < SS_LATENCY_COUNT; id++) {
		const struct ss_latency *l = &r.latency[id];

		FUZZ_CHECK(l->p50 <= l->p90 + 1e-12 && l->p90 <= l->p99 + 1e-12);
		FUZZ_CHECK(l->mean >= 0 && isfinite(l->deviation));
	}
	for (size_t i = 0; i < ss_serve_request_count(serve); i++)
		check_request(serve, i);
}

static void play(const struct ss_load *load, const struct ss_serve_engine *engine)
{
	struct ss_serve *serve = NULL;
	struct ss_error err = { 0 };
	bool goes_on = true;

	if (load->requests > REQUESTS_MOST || ss_length_mean(&load->output) > TOKENS_MOST)
		return;
	if (ss_serve_new(&serve, load, engine, NULL, &err)) {
		FUZZ_CHECK(*err.message);
		return;
	}
	for (int steps = 0; goes_on && steps < STEPS_MOST; steps += 100)
		goes_on = ss_serve_run(serve, 100);
	check(serve, !goes_on, load->warmup);
	ss_serve_free(serve);
}

static struct ss_scenario *load_scenario(void)
{
	static struct ss_scenario *kept;
	struct ss_scenario *s = NULL;

	if (!kept)
		kept = ss_scenario_load(TEST_SRCDIR "/scenarios/llama-3.1-8b-l40s-tp1.json", NULL);
	if (!kept || ss_scenario_clone(&s, kept))
		abort();
	return s;
}

static void take_lines(struct ss_scenario *s, struct ss_serve_engine *engine, char *text)
{
	char *line, *next = text, *value;
	bool is_first = true;

	while ((line = next)) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		value = strchr(line, '=');
		if (is_first) {
			(void)!ss_load_set(s, NULL, line, NULL);
		} else if (value) {
			*value++ = '\0';
			set_engine(engine, line, value);
			(void)!ss_scenario_set(s, 0, line, value, NULL);
		}
		is_first = false;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_serve_engine engine = { .max_num_batched_tokens = 2048,
					  .max_num_seqs = 64,
					  .block_size = 16,
					  .blocks = 4096,
					  .has_chunked_prefill = true,
					  .ranks = 1,
					  .replicas = 1,
					  .price = price };
	struct ss_scenario *s = load_scenario();
	struct ss_trace trace = { 0 };
	struct ss_load load = { 0 };
	struct ss_error err = { 0 };
	char *text = malloc(size + 1), *behind;
	bool has_trace = false;

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	behind = strstr(text, "\n---\n");
	if (behind) {
		*behind = '\0';
		behind += strlen("\n---\n");
		has_trace = !ss_trace_parse(&trace, behind, strlen(behind), "fuzz", NULL);
	}
	take_lines(s, &engine, text);
	if (!ss_load_resolve(&load, s, NULL, 8, &err)) {
		if (has_trace && trace.count) {
			load.trace = trace.rows;
			if (load.requests > (int64_t)trace.count)
				load.requests = (int64_t)trace.count;
		} else if (load.arrival == SS_ARRIVAL_TRACE) {
			load.requests = REQUESTS_MOST + 1;
		}
		play(&load, &engine);
	}
	if (has_trace)
		ss_trace_release(&trace);
	ss_scenario_free(s);
	free(text);
	return 0;
}
