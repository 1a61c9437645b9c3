/* Routes that deployments of the SM70 build get: shapes, reasons, what-ifs. */
#include "kernel_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/sm70.h"

#define TP4 "qwen3.6-27b-awq-v100-tp4"

static const struct ss_group one_decode[] = { { 1, 1, 4095, 4096 } };
static const struct ss_group many_decodes[] = { { 16, 1, 16383, 8192 } };
static const struct ss_group first_chunk[] = { { 1, 8192, 0, 32768 } };
static const struct ss_group third_chunk[] = { { 1, 8192, 16000, 32768 } };
static const struct ss_group mixed[] = { { 1, 8192, 16000, 32768 }, { 7, 1, 4095, 4096 } };

#define BATCH(list) \
	((struct ss_batch){ .groups = (list), .group_count = sizeof(list) / sizeof((list)[0]) })

/** The case of a stage; fails the test when the kernel lists none. */
static const struct ss_kernel_route *find(const struct ss_kernel_routes *routes,
					  enum ss_route_stage stage, bool flag)
{
	for (size_t i = 0; i < routes->count; i++) {
		const struct ss_kernel_route *r = &routes->items[i];
		bool own = stage == SS_STAGE_PREFILL ? r->has_prefix : r->request.is_capturing;

		if (r->selection.stage == stage && own == flag)
			return r;
	}
	fail_msg("no case of %s", ss_route_stage_name(stage));
	return NULL;
}

static const struct ss_route_verdict *verdict(const struct ss_kernel_route *route, const char *name)
{
	for (size_t i = 0; i < route->selection.verdict_count; i++)
		if (strcmp(route->selection.verdicts[i].candidate->name, name) == 0)
			return &route->selection.verdicts[i];
	fail_msg("no candidate %s", name);
	return NULL;
}

static const char *winner(const struct ss_kernel_routes *routes, enum ss_route_stage stage,
			  bool flag)
{
	const struct ss_route_verdict *w = find(routes, stage, flag)->selection.winner;

	return w ? w->candidate->name : "";
}

static struct ss_kernel_routes routes_of(const struct kernel_fixture *f, struct ss_batch batch)
{
	struct ss_kernel_routes routes;

	assert_non_null(f->kernel);
	assert_int_equal(ss_kernel_routes(&routes, f->kernel, &batch), SS_OK);
	return routes;
}

static bool has_family_winner(const struct ss_kernel_route *route, const char *family)
{
	const struct ss_route_verdict *inner = route->selection.inner;

	return inner && strstr(inner->candidate->name, family) != NULL;
}

/* The arithmetic of the block: 8192 / 784 is 10 whole blocks, 7840; 8192 / 800 is 10, 8000. */
static void a_block_of_784_keeps_the_79t_kernels_out(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	const struct ss_kernel_route *plain;
	const struct ss_route_verdict *next;

	(void)state;
	fixture_open(&f, TP4, "");
	assert_int_equal(ss_kernel_kv_pool(f.kernel)->block_size, 784);
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 8192), 7840);
	routes = routes_of(&f, BATCH(first_chunk));
	plain = find(&routes, SS_STAGE_PREFILL, false);
	assert_int_equal(plain->request.chunk, 7840);
	assert_string_equal(plain->selection.winner->candidate->name,
			    "prefill_no_prefix_dense_flash");
	assert_true(plain->selection.entered_inner);
	assert_false(has_family_winner(plain, "79t"));
	next = plain->selection.next_better;
	assert_non_null(next);
	assert_string_equal(next->candidate->name, "prefill_dense_d256_gqa_79t_fp32");
	assert_int_equal(next->need_count, 1);
	assert_string_equal(next->needs[0].text,
			    "chunk 8000-8192, has 7840: block 784 does not divide 8192");
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void a_block_of_800_reaches_the_79t_kernel(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;

	(void)state;
	fixture_open(&f, TP4, "block_size=800");
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 8192), 8000);
	routes = routes_of(&f, BATCH(first_chunk));
	assert_string_equal(
		find(&routes, SS_STAGE_PREFILL, false)->selection.inner->candidate->name,
		"prefill_dense_d256_gqa_79t_fp32");
	ss_kernel_routes_release(&routes);
	/* the trap that the reference names: a large block divides the budget too coarsely */
	fixture_set(&f, "block_size=2048 max_num_batched_tokens=8000");
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 8192), 6144);
	routes = routes_of(&f, BATCH(first_chunk));
	assert_false(has_family_winner(find(&routes, SS_STAGE_PREFILL, false), "79t"));
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void the_last_tokens_of_a_prompt_run_as_they_are(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, TP4, "");
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 500), 500);
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 784), 784);
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 1500), 784);
	fixture_set(&f, "mamba_cache_mode=all");
	assert_int_equal(ss_kernel_prefill_chunk(f.kernel, 8191), 8191);
	fixture_release(&f);
}

