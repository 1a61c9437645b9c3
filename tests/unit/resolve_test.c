/*
 * The tables of resolving, case by case: sparse latent backends, served weight
 * formats, cache element bytes, CUDA graphs, and what is only warned of. Cases are
 * those of the published tables of the engine's behaviour.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"

#include "close.h"

/* -- sparse latent backends --------------------------------------------------------------- */

/** glm-5: 64 heads, latent width 576. Bytes per token and layer of the main cache; 0: refused. */
/* clang-format off */
static const struct sparse_case {
	const char *part, *settings, *backend;
	int bytes;
} sparse_cases[] = {
	{ "h200", "tp=4 dcp=2 cache_dtype=fp8", "FLASHMLA_SPARSE", 656 },
	{ "h200", "tp=8 cache_dtype=fp8_e4m3", "FLASHINFER_MLA_SPARSE_SM90", 576 },
	{ "h200", "tp=8 cache_dtype=auto", "FLASH_ATTN_MLA_SPARSE", 1152 },
	{ "h200", "tp=8 cache_dtype=fp8", "FLASHMLA_SPARSE", 656 },
	{ "h200", "tp=8 cache_dtype=fp8_ds_mla", "FLASHMLA_SPARSE", 656 },
	{ "h200", "tp=2 dcp=2 cache_dtype=fp8", "fewer than 32 query heads", 0 },
	{ "h200", "tp=8 dcp=2 cache_dtype=fp8_e4m3", "no decode-context parallelism", 0 },
	{ "h200", "tp=4 dcp=2 cache_dtype=auto", "no decode-context parallelism", 0 },
	{ "h200", "tp=8 cache_dtype=nvfp4_ds_mla", "no sparse latent backend", 0 },
	{ "h200", "tp=4 dcp=2 cache_dtype=fp8 dcp_comm_backend=a2a", "ag_rs only", 0 },
	{ "h200", "tp=8 cache_dtype=fp8_e4m3 flashinfer_version=0.6.9", "no sparse latent backend", 0 },
	{ "b200", "tp=8 cache_dtype=nvfp4_ds_mla", "FLASHMLA_SPARSE", 352 },
	{ "b200", "tp=2 pcp=4 dcp=4 cache_dtype=fp8", "FLASHMLA_SPARSE", 656 },
	{ "b200", "tp=2 dcp=2 cache_dtype=fp8", "FLASHINFER_MLA_SPARSE", 576 },
	{ "b200", "tp=4 dcp=2 cache_dtype=auto", "FLASHINFER_MLA_SPARSE", 1152 },
	{ "b200", "tp=2 pcp=4 cache_dtype=fp8", "FLASHINFER_MLA_SPARSE", 576 },
	{ "b200", "tp=2 cache_dtype=auto", "FLASHMLA_SPARSE", 1152 },
	{ "b200", "tp=2 pcp=4 dcp=4 cache_dtype=bfloat16", "needs a quantized cache", 0 },
	{ "b200", "tp=2 dcp=2 cache_dtype=auto", "needs a quantized cache", 0 },
};
/* clang-format on */

static bool has_message(const struct kernel_fixture *f, const char *code, const char *text)
{
	for (size_t i = 0; i < f->problems.count; i++)
		if (!strcmp(f->problems.items[i].code, code) &&
		    strstr(f->problems.items[i].message, text))
			return true;
	return false;
}

static bool check_sparse(const struct sparse_case *c)
{
	struct kernel_fixture f;
	bool is_good;

	fixture_make(&f, "glm-5", c->part, FIXTURE_NODE, c->settings);
	if (!c->bytes) {
		is_good = !f.kernel && has_message(&f, "E7", c->backend);
	} else {
		const struct ss_model *model = ss_basis_inputs(f.basis)->model;
		double layers = 0;

		for (size_t i = 0; i < model->kind_count; i++)
			layers += (double)model->kinds[i].count;
		is_good = f.kernel &&
			  !strcmp(ss_kernel_resolution(f.kernel)->attention_backend, c->backend) &&
			  fabs(ss_kernel_memory(f.kernel)->kv_bytes_per_token - c->bytes * layers) <
				  0.5;
	}
	if (!is_good)
		print_error("%s %s: expected %s, %d bytes; got %s, %g bytes\n", c->part,
			    c->settings, c->backend, c->bytes,
			    f.kernel ? ss_kernel_resolution(f.kernel)->attention_backend
				     : f.problems.items[0].message,
			    f.kernel ? ss_kernel_memory(f.kernel)->kv_bytes_per_token : 0);
	fixture_release(&f);
	return is_good;
}

