/* Structure and XQA rules: what each declared route admits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_testing.h"

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

static int64_t first_or(const struct ss_numbers *numbers, int64_t otherwise)
{
	return numbers->count > 0 ? numbers->items[0] : otherwise;
}

static bool numbers_have(const struct ss_numbers *numbers, int64_t value)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->items[i] == value)
			return true;
	return false;
}

/* A request that meets every limit of the route and no more. */
static struct ss_route_request just_meets(const struct ss_attention_route *route)
{
	struct ss_route_request q = { .stage = route->stage };

	if (q.stage == SS_STAGE_ANY)
		q.stage = SS_STAGE_DECODE;
	q.codec = ss_codec_by_symbol(pack, route->codecs.items[0]);
	q.head_dim = first_or(&route->head_dims, 96);
	q.kv_heads = 2;
	q.query_heads = 2 * first_or(&route->gqa_ratios, 1);
	if (route->is_xqa)
		q.query_heads = 2 * 6; /* the ratio that every XQA rule lets pass */
	q.page_size = first_or(&route->page_sizes, route->page_alignment);
	q.chunk = first_or(&route->chunk_sizes, route->min_chunk);
	q.rows = 1;
	q.length_hint = 32768;
	return q;
}

static void admitted(const struct ss_attention_route *route, const struct ss_route_request *q)
{
	char detail[256] = "";
	const char *reason = ss_route_admit(pack, route, q, detail, sizeof(detail));

	if (reason)
		print_message("# %s: %s (%s)\n", route->name, reason, detail);
	assert_null(reason);
}

static void refused(const struct ss_attention_route *route, const struct ss_route_request *q,
		    const char *wanted)
{
	char detail[256] = "";
	const char *reason = ss_route_admit(pack, route, q, detail, sizeof(detail));

	if (!reason || strcmp(reason, wanted) != 0)
		print_message("# %s: wanted %s, got %s\n", route->name, wanted,
			      reason ? reason : "admitted");
	assert_non_null(reason);
	assert_string_equal(reason, wanted);
	assert_string_not_equal(detail, "");
}

static void every_route_admits_what_just_meets_it(void **state)
{
	(void)state;
	assert_int_equal(pack->route_count, 60);
	for (size_t i = 0; i < pack->route_count; i++) {
		struct ss_route_request q = just_meets(&pack->routes[i]);

		admitted(&pack->routes[i], &q);
	}
}

static void every_listed_value_is_admitted(void **state)
{
	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);

		for (size_t j = 0; j < route->head_dims.count; j++) {
			q.head_dim = route->head_dims.items[j];
			admitted(route, &q);
		}
		for (size_t j = 0; j < route->page_sizes.count; j++) {
			q.page_size = route->page_sizes.items[j];
			admitted(route, &q);
		}
		for (size_t j = 0; j < route->chunk_sizes.count; j++) {
			q.chunk = route->chunk_sizes.items[j];
			admitted(route, &q);
		}
		if (route->max_chunk >= 0) {
			q.chunk = route->max_chunk;
			admitted(route, &q);
		}
		q = just_meets(route);
		for (size_t j = 0; j < route->codecs.count; j++) {
			q.codec = ss_codec_by_symbol(pack, route->codecs.items[j]);
			admitted(route, &q);
		}
		q = just_meets(route);
		for (size_t j = 0; !route->is_xqa && j < route->gqa_ratios.count; j++) {
			q.query_heads = q.kv_heads * route->gqa_ratios.items[j];
			admitted(route, &q);
		}
	}
}

static void another_stage_is_the_first_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);

		for (int s = 0; s < SS_STAGE_ANY; s++) {
			q.stage = (enum ss_route_stage)s;
			q.codec = NULL; /* wrong too, but checked later */
			if (route->stage == SS_STAGE_ANY || route->stage == q.stage)
				refused(route, &q, "codec");
			else
				refused(route, &q, "stage");
		}
	}
}

static void policy_and_missing_code_come_before_the_shape(void **state)
{
	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);
		const struct ss_names one = { &route->name, 1 };

		q.codec = NULL;
		q.unavailable = one;
		refused(route, &q, "unavailable");
		q.disabled = one;
		refused(route, &q, "disabled");
	}
}

static void a_codec_that_is_not_listed_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);

		q.codec = NULL;
		refused(route, &q, "codec");
		for (size_t j = 0; j < pack->codec_count; j++) {
			bool is_listed = false;

			q.codec = &pack->codecs[j];
			for (size_t k = 0; k < route->codecs.count; k++)
				is_listed |= strcmp(route->codecs.items[k], q.codec->symbol) == 0;
			if (!is_listed)
				refused(route, &q, "codec");
		}
	}
}

