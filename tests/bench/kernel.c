/* Pricing: a step, building a kernel, sweeping, on the default scenario. */
#include <stdio.h>

#include "bench/bench.h"
#include "stepscope/kernel.h"
#include "stepscope/registry.h"

/** The default scenario, resolved. */
struct bench_kernel {
	struct ss_registry *registry;
	struct ss_scenario *scenario;
	struct ss_basis *basis;
	struct ss_kernel *kernel;
	struct ss_kernel *renewed;
	struct ss_group groups[256];
	struct ss_batch batch;
	struct ss_step step;
	int turn;
};

static int open_kernel(struct bench_kernel *b)
{
	const char *roots[] = { TEST_SRCDIR "/registry" };
	struct ss_problems problems = { 0 };
	int is_open = 0;

	*b = (struct bench_kernel){ 0 };
	b->scenario =
		ss_scenario_load(TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json", &problems);
	if (b->scenario && ss_registry_new(&b->registry, roots, 1, NULL) == SS_OK &&
	    ss_basis_open(&b->basis, b->registry, b->scenario, NULL, 0, &problems) == SS_OK &&
	    ss_kernel_new(&b->kernel, b->basis, b->scenario, 0, SS_CORRECTIONS_DEFAULT,
			  &problems) == SS_OK)
		is_open = 1;
	ss_problems_release(&problems);
	b->batch.groups = b->groups;
	b->batch.decode_threshold = 8;
	return is_open;
}

static void close_kernel(struct bench_kernel *b)
{
	ss_kernel_free(b->renewed);
	ss_kernel_free(b->kernel);
	ss_basis_free(b->basis);
	ss_registry_free(b->registry);
	ss_scenario_free(b->scenario);
}

/** Seconds of `run` as `measure` takes them; below 0 when the scenario cannot be opened. */
static double measured(double (*measure)(void (*)(void *), void *, double), void (*run)(void *),
		       size_t groups)
{
	struct bench_kernel b;
	double seconds = -1;

	if (open_kernel(&b)) {
		b.batch.group_count = groups;
		for (size_t i = 0; i < groups; i++)
			b.groups[i] = (struct ss_group){ groups > 1 ? 1 : 32, 1,
							 4095 + (int64_t)i * 17, 4096 };
		seconds = measure(run, &b, 0.5);
		if (b.turn < 0)
			seconds = -1;
	}
	close_kernel(&b);
	return seconds;
}

static void step(void *context)
{
	struct bench_kernel *b = context;

	ss_kernel_step(b->kernel, &b->batch, &b->step);
}

static void step_laws(void *context)
{
	struct bench_kernel *b = context;

	ss_kernel_step_of(b->kernel, &b->batch, SS_FIGURE_SERIAL, &b->step);
}

static void build(void *context)
{
	struct bench_kernel *b = context;
	struct ss_basis_inputs in = *ss_basis_inputs(b->basis);
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;

	if (ss_basis_new(&basis, &in, NULL) != SS_OK ||
	    ss_kernel_new(&kernel, basis, b->scenario, 0, SS_CORRECTIONS_DEFAULT, NULL) != SS_OK)
		b->turn = -1;
	ss_kernel_free(kernel);
	ss_basis_free(basis);
}

/** One swept configuration: another block size, renewed and priced. */
static void sweep_one(void *context)
{
	struct bench_kernel *b = context;

	ss_scenario_value_mut(b->scenario, 0, SS_F_MAX_NUM_SEQS)->integer = 64 + b->turn++ % 192;
	if (ss_kernel_renew(&b->renewed, b->basis, b->scenario, 0, SS_CORRECTIONS_DEFAULT, NULL) ==
	    SS_OK)
		ss_kernel_step(b->renewed, &b->batch, &b->step);
}

/** Six settings at fault at once: every way out is several settings. */
static void refuse(void *context)
{
	struct bench_kernel *b = context;
	struct ss_problems problems = { 0 };
	struct ss_kernel *kernel = NULL;
	const char *const faults[][2] = {
		{ "parallel.pcp", "2" },
		{ "parallel.dcp", "5" },
		{ "engine.block_size", "24" },
		{ "engine.cache_dtype", "nvfp4" },
		{ "engine.all2all_backend", "none" },
		{ "engine.scheduling_policy", "lifo" },
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (ss_scenario_set(b->scenario, 0, faults[i][0], faults[i][1], NULL) != SS_OK)
			b->turn = -1;
	if (ss_kernel_new(&kernel, b->basis, b->scenario, 0, SS_CORRECTIONS_DEFAULT, &problems) !=
		    SS_EREFUSED ||
	    !problems.items[0].fix_count)
		b->turn = -1;
	ss_problems_release(&problems);
}

double bench_refuse_ms(void)
{
	return measured(bench_median_s, refuse, 1) * 1e3;
}

double bench_step_256_us(void)
{
	return measured(bench_median_s, step, 256) * 1e6;
}

/** In millionths of the yardstick. */
static double ratio_of(void (*run)(void *))
{
	return measured(bench_least_s, run, 1) / bench_yardstick_s() * 1e6;
}

double bench_step_laws_ratio(void)
{
	return ratio_of(step_laws);
}

double bench_step_ratio(void)
{
	return ratio_of(step);
}

double bench_build_ratio(void)
{
	return ratio_of(build);
}

double bench_renew_ratio(void)
{
	return ratio_of(sweep_one);
}
