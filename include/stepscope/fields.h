/**
 * @file
 * The one table of settings: every field of a scenario, its deployment and its
 * pools. Loading, `--set`, completion, the manual, `vllm serve` import and
 * export, the explorer's deployment pane and the sweep all read it.
 */
#ifndef STEPSCOPE_FIELDS_H
#define STEPSCOPE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a field lives in a scenario file. */
enum ss_field_owner {
	SS_OWNER_SCENARIO,   /**< path from the top, `cluster.nodes` */
	SS_OWNER_DEPLOYMENT, /**< path under `deployment`, `offload.spec` */
	SS_OWNER_POOL,       /**< path under `deployment.pools[i]`, `parallel.tp` */
	SS_OWNER_WORKLOAD,   /**< path under `workload`, and of a Workload document, `rate` */
};

/** What a field holds. */
enum ss_field_type {
	SS_TYPE_INT,
	SS_TYPE_FLOAT,
	SS_TYPE_BOOL,
	SS_TYPE_TEXT,        /**< any non-empty text */
	SS_TYPE_NAME,        /**< one plain path segment: a document's name */
	SS_TYPE_CHOICE,      /**< one of `choices`, or of the engine pack's `list` */
	SS_TYPE_INT_OR_AUTO, /**< an integer or `auto` */
	SS_TYPE_INT_LIST,
	SS_TYPE_NAME_LIST,
	SS_TYPE_TEXT_MAP, /**< names to texts, kept as `NAME=VALUE` */
	SS_TYPE_TIERS,    /**< offload tiers: {tier, bytes} */
};

/** Sections of the deployment pane, in the order shown. */
enum ss_field_section {
	SS_SECTION_SCENARIO,
	SS_SECTION_CLUSTER,
	SS_SECTION_POOL,
	SS_SECTION_PARALLEL,
	SS_SECTION_ENGINE,
	SS_SECTION_CACHE,
	SS_SECTION_GRAPHS,
	SS_SECTION_BUDGETS,
	SS_SECTION_EXPERTS,
	SS_SECTION_SPECULATION,
	SS_SECTION_OFFLOAD,
	SS_SECTION_SM70,
	SS_SECTION_LOAD, /**< of the Serve pane */
	SS_SECTION_COUNT,
};

/** Lists an engine pack may carry; a pack without one leaves it unknown. */
/* clang-format off */
#define SS_PACK_LISTS(X)                                             \
	X(ALL2ALL_BACKENDS,          "all2all_backends")                 \
	X(SEQUENCE_PARALLEL_ALL2ALL, "sequence_parallel_all2all")        \
	X(CACHE_DTYPES,              "cache_dtypes")                     \
	X(MAMBA_STATE_DTYPES,        "mamba_state_dtypes")               \
	X(MAMBA_CACHE_MODES,         "mamba_cache_modes")                \
	X(QUANTIZATIONS,             "quantizations")                    \
	X(SPECULATIVE_METHODS,       "speculative_methods")              \
	X(ASYNC_SPECULATIVE_METHODS, "async_speculative_methods")        \
	X(DCP_COMM_BACKENDS,         "dcp_comm_backends")                \
	X(CUSTOM_ALLREDUCE_WIDTHS,   "custom_allreduce_widths")          \
	X(KV_CONNECTORS,             "kv_connectors")                    \
	X(OFFLOAD_SPECS,             "offload_specs")                    \
	X(EVICTION_POLICIES,         "eviction_policies")                \
	X(CUDAGRAPH_MODES,           "cudagraph_modes")                  \
	X(SCHEDULING_POLICIES,       "scheduling_policies")               \
	X(ATTENTION_BACKENDS,        "attention_backends")               \
	X(MOE_BACKENDS,              "moe_backends")                     \
	X(LINEAR_BACKENDS,           "linear_backends")
/* clang-format on */

