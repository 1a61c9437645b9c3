/**
 * @file
 * Engine packs: what one engine release accepts and what it does by default.
 */
#ifndef STEPSCOPE_PACK_H
#define STEPSCOPE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/fields.h"
#include "stepscope/vocabulary.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A list the pack may not carry: then nothing can be checked against it. */
struct ss_list {
	bool is_known;
	char **items;
	size_t count;
};

/** How a `quantization` is served. */
struct ss_quantization {
	char *name;
	bool is_priced;       /**< false: the release knows it, we do not price it */
	bool is_checkpoint;   /**< the checkpoint's own format */
	enum ss_dtype served; /**< when neither of the above */
	enum ss_dtype plain;  /**< of such a checkpoint of a 16-bit graph; UNSTATED: not known */
};

/** Token and sequence budgets by memory size, first row that fits wins. */
struct ss_budget_row {
	double min_gib;
	char *except_generation; /**< "" when none */
	int64_t max_num_batched_tokens, max_num_seqs;
};

struct ss_family_block {
	char *family;
	char *sm; /**< `sm90`; "" for every part */
	int64_t block_size;
};

/** Sizes captured in place of the grid, where a release has a list of its own. */
struct ss_capture_list {
	char *drafts;      /**< the method it is for, `any` or `none` */
	int64_t *requests; /**< decodes, each of 1 + drafts tokens */
	size_t request_count;
	int64_t most;    /**< decodes captured at most; that many are captured too */
	int64_t *tokens; /**< sizes as they are */
	size_t token_count;
};

struct ss_packed_cell {
	char *layout;
	int64_t width, bytes;
};

struct ss_family_layout {
	char *family, *cache_dtype, *sm, *layout;
};

struct ss_backend_block {
	char *backend;
	int64_t block_size;
};

/* clang-format off */
/**
 * What a release's rule may compare: id, name, where it is known. A deployment's facts
 * are known once its settings are; a pool's once its KV pool is; the others are asked of
 * each such node of the graph.
 */
#define SS_FACTS(X)                                          \
	X(TP,              "tp",              DEPLOYMENT)    \
	X(PP,              "pp",              DEPLOYMENT)    \
	X(DP,              "dp",              DEPLOYMENT)    \
	X(PCP,             "pcp",             DEPLOYMENT)    \
	X(DCP,             "dcp",             DEPLOYMENT)    \
	X(EP,              "ep",              DEPLOYMENT)    \
	X(EXPERTS_SPLIT,   "experts_split",   DEPLOYMENT)    \
	X(GPUS_PER_NODE,   "gpus_per_node",   DEPLOYMENT)    \
	X(SM,              "sm",              DEPLOYMENT)    \
	X(PART,            "part",            DEPLOYMENT)    \
	X(MODEL,           "model",           DEPLOYMENT)    \
	X(FAMILY,          "family",          DEPLOYMENT)    \
	X(WINDOW,          "window",          DEPLOYMENT)    \
	X(EXPERTS,         "experts",         DEPLOYMENT)    \
	X(REDUNDANT,       "redundant",       DEPLOYMENT)    \
	X(ATTENTION,       "attention",       DEPLOYMENT)    \
	X(HAS_RECURRENT,   "has_recurrent",   DEPLOYMENT)    \
	X(HAS_WINDOW,      "has_window",      DEPLOYMENT)    \
	X(CHECKPOINT,      "checkpoint",      DEPLOYMENT)    \
	X(METHOD,          "checkpoint_method", DEPLOYMENT)  \
	X(SERVED,          "served",          DEPLOYMENT)    \
	X(GROUP_SIZE,      "group_size",      DEPLOYMENT)    \
	X(BLOCK_ROWS,      "block_rows",      DEPLOYMENT)    \
	X(BLOCK_COLUMNS,   "block_columns",   DEPLOYMENT)    \
	X(CACHE_DTYPE,     "cache_dtype",     DEPLOYMENT)    \
	X(BLOCK_SIZE,      "block_size",      DEPLOYMENT)    \
	X(BUDGET,          "max_num_batched_tokens", DEPLOYMENT) \
	X(SEQS,            "max_num_seqs",    DEPLOYMENT)    \
	X(MODEL_LEN,       "max_model_len",   DEPLOYMENT)    \
	X(CHUNKED_PREFILL, "chunked_prefill", DEPLOYMENT)    \
	X(PREFIX_CACHING,  "prefix_caching",  DEPLOYMENT)    \
	X(STATE_MODE,      "mamba_cache_mode", DEPLOYMENT)   \
	X(DRAFTS,          "drafts",          DEPLOYMENT)    \
	X(ALL2ALL,         "all2all_backend", DEPLOYMENT)    \
	X(SEQUENCE_PARALLEL, "sequence_parallel_moe", DEPLOYMENT) \
	X(ALIGNED_BLOCK,   "aligned_block",   POOL)          \
	X(LAYER,           "layer",           NODE)          \
	X(ROLE,            "role",            NODE)          \
	X(FORMAT,          "format",          NODE)          \
	X(ROWS,            "outputs",         LINEAR)        \
	X(COLUMNS,         "inputs",          LINEAR)        \
	X(PARTS,           "part_outputs",    LINEAR)        \
	X(SPLIT,           "split",           LINEAR)        \
	X(RANK_COLUMNS,    "rank_inputs",     LINEAR)        \
	X(INNER,           "inner",           EXPERTS)       \
	X(SHARED,          "shared",          EXPERTS)       \
	X(SHARED_INNER,    "shared_inner",    EXPERTS)       \
	X(SHARED_FORMAT,   "shared_format",   EXPERTS)       \
	X(SHARDS,          "shards",          EXPERTS)       \
	X(SHARED_SHARDS,   "shared_shards",   EXPERTS)       \
	X(KIND,            "kind",            NODE)          \
	X(HEADS,           "heads",           NODE)          \
	X(KV_HEADS,        "kv_heads",        ATTENTION)     \
	X(HEAD_WIDTH,      "head_width",      ATTENTION)     \
	X(GROUPS,          "groups",          RECURRENT)
