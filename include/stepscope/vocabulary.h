/**
 * @file
 * Closed vocabularies of the documents: one table each, read by the loader,
 * the writers and the messages.
 */
#ifndef STEPSCOPE_VOCABULARY_H
#define STEPSCOPE_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/** Weight, state and cache element types: id, name, bytes per element (payload). */
#define SS_DTYPES(X)           \
	X(FP32,  "fp32",  4.0) \
	X(BF16,  "bf16",  2.0) \
	X(FP16,  "fp16",  2.0) \
	X(FP8,   "fp8",   1.0) \
	X(MXFP8, "mxfp8", 1.0) \
	X(INT8,  "int8",  1.0) \
	X(NVFP4, "nvfp4", 0.5) \
	X(MXFP4, "mxfp4", 0.5) \
	X(INT4,  "int4",  0.5)

#define SS_OPS(X)                          \
	X(GEMM,           "GEMM")            \
	X(GROUPED_GEMM,   "GroupedGEMM")     \
	X(ATTENTION,      "Attention")       \
	X(RECURRENT,      "RecurrentUpdate") \
	X(ELEMENTWISE,    "Elementwise")     \
	X(ALL_REDUCE,     "AllReduce")       \
	X(ALL_GATHER,     "AllGather")       \
	X(REDUCE_SCATTER, "ReduceScatter")   \
	X(ALL2ALL,        "All2All")         \
	X(MHC,            "MHC")             \
	X(TABLE_LOOKUP,   "TableLookup")

#define SS_ATTENTION_KINDS(X)       \
	X(GQA,        "gqa")        \
	X(MLA,        "mla")        \
	X(SPARSE_MLA, "sparse_mla") \
	X(SWA,        "swa")

#define SS_RECURRENT_KINDS(X) \
	X(MAMBA2, "mamba2")   \
	X(KDA,    "kda")      \
	X(GDN,    "gdn")

#define SS_CONDITIONS(X)                                             \
	X(TENSOR_PARALLEL,                "tensor_parallel")             \
	X(EXPERT_PARALLEL,                "expert_parallel")             \
	X(TENSOR_PARALLEL_UNLESS_SP_MOE,  "tensor_parallel_unless_sp_moe")

/** Methods from weakest to strongest: a term takes the weakest it read. id, name, evidenced */
#define SS_METHODS(X)                         \
	X(NOT_CHARGED, "not_charged", 0)      \
	X(ASSUMED,     "assumed",     0)      \
	X(COPIED,      "copied",      0)      \
	X(LITERATURE,  "literature",  1)      \
	X(VENDOR_SPEC, "vendor_spec", 1)      \
	X(MEASURED,    "measured",    1)

#define SS_UNITS(X)                            \
	X(DIMENSIONLESS,   "dimensionless")    \
	X(US_PER_LAYER,    "us_per_layer")     \
	X(US_PER_REQUEST,  "us_per_request")   \
	X(US_PER_STEP,     "us_per_step")      \
	X(US_PER_HOP,      "us_per_hop")       \
	X(BYTES_PER_US,    "bytes_per_us")     \
	X(BYTES_PER_RANK,  "bytes_per_rank")   \
	X(US_PER_LOAD,     "us_per_load")      \
	X(US_PER_TRANSFER, "us_per_transfer")  \
	X(TOKENS,          "tokens")           \
	X(SM_COUNT,        "sm_count")         \
	X(US_PER_TOKEN,    "us_per_token")     \
	X(FLOP_PER_US,     "flop_per_us")

#define SS_RESOURCES(X)     \
	X(SM,     "sm")     \
	X(HBM,    "hbm")    \
	X(NVLINK, "nvlink") \
	X(NIC,    "nic")    \
	X(PCIE,   "pcie")   \
	X(HOST,   "host")   \
	X(LAUNCH, "launch")
/* clang-format on */

/** How tensor parallelism splits a GEMM: its output, its input, or not at all. */
#define SS_SHARDS(X)        \
	X(COLUMN, "column") \
	X(ROW, "row")       \
	X(REPLICATED, "replicated")

