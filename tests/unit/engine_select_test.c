/* Which candidate a stage takes, and why not the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_testing.h"

#define OPTIONS "attention_config.flash_v100.options."

static struct ss_reference *pack;

static int load_pack(void **state)
{
	(void)state;
	pack = engine_pack();
	return pack ? 0 : -1;
}

static int free_pack(void **state)
{
	(void)state;
	ss_reference_free(pack);
	return 0;
}

/* One rank of a model with 24 query heads on 4, head 256, at tp 4. */
static struct ss_route_request request(enum ss_route_stage stage, const char *codec)
{
	return (struct ss_route_request){ .stage = stage,
					  .codec = ss_codec_by_symbol(pack, codec),
					  .query_heads = 6,
					  .kv_heads = 1,
					  .head_dim = 256,
					  .page_size = 784,
					  .model_len = 262144 };
}

static void takes(const struct ss_route_request *q, const char *winner, const char *inner)
{
	struct ss_route_selection s;

	assert_int_equal(ss_route_select(&s, pack, q, NULL), SS_OK);
	if (!s.winner)
		print_message("# %s\n", s.message);
	assert_int_equal(s.result, SS_RESULT_CHOSEN);
	assert_string_equal(s.winner->candidate->name, winner);
	if (inner)
		assert_non_null(s.inner);
	else
		assert_null(s.inner);
	if (inner)
		assert_string_equal(s.inner->candidate->name, inner);
	for (size_t i = 0; i < s.verdict_count; i++)
		assert_string_not_equal(s.verdicts[i].reason, "");
	ss_route_selection_release(&s);
}

static const struct ss_route_verdict *find(const struct ss_route_selection *s, const char *name)
{
	for (size_t i = 0; i < s->verdict_count; i++)
		if (strcmp(s->verdicts[i].candidate->name, name) == 0)
			return &s->verdicts[i];
	fail_msg("no verdict on %s", name);
	return NULL;
}

