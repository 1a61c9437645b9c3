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

/**
 * @param figure what the rows are of; a figure of the laws leaves out Kernels, any other
 *               prices it too where the part has kernel times.
 */
void step_price(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
		enum ss_figure figure, struct ss_step *out, struct step_rows *rows);

/** A new row, all of it zero; NULL (and is_incomplete) when there is no room. */
struct ss_term *step_row_add(struct step_rows *rows);

/** Is it the figure of measured kernels, for this plan? */
bool step_is_kernels(const struct plan *plan, enum ss_figure figure);

/** What the laws of a pass are filled in with. Counts of one rank. */
struct step_shape {
	enum ss_graph graph;
	double work_rows; /**< rows of GEMMs */
	double head_rows;
	double rows; /**< tokens, also those of the attention ramp */
	double decode_tokens, prefills, prefill_tokens, requests;
};

struct time_sight;
/** One measured kernel of the main pass, or of a draft pass. */
void step_look(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
	       bool is_draft, size_t node, struct time_sight *out);

/** The shape of the main pass, or of one draft pass. */
void step_shape_of(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
		   bool is_draft, struct step_shape *out);

#endif
