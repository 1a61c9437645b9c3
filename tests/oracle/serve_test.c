/*
 * Whole benchmarks under an affine step: every case of serve.json beside this file, figures
 * of a scheduler written apart from ours, to 1e-9.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "stepscope/serve.h"

enum { TRACE_MAX = 256 };

static cJSON *oracle;
static double tolerance;
static const char *id;

/* What the page calls an affine step. */
struct affine {
	double base, token, decode, context;
};

static double affine_price(void *context, const struct ss_batch *batch)
{
	const struct affine *a = context;
	double seconds = a->base;

	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];
		double count = (double)g->count;

		seconds += a->token * count * (double)g->scheduled;
		seconds += g->scheduled == 1 ? a->decode * count : 0;
		seconds += a->context * count * (double)(g->computed + g->scheduled);
	}
	return seconds;
}

static int open_oracle(void **state)
{
	FILE *f = fopen(TEST_SRCDIR "/tests/oracle/serve.json", "rb");
	static char text[1 << 18];
	size_t n;

	(void)state;
	if (!f)
		return -1;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	oracle = cJSON_Parse(text);
	return oracle ? 0 : -1;
}

static int close_oracle(void **state)
{
	(void)state;
	cJSON_Delete(oracle);
	return 0;
}

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number(const cJSON *object, const char *key, double unstated)
{
	const cJSON *item = get(object, key);

	return cJSON_IsNumber(item) ? item->valuedouble : unstated;
}

static int64_t integer(const cJSON *object, const char *key, int64_t unstated)
{
	return (int64_t)number(object, key, (double)unstated);
}

static bool truth(const cJSON *object, const char *key, bool unstated)
{
	const cJSON *item = get(object, key);

	return item ? cJSON_IsTrue(item) : unstated;
}

static void near(double found, double expected, const char *what)
{
	double off = fabs(found - expected);

	if (off > tolerance * fmax(fabs(expected), 1e-300) && off > 1e-15)
		fail_msg("%s: %s is %.17g, not %.17g", id, what, found, expected);
}

static void equal(int64_t found, const cJSON *expect, const char *key)
{
	if (found != integer(expect, key, -1))
		fail_msg("%s: %s is %lld, not %lld", id, key, (long long)found,
			 (long long)integer(expect, key, -1));
}

static struct ss_length length_of(const cJSON *item)
{
	if (get(item, "tokens_stdev"))
		return (struct ss_length){ SS_LENGTH_NORMAL, integer(item, "tokens_min", 1),
					   integer(item, "tokens_max", 1),
					   number(item, "tokens", 0),
					   number(item, "tokens_stdev", 0) };
	if (get(item, "low"))
		return (struct ss_length){ SS_LENGTH_UNIFORM, integer(item, "low", 1),
					   integer(item, "high", 1), 0, 0 };
	return (struct ss_length){ SS_LENGTH_FIXED, integer(item, "tokens", 1),
				   integer(item, "tokens", 1), 0, 0 };
}

static void read_load(struct ss_load *load, const cJSON *item, struct ss_trace_row *rows)
{
	const cJSON *trace = get(item, "trace"), *row;

	*load = (struct ss_load){
		.prefix_tokens = integer(item, "prefix_tokens", 0),
		.requests = integer(item, "requests", 0),
		.seed = (uint64_t)number(item, "seed", 0),
		.concurrency = integer(item, "concurrency", 0),
		.rate = number(item, "rate", 0),
	};
	load->arrival = trace               ? SS_ARRIVAL_TRACE
			: load->concurrency ? SS_ARRIVAL_CONCURRENCY
			: load->rate > 0    ? SS_ARRIVAL_RATE
					    : SS_ARRIVAL_AT_ONCE;
	if (!trace) {
		load->prompt = length_of(get(item, "prompt"));
		load->output = length_of(get(item, "output"));
		return;
	}
	cJSON_ArrayForEach(row, trace)
	{
		assert_true(load->requests < TRACE_MAX);
		rows[load->requests++] = (struct ss_trace_row){
			.arrival_s = cJSON_GetArrayItem(row, 0)->valuedouble,
			.prompt = (int64_t)cJSON_GetArrayItem(row, 1)->valuedouble,
			.output = (int64_t)cJSON_GetArrayItem(row, 2)->valuedouble,
		};
	}
	load->trace = rows;
}

static void read_engine(struct ss_serve_engine *e, const cJSON *one, struct affine *affine)
{
	const cJSON *item = get(one, "engine"), *host = get(one, "host"), *step = get(one, "step");

	*affine = (struct affine){ number(step, "base_s", 0), number(step, "per_token_s", 0),
				   number(step, "per_decode_s", 0),
				   number(step, "per_context_s", 0) };
	*e = (struct ss_serve_engine){
		.max_num_batched_tokens = integer(item, "max_num_batched_tokens", 0),
		.max_num_seqs = integer(item, "max_num_seqs", 0),
		.max_model_len = integer(item, "max_model_len", 0),
		.block_size = integer(item, "block_size", 0),
		.blocks = integer(item, "blocks", 0),
		.long_prefill_token_threshold = integer(item, "long_prefill_token_threshold", 0),
		.has_chunked_prefill = truth(item, "enable_chunked_prefill", true),
		.has_prefix_caching = truth(item, "enable_prefix_caching", false),
		.reserves_full_isl = truth(item, "scheduler_reserve_full_isl", true),
		.ranks = 1,
		.replicas = 1,
		.admission_request_s = number(host, "admission_per_request_s", 0),
		.admission_token_s = number(host, "admission_per_token_s", 0),
		.output_token_s = number(host, "output_token_s", 0),
		.completion_s = number(host, "completion_s", 0),
		.price = affine_price,
		.context = affine,
	};
}

