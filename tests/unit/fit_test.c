/* What fits, why not, and the settings that would: each claim is tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "kernel_fixture.h"

static struct ss_fit fit_of(const struct kernel_fixture *f)
{
	struct ss_fit fit;

	assert_non_null(f->kernel);
	assert_int_equal(ss_fit_new(&fit, f->kernel, f->scenario, 0, NULL), SS_OK);
	assert_int_equal(fit.fits, ss_kernel_fits(f->kernel));
	return fit;
}

static const char *fix_of(const struct ss_fit *fit, const char *path)
{
	for (size_t i = 0; i < fit->fix_count; i++)
		if (strcmp(fit->fixes[i].path, path) == 0)
			return fit->fixes[i].value;
	return NULL;
}

static bool fits_with(struct kernel_fixture *f, const char *field, double value)
{
	char settings[128];

	(void)snprintf(settings, sizeof(settings), "%s=%.12g", field, value);
	fixture_set(f, settings);
	return f->kernel && ss_kernel_fits(f->kernel);
}

static void a_deployment_that_fits_says_no_more(void **state)
{
	struct kernel_fixture f;
	struct ss_fit fit;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	fit = fit_of(&f);
	assert_true(fit.fits);
	assert_string_equal(fit.reason, "");
	assert_string_equal(fit.term, "");
	assert_int_equal(fit.short_bytes, 0);
	assert_int_equal(fit.fix_count, 0);
	ss_fit_release(&fit);
	fixture_release(&f);
}

/* 70.55 billion weights at 2 bytes on one GPU of 80 GiB. */
static void weights_that_leave_no_room_are_named(void **state)
{
	struct kernel_fixture f;
	struct ss_fit fit;

	(void)state;
	fixture_open(&f, "llama-3.1-70b-h100-tp4", "tp=1");
	fit = fit_of(&f);
	assert_false(fit.fits);
	assert_string_equal(fit.term, "weights_bytes");
	assert_non_null(strstr(fit.reason, "weights 131.41"));
	assert_int_equal(fit.short_bytes, -ss_kernel_memory(f.kernel)->budget_bytes);
	/* nothing but more GPUs helps: 2 leave too little for 32,768 tokens */
	assert_int_equal(fit.fix_count, 1);
	assert_string_equal(fix_of(&fit, "parallel.tp"), "4");
	ss_fit_release(&fit);
	assert_true(fits_with(&f, "tp", 4));
	assert_false(fits_with(&f, "tp", 2));
	fixture_release(&f);
}

/* 810 GB of weights on 8 GPUs of 80 GiB: twice the width needs 16, of a second node. */
static void a_width_beyond_the_cluster_is_offered_with_its_gpus(void **state)
{
	const struct fixture_cluster one = { 1, 8, 0, 50 }, pair = { 2, 8, 0, 50 };
	struct kernel_fixture f;
	struct ss_fit fit;

	(void)state;
	fixture_make(&f, "llama-3.1-405b-instruct", "h100", &one, "tp=8");
	fit = fit_of(&f);
	assert_false(fit.fits);
	assert_string_equal(fix_of(&fit, "parallel.tp"), "16");
	assert_string_equal(fit.fixes[fit.fix_count - 1].also->path, "nodes");
	assert_string_equal(fit.fixes[fit.fix_count - 1].also->value, "2");
	assert_string_equal(fit.fixes[fit.fix_count - 1].also->also->path, "cluster.nodes");
	ss_fit_release(&fit);
	fixture_release(&f);
	fixture_make(&f, "llama-3.1-405b-instruct", "h100", &pair, "tp=16");
	fit = fit_of(&f);
	assert_true(fit.fits);
	ss_fit_release(&fit);
	fixture_release(&f);
}

/* Without a network between nodes a second node does not price: nothing is offered. */
static void no_width_is_offered_that_is_refused(void **state)
{
	const struct fixture_cluster one = { 1, 8, 0, 0 };
	struct kernel_fixture f;
	struct ss_fit fit;

	(void)state;
	fixture_make(&f, "llama-3.1-405b-instruct", "h100", &one, "tp=8");
	fit = fit_of(&f);
	assert_false(fit.fits);
	assert_null(fix_of(&fit, "parallel.tp"));
	ss_fit_release(&fit);
	fixture_release(&f);
}

