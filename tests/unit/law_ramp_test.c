#include "price/ramp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"
#include "price/gemm.h"

static void half_the_share_is_reached_at_the_half(void **state)
{
	(void)state;
	assert_close(ramp(0.8, 100, 100), 0.4, 1e-15);
	assert_close(ramp(0.25, 3, 3), 0.125, 1e-15);
}

static void more_rows_never_reach_less_and_never_all(void **state)
{
	double last = 0;

	(void)state;
	for (double m = 1; m < 1e9; m *= 3) {
		double share = ramp(0.9, 128, m);

		assert_true(share > last && share < 0.9);
		last = share;
	}
	assert_close(ramp(0.9, 128, 1e15), 0.9, 1e-12);
}

static void no_rows_or_no_share_reach_nothing(void **state)
{
	(void)state;
	assert_close(ramp(0.9, 128, 0), 0, 0);
	assert_close(ramp(0.9, 128, -1), 0, 0);
	assert_close(ramp(0.9, 0, 0), 0, 0);
	assert_close(ramp(0, 128, 10), 0, 0);
	assert_close(ramp(-0.1, 128, 10), 0, 0);
}

static void without_a_half_all_is_reached_at_once(void **state)
{
	(void)state;
	assert_close(ramp(0.9, 0, 1), 0.9, 0);
	assert_close(ramp(0.9, -5, 1), 0.9, 0);
}

static void each_side_at_its_half_halves_the_share(void **state)
{
	(void)state;
	assert_close(ramp(0.8, 10, 10) * shape_factor(20, 30, 20, 30), 0.1, 1e-15);
	assert_close(shape_factor(20, 0, 20, 7), 0.5, 0);
	assert_close(shape_factor(0, 30, 7, 30), 0.5, 0);
	assert_close(shape_factor(0, 0, 7, 7), 1, 0);
}

static void a_shape_never_adds(void **state)
{
	(void)state;
	for (double n = 1; n < 1e6; n *= 7)
		for (double k = 1; k < 1e6; k *= 7)
			assert_true(shape_factor(512, 512, n, k) > 0 &&
				    shape_factor(512, 512, n, k) < 1);
}

static void what_reads_the_residual_and_does_not_write_it_is_cut_by_columns(void **state)
{
	(void)state;
	assert_true(gemm_shards_n(900, 600, 600));
	assert_false(gemm_shards_n(600, 900, 600));
	assert_false(gemm_shards_n(600, 600, 600));
	assert_false(gemm_shards_n(900, 128, 600));
}

static void only_column_parallel_products_of_one_input_merge(void **state)
{
	(void)state;
	assert_true(gemm_merges(900, 600, 64, 600, 600));
	assert_false(gemm_merges(900, 600, 600, 900, 600));
	assert_false(gemm_merges(900, 128, 64, 128, 600));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_the_share_is_reached_at_the_half),
		cmocka_unit_test(more_rows_never_reach_less_and_never_all),
		cmocka_unit_test(no_rows_or_no_share_reach_nothing),
		cmocka_unit_test(without_a_half_all_is_reached_at_once),
		cmocka_unit_test(each_side_at_its_half_halves_the_share),
		cmocka_unit_test(a_shape_never_adds),
		cmocka_unit_test(what_reads_the_residual_and_does_not_write_it_is_cut_by_columns),
		cmocka_unit_test(only_column_parallel_products_of_one_input_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