enum ss_pack_list_id {
#define SS_X(id, name) SS_LIST_##id,
	SS_PACK_LISTS(SS_X)
#undef SS_X
		SS_LIST_COUNT,
	SS_LIST_NONE = SS_LIST_COUNT,
};

/*
 * id, owner, path, section, type, min, max, choices, pack list, required,
 * vLLM flag (without dashes), what runs when unstated, help
 */
/* clang-format off */
#define SS_MAX_COUNT 1000000000.0
#define SS_FIELD_LIST(X)                                                                                                                     \
	X(NAME,             SCENARIO,   "name",                   SCENARIO, TEXT, 0, 0, NULL, NONE, true, NULL, "", "what the scenario is called")                     \
	X(DESCRIPTION,      SCENARIO,   "description",            SCENARIO, TEXT, 0, 0, NULL, NONE, false, NULL, "none", "one line for the chooser")                   \
	X(MODEL,            SCENARIO,   "model",                  SCENARIO, TEXT, 0, 0, NULL, NONE, true, "model", "", "model: a graph, its repository, or its config.json")\
	X(ENGINE,           SCENARIO,   "engine",                 SCENARIO, NAME, 0, 0, NULL, NONE, true, NULL, "", "serving engine")                                   \
	X(ENGINE_VERSION,   SCENARIO,   "engine_version",         SCENARIO, NAME, 0, 0, NULL, NONE, true, NULL, "", "engine release, exact")                            \
	X(COEFFICIENTS,     SCENARIO,   "coefficients",           SCENARIO, NAME_LIST, 1, 64, NULL, NONE, true, NULL, "", "coefficient sets; a later one wins")         \
	X(HARDWARE,         SCENARIO,   "cluster.hardware",       CLUSTER, NAME, 0, 0, NULL, NONE, true, NULL, "", "GPU part of every node")                            \
	X(CLUSTER_NODES,    SCENARIO,   "cluster.nodes",          CLUSTER, INT, 1, 1000000, NULL, NONE, true, NULL, "", "nodes of the cluster")                         \
	X(GPUS_PER_NODE,    SCENARIO,   "cluster.gpus_per_node",  CLUSTER, INT, 1, 1024, NULL, NONE, true, NULL, "", "GPUs in one node")                                \
	X(GPUS_PER_RACK,    SCENARIO,   "cluster.gpus_per_rack",  CLUSTER, INT, 1, 1000000, NULL, NONE, false, NULL, "two link tiers", "GPUs of one rack, a multiple of gpus_per_node") \
	X(FABRIC,           SCENARIO,   "cluster.fabric",         CLUSTER, NAME, 0, 0, NULL, NONE, false, NULL, "none (one node)", "network between nodes")             \
	X(INTER_NODE_GB_S,  SCENARIO,   "cluster.inter_node_gb_s", CLUSTER, FLOAT, 0.001, 100000, NULL, NONE, false, NULL, "the fabric's", "GB/s per GPU between nodes, one way; replaces the fabric's figure") \
	X(STORAGE,          SCENARIO,   "cluster.storage",        CLUSTER, NAME_LIST, 0, 64, NULL, NONE, false, NULL, "offload tiers unconstrained", "storage classes the nodes have") \
	X(HOST_NVCC,        SCENARIO,   "cluster.host.nvcc",      CLUSTER, BOOL, 0, 1, NULL, NONE, false, NULL, "taken as present", "the host has the CUDA compiler")   \
	X(HOST_FLASHINFER,  SCENARIO,   "cluster.host.flashinfer_version", CLUSTER, TEXT, 0, 0, NULL, NONE, false, NULL, "taken as new enough", "FlashInfer release installed") \
	X(HOST_ENV,         SCENARIO,   "cluster.host.env",       CLUSTER, TEXT_MAP, 0, 256, NULL, NONE, false, NULL, "none", "environment variables of the serving host") \
	X(DEPLOYMENT_NAME,  DEPLOYMENT, "name",                   SCENARIO, TEXT, 0, 0, NULL, NONE, true, NULL, "", "what the deployment is called")                      \
	X(OFFLOAD_TIERS,    DEPLOYMENT, "offload.tiers",          OFFLOAD, TIERS, 1, 16, NULL, NONE, false, NULL, "no KV offload", "storage tiers KV is offloaded to")   \
	X(OFFLOAD_EVICTION, DEPLOYMENT, "offload.eviction_policy", OFFLOAD, TEXT, 0, 0, NULL, EVICTION_POLICIES, false, NULL, "lru", "what leaves a full tier first")     \
	X(OFFLOAD_PREFETCH, DEPLOYMENT, "offload.prefetch_depth", OFFLOAD, INT, 0, SS_MAX_COUNT, NULL, NONE, false, NULL, "0", "steps ahead a fetch is issued")           \
	X(OFFLOAD_CONNECTOR, DEPLOYMENT, "offload.connector",     OFFLOAD, TEXT, 0, 0, NULL, KV_CONNECTORS, false, NULL, "none", "KV connector of the offload")           \
	X(OFFLOAD_SPEC,     DEPLOYMENT, "offload.spec",           OFFLOAD, TEXT, 0, 0, NULL, OFFLOAD_SPECS, false, NULL, "none", "offloading spec of the connector")       \
	X(PD_CONNECTOR,     DEPLOYMENT, "pd_transfer.connector",  OFFLOAD, TEXT, 0, 0, NULL, KV_CONNECTORS, false, NULL, "none", "connector that moves KV from prefill to decode") \
	X(ROLE,             POOL, "role",                         POOL, CHOICE, 0, 0, "colocated prefill decode", NONE, true, NULL, "", "what the pool does")               \
	X(NODES,            POOL, "nodes",                        POOL, INT, 1, 1000000, NULL, NONE, true, NULL, "", "nodes of the pool")                                   \
	X(REPLICAS,         POOL, "replicas",                     POOL, INT, 1, 4096, NULL, NONE, false, NULL, "1", "engines of this kind that share a load") \
	X(TP,               POOL, "parallel.tp",                  PARALLEL, INT, 1, 100000, NULL, NONE, true, "tensor-parallel-size", "", "tensor-parallel width")            \
	X(PP,               POOL, "parallel.pp",                  PARALLEL, INT, 1, 100000, NULL, NONE, true, "pipeline-parallel-size", "", "pipeline-parallel width")        \
	X(DP,               POOL, "parallel.dp",                  PARALLEL, INT, 1, 100000, NULL, NONE, true, "data-parallel-size", "", "data-parallel width")                \
	X(DP_LOCAL,         POOL, "parallel.dp_local",            PARALLEL, INT, 0, 100000, NULL, NONE, false, "data-parallel-size-local", "launch decides", "data-parallel replicas on one node") \
	X(PCP,              POOL, "parallel.pcp",                 PARALLEL, INT, 0, 100000, NULL, NONE, false, "prefill-context-parallel-size", "off", "prefill-context-parallel width") \
	X(DCP,              POOL, "parallel.dcp",                 PARALLEL, INT, 0, 100000, NULL, NONE, false, "decode-context-parallel-size", "off", "decode-context-parallel width") \
	X(EXPERT_PARALLEL,  POOL, "parallel.enable_expert_parallel", PARALLEL, BOOL, 0, 1, NULL, NONE, false, "enable-expert-parallel", "off", "experts over tp x pcp x dp ranks") \
	X(QUANTIZATION,     POOL, "engine.quantization",          ENGINE, TEXT, 0, 0, NULL, QUANTIZATIONS, false, "quantization", "the checkpoint's own format", "weight quantization") \
	X(ATTENTION_BACKEND, POOL, "engine.attention_backend",    ENGINE, TEXT, 0, 0, NULL, ATTENTION_BACKENDS, false, "attention-backend", "the engine's choice", "attention kernels wanted") \
	X(ALLREDUCE_BACKEND, POOL, "engine.allreduce_backend",    ENGINE, CHOICE, 0, 0, "custom nccl", NONE, false, NULL, "custom where reachable", "all-reduce kernel wanted") \
	X(DISABLE_CUSTOM_ALL_REDUCE, POOL, "engine.disable_custom_all_reduce", ENGINE, BOOL, 0, 1, NULL, NONE, false, "disable-custom-all-reduce", "off", "NCCL all-reduce always") \
	X(ASYNC_SCHEDULING, POOL, "engine.async_scheduling",      ENGINE, BOOL, 0, 1, NULL, NONE, false, "async-scheduling", "on unless the draft method forbids", "schedule a step while the last one runs") \
	X(SCHEDULING_POLICY, POOL, "engine.scheduling_policy",    ENGINE, TEXT, 0, 0, NULL, SCHEDULING_POLICIES, false, "scheduling-policy", "fcfs", "order of waiting requests") \
	X(DISABLE_CASCADE_ATTN, POOL, "engine.disable_cascade_attn", ENGINE, BOOL, 0, 1, NULL, NONE, false, "disable-cascade-attn", "on (cascade is opt-in)", "no cascade attention") \
	X(ENABLE_DBO,       POOL, "engine.dbo.enable_dbo",        ENGINE, BOOL, 0, 1, NULL, NONE, false, "enable-dbo", "off", "dual-batch overlap")                             \
	X(DBO_DECODE,       POOL, "engine.dbo.dbo_decode_token_threshold", ENGINE, INT, 0, SS_MAX_COUNT, NULL, NONE, false, "dbo-decode-token-threshold", "32", "decode tokens from which a batch splits") \
	X(DBO_PREFILL,      POOL, "engine.dbo.dbo_prefill_token_threshold", ENGINE, INT, 0, SS_MAX_COUNT, NULL, NONE, false, "dbo-prefill-token-threshold", "512", "prefill tokens from which a batch splits") \
	X(MOE_BACKEND,      POOL, "engine.moe_backend",           ENGINE, TEXT, 0, 0, NULL, MOE_BACKENDS, false, "moe-backend", "the release's choice", "kernel of the routed experts") \
	X(LINEAR_BACKEND,   POOL, "engine.linear_backend",        ENGINE, TEXT, 0, 0, NULL, LINEAR_BACKENDS, false, "linear-backend", "the release's choice", "kernel of the dense GEMMs") \
	X(FUSE_ALLREDUCE_RMS, POOL, "engine.fuse_allreduce_rms",  ENGINE, BOOL, 0, 1, NULL, NONE, false, NULL, "by part", "all-reduce and norm in one kernel") \
	X(FUSE_ACT_QUANT,   POOL, "engine.fuse_act_quant",        ENGINE, BOOL, 0, 1, NULL, NONE, false, NULL, "off", "quantise activations in the kernel before") \
	X(CACHE_DTYPE,      POOL, "engine.cache_dtype",           CACHE, TEXT, 0, 0, NULL, CACHE_DTYPES, false, "kv-cache-dtype", "auto: the compute dtype", "how the KV cache is stored") \
	X(BLOCK_SIZE,       POOL, "engine.block_size",            CACHE, INT, 0, 1048576, NULL, NONE, false, "block-size", "the engine's default", "tokens of one KV block")       \
	X(ENABLE_PREFIX_CACHING, POOL, "engine.enable_prefix_caching", CACHE, BOOL, 0, 1, NULL, NONE, false, "enable-prefix-caching", "on", "reuse KV of common prefixes")        \
	X(HYBRID_KV_MANAGER, POOL, "engine.hybrid_kv_cache_manager", CACHE, BOOL, 0, 1, NULL, NONE, false, NULL, "on", "window and state caches in groups of their own")           \
	X(KV_CONNECTOR,     POOL, "engine.kv_connector",          CACHE, TEXT, 0, 0, NULL, KV_CONNECTORS, false, NULL, "none", "KV connector of this pool")                       \
	X(MAMBA_CACHE_DTYPE, POOL, "engine.mamba_cache_dtype",    CACHE, TEXT, 0, 0, NULL, MAMBA_STATE_DTYPES, false, "mamba-cache-dtype", "the graph's", "dtype of the convolution state") \
	X(MAMBA_SSM_CACHE_DTYPE, POOL, "engine.mamba_ssm_cache_dtype", CACHE, TEXT, 0, 0, NULL, MAMBA_STATE_DTYPES, false, "mamba-ssm-cache-dtype", "mamba_cache_dtype", "dtype of the recurrent state") \
	X(MAMBA_CACHE_MODE, POOL, "engine.mamba_cache_mode",      CACHE, TEXT, 0, 0, NULL, MAMBA_CACHE_MODES, false, "mamba-cache-mode", "align with prefix caching, else none", "recurrent states kept per request") \
	X(DCP_COMM_BACKEND, POOL, "engine.dcp_comm_backend",      CACHE, TEXT, 0, 0, NULL, DCP_COMM_BACKENDS, false, "dcp-comm-backend", "ag_rs", "how decode-context parts are combined") \
	X(DCP_Q_REPLICATE,  POOL, "engine.dcp_q_replicate",       CACHE, BOOL, 0, 1, NULL, NONE, false, "dcp-q-replicate", "off", "replicate queries under decode-context parallelism") \
	X(CP_INTERLEAVE,    POOL, "engine.cp_kv_cache_interleave_size", CACHE, INT, 0, 1048576, NULL, NONE, false, "cp-kv-cache-interleave-size", "1", "tokens a context-parallel rank holds in a row") \
	X(ENGRAM_CPU_OFFLOAD, POOL, "engine.engram.cpu_offload",  CACHE, BOOL, 0, 1, NULL, NONE, false, NULL, "the release's default", "Engram table in host memory")               \
	X(ENGRAM_DP_SHARED, POOL, "engine.engram.dp_shared_memory", CACHE, BOOL, 0, 1, NULL, NONE, false, NULL, "on when offloaded", "one Engram table per node for all replicas") \
	X(CUDAGRAPH_MODE,   POOL, "engine.cudagraph_mode",        GRAPHS, TEXT, 0, 0, NULL, CUDAGRAPH_MODES, false, NULL, "FULL_AND_PIECEWISE", "CUDA graphs captured")           \
	X(MAX_CAPTURE,      POOL, "engine.max_cudagraph_capture_size", GRAPHS, INT, 1, 1048576, NULL, NONE, false, "max-cudagraph-capture-size", "derived from max_num_seqs", "largest batch captured") \
	X(CAPTURE_SIZES,    POOL, "engine.cudagraph_capture_sizes", GRAPHS, INT_LIST, 1, 1048576, NULL, NONE, false, "cudagraph-capture-sizes", "the engine's grid", "batch sizes captured") \
	X(MAX_BATCHED_TOKENS, POOL, "engine.max_num_batched_tokens", BUDGETS, INT, 0, SS_MAX_COUNT, NULL, NONE, false, "max-num-batched-tokens", "by memory size", "tokens of one step at most") \
	X(MAX_NUM_SEQS,     POOL, "engine.max_num_seqs",          BUDGETS, INT, 0, SS_MAX_COUNT, NULL, NONE, false, "max-num-seqs", "by memory size", "requests running at once at most") \
	X(MAX_MODEL_LEN,    POOL, "engine.max_model_len",         BUDGETS, INT_OR_AUTO, 0, SS_MAX_COUNT, NULL, NONE, false, "max-model-len", "the model's window", "longest request, prompt and output") \
	X(ROPE_FACTOR,      POOL, "engine.rope_scaling_factor",   BUDGETS, FLOAT, 1, 1024, NULL, NONE, false, NULL, "1", "the model's window times this, as RoPE scaling stretches it") \
	X(GPU_MEMORY_UTILIZATION, POOL, "engine.gpu_memory_utilization", BUDGETS, FLOAT, 0, 1, NULL, NONE, false, "gpu-memory-utilization", "0.92", "share of GPU memory the engine takes") \
	X(KV_CACHE_MEMORY_BYTES, POOL, "engine.kv_cache_memory_bytes", BUDGETS, INT, 1, 9e15, NULL, NONE, false, "kv-cache-memory-bytes", "from utilization", "room for KV stated outright") \
	X(NUM_GPU_BLOCKS,   POOL, "engine.num_gpu_blocks_override", BUDGETS, INT, 1, SS_MAX_COUNT, NULL, NONE, false, "num-gpu-blocks-override", "from the budget", "blocks of the KV pool") \
	X(CHUNKED_PREFILL,  POOL, "engine.enable_chunked_prefill", BUDGETS, BOOL, 0, 1, NULL, NONE, false, "enable-chunked-prefill", "on", "split long prefills over steps")         \
	X(LONG_PREFILL_THRESHOLD, POOL, "engine.long_prefill_token_threshold", BUDGETS, INT, 0, SS_MAX_COUNT, NULL, NONE, false, "long-prefill-token-threshold", "0: none", "tokens of one prefill a step takes at most") \
	X(RESERVE_FULL_ISL, POOL, "engine.scheduler_reserve_full_isl", BUDGETS, BOOL, 0, 1, NULL, NONE, false, "scheduler-reserve-full-isl", "on", "a request enters only where all its tokens have blocks") \
	X(ALL2ALL_BACKEND,  POOL, "engine.all2all_backend",       EXPERTS, TEXT, 0, 0, NULL, ALL2ALL_BACKENDS, false, "all2all-backend", "allgather_reducescatter", "MoE dispatch and combine") \
	X(ENABLE_EPLB,      POOL, "engine.eplb.enable_eplb",      EXPERTS, BOOL, 0, 1, NULL, NONE, false, "enable-eplb", "off", "expert load balancing")                           \
	X(REDUNDANT_EXPERTS, POOL, "engine.eplb.num_redundant_experts", EXPERTS, INT, 0, 1000000, NULL, NONE, false, NULL, "0", "replicated experts")                               \
	X(EPLB_WINDOW,      POOL, "engine.eplb.window_size",      EXPERTS, INT, 0, SS_MAX_COUNT, NULL, NONE, false, NULL, "the engine's default", "steps of load history")            \
	X(EPLB_INTERVAL,    POOL, "engine.eplb.step_interval",    EXPERTS, INT, 0, SS_MAX_COUNT, NULL, NONE, false, NULL, "the engine's default", "steps between rebalances")         \
	X(SPEC_METHOD,      POOL, "engine.speculative.method",    SPECULATION, TEXT, 0, 0, NULL, SPECULATIVE_METHODS, false, NULL, "no speculation", "draft method")                 \
	X(SPEC_TOKENS,      POOL, "engine.speculative.num_spec_tokens", SPECULATION, INT, 1, 1024, NULL, NONE, false, NULL, "none", "tokens drafted a step")                         \
	X(SM70,             POOL, "engine.sm70",                  SM70, TEXT_MAP, 0, 1024, NULL, NONE, false, NULL, "the pack's defaults", "settings of the SM70 build") \
	X(LOAD_PROMPT_LOW, WORKLOAD, "prompt.low", LOAD, INT, 1, 1e9, NULL, NONE, false, NULL, "none", "fewest tokens of a prompt drawn evenly, this end included") \
	X(LOAD_PROMPT_HIGH, WORKLOAD, "prompt.high", LOAD, INT, 1, 1e9, NULL, NONE, false, NULL, "none", "most tokens of a prompt drawn evenly, this end included") \
	X(LOAD_PROMPT_TOKENS, WORKLOAD, "prompt.tokens", LOAD, INT, 1, 1e9, NULL, NONE, false, NULL, "0.8 to 1 of 1,024", "tokens of every prompt, or their mean with a stdev") \
	X(LOAD_PROMPT_STDEV, WORKLOAD, "prompt.tokens_stdev", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "0: all the same", "spread of a prompt's tokens about the mean") \
	X(LOAD_PROMPT_MIN, WORKLOAD, "prompt.tokens_min", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "1", "fewest tokens of a prompt, with a stdev") \
	X(LOAD_PROMPT_MAX, WORKLOAD, "prompt.tokens_max", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "none", "most tokens of a prompt, with a stdev") \
	X(LOAD_OUTPUT_LOW, WORKLOAD, "output.low", LOAD, INT, 1, 1e9, NULL, NONE, false, NULL, "none", "fewest tokens of a output drawn evenly, this end included") \
	X(LOAD_OUTPUT_HIGH, WORKLOAD, "output.high", LOAD, INT, 1, 1e9, NULL, NONE, false, NULL, "none", "most tokens of a output drawn evenly, this end included") \
	X(LOAD_OUTPUT_TOKENS, WORKLOAD, "output.tokens", LOAD, INT, 1, 1e9, NULL, NONE, false, NULL, "0.8 to 1 of 512", "tokens of every output, or their mean with a stdev") \
	X(LOAD_OUTPUT_STDEV, WORKLOAD, "output.tokens_stdev", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "0: all the same", "spread of a output's tokens about the mean") \
	X(LOAD_OUTPUT_MIN, WORKLOAD, "output.tokens_min", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "1", "fewest tokens of a output, with a stdev") \
	X(LOAD_OUTPUT_MAX, WORKLOAD, "output.tokens_max", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "none", "most tokens of a output, with a stdev") \
	X(LOAD_PREFIX, WORKLOAD, "prefix_tokens", LOAD, INT, 0, 1e9, NULL, NONE, false, NULL, "0", "tokens all prompts begin with, added to each") \
	X(LOAD_REQUESTS, WORKLOAD, "requests", LOAD, INT, 1, 1e8, NULL, NONE, false, NULL, "200", "requests of the whole load") \
	X(LOAD_ROUNDS, WORKLOAD, "rounds", LOAD, INT, 1, 1e6, NULL, NONE, false, NULL, "none", "requests as so many times the concurrency") \
	X(LOAD_CONCURRENCY, WORKLOAD, "concurrency", LOAD, INT, 1, 1e6, NULL, NONE, false, NULL, "the batch's requests, where no lengths are stated", "closed loop: so many at once, the next comes when one ends") \
	X(LOAD_RATE, WORKLOAD, "rate", LOAD, FLOAT, 1e-6, 1e9, NULL, NONE, false, NULL, "none", "open loop: requests a second") \
	X(LOAD_BURSTINESS, WORKLOAD, "burstiness", LOAD, FLOAT, 0.001, 1e6, NULL, NONE, false, NULL, "1: Poisson", "shape of the gaps between requests of a rate; below 1 they come in bursts") \
	X(LOAD_TRACE, WORKLOAD, "trace", LOAD, TEXT, 0, 0, NULL, NONE, false, NULL, "none", "file of arrivals and lengths, CSV or JSON Lines") \
	X(LOAD_SPEEDUP, WORKLOAD, "speedup", LOAD, FLOAT, 1e-6, 1e6, NULL, NONE, false, NULL, "1", "how much faster than recorded a trace is played") \
	X(LOAD_SEED, WORKLOAD, "seed", LOAD, INT, 0, 9007199254740991, NULL, NONE, false, NULL, "0", "of the random lengths and gaps") \
	X(LOAD_WARMUP, WORKLOAD, "warmup", LOAD, INT, 0, 1e8, NULL, NONE, false, NULL, "0", "first completions left out of the figures") \
	X(LOAD_SLO, WORKLOAD, "slo", LOAD, TEXT, 0, 0, NULL, NONE, false, NULL, "none", "what users are promised: ttft=500ms,tpot=30ms, each at p90 or @p99")
