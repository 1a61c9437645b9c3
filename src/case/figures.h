/**
 * @file
 * What a batch costs a kernel: the step, its figures and the rates that planners buy
 * by. Every place that shows one takes it from here.
 */
#ifndef CASE_FIGURES_H
#define CASE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "case/session.h"

struct figures {
	struct ss_step step;
	double lead_s;
	double itl_s;
	double tokens_per_s, tokens_per_s_per_gpu; /**< of the whole engine; of one GPU */
	double prefill_tokens_per_s;               /**< of the whole engine */
	bool has_ttft;
	double ttft_s;
};

/** Figures of a step that a kernel priced, without TTFT; the kernel may be a renewed one. */
void figures_of_step(struct figures *out, const struct ss_kernel *kernel,
		     const struct ss_step *step, enum ss_figure figure, double acceptance);

/** Those of a session, which must have a kernel with a price. */
void figures_of(struct figures *out, const struct session *session);

#endif
