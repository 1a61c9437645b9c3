/**
 * @file
 * How a deployment's caches share the engine's pool of blocks.
 */
#ifndef STEPSCOPE_RESOLVE_KV_POOL_H
#define STEPSCOPE_RESOLVE_KV_POOL_H

#include "price/pool.h"
#include "resolve/kernel_impl.h"

/** State pages a request holds whatever its length; 0 under `all`, where they grow with it. */
int64_t state_pages(const struct ss_kernel *k);

/**
 * Lay the caches out in groups, with or without the hybrid manager, and size the pool.
 *
 * @param plan stated_blocks is read, the rest written.
 */
void pool_lay_out(const struct ss_kernel *k, bool has_hybrid_manager, struct pool_plan *plan,
		  struct ss_kv_pool *pool);

/** Blocks of a request in a laid out pool; 0 for no tokens. */
int64_t pool_plan_blocks(const struct pool_plan *plan, int64_t tokens);

/** Longest request that takes no more than `blocks`, at most `longest`; 0 when none does. */
int64_t pool_longest(const struct pool_plan *plan, int64_t blocks, int64_t longest);

/** Tokens the pool would report without the hybrid manager: what turning it off costs. */
int64_t pool_tokens_without_manager(const struct ss_kernel *k);

/** Backend that serves latent attention where nothing picks one. */
const char *latent_backend(const struct ss_kernel *k);

/** The latent backend whose block the aligned one is a multiple of; "" for other attention. */
const char *pool_aligned_backend(const struct ss_kernel *k);

#endif