static void decode_takes_the_xqa_kernel_captured_and_eager(void **state)
{
	static const char *const scenarios[] = { TP4, "qwen3.6-27b-awq-v100-tp2",
						 "qwen3.6-27b-fp8-v100-tp4" };
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ss_kernel_routes routes;

		fixture_open(&f, scenarios[i], "");
		routes = routes_of(&f, BATCH(one_decode));
		assert_string_equal(winner(&routes, SS_STAGE_DECODE, true), "decode_xqa_paged");
		assert_string_equal(winner(&routes, SS_STAGE_DECODE, false), "decode_xqa_paged");
		ss_kernel_routes_release(&routes);
		routes = routes_of(&f, BATCH(many_decodes));
		assert_int_equal(find(&routes, SS_STAGE_DECODE, true)->request.sequences, 16);
		assert_int_equal(find(&routes, SS_STAGE_DECODE, true)->request.kv_len, 16384);
		assert_string_equal(winner(&routes, SS_STAGE_DECODE, true), "decode_xqa_paged");
		assert_string_equal(winner(&routes, SS_STAGE_MIXED_DECODE, false),
				    "prefill_prefix_decode_rows_xqa");
		ss_kernel_routes_release(&routes);
		fixture_release(&f);
	}
}

/* E5M2 leaves XQA under a context of 16384, by the XQA rules of the reference. */
static void a_short_context_takes_e5m2_to_the_last_resort(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	const struct ss_kernel_route *decode;

	(void)state;
	fixture_open(&f, TP4, "cache_dtype=fp8_e5m2");
	routes = routes_of(&f, BATCH(one_decode));
	decode = find(&routes, SS_STAGE_DECODE, true);
	assert_string_equal(decode->selection.winner->candidate->name, "decode_scalar_paged");
	assert_non_null(strstr(verdict(decode, "decode_xqa_paged")->reason, "short_e5m2"));
	ss_kernel_routes_release(&routes);
	routes = routes_of(&f, BATCH(many_decodes));
	assert_string_equal(winner(&routes, SS_STAGE_DECODE, true), "decode_xqa_paged");
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void without_full_graphs_no_decode_is_captured(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;

	(void)state;
	fixture_open(&f, TP4, "cudagraph_mode=PIECEWISE");
	routes = routes_of(&f, BATCH(one_decode));
	for (size_t i = 0; i < routes.count; i++)
		assert_false(routes.items[i].request.is_capturing);
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void speculation_adds_the_verify_stage(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	const struct ss_kernel_route *verify;

	(void)state;
	fixture_open(&f, TP4, "speculative.method=mtp speculative.num_spec_tokens=3");
	routes = routes_of(&f, BATCH(many_decodes));
	verify = find(&routes, SS_STAGE_VERIFY, true);
	assert_int_equal(verify->request.rows_per_sequence, 4);
	assert_int_equal(verify->request.rows, 64);
	/* more state pages make no larger block: the page stays, and it is not 832 */
	assert_string_equal(verify->selection.winner->candidate->name, "prefill_smallq_decode_xqa");
	assert_int_equal(verdict(verify, "prefill_smallq_fp16_grouped_fp32")->outcome,
			 SS_ROUTE_REFUSED);
	ss_kernel_routes_release(&routes);
	fixture_set(&f, "speculative.method= speculative.num_spec_tokens=");
	routes = routes_of(&f, BATCH(many_decodes));
	for (size_t i = 0; i < routes.count; i++)
		assert_int_not_equal(routes.items[i].selection.stage, SS_STAGE_VERIFY);
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void a_prefix_gathers_then_runs_dense(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	const struct ss_kernel_route *prefix;

	(void)state;
	fixture_open(&f, TP4, "");
	routes = routes_of(&f, BATCH(third_chunk));
	prefix = find(&routes, SS_STAGE_PREFILL, true);
	assert_int_equal(prefix->request.prefix_len, 16000);
	assert_int_equal(prefix->request.kv_len, 23840);
	assert_string_equal(prefix->selection.winner->candidate->name,
			    "prefill_prefix_gather_splitd_d256");
	assert_true(prefix->selection.entered_inner);
	assert_null(ss_route_flip(verdict(prefix, "prefill_prefix_contig_splitd_d256")));
	ss_kernel_routes_release(&routes);
	routes = routes_of(&f, BATCH(mixed));
	prefix = find(&routes, SS_STAGE_PREFILL, true);
	assert_true(prefix->request.has_decode_rows);
	assert_string_equal(prefix->selection.beside->candidate->name,
			    "prefill_prefix_decode_rows_xqa");
	ss_kernel_routes_release(&routes);
	/* an option that flips a loser: the paged prefill is off, and alone would win */
	routes = routes_of(&f, BATCH(first_chunk));
	assert_string_equal(ss_route_flip(verdict(find(&routes, SS_STAGE_PREFILL, false),
						  "prefill_no_prefix_paged_cache_flash"))
				    ->option,
			    "attention_config.flash_v100.options.use_paged_prefill");
	ss_kernel_routes_release(&routes);
	fixture_set(&f, "engine.sm70.attention_config.flash_v100.options.use_paged_prefill=true");
	routes = routes_of(&f, BATCH(first_chunk));
	assert_string_equal(winner(&routes, SS_STAGE_PREFILL, false),
			    "prefill_no_prefix_paged_cache_flash");
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void fp8_leaves_the_dense_family(void **state)
{
	struct kernel_fixture f;
	struct ss_dtype_routes rows[8];
	struct ss_batch batch = BATCH(third_chunk);
	size_t count;
	size_t seen = 0;

	(void)state;
	fixture_open(&f, TP4, "");
	assert_int_equal(ss_kernel_dtype_routes(rows, 8, &count, f.kernel, f.scenario, 0, &batch),
			 SS_OK);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].codec->symbol, "FP16") == 0) {
			assert_true(rows[i].is_running);
			assert_true(rows[i].enters_inner && rows[i].enters_inner_prefix);
			assert_int_equal(rows[i].page, 784);
			seen++;
		} else if (strcmp(rows[i].codec->symbol, "BF16") == 0) {
			assert_true(rows[i].is_refused);
			seen++;
		} else {
			assert_false(rows[i].is_running || rows[i].is_refused);
			assert_false(rows[i].enters_inner || rows[i].enters_inner_prefix);
			/* half the bytes a token, so twice the block holds a state */
			assert_int_equal(rows[i].page, 1568);
			assert_non_null(strstr(rows[i].prefix, "fp8_bridge"));
			seen++;
		}
	}
	assert_int_equal(seen, 4);
	fixture_release(&f);
}

