/**
 * @file
 * CUDA graphs: the mode that runs and the sizes it captures.
 */
#ifndef STEPSCOPE_RESOLVE_CAPTURE_H
#define STEPSCOPE_RESOLVE_CAPTURE_H

#include "resolve/kernel_impl.h"

/** After budgets, speculation and experts are settled. */
void settle_graphs(struct ss_kernel *k);

#endif
