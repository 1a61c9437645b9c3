/**
 * @file
 * Rules of the release, as its pack states them: asked of the deployment as it would run.
 */
#ifndef STEPSCOPE_RESOLVE_RELEASE_RULES_H
#define STEPSCOPE_RESOLVE_RELEASE_RULES_H

#include "resolve/kernel_impl.h"

/** Rules on settings and on nodes of the graph; then, with `has_pool`, those on the KV pool. */
void release_rules_check(struct ss_kernel *k, bool has_pool);

#endif
