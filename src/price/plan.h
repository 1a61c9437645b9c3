/**
 * @file
 * A deployment ready to price: every shape divided by its ranks, every
 * coefficient bound to its value. Made by src/resolve, read by the step. No name
 * of a model, part or coefficient gets this far.
 */
#ifndef STEPSCOPE_PRICE_PLAN_H
#define STEPSCOPE_PRICE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "price/coef.h"
#include "price/times.h"
#include "stepscope/kernel.h"

/** How fast a weight format computes: a peak and its ramp over rows. */
struct plan_rate {
	double peak; /**< FLOP/s */
	struct coef eps, m_half, n_half, k_half;
	int peak_entry;     /**< an assumption the peak rests on, or -1 */
	const char *detail; /**< format served and kernel kind */
};

#define PLAN_RATES_MAX 16

/** How an attention node chooses what it reads of a context. */
struct plan_selector {
	bool is_sparse;    /**< sparse latent: top-k, or a window and a pool */
	double window;     /**< 0: none */
	double topk;       /**< 0: none */
	double ratio;      /**< of the pool; 0: none */
	bool is_sharded;   /**< by decode-context parallelism */
	bool is_per_token; /**< under speculation each scheduled token reads for itself */
};

#define PLAN_SELECTORS_MAX 24

struct plan_gemm {
	int rate;
	double flops; /**< per row and rank, shape factor included */
	double bytes; /**< weights read per rank */
	double shard_flops;
	/* under a shape factor flops = shard + n_half per_n + k_half per_k + both per_nk */
	double per_n, per_k, per_nk;
};

struct plan_experts {
	int rate;
	double flops;                  /**< per row of T, funnel, share and imbalance included */
	double sharded;                /**< what expert_tensor_sharding divides it by */
	double expert_bytes;           /**< one expert on this rank */
	int64_t experts, top_k, local; /**< replicas included */
	double funnel;
	struct coef imbalance;
	struct plan_gemm shared; /**< rate -1 when there is none */
};

/** Measured prefill of one kind or role: used whole or not at all. */
struct plan_prefill_family {
	bool is_used;
	struct coef floor, rate, request, token, bytes;
};

struct plan_attention {
	const char *detail; /**< kind or role */
	bool is_scorer;
	bool is_latent;
	int selector;
	struct coef decode_floor, decode_rate; /**< rate absent: memory bandwidth */
	double bytes_per_token;                /**< what one selected token costs to read */
	struct coef prefill_floor, work_scale;
	double prefill_width;   /**< heads x width / tp (scorers: undivided) */
	double pair_flops;      /**< 4 for a main node, 2 for a scorer */
	double corrected_width; /**< 0, or heads x per-head widths / tp for latent_prefill_width */
	double prefix_flops; /**< up-projection FLOPs per cached token and rank, corrected form */
	struct plan_prefill_family family;
	double family_bytes; /**< bytes per context token the family's byte rate moves */
	int prefill_entry;   /**< the assumption of an incomplete family, or -1 */
	double scorer_window, scorer_ratio; /**< 0: none */
	bool is_sharded;
	/* decode-context exchange; width 0: none */
	double dcp_row_width; /**< heads x query width x A: the query gather's payload per row */
	double dcp_lse_width; /**< dcp x heads x 4 */
	double dcp_out_width; /**< heads x output width x A */
	double dcp_a2a_width; /**< heads x (output width + 2) x A */
	double latent_width;  /**< d_h x A: prefix gather per token */
	double pcp_widths[4]; /**< prefill-context gathers: A x width, 0 ends */
};

struct plan_recurrent {
	const char *detail;
	struct coef decode_floor, decode_rate;
	struct coef prefill_floor, prefill_rate;
	double prefill_flops; /**< per token and rank, chunked scan */
	int rate;
	int prefill_entry; /**< the assumption when there is no measured form, or -1 */
};

