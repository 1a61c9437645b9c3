/*
 * The scheduler under loads of every kind: what must hold whatever the load, and small
 * cases whose times are sums one can do by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/serve_impl.h"
#include "stepscope/serve.h"

/* A step takes its base and so much a token; what it computed is counted. */
struct meter {
	double base, token;
	int64_t tokens, steps;
};

static double price(void *context, const struct ss_batch *batch)
{
	struct meter *m = context;
	int64_t tokens = 0;

	for (size_t i = 0; i < batch->group_count; i++)
		tokens += batch->groups[i].count * batch->groups[i].scheduled;
	m->tokens += tokens;
	m->steps++;
	return m->base + m->token * (double)tokens;
}

static struct ss_serve_engine engine_of(struct meter *meter)
{
	return (struct ss_serve_engine){
		.max_num_batched_tokens = 512,
		.max_num_seqs = 16,
		.block_size = 16,
		.blocks = 4096,
		.has_chunked_prefill = true,
		.reserves_full_isl = true,
		.ranks = 1,
		.replicas = 1,
		.price = price,
		.context = meter,
	};
}

static struct ss_length fixed(int64_t tokens)
{
	return (struct ss_length){ SS_LENGTH_FIXED, tokens, tokens, 0, 0 };
}

static struct ss_serve *play(const struct ss_load *load, const struct ss_serve_engine *engine,
			     const struct ss_serve_engine *decode)
{
	struct ss_serve *s = NULL;

	assert_int_equal(ss_serve_new(&s, load, engine, decode, NULL), SS_OK);
	while (ss_serve_run(s, 1000)) {
	}
	return s;
}

static struct ss_serve_result result_of(const struct ss_serve *s)
{
	struct ss_serve_result r;

	assert_int_equal(ss_serve_result(s, &r), SS_OK);
	return r;
}

static double seconds_of(const struct ss_serve *s, size_t index, enum ss_latency_id id)
{
	struct ss_serve_request q;
	double seconds;

	ss_serve_request(s, index, &q);
	assert_true(ss_serve_request_latency(&q, id, &seconds));
	return seconds;
}

#define NEAR 1e-12
#define assert_near(a, b, off) assert_true(fabs((a) - (b)) <= (off))

/* -- what holds under any load ------------------------------------------------------------- */

static int64_t draw(struct ss_random *random, int64_t low, int64_t high)
{
	struct ss_length length = { SS_LENGTH_UNIFORM, low, high, 0, 0 };

	return ss_random_length(random, &length);
}

static void any_load(struct ss_random *random, struct ss_load *load)
{
	*load = (struct ss_load){
		.prompt = { SS_LENGTH_UNIFORM, 1, draw(random, 1, 700), 0, 0 },
		.output = { SS_LENGTH_NORMAL, 1, draw(random, 1, 90), 30, 20 },
		.prefix_tokens = draw(random, 0, 2) * draw(random, 0, 200),
		.requests = draw(random, 1, 60),
		.seed = random->state,
		.arrival = (enum ss_arrival)draw(random, 0, 2),
		.concurrency = draw(random, 1, 24),
		.rate = (double)draw(random, 1, 400) / 4,
		.burstiness = (double)draw(random, 1, 8) / 4,
	};
}

static void any_engine(struct ss_random *random, struct ss_serve_engine *e)
{
	e->max_num_batched_tokens = draw(random, 8, 900);
	e->max_num_seqs = draw(random, 1, 20);
	e->block_size = draw(random, 1, 4) * 16;
	e->blocks = draw(random, 10, 120);
	e->long_prefill_token_threshold = draw(random, 0, 1) * draw(random, 1, 300);
	e->has_prefix_caching = draw(random, 0, 1);
	e->reserves_full_isl = draw(random, 0, 1);
	e->is_block_aligned = draw(random, 0, 3) == 0 && e->max_num_batched_tokens > 128;
	e->drafts = draw(random, 0, 3) == 0 ? draw(random, 1, 4) : 0;
	e->acceptance = ss_random_uniform(random);
	e->ranks = draw(random, 1, 3);
	e->is_lockstep = draw(random, 0, 1);
	e->replicas = draw(random, 1, 2);
	if (e->is_block_aligned)
		e->long_prefill_token_threshold = 0;
}

