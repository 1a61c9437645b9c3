/**
 * @file
 * The one table of coefficient names: what each family is called, what varies in
 * its name, which law reads it, and what is priced when it is absent.
 */
#ifndef STEPSCOPE_RESOLVE_COEFFICIENT_TABLE_H
#define STEPSCOPE_RESOLVE_COEFFICIENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/** What follows a family's name. */
enum coef_suffix {
	SUFFIX_NONE,      /**< the name is whole */
	SUFFIX_FORMAT,    /**< `_<weight format or kernel kind>` */
	SUFFIX_KIND,      /**< nothing, or `_<attention kind or scorer role>` */
	SUFFIX_RECURRENT, /**< `_<recurrent kind>` */
	SUFFIX_COMPONENT, /**< `_pre` or `_post` */
	SUFFIX_RANKS,     /**< `_<N>rank` */
	SUFFIX_MODE,      /**< `_<graph mode>` */
	SUFFIX_OP_RANKS,  /**< `_<collective>_fp16_<N>rank_<part>` */
	SUFFIX_BACKEND,   /**< `_<all-to-all backend>_<N>ep` */
};

/* clang-format off */
/*
 * id, name, suffix, law, what is priced without it ("" when it is required or when
 * an assumption of another name stands in), time-like (1), rate-like (-1) or neither
 */
#define COEF_FAMILIES(X)                                                                                  \
	X(HBM_DERATE, "hbm_derate", NONE, "t = bytes / (bandwidth x hbm_derate)", "", -1) \
	X(HOST_LINK, "host_link_bandwidth", NONE, "tier rate = min(device rate, host_link_bandwidth)", "offload runs as fast as the tier, whatever the link", -1) \
	X(HOST_GATHER, "host_gather_rate_uva", NONE, "t = table bytes / host_gather_rate_uva", "", -1) \
	X(GEMM_EPS, "gemm_eps_max", FORMAT, "t = FLOPs / (peak x eps_max x m / (m + m_half))", "", -1) \
	X(GEMM_M_HALF, "gemm_m_half", FORMAT, "t = FLOPs / (peak x eps_max x m / (m + m_half))", "", 1) \
	X(GEMM_N_HALF, "gemm_n_half", FORMAT, "ramp x n / (n + n_half)", "", 1) \
	X(GEMM_K_HALF, "gemm_k_half", FORMAT, "ramp x k / (k + k_half)", "", 1) \
	X(IMBALANCE, "moe_routing_imbalance_median", NONE, "routed FLOPs x moe_routing_imbalance_median", "every expert gets an equal share of tokens", 1) \
	X(DECODE_FLOOR, "attention_decode_floor", KIND, "t = floor + KV bytes / rate", "the decode kernel's set-up time is not charged", 1) \
	X(DECODE_RATE, "attention_decode_rate", KIND, "t = floor + KV bytes / rate", "KV is read at the derated bandwidth, without set-up", -1) \
	X(PREFILL_FLOOR, "attention_prefill_floor", KIND, "t = floor + FLOPs / (peak x ramp x work_scale)", "prefill attention has no set-up time", 1) \
	X(PREFILL_SCALE, "attention_prefill_work_scale", NONE, "t = floor + FLOPs / (peak x ramp x work_scale)", "its FLOPs take the plain ramp, without set-up", -1) \
	X(PREFILL_RATE, "attention_prefill_rate", KIND, "t = floor + requests + tokens + FLOPs / rate + bytes / bytes rate", "its FLOPs take the pair measured for the whole part", -1) \
	X(PREFILL_REQUEST, "attention_prefill_request", KIND, "t = floor + requests x value + ...", "", 1) \
	X(PREFILL_TOKEN, "attention_prefill_token", KIND, "t = floor + tokens x value + ...", "", 1) \
	X(PREFILL_BYTES, "attention_prefill_bytes", KIND, "t = ... + context bytes / value", "", -1) \
	X(RECURRENT_FLOOR, "recurrent_decode_floor", RECURRENT, "t = floor + decode tokens / rate", "decode of this mixer costs nothing", 1) \
	X(RECURRENT_RATE, "recurrent_decode_rate", RECURRENT, "t = floor + decode tokens / rate", "decode of this mixer costs nothing", -1) \
	X(SCAN_FLOOR, "recurrent_prefill_floor", RECURRENT, "t = floor + prefill tokens / rate", "this mixer's prefill has no set-up time", 1) \
	X(SCAN_RATE, "recurrent_prefill_rate", RECURRENT, "t = floor + prefill tokens / rate", "", -1) \
	X(MHC_FLOOR, "mhc_floor", COMPONENT, "t = floor + tokens / rate", "", 1) \
	X(MHC_RATE, "mhc_rate", COMPONENT, "t = floor + tokens / rate", "the bytes the graph states, at the derated bandwidth", -1) \
	X(A2A_FLOOR, "moe_a2a_floor", BACKEND, "t = floor + bytes / rate", "", 1) \
	X(A2A_RATE, "moe_a2a_rate", BACKEND, "t = floor + bytes / rate", "", -1) \
	X(LINK_FLOOR, "collective_floor", OP_RANKS, "t = max(floor + bytes / transition, bytes / peak)", "", 1) \
	X(LINK_PEAK, "collective_peak_rate", OP_RANKS, "t = max(floor + bytes / transition, bytes / peak)", "", -1) \
	X(LINK_TRANSITION, "collective_transition_rate", OP_RANKS, "t = max(floor + bytes / transition, bytes / peak)", "", -1) \
	X(COMMUNICATOR, "nccl_communicator_bytes", RANKS, "communicator = value at the tensor-parallel width", "", 0) \
	X(WORKSPACE, "engine_workspace_bytes", NONE, "fixed bytes = ... + engine_workspace_bytes", "", 0) \
	X(CAPTURE, "cudagraph_capture_bytes", MODE, "fixed bytes = ... + capture of the mode", "", 0) \
	X(BUFFERS_DENSE, "activation_buffer_count_dense", RANKS, "activation = max(buffers x tokens x width x 2, floor)", "", 0) \
	X(BUFFERS_MOE, "activation_buffer_count_moe", RANKS, "activation = max(buffers x tokens x width x 2, floor)", "", 0) \
	X(SCRATCH, "activation_scratch_floor_bytes", NONE, "activation = max(buffers x tokens x width x 2, floor)", "", 0) \
	X(STEP_REQUEST, "host_step_per_request", NONE, "host = ... + value x requests, less what async scheduling hides", "scheduling each request costs the host nothing", 1) \
	X(ADMISSION_TOKEN, "host_admission_per_token", NONE, "admission = per_request + per_token x prompt", "that host cost is zero", 1) \
	X(ADMISSION_REQUEST, "host_admission_per_request", NONE, "admission = per_request + per_token x prompt", "that host cost is zero", 1) \
	X(OUTPUT_TOKEN, "host_output_token", NONE, "ITL = step + host_output_token", "that host cost is zero", 1) \
	X(COMPLETION, "host_completion", NONE, "added once when a request ends", "that host cost is zero", 1) \
	X(EAGER_KERNEL, "host_launch_eager_per_kernel", NONE, "host = value x kernels without graphs", "", 1) \
	X(EAGER_LAYER, "host_launch_eager_per_layer", NONE, "host = value x kernels without graphs", "that host cost is zero", 1) \
	X(PER_KERNEL, "host_launch_per_kernel", NONE, "host = graph term + value x kernels", "that host cost is zero", 1) \
	X(REPLAY, "host_replay_graph_per_step", NONE, "host = value x graphs replayed", "that host cost is zero", 1)

