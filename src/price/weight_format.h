/**
 * @file
 * Bytes of weights as served: the payload a step reads, and the block scales that
 * lie beside it in memory.
 */
#ifndef STEPSCOPE_PRICE_WEIGHT_FORMAT_H
#define STEPSCOPE_PRICE_WEIGHT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "stepscope/vocabulary.h"

/** Payload of `elements` weights. */
static inline double weight_bytes(enum ss_dtype format, double elements)
{
	return elements * ss_dtype_bytes(format);
}

/** Scale bytes of `elements` weights; see ss_weight_scale_bytes(). */
static inline double weight_scale_bytes(enum ss_dtype format, double elements, int64_t group_size,
					bool has_zeros)
{
	return elements * ss_weight_scale_bytes(format, group_size, has_zeros);
}

#endif