/* -- properties ----------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int64_t pick(uint64_t *seed, const int64_t *from, size_t count)
{
	return from[next_random(seed) % count];
}

#define PICK(seed, ...)                              \
	pick(seed, (const int64_t[]){ __VA_ARGS__ }, \
	     sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static const struct ss_reference *reference(const struct kernel_fixture *f)
{
	return ss_basis_inputs(f->basis)->reference;
}

/** A request at random: most are of shapes that some routes take. */
static struct ss_route_request random_request(uint64_t *seed, const struct ss_reference *r)
{
	struct ss_route_request q = {
		.stage = (enum ss_route_stage)(next_random(seed) % SS_STAGE_METADATA),
		.codec = &r->codecs[next_random(seed) % r->codec_count],
		.kv_heads = PICK(seed, 1, 2, 4),
		.head_dim = PICK(seed, 64, 128, 256, 256, 256),
		.page_size = PICK(seed, 16, 784, 832, 1568, 1648, 17),
		.sequences = PICK(seed, 0, 1, 2, 16),
		.model_len = PICK(seed, 0, 32768, 262144),
		.window = PICK(seed, 0, 0, 0, 128),
	};

	q.query_heads = q.kv_heads * PICK(seed, 1, 4, 6, 6, 8);
	if (q.stage == SS_STAGE_PREFILL)
		q.chunk = PICK(seed, 1, 12, 64, 1024, 4096, 7840, 8000, 8191, 8192);
	q.kv_len = q.chunk + PICK(seed, 0, 0, 4096, 32768, 262144);
	q.is_tree = PICK(seed, 0, 0, 0, 1);
	q.is_draft = PICK(seed, 0, 0, 0, 1);
	q.is_anchored = PICK(seed, 0, 0, 0, 1);
	q.is_capturing = PICK(seed, 0, 1);
	q.is_contiguous = PICK(seed, 0, 0, 1);
	q.has_decode_rows = PICK(seed, 0, 1);
	q.is_noncausal = PICK(seed, 0, 0, 0, 1);
	q.is_unserved = PICK(seed, 0, 0, 0, 0, 0, 1);
	return q;
}

