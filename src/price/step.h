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

/** What the laws of a pass are filled in with. Counts of one rank. */
struct step_shape {
	enum ss_graph graph;
	double work_rows; /**< rows of GEMMs */
	double head_rows;
	double rows; /**< tokens, also those of the attention ramp */
	double decode_tokens, prefills, prefill_tokens, requests;
};

/** The shape of the main pass, or of one draft pass. */
void step_shape_of(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
		   bool is_draft, struct step_shape *out);

#endif