static void the_longest_request_offered_is_the_longest(void **state)
{
	struct kernel_fixture f;
	struct ss_fit fit;
	const struct ss_kv_pool *p;
	double longest;

	(void)state;
	fixture_open(&f, "llama-3.1-70b-h100-tp4", "tp=2 max_model_len=131072");
	fit = fit_of(&f);
	p = ss_kernel_kv_pool(f.kernel);
	assert_false(fit.fits);
	assert_string_equal(fit.term, "pool");
	assert_non_null(strstr(fit.reason, "131072"));
	assert_int_equal(fit.short_bytes, p->blocks_per_request * p->block_bytes -
						  ss_kernel_memory(f.kernel)->budget_bytes);
	assert_non_null(fix_of(&fit, "engine.max_model_len"));
	longest = strtod(fix_of(&fit, "engine.max_model_len"), NULL);
	ss_fit_release(&fit);
	assert_true(fits_with(&f, "max_model_len", longest));
	assert_false(fits_with(&f, "max_model_len", longest + 1));
	fixture_release(&f);
}

static void the_share_offered_is_the_smallest(void **state)
{
	struct kernel_fixture f;
	struct ss_fit fit;
	double share;

	(void)state;
	fixture_open(&f, "llama-3.1-70b-h100-tp4", "gpu_memory_utilization=0.48");
	fit = fit_of(&f);
	assert_false(fit.fits);
	assert_non_null(fix_of(&fit, "engine.gpu_memory_utilization"));
	share = strtod(fix_of(&fit, "engine.gpu_memory_utilization"), NULL);
	ss_fit_release(&fit);
	assert_true(fits_with(&f, "gpu_memory_utilization", share));
	assert_false(fits_with(&f, "gpu_memory_utilization", share - 0.01));
	/* from one hundredth below, the same */
	fit = fit_of(&f);
	assert_close(strtod(fix_of(&fit, "engine.gpu_memory_utilization"), NULL), share, 1e-12);
	ss_fit_release(&fit);
	fixture_release(&f);
}

/* Every running sequence holds a state block while full graphs replay. */
static void sequences_need_a_state_block_each_under_full_graphs(void **state)
{
	struct kernel_fixture f;
	struct ss_fit fit;

	(void)state;
	fixture_make(&f, "qwen3.6-27b", "h100", FIXTURE_NODE,
		     "tp=4 max_model_len=8192 num_gpu_blocks_override=447 max_num_seqs=448");
	fit = fit_of(&f);
	assert_false(fit.fits);
	assert_string_equal(fit.term, "sequence_fixed_bytes");
	assert_int_equal(fit.short_bytes, ss_kernel_kv_pool(f.kernel)->block_bytes);
	assert_string_equal(fix_of(&fit, "engine.max_num_seqs"), "447");
	ss_fit_release(&fit);
	assert_true(fits_with(&f, "max_num_seqs", 447));
	fixture_set(&f, "max_num_seqs=448 cudagraph_mode=PIECEWISE");
	assert_true(ss_kernel_fits(f.kernel));
	fixture_release(&f);
}

static void room_that_is_not_there_cannot_be_stated(void **state)
{
	struct kernel_fixture f;
	struct ss_fit fit;
	double room;

	(void)state;
	fixture_open(&f, "llama-3.1-70b-h100-tp4", "kv_cache_memory_bytes=90000000000");
	fit = fit_of(&f);
	assert_false(fit.fits);
	room = strtod(fix_of(&fit, "engine.kv_cache_memory_bytes"), NULL);
	assert_close(room + (double)fit.short_bytes, 90e9, 0);
	ss_fit_release(&fit);
	assert_true(fits_with(&f, "kv_cache_memory_bytes", room));
	assert_false(fits_with(&f, "kv_cache_memory_bytes", room + 1));
	fixture_release(&f);
}

/* The longest request is found once by `auto` and once by trying lengths one by one apart. */
static void auto_is_the_search(void **state)
{
	static const struct {
		const char *scenario, *settings;
	} cases[] = {
		{ "llama-3.1-8b-l40s-tp1", "" },
		{ "llama-3.1-70b-h100-tp4", "tp=2" },
		{ "qwen3.6-27b-awq-v100-tp2", "tp=1" },
		{ "qwen3.6-27b-awq-v100-tp2", "mamba_cache_mode=all" },
		{ "gpt-oss-120b-h100-mxfp4-tp4", "tp=1 gpu_memory_utilization=0.86" },
		{ "kimi-k3-gb200-mxfp4-tp16", "" },
		{ "deepseek-v4-pro-b200-fp8-tp8", "" },
		{ "deepseek-v3-h200-fp8-tp8", "dcp=2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_fixture f;
		struct ss_fit_limits limits;
		int64_t length;

		print_message("%s %s\n", cases[i].scenario, cases[i].settings);
		fixture_open(&f, cases[i].scenario, cases[i].settings);
		assert_non_null(f.kernel);
		assert_int_equal(ss_fit_limits_find(&limits, f.kernel, f.scenario, 0, 1, 1), SS_OK);
		fixture_set(&f, "max_model_len=auto");
		length = ss_kernel_resolution(f.kernel)->max_model_len;
		assert_true(ss_kernel_fits(f.kernel));
		assert_int_equal(length, limits.max_model_len);
		assert_true(fits_with(&f, "max_model_len", (double)length));
		if (length != ss_basis_inputs(f.basis)->model->max_model_len)
			assert_false(fits_with(&f, "max_model_len", (double)length + 1));
		fixture_release(&f);
	}
}

static void auto_shows_the_window_when_nothing_fits(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "llama-3.1-70b-h100-tp4", "tp=1 max_model_len=auto");
	assert_false(ss_kernel_fits(f.kernel));
	assert_int_equal(ss_kernel_resolution(f.kernel)->max_model_len, 131072);
	fixture_release(&f);
}

