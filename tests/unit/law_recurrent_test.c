#include "price/recurrent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

static const struct recurrent_shape delta = {
	.kind = SS_RECURRENT_GDN,
	.heads = 48,
	.state = 128,
	.conv_kernel = 4,
	.inner = 10240,
};

static const struct recurrent_shape kimi = {
	.kind = SS_RECURRENT_KDA,
	.heads = 32,
	.state = 128,
	.conv_kernel = 4,
};

static const struct recurrent_shape mamba = {
	.kind = SS_RECURRENT_MAMBA2,
	.heads = 128,
	.state = 96,
	.groups = 8,
	.conv_kernel = 4,
	.inner = 8192,
};

static void a_scan_costs_its_chunk_and_its_state(void **state)
{
	(void)state;
	assert_close(recurrent_scan_flops(&delta), 4 * 64 * 128 + 4 * 128 * 128, 0);
	assert_close(recurrent_scan_flops(&kimi), recurrent_scan_flops(&delta), 0);
	assert_close(recurrent_scan_flops(&mamba), 2 * 64 * 64 + 4 * 64 * 96, 0);
}

static void a_delta_state_is_a_square_per_head(void **state)
{
	(void)state;
	assert_close(recurrent_state_bytes(&delta, 4, 1), 48.0 * 128 * 128 * 4, 0);
	assert_close(recurrent_state_bytes(&delta, 4, 4), 12.0 * 128 * 128 * 4, 0);
	assert_close(recurrent_state_bytes(&kimi, 2, 1), 32.0 * 128 * 128 * 2, 0);
}

static void a_mamba_state_is_inner_by_state(void **state)
{
	(void)state;
	assert_close(recurrent_state_bytes(&mamba, 2, 1), 8192.0 * 96 * 2, 0);
}

static void convolutions_keep_a_kernel_less_one_and_the_drafts(void **state)
{
	(void)state;
	assert_close(recurrent_conv_bytes(&delta, 2, 0, 1), 10240.0 * 3 * 2, 0);
	assert_close(recurrent_conv_bytes(&delta, 2, 2, 4), 10240.0 * 5 * 2 / 4, 0);
	assert_close(recurrent_conv_bytes(&kimi, 2, 0, 1), 3.0 * 32 * 128 * 3 * 2, 0);
	assert_close(recurrent_conv_bytes(&mamba, 2, 0, 1), (8192 + 2 * 8 * 96) * 3.0 * 2, 0);
}

static void without_a_kernel_there_is_no_convolution(void **state)
{
	struct recurrent_shape bare = delta;

	(void)state;
	bare.conv_kernel = 0;
	assert_close(recurrent_conv_bytes(&bare, 2, 3, 1), 0, 0);
}

static void an_unknown_mixer_has_nothing(void **state)
{
	struct recurrent_shape unknown = { .heads = 4, .state = 4, .conv_kernel = 4, .inner = 4 };

	(void)state;
	assert_close(recurrent_scan_flops(&unknown), 0, 0);
	assert_close(recurrent_state_bytes(&unknown, 4, 1), 0, 0);
	assert_close(recurrent_conv_bytes(&unknown, 4, 0, 1), 0, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scan_costs_its_chunk_and_its_state),
		cmocka_unit_test(a_delta_state_is_a_square_per_head),
		cmocka_unit_test(a_mamba_state_is_inner_by_state),
		cmocka_unit_test(convolutions_keep_a_kernel_less_one_and_the_drafts),
		cmocka_unit_test(without_a_kernel_there_is_no_convolution),
		cmocka_unit_test(an_unknown_mixer_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
