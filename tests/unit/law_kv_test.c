#include "price/kv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"
#include "price/weight_format.h"

static void a_rank_keeps_at_least_one_head(void **state)
{
	(void)state;
	assert_int_equal(kv_heads_per_rank(8, 1), 8);
	assert_int_equal(kv_heads_per_rank(8, 4), 2);
	assert_int_equal(kv_heads_per_rank(8, 8), 1);
	assert_int_equal(kv_heads_per_rank(8, 16), 1);
	assert_int_equal(kv_heads_per_rank(8, 0), 8);
}

static void keys_and_values_are_two_and_a_latent_is_one(void **state)
{
	/* Qwen2.5-7B: 28 layers, 4 KV heads of 128, 16-bit: 57,344. Llama-3.1-8B: 32, 8: 131,072.
	 */
	(void)state;
	assert_close(28 * kv_bytes_per_token(4, 128, 2, false, 1), 57344, 0);
	assert_close(32 * kv_bytes_per_token(8, 128, 2, false, 1), 131072, 0);
	assert_close(kv_bytes_per_token(1, 576, 1, true, 8), 576, 0);
	assert_close(kv_packed_bytes_per_token(1, 656, true, 8), 656, 0);
}

static void a_scorer_keeps_a_key_and_its_scale(void **state)
{
	(void)state;
	assert_close(scorer_key_bytes_per_token(1, 128), 132, 0);
}

static void pages_round_up_and_nothing_takes_none(void **state)
{
	(void)state;
	assert_int_equal(kv_pages(0, 16, 1), 0);
	assert_int_equal(kv_pages(-5, 16, 1), 0);
	assert_int_equal(kv_pages(1, 16, 1), 1);
	assert_int_equal(kv_pages(16, 16, 1), 1);
	assert_int_equal(kv_pages(17, 16, 1), 2);
	for (int64_t tokens = 1; tokens < 3000; tokens += 7)
		for (int64_t dcp = 1; dcp <= 8; dcp++)
			assert_int_equal(kv_pages(tokens, 64, dcp),
					 (tokens + 64 * dcp - 1) / (64 * dcp));
}

static void pages_are_bytes_once_multiplied(void **state)
{
	(void)state;
	assert_int_equal(paged_bytes(17, 16, 1, 100), 3200);
	assert_int_equal(paged_bytes(17, 16, 1, 0.5625), 18);
	assert_int_equal(paged_bytes(0, 16, 1, 100), 0);
	assert_int_equal(paged_bytes(513, 64, 8, 10), 2 * 64 * 10);
}

static void only_four_bit_weights_have_scales(void **state)
{
	(void)state;
	assert_close(weight_scale_bytes(SS_DTYPE_NVFP4, 1600, 0, false), 100, 0);
	assert_close(weight_scale_bytes(SS_DTYPE_MXFP4, 3200, 0, false), 100, 0);
	assert_close(weight_scale_bytes(SS_DTYPE_INT4, 3200, 32, false), 200, 0);
	assert_close(weight_scale_bytes(SS_DTYPE_INT4, 1280, 0, false), 20, 0);
	/* a 4-bit zero point beside each 16-bit scale */
	assert_close(weight_scale_bytes(SS_DTYPE_INT4, 1280, 128, true), 25, 0);
	assert_close(weight_scale_bytes(SS_DTYPE_FP8, 3200, 32, false), 0, 0);
	assert_close(weight_scale_bytes(SS_DTYPE_BF16, 3200, 32, false), 0, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_keeps_at_least_one_head),
		cmocka_unit_test(keys_and_values_are_two_and_a_latent_is_one),
		cmocka_unit_test(a_scorer_keeps_a_key_and_its_scale),
		cmocka_unit_test(pages_round_up_and_nothing_takes_none),
		cmocka_unit_test(pages_are_bytes_once_multiplied),
		cmocka_unit_test(only_four_bit_weights_have_scales),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