static void one_beside_a_listed_number_is_refused(void **state)
{
	size_t missed = 0;

	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);

		if (route->head_dims.count > 0) {
			q.head_dim--;
			refused(route, &q, "head_dim");
			missed++;
		}
		q = just_meets(route);
		if (route->gqa_ratios.count > 0) {
			q.query_heads = q.kv_heads * 5;
			refused(route, &q, "gqa");
			q.query_heads = q.kv_heads * 6 + 1; /* does not divide */
			refused(route, &q, "gqa");
			q.kv_heads = 0;
			refused(route, &q, "gqa");
			missed++;
		}
	}
	assert_true(missed >= 40);
}

static void pages_are_aligned_and_listed(void **state)
{
	size_t aligned = 0;
	size_t listed = 0;

	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);

		if (route->page_alignment > 1) {
			q.page_size++;
			refused(route, &q, "page_alignment");
			q.page_size = 0;
			refused(route, &q, "page_alignment");
			aligned++;
		} else {
			q.page_size = 0;
			admitted(route, &q);
		}
		q = just_meets(route);
		if (route->page_sizes.count > 0) {
			q.page_size += route->page_alignment;
			refused(route, &q, "page_size");
			listed++;
		}
	}
	assert_int_equal(aligned, 6);
	assert_int_equal(listed, 2);
}

static void chunks_are_bounded_aligned_and_listed(void **state)
{
	size_t bounded = 0;

	(void)state;
	for (size_t i = 0; i < pack->route_count; i++) {
		const struct ss_attention_route *route = &pack->routes[i];
		struct ss_route_request q = just_meets(route);

		if (route->min_chunk > 0) {
			q.chunk = route->min_chunk - 1;
			refused(route, &q, "min_chunk");
			bounded++;
		}
		if (route->max_chunk >= 0) {
			q.chunk = route->max_chunk + 1;
			refused(route, &q, "max_chunk");
		}
		if (route->chunk_alignment > 1) {
			q.chunk = route->min_chunk + 1;
			refused(route, &q, "chunk_alignment");
		}
		if (route->chunk_sizes.count > 0) {
			q.chunk = route->chunk_sizes.items[0] + 1;
			assert_false(numbers_have(&route->chunk_sizes, q.chunk));
			refused(route, &q, "chunk_size");
		}
	}
	assert_int_equal(bounded, 8);
}

static void a_route_without_limits_admits_any_shape(void **state)
{
	const struct ss_attention_route *route = ss_reference_route(pack, "decode_scalar_paged");
	struct ss_route_request q = { .stage = SS_STAGE_DECODE };

	(void)state;
	assert_non_null(route);
	q.codec = ss_codec_by_symbol(pack, "FP16");
	q.query_heads = 7;
	q.kv_heads = 3;
	q.page_size = 17;
	admitted(route, &q);
}

/* Rows of the selectors' table of XQA reasons, in its order. */
static void xqa_rules_give_their_reasons_in_order(void **state)
{
	static const char verify[] = "prefill_smallq_decode_xqa";
	static const char decode[] = "decode_xqa_paged";
	/* clang-format off */
	static const struct {
		const char *route, *codec;
		int64_t heads, hint, rows, sequence_rows, window, partition;
		const char *reason;
	} rows[] = {
		{ verify, "FP16", 6, 65536, 2, 0, 128, 0, "partition_or_window" },
		{ verify, "FP16", 6, 65536, 2, 0, 0, 256, "partition_or_window" },
		{ decode, "FP16", 6, 65536, 2, 0, 0, 256, NULL },
		{ decode, "FP16", 6, 65536, 2, 3, 128, 0, "sequence_rows" },
		{ decode, "FP16", 4, 32767, 1, 0, 0, 0, "short_gqa4" },
		{ decode, "FP16", 4, 32768, 1, 0, 0, 0, NULL },
		{ decode, "FP16", 6, 1, 1, 0, 0, 0, NULL },
		{ decode, "FP8_E4M3", 8, 65536, 1, 0, 0, 0, "e4m3_gqa" },
		{ decode, "FP8_E4M3", 6, 65536, 8, 0, 0, 0, NULL },
		{ verify, "FP16", 6, 4095, 2, 0, 0, 0, "short_verify" },
		{ verify, "FP16", 6, 4096, 2, 0, 0, 0, NULL },
		{ verify, "FP8_E5M2", 6, 16383, 2, 0, 0, 0, "short_verify" },
		{ verify, "FP8_E5M2", 6, 16384, 2, 0, 0, 0, NULL },
		{ decode, "FP8_E5M2", 4, 65536, 1, 0, 0, 0, "e5m2_gqa4" },
		{ decode, "FP8_E5M2", 6, 16383, 1, 0, 0, 0, "short_e5m2" },
		{ decode, "FP8_E5M2", 6, 16384, 1, 0, 0, 0, NULL },
		{ decode, "FP16", 8, 65536, 1, 0, 4096, 0, "window" },
		{ "prefill_prefix_decode_rows_xqa", "FP16", 8, 65536, 1, 0, 4096, 0, NULL },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ss_attention_route *route = ss_reference_route(pack, rows[i].route);
		struct ss_route_request q = { .head_dim = 256, .kv_heads = 1, .page_size = 16 };

		assert_non_null(route);
		q.stage = route->stage;
		q.codec = ss_codec_by_symbol(pack, rows[i].codec);
		q.query_heads = rows[i].heads;
		q.length_hint = rows[i].hint;
		q.rows = rows[i].rows;
		q.sequence_rows = rows[i].sequence_rows;
		q.window = rows[i].window;
		q.partition = rows[i].partition;
		if (rows[i].reason)
			refused(route, &q, rows[i].reason);
		else
			admitted(route, &q);
	}
}

