/*
 * Every name a kernel can record: a deployment that records it, with its value, and
 * one that does not, and what the difference costs. A name of the code without a
 * row here fails, and so does a row that nothing triggers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"

/** What must differ between the two deployments. */
enum effect {
	QUIET = 0,  /**< nothing need: the entry says which of two equals runs */
	STEP = 1,   /**< seconds of a step */
	MEMORY = 2, /**< fixed bytes */
	POOL = 4,   /**< what the KV pool holds */
	AROUND = 8, /**< admission, output token, completion, a transfer */
};

#define SETS                                                                              \
	"cost-model-primitives,cost-model-collectives,cost-model-memory,cost-model-host-" \
	"overheads,cost-model-attention,cost-model-recurrent"
#define BARE "coefficients=small-required,cost-model-collectives,cost-model-memory"
#define WITH(set) "coefficients=" SETS "," set
/** The build for V100, with the sets its parts have. */
#define SM70                                                 \
	"engine_version=sm70 cluster.hardware=v100-sxm2-32 " \
	"coefficients=cost-model-host-overheads,"            \
	"cost-model-memory,cost-model-sm70 tp=4"

struct row {
	const char *name;
	const char *value; /**< as shown; NULL: any */
	const char *model;
	const char *settings;  /**< records the name */
	const char *otherwise; /**< with these on top it is not recorded */
	unsigned effect;
};

/*
 * Values are those the published rules of vLLM 0.31.0 state (defaults by memory
 * size, backends by part); a part or a set is named in the settings.
 */
