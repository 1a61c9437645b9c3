/**
 * @file
 * What a session's batch costs: the step, its figures and the rates that planners
 * buy by, and what each second rests on.
 */
#ifndef APP_FIGURES_H
#define APP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "app/session.h"

struct figures {
	struct ss_step step;
	double lead_s;
	double itl_s;
	double tokens_per_s, tokens_per_s_per_gpu; /**< of the whole engine; of one GPU */
	double prefill_tokens_per_s;
	bool has_ttft;
	double ttft_s;
	bool is_remainder_bound; /**< host-bound by an entry that is a fit's remainder */
};

/** The session must have a kernel with a price. */
void figures_of(struct figures *out, const struct session *session);

/** `hbm`, or `host (fitted remainder)` where that is what binds. */
const char *figures_bottleneck(const struct figures *figures);

/** How the price answers to one entry of provenance. */
struct influence {
	bool is_read;       /**< by this step */
	double elasticity;  /**< d ln(lead figure) / d ln(value); 0 when not read */
	double low, high;   /**< the values tried: the ci95, or 10 % down and up */
	double low_s, high_s; /**< lead figure there */
};

/**
 * One for each entry of the kernel, in its order; the caller frees the array.
 * Exact: the kernel is built again with the one value changed.
 */
SS_NODISCARD enum ss_status influence_new(struct influence **out, const struct session *session);

/**
 * The lead figure with every entry at the end of its range that lowers it, then
 * at the one that raises it: the ci95 where there is one, else the spread of its
 * method.
 */
SS_NODISCARD enum ss_status influence_band(double band_s[2], const struct session *session,
					   const struct influence *influences);

/**
 * Shares of the lead figure by the weakest method each second rests on; they sum
 * to 1 (all 0 for a step that takes no time).
 */
SS_NODISCARD enum ss_status price_share(double share[SS_METHOD_COUNT],
					const struct session *session);

#endif