/* clang-format on */

enum ss_fact_id {
#define SS_X(id, name, scope) SS_FACT_##id,
	SS_FACTS(SS_X)
#undef SS_X
		SS_FACT_COUNT,
	SS_FACT_STATED = SS_FACT_COUNT, /**< a setting as stated */
	SS_FACT_ENVIRONMENT,            /**< a variable of the serving host */
	SS_FACT_NUMBER,
	SS_FACT_WORD,
};

/** Where a rule is asked: once, after the pool, or of each node of one sort. */
enum ss_rule_scope {
	SS_RULE_DEPLOYMENT,
	SS_RULE_POOL,
	SS_RULE_NODE,
	SS_RULE_LINEAR,
	SS_RULE_EXPERTS,
	SS_RULE_ATTENTION,
	SS_RULE_RECURRENT,
};

struct ss_rule_value {
	enum ss_fact_id fact;
	enum ss_field_id field; /**< of STATED */
	char *text;             /**< of ENVIRONMENT and WORD */
	double number;
	char operation; /**< before it: `*`, `/`, `%`, `+`, `-`; 0 for the first */
};

/** One side of a comparison: values worked through from the left. */
struct ss_rule_side {
	struct ss_rule_value *values;
	size_t count;
};

enum ss_rule_test {
	SS_TEST_EQUAL,
	SS_TEST_UNLIKE,
	SS_TEST_BELOW,
	SS_TEST_AT_MOST,
	SS_TEST_ABOVE,
	SS_TEST_AT_LEAST,
	SS_TEST_IN,
	SS_TEST_NOT_IN,
};

struct ss_rule_condition {
	struct ss_rule_side left, right; /**< right of IN and NOT_IN: its words */
	enum ss_rule_test test;
};

/** Piece of a text: as it is, then what a side comes to. */
struct ss_rule_piece {
	char *text;
	struct ss_rule_side side; /**< empty at the end */
};

struct ss_rule_text {
	struct ss_rule_piece *pieces;
	size_t count;
};

/** A setting that would do: a path, and a value that may hold facts. */
struct ss_rule_fix {
	char *path;
	struct ss_rule_text value;
};

/** What a release refuses or says: all conditions hold, and it does. */
struct ss_rule {
	char *name, *code;
	enum ss_rule_scope scope;
	bool is_warning;
	enum ss_field_id field;
	struct ss_rule_condition *conditions;     /**< those of the deployment before a node's */
	size_t condition_count, deployment_count; /**< all; those that ask nothing of a node */
	struct ss_rule_text reason;
	struct ss_rule_fix *fixes;
	size_t fix_count;
	char *source; /**< where the engine does it */
};

/** Name of a fact, as rules write it. */
SS_API const char *ss_fact_name(enum ss_fact_id fact);