/** A link transfer: bytes = rows x row_bytes x span. */
struct plan_link {
	enum ss_term_id term;
	struct coef floor, transition, peak;
	double row_bytes; /**< 0 for exchanges that give their payload */
	double span;
	enum ss_resource resource;
	int assumed_entry; /**< the assumption that stands in for a backend's own price, or -1 */
};

struct plan_mhc {
	bool is_measured;
	struct coef floor, rate; /**< tokens per us */
	double bytes;            /**< per token, when not measured */
	const char *detail;
	int assumed_entry; /**< the assumption when only a part of the forms is measured, or -1 */
};

struct plan_table {
	double bytes; /**< per token and rank */
	bool is_host;
	struct coef rate;  /**< bytes per us from the host */
	int assumed_entry; /**< the assumption that another rate stands in, or -1 */
};

enum plan_op_kind {
	PLAN_GEMM,
	PLAN_EXPERTS,
	PLAN_ATTENTION,
	PLAN_RECURRENT,
	PLAN_LINK,
	PLAN_MHC,
	PLAN_TABLE,
};

struct plan_op {
	enum plan_op_kind kind;
	double count;    /**< like nodes merged into one op */
	bool is_by_laws; /**< in Kernels too: nothing measured holds for it */
	union {
		struct plan_gemm gemm;
		struct plan_experts experts;
		struct plan_attention attention;
		struct plan_recurrent recurrent;
		struct plan_link link;
		struct plan_mhc mhc;
		struct plan_table table;
	} u;
};

struct plan_layer {
	int kind; /**< layer kind of the graph */
	double count, draft_count;
	size_t first_op, op_count;
	double elementwise_bytes; /**< per row and rank */
	int kernels;
	bool has_mixer;         /**< attention or recurrent: one graph segment */
	bool has_sparse_scorer; /**< one segment more */
	bool has_attention;
	bool may_fuse; /**< a mixed step is one kernel here */
};

/** Host costs, microseconds. */
struct plan_host {
	struct coef replay, eager, per_kernel, per_request;
	struct coef admission_request, admission_token, output_token, completion;
	struct coef host_link; /**< bytes per us; absent: offload tiers are not capped */
	bool is_async;
};

struct plan {
	/* machine */
	double bandwidth; /**< bytes per second x derate */
	struct coef derate;
	int64_t sm_count;
	double hidden_bytes; /**< hidden x A */

	struct plan_rate rates[PLAN_RATES_MAX];
	int rate_count;
	int bf16_rate;
	struct plan_selector selectors[PLAN_SELECTORS_MAX];
	int selector_count;

	struct plan_layer *layers;
	size_t layer_count;
	struct plan_op *ops;
	size_t op_count, op_capacity;

	/* head */
	struct plan_gemm head[4];
	/** What 16-bit weights make of each: factors of its bytes and of its compute time. */
	struct {
		double bytes, compute;
	} head_wide[4];
	size_t head_count;
	int head_kernels;

	/* totals of the main stack */
	int64_t kernels;
	int64_t segments;
	int64_t draft_kernels; /**< of one pass, head included */
	int64_t draft_passes;  /**< 0: none */

	/* graphs */
	enum ss_graph uniform_graph, other_graph;
	int64_t ceiling;
	const int64_t *captured; /**< ascending; NULL when none */
	size_t captured_count;
	int64_t uniform_width; /**< 1 + draft tokens */
	int64_t default_threshold;

	/* context parallelism */
	int64_t dcp, pcp, interleave;
	bool has_dcp_a2a;
	struct plan_link dcp_query, dcp_lse, dcp_out, dcp_a2a, dcp_prefix, pcp_gather;
	bool has_dcp_query;
	int64_t context_chunk;

	struct plan_host host;

	/* the figure Kernels; no nodes: the part has no such times */
	struct time_node *times;
	struct time_use *time_uses;
	size_t time_count, time_use_count, time_capacity;
	struct time_host time_host;
};

#endif
