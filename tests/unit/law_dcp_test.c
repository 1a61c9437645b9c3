#include "price/dcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

/** Deal a context's chunks out token by token. */
static int64_t dealt(int64_t context, int64_t dcp, int64_t interleave, int64_t rank)
{
	int64_t kept = 0;

	for (int64_t token = 0; token < context; token++)
		kept += token / interleave % dcp == rank;
	return kept;
}

static void shares_are_what_dealing_gives_and_the_first_is_largest(void **state)
{
	(void)state;
	for (int64_t dcp = 1; dcp <= 8; dcp++)
		for (int64_t il = 1; il <= 64; il = il * 2 + 1)
			for (int64_t context = 0; context < 700; context += 13)
				for (int64_t rank = 0; rank < dcp; rank++) {
					int64_t share = dcp_rank_share(context, dcp, il, rank);

					assert_int_equal(share, dealt(context, dcp, il, rank));
					assert_true(share <= dcp_share(context, dcp, il));
				}
}

static void one_rank_or_none_keeps_the_whole_context(void **state)
{
	(void)state;
	assert_int_equal(dcp_share(1000, 1, 16), 1000);
	assert_int_equal(dcp_share(1000, 0, 16), 1000);
	assert_int_equal(dcp_share(0, 8, 1), 0);
	assert_int_equal(dcp_share(1000, 8, 0), dcp_share(1000, 8, 1));
}

static void heads_meet_by_the_widths(void **state)
{
	(void)state;
	assert_close(dcp_heads(128, 8, 1, 2), 32, 0);
	assert_close(dcp_heads(128, 8, 0, 8), 128, 0);
	assert_close(dcp_heads(128, 8, 2, 2), 16, 0);
	assert_close(dcp_heads(128, 8, 2, 16), 128, 0);
}

static void the_query_is_gathered_where_heads_are_split(void **state)
{
	(void)state;
	assert_int_equal(dcp_exchange(4, 128, 576, 512, 8, 1, 4).query_width, 4);
	assert_int_equal(dcp_exchange(4, 128, 576, 512, 8, 2, 2).query_width, 0);
	assert_close(dcp_exchange(4, 128, 576, 512, 8, 2, 2).query_bytes, 0, 0);
	assert_int_equal(dcp_exchange(4, 128, 576, 512, 8, 2, 16).query_width, 8);
}

static void no_rows_or_no_group_exchange_nothing(void **state)
{
	struct dcp_exchange none = dcp_exchange(0, 128, 576, 512, 8, 1, 8);
	struct dcp_exchange off = dcp_exchange(64, 128, 576, 512, 8, 1, 1);

	(void)state;
	assert_close(none.query_bytes + none.lse_bytes + none.combine_bytes, 0, 0);
	assert_close(off.query_bytes + off.lse_bytes + off.all_to_all_bytes, 0, 0);
}

static void a2a_carries_the_output_and_its_log_sum(void **state)
{
	(void)state;
	assert_close(dcp_exchange(10, 64, 128, 128, 4, 1, 2).all_to_all_bytes, 10.0 * 32 * 130 * 2,
		     0);
}

static void rows_follow_the_kind_of_attention(void **state)
{
	(void)state;
	assert_close(dcp_rows(true, 32, 1056, true), 32, 0);
	assert_close(dcp_rows(false, 32, 1056, true), 1056, 0);
	assert_close(dcp_rows(false, 0, 1024, false), 0, 0);
}

static void a_chunk_is_bounded_and_whole_in_blocks(void **state)
{
	(void)state;
	assert_int_equal(dcp_chunk(0, 256, 64, 8, 1), 65536);
	assert_int_equal(dcp_chunk(1 << 20, 256, 64, 8, 1), 65536);
	/* 8 x 1024 against 4 x 16 x 64 */
	assert_int_equal(dcp_chunk(1024, 16, 64, 8, 1), 8192);
	/* 4 x 200 x 16 against 8 x 1000, up to a multiple of 16 */
	assert_int_equal(dcp_chunk(1000, 200, 16, 2, 1), 12800);
	/* 65536 up to a multiple of 3 x 64 */
	assert_int_equal(dcp_chunk(0, 256, 64, 3, 64), 65664);
	for (int64_t il = 1; il <= 64; il *= 2)
		assert_int_equal(dcp_chunk(1001, 7, 64, 6, il) % (6 * il), 0);
}

static void gathers_round_up(void **state)
{
	(void)state;
	assert_int_equal(dcp_gathers(0, 100), 0);
	assert_int_equal(dcp_gathers(100, 100), 1);
	assert_int_equal(dcp_gathers(101, 100), 2);
}

static void runs_go_by_length_and_end_at_a_fresh_prefill(void **state)
{
	static const struct ss_group groups[] = {
		{ .count = 1, .scheduled = 900, .computed = 70 },
		{ .count = 8, .scheduled = 1, .computed = 5000 }, /* a decode */
		{ .count = 2, .scheduled = 300, .computed = 40 },
		{ .count = 0, .scheduled = 400, .computed = 9 }, /* not in the batch */
		{ .count = 1, .scheduled = 500, .computed = 0 },
		{ .count = 1, .scheduled = 300, .computed = 6 },
	};
	struct dcp_runs walk = { .groups = groups, .count = 6, .threshold = 1 };

	(void)state;
	assert_int_equal(dcp_next_run(&walk), 86);
	assert_int_equal(dcp_next_run(&walk), 70);
	assert_int_equal(dcp_next_run(&walk), 0);
	assert_int_equal(dcp_next_run(&walk), 0);
}

static void equal_prefills_keep_their_order(void **state)
{
	static const struct ss_group groups[] = {
		{ .count = 1, .scheduled = 256, .computed = 0 },
		{ .count = 1, .scheduled = 256, .computed = 10 },
		{ .count = 1, .scheduled = 256, .computed = 0 },
		{ .count = 1, .scheduled = 256, .computed = 0 },
		{ .count = 1, .scheduled = 256, .computed = 20 },
	};
	struct dcp_runs walk = { .groups = groups, .count = 5, .threshold = 1 };

	(void)state;
	assert_int_equal(dcp_next_run(&walk), 10);
	assert_int_equal(dcp_next_run(&walk), 20);
	assert_int_equal(dcp_next_run(&walk), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_what_dealing_gives_and_the_first_is_largest),
		cmocka_unit_test(one_rank_or_none_keeps_the_whole_context),
		cmocka_unit_test(heads_meet_by_the_widths),
		cmocka_unit_test(the_query_is_gathered_where_heads_are_split),
		cmocka_unit_test(no_rows_or_no_group_exchange_nothing),
		cmocka_unit_test(a2a_carries_the_output_and_its_log_sum),
		cmocka_unit_test(rows_follow_the_kind_of_attention),
		cmocka_unit_test(a_chunk_is_bounded_and_whole_in_blocks),
		cmocka_unit_test(gathers_round_up),
		cmocka_unit_test(runs_go_by_length_and_end_at_a_fresh_prefill),
		cmocka_unit_test(equal_prefills_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
