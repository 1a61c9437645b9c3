#include "price/experts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

static void the_heaviest_rank_holds_the_rounded_up_share(void **state)
{
	(void)state;
	for (int64_t experts = 1; experts <= 96; experts++)
		for (int64_t ep = 1; ep <= experts; ep++) {
			int64_t heaviest = experts_heaviest(experts, 3, ep);

			assert_true(heaviest * ep >= experts + 3);
			assert_true((heaviest - 1) * ep < experts + 3);
		}
}

static void one_rank_holds_them_all(void **state)
{
	(void)state;
	assert_int_equal(experts_heaviest(256, 32, 1), 288);
	assert_int_equal(experts_heaviest(256, 0, 0), 256);
}

static void one_token_touches_its_own_share(void **state)
{
	(void)state;
	assert_close(experts_touched(1, 256, 8, 256), 8, 1e-12);
	assert_close(experts_touched(1, 256, 8, 32), 1, 1e-12);
}

static void two_tokens_touch_less_than_twice_one(void **state)
{
	double last = 0;
	double last_gain = INFINITY;

	(void)state;
	for (int rows = 1; rows < 150; rows++) {
		double touched = experts_touched(rows, 64, 6, 16);

		assert_true(touched > last && touched <= 16);
		assert_true(touched - last < last_gain);
		last_gain = touched - last;
		last = touched;
	}
}

static void nothing_routed_or_nothing_held_touches_nothing(void **state)
{
	(void)state;
	assert_close(experts_touched(0, 256, 8, 32), 0, 0);
	assert_close(experts_touched(-1, 256, 8, 32), 0, 0);
	assert_close(experts_touched(9, 256, 8, 0), 0, 0);
}

static void a_router_that_is_not_stated_touches_all(void **state)
{
	(void)state;
	assert_close(experts_touched(1, 0, 8, 32), 32, 0);
	assert_close(experts_touched(1, 256, 0, 32), 32, 0);
	assert_close(experts_touched(1, 8, 8, 8), 8, 0);
	assert_close(experts_touched(1, 8, 9, 8), 8, 0);
}

static void an_expert_is_its_matrices(void **state)
{
	(void)state;
	assert_close(expert_parameters(3, 10, 20), 600, 0);
	assert_close(expert_parameters(2, 10, 20), 400, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heaviest_rank_holds_the_rounded_up_share),
		cmocka_unit_test(one_rank_holds_them_all),
		cmocka_unit_test(one_token_touches_its_own_share),
		cmocka_unit_test(two_tokens_touch_less_than_twice_one),
		cmocka_unit_test(nothing_routed_or_nothing_held_touches_nothing),
		cmocka_unit_test(a_router_that_is_not_stated_touches_all),
		cmocka_unit_test(an_expert_is_its_matrices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
