#include "price/collective.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

static void an_empty_collective_costs_its_floor(void **state)
{
	(void)state;
	assert_close(collective_us(16, 1000, 2000, 0), 16, 0);
	assert_close(collective_us(16, 1000, 2000, -4), 16, 0);
}

static void the_transition_rate_adds_to_the_floor(void **state)
{
	(void)state;
	assert_close(collective_us(16, 1000, 2000, 4000), 20, 0);
}

static void at_the_knee_both_rates_agree(void **state)
{
	/* 16 + b / 2000 = b / 1000 */
	(void)state;
	assert_close(collective_us(16, 2000, 1000, 32000), 32, 0);
	assert_close(collective_us(16, 2000, 1000, 64000), 64, 0);
}

static void nothing_beats_the_peak_and_more_is_never_cheaper(void **state)
{
	static const double transitions[] = { 0, 10, 1000, 1e6 };

	(void)state;
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		double last = 0;

		for (double b = 1; b < 1e12; b *= 5) {
			double t = collective_us(12, transitions[i], 5000, b);

			assert_true(t >= b / 5000 && t >= 12 && t >= last);
			last = t;
		}
	}
}

static void without_a_transition_the_floor_holds_until_the_peak(void **state)
{
	(void)state;
	assert_close(collective_us(10, 0, 100, 1000), 10, 0);
	assert_close(collective_us(10, 0, 100, 2000), 20, 0);
}

static void a_group_in_one_node_spans_nothing(void **state)
{
	(void)state;
	assert_close(span_ring(8, 8, 9), 1, 0);
	assert_close(span_ring(1, 8, 9), 1, 0);
	assert_close(span_all_to_all(8, 8, 9), 1, 0);
	assert_close(span_all_to_all(4, 8, 9), 1, 0);
}

static void one_rank_a_node_pays_the_whole_ratio(void **state)
{
	(void)state;
	for (int group = 2; group < 40; group++) {
		assert_close(span_ring(group, 1, 9), 9, 1e-15);
		assert_close(span_all_to_all(group, 1, 9), 9, 1e-15);
	}
}

static void spans_lie_between_one_and_the_ratio_and_a_ring_is_cheaper(void **state)
{
	(void)state;
	for (int per_node = 1; per_node <= 8; per_node++)
		for (int group = per_node + 1; group <= 80; group++) {
			double ring = span_ring(group, per_node, 9);
			double all = span_all_to_all(group, per_node, 9);

			assert_true(ring > 1 && ring <= 9 && all > 1 && all <= 9 + 1e-12);
			if (group % per_node == 0)
				assert_true(ring <= all + 1e-12);
			else
				assert_close(ring, 9, 0);
		}
}

static void equal_fabrics_span_nothing(void **state)
{
	(void)state;
	assert_close(span_ring(16, 8, 1), 1, 0);
	assert_close(span_all_to_all(16, 8, 1), 1, 0);
}

static void an_unknown_or_faster_fabric_has_ratio_one(void **state)
{
	(void)state;
	assert_close(fabric_ratio(450, 50), 9, 0);
	assert_close(fabric_ratio(50, 450), 1, 0);
	assert_close(fabric_ratio(0, 50), 1, 0);
	assert_close(fabric_ratio(450, 0), 1, 0);
	assert_close(fabric_ratio(INFINITY, 50), 1, 0);
	assert_close(fabric_ratio(NAN, 50), 1, 0);
}

static void a_width_is_served_by_itself_or_at_the_ends(void **state)
{
	static const int present[] = { 8, 2, 4 };

	(void)state;
	assert_int_equal(collective_width(present, 3, 1), 2);
	assert_int_equal(collective_width(present, 3, 2), 2);
	assert_int_equal(collective_width(present, 3, 3), 0);
	assert_int_equal(collective_width(present, 3, 4), 4);
	assert_int_equal(collective_width(present, 3, 8), 8);
	assert_int_equal(collective_width(present, 3, 16), 0);
	assert_int_equal(collective_width(present, 3, 17), 8);
	assert_int_equal(collective_width(present, 3, 72), 8);
	assert_int_equal(collective_width(present, 0, 4), 0);
	assert_int_equal(collective_width(present, 0, 72), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_collective_costs_its_floor),
		cmocka_unit_test(the_transition_rate_adds_to_the_floor),
		cmocka_unit_test(at_the_knee_both_rates_agree),
		cmocka_unit_test(nothing_beats_the_peak_and_more_is_never_cheaper),
		cmocka_unit_test(without_a_transition_the_floor_holds_until_the_peak),
		cmocka_unit_test(a_group_in_one_node_spans_nothing),
		cmocka_unit_test(one_rank_a_node_pays_the_whole_ratio),
		cmocka_unit_test(spans_lie_between_one_and_the_ratio_and_a_ring_is_cheaper),
		cmocka_unit_test(equal_fabrics_span_nothing),
		cmocka_unit_test(an_unknown_or_faster_fabric_has_ratio_one),
		cmocka_unit_test(a_width_is_served_by_itself_or_at_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