static void sparse_backends_follow_their_table(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sparse_cases) / sizeof(sparse_cases[0]); i++)
		failed += !check_sparse(&sparse_cases[i]);
	assert_int_equal(failed, 0);
}

/* -- weights and caches ----------------------------------------------------------------------- */

/** Every quantization priced, and what it serves. */
static const struct {
	const char *names, *served, *model;
} served[] = {
	{ "fp8 ptpc_fp8 fbgemm_fp8 modelopt fp8_per_tensor fp8_per_block fp8_per_channel", "fp8",
	  "llama-3.1-8b-instruct" },
	{ "mxfp8 modelopt_mxfp8", "mxfp8", "llama-3.1-8b-instruct" },
	{ "modelopt_fp4 nvfp4 nvfp4_per_token", "nvfp4", "llama-3.1-8b-instruct" },
	{ "mxfp4 gpt_oss_mxfp4", "mxfp4", "llama-3.1-8b-instruct" },
	/* integer checkpoints of a 16-bit graph */
	{ "bitsandbytes awq awq_marlin auto_awq gptq gptq_marlin auto_gptq moe_wna16 inc", "int4",
	  "llama-3.1-8b-instruct" },
	{ "compressed-tensors quark", "bf16", "llama-3.1-8b-instruct" },
	{ "awq awq_marlin auto_awq gptq gptq_marlin auto_gptq compressed-tensors moe_wna16", "int4",
	  "qwen3.6-27b-awq" },
};

static void quantizations_serve_their_format(void **state)
{
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++) {
		char words[256];

		fixture_make(&f, served[i].model, "b200", FIXTURE_NODE, "");
		(void)snprintf(words, sizeof(words), "%s", served[i].names);
		for (char *w = words, *end; w; w = end) {
			char setting[300];

			end = strchr(w, ' ');
			if (end)
				*end++ = '\0';
			(void)snprintf(setting, sizeof(setting), "quantization=%s", w);
			fixture_set(&f, setting);
			assert_non_null(f.kernel);
			assert_true(ss_kernel_has_price(f.kernel));
			assert_string_equal(ss_kernel_resolution(f.kernel)->quantization,
					    served[i].served);
		}
		fixture_release(&f);
	}
}

/** 32 layers of 8 heads by 128, keys and values. */
static void cache_dtypes_have_their_width(void **state)
{
	static const struct {
		const char *name;
		double bytes;
	} widths[] = { { "auto", 2 },       { "bfloat16", 2 },         { "float16", 2 },
		       { "fp8", 1 },        { "fp8_e4m3", 1 },         { "fp8_e5m2", 1 },
		       { "nvfp4", 0.5625 }, { "nvfp4_4over6", 0.5625 } };
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "b200", FIXTURE_NODE, "");
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char setting[64];

		(void)snprintf(setting, sizeof(setting), "cache_dtype=%s", widths[i].name);
		fixture_set(&f, setting);
		assert_non_null(f.kernel);
		assert_close(ss_kernel_memory(f.kernel)->kv_bytes_per_token,
			     32 * 2 * 8 * 128 * widths[i].bytes, 1e-12);
	}
	fixture_release(&f);
}

/* -- CUDA graphs ---------------------------------------------------------------------------------
 */

