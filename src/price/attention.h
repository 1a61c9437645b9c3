/**
 * @file
 * What attention reads and multiplies: query-key pairs of a prefill, cached
 * tokens of a decode. Plain numbers of tokens; 0 for a window, a top-k or a ratio
 * means that the layer has none.
 */
#ifndef STEPSCOPE_PRICE_ATTENTION_H
#define STEPSCOPE_PRICE_ATTENTION_H

#include <math.h>

/** Pairs of `s` new tokens over `c` cached ones and themselves, causal. */
static inline double pairs_causal(double s, double c)
{
	return s * c + s * s / 2;
}

/** The same where a query sees the last `w` positions only: causal up to w, then w each. */
static inline double pairs_window(double s, double c, double w)
{
	double n = fmin(fmax(fmin(s, w - c), 0), s);

	return pairs_causal(n, c) + (s - n) * w;
}

/** A sparse layer's reads besides its window are counted on tokens pooled by the ratio. */
static inline double sparse_ratio(double ratio)
{
	return ratio > 0 ? ratio : 1;
}

/** Does a sparse layer read anything beyond its window? */
static inline int sparse_has_pool(double top_k, double ratio)
{
	return top_k > 0 || ratio > 0;
}

/** Cached tokens one query of a sparse layer reads at this context. */
static inline double selected(double context, double window, double top_k, double ratio)
{
	double pool;

	if (window <= 0 && ratio <= 0)
		return top_k > 0 ? fmin(context, top_k) : context;
	if (!sparse_has_pool(top_k, ratio))
		return fmin(context, window);
	pool = fmax(0, context - window) / sparse_ratio(ratio);
	return fmin(context, window) + (top_k > 0 ? fmin(top_k, pool) : pool);
}

/**
 * Keys a scorer reads for a step's decodes: their contexts, at most its window
 * each, pooled by its ratio.
 */
static inline double scorer_tokens(double contexts, double decodes, double window, double ratio)
{
	double tokens = window > 0 ? fmin(contexts, window * decodes) : contexts;

	return ratio > 1 ? tokens / ratio : tokens;
}

/** Pool reads of a query summed over positions 0..p; grows as p squared, then straight. */
static inline double pool_reads_to(double p, double window, double top_k, double ratio)
{
	double r = sparse_ratio(ratio);
	double x = fmax(0, p - window);

	if (top_k > 0 && x > top_k * r)
		return top_k * top_k * r / 2 + top_k * (x - top_k * r);
	return x * x / (2 * r);
}

/** Pairs of a prefill of `s` tokens over `c` cached on a sparse layer. */
static inline double pairs_sparse(double s, double c, double window, double top_k, double ratio)
{
	double pairs;

	if (window <= 0 && ratio <= 0)
		return top_k > 0 ? pairs_window(s, c, top_k) : pairs_causal(s, c);
	pairs = pairs_window(s, c, window);
	if (sparse_has_pool(top_k, ratio))
		pairs += pool_reads_to(c + s, window, top_k, ratio) -
			 pool_reads_to(c, window, top_k, ratio);
	return pairs;
}

#endif
