/**
 * @file
 * Which measured kernel stands for one that the engine chooses, and why.
 */
#ifndef STEPSCOPE_RESOLVE_KERNEL_CHOICE_H
#define STEPSCOPE_RESOLVE_KERNEL_CHOICE_H

#include "resolve/kernel_impl.h"

/** The engine's word for what made an entry's times: `triton`; "" where its name tells none. */
const char *kernel_backend(const struct ss_times_entry *e);

/**
 * How well an entry stands for the backend asked for, 0 when it does not: above all its own
 * at the scenario's release, then its own at the nearest, then what the release chooses.
 */
int kernel_fits(const struct ss_kernel *k, const struct ss_times_entry *e, const char *backend);

#endif
