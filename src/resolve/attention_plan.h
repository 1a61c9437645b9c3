/**
 * @file
 * An attention node bound to its coefficients, selector and exchanges.
 */
#ifndef STEPSCOPE_RESOLVE_ATTENTION_PLAN_H
#define STEPSCOPE_RESOLVE_ATTENTION_PLAN_H

#include "resolve/kernel_impl.h"

void attention_plan_make(struct ss_kernel *k, struct plan_attention *out,
			 const struct ss_layer_kind *kind, const struct layer_cache *cache,
			 const struct ss_node *node);

#endif
