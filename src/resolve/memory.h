/**
 * @file
 * Fixed bytes of one rank and the room they leave for KV.
 */
#ifndef STEPSCOPE_RESOLVE_MEMORY_H
#define STEPSCOPE_RESOLVE_MEMORY_H

#include "resolve/kernel_impl.h"

/** Does any group of the layout span more than one rank? */
bool has_communicator(const struct ss_kernel *k);

#endif
