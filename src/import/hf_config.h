/**
 * @file
 * A `config.json` under way: its figures, the formats of its weights and the nodes
 * of a layer made from both.
 */
#ifndef HF_CONFIG_H
#define HF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "stepscope/problems.h"

/** Architectures that read their configuration alike. */
struct hf_family {
	const char *architectures; /**< separated by spaces */
	const char *definitions;   /**< `name = expression; ...`, over the common ones */
};

/** A node of a block. Expressions are those of hf_expression.h. */
struct hf_row {
	const char *op, *role;
	const char *when;    /**< NULL: always */
	const char *kind;    /**< expression of a text; NULL: none */
	const char *figures; /**< `key = expression; ...`; those of 0 are left out */
	/** Names in checkpoints of what it reads, separated by spaces; NULL: never quantized. */
	const char *modules;
};

/** A part of a layer: what mixes its sequence, or what follows. */
struct hf_block {
	const char *name;
	const char *label; /**< its part of a layer kind's name */
	const struct hf_row *rows;
};

/** Families; the last has no architectures. */
extern const struct hf_family hf_families[];
/** What holds for every family that does not say otherwise. */
extern const char hf_common[];
/** And of what lies beside its decoder. */
extern const char hf_towers[];
/** Known block of that name, or NULL. */
const struct hf_block *hf_block(const char *name, size_t length);

/** What checkpoints call the shared experts. */
#define HF_SHARED_MODULES                                                                       \
	"mlp.shared_experts.gate_proj mlp.shared_experts.up_proj mlp.shared_experts.down_proj " \
	"mlp.shared_expert.gate_proj mlp.shared_expert.up_proj mixer.shared_experts.up_proj "   \
	"mixer.shared_experts.down_proj ffn.shared_experts.w1 ffn.shared_experts.w2 "           \
	"block_sparse_moe.shared_experts.gate_proj block_sparse_moe.shared_experts.down_proj "  \
	"feed_forward.shared_expert.gate_proj share_expert.gate_proj mlp.shared_mlp.gate_proj"

struct hf_pattern;
/** Patterns that name modules; see hf_patterns.h. */
struct hf_patterns {
	struct hf_pattern *items;
	size_t count;
};

/** A module that the configuration lists with a format of its own. */
struct hf_listed {
	const char *name; /**< from `layers.` on; borrowed */
	const char *format;
};

/** Modules of one target and how their weights are stored. */
struct hf_group {
	struct hf_patterns targets;
	const char *format;
};

#define HF_GROUPS_MAX 16

/** Weight formats. Names as the graph spells them. */
struct hf_formats {
	const char *compute; /**< `bf16` */
	const char *weights; /**< of what is quantized; `compute` when nothing is */
	const char *experts; /**< of the routed experts when they alone differ; else NULL */
	const char *cache;   /**< of keys and values, `fp8`; NULL: as computed */
	int64_t block[2];    /**< 0: none */
	int64_t group;       /**< 0: none */
	bool has_zeros;      /**< a zero point beside every scale */
	bool is_head_quantized;
	struct hf_patterns excluded; /**< modules left at `compute` */
	struct hf_group groups[HF_GROUPS_MAX];
	size_t group_count;
	struct hf_listed *listed;
	size_t listed_count;
};

/** A definition being evaluated: inside it its name means the next meaning. */
struct hf_frame {
	const struct hf_frame *outer;
	const char *name;
	size_t length;
	int level;
};

struct hf {
	const struct hf_family *family;
	const cJSON *root;
	const cJSON *text;         /**< the decoder's part; the root when it has no other */
	const char *text_key;      /**< its key; "" for the root */
	const cJSON *quantization; /**< as stated in or beside the configuration; may be NULL */
	struct hf_formats formats;
	const char *file;
	struct ss_problems *problems;
	bool is_out_of_memory;
	int64_t layer;     /**< at hand */
	bool is_draft;     /**< and it is one of the draft's, which follow the stack's */
	const char *block; /**< at hand */
	char missing[64];  /**< first key of an expression that was not there */
};

void hf_problem(struct hf *h, const char *code, const char *pointer, const char *format, ...)
	SS_PRINTF(4, 5);

/** Settle the formats; what they hold is freed by hf_formats_release(). */
void hf_read_formats(struct hf *h);
void hf_formats_release(struct hf_formats *formats);
/** Format of modules (separated by spaces) of the layer at hand, when it is not the graph's. */
const char *hf_module_format(struct hf *h, const char *modules);
/** Format of the LM head; NULL when it is the graph's own. */
const char *hf_head_format(struct hf *h);

/** Nodes of the layer at hand: `mixer` and `ffn` name blocks, joined by +. NULL: no memory. */
cJSON *hf_nodes(struct hf *h, const char *mixer, const char *ffn);
/** Nodes after the stack. */
cJSON *hf_head(struct hf *h);
/** Weights outside the decoder's layers: towers, position tables. NULL: none or no memory. */
cJSON *hf_other_weights(struct hf *h);

#endif
