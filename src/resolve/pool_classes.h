/**
 * @file
 * The kinds of cache a deployment holds, and whether the pack can put them in one pool.
 */
#ifndef STEPSCOPE_RESOLVE_POOL_CLASSES_H
#define STEPSCOPE_RESOLVE_POOL_CLASSES_H

#include "resolve/kernel_impl.h"

/** Kind of a cache the graph states outright. */
enum pool_kind cache_kind(const struct ss_cache *cache);

/** Bytes of a stated cache's layer under the running cache dtype; its base record when it has none.
 */
int64_t cache_record_bytes(const struct ss_kernel *k, const struct ss_cache *cache);

/**
 * First stated cache that falls back to its base record, or NULL. The base record is
 * the compute dtype's: under `auto` none falls back.
 */
const struct ss_cache *cache_without_record(const struct ss_kernel *k);

/** Fill classes, count and cause. */
void pool_collect(const struct ss_kernel *k, bool has_hybrid_manager, struct pool_plan *plan);

/** Do all classes keep the same length? Then one group holds them whatever their widths. */
bool pool_is_one_type(const struct pool_plan *plan);

bool pool_has_kind(const struct pool_plan *plan, enum pool_kind kind);

/** What the grouping does not model, a clause; "" for a grouped pool. */
const char *pool_cause_text(enum pool_cause cause);

#endif
