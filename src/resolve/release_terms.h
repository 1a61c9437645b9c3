/**
 * @file
 * Release terms: figures of the engine's start, of the release a deployment runs.
 */
#ifndef STEPSCOPE_RESOLVE_RELEASE_TERMS_H
#define STEPSCOPE_RESOLVE_RELEASE_TERMS_H

#include "resolve/kernel_impl.h"

/** The row of the deployment's release, or of the release priced; NULL for none that holds. */
const struct ss_release_row *release_row(const struct ss_kernel *k, enum ss_release_term_id term);

/** Its value; `other` without one. */
double release_value(const struct ss_kernel *k, enum ss_release_term_id term, double other);

/** Does the release count captured graphs within what utilization gives, as the host has it? */
bool are_graphs_inside(const struct ss_kernel *k);

/** Keep what every term came to; after memory. */
void settle_release_terms(struct ss_kernel *k);

/** Layers of the main stack. */
int64_t layer_count(const struct ss_kernel *k);

#endif
