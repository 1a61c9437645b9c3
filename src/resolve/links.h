/**
 * @file
 * Collectives bound to their measured figures, span and resource.
 */
#ifndef STEPSCOPE_RESOLVE_LINKS_H
#define STEPSCOPE_RESOLVE_LINKS_H

#include "resolve/kernel_impl.h"

/**
 * A collective over one of the layout's groups; C2 when no width serves it.
 *
 * @param is_point_to_point takes the all-to-all span across nodes, else the ring's.
 */
struct plan_link link_make(struct ss_kernel *k, enum ss_term_id term, enum coef_collective op,
			   enum layout_group group, bool is_point_to_point);

/** MoE dispatch and combine: the backend's own price, or the routed or dense all-to-all. */
struct plan_link link_dispatch(struct ss_kernel *k);

/** Floor of a transfer between pools: the expert group's all-to-all, else the narrowest measured.
 */
double link_transfer_floor_us(const struct ss_kernel *k);

#endif