/* Thresholds of the selectors' table of prefill. */
static void a_long_chunk_without_a_prefix_enters_the_dense_family(void **state)
{
	static const char dense[] = "prefill_no_prefix_dense_flash";
	static const struct {
		int64_t chunk;
		const char *inner;
	} rows[] = {
		{ 512, NULL }, /* below 1024 rows */
		{ 1024, "prefill_dense_splitd_d256" },
		{ 7840, NULL }, /* no multiple of 64 */
		{ 8000, "prefill_dense_d256_gqa_79t_fp32" },
		{ 8001, "prefill_dense_d256_gqa_79t_fp32_q8192_pad" },
		{ 8191, "prefill_dense_d256_gqa_79t_fp32_q8192_pad" },
		{ 8192, "prefill_dense_d256_gqa_79t_fp32_q8192" },
		{ 8256, "prefill_dense_splitd_d256" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");

		q.chunk = rows[i].chunk;
		takes(&q, dense, rows[i].inner);
	}
}

static void a_prefix_walks_the_sequence_candidates(void **state)
{
	static const struct {
		const char *codec;
		int64_t chunk, prefix, page;
		const char *winner, *inner;
	} rows[] = {
		{ "FP16", 4096, 4096, 784, "prefill_prefix_gather_splitd_d256",
		  "prefill_dense_splitd_d256" },
		{ "FP16", 4096, 32768, 784, "prefill_prefix_gather_splitd_d256",
		  "prefill_dense_splitd_d256_splitkv3_kernel" },
		{ "FP16", 8000, 32768, 784, "prefill_prefix_gather_splitd_d256",
		  "prefill_dense_d256_gqa_79t_fp32" },
		{ "FP16", 4096, 4095, 784, "prefill_prefix_paged_splitd_d256", NULL },
		{ "FP16", 4096, 4095, 785, "paged flash", NULL },
		{ "FP16", 512, 65536, 784, "paged flash", NULL },
		{ "FP8_E4M3", 4096, 4096, 784, "prefill_prefix_fp8_bridge_exact_dense_d256", NULL },
		{ "FP8_E5M2", 31, 4096, 784, "paged flash", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_route_request q = request(SS_STAGE_PREFILL, rows[i].codec);

		q.chunk = rows[i].chunk;
		q.prefix_len = rows[i].prefix;
		q.page_size = rows[i].page;
		takes(&q, rows[i].winner, rows[i].inner);
	}
}

static void decode_prefers_xqa_and_falls_to_scalar(void **state)
{
	struct ss_route_request q = request(SS_STAGE_DECODE, "FP16");

	(void)state;
	q.kv_len = 4096;
	takes(&q, "decode_xqa_paged", NULL);
	q.query_heads = 5;
	takes(&q, "decode_scalar_paged", NULL);
	q.query_heads = 4;
	takes(&q, "decode_scalar_paged", NULL);
	q.kv_len = 32768;
	takes(&q, "decode_xqa_paged", NULL);
	q = request(SS_STAGE_DECODE, "FP8_E4M3");
	q.window = 512;
	takes(&q, "decode_e4m3_compact_scalar_tail", NULL);
}

static void verify_takes_the_grouped_routes_where_the_page_fits(void **state)
{
	struct ss_route_request q = request(SS_STAGE_VERIFY, "FP16");

	(void)state;
	q.rows = 3;
	q.kv_len = 65536;
	takes(&q, "prefill_smallq_decode_xqa", NULL);
	q.page_size = 832;
	takes(&q, "prefill_smallq_fp16_grouped_fp32", NULL);
	q.sequences = 5;
	takes(&q, "prefill_smallq_decode_xqa", NULL);
	q = request(SS_STAGE_VERIFY, "FP8_E5M2");
	q.rows = 8;
	q.kv_len = 4096;
	q.page_size = 1648;
	takes(&q, "prefill_smallq_dflash2_grouped_verify", NULL);
	q.model_len = 32767;
	takes(&q, "prefill_smallq_decode_scalar", NULL);
}

static void a_tree_has_its_own_order(void **state)
{
	struct ss_route_request q = request(SS_STAGE_VERIFY, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.rows = 4;
	q.is_tree = true;
	takes(&q, "prefill_ddtree_triton", NULL);
	q.codec = ss_codec_by_symbol(pack, "FP8_E4M3");
	takes(&q, "prefill_ddtree_dense", NULL);
	q.is_capturing = true;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_NO_ROUTE);
	assert_null(s.winner);
	ss_route_selection_release(&s);
}

static void mixed_decode_is_entered_on_its_conditions_only(void **state)
{
	struct ss_route_request q = request(SS_STAGE_MIXED_DECODE, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.kv_len = 4096;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_NOT_ENTERED);
	assert_non_null(strstr(s.message, "min_sequences 2, has 1"));
	ss_route_selection_release(&s);
	q.sequences = 2;
	takes(&q, "prefill_prefix_decode_rows_xqa", NULL);
	q.window = 128;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_NOT_ENTERED);
	ss_route_selection_release(&s);
}

static void a_prefill_beside_decodes_shows_who_serves_them(void **state)
{
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.chunk = 4096;
	q.prefix_len = 8192;
	q.sequences = 4;
	q.has_decode_rows = true;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_string_equal(s.winner->candidate->name, "prefill_prefix_gather_splitd_d256");
	assert_non_null(s.beside);
	assert_string_equal(s.beside->candidate->name, "prefill_prefix_decode_rows_xqa");
	ss_route_selection_release(&s);
}

static void a_small_query_takes_the_verify_order(void **state)
{
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");

	(void)state;
	q.chunk = 16;
	q.prefix_len = 8192;
	takes(&q, "prefill_smallq_decode_xqa", NULL);
	q.chunk = 17;
	takes(&q, "paged flash", NULL);
}

static void an_opt_in_needs_its_option(void **state)
{
	static const char *const on[] = { OPTIONS "bfla=true", NULL };
	const struct engine_settings pairs = { on };
	const struct ss_settings settings = engine_settings(&pairs);
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.chunk = 4096;
	q.prefix_len = 32768;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_string_equal(find(&s, "prefill_prefix_bfla")->needs[0].option, OPTIONS "bfla");
	assert_string_equal(find(&s, "prefill_prefix_bfla")->needs[0].value, "true");
	assert_int_equal(find(&s, "prefill_prefix_bfla")->need_count, 1);
	ss_route_selection_release(&s);
	q.settings = &settings;
	takes(&q, "prefill_prefix_bfla", NULL);
}

static void records_observers_and_inferred_routes_are_never_taken(void **state)
{
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.chunk = 4096;
	q.prefix_len = 8192;
	q.backend = "FLASHINFER_SM70";
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(find(&s, "prefill_prefix_flash")->outcome, SS_ROUTE_RECORDED);
	assert_int_equal(find(&s, "flashinfer_sm70_fixed_entry")->outcome, SS_ROUTE_RECORDED);
	assert_int_equal(find(&s, "prefill_dense_d256_gqa_79t_fp32_q4096")->outcome,
			 SS_ROUTE_MAY_RUN);
	assert_int_equal(find(&s, "prefill_dense_splitd_d256_splitkv_kernel")->outcome,
			 SS_ROUTE_MAY_RUN);
	assert_true(find(&s, "prefill_dense_d256_gqa_79t_fp32_q4096")->candidate->is_inferred);
	assert_false(s.winner->candidate->is_inferred);
	ss_route_selection_release(&s);
	q = request(SS_STAGE_METADATA, "FP16");
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_RECORDS);
	ss_route_selection_release(&s);
}

