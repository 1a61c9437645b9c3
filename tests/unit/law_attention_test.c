#include "price/attention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

/** The integral of a sparse layer's reads over a prefill's positions, by thin slices. */
static double summed_reads(double s, double c, double window, double top_k, double ratio)
{
	const int slices = 200000;
	double sum = 0;

	for (int i = 0; i < slices; i++)
		sum += selected(c + s * (i + 0.5) / slices, window, top_k, ratio);
	return sum * s / slices;
}

static void causal_pairs_are_the_prefix_and_half_the_square(void **state)
{
	(void)state;
	assert_close(pairs_causal(8, 0), 32, 0);
	assert_close(pairs_causal(8, 100), 832, 0);
	assert_close(pairs_causal(0, 100), 0, 0);
}

static void pairs_of_a_split_prefill_add_up(void **state)
{
	(void)state;
	for (double cut = 0; cut <= 512; cut += 37) {
		assert_close(pairs_causal(cut, 100) + pairs_causal(512 - cut, 100 + cut),
			     pairs_causal(512, 100), 1e-12);
		assert_close(pairs_window(cut, 100, 300) + pairs_window(512 - cut, 100 + cut, 300),
			     pairs_window(512, 100, 300), 1e-12);
		assert_close(pairs_sparse(cut, 100, 128, 40, 4) +
				     pairs_sparse(512 - cut, 100 + cut, 128, 40, 4),
			     pairs_sparse(512, 100, 128, 40, 4), 1e-12);
	}
}

static void a_window_never_adds_pairs(void **state)
{
	(void)state;
	for (double s = 0; s < 3000; s += 211)
		for (double c = 0; c < 3000; c += 193)
			for (double w = 1; w < 8000; w *= 2) {
				assert_true(pairs_window(s, c, w) <= pairs_causal(s, c));
				assert_true(pairs_window(s, c, w) <= s * w);
				assert_true(pairs_window(s, c, w) <= pairs_window(s, c, 2 * w));
			}
}

static void a_window_that_is_wide_enough_changes_nothing(void **state)
{
	(void)state;
	assert_close(pairs_window(512, 1024, 1536), pairs_causal(512, 1024), 0);
	assert_close(pairs_window(512, 1024, 1e9), pairs_causal(512, 1024), 0);
}

static void past_its_window_every_token_sees_the_window(void **state)
{
	(void)state;
	assert_close(pairs_window(64, 128, 128), 64 * 128, 0);
	assert_close(pairs_window(64, 1e6, 128), 64 * 128, 0);
}

static void top_k_alone_caps_what_is_selected(void **state)
{
	(void)state;
	assert_close(selected(100, 0, 2048, 0), 100, 0);
	assert_close(selected(2048, 0, 2048, 0), 2048, 0);
	assert_close(selected(1e6, 0, 2048, 0), 2048, 0);
	assert_close(selected(1e6, 0, 0, 0), 1e6, 0);
}

static void a_window_and_a_pool_add(void **state)
{
	(void)state;
	assert_close(selected(100, 128, 0, 4), 100, 0);
	assert_close(selected(128 + 400, 128, 0, 4), 228, 0);
	assert_close(selected(128 + 400, 128, 60, 4), 188, 0);
	assert_close(selected(1e6, 128, 60, 4), 188, 0);
	assert_close(selected(1e6, 128, 0, 0), 128, 0);
}

static void more_context_never_selects_less(void **state)
{
	(void)state;
	for (double c = 0; c < 1e5; c += 997) {
		assert_true(selected(c + 997, 128, 512, 4) >= selected(c, 128, 512, 4));
		assert_true(selected(c, 128, 512, 4) <= c);
		assert_true(selected(c, 128, 512, 8) <= selected(c, 128, 512, 4));
	}
}

static void sparse_pairs_are_the_reads_of_every_position(void **state)
{
	static const struct {
		double s, c, window, top_k, ratio;
	} at[] = {
		{ 512, 0, 128, 0, 4 },     { 512, 4000, 128, 0, 4 },  { 512, 0, 128, 40, 4 },
		{ 4096, 100, 128, 60, 4 }, { 64, 9000, 128, 512, 4 }, { 4096, 0, 0, 1024, 0 },
		{ 4096, 512, 0, 0, 0 },    { 4096, 512, 64, 0, 0 },   { 700, 300, 128, 30, 128 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		assert_close(pairs_sparse(at[i].s, at[i].c, at[i].window, at[i].top_k, at[i].ratio),
			     summed_reads(at[i].s, at[i].c, at[i].window, at[i].top_k, at[i].ratio),
			     1e-6);
}

static void a_scorer_reads_its_window_and_its_pool(void **state)
{
	(void)state;
	assert_close(scorer_tokens(1000, 2, 0, 0), 1000, 0);
	assert_close(scorer_tokens(1000, 2, 0, 0.5), 1000, 0);
	assert_close(scorer_tokens(1000, 2, 0, 4), 250, 0);
	assert_close(scorer_tokens(1000, 2, 128, 0), 256, 0);
	assert_close(scorer_tokens(1000, 2, 128, 4), 64, 0);
	assert_close(scorer_tokens(100, 2, 128, 4), 25, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(causal_pairs_are_the_prefix_and_half_the_square),
		cmocka_unit_test(pairs_of_a_split_prefill_add_up),
		cmocka_unit_test(a_window_never_adds_pairs),
		cmocka_unit_test(a_window_that_is_wide_enough_changes_nothing),
		cmocka_unit_test(past_its_window_every_token_sees_the_window),
		cmocka_unit_test(top_k_alone_caps_what_is_selected),
		cmocka_unit_test(a_window_and_a_pool_add),
		cmocka_unit_test(more_context_never_selects_less),
		cmocka_unit_test(a_scorer_reads_its_window_and_its_pool),
		cmocka_unit_test(sparse_pairs_are_the_reads_of_every_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
