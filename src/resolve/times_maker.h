/**
 * @file
 * What the makers of measured kernels share: a layer kind being built, and the choices
 * that become rows of provenance.
 */
#ifndef STEPSCOPE_RESOLVE_TIMES_MAKER_H
#define STEPSCOPE_RESOLVE_TIMES_MAKER_H

#include "resolve/times_plan.h"

/** Building one layer kind, or the head. */
struct maker {
	struct ss_kernel *k;
	const struct ss_layer_kind *kind; /**< NULL: the head */
	int index;                        /**< of the kind; -1 */
	double count, draft_count;
	const struct ss_node *attention; /**< the layer's main one; NULL */
	struct time_small small;
	int slot; /**< of the layer's routed experts; -1 */
};

/**
 * The row of provenance of an entry; its value is a factor, or the entry's own.
 *
 * @param suffix follows the family's name; "" when it is whole.
 */
struct coef times_choose(struct ss_kernel *k, const struct ss_times *document,
			 const struct ss_times_entry *e, const char *suffix, enum time_reach reach);


/** A node with all its bytes set, so that two may be compared whole. */
void time_node_clear(struct time_node *node, enum time_shape shape, enum ss_term_id term,
		     const char *detail);
bool time_node_is_same(const struct time_node *a, const struct time_node *b);
/** Count a kernel: once in the list, once in its layer kind. */
void times_put(struct maker *m, const struct time_node *made);

/** The format a stored weight is computed in; block-scaled 8 bit where the checkpoint is. */
enum time_format time_format_of(const struct ss_kernel *k, enum ss_dtype stored);
/** A product of rows with n x k on one rank. */
void times_bind_gemm(struct ss_kernel *k, struct time_gemm *g, enum time_format format, double n,
		     double width);
void times_make_gemm(struct maker *m, const struct ss_node *n);
/** Routed and shared experts and their router; by the laws where nothing holds for them. */
void times_make_experts(struct maker *m, const struct ss_node *n, struct plan_op *op);

/** An all-reduce over the tensor-parallel ranks of so many bytes a row. */
void times_make_reduce(struct maker *m, enum ss_term_id term, double row_bytes, bool is_by_head,
		       bool is_always_graphed);
/** Any other collective: by NCCL's table where it has these ranks, else by the laws. */
void times_make_link(struct maker *m, const struct ss_node *n, struct plan_op *op);

#endif
