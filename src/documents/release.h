/**
 * @file
 * Releases of an engine, told apart as numbers.
 */
#ifndef DOCUMENTS_RELEASE_H
#define DOCUMENTS_RELEASE_H

#include <stddef.h>

#include "stepscope/registry.h"

/**
 * The release of `engine` nearest to one, among names of packs like `vllm-0.31.0` in
 * ascending order; NULL when none is a number.
 */
const char *release_nearest(char *const *names, size_t count, const char *engine,
			    const char *release);

#endif
