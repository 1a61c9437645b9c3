/**
 * @file
 * What a deployment of the SM70 build gets at a batch: attention routes, what a cache
 * dtype costs, MoE bindings, GDN prefill. Each asks a kernel of ss_kernel_new() whose
 * basis has the engine reference; any other kernel has nothing of it.
 */
#ifndef STEPSCOPE_SM70_H
#define STEPSCOPE_SM70_H

#include "stepscope/engine.h"
#include "stepscope/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Does the kernel resolve the SM70 build? */
SS_API bool ss_kernel_is_sm70(const struct ss_kernel *kernel);

/** Codec of the running cache dtype. NULL when the kernel is not of the SM70 build. */
SS_API const struct ss_kv_codec *ss_kernel_kv_codec(const struct ss_kernel *kernel);

/** Compute dtype after the override, `float16`; "" when not of the SM70 build. */
SS_API const char *ss_kernel_compute_dtype(const struct ss_kernel *kernel);

/** One case of attention and the route it gets. */
struct ss_kernel_route {
	const char *layer;               /**< layer kind it stands for; borrowed from the model */
	bool has_prefix;                 /**< of a prefill */
	struct ss_route_request request; /**< what was asked; its settings are not kept */
	struct ss_route_selection selection;
	/** Rates of what runs and of the nearest earlier one; NULL: none is known. */
	const struct ss_route_rate *rate, *better_rate;
	double seconds, better_s; /**< of one layer by those */
};

struct ss_kernel_routes {
	struct ss_kernel_route *items;
	size_t count;
};

/**
 * Routes at a batch, for each shape of attention layer: decode (captured, where the
 * graph mode captures whole decodes, and eager), the decode rows of a mixed batch,
 * verify with speculation (captured and eager), prefill without and with a prefix.
 *
 * A batch without decodes is asked for one at its longest context; one without prefills
 * for a chunk of the whole budget; a prefill without a prefix is also asked for the next
 * chunk after one of its own length. Without any request the context is max_model_len.
 *
 * @param out release with ss_kernel_routes_release(); empty when not of the SM70 build.
 */
SS_API SS_NODISCARD enum ss_status ss_kernel_routes(struct ss_kernel_routes *out,
						    const struct ss_kernel *kernel,
						    const struct ss_batch *batch);
SS_API void ss_kernel_routes_release(struct ss_kernel_routes *routes);

/**
 * Tokens of one prefill chunk as it would be scheduled: `tokens`, at most
 * max_num_batched_tokens, in whole attention blocks where a hybrid model aligns its
 * states (the last tokens of a prompt, less than a block, run as they are).
 */
SS_API int64_t ss_kernel_prefill_chunk(const struct ss_kernel *kernel, int64_t tokens);

/** The one option that alone would admit a refused candidate; NULL when none would. */
SS_API const struct ss_route_need *ss_route_flip(const struct ss_route_verdict *verdict);

/** Routes of one cache dtype, in a deployment that differs in nothing else. */
struct ss_dtype_routes {
	const struct ss_kv_codec *codec;
	bool is_running;
	bool is_refused; /**< such a deployment is refused: the rest is empty */
	int64_t page;    /**< tokens of its block */
	double bytes_per_token;
	/** names, borrowed from the reference; NULL: none */
	const char *decode, *prefill, *prefill_inner, *prefix, *prefix_inner;
	/** the inner family of dense kernels is entered, without and with a prefix */
	bool enters_inner, enters_inner_prefix;
};

/**
 * What each codec would get at a batch, in the order of the reference. Each row is
 * resolved anew, since the page changes with the dtype. Rows are of the first shape of
 * attention layer.
 *
 * @param scenario the kernel's.
 * @param out      up to `capacity` rows; may be NULL when that is 0.
 * @param count    how many there are.
 */
SS_API SS_NODISCARD enum ss_status
ss_kernel_dtype_routes(struct ss_dtype_routes *out, size_t capacity, size_t *count,
		       const struct ss_kernel *kernel, const struct ss_scenario *scenario,
		       size_t pool, const struct ss_batch *batch);

/**
 * The selectors' verdict on each MoE binding of the weight format at a batch.
 *
 * @param out up to `capacity` rows; may be NULL when that is 0.
 * @return how many there are; 0 without experts, or without a family of bindings.
 */
SS_API size_t ss_kernel_moe_bindings(struct ss_moe_verdict *out, size_t capacity,
				     const struct ss_kernel *kernel, const struct ss_batch *batch);

/** GDN prefill; NULL when the model has no gdn layer or the kernel is not of the SM70 build. */
SS_API const struct ss_gdn_choice *ss_kernel_gdn_prefill(const struct ss_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
