/**
 * @file
 * GEMM efficiency: the share of peak a matrix product reaches at its shape.
 */
#ifndef STEPSCOPE_PRICE_RAMP_H
#define STEPSCOPE_PRICE_RAMP_H

/**
 * Share of peak at `m` rows.
 *
 * @param eps  share reached at very many rows, 0..1.
 * @param half rows at which half of `eps` is reached; 0 or less: no ramp.
 * @return 0 when there are no rows or no efficiency.
 */
static inline double ramp(double eps, double half, double m)
{
	if (m <= 0 || eps <= 0)
		return 0;
	return half <= 0 ? eps : eps * m / (m + half);
}

/** What the other two sides of a product leave of that, n x k as one rank holds it. */
static inline double shape_factor(double n_half, double k_half, double n, double k)
{
	return ramp(1, n_half, n) * ramp(1, k_half, k);
}

#endif