static void e4m3_batches_need_their_option(void **state)
{
	static const char *const off[] = {
		"attention_config.flash_v100.options.e4m3_batch_xqa=False", NULL
	};
	const struct engine_settings pairs = { off };
	const struct ss_settings settings = engine_settings(&pairs);
	const struct ss_attention_route *route = ss_reference_route(pack, "decode_xqa_paged");
	struct ss_route_request q = { .stage = SS_STAGE_DECODE,
				      .codec = ss_codec_by_symbol(pack, "FP8_E4M3"),
				      .query_heads = 6,
				      .kv_heads = 1,
				      .head_dim = 256,
				      .page_size = 16,
				      .rows = 2,
				      .settings = &settings };

	(void)state;
	refused(route, &q, "e4m3_batch");
	q.rows = 1;
	admitted(route, &q);
}

static void a_ratio_is_zero_unless_heads_divide(void **state)
{
	struct ss_route_request q = { .query_heads = 24, .kv_heads = 4 };

	(void)state;
	assert_int_equal(ss_route_gqa(&q), 6);
	q.kv_heads = 5;
	assert_int_equal(ss_route_gqa(&q), 0);
	q.kv_heads = 0;
	assert_int_equal(ss_route_gqa(&q), 0);
}

/* The codec table of the selectors: exact, with its case. */
static void a_dtype_resolves_by_its_exact_alias(void **state)
{
	static const char *const rows[][2] = {
		{ "auto", "FP16" },    { "float16", "FP16" },      { "bfloat16", "BF16" },
		{ "fp8", "FP8_E4M3" }, { "fp8_e4m3", "FP8_E4M3" }, { "fp8_e5m2", "FP8_E5M2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ss_kv_codec *codec = ss_codec_resolve(pack, rows[i][0]);

		assert_non_null(codec);
		assert_string_equal(codec->symbol, rows[i][1]);
	}
	assert_string_equal(ss_codec_resolve(pack, NULL)->symbol, "FP16");
	assert_null(ss_codec_resolve(pack, "FP8"));
	assert_null(ss_codec_resolve(pack, "Auto"));
	assert_null(ss_codec_resolve(pack, "fp8_inc"));
	assert_null(ss_codec_resolve(pack, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_route_admits_what_just_meets_it),
		cmocka_unit_test(every_listed_value_is_admitted),
		cmocka_unit_test(another_stage_is_the_first_reason),
		cmocka_unit_test(policy_and_missing_code_come_before_the_shape),
		cmocka_unit_test(a_codec_that_is_not_listed_is_refused),
		cmocka_unit_test(one_beside_a_listed_number_is_refused),
		cmocka_unit_test(pages_are_aligned_and_listed),
		cmocka_unit_test(chunks_are_bounded_aligned_and_listed),
		cmocka_unit_test(a_route_without_limits_admits_any_shape),
		cmocka_unit_test(xqa_rules_give_their_reasons_in_order),
		cmocka_unit_test(e4m3_batches_need_their_option),
		cmocka_unit_test(a_ratio_is_zero_unless_heads_divide),
		cmocka_unit_test(a_dtype_resolves_by_its_exact_alias),
	};

	return cmocka_run_group_tests(tests, load_pack, free_pack);
}
