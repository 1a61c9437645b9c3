/**
 * @file
 * The nearest settings that work: each is resolved before it is offered.
 */
#ifndef STEPSCOPE_RESOLVE_FIXES_H
#define STEPSCOPE_RESOLVE_FIXES_H

#include "stepscope/kernel.h"

/** Search fixes for the refusals of `problems` from index `first` on. */
void fixes_search(struct ss_problems *problems, size_t first, const struct ss_basis *basis,
		  const struct ss_scenario *scenario, size_t pool, unsigned corrections);

#endif
