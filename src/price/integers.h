/**
 * @file
 * Whole-number arithmetic the laws share.
 */
#ifndef STEPSCOPE_PRICE_INTEGERS_H
#define STEPSCOPE_PRICE_INTEGERS_H

#include <stdint.h>

static inline int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/** a / b rounded up; a at least 0, b above 0. */
static inline int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

static inline int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/** Least common multiple of two numbers above 0. */
static inline int64_t common_multiple(int64_t a, int64_t b)
{
	return a / common_divisor(a, b) * b;
}

#endif