/* clang-format off */
/**
 * Figures of the engine's start that changed from release to release, each kept in rows of
 * a pack with the releases they hold for: id, name, what it is.
 */
#define SS_RELEASE_TERMS(X)                                                                   \
	X(UTILIZATION,      "gpu_memory_utilization",     "share of visible memory the engine takes unless told otherwise") \
	X(GRAPHS_INSIDE,    "graphs_inside_budget",       "whether the share above holds the captured graphs: 1, or 0 for beside it") \
	X(GRAPH_SIZES,      "graph_sizes",                "captured sizes that the coefficient of graph bytes stands for") \
	X(GRAPH_LAYERS,     "graph_layers",               "layers that it stands for") \
	X(GRAPH_LAYER_PART, "graph_layer_part",           "share of graph bytes that grows with the layers") \
	X(SAMPLER_BYTES,    "sampler_bytes",              "bytes a logit of the profile run's sampler, for max_num_seqs requests") \
	X(ENCODER_BYTES,    "encoder_bytes",              "bytes a hidden value of the profile run's encoder, of a multimodal model") \
	X(EXPERT_GIB,       "expert_activation_gib",      "activation of the profile run on a model with very many expert weights, GiB") \
	X(HYBRID_PREFIX,    "hybrid_prefix_caching",      "whether models with recurrent layers cache prefixes unless told otherwise")
/* clang-format on */

enum ss_release_term_id {
#define SS_X(id, name, text) SS_RELEASE_##id,
	SS_RELEASE_TERMS(SS_X)
#undef SS_X
		SS_RELEASE_TERM_COUNT,
};

/** A term's figure for some releases. */
struct ss_release_row {
	enum ss_release_term_id term;
	char *since, *until; /**< first and last release; "" without an end */
	double value;
	double above; /**< expert weights of the model from which it holds; 0: for all */
	enum ss_method method;
	char *reason, *source;
};

/** What an attention route of a build's reference takes, a layer and rank. */
struct ss_route_rate {
	char *route;
	char *cache;   /**< cache dtype it was taken with; "" for any */
	double floor;  /**< microseconds */
	double tflops; /**< of a prefill; 0: of a decode */
	double gb_s;   /**< of a decode, over the bytes of its context; 0: of a prefill */
	double spread; /**< share by which it may be off either way */
	enum ss_method method;
	char *reason, *source;
};

SS_API const char *ss_release_term_name(enum ss_release_term_id term);
SS_API const char *ss_release_term_text(enum ss_release_term_id term);

/** A pack. Everything is owned. Pointers are never NULL. */
struct ss_pack {
	char *name, *version;
	char *file;
	struct ss_list lists[SS_LIST_COUNT]; /**< QUANTIZATIONS holds the names */
	struct ss_quantization *quantizations;
	size_t quantization_count;
	int64_t block_size;          /**< 16 */
	int64_t block_size_multiple; /**< 16; 0: not known */
	int64_t dsa_block_size;      /**< 64 */
	int64_t capture_ceiling, capture_ceiling_blackwell;
	struct ss_capture_list *capture_lists;
	size_t capture_list_count;
	double gpu_memory_utilization;
	bool has_engram_cpu_offload, engram_cpu_offload; /**< the default, if the pack has one */
	struct ss_budget_row *budgets;
	size_t budget_count;
	struct ss_family_block *family_blocks;
	size_t family_block_count;
	struct ss_packed_cell *packed_cells;
	size_t packed_cell_count;
	struct ss_family_layout *family_layouts;
	size_t family_layout_count;
	struct ss_backend_block *mla_blocks;
	size_t mla_block_count;
	struct ss_list kv_grouping; /**< cache kinds this pack can group: full, window, state */
	struct ss_rule *rules;
	size_t rule_count;
	struct ss_route_rate *rates;
	size_t rate_count;
	struct ss_release_row *terms;
	size_t term_count;
	char *rules_of;                   /**< release whose rules hold too; "" for none */
	const struct ss_pack *rules_pack; /**< that release's pack, borrowed; or NULL */
	bool is_sm70;                     /**< carries the SM70 reference; see engine.h */
};

SS_API void ss_pack_free(struct ss_pack *pack);

/** Is `item` in a list? False when the list is not known. Case matters. */
SS_API bool ss_list_has(const struct ss_list *list, const char *item);

#ifdef __cplusplus
}
#endif

#endif
