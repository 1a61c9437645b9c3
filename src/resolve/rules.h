/**
 * @file
 * Refusals E and P: what the engine would not start, and what cannot be priced
 * truthfully. Each reports through refuse().
 */
#ifndef STEPSCOPE_RESOLVE_RULES_H
#define STEPSCOPE_RESOLVE_RULES_H

#include "resolve/cache_format.h"
#include "resolve/kernel_impl.h"

/** E1, P5: heads, vocabulary, ops and kinds we know. */
void rules_check_model(struct ss_kernel *k);
/** E8 (state dtypes), E13: stated names outside the pack's lists; connector warnings. */
void rules_check_lists(struct ss_kernel *k);
/** P4. */
void rules_refuse_quantization(struct ss_kernel *k, const char *name);
/** E8, P3, P4 of a cache dtype; NULL when refused. */
const struct cache_format *rules_cache_format(struct ss_kernel *k, const char *name);
/** E7, E12. */
void rules_check_block(struct ss_kernel *k, int64_t block);
/** P4: the mode of a name in any case; GRAPH_MODE_COUNT when refused. */
enum graph_mode rules_graph_mode(struct ss_kernel *k, const char *name);
/** Is this connector stated anywhere: for the pool, the transfer or the offload? NULL: any. */
bool rules_has_connector(const struct ss_kernel *k, const char *name);
/** E2 to E6, P2. */
void rules_check_context(struct ss_kernel *k);
/** E9. */
void rules_check_layout(struct ss_kernel *k);
/** Requests the engine takes and runs otherwise than they may be meant. */
void rules_warn(struct ss_kernel *k);

#endif
