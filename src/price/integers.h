/**
 * @file
 * Whole-number arithmetic the laws share.
 */
#ifndef STEPSCOPE_PRICE_INTEGERS_H
#define STEPSCOPE_PRICE_INTEGERS_H

#include <math.h>
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

/** More bytes than any rank holds: where counting ends, far inside the integers. */
#define BYTES_MOST 1000000000000000000

/** Bytes to the nearest whole one; what is not below BYTES_MOST is that. */
static inline int64_t whole_bytes(double bytes)
{
	return bytes < (double)BYTES_MOST ? (int64_t)llround(bytes) : BYTES_MOST;
}

/** Least common multiple of two numbers above 0. */
static inline int64_t common_multiple(int64_t a, int64_t b)
{
	return a / common_divisor(a, b) * b;
}

#endif