static void graphs_follow_mode_batch_and_ceiling(void **state)
{
	static const struct {
		const char *mode;
		enum ss_graph uniform, other;
	} modes[] = {
		{ "PIECEWISE", SS_GRAPH_PIECEWISE, SS_GRAPH_PIECEWISE },
		{ "FULL", SS_GRAPH_FULL, SS_GRAPH_FULL },
		{ "FULL_AND_PIECEWISE", SS_GRAPH_FULL, SS_GRAPH_PIECEWISE },
		{ "FULL_DECODE_ONLY", SS_GRAPH_FULL, SS_GRAPH_EAGER },
		{ "NONE", SS_GRAPH_EAGER, SS_GRAPH_EAGER },
		{ "full_decode_only", SS_GRAPH_FULL, SS_GRAPH_EAGER },
	};
	const struct ss_group uniform = { 16, 1, 100, 101 }, other = { 1, 64, 0, 64 };
	const struct ss_group many = { 600, 1, 100, 101 };
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE, "");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		char setting[64];
		struct ss_batch batch = { .groups = &uniform, .group_count = 1 };
		struct ss_step step;

		(void)snprintf(setting, sizeof(setting), "cudagraph_mode=%s", modes[i].mode);
		fixture_set(&f, setting);
		ss_kernel_step(f.kernel, &batch, &step);
		assert_int_equal(step.graph, modes[i].uniform);
		batch.group_count = 0;
		ss_kernel_step(f.kernel, &batch, &step);
		assert_int_equal(step.graph, modes[i].uniform);
		batch = (struct ss_batch){ .groups = &other, .group_count = 1 };
		ss_kernel_step(f.kernel, &batch, &step);
		assert_int_equal(step.graph, modes[i].other);
		/* above the 512 captured no graph runs, whatever the mode */
		batch.groups = &many;
		ss_kernel_step(f.kernel, &batch, &step);
		assert_int_equal(step.graph, SS_GRAPH_EAGER);
	}
	fixture_set(&f, "cudagraph_mode=NONE");
	assert_int_equal(ss_kernel_resolution(f.kernel)->max_cudagraph_capture_size, 0);
	fixture_release(&f);
}

/** The engine's order of 2026: the maximum, the grid and the budget, then the drafts. */
static const struct {
	const char *settings, *sizes;
} captures[] = {
	{ "max_cudagraph_capture_size=42 speculative.method=deepseek_mtp num_spec_tokens=6",
	  "7 14 21 28 35" },
	{ "max_cudagraph_capture_size=42", "1 2 4 8 16 24 32 40" },
	{ "max_cudagraph_capture_size=8 speculative.method=deepseek_mtp num_spec_tokens=6", "7" },
	{ "max_num_seqs=8", "1 2 4 8 16" },
	{ "max_num_seqs=8 speculative.method=deepseek_mtp num_spec_tokens=1", "2 4 8 16 24 32" },
	{ "max_num_seqs=8 max_num_batched_tokens=13", "1 2 4 8 13" },
	{ "max_num_seqs=8 max_num_batched_tokens=16", "1 2 4 8 16" },
	{ "max_num_seqs=8 max_num_batched_tokens=17", "1 2 4 8 16" },
	/* the budget is a size of its own, and 21 the last multiple below it */
	{ "max_num_seqs=8 max_num_batched_tokens=23 speculative.method=deepseek_mtp "
	  "num_spec_tokens=2",
	  "3 6 9 18" },
	{ "cudagraph_capture_sizes=64,8,8,30 max_num_batched_tokens=40", "8 30" },
	{ "cudagraph_capture_sizes=64,8,30 max_num_batched_tokens=40 "
	  "speculative.method=deepseek_mtp num_spec_tokens=2",
	  "9 30" },
	{ "cudagraph_capture_sizes=8,32 max_cudagraph_capture_size=32", "8 32" },
	/* only a full graph of a decode needs whole verify steps */
	{ "max_num_seqs=8 cudagraph_mode=PIECEWISE speculative.method=deepseek_mtp "
	  "num_spec_tokens=1",
	  "1 2 4 8 16 24 32" },
	{ "cudagraph_mode=NONE", "" },
};

