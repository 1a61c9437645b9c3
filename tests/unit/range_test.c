#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/range.h"

static void check(const char *text, const double *values, size_t count)
{
	struct range range;
	double value = 0;
	size_t n = 0;

	assert_int_equal(range_parse(&range, text), RANGE_OK);
	while (range_at(&range, (double)n, &value)) {
		assert_in_range(n, 0, count - 1);
		assert_true(value > values[n] - 1e-9 && value < values[n] + 1e-9);
		n++;
	}
	assert_int_equal(n, count);
	assert_true(range_count(&range) > (double)count - 1e-6 &&
		    range_count(&range) < (double)count + 1);
}

static void a_range_steps_by_one_multiplies_or_adds(void **state)
{
	(void)state;
	check("1..4", (const double[]){ 1, 2, 3, 4 }, 4);
	check("1..9:x2", (const double[]){ 1, 2, 4, 8 }, 4);
	check("1..9:+3", (const double[]){ 1, 4, 7 }, 3);
	check("1k..4k:x2", (const double[]){ 1000, 2000, 4000 }, 3);
	check("5..5", (const double[]){ 5 }, 1);
}

static void steps_do_not_drift_past_the_end(void **state)
{
	(void)state;
	check("0.5..0.9:+0.1", (const double[]){ 0.5, 0.6, 0.7, 0.8, 0.9 }, 5);
}

static void what_is_no_range_is_told_from_a_bad_one(void **state)
{
	static const char *const bad[] = { "1..",     "..4",     "4..1",    "1..4:",
					   "1..4:x1", "0..4:x2", "1..4:+0", "1..4:y2",
					   "a..b",    "1..4:x",  "1..4:+-1" };
	struct range range;

	(void)state;
	assert_int_equal(range_parse(&range, "8"), RANGE_NONE);
	assert_int_equal(range_parse(&range, "FULL"), RANGE_NONE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(range_parse(&range, bad[i]), RANGE_BAD);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_steps_by_one_multiplies_or_adds),
		cmocka_unit_test(steps_do_not_drift_past_the_end),
		cmocka_unit_test(what_is_no_range_is_told_from_a_bad_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