static void a_probe_ends_as_the_selection_does(void **state)
{
	struct kernel_fixture f;
	uint64_t seed = 88172645463325252u;
	size_t chosen = 0, refused = 0;

	(void)state;
	fixture_open(&f, TP4, "");
	for (int i = 0; i < 3000; i++) {
		struct ss_route_request q = random_request(&seed, reference(&f));
		enum ss_route_result probe = ss_route_probe(reference(&f), &q);
		struct ss_route_selection s;

		assert_int_equal(ss_route_select(&s, reference(&f), &q, NULL), SS_OK);
		if (s.result == SS_RESULT_CHOSEN || s.result == SS_RESULT_RAISES)
			assert_int_equal(probe, s.result);
		else
			assert_int_equal(probe, SS_RESULT_NO_ROUTE);
		chosen += s.result == SS_RESULT_CHOSEN;
		refused += s.result != SS_RESULT_CHOSEN;
		ss_route_selection_release(&s);
	}
	/* both ends were seen, so the comparison says something */
	assert_true(chosen > 300 && refused > 300);
	fixture_release(&f);
}

static void what_ifs_reach_the_request(void **state)
{
	static const char *const dtypes[] = { "auto", "fp8", "fp8_e5m2" };
	static const char *const symbols[] = { "FP16", "FP8_E4M3", "FP8_E5M2" };
	struct kernel_fixture f;
	uint64_t seed = 2463534242u;

	(void)state;
	fixture_open(&f, TP4, "");
	for (int i = 0; i < 60; i++) {
		size_t dtype = next_random(&seed) % 3;
		int64_t tp = PICK(&seed, 1, 2, 4);
		int64_t block = PICK(&seed, 16, 784, 800, 1024, 1568, 2048);
		int64_t state_page, page;
		struct ss_kernel_routes routes;
		char settings[160];

		(void)snprintf(settings, sizeof(settings), "cache_dtype=%s tp=%lld block_size=%lld",
			       dtypes[dtype], (long long)tp, (long long)block);
		fixture_set(&f, settings);
		routes = routes_of(&f, BATCH(first_chunk));
		/* the page of 784 at 16 bit, twice that at 8 bit, whatever the width of tp */
		state_page = dtype ? 1568 : 784;
		page = block > state_page ? block : state_page;
		for (size_t r = 0; r < routes.count; r++) {
			const struct ss_route_request *q = &routes.items[r].request;

			assert_int_equal(q->page_size, page);
			assert_int_equal(q->query_heads, 24 / tp);
			assert_int_equal(q->kv_heads, 4 / tp);
			assert_string_equal(q->codec->symbol, symbols[dtype]);
			if (q->stage == SS_STAGE_PREFILL && !routes.items[r].has_prefix)
				assert_int_equal(q->chunk, 8192 / page * page);
		}
		ss_kernel_routes_release(&routes);
	}
	fixture_release(&f);
}

