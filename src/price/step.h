/**
 * @file
 * One forward pass over a plan.
 */
#ifndef STEPSCOPE_PRICE_STEP_H
#define STEPSCOPE_PRICE_STEP_H

#include "price/plan.h"

/**
 * Price a batch. `rows` (may be NULL) collects every charge of the breakdown; its
 * allocation failing leaves `is_incomplete`. With NULL nothing is allocated.
 */
struct step_rows {
	struct ss_term *terms;
	size_t count, capacity;
	bool is_incomplete;
};

void step_price(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
		struct ss_step *out, struct step_rows *rows);

#endif