static void check_latency(const struct ss_serve_result *result, enum ss_latency_id latency,
			  const cJSON *expect, const char *key)
{
	const struct ss_latency *l = &result->latency[latency];
	const cJSON *item = get(expect, key);
	char what[48];

	if (!cJSON_IsObject(item)) {
		assert_int_equal(l->count, 0);
		return;
	}
	(void)snprintf(what, sizeof(what), "mean of %s", key);
	near(l->mean, number(item, "mean", NAN), what);
	(void)snprintf(what, sizeof(what), "p50 of %s", key);
	near(l->p50, number(item, "p50", NAN), what);
	(void)snprintf(what, sizeof(what), "p90 of %s", key);
	near(l->p90, number(item, "p90", NAN), what);
	(void)snprintf(what, sizeof(what), "p99 of %s", key);
	near(l->p99, number(item, "p99", NAN), what);
}

static void check_requests(const struct ss_serve *serve, const cJSON *expect)
{
	const cJSON *row, *refused;

	cJSON_ArrayForEach(refused, get(expect, "refused"))
	{
		struct ss_serve_request q;

		ss_serve_request(serve, (size_t)refused->valuedouble, &q);
		assert_int_equal(q.state, SS_SERVE_REFUSED);
	}
	cJSON_ArrayForEach(row, get(expect, "requests"))
	{
		struct ss_serve_request q;
		double v[7];

		for (int i = 0; i < 7; i++)
			v[i] = cJSON_GetArrayItem(row, i)->valuedouble;
		ss_serve_request(serve, (size_t)v[0], &q);
		assert_int_equal(q.prompt, (int64_t)v[1]);
		assert_int_equal(q.output, (int64_t)v[2]);
		near(q.arrival_s, v[3], "arrival");
		near(q.first_s, v[4], "first token");
		near(q.end_s, v[5], "end");
		assert_int_equal(q.preemptions, (int64_t)v[6]);
		assert_int_equal(q.generated, q.output);
	}
}

static void check_case(const cJSON *one, int64_t slice)
{
	const cJSON *expect = get(one, "expect");
	struct ss_trace_row rows[TRACE_MAX];
	struct ss_serve_engine engine;
	struct ss_serve_result r;
	struct ss_serve *serve = NULL;
	struct affine affine;
	struct ss_load load;

	read_load(&load, get(one, "load"), rows);
	read_engine(&engine, one, &affine);
	assert_int_equal(ss_serve_new(&serve, &load, &engine, NULL, NULL), SS_OK);
	while (ss_serve_run(serve, slice)) {
	}
	assert_int_equal(ss_serve_result(serve, &r), SS_OK);
	equal(r.steps, expect, "steps");
	equal(r.preemptions, expect, "preemptions");
	equal(r.completed, expect, "completed");
	equal(r.max_running, expect, "max_running");
	equal(r.prefix_hits, expect, "prefix_hits");
	equal(r.output_tokens, expect, "output_tokens");
	equal(r.input_tokens, expect, "input_tokens");
	assert_int_equal(r.refused, cJSON_GetArraySize(get(expect, "refused")));
	near(r.busy_s, number(expect, "busy_s", NAN), "busy_s");
	near(r.duration_s, number(expect, "duration_s", NAN), "duration_s");
	check_latency(&r, SS_LATENCY_TTFT, expect, "ttft_s");
	check_latency(&r, SS_LATENCY_TPOT, expect, "tpot_s");
	check_latency(&r, SS_LATENCY_ITL, expect, "itl_s");
	check_latency(&r, SS_LATENCY_E2E, expect, "e2e_s");
	check_requests(serve, expect);
	ss_serve_free(serve);
}

static void every_case_agrees_to_nine_digits(void **state)
{
	const cJSON *one, *cases = get(oracle, "cases");

	(void)state;
	tolerance = number(oracle, "tolerance_rel", 0);
	assert_true(tolerance > 0 && cJSON_GetArraySize(cases) == 60);
	cJSON_ArrayForEach(one, cases)
	{
		id = get(one, "id")->valuestring;
		check_case(one, INT64_MAX / 2);
	}
}

static void slices_change_nothing(void **state)
{
	const cJSON *one;

	(void)state;
	tolerance = number(oracle, "tolerance_rel", 0);
	cJSON_ArrayForEach(one, get(oracle, "cases"))
	{
		id = get(one, "id")->valuestring;
		check_case(one, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_agrees_to_nine_digits),
		cmocka_unit_test(slices_change_nothing),
	};

	return cmocka_run_group_tests(tests, open_oracle, close_oracle);
}
