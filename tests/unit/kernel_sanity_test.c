/*
 * What any table of kernels must come to, whatever its numbers: more ranks make a model of
 * experts no slower, no product runs above what its part can do, a large all-reduce takes
 * what NCCL was measured at, and more work takes no less time within one graph.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"

#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const scenarios[] = {
	"deepseek-v3-h200-fp8-tp8",        "llama-3.1-70b-h100-tp4",
	"gpt-oss-120b-h100-mxfp4-tp4",     "qwen3-30b-a3b-h100-tp2",
	"minimax-m2.5-h200-fp8-tp4",       "kimi-k2.5-h200-int4-tp8",
	"nemotron-3-ultra-b200-nvfp4-tp4", "qwen3.5-397b-b200-tp8",
	"llama-3.1-8b-a100-tp2",           "llama-3.1-8b-l40s-tp1",
};

static double kernels_s(const struct kernel_fixture *f, struct ss_group group)
{
	struct ss_batch batch = { .groups = &group, .group_count = 1, .decode_threshold = 1 };
	struct ss_step step;

	if (!f->kernel)
		fail_msg("refused: %s", f->problems.count ? f->problems.items[0].message : "");
	ss_kernel_step(f->kernel, &batch, &step);
	assert_true(step.has_kernels);
	return step.kernels_s;
}

static struct ss_group decode(int64_t count, int64_t context)
{
	return (struct ss_group){ count, 1, context - 1, context };
}

static struct ss_group prefill(int64_t tokens)
{
	return (struct ss_group){ 1, tokens, 0, tokens };
}

/** A step of 64 requests on a node of that many ranks. */
static double on_ranks_s(const char *model, const char *part, int ranks)
{
	struct fixture_cluster node = { .nodes = 1, .gpus_per_node = ranks };
	struct kernel_fixture f;
	char settings[32];
	double seconds;

	(void)snprintf(settings, sizeof(settings), "tp=%d", ranks);
	fixture_make(&f, model, part, &node, settings);
	seconds = kernels_s(&f, decode(64, 4096));
	fixture_release(&f);
	return seconds;
}

/* The law that divided nothing by tp had it the other way round. */
static void a_model_of_experts_gets_faster_with_ranks(void **state)
{
	static const struct {
		const char *model, *part;
		int first, second; /**< ranks */
	} cases[] = {
		{ "deepseek-v3", "h200", 4, 8 },       { "deepseek-v3", "b200", 4, 8 },
		{ "mixtral-8x7b-v0.1", "h100", 2, 4 }, { "mixtral-8x7b-v0.1", "h100", 4, 8 },
		{ "qwen3-30b-a3b", "h100", 1, 2 },     { "minimax-m2.5", "h200", 2, 4 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double few = on_ranks_s(cases[i].model, cases[i].part, cases[i].first);
		double more = on_ranks_s(cases[i].model, cases[i].part, cases[i].second);

		if (!(more < few))
			fail_msg("%s on %s: %d ranks take %g s, %d %g", cases[i].model,
				 cases[i].part, cases[i].first, few, cases[i].second, more);
	}
}

/** Seconds of a figure's GEMMs; what the part's peak would take for them is added to `least`. */
static double gemms_s(const struct kernel_fixture *f, struct ss_group group, enum ss_figure figure,
		      double *least)
{
	const struct ss_part *part = ss_basis_inputs(ss_kernel_basis(f->kernel))->part;
	struct ss_batch batch = { .groups = &group, .group_count = 1, .decode_threshold = 1 };
	struct ss_breakdown b = { 0 };
	double seconds = 0;

	assert_int_equal(ss_kernel_breakdown(f->kernel, &batch, figure, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++) {
		const struct ss_term *t = &b.terms[i];
		double tflops = strcmp(t->detail, "nvfp4") == 0 ? part->nvfp4_tflops
				: strstr(t->detail, "fp8")      ? part->fp8_tflops
								: part->bf16_tflops;

		if (t->term != SS_TERM_DENSE)
			continue;
		seconds += t->floor_s + t->slope_s;
		*least += t->flops / (tflops * 1e12);
	}
	ss_breakdown_release(&b);
	return seconds;
}

static void no_product_runs_above_nine_tenths_of_peak(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		struct kernel_fixture f;

		fixture_open(&f, scenarios[i], "");
		for (int64_t tokens = 512; tokens <= 8192; tokens *= 4) {
			double least = 0, none = 0, measured;

			(void)gemms_s(&f, prefill(tokens), SS_FIGURE_SERIAL, &least);
			measured = gemms_s(&f, prefill(tokens), SS_FIGURE_KERNELS, &none);
			if (!(least <= 0.9 * measured))
				fail_msg("%s: GEMMs of %lld tokens in %g s, %g at peak",
					 scenarios[i], (long long)tokens, measured, least);
		}
		fixture_release(&f);
	}
}

/*
 * 8,192 rows of 8,192 values of 2 bytes, 134,217,728 in all, on 8 H100s: between NCCL 2.29.2's
 * measured 578.7 us for 67,108,864 bytes and 2,111 us for 268,435,456, on a straight line of
 * the logarithms.
 */
static void a_prefill_reduces_at_the_rate_of_nccl(void **state)
{
	const double expected = exp((log(578.7) + log(2111)) / 2) * 1e-6;
	struct ss_group group = prefill(8192);
	struct ss_batch batch = { .groups = &group, .group_count = 1, .decode_threshold = 1 };
	struct ss_breakdown b = { 0 };
	struct kernel_fixture f;
	double seconds = 0, count = 0;

	(void)state;
	fixture_make(&f, "llama-3.1-70b-instruct", "h100", FIXTURE_NODE, "tp=8");
	assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_KERNELS, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++)
		if (b.terms[i].term == SS_TERM_ALL_REDUCE &&
		    b.terms[i].resource != SS_RESOURCE_LAUNCH) {
			seconds += b.terms[i].floor_s + b.terms[i].slope_s;
			count += b.terms[i].count;
		}
	assert_true(count > 0);
	assert_close(seconds / count, expected, 1e-9);
	ss_breakdown_release(&b);
	fixture_release(&f);
}

