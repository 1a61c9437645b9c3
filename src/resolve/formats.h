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

/** From this compute capability on tensor cores take bfloat16. */
enum { BF16_CAPABILITY = 80 };

/** Does the graph hold anything at bfloat16? The checkpoint then asks to run at it. */
bool model_is_bfloat16(const struct ss_model *model);

#endif
