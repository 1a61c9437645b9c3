/**
 * @file
 * The measured kernels of a deployment, put into its plan.
 */
#ifndef STEPSCOPE_RESOLVE_TIMES_PLAN_H
#define STEPSCOPE_RESOLVE_TIMES_PLAN_H

#include "resolve/kernel_impl.h"

/** After the plan of the laws: nodes of every kernel, and which laws stand in for one. */
void resolve_times(struct ss_kernel *k);

/** Once entries are numbered: choices become rows of provenance from `first` on. */
void times_link_entries(struct ss_kernel *k, int first);
/** Put them there, after all others. False: out of memory. */
bool times_put_entries(struct ss_kernel *k);

/** Minor releases between what a table was measured with and the scenario's; 0 unknown. */
int times_distance(const struct ss_kernel *k, const struct time_choice *c);

#endif
