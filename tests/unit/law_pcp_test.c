#include "price/pcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"
#include "price/attention.h"

/** Tokens of a rank, dealt one by one. */
static int64_t dealt(int64_t s, int64_t pcp, int64_t rank)
{
	int64_t chunk = (s + 2 * pcp - 1) / (2 * pcp);
	int64_t kept = 0;

	for (int64_t token = 0; token < s; token++)
		kept += token / chunk == rank || token / chunk == 2 * pcp - 1 - rank;
	return kept;
}

static void the_first_of_the_busiest_ranks_is_taken(void **state)
{
	(void)state;
	for (int64_t pcp = 2; pcp <= 8; pcp++)
		for (int64_t s = 1; s < 300; s++) {
			struct pcp_split split = pcp_busiest(s, 50, pcp, 1);

			assert_int_equal(split.tokens, dealt(s, pcp, split.rank));
			for (int64_t rank = 0; rank < pcp; rank++) {
				assert_true(dealt(s, pcp, rank) <= split.tokens);
				if (rank < split.rank)
					assert_true(dealt(s, pcp, rank) < split.tokens);
			}
		}
}

static void an_even_split_balances_pairs(void **state)
{
	(void)state;
	for (int64_t pcp = 2; pcp <= 8; pcp *= 2) {
		struct pcp_split split = pcp_busiest(1024, 4096, pcp, 1);

		assert_int_equal(split.tokens, 1024 / pcp);
		assert_close(pcp_pairs_causal(&split), pairs_causal(1024, 4096) / (double)pcp,
			     1e-12);
	}
}

static void runs_know_what_stands_before_them(void **state)
{
	struct pcp_split split = pcp_busiest(8, 100, 2, 1);

	(void)state;
	assert_int_equal(split.run_count, 2);
	assert_int_equal(split.runs[0].tokens, 2);
	assert_int_equal(split.runs[0].prior, 100);
	assert_int_equal(split.runs[1].tokens, 2);
	assert_int_equal(split.runs[1].prior, 106);
}

static void without_pcp_a_request_is_one_run(void **state)
{
	struct pcp_split split = pcp_busiest(500, 20, 1, 8);

	(void)state;
	assert_int_equal(split.run_count, 1);
	assert_int_equal(split.tokens, 500);
	assert_int_equal(split.runs[0].prior, 20);
	assert_int_equal(pcp_busiest(500, 20, 0, 1).tokens, 500);
	assert_int_equal(pcp_busiest(0, 20, 4, 1).tokens, 0);
}

static void under_dcp_a_prompt_too_short_to_cut_is_replicated(void **state)
{
	(void)state;
	/* pcp 2: chunks of ceil(s / 4); whole when three of them cover the prompt */
	assert_int_equal(pcp_busiest(5, 0, 2, 4).tokens, 5);
	assert_int_equal(pcp_busiest(3, 0, 2, 4).tokens, 3);
	assert_int_equal(pcp_busiest(8, 0, 2, 4).tokens, 4);
	assert_int_equal(pcp_busiest(5, 0, 2, 1).tokens, 3);
}

static void windows_and_selections_count_where_the_runs_stand(void **state)
{
	struct pcp_split split = pcp_busiest(8, 100, 2, 1);

	(void)state;
	assert_close(pcp_pairs_window(&split, 104),
		     pairs_window(2, 100, 104) + pairs_window(2, 106, 104), 0);
	assert_close(pcp_pairs_sparse(&split, 64, 5, 4),
		     pairs_sparse(2, 100, 64, 5, 4) + pairs_sparse(2, 106, 64, 5, 4), 0);
}

static void gathers_carry_every_rank(void **state)
{
	(void)state;
	assert_close(pcp_gather_rows(14, 8), 112, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_the_busiest_ranks_is_taken),
		cmocka_unit_test(an_even_split_balances_pairs),
		cmocka_unit_test(runs_know_what_stands_before_them),
		cmocka_unit_test(without_pcp_a_request_is_one_run),
		cmocka_unit_test(under_dcp_a_prompt_too_short_to_cut_is_replicated),
		cmocka_unit_test(windows_and_selections_count_where_the_runs_stand),
		cmocka_unit_test(gathers_carry_every_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
