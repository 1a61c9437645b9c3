/**
 * @file
 * A plan with some of its coefficients at other values: what sensitivity and the
 * band price.
 */
#ifndef STEPSCOPE_PRICE_RESCALE_H
#define STEPSCOPE_PRICE_RESCALE_H

#include "price/plan.h"

/** What the value of a provenance entry is multiplied by; above 0. */
typedef double rescale_fn(int entry, const void *context);

/** Room for a copy of `base`. False: out of memory. Release it whatever is returned. */
bool rescale_new(struct plan *out, const struct plan *base);

/** Make `out` what `base` would be had its entries been multiplied so. */
void rescale(struct plan *out, const struct plan *base, rescale_fn *factor, const void *context);

/** Free what rescale_new() made. */
void rescale_release(struct plan *plan);

#endif