/* clang-format off */
static const struct row assumptions[] = {
	{ "block_size", "16", "llama-3.1-8b-instruct", "", "block_size=256", POOL },
	{ "block_size", "64", "glm-5", "tp=8", "block_size=256", POOL },
	{ "block_size", "256", "deepseek-v4-pro", "cluster.hardware=b200 tp=8", "block_size=64", POOL },
	{ "block_size", "64", "small-family", "", "block_size=128", POOL },
	{ "block_size", "128", "small-family", "cluster.hardware=b200", "block_size=64", POOL },
	{ "cudagraph_mode", "FULL_AND_PIECEWISE", "llama-3.1-8b-instruct", "", "cudagraph_mode=none",
	  STEP | MEMORY },
	{ "max_cudagraph_capture_size", "512", "llama-3.1-8b-instruct", "",
	  "max_cudagraph_capture_size=8", STEP },
	{ "max_cudagraph_capture_size", "1024", "llama-3.1-8b-instruct", "cluster.hardware=b200",
	  "cudagraph_capture_sizes=1,2,4", STEP },
	{ "max_cudagraph_capture_size", "32", "llama-3.1-8b-instruct", "max_num_seqs=16",
	  "max_cudagraph_capture_size=8", STEP },
	/* drafts: sizes go by whole verify steps of 3, so 512 itself is not one of them */
	{ "max_cudagraph_capture_size", "498", "deepseek-v3",
	  "cluster.hardware=h200 tp=8 speculative.method=deepseek_mtp num_spec_tokens=2",
	  "max_cudagraph_capture_size=6", STEP },
	{ "max_num_batched_tokens", "8192", "llama-3.1-8b-instruct", "", "max_num_batched_tokens=2048",
	  MEMORY },
	{ "max_num_batched_tokens", "2048", "llama-3.1-8b-instruct", "cluster.hardware=a100-80",
	  "max_num_batched_tokens=8192", MEMORY },
	{ "max_num_batched_tokens", "16384", "llama-3.1-8b-instruct", "cluster.hardware=b200",
	  "max_num_batched_tokens=8192", MEMORY },
	{ "max_num_seqs", "1024", "llama-3.1-8b-instruct", "", "max_num_seqs=4", STEP },
	{ "max_num_seqs", "256", "llama-3.1-8b-instruct", "cluster.hardware=a100-80", "max_num_seqs=4",
	  STEP },
	{ "max_num_seqs", "64", "llama-3.1-8b-instruct", "max_num_batched_tokens=64", "max_num_seqs=4",
	  STEP },
	{ "max_model_len", "131072", "llama-3.1-8b-instruct", "", "max_model_len=4096", POOL },
	{ "max_model_len", "unbounded", "granite-5.0-230b-rl-preview", "tp=8", "max_model_len=4096",
	  POOL },
	{ "max_model_len", NULL, "llama-3.1-8b-instruct", "max_model_len=auto", "max_model_len=4096",
	  POOL },
	{ "mamba_cache_mode", "align", "nemotron-3.5-lightning-30b-a3b-bf16", "",
	  "mamba_cache_mode=all", POOL },
	{ "mamba_cache_mode", "none", "nemotron-3.5-lightning-30b-a3b-bf16",
	  "enable_prefix_caching=false", "mamba_cache_mode=all", POOL },
	{ "dcp_comm_backend", "ag_rs", "deepseek-v3", "cluster.hardware=h200 tp=8 dcp=2",
	  "dcp_comm_backend=A2A", STEP },
	{ "dcp_comm_backend", "a2a", "deepseek-v3",
	  "cluster.hardware=h200 tp=8 engine=bare dcp_comm_backend=a2a", "engine=vllm", QUIET },
	{ "allreduce_backend", "custom", "llama-3.1-8b-instruct", "engine=bare tp=2",
	  "allreduce_backend=nccl", QUIET },
	{ "sequence_parallel_moe", "off", "qwen3-30b-a3b",
	  "engine=bare tp=2 dp=2 enable_expert_parallel=true all2all_backend=deepep_low_latency",
	  "engine=vllm", STEP },
	{ "unchecked_all2all_backend", "pplx", "qwen3-30b-a3b",
	  "engine=bare dp=2 enable_expert_parallel=true all2all_backend=pplx", "engine=vllm", QUIET },
	{ "unchecked_attention_backend", "FLASH_ATTN", "llama-3.1-8b-instruct",
	  "engine=bare attention_backend=FLASH_ATTN", "attention_backend=", QUIET },
	{ "mla_context_chunk", "65536", "deepseek-v3", "cluster.hardware=h200 tp=8 dcp=2",
	  "max_model_len=1024 max_num_seqs=4", STEP },
	{ "sparse_mla_backend", "FLASHINFER_MLA_SPARSE_SM90", "glm-5",
	  "cluster.hardware=h200 tp=8 cache_dtype=fp8_e4m3", "flashinfer_version=0.6.18", QUIET },
	{ "sparse_read_per_query", "per token", "glm-5",
	  "tp=8 speculative.method=deepseek_mtp num_spec_tokens=1", "speculative.method= num_spec_tokens=",
	  STEP },
	{ "engine_version", "0.31.0", "llama-3.1-8b-instruct", "engine_version=0.29.0",
	  "engine_version=0.31.0", QUIET },
	{ "engine_version", "0.31.0", "llama-3.1-8b-instruct", "engine_version=0.30.1",
	  "engine_version=0.31.0", QUIET },
	{ "async_scheduling_spec", "on", "deepseek-v3",
	  "engine=bare tp=8 speculative.method=deepseek_mtp num_spec_tokens=1 " WITH("small-host"),
	  "async_scheduling=false", STEP },
	{ "compute_capability", "sm90", "glm-5", "", "cluster.hardware=small-gpu " BARE, STEP },
	{ "compute_capability", "sm100", "small-family", "cluster.hardware=b200", "cluster.hardware=small-gpu " BARE,
	  STEP },
	{ "compute_capability", "sm90", "kimi-k3", "tp=8", "model=deepseek-v3", STEP },
	{ "compute_rate_fp32", "494.75", "small-fp32", "", "model=small-tied", STEP },
	{ "gemm_eps_max_w4a16", "bf16", "kimi-k2.5", "tp=8", WITH("small-ramps"), STEP },
	{ "gemm_eps_max_w4a16_grouped", "bf16", "kimi-k2.5", "tp=8", WITH("small-ramps"), STEP },
	{ "gemm_eps_max_w8a16_mxfp8", "bf16", "qwen3-14b", "quantization=mxfp8", WITH("small-ramps"),
	  STEP },
	{ "gemm_eps_max_w8a16_fp8", "bf16", "qwen3-14b", "cluster.hardware=a100-80 quantization=fp8",
	  WITH("small-ramps"), STEP },
	{ "recurrent_prefill_rate_kda", "chunked scan FLOPs", "kimi-k3", "tp=8", WITH("small-scan"),
	  STEP },
	{ "recurrent_prefill_rate_gdn", "chunked scan FLOPs", "qwen3.6-27b", "", WITH("small-scan"),
	  STEP },
	{ "recurrent_prefill_rate_mamba2", "chunked scan FLOPs", "nemotron-3.5-lightning-30b-a3b-bf16",
	  "", WITH("small-scan"), STEP },
	{ "attention_prefill_sparse_mla", "fallback", "glm-5", "tp=8 " WITH("small-family-part"),
	  WITH("small-family-whole"), STEP },
	{ "attention_prefill_block_index_scores", "fallback", "glm-5",
	  "tp=8 " WITH("small-family-part"), WITH("small-family-whole"), STEP },
	{ "mhc", "fallback", "small-mhc", WITH("small-mhc-pre"), WITH("small-mhc-whole"), STEP },
	{ "mhc_post", "fallback", "small-mhc", WITH("small-mhc-half"), WITH("small-mhc-whole"), STEP },
	{ "moe_a2a_deepep_high_throughput", "routed all-to-all", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=deepep_high_throughput",
	  WITH("small-dispatch"), STEP },
	{ "moe_a2a_deepep_low_latency", "routed all-to-all", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=DeepEP_low_latency",
	  WITH("small-dispatch"), STEP },
	{ "moe_a2a_deepep_v2_eager", "routed all-to-all", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=deepep_v2 cudagraph_mode=NONE",
	  WITH("small-dispatch"), STEP },
	{ "moe_a2a_deepep_v2_graph", "routed all-to-all", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=deepep_v2", WITH("small-dispatch"), STEP },
	/* measured at 16 ranks, but the group spans two nodes */
	{ "moe_a2a_deepep_low_latency", "routed all-to-all", "qwen3-30b-a3b",
	  "cluster.nodes=2 nodes=2 cluster.fabric=ib-400g dp=16 enable_expert_parallel=true "
	  "all2all_backend=deepep_low_latency " WITH("small-dispatch"),
	  "dp=8", STEP },
	{ "deepep_v2_mode", "deepep_v2_graph", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=deepep_v2", "all2all_backend=naive", STEP },
	{ "deepep_v2_mode", "deepep_v2_eager", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=deepep_v2 cudagraph_mode=NONE",
	  "all2all_backend=naive", STEP },
	{ "engram_cpu_offload", "off", "small-table", "", "engram.cpu_offload=true", STEP | MEMORY },
	{ "engram_dp_shared_memory", "on", "small-table", "dp=2 engram.cpu_offload=true",
	  "engram.dp_shared_memory=false", MEMORY },
	{ "engram_dp_shared_memory", "off", "small-table", "dp=2 engram.cpu_offload=false",
	  "engram.dp_shared_memory=false", QUIET },
	{ "host_gather_rate_uva", NULL, "small-table", "engram.cpu_offload=true", WITH("small-gather"),
	  STEP },
	{ "hybrid_kv_cache_manager", "on", "gpt-oss-120b", "tp=4 kv_connector=MooncakeConnector",
	  "hybrid_kv_cache_manager=false", POOL },
	{ "kv_cache_grouping", "own pages", "deepseek-v4-pro", "tp=8", "model=deepseek-v3", POOL },
	{ "cache_record", "near", "small-caches", "cache_dtype=fp8", "cache_dtype=bfloat16", POOL },
	{ "kv_codec_alias", "fp8_e4m3", "qwen3.6-27b-awq", SM70 " cache_dtype=fp8",
	  "cache_dtype=fp8_e4m3", QUIET },
	{ "native_route_abi", "available", "qwen3.6-27b-awq", SM70,
	  "engine.sm70.attention_config.backend=TRITON_ATTN", QUIET },
	{ "gdn_prefill_toolkit", "present", "qwen3.6-27b-awq", SM70, "cluster.host.nvcc=true", QUIET },
	{ "model", "deepseek-v3", "deepseek-ai/DeepSeek-R1", "cluster.hardware=h200 tp=8", "model=deepseek-v3", 0 },
	{ "modality", "text decoder", "kimi-k2.5", "tp=8", "model=deepseek-v3", STEP },
	{ "num_spec_tokens", "3", "deepseek-v3",
	  "tp=8 speculative.method=deepseek_mtp num_spec_tokens=3", "num_spec_tokens=1", STEP },
	{ "speculator", "none", "llama-3.1-8b-instruct", "speculative.method=eagle3 num_spec_tokens=2",
	  "speculative.method= num_spec_tokens=", QUIET },
	{ "speculator", "deepseek_mtp", "deepseek-v3", "tp=8 speculative.method=eagle num_spec_tokens=1",
	  "speculative.method=deepseek_mtp", QUIET },
};
/* clang-format on */

/** A coefficient that is missing, and a value that ends it. */
struct absent_row {
	const char *name;
	const char *model;
	const char *settings;
	double value;
	unsigned effect;
};

/* clang-format off */
static const struct absent_row absent[] = {
	{ "attention_decode_rate", "llama-3.1-8b-instruct", BARE, 1e6, STEP },
	{ "attention_decode_floor", "llama-3.1-8b-instruct", BARE ",small-rates", 30, STEP },
	{ "attention_decode_rate_swa", "gpt-oss-120b", "tp=4 " BARE, 1e6, STEP },
	{ "attention_decode_rate_mla", "deepseek-v3", "tp=8 " BARE, 1e6, STEP },
	{ "attention_decode_rate_sparse_mla", "glm-5", "tp=8 " BARE, 1e6, STEP },
	{ "attention_decode_rate_block_index_scores", "glm-5", "tp=8 " BARE, 1e6, STEP },
	{ "attention_decode_floor_swa", "gpt-oss-120b", "tp=4 " BARE ",small-rates", 30, STEP },
	{ "attention_decode_floor_mla", "deepseek-v3", "tp=8 " BARE ",small-rates", 30, STEP },
	{ "attention_decode_floor_sparse_mla", "glm-5", "tp=8 " BARE ",small-rates", 30, STEP },
	{ "attention_decode_floor_block_index_scores", "glm-5", "tp=8 " BARE ",small-rates", 30, STEP },
	{ "attention_prefill_floor", "llama-3.1-8b-instruct", BARE ",small-rates", 40, STEP },
	{ "attention_prefill_work_scale", "llama-3.1-8b-instruct", BARE, 2, STEP },
	/* one of five: the family is partial, and the assumption of its kind stands instead */
	{ "attention_prefill_rate_sparse_mla", "glm-5", "tp=8 " BARE, 1e8, QUIET },
	{ "attention_prefill_rate_block_index_scores", "glm-5", "tp=8 " BARE, 1e8, QUIET },
	{ "mhc_rate_pre", "small-mhc", BARE, 50, QUIET },
	{ "mhc_rate_post", "small-mhc", BARE ",small-mhc-pre", 50, QUIET },
	{ "recurrent_decode_floor_kda", "kimi-k3", "tp=8 " BARE, 10, QUIET },
	{ "recurrent_decode_rate_kda", "kimi-k3", "tp=8 " BARE, 10, QUIET },
	{ "recurrent_decode_floor_gdn", "qwen3.6-27b", BARE, 10, QUIET },
	{ "recurrent_decode_rate_gdn", "qwen3.6-27b", BARE, 10, QUIET },
	{ "recurrent_decode_floor_mamba2", "nemotron-3.5-lightning-30b-a3b-bf16", BARE, 10, QUIET },
	{ "recurrent_decode_rate_mamba2", "nemotron-3.5-lightning-30b-a3b-bf16", BARE, 10, QUIET },
	{ "recurrent_prefill_floor_kda", "kimi-k3", "tp=8 " BARE ",small-scan", 25, STEP },
	{ "recurrent_prefill_floor_gdn", "qwen3.6-27b", BARE ",small-scan", 25, STEP },
	{ "recurrent_prefill_floor_mamba2", "nemotron-3.5-lightning-30b-a3b-bf16", BARE ",small-scan", 25,
	  STEP },
	{ "moe_routing_imbalance_median", "qwen3-30b-a3b", BARE, 1.3, STEP },
	{ "host_link_bandwidth", "llama-3.1-8b-instruct", "offload.tiers=cpu_dram:1000000 " BARE, 9000,
	  AROUND },
	{ "host_step_per_request", "llama-3.1-8b-instruct", "async_scheduling=false", 500, STEP },
	{ "host_step_per_request", "llama-3.1-8b-instruct", "async_scheduling=true", 5000, STEP },
	{ "host_admission_per_token", "llama-3.1-8b-instruct", BARE, 0.4, AROUND },
	{ "host_admission_per_request", "llama-3.1-8b-instruct", BARE, 40000, AROUND },
	{ "host_output_token", "llama-3.1-8b-instruct", BARE, 45, AROUND },
	{ "host_completion", "llama-3.1-8b-instruct", BARE, 700, AROUND },
	{ "host_launch_eager_per_layer", "llama-3.1-8b-instruct", BARE, 7, STEP },
	{ "host_launch_per_kernel", "llama-3.1-8b-instruct", BARE, 3, STEP },
	{ "host_replay_graph_per_step", "llama-3.1-8b-instruct", BARE, 7, STEP },
};
/* clang-format on */

struct override_row {
	const char *field, *requested, *resolved;
	const char *model;
	const char *settings;
	const char *otherwise;
	unsigned effect;
};

#define OVER_NODES "cluster.nodes=2 nodes=2 cluster.fabric=ib-400g "

/* clang-format off */
static const struct override_row overrides[] = {
	{ "all2all_backend", "deepep_low_latency", "none", "deepseek-v3",
	  "cluster.hardware=h200 tp=8 enable_expert_parallel=true all2all_backend=deepep_low_latency",
	  "all2all_backend=", QUIET },
	{ "allreduce_backend", "custom (default)", "nccl", "llama-3.1-70b-instruct",
	  OVER_NODES "tp=16", "allreduce_backend=nccl", QUIET },
	{ "allreduce_backend", "custom", "nccl", "qwen3-14b",
	  "cluster.hardware=l40s tp=4 allreduce_backend=custom", "allreduce_backend=nccl", QUIET },
	{ "allreduce_backend", "custom", "nccl", "qwen3-14b",
	  "cluster.hardware=l40s tp=4 disable_custom_all_reduce=false", "disable_custom_all_reduce=true",
	  QUIET },
	{ "cache_dtype", "fp8", "fp8_ds_mla", "glm-5", "cluster.hardware=h200 tp=8 cache_dtype=fp8",
	  "cache_dtype=auto", STEP | POOL },
	{ "cache_dtype", "fp8", "nvfp4_ds_mla", "small-family", "cluster.hardware=b200 cache_dtype=fp8",
	  "cache_dtype=fp8_ds_mla", STEP | POOL },
	{ "block_size", "16", NULL, "nemotron-3.5-lightning-30b-a3b-bf16", "block_size=16",
	  "block_size=4096", POOL },
	{ "cp_kv_cache_interleave_size", "unstated (engine default 1)", "64", "deepseek-v3",
	  "cluster.hardware=h200 tp=8 dcp=2 block_size=64 kv_connector=NixlConnector",
	  "cp_kv_cache_interleave_size=1", STEP },
	{ "cp_kv_cache_interleave_size", "unstated (engine default 1)", "64", "deepseek-v3",
	  "cluster.hardware=h200 tp=8 dcp=2 block_size=64 kv_connector=MooncakeConnector "
	  "pd_transfer.connector=NixlPullConnector",
	  "cp_kv_cache_interleave_size=1", STEP },
	{ "cudagraph_capture_sizes", "8,64,4096", "8,64", "llama-3.1-8b-instruct",
	  "max_num_batched_tokens=2048 cudagraph_capture_sizes=8,64,4096", "cudagraph_capture_sizes=8",
	  STEP },
	{ "max_cudagraph_capture_size", "4096", "2048", "llama-3.1-8b-instruct",
	  "max_num_batched_tokens=2048 max_cudagraph_capture_size=4096",
	  "max_cudagraph_capture_size=8", STEP },
	{ "max_cudagraph_capture_size", "100", "96", "llama-3.1-8b-instruct",
	  "max_cudagraph_capture_size=100", "max_cudagraph_capture_size=8", STEP },
	{ "max_cudagraph_capture_size", "300", "288", "llama-3.1-8b-instruct",
	  "max_cudagraph_capture_size=300", "max_cudagraph_capture_size=8", STEP },
	{ "cudagraph_mode", "FULL", "NONE", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=deepep_high_throughput cudagraph_mode=full",
	  "all2all_backend=deepep_low_latency", STEP },
	{ "cudagraph_mode", "unstated (FULL_AND_PIECEWISE)", "NONE", "qwen3-30b-a3b",
	  "dp=8 enable_expert_parallel=true all2all_backend=moonep", "enable_expert_parallel=false",
	  STEP },
	{ "dtype", "bfloat16", "float16", "qwen3.6-27b", SM70 " quantization=fp8",
	  "engine.sm70.model_config.dtype=half", QUIET },
	{ "gdn_prefill", "unstated (original by default)", "prebuilt", "qwen3.6-27b-awq",
	  SM70 " cluster.host.nvcc=false", "cluster.host.nvcc=true", QUIET },
	{ "mamba_cache_mode", "none", "align", "nemotron-3.5-lightning-30b-a3b-bf16",
	  "mamba_cache_mode=none", "enable_prefix_caching=false", POOL },
};
/* clang-format on */

/* -- figures --------------------------------------------------------------------------------- */

enum { STEPS = 6, POOLS = 5, AROUNDS = 4 };

struct figures {
	double step[STEPS];
	double memory[2];
	double pool[POOLS];
	double around[AROUNDS];
};

static void figure(const struct ss_kernel *k, struct figures *out)
{
	static const struct ss_group batches[STEPS][2] = {
		{ { 16, 1, 4000, 4001 } },
		{ { 1, 2048, 0, 2048 } },
		{ { 8, 1, 1023, 1024 }, { 1, 512, 3584, 8192 } },
		{ { 48, 1, 2047, 2048 } },
		{ { 1500, 1, 511, 512 } },
		{ { 2, 512, 40000, 60000 }, { 1, 600, 70000, 80000 } },
	};
	const struct ss_memory *m = ss_kernel_memory(k);
	const struct ss_kv_pool *pool = ss_kernel_kv_pool(k);

	*out = (struct figures){ 0 };
	for (size_t i = 0; i < STEPS; i++) {
		struct ss_batch batch = { .groups = batches[i], .group_count = 2 };
		struct ss_step step;

		ss_kernel_step(k, &batch, &step);
		out->step[i] = step.serial_s;
	}
	out->memory[0] = (double)m->total_bytes;
	out->memory[1] = (double)m->host_tables_bytes;
	out->pool[0] = (double)ss_kernel_sequence_bytes(k, 4001);
	out->pool[1] = (double)pool->reported_tokens;
	out->pool[2] = pool->max_concurrency;
	out->pool[3] = (double)pool->block_bytes;
	out->pool[4] = (double)ss_kernel_requests_that_fit(k, 4001);
	out->around[0] = ss_kernel_admission_s(k, 1000);
	out->around[1] = ss_kernel_output_token_s(k);
	out->around[2] = ss_kernel_completion_s(k);
	out->around[3] = ss_kernel_tier_s(k, "cpu_dram", false, 1 << 30, 1);
}

static bool differs(const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fabs(a[i] - b[i]) > 1e-9 * fabs(a[i]))
			return true;
	return false;
}

static unsigned effects(const struct figures *a, const struct figures *b)
{
	return (differs(a->step, b->step, STEPS) ? STEP : 0u) |
	       (differs(a->memory, b->memory, 2) ? MEMORY : 0u) |
	       (differs(a->pool, b->pool, POOLS) ? POOL : 0u) |
	       (differs(a->around, b->around, AROUNDS) ? AROUND : 0u);
}

/* -- one row ---------------------------------------------------------------------------------- */

static const struct ss_entry *find_entry(const struct ss_kernel *k, const char *name,
					 bool is_absent)
{
	for (size_t i = 0; i < ss_kernel_entry_count(k); i++) {
		const struct ss_entry *e = ss_kernel_entry(k, i);

		if (e->is_own && e->is_absent == is_absent && !strcmp(e->name, name))
			return e;
	}
	return NULL;
}

static const struct ss_override *find_override(const struct ss_kernel *k, const char *field)
{
	for (size_t i = 0; i < ss_kernel_override_count(k); i++)
		if (!strcmp(ss_kernel_override(k, i)->field, field))
			return ss_kernel_override(k, i);
	return NULL;
}

static bool fault(const char *name, const char *settings, const char *what, const char *got)
{
	print_error("%s (%s): %s%s%s\n", name, settings, what, got ? ", got " : "", got ? got : "");
	return false;
}

static bool names_release(const char *reason)
{
	return strstr(reason, "vLLM " SS_PRICED_RELEASE) || strstr(reason, "SM70 build");
}

/** An own entry reads `value: reason`, and an assumption's reason names the release. */
static bool is_well_told(const struct ss_entry *e, const char *settings)
{
	size_t length = strlen(e->value_text);

	if (strcmp(e->set, SS_KERNEL_SET) != 0 || e->method != SS_METHOD_ASSUMED)
		return fault(e->name, settings, "not an assumption of the kernel's own", e->set);
	if (strncmp(e->scope, e->value_text, length) != 0 ||
	    strncmp(e->scope + length, ": ", 2) != 0 || strlen(e->scope) < length + 20)
		return fault(e->name, settings, "scope must read `value: reason`", e->scope);
	/* of whose shape a model is, no release has a say */
	if (!e->is_absent && strcmp(e->name, "model") != 0 && !names_release(e->scope))
		return fault(e->name, settings, "the reason names no release", e->scope);
	return true;
}

static bool open_pair(struct kernel_fixture pair[2], const char *name, const char *model,
		      const char *settings, const char *otherwise)
{
	char both[1024];

	(void)snprintf(both, sizeof(both), "%s%s%s", settings, *settings ? " " : "", otherwise);
	fixture_make(&pair[0], model, "h100", FIXTURE_NODE, settings);
	fixture_make(&pair[1], model, "h100", FIXTURE_NODE, both);
	for (size_t i = 0; i < 2; i++) {
		if (pair[i].kernel && ss_kernel_has_price(pair[i].kernel))
			continue;
		for (size_t p = 0; p < pair[i].problems.count; p++)
			print_error("  %s: %s\n", pair[i].problems.items[p].code,
				    pair[i].problems.items[p].message);
		return fault(name, i ? both : settings, "is refused", NULL);
	}
	return true;
}

static bool check_effect(const struct kernel_fixture pair[2], const char *name,
			 const char *settings, unsigned effect)
{
	struct figures a, b;
	unsigned got;
	char text[16];

	figure(pair[0].kernel, &a);
	figure(pair[1].kernel, &b);
	got = effects(&a, &b);
	if ((got & effect) == effect)
		return true;
	(void)snprintf(text, sizeof(text), "%u", got);
	return fault(name, settings, "the figures do not differ as they must", text);
}

static bool check_assumption(const struct row *r)
{
	struct kernel_fixture pair[2];
	const struct ss_entry *e;
	bool is_good = open_pair(pair, r->name, r->model, r->settings, r->otherwise);

	if (is_good) {
		e = find_entry(pair[0].kernel, r->name, false);
		if (!e)
			is_good = fault(r->name, r->settings, "is not recorded", NULL);
		else if (r->value && strcmp(e->value_text, r->value) != 0)
			is_good = fault(r->name, r->settings, r->value, e->value_text);
		else
			is_good = is_well_told(e, r->settings);
		if (find_entry(pair[1].kernel, r->name, false))
			is_good = fault(r->name, r->otherwise, "is recorded all the same", NULL);
		is_good &= check_effect(pair, r->name, r->settings, r->effect);
	}
	fixture_release(&pair[0]);
	fixture_release(&pair[1]);
	return is_good;
}

static bool check_absent(const struct absent_row *r)
{
	struct kernel_fixture f;
	struct figures a, b;
	const struct ss_entry *e;
	bool is_good = true;

	fixture_make(&f, r->model, "h100", FIXTURE_NODE, r->settings);
	assert_non_null(f.kernel);
	e = find_entry(f.kernel, r->name, true);
	if (!e)
		is_good = fault(r->name, r->settings, "is not recorded", NULL);
	else if (strcmp(e->value_text, "absent") != 0)
		is_good = fault(r->name, r->settings, "must be absent", e->value_text);
	else
		is_good = is_well_told(e, r->settings);
	figure(f.kernel, &a);
	fixture_whatif(&f, r->name, r->value);
	assert_non_null(f.kernel);
	figure(f.kernel, &b);
	if (find_entry(f.kernel, r->name, true))
		is_good = fault(r->name, r->settings, "is absent though it is there", NULL);
	if ((effects(&a, &b) & r->effect) != r->effect)
		is_good = fault(r->name, r->settings, "changes no figure", NULL);
	fixture_release(&f);
	return is_good;
}

static bool check_override(const struct override_row *r)
{
	struct kernel_fixture pair[2];
	const struct ss_override *o;
	bool is_good = open_pair(pair, r->field, r->model, r->settings, r->otherwise);

	if (is_good) {
		o = find_override(pair[0].kernel, r->field);
		if (!o)
			is_good = fault(r->field, r->settings, "is not overridden", NULL);
		else if (strcmp(o->requested, r->requested) != 0)
			is_good = fault(r->field, r->settings, r->requested, o->requested);
		else if (r->resolved && strcmp(o->resolved, r->resolved) != 0)
			is_good = fault(r->field, r->settings, r->resolved, o->resolved);
		else if (!names_release(o->reason))
			is_good = fault(r->field, r->settings, "the reason names no release",
					o->reason);
		if (find_override(pair[1].kernel, r->field))
			is_good = fault(r->field, r->otherwise, "is overridden all the same", NULL);
		is_good &= check_effect(pair, r->field, r->settings, r->effect);
	}
	fixture_release(&pair[0]);
	fixture_release(&pair[1]);
	return is_good;
}

/* -- the tests ----------------------------------------------------------------------------------
 */

static void every_assumption_is_recorded_where_it_applies(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(assumptions) / sizeof(assumptions[0]); i++)
		failed += !check_assumption(&assumptions[i]);
	assert_int_equal(failed, 0);
}

