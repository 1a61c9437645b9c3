/**
 * @file
 * What a kernel notes while it resolves: settings it assumed, optional
 * coefficients it missed, requests it overrode. Notes are cheap; their wording is
 * made at the end, and only for kernels somebody will read.
 */
#ifndef STEPSCOPE_RESOLVE_NOTES_H
#define STEPSCOPE_RESOLVE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/coefficient_table.h"

/* clang-format off */
/** Assumptions: id, name; a name that ends in `_` takes a kind. */
#define ASSUMPTIONS(X)                                            \
	X(BLOCK_SIZE,             "block_size")                   \
	X(CUDAGRAPH_MODE,         "cudagraph_mode")               \
	X(MAX_CAPTURE,            "max_cudagraph_capture_size")   \
	X(MAX_BATCHED_TOKENS,     "max_num_batched_tokens")       \
	X(MAX_NUM_SEQS,           "max_num_seqs")                 \
	X(MAX_MODEL_LEN,          "max_model_len")                \
	X(MAMBA_CACHE_MODE,       "mamba_cache_mode")             \
	X(DCP_COMM_BACKEND,       "dcp_comm_backend")             \
	X(MLA_CONTEXT_CHUNK,      "mla_context_chunk")            \
	X(SPARSE_MLA_BACKEND,     "sparse_mla_backend")           \
	X(SPARSE_READ_PER_QUERY,  "sparse_read_per_query")        \
	X(ENGINE_VERSION,         "engine_version")               \
	X(ASYNC_SCHEDULING_SPEC,  "async_scheduling_spec")        \
	X(COMPUTE_CAPABILITY,     "compute_capability")           \
	X(COMPUTE_RATE,           "compute_rate_")                \
	X(GEMM_EPS_MAX,           "gemm_eps_max_")                \
	X(RECURRENT_PREFILL_RATE, "recurrent_prefill_rate_")      \
	X(ATTENTION_PREFILL,      "attention_prefill_")           \
	X(MHC,                    "mhc")                          \
	X(MHC_COMPONENT,          "mhc_")                         \
	X(MOE_A2A,                "moe_a2a_")                     \
	X(DEEPEP_V2_MODE,         "deepep_v2_mode")               \
	X(ENGRAM_CPU_OFFLOAD,     "engram_cpu_offload")           \
	X(ENGRAM_DP_SHARED,       "engram_dp_shared_memory")      \
	X(HOST_GATHER_RATE,       "host_gather_rate_uva")         \
	X(HYBRID_KV_MANAGER,      "hybrid_kv_cache_manager")      \
	X(KV_CACHE_GROUPING,      "kv_cache_grouping")            \
	X(CACHE_RECORD,           "cache_record")                 \
	X(MODALITY,               "modality")                     \
	X(MODEL,                  "model")                        \
	X(NUM_SPEC_TOKENS,        "num_spec_tokens")              \
	X(SPECULATOR,             "speculator")                   \
	X(ALLREDUCE,              "allreduce_backend")            \
	X(SEQUENCE_PARALLEL_MOE,  "sequence_parallel_moe")        \
	X(UNCHECKED,              "unchecked_")                   \
	X(KV_CODEC_ALIAS,         "kv_codec_alias")               \
	X(NATIVE_ROUTE_ABI,       "native_route_abi")             \
	X(GDN_PREFILL_TOOLKIT,    "gdn_prefill_toolkit")

/** Overrides: id, field. */
#define OVERRIDES(X)                                              \
	X(ALL2ALL_BACKEND,   "all2all_backend")                   \
	X(ALLREDUCE_BACKEND, "allreduce_backend")                 \
	X(CACHE_DTYPE,       "cache_dtype")                       \
	X(CP_INTERLEAVE,     "cp_kv_cache_interleave_size")       \
	X(CAPTURE_SIZES,     "cudagraph_capture_sizes")           \
	X(CUDAGRAPH_MODE,    "cudagraph_mode")                    \
	X(MAMBA_CACHE_MODE,  "mamba_cache_mode")                  \
	X(MAX_CAPTURE,       "max_cudagraph_capture_size")        \
	X(BLOCK_SIZE,        "block_size")                        \
	X(DTYPE,             "dtype")                             \
	X(GDN_PREFILL,       "gdn_prefill")
