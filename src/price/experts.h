/**
 * @file
 * Routed experts: what the most loaded rank holds and how many a step reads.
 */
#ifndef STEPSCOPE_PRICE_EXPERTS_H
#define STEPSCOPE_PRICE_EXPERTS_H

#include <math.h>
#include <stdint.h>

/** Experts on the rank that holds most. `ep` below 1 reads as 1. */
static inline int64_t experts_heaviest(int64_t experts, int64_t redundant, int64_t ep)
{
	if (ep < 1)
		ep = 1;
	return (experts + redundant + ep - 1) / ep;
}

/**
 * Local experts that at least one of `rows` tokens is routed to, expected over an
 * even router: each row misses an expert with chance (E - top_k) / E.
 *
 * @param experts E, replicas included; 0: all local ones are read.
 * @param top_k   0: all local ones are read.
 */
static inline double experts_touched(double rows, int64_t experts, int64_t top_k, int64_t local)
{
	if (rows <= 0 || local <= 0)
		return 0;
	if (experts <= 0 || top_k <= 0 || top_k >= experts)
		return (double)local;
	return (double)local * (1 - pow((double)(experts - top_k) / (double)experts, rows));
}

/** Weights of one expert: `matrices` products of inner width n and input k. */
static inline double expert_parameters(int64_t matrices, int64_t n, int64_t k)
{
	return (double)matrices * (double)n * (double)k;
}

#endif
