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

/** How a layer mixes its sequence. */
enum hf_mixer {
	HF_GQA,
	HF_WINDOW, /**< GQA over a sliding window */
	HF_MLA,
	HF_SPARSE,        /**< latent attention over what an indexer picks, with the indexer */
	HF_SPARSE_SHARED, /**< the same with the picks of an earlier layer */
	HF_GDN,
	HF_MAMBA,
	HF_NO_MIXER,
};

/** What follows the mixer. */
enum hf_ffn {
	HF_DENSE,
	HF_MOE,
	HF_NO_FFN,
};

/** Families that name and lay out things alike. */
enum hf_layout {
	HF_PLAIN,    /**< attention and a feed-forward in every layer */
	HF_GATED,    /**< the same, with gated-delta layers and gated attention */
	HF_NEMOTRON, /**< one block a layer, by a pattern of letters */
};

/** An architecture. Keys are NULL where the family has none. */
struct hf_family {
	const char *architecture;
	enum hf_layout layout;
	bool is_latent;
	const char *experts_key, *expert_width_key;
	const char *draft_method, *draft_key; /**< and the count of draft layers */
	const char *qk_norm;                  /**< over what queries and keys are normed; NULL: they are not */
};

/** Weight formats. Names as the graph spells them. */
struct hf_formats {
	const char *compute;   /**< `bf16` */
	const char *weights;   /**< of what is quantized; `compute` when nothing is */
	const char *experts;   /**< of the routed experts when they alone differ; else NULL */
	int64_t block[2];      /**< 0: none */
	int64_t group;         /**< 0: none */
	const cJSON *excluded; /**< patterns of modules left at `compute`; may be NULL */
	bool has_plain_head;   /**< the format never covers the LM head or the embedding */
};

struct hf {
	const struct hf_family *family;
	const cJSON *root;
	const cJSON *text; /**< the decoder's part; the root when it has no other */
	struct hf_formats formats;
	const char *file;
	struct ss_problems *problems;
	bool is_out_of_memory;
	int64_t hidden, heads, kv_heads, head_width;
};

/** A count of 1 or more that must be there; 0 with a problem when it is not. */
int64_t hf_need(struct hf *h, const char *key);
/** The same, `fallback` when it is left out or null; 0 is let through. */
int64_t hf_count(struct hf *h, const char *key, int64_t fallback);
/** Text of a key, or NULL. */
const char *hf_text(const struct hf *h, const char *key);
void hf_problem(struct hf *h, const char *code, const char *pointer, const char *format, ...)
	SS_PRINTF(4, 5);

/** Settle the formats. */
void hf_read_formats(struct hf *h);
/** Format of a module when it is not the graph's own; NULL when it is. */
const char *hf_module_format(struct hf *h, const char *role, int64_t layer);

/** Nodes of a layer; `layer` is the first of its kind. NULL when out of memory. */
cJSON *hf_nodes(struct hf *h, enum hf_mixer mixer, enum hf_ffn ffn, int64_t layer);
/** Nodes after the stack. */
cJSON *hf_head(struct hf *h, int64_t vocabulary);

#endif