static void capture_sizes_follow_the_engines_order(void **state)
{
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		char text[512] = "";
		size_t used = 0;
		const struct ss_resolution *r;

		fixture_make(&f, "deepseek-v3", "h200", FIXTURE_NODE, "tp=8");
		fixture_set(&f, captures[i].settings);
		assert_non_null(f.kernel);
		r = ss_kernel_resolution(f.kernel);
		for (size_t s = 0; s < r->capture_size_count; s++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%lld",
						 s ? " " : "", (long long)r->capture_sizes[s]);
		assert_string_equal(text, captures[i].sizes);
		if (r->capture_size_count)
			assert_int_equal(r->max_cudagraph_capture_size,
					 r->capture_sizes[r->capture_size_count - 1]);
		fixture_release(&f);
	}
}

/** 42 tokens of six requests with 6 drafts pass the largest size, 35, and run eager. */
static void a_step_above_the_rounded_sizes_runs_eager(void **state)
{
	struct ss_group group = { .count = 6, .scheduled = 7, .computed = 4089 };
	struct ss_batch batch = { .groups = &group, .group_count = 1 };
	struct kernel_fixture f;
	struct ss_step step;

	(void)state;
	fixture_make(&f, "deepseek-v3", "h200", FIXTURE_NODE,
		     "tp=8 max_cudagraph_capture_size=42 speculative.method=deepseek_mtp "
		     "num_spec_tokens=6");
	ss_kernel_step(f.kernel, &batch, &step);
	assert_int_equal(step.graph, SS_GRAPH_EAGER);
	group.count = 5;
	ss_kernel_step(f.kernel, &batch, &step);
	assert_int_equal(step.graph, SS_GRAPH_FULL);
	fixture_release(&f);
}

/** Verify steps of 1 + 4 tokens: requests 1, 2, 3, 4, 6, 8, 12, 16, at most max_num_seqs. */
static void the_sm70_build_captures_sizes_of_its_own_with_mtp(void **state)
{
	static const int64_t mtp[] = { 5, 10, 15, 20, 30, 40, 60, 80 };
	const struct ss_resolution *r;
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "qwen3.6-27b-fp8-v100-tp4",
		     "max_num_seqs=32 speculative.method=mtp num_spec_tokens=4");
	r = ss_kernel_resolution(f.kernel);
	assert_int_equal(r->capture_size_count, 8);
	assert_memory_equal(r->capture_sizes, mtp, sizeof(mtp));
	fixture_set(&f, "max_num_seqs=5");
	r = ss_kernel_resolution(f.kernel);
	assert_int_equal(r->max_cudagraph_capture_size, 25);
	assert_int_equal(r->capture_size_count, 5);
	fixture_release(&f);
}

/* -- warnings
 * --------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *model, *settings, *pointer, *says;
	const char *code;
} warnings[] = {
	{ "qwen3-30b-a3b", "tp=2 dp=2 enable_expert_parallel=true all2all_backend=deepep_low_latency",
	  "engine/all2all_backend", "sequence-parallel", "W" },
	{ "llama-3.1-8b-instruct",
	  "speculative.method=eagle3 num_spec_tokens=2 disable_cascade_attn=false",
	  "engine/disable_cascade_attn", "async_scheduling", "W" },
	{ "llama-3.1-8b-instruct", "enable_dbo=true", "engine/dbo/enable_dbo", "without thresholds",
	  "W" },
	{ "qwen3-14b", "tp=5 allreduce_backend=custom", "engine/allreduce_backend",
	  "does not run at tp 5", "W" },
	{ "llama-3.1-70b-instruct",
	  "cluster.nodes=2 nodes=2 cluster.fabric=ib-400g tp=16 allreduce_backend=custom",
	  "engine/allreduce_backend", "above the 8 GPUs", "W" },
	{ "llama-3.1-8b-instruct", "mamba_cache_mode=align", "engine/mamba_cache_mode",
	  "no recurrent layer", "W" },
	{ "nemotron-3.5-lightning-30b-a3b-bf16", "", "engine/mamba_cache_mode", "align runs", "W" },
	/* 128 experts on 6 ranks: 22 on some, 21 on others, 1.05 */
	{ "qwen3-30b-a3b", "dp=6 enable_expert_parallel=true", "parallel/enable_expert_parallel",
	  "an imbalance of 1.05", "W" },
	{ "llama-3.1-8b-instruct", "quantization=nvfp4", "engine/quantization", "not a name", "W" },
	{ "llama-3.1-8b-instruct", "kv_connector=MyConnector", "engine/kv_connector", "not a name",
	  "W" },
	{ "llama-3.1-8b-instruct", "tp=2 disable_custom_all_reduce=false allreduce_backend=nccl",
	  "engine/disable_custom_all_reduce", "backend is taken", "D9" },
	{ "qwen3-30b-a3b", "enable_expert_parallel=true", "parallel/enable_expert_parallel",
	  "no expert leaves", "D10" },
};
/* clang-format on */