/** Weight formats and kernel kinds a ramp may be measured for: id, suffix. */
#define COEF_FORMATS(X)                        \
	X(BF16,          "bf16")               \
	X(FP8,           "fp8")                \
	X(NVFP4,         "nvfp4")              \
	X(W8A16_FP8,     "w8a16_fp8")          \
	X(W8A16_MXFP8,   "w8a16_mxfp8")        \
	X(W4A16,         "w4a16")              \
	X(W4A16_GROUPED, "w4a16_grouped")

/** Collectives measured: id, name in the coefficient. */
#define COEF_COLLECTIVES(X)                  \
	X(ALL_REDUCE,     "all_reduce")      \
	X(ALL_GATHER,     "all_gather")      \
	X(REDUCE_SCATTER, "reduce_scatter")  \
	X(ALL_TO_ALL,     "alltoall")

/** All-to-all backends that may have a price of their own. */
#define COEF_BACKENDS(X)                                        \
	X(HIGH_THROUGHPUT, "deepep_high_throughput")            \
	X(LOW_LATENCY,     "deepep_low_latency")                \
	X(V2_EAGER,        "deepep_v2_eager")                   \
	X(V2_GRAPH,        "deepep_v2_graph")
/* clang-format on */

enum coef_family {
#define X(id, ...) COEF_##id,
	COEF_FAMILIES(X)
#undef X
		COEF_FAMILY_COUNT,
};

enum coef_format {
#define X(id, name) FORMAT_##id,
	COEF_FORMATS(X)
#undef X
		FORMAT_COUNT,
};

enum coef_collective {
#define X(id, name) COLLECTIVE_##id,
	COEF_COLLECTIVES(X)
#undef X
		COLLECTIVE_COUNT,
};

enum coef_backend {
#define X(id, name) BACKEND_##id,
	COEF_BACKENDS(X)
#undef X
		BACKEND_COUNT,
};

struct coef_family_row {
	const char *name;
	size_t length;
	enum coef_suffix suffix;
	const char *law;
	const char *without;
	int sign; /**< time grows (1), shrinks (-1) or does not read it (0) */
};

const struct coef_family_row *coef_family(enum coef_family family);
const char *coef_format_name(enum coef_format format);
const char *coef_collective_name(enum coef_collective op);
const char *coef_backend_name(enum coef_backend backend);

/** Families whose entries of one model go before part-wide ones, whatever their order. */
static inline bool coef_family_prefers_model(enum coef_family family)
{
	return family == COEF_EAGER_KERNEL || family == COEF_EAGER_LAYER;
}

/** Roles of scorers whose prefill is measured somewhere, so that its absence is told. */
bool coef_is_prefill_role(const char *role);

/**
 * The family a coefficient's name belongs to, COEF_FAMILY_COUNT when no law reads
 * it, and where its suffix starts (after the underscore; "" when none).
 */
enum coef_family coef_family_find(const char *name, const char **suffix);

#endif