/** Blocks of a pool: free, of requests, and of the shared prefix while one holds it. */
static void blocks_are_conserved(const struct ss_serve *s)
{
	for (int p = 0; p < s->pool_count; p++)
		for (int64_t i = 0; i < s->pools[p].rank_count; i++) {
			const struct rank *r = &s->pools[p].ranks[i];
			int64_t held = r->prefix_holders ? s->pools[p].prefix_blocks : 0, n = 0;

			for (int64_t j = 0; j < r->running_count; j++) {
				held += s->requests[r->running[j]].held;
				n += s->requests[r->running[j]].holds_prefix;
			}
			assert_int_equal(r->free + held, s->pools[p].engine.blocks);
			assert_int_equal(n, r->prefix_holders);
			assert_true(r->free >= 0);
		}
}

static void order_holds(const struct ss_serve_request *q)
{
	if (q->state == SS_SERVE_REFUSED)
		return;
	assert_int_equal(q->state, SS_SERVE_DONE);
	assert_int_equal(q->generated, q->output);
	assert_true(q->arrival_s < q->first_s && q->first_s <= q->last_s);
	assert_true(q->last_s <= q->end_s);
	assert_true(q->output > 1 || q->first_s == q->last_s);
}

static void no_token_is_lost_and_no_block_whatever_the_load(void **state)
{
	struct ss_random random = { 16 };

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct meter meter = { 0.004, 1e-5, 0, 0 };
		struct ss_serve_engine engine = engine_of(&meter);
		struct ss_serve_request q;
		struct ss_serve *s = NULL;
		struct ss_serve_result r;
		int64_t least = 0;
		struct ss_load load;

		any_load(&random, &load);
		any_engine(&random, &engine);
		assert_int_equal(ss_serve_new(&s, &load, &engine, NULL, NULL), SS_OK);
		while (ss_serve_run(s, 1))
			blocks_are_conserved(s);
		r = result_of(s);
		assert_int_equal(r.completed + r.refused, load.requests);
		assert_int_equal(r.unserved, 0);
		for (size_t n = 0; n < ss_serve_request_count(s); n++) {
			ss_serve_request(s, n, &q);
			order_holds(&q);
			if (q.state == SS_SERVE_DONE)
				least += q.prompt + q.output - 1 - q.cached;
		}
		/* work is conserved: recomputed after preemption, drafted and idle ranks apart */
		if (!r.preemptions && !engine.drafts && !engine.is_lockstep)
			assert_int_equal(meter.tokens, least);
		assert_true(s->running.now == 0 && s->waiting.now == 0 && s->used.now == 0);
		assert_true(r.kv.peak <= 1 && r.busy_share <= 1 + NEAR);
		ss_serve_free(s);
	}
}

static void who_comes_first_is_served_first(void **state)
{
	struct ss_random random = { 90 };

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct meter meter = { 0.004, 1e-5, 0, 0 };
		struct ss_serve_engine engine = engine_of(&meter);
		struct ss_serve_request q;
		struct ss_serve *s;
		double before = 0;
		struct ss_load load;

		any_load(&random, &load);
		load.arrival = SS_ARRIVAL_RATE;
		engine.max_num_batched_tokens = draw(&random, 64, 900);
		s = play(&load, &engine, NULL);
		assert_int_equal(result_of(s).preemptions, 0);
		for (size_t n = 0; n < ss_serve_request_count(s); n++) {
			ss_serve_request(s, n, &q);
			assert_true(q.first_s >= before);
			before = q.first_s;
		}
		ss_serve_free(s);
	}
}