static void warnings_stop_nothing(void **state)
{
	(void)state;
	for (size_t w = 0; w < sizeof(warnings) / sizeof(warnings[0]); w++) {
		struct kernel_fixture f;
		bool is_there = false;

		fixture_make(&f, warnings[w].model, "h100", FIXTURE_NODE, warnings[w].settings);
		for (size_t i = 0; i < f.problems.count; i++) {
			const struct ss_problem *p = &f.problems.items[i];

			is_there |= p->severity == SS_WARNING &&
				    !strcmp(p->code, warnings[w].code) &&
				    strstr(p->pointer, warnings[w].pointer) &&
				    strstr(p->message, warnings[w].says);
		}
		if (!is_there)
			print_error("%s %s: no warning says \"%s\"\n", warnings[w].model,
				    warnings[w].settings, warnings[w].says);
		assert_true(is_there);
		fixture_release(&f);
	}
}

static void a_plain_deployment_warns_of_nothing(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE, "tp=2");
	assert_int_equal(f.problems.count, 0);
	fixture_release(&f);
}

/* The engine's own warning: it falls back to torch.float16 where dtype is auto. */
static void a_part_without_bfloat16_runs_half_precision(void **state)
{
	static const struct {
		const char *part;
		size_t overrides;
	} parts[] = { { "v100-sxm2-32", 1 }, { "a100-sxm", 0 } };
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		fixture_make(&f, "llama-3.1-8b-instruct", parts[i].part, FIXTURE_NODE,
			     "engine_version=0.31.0");
		assert_non_null(f.kernel);
		assert_int_equal(ss_kernel_override_count(f.kernel), parts[i].overrides);
		if (parts[i].overrides) {
			assert_string_equal(ss_kernel_override(f.kernel, 0)->field, "dtype");
			assert_string_equal(ss_kernel_override(f.kernel, 0)->requested, "bfloat16");
			assert_string_equal(ss_kernel_override(f.kernel, 0)->resolved, "float16");
		}
		fixture_release(&f);
	}
}

/* -- names in any case
 * ---------------------------------------------------------------------------------- */

static void backends_are_read_in_any_case(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "qwen3-30b-a3b", "h100", FIXTURE_NODE,
		     "dp=8 enable_expert_parallel=true all2all_backend=DeepEP_Low_Latency");
	assert_non_null(f.kernel);
	assert_string_equal(ss_kernel_resolution(f.kernel)->all2all_backend, "deepep_low_latency");
	fixture_release(&f);
	fixture_make(&f, "deepseek-v3", "h200", FIXTURE_NODE, "tp=8 dcp=2 dcp_comm_backend=AG_RS");
	assert_non_null(f.kernel);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sparse_backends_follow_their_table),
		cmocka_unit_test(quantizations_serve_their_format),
		cmocka_unit_test(cache_dtypes_have_their_width),
		cmocka_unit_test(graphs_follow_mode_batch_and_ceiling),
		cmocka_unit_test(capture_sizes_follow_the_engines_order),
		cmocka_unit_test(a_step_above_the_rounded_sizes_runs_eager),
		cmocka_unit_test(the_sm70_build_captures_sizes_of_its_own_with_mtp),
		cmocka_unit_test(warnings_stop_nothing),
		cmocka_unit_test(a_plain_deployment_warns_of_nothing),
		cmocka_unit_test(a_part_without_bfloat16_runs_half_precision),
		cmocka_unit_test(backends_are_read_in_any_case),
	};

	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