static void limits_hold_and_one_more_does_not(void **state)
{
	struct kernel_fixture f;
	struct ss_fit_limits limits;

	(void)state;
	fixture_open(&f, "llama-3.1-70b-h100-tp4", "");
	assert_int_equal(ss_fit_limits_find(&limits, f.kernel, f.scenario, 0, 16, 8000), SS_OK);
	assert_int_equal(limits.max_num_seqs, ss_kernel_requests_that_fit(f.kernel, 8000));
	assert_true(ss_kernel_requests_that_fit(f.kernel, limits.max_model_len) >= 16);
	assert_true(ss_kernel_requests_that_fit(f.kernel, limits.max_model_len + 1) < 16);
	assert_true(fits_with(&f, "gpu_memory_utilization", limits.gpu_memory_utilization));
	assert_true(ss_kernel_requests_that_fit(f.kernel, 8000) >= 16);
	(void)fits_with(&f, "gpu_memory_utilization", limits.gpu_memory_utilization - 0.01);
	assert_true(ss_kernel_requests_that_fit(f.kernel, 8000) < 16);
	fixture_set(&f, "gpu_memory_utilization=0.9");
	assert_true(fits_with(&f, "tp", (double)limits.tp));
	assert_true(ss_kernel_requests_that_fit(f.kernel, 8000) >= 16);
	for (int64_t tp = 1; tp < limits.tp; tp++)
		assert_true(!fits_with(&f, "tp", (double)tp) ||
			    ss_kernel_requests_that_fit(f.kernel, 8000) < 16);
	fixture_release(&f);
}

static void limits_are_0_where_no_value_works(void **state)
{
	struct kernel_fixture f;
	struct ss_fit_limits limits;

	(void)state;
	fixture_make(&f, "deepseek-v3", "l40s", FIXTURE_NODE,
		     "max_model_len=4096 quantization=fp8");
	assert_int_equal(ss_fit_limits_find(&limits, f.kernel, f.scenario, 0, 1, 4096), SS_OK);
	assert_int_equal(limits.max_model_len, 0);
	assert_int_equal(limits.max_num_seqs, 0);
	assert_int_equal(limits.tp, 0);
	assert_close(limits.gpu_memory_utilization, 0, 0);
	fixture_release(&f);
}

/* Half the ranks hold twice the weights: 2 x 83,864,870,912 bytes, 156.2 GiB. */
static void the_width_that_is_too_small_names_its_largest_term(void **state)
{
	struct kernel_fixture f;
	struct ss_fit_limits limits;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "");
	assert_int_equal(ss_fit_limits_find(&limits, f.kernel, f.scenario, 0, 1, 4096), SS_OK);
	assert_int_equal(limits.tp, 8);
	assert_int_equal(limits.tp_short, 4);
	assert_string_equal(limits.tp_short_term, "weights");
	assert_int_equal(limits.tp_short_bytes, INT64_C(167729741824));
	fixture_release(&f);
	fixture_open(&f, "qwen3-30b-a3b-h100-tp2", "");
	assert_int_equal(ss_fit_limits_find(&limits, f.kernel, f.scenario, 0, 1, 4096), SS_OK);
	assert_int_equal(limits.tp, 1);
	assert_int_equal(limits.tp_short, 0);
	assert_string_equal(limits.tp_short_term, "");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deployment_that_fits_says_no_more),
		cmocka_unit_test(weights_that_leave_no_room_are_named),
		cmocka_unit_test(a_width_beyond_the_cluster_is_offered_with_its_gpus),
		cmocka_unit_test(no_width_is_offered_that_is_refused),
		cmocka_unit_test(the_longest_request_offered_is_the_longest),
		cmocka_unit_test(the_share_offered_is_the_smallest),
		cmocka_unit_test(sequences_need_a_state_block_each_under_full_graphs),
		cmocka_unit_test(room_that_is_not_there_cannot_be_stated),
		cmocka_unit_test(auto_is_the_search),
		cmocka_unit_test(auto_shows_the_window_when_nothing_fits),
		cmocka_unit_test(limits_hold_and_one_more_does_not),
		cmocka_unit_test(limits_are_0_where_no_value_works),
		cmocka_unit_test(the_width_that_is_too_small_names_its_largest_term),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
