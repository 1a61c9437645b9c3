/**
 * @file
 * Weight formats as served: what a weight is stored as, and what computes it.
 */
#ifndef STEPSCOPE_RESOLVE_FORMATS_H
#define STEPSCOPE_RESOLVE_FORMATS_H

#include "resolve/kernel_impl.h"

/**
 * The plan's rate for weights stored in this format; C1 and P4 refusals, and the
 * assumptions of formats without a kernel or a rate of their own.
 *
 * @return an index into plan.rates; 0 when refused (the price is off then).
 */
int format_rate(struct ss_kernel *k, enum ss_dtype stored, bool is_grouped);

#endif
