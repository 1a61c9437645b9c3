/**
 * @file
 * One pass at the measured times of its kernels.
 */
#ifndef STEPSCOPE_PRICE_STEP_TIMES_H
#define STEPSCOPE_PRICE_STEP_TIMES_H

#include "price/batch_sums.h"
#include "price/step.h"

/** Seconds of a pass, by resource. */
struct times_sum {
	double resource_s[SS_RESOURCE_COUNT];
};

/**
 * Add a pass's kernels to `out`, `passes` times; `rows` may be NULL.
 *
 * @param work_rows of GEMMs: those scheduled, or the padded graph size.
 *
 * @param is_draft the draft stack's counts, and no host terms.
 */
void times_price(const struct plan *plan, const struct batch_sums *sums, double work_rows,
		 enum ss_graph graph, double passes, bool is_draft, struct times_sum *out,
		 struct step_rows *rows);

/** How a node's time comes about in a pass. */
struct time_sight {
	double us;                 /**< of one kernel */
	double argument;           /**< where its curve is read */
	const struct curve *curve; /**< NULL: a law */
	double edge;               /**< log of the factor beyond the curve's grid */
	struct time_parts parts;   /**< by the law; all 0 where there is none */
};
void times_look(const struct plan *plan, const struct batch_sums *sums, double work_rows,
		enum ss_graph graph, size_t node, struct time_sight *out);

#endif