/* clang-format on */

enum ss_field_id {
#define SS_X(id, ...) SS_F_##id,
	SS_FIELD_LIST(SS_X)
#undef SS_X
		SS_FIELD_COUNT,
};

/** One row of the table. All text is static. */
struct ss_field {
	enum ss_field_id id;
	enum ss_field_owner owner;
	const char *path; /**< dotted, from its owner */
	enum ss_field_section section;
	enum ss_field_type type;
	double min, max;     /**< inclusive range of numbers; list lengths for lists of names */
	const char *choices; /**< words apart by one space, or NULL */
	enum ss_pack_list_id list;
	bool is_required;
	const char *flag;     /**< `vllm serve` flag without its dashes, or NULL */
	const char *unstated; /**< what runs when it is left out; "" when it must be stated */
	const char *help;
};

/** The row of a field. Never NULL for a valid id. */
SS_API const struct ss_field *ss_field(enum ss_field_id id);

/** What stands before the path of an owner's fields, `deployment.`; "" for the scenario's and a pool's. */
SS_API const char *ss_field_prefix(enum ss_field_owner owner);

/** Name of a section as the explorer heads it, `PARALLEL`. */
SS_API const char *ss_section_name(enum ss_field_section section);

/**
 * Find a field by what a person typed: its whole path, a path from its owner,
 * a tail of it when only one field has that tail (`tp`, `engine.block_size`), a
 * vLLM flag with or without dashes, dashes and underscores alike; a switch may
 * leave out its `enable_`.
 *
 * @return SS_FIELD_COUNT when nothing or more than one matches; then `err` names
 *         the nearest paths.
 */
