#include "price/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"
#include "price/recurrent.h"

/*
 * The published hybrid: 16 full-attention layers, one KV head of 256 a rank at
 * 16 bits, and 48 gated-delta layers of 48 heads of 128 whose convolution runs
 * over 10,240 channels with a kernel of 4, at tp 4.
 */
static const struct pool_layers hybrid[] = {
	{ .kind = POOL_FULL, .layers = 16 },
	{ .kind = POOL_STATE, .layers = 48 },
};
enum { HYBRID_ATTENTION_BYTES = 2 * 256 * 2 };

static int64_t hybrid_state_bytes(void)
{
	static const struct recurrent_shape delta = {
		.kind = SS_RECURRENT_GDN,
		.heads = 48,
		.state = 128,
		.conv_kernel = 4,
		.inner = 10240,
	};

	return (int64_t)(recurrent_state_bytes(&delta, 4, 4) +
			 recurrent_conv_bytes(&delta, 2, 0, 4));
}

static void the_published_hybrid_holds_exactly(void **state)
{
	int64_t block = aligned_block(16, hybrid_state_bytes(), HYBRID_ATTENTION_BYTES, 0, 0);
	int64_t page = block * HYBRID_ATTENTION_BYTES;
	int64_t size = pool_group_size(hybrid, 2);
	struct pool_rules rules = { .block = block,
				    .max_batched_tokens = 8192,
				    .state_mode = POOL_STATE_ALIGN };
	int64_t per_request = 0;
	int64_t groups = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int64_t of_kind = pool_group_count(hybrid[i].layers, size);

		groups += of_kind;
		per_request += of_kind * pool_group_blocks(&hybrid[i], 8192, &rules);
	}
	assert_int_equal(block, 784);
	assert_int_equal(page, 802816);
	assert_int_equal(size, 16);
	assert_int_equal(groups, 4);
	assert_int_equal(page * size, 12845056);
	assert_int_equal(per_request, 17);
	assert_int_equal(pool_reported_tokens(447, per_request, 8192), 215401);
	assert_close(pool_concurrency(447, per_request), 26.29, 0.005 / 26.29);
}

static void the_block_holds_the_state_and_no_more_than_it_must(void **state)
{
	(void)state;
	for (int64_t unit = 16; unit <= 128; unit *= 2)
		for (int64_t bytes = 1; bytes < 4000000; bytes = bytes * 3 + 1) {
			int64_t block = aligned_block(unit, bytes, 1024, 0, 0);

			assert_int_equal(block % unit, 0);
			assert_true(block * 1024 >= bytes);
			assert_true(block == unit || (block - unit) * 1024 < bytes);
		}
}

static void a_stated_block_wins_when_larger(void **state)
{
	(void)state;
	assert_int_equal(aligned_block(16, 801792, 1024, 1024, 0), 1024);
	assert_int_equal(aligned_block(16, 801792, 1024, 64, 0), 784);
}

static void a_chunk_joins_the_unit(void **state)
{
	/* lcm(16, 64) = 64: 783 tokens of state go to 832 */
	(void)state;
	assert_int_equal(aligned_block(16, 801792, 1024, 0, 64), 832);
	assert_int_equal(aligned_block(48, 801792, 1024, 0, 64) % 192, 0);
	assert_int_equal(aligned_block(16, 801792, 0, 0, 0), 16);
}

static struct pool_layers full(int64_t layers)
{
	return (struct pool_layers){ .kind = POOL_FULL, .layers = layers };
}

static void groups_take_the_smallest_kind_or_pad_a_little(void **state)
{
	struct pool_layers kinds[3] = { full(10), full(14), full(0) };

	(void)state;
	assert_int_equal(pool_group_size(kinds, 3), 14);
	kinds[1] = full(15);
	assert_int_equal(pool_group_size(kinds, 3), 10);
	assert_int_equal(pool_group_count(15, 10), 2);
	kinds[1] = full(30);
	assert_int_equal(pool_group_size(kinds, 3), 10);
	assert_int_equal(pool_group_count(30, 10), 3);
	assert_int_equal(pool_group_count(0, 10), 0);
	assert_int_equal(pool_group_size(kinds, 1), 10);
	assert_int_equal(pool_group_size(kinds, 0), 0);
	assert_int_equal(pool_group_count(7, 0), 0);
}

static void a_window_keeps_itself_a_step_and_an_edge(void **state)
{
	struct pool_layers window = { .kind = POOL_WINDOW, .layers = 18, .window = 128 };
	struct pool_rules rules = { .block = 16, .max_batched_tokens = 8192 };

	(void)state;
	/* 127 + 8192 = 8319 tokens are 520 blocks, and one */
	assert_int_equal(pool_group_blocks(&window, 131072, &rules), 521);
	assert_int_equal(pool_group_blocks(&window, 8319, &rules), 521);
	assert_int_equal(pool_group_blocks(&window, 100, &rules), 8);
	/* 128 + 8192 are 520 blocks to the token: the last of the window is the query's own */
	window.window = 129;
	assert_int_equal(pool_group_blocks(&window, 131072, &rules), 521);
	assert_int_equal(pool_group_blocks(&window, 0, &rules), 0);
}

static void a_full_group_keeps_everything(void **state)
{
	struct pool_layers all = full(4);
	struct pool_rules rules = { .block = 16 };

	(void)state;
	assert_int_equal(pool_group_blocks(&all, 1, &rules), 1);
	assert_int_equal(pool_group_blocks(&all, 16, &rules), 1);
	assert_int_equal(pool_group_blocks(&all, 17, &rules), 2);
}

static void a_state_takes_blocks_by_its_mode(void **state)
{
	struct pool_layers mixer = { .kind = POOL_STATE, .layers = 4 };
	struct pool_rules rules = { .block = 100, .spec = 2 };

	(void)state;
	rules.state_mode = POOL_STATE_NONE;
	assert_int_equal(pool_group_blocks(&mixer, 1000, &rules), 3);
	rules.state_mode = POOL_STATE_ALIGN;
	assert_int_equal(pool_group_blocks(&mixer, 1000, &rules), 4);
	rules.state_mode = POOL_STATE_ALL;
	assert_int_equal(pool_group_blocks(&mixer, 1000, &rules), 12);
	assert_int_equal(pool_group_blocks(&mixer, 0, &rules), 0);
}

static void blocks_are_whole_and_a_debt_has_none(void **state)
{
	(void)state;
	assert_int_equal(pool_blocks(1000, 300), 3);
	assert_int_equal(pool_blocks(-1000, 300), 0);
	assert_int_equal(pool_blocks(1000, 0), 0);
	assert_int_equal(pool_reported_tokens(100, 0, 8192), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_hybrid_holds_exactly),
		cmocka_unit_test(the_block_holds_the_state_and_no_more_than_it_must),
		cmocka_unit_test(a_stated_block_wins_when_larger),
		cmocka_unit_test(a_chunk_joins_the_unit),
		cmocka_unit_test(groups_take_the_smallest_kind_or_pad_a_little),
		cmocka_unit_test(a_window_keeps_itself_a_step_and_an_edge),
		cmocka_unit_test(a_full_group_keeps_everything),
		cmocka_unit_test(a_state_takes_blocks_by_its_mode),
		cmocka_unit_test(blocks_are_whole_and_a_debt_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
