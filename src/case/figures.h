/**
 * @file
 * What a session's batch costs: the step, its figures and the rates that planners
 * buy by.
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
	double prefill_tokens_per_s;
	bool has_ttft;
	double ttft_s;
};

/** The session must have a kernel with a price. */
void figures_of(struct figures *out, const struct session *session);

#endif