SS_API enum ss_field_id ss_field_find(const char *name, struct ss_error *err);

/**
 * One value. `{ 0 }` is unstated. Text and lists are owned. A stated 0 of an optional
 * count or share (block_size, budgets, utilization, pcp, dcp) reads as unstated when resolved.
 */
struct ss_value {
	bool is_stated;
	bool is_auto;      /**< SS_TYPE_INT_OR_AUTO only */
	int64_t integer;   /**< INT, BOOL (0 or 1), INT_OR_AUTO */
	double number;     /**< FLOAT */
	char *text;        /**< TEXT, NAME, CHOICE */
	char **texts;      /**< NAME_LIST; TEXT_MAP as NAME=VALUE; tier names */
	int64_t *integers; /**< INT_LIST; tier bytes */
	size_t count;      /**< of texts or integers */
};

/** Free what it owns and leave it unstated. */
SS_API void ss_value_release(struct ss_value *value);

/** Deep copy into `out`, which must hold nothing. */
SS_API SS_NODISCARD enum ss_status ss_value_copy(struct ss_value *out,
						 const struct ss_value *value);

/** Same stated value? */
SS_API bool ss_value_equal(const struct ss_value *a, const struct ss_value *b);

/**
 * Read a value from text as `--set` takes it: `4`, `32k` (1000), `32K` (1024),
 * `true/false/on/off`, `auto`, `1,2,4` for lists; empty text is "unstated".
 * Checks the field's type, range and fixed choices, not the pack's lists.
 *
 * @param out released first; left unstated on failure.
 */
SS_API SS_NODISCARD enum ss_status ss_value_parse(struct ss_value *out,
						  const struct ss_field *field, const char *text,
						  struct ss_error *err);

/** Write a value as ss_value_parse() reads it; "" when unstated. Returns the full length. */
SS_API size_t ss_value_format(char *out, size_t size, const struct ss_field *field,
			      const struct ss_value *value);

#ifdef __cplusplus
}
#endif

#endif
