/**
 * @file
 * The KV pool as the engine lays it out: one pool of equal blocks that groups of
 * layers share. Whole numbers throughout, but where the engine itself divides.
 */
#ifndef STEPSCOPE_PRICE_POOL_H
#define STEPSCOPE_PRICE_POOL_H

#include <stddef.h>
#include <stdint.h>

/** What a recurrent state keeps along a sequence. */
enum pool_state_mode { POOL_STATE_NONE, POOL_STATE_ALIGN, POOL_STATE_ALL };

enum pool_kind { POOL_FULL, POOL_WINDOW, POOL_STATE };

/** Layers of one kind of cache. */
struct pool_layers {
	enum pool_kind kind;
	int64_t layers;
	int64_t window; /**< POOL_WINDOW: tokens seen */
};

/** What decides how many blocks a request takes. */
struct pool_rules {
	int64_t block;              /**< tokens of a block */
	int64_t max_batched_tokens; /**< of a step */
	enum pool_state_mode state_mode;
	int64_t spec; /**< drafted tokens */
};

/**
 * Tokens of a block whose attention page holds a layer's state.
 *
 * @param unit      step of the block, the attention backend's own (16 for most).
 * @param attention_bytes_per_token of one attention layer.
 * @param stated    a block asked for; it wins when larger. 0: none.
 * @param lcm_with  a chunk the block must also be a multiple of; 0: none.
 */
int64_t aligned_block(int64_t unit, int64_t state_bytes, int64_t attention_bytes_per_token,
		      int64_t stated, int64_t lcm_with);

/** Layers in each group: the smallest kind's, or the largest's when it is not much larger. */
int64_t pool_group_size(const struct pool_layers *kinds, size_t count);

/** Groups one kind fills; the last may be padded. */
int64_t pool_group_count(int64_t layers, int64_t group_size);

/** Blocks one group of this kind takes for a request of `tokens`; 0 for none. */
int64_t pool_group_blocks(const struct pool_layers *kind, int64_t tokens,
			  const struct pool_rules *rules);

/** Blocks that fit; none for a budget below 0. */
static inline int64_t pool_blocks(int64_t budget_bytes, int64_t block_bytes)
{
	return budget_bytes > 0 && block_bytes > 0 ? budget_bytes / block_bytes : 0;
}

/** Requests of the longest length at once; in doubles, as the engine divides. */
static inline double pool_concurrency(int64_t blocks, int64_t blocks_per_request)
{
	return blocks_per_request > 0 ? (double)blocks / (double)blocks_per_request : 0;
}

/** The size the engine prints, in tokens. */
static inline int64_t pool_reported_tokens(int64_t blocks, int64_t blocks_per_request,
					   int64_t max_model_len)
{
	return (int64_t)(pool_concurrency(blocks, blocks_per_request) * (double)max_model_len);
}

#endif
