/**
 * @file
 * The measured kernels of a deployment, put into its plan.
 */
#ifndef STEPSCOPE_RESOLVE_TIMES_PLAN_H
#define STEPSCOPE_RESOLVE_TIMES_PLAN_H

#include "resolve/kernel_impl.h"

/** After the plan of the laws: nodes of every kernel, and which laws stand in for one. */
void resolve_times(struct ss_kernel *k);

/** Bind a law's constants to a product of rows with n x k, `bytes` a weight. */
void times_bind_gemm_law(struct gemm_law *law, const struct ss_times_entry *e, double n, double k,
			 double bytes);

/** Routed experts of one rank. */
struct times_experts {
	double hidden, inner; /**< their input; their own width on this rank */
	double top_k, experts;
	double ep;              /**< ranks they are spread over */
	double matrices, bytes; /**< of an expert; of a weight */
};
void times_bind_moe_law(struct moe_law *law, const struct ss_times_entry *e,
			const struct times_experts *shape);

/** Choices become rows of provenance, after all others. False: out of memory. */
bool times_put_entries(struct ss_kernel *k);

/** Minor releases between what a table was measured with and the scenario's; 0 unknown. */
int times_distance(const struct ss_kernel *k, const struct ss_times_entry *e);

#endif