static void a_gate_acts_only_when_its_conditions_hold(void **state)
{
	static const char *const off[] = { OPTIONS "decode_use_scalar_paged=False", NULL };
	static const char *const allowed[] = { OPTIONS "decode_use_scalar_paged=False",
					       "VLLM_FLASH_V100_ALLOW_TRITON_FALLBACK=1", NULL };
	const struct engine_settings without = { off };
	const struct engine_settings with = { allowed };
	const struct ss_settings settings = engine_settings(&without);
	const struct ss_settings fallback = engine_settings(&with);
	static const char *const missing[] = { "paged_decode" };
	struct ss_route_request q = request(SS_STAGE_DECODE, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.kv_len = 4096;
	q.settings = &settings;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_RAISES);
	assert_int_equal(find(&s, "decode_triton_scalar_disabled")->outcome, SS_ROUTE_RAISES);
	assert_int_equal(find(&s, "decode_xqa_paged")->outcome, SS_ROUTE_REFUSED);
	ss_route_selection_release(&s);
	q.settings = &fallback;
	takes(&q, "decode_triton_scalar_disabled", NULL);
	q.absent_native = (struct ss_names){ missing, 1 };
	takes(&q, "decode_triton_no_flash_decode", NULL);
}

static void a_layer_that_is_not_served_raises_or_takes_triton(void **state)
{
	static const char *const allowed[] = { "VLLM_FLASH_V100_ALLOW_TRITON_FALLBACK=1", NULL };
	const struct engine_settings with = { allowed };
	const struct ss_settings settings = engine_settings(&with);
	struct ss_route_request q = request(SS_STAGE_DECODE, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.is_unserved = true;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_RAISES);
	ss_route_selection_release(&s);
	q.settings = &settings;
	takes(&q, "unsupported_triton_fallback", NULL);
	q.is_draft = true;
	takes(&q, "dflash_draft_triton_fallback", NULL);
}

static void an_anchored_mask_has_one_route_or_none(void **state)
{
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.chunk = 4096;
	q.prefix_len = 8192;
	q.is_anchored = true;
	takes(&q, "prefill_prefix_paged_anchored", NULL);
	q.codec = ss_codec_by_symbol(pack, "FP8_E4M3");
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_int_equal(s.result, SS_RESULT_NO_ROUTE);
	ss_route_selection_release(&s);
}