/** Norms of queries and keys before attention, and what each is taken over. */
#define SS_QK_NORMS(X)          \
	X(PER_HEAD, "per_head") \
	X(ALL_HEADS, "all_heads")

#define SS_X2(prefix, id) prefix##id,
enum ss_shard {
	SS_SHARD_UNSTATED,
#define SS_X(id, name) SS_SHARD_##id,
	SS_SHARDS(SS_X)
#undef SS_X
};

enum ss_qk_norm {
	SS_QK_NORM_NONE,
#define SS_X(id, name) SS_QK_NORM_##id,
	SS_QK_NORMS(SS_X)
#undef SS_X
};

enum ss_dtype {
	SS_DTYPE_UNSTATED,
#define SS_X(id, name, bytes) SS_DTYPE_##id,
	SS_DTYPES(SS_X)
#undef SS_X
		SS_DTYPE_COUNT,
};

/** Zero is "not one we know": the node keeps its text for the refusal. */
enum ss_op {
	SS_OP_UNKNOWN,
#define SS_X(id, name) SS_OP_##id,
	SS_OPS(SS_X)
#undef SS_X
		SS_OP_COUNT,
};

enum ss_attention_kind {
	SS_ATTENTION_UNKNOWN,
#define SS_X(id, name) SS_ATTENTION_##id,
	SS_ATTENTION_KINDS(SS_X)
#undef SS_X
		SS_ATTENTION_COUNT,
};

enum ss_recurrent_kind {
	SS_RECURRENT_UNKNOWN,
#define SS_X(id, name) SS_RECURRENT_##id,
	SS_RECURRENT_KINDS(SS_X)
#undef SS_X
		SS_RECURRENT_COUNT,
};

/** When a collective runs. */
enum ss_condition {
	SS_CONDITION_ALWAYS,
#define SS_X(id, name) SS_CONDITION_##id,
	SS_CONDITIONS(SS_X)
#undef SS_X
		SS_CONDITION_COUNT,
	SS_CONDITION_UNKNOWN = SS_CONDITION_COUNT,
};

enum ss_method {
#define SS_X(id, name, evidenced) SS_METHOD_##id,
	SS_METHODS(SS_X)
#undef SS_X
		SS_METHOD_COUNT,
};

enum ss_unit {
#define SS_X(id, name) SS_UNIT_##id,
	SS_UNITS(SS_X)
#undef SS_X
		SS_UNIT_COUNT,
};

enum ss_resource {
#define SS_X(id, name) SS_RESOURCE_##id,
	SS_RESOURCES(SS_X)
#undef SS_X
		SS_RESOURCE_COUNT,
};
#undef SS_X2

/** Names as the documents spell them; "" for the unknown or unstated value. */
SS_API const char *ss_dtype_name(enum ss_dtype dtype);
SS_API const char *ss_op_name(enum ss_op op);
SS_API const char *ss_attention_kind_name(enum ss_attention_kind kind);
SS_API const char *ss_recurrent_kind_name(enum ss_recurrent_kind kind);
SS_API const char *ss_condition_name(enum ss_condition condition);
SS_API const char *ss_method_name(enum ss_method method);
SS_API const char *ss_unit_name(enum ss_unit unit);
SS_API const char *ss_resource_name(enum ss_resource resource);

/** Payload bytes of one element; scales are apart. 0 for the unstated one. */
SS_API double ss_dtype_bytes(enum ss_dtype dtype);

/**
 * Bytes of block scales an element: 4-bit formats alone have them.
 *
 * @param group_size elements per scale of 4-bit integers; 0: unstated.
 * @param has_zeros  a 4-bit zero point lies beside each scale of 4-bit integers.
 */
SS_API double ss_weight_scale_bytes(enum ss_dtype dtype, int64_t group_size, bool has_zeros);

/** Does this method count as evidence? measured, literature, vendor_spec. */
SS_API int ss_method_is_evidence(enum ss_method method);

/** Latent kinds keep one vector per token: mla and sparse_mla. */
SS_API int ss_attention_is_latent(enum ss_attention_kind kind);

#ifdef __cplusplus
}
#endif

#endif
