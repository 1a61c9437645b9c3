/**
 * @file
 * Why a deployment does not fit.
 */
#ifndef STEPSCOPE_RESOLVE_FIT_H
#define STEPSCOPE_RESOLVE_FIT_H

#include "resolve/kernel_impl.h"

enum fit_fault {
	FIT_NONE,
	FIT_FIXED,   /**< fixed bytes leave no room for KV */
	FIT_CLAIM,   /**< the room or blocks stated are not there */
	FIT_REQUEST, /**< the pool cannot hold one request of the longest length */
	FIT_STATE,   /**< fewer blocks than sequences that each hold a state */
};

/** First fault, and the bytes that are missing. */
enum fit_fault fit_find_fault(const struct ss_kernel *k, int64_t *short_bytes);

/** Bytes missing for this many blocks: from the budget, or from the blocks stated outright. */
int64_t fit_missing_bytes(const struct ss_kernel *k, double blocks);

/** Why a limit is passed; returns the full length. */
size_t verdict_why_limit(const struct ss_verdict *verdict, enum ss_verdict_id id, char *out,
			 size_t size);

#endif