static void every_missing_coefficient_is_recorded_where_it_is_read(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		failed += !check_absent(&absent[i]);
	assert_int_equal(failed, 0);
}

static void every_override_is_recorded_where_it_happens(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(overrides) / sizeof(overrides[0]); i++)
		failed += !check_override(&overrides[i]);
	assert_int_equal(failed, 0);
}

/** A row's name is the code's, or the code's with a kind behind it. */
static bool names(const char *row, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(row, name, length) != 0)
		return false;
	if (name[length - 1] == '_')
		return row[length] != '\0';
	return row[length] == '\0' || row[length] == '_';
}

static void every_name_of_the_code_has_a_row(void **state)
{
	const char *name;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; (name = ss_assumption_name(i)); i++, count++) {
		bool is_there = false;

		for (size_t r = 0; r < sizeof(assumptions) / sizeof(assumptions[0]); r++)
			is_there |= names(assumptions[r].name, name);
		if (!is_there)
			fail_msg("no row for the assumption %s", name);
	}
	for (size_t i = 0; (name = ss_optional_coefficient(i)); i++, count++) {
		bool is_there = false;

		for (size_t r = 0; r < sizeof(absent) / sizeof(absent[0]); r++)
			is_there |= names(absent[r].name, name);
		if (!is_there)
			fail_msg("no row for the coefficient %s", name);
	}
	for (size_t i = 0; (name = ss_override_field(i)); i++, count++) {
		bool is_there = false;

		for (size_t r = 0; r < sizeof(overrides) / sizeof(overrides[0]); r++)
			is_there |= !strcmp(overrides[r].field, name);
		if (!is_there)
			fail_msg("no row for the override %s", name);
	}
	assert_true(count > 60);
}

/** a plain model whose settings are all stated rests on no assumption. */
static void what_is_stated_is_not_assumed(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE,
		     "tp=2 quantization=fp8 cache_dtype=fp8 block_size=16 cudagraph_mode=PIECEWISE "
		     "max_cudagraph_capture_size=512 max_num_batched_tokens=8192 max_num_seqs=256 "
		     "max_model_len=32768 gpu_memory_utilization=0.9");
	assert_non_null(f.kernel);
	for (size_t i = 0; i < ss_kernel_entry_count(f.kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f.kernel, i);

		if (e->is_own && !e->is_absent)
			fail_msg("%s is assumed", e->name);
	}
	assert_int_equal(ss_kernel_override_count(f.kernel), 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_assumption_is_recorded_where_it_applies),
		cmocka_unit_test(every_missing_coefficient_is_recorded_where_it_is_read),
		cmocka_unit_test(every_override_is_recorded_where_it_happens),
		cmocka_unit_test(every_name_of_the_code_has_a_row),
		cmocka_unit_test(what_is_stated_is_not_assumed),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
