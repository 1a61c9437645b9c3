/**
 * @file
 * Deployments and batches the footing is tested on: every shipped scenario, and
 * layouts that bring the terms those do not.
 */
#ifndef STEPSCOPE_TESTS_FOOTING_CASES_H
#define STEPSCOPE_TESTS_FOOTING_CASES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_fixture.h"
#include "stepscope/footing.h"

/** What is called with each case. The fixture has a kernel with a price. */
typedef void footing_check(struct kernel_fixture *f, const struct ss_batch *batch);

/** Batches: decodes, a verify step, a chunk beside decodes, a prefix, many short requests. */
static const char *const footing_batches[] = {
	"32x4096", "1x8193", "8x4s+4092,4x1000", "16x2048,1x3000p", "2x2048p+4096,3x512p", "400x700"
};

/** Layouts: model, part, nodes, settings, a coefficient that no set has. */
static const struct {
	const char *model, *part;
	int nodes;
	const char *settings;
	const char *tried;
	double value;
} footing_layouts[] = {
	{ "deepseek-v3", "h200", 1, "tp=8 cache_dtype=fp8 quantization=fp8 dcp=4", NULL, 0 },
	{ "deepseek-v3", "h200", 1,
	  "tp=8 quantization=fp8 dcp=8 dcp_comm_backend=a2a max_model_len=16384", NULL, 0 },
	{ "deepseek-v3", "h200", 1, "tp=8 quantization=fp8 method=mtp num_spec_tokens=2", NULL, 0 },
	{ "deepseek-v3", "h200", 2,
	  "tp=8 dp=2 enable_expert_parallel=true all2all_backend=deepep_low_latency "
	  "cudagraph_mode=NONE async_scheduling=false",
	  NULL, 0 },
	/* a release without a pack, so without lists */
	{ "deepseek-v3", "h200", 1,
	  "engine_version=0.30.5 tp=4 dp=2 enable_expert_parallel=true quantization=fp8 "
	  "all2all_backend=deepep_low_latency cache_dtype=fp8",
	  NULL, 0 },
	{ "glm-5", "h200", 2, "tp=8 pcp=2 quantization=fp8", NULL, 0 },
	{ "glm-5", "h200", 1, "tp=8 quantization=fp8 method=mtp num_spec_tokens=1", NULL, 0 },
	{ "kimi-k2.5", "h200", 2, "tp=8 pcp=2", NULL, 0 },
	{ "minimax-m3", "b300", 1, "tp=8", NULL, 0 },
	{ "qwen3.5-397b-a17b", "h200", 1, "tp=8 quantization=fp8", NULL, 0 },
	{ "small-table", "b200", 1, "engram.cpu_offload=true", NULL, 0 },
	{ "llama-3.1-70b-instruct", "a100-80", 1, "tp=8 quantization=fp8", NULL, 0 },
	{ "small-terms", "h200", 1, "tp=2 async_scheduling=false", "host_step_per_request", 4 },
	{ "small-terms", "h200", 1, "tp=2", "host_step_per_request", 30 },
	{ "small-terms", "b300", 1, "tp=2", NULL, 0 },
};

/** Try two coefficients that only work together, and resolve again. */
static inline void footing_try_shape(struct kernel_fixture *f)
{
	struct ss_basis_inputs in = *ss_basis_inputs(f->basis);
	struct ss_whatif whatifs[] = { { "gemm_n_half_bf16", 700 }, { "gemm_k_half_bf16", 250 } };
	struct ss_basis *basis = NULL;

	in.whatifs = whatifs;
	in.whatif_count = 2;
	assert_int_equal(ss_basis_new(&basis, &in, &f->problems), SS_OK);
	ss_kernel_free(f->kernel);
	f->kernel = NULL;
	ss_basis_free(f->basis);
	f->basis = basis;
	assert_int_equal(
		ss_kernel_new(&f->kernel, f->basis, f->scenario, 0, f->corrections, &f->problems),
		SS_OK);
}

/** Price every batch of a deployment. */
static inline void footing_try(struct kernel_fixture *f, footing_check *check)
{
	for (size_t i = 0; i < sizeof(footing_batches) / sizeof(footing_batches[0]); i++) {
		struct ss_batch batch = { .sm_budget = i == 3 ? 66 : 0 };
		struct ss_group *groups = NULL;
		struct ss_error err = { 0 };

		assert_int_equal(
			ss_batch_parse(&groups, &batch.group_count, footing_batches[i], &err),
			SS_OK);
		batch.groups = groups;
		check(f, &batch);
		free(groups);
	}
}

/** The same with every known divergence corrected. */
static inline void footing_corrected(footing_check *check)
{
	for (int layout = 0; layout < 2; layout++) {
		struct kernel_fixture f;

		fixture_make(&f, "deepseek-v3", "h200", FIXTURE_NODE,
			     layout ? "tp=8 quantization=fp8 method=mtp num_spec_tokens=2"
				    : "tp=8 quantization=fp8");
		f.corrections = ~0u;
		fixture_set(&f, "");
		footing_try(&f, check);
		fixture_release(&f);
	}
}

/** Every shipped scenario, sorted by nothing in particular. */
static inline size_t footing_each_scenario(footing_check *check)
{
	DIR *folder = opendir(TEST_SRCDIR "/scenarios");
	struct dirent *file;
	size_t n = 0;

	assert_non_null(folder);
	while ((file = readdir(folder))) {
		struct kernel_fixture f;
		char name[300];
		char *dot;

		(void)snprintf(name, sizeof(name), "%s", file->d_name);
		dot = strstr(name, ".json");
		if (!dot)
			continue;
		*dot = '\0';
		fixture_open(&f, name, "");
		if (f.kernel && ss_kernel_has_price(f.kernel)) {
			footing_try(&f, check);
			n++;
		}
		fixture_release(&f);
	}
	(void)closedir(folder);
	return n;
}

static inline void footing_each_layout(footing_check *check)
{
	for (size_t i = 0; i < sizeof(footing_layouts) / sizeof(footing_layouts[0]); i++) {
		struct kernel_fixture f;

		struct fixture_cluster cluster = { .nodes = footing_layouts[i].nodes,
						   .gpus_per_node = 8,
						   .inter_node_gb_s =
							   footing_layouts[i].nodes > 1 ? 50 : 0 };

		fixture_make(&f, footing_layouts[i].model, footing_layouts[i].part, &cluster,
			     footing_layouts[i].settings);
		if (!f.kernel)
			for (size_t p = 0; p < f.problems.count; p++)
				print_error("%s\n", f.problems.items[p].message);
		assert_non_null(f.kernel);
		if (footing_layouts[i].tried)
			fixture_whatif(&f, footing_layouts[i].tried, footing_layouts[i].value);
		assert_true(ss_kernel_has_price(f.kernel));
		footing_try(&f, check);
		fixture_release(&f);
	}
	{
		struct kernel_fixture f;

		fixture_make(&f, "qwen3-30b-a3b", "h100", FIXTURE_NODE, "tp=2");
		footing_try_shape(&f);
		footing_try(&f, check);
		fixture_release(&f);
	}
}

#endif