/* clang-format on */

enum assumption {
#define X(id, name) ASSUME_##id,
	ASSUMPTIONS(X)
#undef X
		ASSUME_COUNT,
};

enum override_id {
#define X(id, name) OVERRIDE_##id,
	OVERRIDES(X)
#undef X
		OVERRIDE_COUNT,
};

const char *assumption_name(enum assumption id);
const char *override_name(enum override_id id);

/** A value as text or, with NULL text, as a number. Text is borrowed or static. */
struct note_value {
	const char *text;
	int64_t number;
	double real; /**< shown instead of `number` when it is not 0 */
};

#define NOTE_TEXT(t) ((struct note_value){ .text = (t) })
#define NOTE_NUMBER(n) ((struct note_value){ .number = (n) })
#define NOTE_REAL(r) ((struct note_value){ .real = (r) })

struct assumption_note {
	enum assumption id;
	const char *kind; /**< after a name that ends in `_`; else NULL */
	struct note_value value;
	int why; /**< which of an assumption's reasons applies; see reasons.c */
};

struct absent_note {
	enum coef_family family;
	const char *kind; /**< NULL: the plain name */
	int why;
};

struct override_note {
	enum override_id id;
	struct note_value requested, resolved;
	int why;
};

/** Why a fact is so, where one name has several reasons. */
enum note_reason {
	WHY_DEFAULT,
	WHY_FAMILY,  /**< the model family's rule */
	WHY_DSA,     /**< sparse attention's indexer */
	WHY_ALIGNED, /**< aligned to the recurrent state */
	WHY_PREFIX,  /**< prefix caching is on */
	WHY_NO_PREFIX,
	WHY_AUTO,    /**< `auto` was stated */
	WHY_NO_LIST, /**< the pack has no list to check against */
	WHY_WIDTH,   /**< a width not supported */
	WHY_NODES,   /**< the group crosses nodes */
	WHY_NO_NVLINK,
	WHY_BUDGET,        /**< above max_num_batched_tokens */
	WHY_GRID,          /**< off the size grid */
	WHY_DRAFTS,        /**< a decode with drafts takes whole multiples */
	WHY_WHOLE_PROMPTS, /**< chunked prefill is off */
	WHY_FILLED,        /**< what all requests can fill */
	WHY_OWN_LIST,      /**< the build has sizes of its own */
	WHY_PACKED,        /**< the backend's packed layout */
	WHY_FAMILY_LAYOUT, /**< the family's packed layout */
	WHY_HIGH_THROUGHPUT,
	WHY_MOONEP,
	WHY_NO_SPECULATOR, /**< the graph has none */
	WHY_OTHER_METHOD,  /**< the graph's speculator is another */
	WHY_NOT_MEASURED,
	WHY_INHERITS,    /**< the part-wide value stands in */
	WHY_NO_WINDOW,   /**< the graph states no context window */
	WHY_UNSUPPORTED, /**< the reason names what is not modelled */
};

#define NOTES_MAX 64
#define ABSENT_MAX 64
#define OVERRIDE_MAX 16

struct notes {
	struct assumption_note assumptions[NOTES_MAX];
	size_t assumption_count;
	struct absent_note absent[ABSENT_MAX];
	size_t absent_count;
	struct override_note overrides[OVERRIDE_MAX];
	size_t override_count;
};

/** Note once: a second note of the same name (and kind) is dropped. */
void note_assumption(struct notes *notes, enum assumption id, const char *kind,
		     struct note_value value, enum note_reason why);
void note_absent(struct notes *notes, enum coef_family family, const char *kind,
		 enum note_reason why);
void note_override(struct notes *notes, enum override_id id, struct note_value requested,
		   struct note_value resolved, enum note_reason why);

/** The note of an assumption, to change its value; NULL when it was not made. */
struct assumption_note *note_find(struct notes *notes, enum assumption id);

#endif
