/**
 * @file
 * Bytes of weights that one rank holds.
 */
#ifndef STEPSCOPE_RESOLVE_WEIGHTS_H
#define STEPSCOPE_RESOLVE_WEIGHTS_H

#include "resolve/kernel_impl.h"

/** Bytes of the most loaded rank. */
struct weights {
	double main;        /**< layers, head and embedding; each expert once */
	double scales;      /**< block scales of 4-bit formats, drafts included */
	double redundant;   /**< replicas of experts */
	double draft;       /**< the speculator's stack; 0 without speculation */
	double tables;      /**< lookup tables on the device */
	double host_tables; /**< lookup tables in a node's host memory */
	/** What MXFP4 experts take more when their inner width is padded as the engine does. */
	double mxfp4_padding;
	/** What the embedding, head and routers take more at the 16 bits the engine keeps. */
	double unquantised;
	/** What projections take more that every rank holds whole. */
	double replicated;
	double others; /**< towers and tables outside the decoder */
};

void weights_sum(const struct ss_kernel *k, struct weights *out);

#endif
