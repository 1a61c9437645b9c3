/**
 * @file
 * Recurrent mixers: the work of a chunked scan and the state a sequence keeps.
 */
#ifndef STEPSCOPE_PRICE_RECURRENT_H
#define STEPSCOPE_PRICE_RECURRENT_H

#include <stdint.h>

#include "stepscope/vocabulary.h"

/** Tokens a chunked scan takes at a time. */
#define RECURRENT_CHUNK 64

/** A mixer as the graph states it; widths of the whole layer, not of a rank. */
struct recurrent_shape {
	enum ss_recurrent_kind kind;
	int64_t heads;
	int64_t state;       /**< state size, per head */
	int64_t groups;      /**< mamba2: groups of B and C */
	int64_t conv_kernel; /**< 0: the graph states no convolution */
	int64_t inner;       /**< gdn: convolution channels; mamba2: inner width */
};

/** FLOPs of a prefill per token and head. */
double recurrent_scan_flops(const struct recurrent_shape *shape);

/** State bytes of one sequence, layer and rank, without the convolution. */
double recurrent_state_bytes(const struct recurrent_shape *shape, double state_width, int64_t tp);

/** Convolution bytes of the same; `spec` drafted tokens lengthen its window. */
double recurrent_conv_bytes(const struct recurrent_shape *shape, double conv_width, int64_t spec,
			    int64_t tp);

#endif