/* L = lambda W, J. D. C. Little (1961). */
static void littles_law_holds_in_steady_state(void **state)
{
	struct meter meter = { 0.01, 1e-5, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = { SS_LENGTH_UNIFORM, 50, 400, 0, 0 },
				.output = { SS_LENGTH_UNIFORM, 10, 80, 0, 0 },
				.requests = 4000,
				.seed = 7,
				.arrival = SS_ARRIVAL_RATE,
				.rate = 18 };
	struct ss_serve *s = play(&load, &engine, NULL);
	struct ss_serve_result r = result_of(s);
	double inside = r.running.mean + r.waiting.mean;

	(void)state;
	assert_true(r.waiting.peak > 0 && !r.is_saturated);
	assert_true(fabs(inside / (r.requests_per_s * r.latency[SS_LATENCY_E2E].mean) - 1) < 0.01);
	assert_true(fabs(r.requests_per_s / 18 - 1) < 0.05);
	ss_serve_free(s);
}

/* -- small cases ------------------------------------------------------------------------------ */

static void a_request_alone_takes_its_prefill_and_a_step_a_token(void **state)
{
	struct meter meter = { 0.01, 0.001, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = fixed(100), .output = fixed(5), .requests = 1 };
	struct ss_serve *s = play(&load, &engine, NULL);

	(void)state;
	assert_near(seconds_of(s, 0, SS_LATENCY_TTFT), 0.11, NEAR);
	assert_near(seconds_of(s, 0, SS_LATENCY_TPOT), 0.011, NEAR);
	assert_near(seconds_of(s, 0, SS_LATENCY_E2E), 0.11 + 4 * 0.011, NEAR);
	ss_serve_free(s);
}

static void accepted_drafts_come_when_they_are_whole(void **state)
{
	struct meter meter = { 0.01, 0, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = fixed(10), .output = fixed(8), .requests = 1 };
	struct ss_serve *s;

	(void)state;
	engine.drafts = 3;
	engine.acceptance = 0.5; /* 1 + 1.5 a step: 2, 3, 2 tokens */
	s = play(&load, &engine, NULL);
	assert_int_equal(result_of(s).steps, 4);
	assert_int_equal(meter.tokens, 10 + 3 * 4);
	assert_near(seconds_of(s, 0, SS_LATENCY_TPOT), 0.03 / 7, NEAR);
	ss_serve_free(s);
}

