/**
 * @file
 * A model as a graph of priced operations. Layers that repeat are kept once
 * with their count.
 */
#ifndef STEPSCOPE_MODEL_H
#define STEPSCOPE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "stepscope/vocabulary.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One operation. A width that the document leaves out is 0. All text is owned
 * by the model and never NULL.
 */
struct ss_node {
	enum ss_op op;
	char *op_text; /**< as written, for an op we do not know */
	char *role;    /**< free label; on an attention node it makes it a scorer */
	enum ss_condition emit;
	char *emit_text; /**< as written */
	enum ss_dtype weight_dtype;

	enum ss_shard shard; /**< of a GEMM; by its widths when left out */
	enum ss_qk_norm qk_norm;

	int64_t n, k; /**< GEMM and GroupedGEMM: output and input width */
	int64_t experts, top_k, shared_experts;
	int64_t shared_intermediate_size;  /**< 0: n */
	enum ss_dtype shared_weight_dtype; /**< of shared experts; UNSTATED: as the others */
	int64_t latent_size;               /**< narrower expert input; 0: k */
	int64_t matrices;                  /**< 2 or 3 per expert; 3 when left out */

	enum ss_attention_kind attention;
	char *kind_text;        /**< attention or recurrent kind as written */
	int64_t n_q, n_kv, d_h; /**< query heads, KV heads, head (or latent) width */
	int64_t kv_lora_rank, qk_rope_head_dim;
	int64_t qk_nope_head_dim,
		v_head_dim; /**< per-head widths of a latent prefill; 0: not stated */
	int64_t window, index_topk, compress_ratio;

	enum ss_recurrent_kind recurrent;
	int64_t n_heads, state_size, n_groups, conv_kernel, intermediate_size;
	enum ss_dtype state_dtype;

	int64_t bytes_per_token; /**< Elementwise and MHC */
	char *component;         /**< MHC: `pre` or `post` */

	char *table; /**< TableLookup: `engram` or another name */
	int64_t rows_per_token, row_bytes, table_bytes;
	bool is_host_resident; /**< the graph's default residence */
};

/** A kind of layer: its nodes in execution order. */
struct ss_layer_kind {
	char *id;
	struct ss_node *nodes;
	size_t node_count;
	int64_t count;       /**< layers of this kind in the stack */
	int64_t draft_count; /**< layers of this kind in the speculator's stack, once per draft pass
			      */
};

/** A cache the graph states outright. */
struct ss_cache {
	char *name;
	int64_t layers;
	char *kind; /**< `full`, `window` or `state` */
	int64_t window;
	int64_t bytes_per_token; /**< base record; per request for `state` */
	char **record_dtypes;    /**< cache dtype of each record */
	int64_t *record_bytes;
	size_t record_count;
};

/** Weights outside the layers and the head: a tower, a position table. */
struct ss_other_weights {
	char *name;
	int64_t parameters;
	enum ss_dtype weight_dtype;
};

/** A model graph. Everything is owned; freed with ss_model_free(). */
struct ss_model {
	char *name;
	int64_t hidden_size, vocab_size;
	bool has_tied_embeddings;
	enum ss_dtype weight_dtype;    /**< the checkpoint's own format */
	enum ss_dtype embedding_dtype; /**< UNSTATED: the checkpoint's */
	int64_t max_model_len;         /**< context window; 0: not known */
	char *family;                  /**< "" when none */
	char *quantization;      /**< global.quantization as written ("gptq", ...); "" when none */
	int64_t weight_block[2]; /**< rows, columns of a block-scaled checkpoint; 0: none */
	bool has_zero_points;    /**< a zero point beside every scale of 4-bit integers */
	char *cache_dtype;  /**< of keys and values the checkpoint has scales for; "" for none */
	int64_t group_size; /**< elements per scale of 4-bit integers; 0: not stated */
	struct ss_layer_kind *kinds;
	size_t kind_count;
	/** The stack compressed: prologue, pattern x repeat, epilogue, as kind indexes. */
	int *prologue, *pattern, *epilogue;
	size_t prologue_count, pattern_count, epilogue_count;
	int64_t repeat;
	struct ss_node *head;
	size_t head_count;
	char *speculator_method; /**< "" when the graph has no speculator */
	int64_t speculator_tokens;
	int64_t speculator_repeat;
	bool is_multimodal_decoder; /**< modality text_decoder_of_multimodal */
	struct ss_other_weights *others;
	size_t other_count;
	struct ss_cache *caches;
	size_t cache_count;
	char *comment;
	char *asked;  /**< another name that this graph was taken for; "" for its own */
	char *reason; /**< why; "" when the names are one but for case and organisation */
	/** Engine setting that the format in that name stands for, unless one is stated; "". */
	char *asked_quantization;
};

/** Does it hold 16-bit weights alone, so that a quantised checkpoint is another form of it? */
SS_API bool ss_model_is_plain(const struct ss_model *model);

SS_API void ss_model_free(struct ss_model *model);

#ifdef __cplusplus
}
#endif

#endif
