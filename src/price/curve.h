/**
 * @file
 * Measured curves as they are read: natural logarithms of both sides, straight between
 * points, level before the first, and on at a slope of their own beyond the last.
 */
#ifndef STEPSCOPE_PRICE_CURVE_H
#define STEPSCOPE_PRICE_CURVE_H

#include <stddef.h>

struct curve {
	size_t count;            /**< at least 1 */
	const double *log_x;     /**< ascending */
	const double *log_value; /**< of each */
	double tail;             /**< slope beyond the last point */
};

/** The logarithm of the value at exp(log_x). */
double curve_at(const struct curve *curve, double log_x);

/** Slope beyond the last point: the last segment's own, held to 0 .. 1. */
double curve_tail(size_t count, const double *log_x, const double *log_value);

/** One of the curves of a blend. */
struct curve_part {
	const struct curve *curve;
	double weight; /**< they sum to 1 */
};

/** Most points a blend may come to. */
size_t curve_blend_size(const struct curve_part *parts, size_t count);

/**
 * The weighted mean of curves in logarithms, exact: it bends where one of them does.
 * `log_x` and `log_value` have room for curve_blend_size().
 */
struct curve curve_blend(const struct curve_part *parts, size_t count, double *log_x,
			 double *log_value);

#endif
