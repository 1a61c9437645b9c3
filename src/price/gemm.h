/**
 * @file
 * How tensor parallelism cuts a dense GEMM, and which ones run as one.
 */
#ifndef STEPSCOPE_PRICE_GEMM_H
#define STEPSCOPE_PRICE_GEMM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Is a product of input `k` and output `n` column-parallel (its n is cut), rather
 * than row-parallel (its k is)? It is when it reads the residual stream and does
 * not write it.
 */
static inline bool gemm_shards_n(int64_t n, int64_t k, int64_t hidden)
{
	return k == hidden && n != hidden;
}

/** Do two products that follow one another directly run as one of n_a + n_b? */
static inline bool gemm_merges(int64_t n_a, int64_t k_a, int64_t n_b, int64_t k_b, int64_t hidden)
{
	return k_a == k_b && gemm_shards_n(n_a, k_a, hidden) && gemm_shards_n(n_b, k_b, hidden);
}

#endif