static void the_parts_sum_to_the_figure(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		struct ss_group group = decode(32, 4096);
		struct ss_batch batch = { &group, 1, .decode_threshold = 1 };
		struct ss_breakdown b = { 0 };
		struct kernel_fixture f;
		double sum = 0, resources = 0;

		fixture_open(&f, scenarios[i], "");
		assert_int_equal(ss_kernel_breakdown(f.kernel, &batch, SS_FIGURE_KERNELS, &b),
				 SS_OK);
		for (size_t t = 0; t < b.term_count; t++)
			sum += ss_term_figure(&b.terms[t], SS_FIGURE_KERNELS);
		for (int r = 0; r < SS_RESOURCE_COUNT; r++)
			resources += b.step.kernels_resource_s[r];
		assert_close(sum, b.step.kernels_s, 1e-9);
		assert_close(resources, b.step.kernels_s, 1e-9);
		ss_breakdown_release(&b);
		fixture_release(&f);
	}
}

/** Each of `count` steps takes no less than the one before. */
static void climbs(const char *name, const char *what, const double *seconds, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (seconds[i] < seconds[i - 1] * (1 - 1e-12))
			fail_msg("%s: %s %zu takes %.9g s, less than %.9g", name, what, i,
				 seconds[i], seconds[i - 1]);
}

/* 201 to 208 requests run one graph of 208. */
static void more_work_takes_no_less_time_within_a_graph(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		struct kernel_fixture f;
		double by_request[8], by_context[8], by_prompt[8];

		fixture_open(&f, scenarios[i], "max_num_seqs=256");
		for (int n = 0; n < 8; n++) {
			by_request[n] = kernels_s(&f, decode(201 + n, 2048));
			by_context[n] = kernels_s(&f, decode(32, 512 << n));
			by_prompt[n] = kernels_s(&f, prefill(4096 + 512 * n));
		}
		climbs(scenarios[i], "request", by_request, 8);
		climbs(scenarios[i], "context", by_context, 8);
		climbs(scenarios[i], "prompt", by_prompt, 8);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_of_experts_gets_faster_with_ranks),
		cmocka_unit_test(no_product_runs_above_nine_tenths_of_peak),
		cmocka_unit_test(a_prefill_reduces_at_the_rate_of_nccl),
		cmocka_unit_test(the_parts_sum_to_the_figure),
		cmocka_unit_test(more_work_takes_no_less_time_within_a_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