static void a_dtype_without_a_codec_leaves_no_route(void **state)
{
	static const enum ss_route_stage stages[] = { SS_STAGE_DECODE, SS_STAGE_PREFILL,
						      SS_STAGE_VERIFY };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ss_route_request q = request(stages[i], "FP16");
		struct ss_route_selection s;

		q.codec = NULL;
		q.chunk = stages[i] == SS_STAGE_PREFILL ? 4096 : 0;
		q.prefix_len = 4096;
		assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
		assert_int_equal(s.result, SS_RESULT_NO_ROUTE);
		ss_route_selection_release(&s);
	}
}

/* The block of 784 schedules 7840 of a budget of 8192, and 800 schedules 8000. */
static void the_next_better_route_tells_all_it_needs(void **state)
{
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.chunk = 7840;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_string_equal(s.next_better->candidate->name, "prefill_dense_d256_gqa_79t_fp32");
	assert_int_equal(s.next_better->need_count, 1);
	assert_string_equal(s.next_better->needs[0].text, "chunk 8000-8192, has 7840");
	ss_route_selection_release(&s);
	q.codec = ss_codec_by_symbol(pack, "FP8_E4M3");
	q.chunk = 8000;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_string_equal(s.winner->candidate->name, "prefill_no_prefix_dense_flash");
	assert_null(s.inner);
	assert_string_equal(s.next_better->candidate->name, "prefill_dense_d256_gqa_79t_fp32");
	assert_string_equal(s.next_better->needs[0].text, "codec FP16, has FP8_E4M3");
	ss_route_selection_release(&s);
}

static void an_unmet_condition_says_what_it_has(void **state)
{
	struct ss_route_request q = request(SS_STAGE_PREFILL, "FP16");
	struct ss_route_selection s;

	(void)state;
	q.chunk = 2048;
	q.prefix_len = 8192;
	assert_int_equal(ss_route_select(&s, pack, &q, NULL), SS_OK);
	assert_string_equal(find(&s, "prefill_prefix_gather_splitd_d256")->reason,
			    "requires min_q 4096, has 2048");
	assert_int_equal(find(&s, "paged flash")->outcome, SS_ROUTE_LATER);
	ss_route_selection_release(&s);
}

static void every_declared_route_stands_in_the_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		size_t places = 0;

		for (size_t j = 0; j < pack->order.walk_count; j++)
			for (size_t k = 0; k < pack->order.walks[j].candidate_count; k++)
				places += pack->order.walks[j].candidates[k].route ==
					  &pack->routes[i];
		assert_true(places > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_chunk_without_a_prefix_enters_the_dense_family),
		cmocka_unit_test(a_prefix_walks_the_sequence_candidates),
		cmocka_unit_test(decode_prefers_xqa_and_falls_to_scalar),
		cmocka_unit_test(verify_takes_the_grouped_routes_where_the_page_fits),
		cmocka_unit_test(a_tree_has_its_own_order),
		cmocka_unit_test(mixed_decode_is_entered_on_its_conditions_only),
		cmocka_unit_test(a_prefill_beside_decodes_shows_who_serves_them),
		cmocka_unit_test(a_small_query_takes_the_verify_order),
		cmocka_unit_test(an_opt_in_needs_its_option),
		cmocka_unit_test(records_observers_and_inferred_routes_are_never_taken),
		cmocka_unit_test(a_gate_acts_only_when_its_conditions_hold),
		cmocka_unit_test(a_layer_that_is_not_served_raises_or_takes_triton),
		cmocka_unit_test(an_anchored_mask_has_one_route_or_none),
		cmocka_unit_test(a_dtype_without_a_codec_leaves_no_route),
		cmocka_unit_test(the_next_better_route_tells_all_it_needs),
		cmocka_unit_test(an_unmet_condition_says_what_it_has),
		cmocka_unit_test(every_declared_route_stands_in_the_order),
	};

	return cmocka_run_group_tests(tests, load_pack, free_pack);
}