/*
 * Published of one V100, 4,096 queries of 6 heads on 1, width 256, at 65,536 tokens: 42.71 ms
 * with keys split in three; 1.779 ms for 4,096 tokens without a prefix. The
 * rates were read off other lengths.
 */
static void a_route_takes_the_time_published_of_it(void **state)
{
	const struct ss_group prefill[] = { { 1, 4096, 61440, 0 } };
	const struct ss_batch batch = BATCH(prefill);
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	const struct ss_kernel_route *route;

	(void)state;
	fixture_open(&f, "qwen3.6-27b-awq-v100-tp4",
		     "block_size=1024 max_num_batched_tokens=4096 max_model_len=262144");
	routes = routes_of(&f, batch);
	route = find(&routes, SS_STAGE_PREFILL, true);
	assert_non_null(route->rate);
	assert_string_equal(route->rate->route, "prefill_dense_splitd_d256_splitkv3_kernel");
	assert_true(fabs(route->seconds * 1e3 / 42.7131 - 1) < 0.03);
	route = find(&routes, SS_STAGE_PREFILL, false);
	assert_true(fabs(route->seconds * 1e3 / 1.779 - 1) < 0.03);
	assert_true(route->better_s > 0 && route->better_s < route->seconds);
	assert_int_equal(route->better_rate->method, SS_METHOD_ASSUMED);
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

static void another_build_has_nothing_of_it(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	struct ss_batch batch = BATCH(one_decode);

	(void)state;
	fixture_open(&f, "llama-3.1-8b-a100-tp2", "");
	assert_false(ss_kernel_is_sm70(f.kernel));
	assert_int_equal(ss_kernel_routes(&routes, f.kernel, &batch), SS_OK);
	assert_int_equal(routes.count, 0);
	assert_null(ss_kernel_gdn_prefill(f.kernel));
	assert_null(ss_kernel_kv_codec(f.kernel));
	assert_int_equal(ss_kernel_moe_bindings(NULL, 0, f.kernel, &batch), 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_of_784_keeps_the_79t_kernels_out),
		cmocka_unit_test(a_block_of_800_reaches_the_79t_kernel),
		cmocka_unit_test(the_last_tokens_of_a_prompt_run_as_they_are),
		cmocka_unit_test(decode_takes_the_xqa_kernel_captured_and_eager),
		cmocka_unit_test(a_short_context_takes_e5m2_to_the_last_resort),
		cmocka_unit_test(without_full_graphs_no_decode_is_captured),
		cmocka_unit_test(speculation_adds_the_verify_stage),
		cmocka_unit_test(a_prefix_gathers_then_runs_dense),
		cmocka_unit_test(fp8_leaves_the_dense_family),
		cmocka_unit_test(a_probe_ends_as_the_selection_does),
		cmocka_unit_test(what_ifs_reach_the_request),
		cmocka_unit_test(a_route_takes_the_time_published_of_it),
		cmocka_unit_test(another_build_has_nothing_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
