/**
 * @file
 * KV cache bytes of one layer on one rank, and whole pages of them.
 */
#ifndef STEPSCOPE_PRICE_KV_H
#define STEPSCOPE_PRICE_KV_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "price/integers.h"

/** KV heads on one rank: never fewer than one. */
static inline int64_t kv_heads_per_rank(int64_t kv_heads, int64_t tp)
{
	return most(kv_heads / most(tp, 1), 1);
}

/**
 * Bytes a token takes in one layer.
 *
 * @param width head width, or the latent width.
 * @param element_bytes of the cache; may be a fraction.
 * @param is_latent one vector instead of a key and a value.
 */
static inline double kv_bytes_per_token(int64_t kv_heads, int64_t width, double element_bytes,
					bool is_latent, int64_t tp)
{
	return (is_latent ? 1 : 2) * (double)kv_heads_per_rank(kv_heads, tp) * (double)width *
	       element_bytes;
}

/** The same for a packed layout, whose cell replaces width x element bytes. */
static inline double kv_packed_bytes_per_token(int64_t kv_heads, double cell_bytes, bool is_latent,
					       int64_t tp)
{
	return (is_latent ? 1 : 2) * (double)kv_heads_per_rank(kv_heads, tp) * cell_bytes;
}

/** A scorer's key cache: 8-bit keys and one 4-byte scale, whatever the cache's type. */
static inline double scorer_key_bytes_per_token(int64_t kv_heads, int64_t width)
{
	return (double)kv_heads * (double)(width + 4);
}

/** Whole pages of `block` tokens; none for no tokens. Under dcp a rank keeps its share. */
static inline int64_t kv_pages(int64_t tokens, int64_t block, int64_t dcp)
{
	if (tokens <= 0)
		return 0;
	return divide_up(divide_up(tokens, most(dcp, 1)), most(block, 1));
}

/** Bytes of one sequence in whole pages. */
static inline int64_t paged_bytes(int64_t tokens, int64_t block, int64_t dcp,
				  double bytes_per_token)
{
	return (int64_t)llround((double)(kv_pages(tokens, block, dcp) * block) * bytes_per_token);
}

#endif