static void ranks_in_lockstep_wait_for_the_slowest(void **state)
{
	struct meter meter = { 0.01, 0.001, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_trace_row rows[] = { { 0, 100, 2, NULL, 0 }, { 0, 10, 2, NULL, 0 } };
	struct ss_load load = { .requests = 2, .arrival = SS_ARRIVAL_TRACE, .trace = rows };
	struct ss_serve *s;

	(void)state;
	engine.ranks = 2;
	s = play(&load, &engine, NULL);
	assert_near(seconds_of(s, 0, SS_LATENCY_TTFT), 0.11, NEAR);
	assert_near(seconds_of(s, 1, SS_LATENCY_TTFT), 0.02, NEAR);
	ss_serve_free(s);
	engine.is_lockstep = true;
	s = play(&load, &engine, NULL);
	assert_near(seconds_of(s, 1, SS_LATENCY_TTFT), 0.11, NEAR);
	assert_int_equal(result_of(s).steps, 2);
	ss_serve_free(s);
}

static double moves(void *context, int64_t tokens)
{
	(void)context;
	return 0.0001 * (double)tokens;
}

static void a_prompt_is_prefilled_moved_and_decoded_elsewhere(void **state)
{
	struct meter prefills = { 0.01, 0.001, 0, 0 }, decodes = { 0.02, 0.001, 0, 0 };
	struct ss_serve_engine prefill = engine_of(&prefills), decode = engine_of(&decodes);
	struct ss_load load = { .prompt = fixed(100), .output = fixed(3), .requests = 1 };
	struct ss_serve *s;

	(void)state;
	prefill.transfer_s = moves;
	s = play(&load, &prefill, &decode);
	/* prefill, transfer, then the decode pool's first step makes the first token */
	assert_near(seconds_of(s, 0, SS_LATENCY_TTFT), 0.11 + 0.01 + 0.021, NEAR);
	assert_near(seconds_of(s, 0, SS_LATENCY_TPOT), 0.021, NEAR);
	assert_int_equal(prefills.tokens, 100);
	assert_int_equal(decodes.tokens, 3);
	ss_serve_free(s);
}

static void pieces_of_a_trace_are_prefilled_once(void **state)
{
	static const int64_t first[] = { 1, 2 }, second[] = { 1, 2, 3 }, other[] = { 9, 2 };
	struct meter meter = { 0.01, 0, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_trace_row rows[] = { { 0, 1024, 1, first, 2 },
				       { 1, 1200, 1, second, 3 },
				       { 2, 600, 1, other, 2 } };
	struct ss_load load = { .requests = 3, .arrival = SS_ARRIVAL_TRACE, .trace = rows };
	struct ss_serve_request q;
	struct ss_serve *s;

	(void)state;
	engine.max_num_batched_tokens = 8192;
	engine.has_prefix_caching = true;
	s = play(&load, &engine, NULL);
	ss_serve_request(s, 1, &q);
	assert_int_equal(q.cached, 1024);
	ss_serve_request(s, 2, &q);
	assert_int_equal(q.cached, 0);
	assert_int_equal(meter.tokens, 1024 + 176 + 600);
	ss_serve_free(s);
}

static void what_no_step_can_take_waits_for_ever_and_is_said(void **state)
{
	struct meter meter = { 0.01, 0, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = fixed(600), .output = fixed(3), .requests = 4 };
	struct ss_serve *s;

	(void)state;
	engine.has_chunked_prefill = false;
	s = play(&load, &engine, NULL);
	assert_int_equal(result_of(s).unserved, 4);
	assert_int_equal(result_of(s).steps, 0);
	ss_serve_free(s);
}

static void a_queue_that_grows_to_the_end_is_said(void **state)
{
	struct meter meter = { 0.01, 1e-5, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = fixed(200),
				.output = fixed(100),
				.requests = 400,
				.arrival = SS_ARRIVAL_RATE,
				.rate = 200 };
	struct ss_serve *s = play(&load, &engine, NULL);

	(void)state;
	assert_true(result_of(s).is_saturated);
	ss_serve_free(s);
}

static void first_completions_are_left_out(void **state)
{
	struct meter meter = { 0.01, 0, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = fixed(10),
				.output = fixed(10),
				.requests = 8,
				.arrival = SS_ARRIVAL_CONCURRENCY,
				.concurrency = 2,
				.warmup = 2 };
	struct ss_serve *s = play(&load, &engine, NULL);
	struct ss_serve_result r = result_of(s);

	(void)state;
	assert_int_equal(r.completed, 6);
	assert_near(r.duration_s, 0.3, NEAR);
	assert_near(r.requests_per_s, 20, 1e-9);
	ss_serve_free(s);
}

static void a_run_cut_off_is_no_busier_than_its_time(void **state)
{
	struct meter meter = { 0.01, 0, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	/* the last request has come long before the end */
	struct ss_load load = { .prompt = fixed(10), .output = fixed(1000), .requests = 4 };
	struct ss_serve *s = NULL;
	struct ss_serve_result r;

	(void)state;
	assert_int_equal(ss_serve_new(&s, &load, &engine, NULL, NULL), SS_OK);
	for (int i = 0; i < 50; i++) {
		assert_true(ss_serve_run(s, 7));
		r = result_of(s);
		assert_true(r.busy_share <= 1 + NEAR);
		assert_true(r.busy_s <= r.duration_s + NEAR);
		assert_true(r.running.mean <= r.running.peak + NEAR);
		assert_true(r.kv.mean <= r.kv.peak + NEAR);
		assert_int_equal(r.unserved, 0);
	}
	ss_serve_free(s);
}

static void a_timeline_keeps_to_its_length(void **state)
{
	struct meter meter = { 0.01, 0, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_load load = { .prompt = fixed(10), .output = fixed(1000), .requests = 1 };
	const struct ss_serve_point *points;
	struct ss_serve *s = NULL;
	size_t n;

	(void)state;
	assert_int_equal(ss_serve_new(&s, &load, &engine, NULL, NULL), SS_OK);
	assert_int_equal(ss_serve_keep_timeline(s, 64), SS_OK);
	while (ss_serve_run(s, 100)) {
	}
	n = ss_serve_timeline(s, &points);
	assert_in_range(n, 32, 64);
	assert_true(points[0].time_s == 0);
	for (size_t i = 1; i < n; i++)
		assert_near(points[i].time_s - points[i - 1].time_s,
			    points[1].time_s - points[0].time_s, 1e-9);
	ss_serve_free(s);
}

/* -- service levels ------------------------------------------------------------------------------
 */

static void a_service_level_reads_and_writes_the_same(void **state)
{
	struct ss_error err = { 0 };
	struct ss_slo slo;
	char text[128];

	(void)state;
	assert_int_equal(ss_slo_parse(&slo, "ttft=0.5s,tpot=30ms@p99", &err), SS_OK);
	assert_int_equal(ss_slo_format(&slo, text, sizeof(text)), 24);
	assert_string_equal(text, "ttft=500ms,tpot=30ms@p99");
	assert_int_equal(ss_slo_parse(&slo, "ttft=500", &err), SS_EUSAGE);
	assert_string_equal(err.message,
			    "ttft: \"500\" wants a time above 0, at most 1e9 s, with us, ms or s");
	/* what would be no number in ms */
	assert_int_equal(ss_slo_parse(&slo, "ttft=1.5e308s", &err), SS_EUSAGE);
	assert_int_equal(ss_slo_parse(&slo, "ttft=1e-323ms", &err), SS_EUSAGE);
	assert_int_equal(ss_slo_parse(&slo, "speed=5ms", &err), SS_EUSAGE);
	assert_int_equal(ss_slo_parse(&slo, "", &err), SS_EUSAGE);
}

static void goodput_counts_those_that_meet_every_term(void **state)
{
	struct meter meter = { 0.01, 0.001, 0, 0 };
	struct ss_serve_engine engine = engine_of(&meter);
	struct ss_trace_row rows[] = { { 0, 100, 2, NULL, 0 }, { 5, 10, 2, NULL, 0 } };
	struct ss_load load = { .requests = 2, .arrival = SS_ARRIVAL_TRACE, .trace = rows };
	struct ss_serve *s = play(&load, &engine, NULL);
	struct ss_goodput good;
	struct ss_slo slo;

	(void)state;
	assert_int_equal(ss_slo_parse(&slo, "ttft=100ms,tpot=50ms", NULL), SS_OK);
	assert_int_equal(ss_serve_goodput(s, &slo, &good), SS_OK);
	assert_int_equal(good.requests, 1);
	assert_near(good.share, 0.5, NEAR);
	assert_false(good.is_met);
	assert_int_equal(good.failed, SS_LATENCY_TTFT);
	assert_near(good.seconds[0], 0.02 + 0.9 * 0.09, NEAR);
	ss_serve_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_token_is_lost_and_no_block_whatever_the_load),
		cmocka_unit_test(who_comes_first_is_served_first),
		cmocka_unit_test(littles_law_holds_in_steady_state),
		cmocka_unit_test(a_request_alone_takes_its_prefill_and_a_step_a_token),
		cmocka_unit_test(accepted_drafts_come_when_they_are_whole),
		cmocka_unit_test(ranks_in_lockstep_wait_for_the_slowest),
		cmocka_unit_test(a_prompt_is_prefilled_moved_and_decoded_elsewhere),
		cmocka_unit_test(pieces_of_a_trace_are_prefilled_once),
		cmocka_unit_test(what_no_step_can_take_waits_for_ever_and_is_said),
		cmocka_unit_test(a_queue_that_grows_to_the_end_is_said),
		cmocka_unit_test(first_completions_are_left_out),
		cmocka_unit_test(a_run_cut_off_is_no_busier_than_its_time),
		cmocka_unit_test(a_timeline_keeps_to_its_length),
		cmocka_unit_test(a_service_level_reads_and_writes_the_same),
		cmocka_unit_test(goodput_counts_those_that_meet_every_term),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
