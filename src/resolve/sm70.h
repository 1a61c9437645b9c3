/**
 * @file
 * Resolving for the SM70 build: what its reference decides. Internal to src/resolve.
 */
#ifndef STEPSCOPE_RESOLVE_SM70_H
#define STEPSCOPE_RESOLVE_SM70_H

#include "resolve/kernel_impl.h"
#include "stepscope/engine.h"

/** Shapes of attention layer told apart. */
enum { SM70_SHAPES_MAX = 8 };

/** One shape of attention layer. */
struct sm70_shape {
	const char *layer;
	const struct ss_node *node;
};

/** Settings, formats, codec, dtype and GDN prefill; without a reference only a warning. */
void sm70_settle(struct ss_kernel *k);
/** With the pool known: the token budget, and that every shape has its routes. */
void sm70_check(struct ss_kernel *k);
/** Keep what outlives the scenario; false: out of memory. */
bool sm70_keep(struct ss_kernel *k);
/** Free what sm70_keep() kept. */
void sm70_release(struct ss_kernel *k);

/** What the deployment and its host state. Borrows the kernel. */
struct ss_settings sm70_settings(const struct ss_kernel *k);

size_t sm70_shapes(const struct ss_kernel *k, struct sm70_shape out[SM70_SHAPES_MAX]);
/** A request of a shape; `settings` is borrowed by it. */
struct ss_route_request sm70_request(const struct ss_kernel *k, const struct ss_node *node,
				     enum ss_route_stage stage, const struct ss_settings *settings);
/** Tokens of the largest chunk of a prefill; at least 1. */
int64_t sm70_largest_chunk(const struct ss_kernel *k);
/** Turn a prefill without a prefix into the chunk after one of its own length, as far as
 * the longest request lets. */
void sm70_add_prefix(const struct ss_kernel *k, struct ss_route_request *prefill);
/** Are states aligned to whole attention blocks? */
bool sm70_is_aligned(const struct ss_kernel *k);

#endif
