/**
 * @file
 * What a step needs to know of its batch, gathered in one pass over the groups.
 */
#ifndef STEPSCOPE_PRICE_BATCH_SUMS_H
#define STEPSCOPE_PRICE_BATCH_SUMS_H

#include "price/plan.h"

/** Sums over the requests of one pass. */
struct batch_sums {
	double rows; /**< T: rank-local tokens */
	double decodes, prefills;
	double decode_tokens;
	double prefill_tokens;  /**< rank-local */
	double decode_context;  /**< sum of contexts of decodes */
	double prefill_context; /**< sum of contexts of prefills */
	double prefix_tokens;   /**< computed tokens of prefills */
	double requests;
	double causal_pairs; /**< of prefills, on the busiest rank */
	bool has_computed;   /**< any request with computed tokens */
	bool is_uniform;     /**< every request schedules exactly the decode width */
	double selected[PLAN_SELECTORS_MAX]; /**< tokens read by decodes, by selector */
	double pairs[PLAN_SELECTORS_MAX];    /**< query-key pairs of prefills, by selector */
};

void batch_sums_gather(struct batch_sums *out, const struct plan *plan,
		       const struct ss_batch *batch);

/** The same for one draft pass: a token for every decode, at its context. */
void batch_sums_draft(struct batch_sums *out, const struct plan *plan,
		      const struct ss_batch *batch);

#endif
