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
	bool is_sm70;               /**< carries the SM70 reference; see engine.h */
};

SS_API void ss_pack_free(struct ss_pack *pack);

/** Is `item` in a list? False when the list is not known. Case matters. */
SS_API bool ss_list_has(const struct ss_list *list, const char *item);

#endif
