/**
 * @file
 * Bytes of weights as served: the payload a step reads, and the block scales that
 * lie beside it in memory.
 */
#ifndef STEPSCOPE_PRICE_WEIGHT_FORMAT_H
#define STEPSCOPE_PRICE_WEIGHT_FORMAT_H

#include <stdint.h>

#include "stepscope/vocabulary.h"

/** Payload of `elements` weights. */
static inline double weight_bytes(enum ss_dtype format, double elements)
{
	return elements * ss_dtype_bytes(format);
}

/** Elements per scale of 4-bit integers whose checkpoint states none. */
#define WEIGHT_GROUP_DEFAULT 128

/** Scale bytes per element: 4-bit formats alone have them. `group_size` 0: unstated. */
static inline double weight_scale_bytes_per_element(enum ss_dtype format, int64_t group_size)
{
	switch (format) {
	case SS_DTYPE_NVFP4:
		return 1.0 / 16;
	case SS_DTYPE_MXFP4:
		return 1.0 / 32;
	case SS_DTYPE_INT4:
		return 2.0 / (double)(group_size > 0 ? group_size : WEIGHT_GROUP_DEFAULT);
	case SS_DTYPE_UNSTATED:
	case SS_DTYPE_FP32:
	case SS_DTYPE_BF16:
	case SS_DTYPE_FP16:
	case SS_DTYPE_FP8:
	case SS_DTYPE_MXFP8:
	case SS_DTYPE_INT8:
	case SS_DTYPE_COUNT:
		break;
	}
	return 0;
}

/** Scale bytes of `elements` weights. */
static inline double weight_scale_bytes(enum ss_dtype format, double elements, int64_t group_size)
{
	return elements * weight_scale_bytes_per_element(format, group_size);
}

#endif
