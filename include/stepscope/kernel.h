/**
 * @file
 * The pricing kernel: a deployment resolved once (refused, assumed or
 * overridden), then priced by pure calls that may run in several threads.
 */
#ifndef STEPSCOPE_KERNEL_H
#define STEPSCOPE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/coefficients.h"
#include "stepscope/hardware.h"
#include "stepscope/model.h"
#include "stepscope/pack.h"
#include "stepscope/problems.h"
#include "stepscope/registry.h"
#include "stepscope/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Set name of the kernel's own entries. */
#define SS_KERNEL_SET "stepscope"
/** Set name of measured kernel times. */
#define SS_TIMES_SET "kernel-times"
/** Set name of values tried in a session. */
#define SS_WHATIF_SET "what-if"
/** The release whose behaviour is priced. */
#define SS_PRICED_RELEASE "0.31.0"

struct ss_reference; /* engine.h */

/**
 * What a price rests on whatever the deployment: model, part, fabric, engine
 * pack and the coefficients in scope of that part and model, indexed. Made once,
 * read-only, shared by every kernel of a sweep. Borrows all its documents.
 */
struct ss_basis;

struct ss_basis_inputs {
	const struct ss_model *model;
	const struct ss_part *part;
	const struct ss_network *network;             /**< NULL on one node */
	const struct ss_storage *storage;             /**< NULL: tiers unbounded */
	const struct ss_coefficient_set *const *sets; /**< scenario order */
	size_t set_count;
	const struct ss_pack *pack;
	bool is_fallback_pack;
	const struct ss_reference *reference; /**< the SM70 reference, or NULL */
	struct ss_registry *registry; /**< kernel times are read from it as needed; may be NULL */
	const struct ss_whatif *whatifs;
	size_t whatif_count;
};

SS_API SS_NODISCARD enum ss_status
ss_basis_new(struct ss_basis **out, const struct ss_basis_inputs *in, struct ss_problems *problems);
SS_API void ss_basis_free(struct ss_basis *basis);

/**
 * Load what a scenario names and make its basis. The basis borrows from the registry.
 *
 * @param whatifs values tried, in place of the scenario's own; NULL: the scenario's own.
 */
SS_API SS_NODISCARD enum ss_status ss_basis_open(struct ss_basis **out,
						 struct ss_registry *registry,
						 const struct ss_scenario *scenario,
						 const struct ss_whatif *whatifs,
						 size_t whatif_count, struct ss_problems *problems);

/**
 * The engine reference that a pack of this registry carries, as ss_basis_inputs takes
 * it: loaded once, kept by the registry. NULL when the pack carries none.
 */
SS_API SS_NODISCARD enum ss_status ss_basis_reference(const struct ss_reference **out,
						      struct ss_registry *registry,
						      const struct ss_pack *pack,
						      struct ss_problems *problems);

/** The documents behind a basis. */
SS_API const struct ss_basis_inputs *ss_basis_inputs(const struct ss_basis *basis);

/* clang-format off */
/**
 * Known divergences: laws that price otherwise than the engine runs, and corrections
 * of the room for KV. id, name, has a correction, acts on (STEP or ROOM), on by default
 */
#define SS_DIVERGENCES(X)                                                                      \
	X(EXPERT_TENSOR_SHARDING, "expert_tensor_sharding", true,  STEP, false)                \
	X(LATENT_PREFILL_WIDTH,   "latent_prefill_width",   true,  STEP, false)                \
	X(HEAD_ROWS,              "head_rows",              true,  STEP, false)                \
	X(HEAD_WIDTH,             "head_width",             true,  STEP, false)                \
	X(GRAPH_PADDING,          "graph_padding",          true,  STEP, false)                \
	X(DISPATCH_WIDTH,         "dispatch_width",         false, STEP, false)                \
	X(PCP_EXPERT_TOKENS,      "pcp_expert_tokens",      false, STEP, false)                \
	X(HYBRID_DCP,             "hybrid_dcp",             false, STEP, false)                \
	X(REPLICATED_LATENT_PROJECTIONS, "replicated_latent_projections", false, STEP, false)  \
	X(RAMP_RANGE,             "ramp_range",             false, STEP, false)                \
	X(KERNEL_RELEASE,         "kernel_release",         false, STEP, false)                \
	X(ROUTE_NOT_PRICED,       "route_not_priced",       false, STEP, false)                \
	X(WORKSPACE_WIDTH,        "workspace_width",        true,  ROOM, true)                 \
	X(MXFP4_EXPERT_PADDING,   "mxfp4_expert_padding",   true,  ROOM, true)                 \
	X(UNQUANTISED_WEIGHTS,    "unquantised_weights",    true,  ROOM, true)                 \
	X(REPLICATED_LATENT_WEIGHTS, "replicated_latent_weights", true, ROOM, true)            \
	X(OTHER_WEIGHTS,          "other_weights",          true,  ROOM, true)                 \
	X(PROFILE_SAMPLER,        "profile_sampler",        true,  ROOM, true)                 \
	X(PROFILE_ENCODER,        "profile_encoder",        true,  ROOM, true)                 \
	X(PROFILE_EXPERTS,        "profile_experts",        true,  ROOM, true)                 \
	X(GRAPH_SIZES,            "graph_sizes",            true,  ROOM, true)                 \
	X(GRAPHS_OUTSIDE,         "graphs_outside_budget",  true,  ROOM, true)
/* clang-format on */

enum ss_divergence_id {
#define SS_X(id, ...) SS_DIVERGENCE_##id,
	SS_DIVERGENCES(SS_X)
#undef SS_X
		SS_DIVERGENCE_COUNT,
};

enum ss_divergence_target { SS_DIVERGES_STEP, SS_DIVERGES_ROOM };

struct ss_divergence {
	enum ss_divergence_id id;
	const char *name;
	bool has_correction;
	enum ss_divergence_target target;
	bool is_on_by_default; /**< its correction is applied unless turned off */
};

/** A row of the table. Static. */
SS_API const struct ss_divergence *ss_divergence(enum ss_divergence_id id);
/** Which way the law errs, and why; static text. */
SS_API const char *ss_divergence_direction(enum ss_divergence_id id);
SS_API const char *ss_divergence_reason(enum ss_divergence_id id);
/** Why corrections of the step are off by default, with figures; static text. */
SS_API const char *ss_divergence_caution(void);

/** Set of corrections applied: bit i is divergence i. */
#define SS_CORRECTIONS_DEFAULT                                                                \
	((1u << SS_DIVERGENCE_WORKSPACE_WIDTH) | (1u << SS_DIVERGENCE_MXFP4_EXPERT_PADDING) | \
	 (1u << SS_DIVERGENCE_UNQUANTISED_WEIGHTS) |                                          \
	 (1u << SS_DIVERGENCE_REPLICATED_LATENT_WEIGHTS) |                                    \
	 (1u << SS_DIVERGENCE_OTHER_WEIGHTS) | (1u << SS_DIVERGENCE_PROFILE_SAMPLER) |        \
	 (1u << SS_DIVERGENCE_PROFILE_ENCODER) | (1u << SS_DIVERGENCE_PROFILE_EXPERTS) |      \
	 (1u << SS_DIVERGENCE_GRAPH_SIZES) | (1u << SS_DIVERGENCE_GRAPHS_OUTSIDE))

/** Read `NAME`, `all`, `none` into a set (names add, `none` clears). */
SS_API SS_NODISCARD enum ss_status ss_corrections_parse(unsigned *set, const char *text,
							struct ss_error *err);

struct ss_kernel; /**< opaque; read-only once made */

/**
 * Resolve one pool. Every refusal that can be found is in `problems`, first cause
 * first, each with fixes already resolved once; warnings too.
 *
 * @param out left alone on failure (SS_EREFUSED, SS_ENOMEM, or SS_EDOCUMENT for kernel
 *        times that do not load).
 * @param corrections divergences priced without; ss_scenario_corrections().
 */
SS_API SS_NODISCARD enum ss_status ss_kernel_new(struct ss_kernel **out,
						 const struct ss_basis *basis,
						 const struct ss_scenario *scenario, size_t pool,
						 unsigned corrections,
						 struct ss_problems *problems);
SS_API void ss_kernel_free(struct ss_kernel *kernel);

/**
 * The same into memory reused from one call to the next, without searching fixes:
 * for sweeps. `*kernel` may be NULL at first; ss_kernel_free() ends it. It has price,
 * memory and resolution, which borrow from `scenario`; it has no entries, evidence and
 * overrides, and asking it for them is a mistake of the program, which stops.
 */
SS_API SS_NODISCARD enum ss_status ss_kernel_renew(struct ss_kernel **kernel,
						   const struct ss_basis *basis,
						   const struct ss_scenario *scenario, size_t pool,
						   unsigned corrections,
						   struct ss_problems *problems);

/**
 * Warn of what a batch asks beyond the budgets and the context length: more
 * requests, tokens or length; a batch is priced as given. Refused is a step that comes to
 * no time: infinite, negative or none.
 */
SS_API void ss_kernel_check_batch(const struct ss_kernel *kernel, const struct ss_batch *batch,
				  struct ss_problems *problems);

/** False when a coefficient that only the step reads is missing: memory alone is known. */
SS_API bool ss_kernel_has_price(const struct ss_kernel *kernel);

SS_API const struct ss_basis *ss_kernel_basis(const struct ss_kernel *kernel);

/* -- the step ------------------------------------------------------------------------- */

/** How a step is launched. */
enum ss_graph { SS_GRAPH_EAGER, SS_GRAPH_PIECEWISE, SS_GRAPH_FULL };
SS_API const char *ss_graph_name(enum ss_graph graph);

/** Which figure leads. */
enum ss_figure {
	SS_FIGURE_LEAD, /**< the kernel's own: Kernels where its part has them, else Serial */
	SS_FIGURE_SERIAL,
	SS_FIGURE_NO_OVERLAP,
	SS_FIGURE_OVERLAP,
	SS_FIGURE_KERNELS, /**< every GPU kernel at its measured time */
	SS_FIGURE_COUNT,
};
/** `serial`, `no_overlap`, `overlap`, `kernels`; `lead`. */
SS_API const char *ss_figure_name(enum ss_figure figure);
/** The figure of a name; SS_EUSAGE names those there are. */
SS_API SS_NODISCARD enum ss_status ss_figure_find(const char *name, enum ss_figure *out,
						  struct ss_error *err);
/** The figure that is meant: what leads, and Serial for Kernels where there are none. */
SS_API enum ss_figure ss_kernel_lead(const struct ss_kernel *kernel, enum ss_figure figure);
/** Does the part have kernel times, so that there is a figure Kernels? */
SS_API bool ss_kernel_has_kernels(const struct ss_kernel *kernel);

/** One forward pass. Seconds. */
struct ss_step {
	double overlap_s, serial_s, no_overlap_s;
	double resource_s[SS_RESOURCE_COUNT]; /**< totals; they sum to no_overlap_s */
	enum ss_resource bottleneck;          /**< the largest total; ties to the first */
	bool has_kernels; /**< the part has kernel times, and they were asked for */
	double kernels_s; /**< 0 without them */
	double kernels_resource_s[SS_RESOURCE_COUNT]; /**< they sum to kernels_s */
	enum ss_resource kernels_bottleneck;
	double draft_s; /**< draft passes' share of overlap_s (device and host) */
	int64_t tokens; /**< rank-local tokens priced */
	int64_t decode_requests, prefill_requests;
	int64_t prefill_tokens;
	int64_t kernels; /**< launches of the main pass; drafts left out */
	enum ss_graph graph;
};

/** The figure of a step. */
SS_API double ss_step_figure(const struct ss_step *step, enum ss_figure figure);
/** Its totals by resource, and the largest: those of Kernels, or those of the laws. */
SS_API const double *ss_step_resources(const struct ss_step *step, enum ss_figure figure);
SS_API enum ss_resource ss_step_bottleneck(const struct ss_step *step, enum ss_figure figure);

/** Is it a time: finite, not negative? */
SS_API bool ss_step_is_price(const struct ss_step *step);

/** Price a batch as given, every figure. Allocates nothing. The kernel must have a price. */
SS_API void ss_kernel_step(const struct ss_kernel *kernel, const struct ss_batch *batch,
			   struct ss_step *out);
/** The same for one figure: a figure of the laws leaves Kernels out. */
SS_API void ss_kernel_step_of(const struct ss_kernel *kernel, const struct ss_batch *batch,
			      enum ss_figure figure, struct ss_step *out);

/* clang-format off */
/** Terms of a breakdown: id, name in JSON, label. */
#define SS_TERMS(X)                                              \
	X(DENSE,             "dense",             "dense GEMMs")             \
	X(DENSE_READ,        "dense_read",        "dense weight reads")      \
	X(EXPERTS,           "experts",           "experts, compute")        \
	X(EXPERTS_READ,      "experts_read",      "experts, weight reads")   \
	X(SHARED,            "shared",            "shared experts")          \
	X(SHARED_READ,       "shared_read",       "shared expert reads")     \
	X(ATTENTION_DECODE,  "attention_decode",  "attention, decode")       \
	X(ATTENTION_PREFILL, "attention_prefill", "attention, prefill")      \
	X(SCORER_DECODE,     "scorer_decode",     "scorer, decode")          \
	X(SCORER_PREFILL,    "scorer_prefill",    "scorer, prefill")         \
	X(FUSED_FLOOR,       "fused_floor",       "one kernel for both")     \
	X(RECURRENT,         "recurrent",         "recurrent mixers")        \
	X(ELEMENTWISE,       "elementwise",       "elementwise")             \
	X(MHC,               "mhc",               "hyper-connections")       \
	X(TABLE,             "table",             "table lookups")           \
	X(ALL_REDUCE,        "all_reduce",        "all-reduce")              \
	X(ALL_GATHER,        "all_gather",        "all-gather")              \
	X(REDUCE_SCATTER,    "reduce_scatter",    "reduce-scatter")          \
	X(ALL2ALL,           "all2all",           "MoE dispatch and combine") \
	X(DCP,               "dcp",               "decode-context exchange") \
	X(PCP,               "pcp",               "prefill-context gather")  \
	X(HEAD,              "head",              "LM head")                 \
	X(HEAD_READ,         "head_read",         "LM head reads")           \
	X(LAUNCH,            "launch",            "launches")                \
	X(GRAPH,             "graph",             "graph replay")            \
	X(REQUESTS,          "requests",          "per-request host work")   \
	X(SMALL,             "small",             "small kernels")           \
	X(PREFILL_HOST,      "prefill_host",      "host work of a prefill")  \
	X(SYNC,              "sync",              "waits for the host")
/* clang-format on */

enum ss_term_id {
#define SS_X(id, name, label) SS_TERM_##id,
	SS_TERMS(SS_X)
#undef SS_X
		SS_TERM_COUNT,
};
SS_API const char *ss_term_name(enum ss_term_id term);
SS_API const char *ss_term_label(enum ss_term_id term);
/** The same in a step launched so: what replays graphs launches each kernel without them. Static.
 */
SS_API const char *ss_term_label_in(enum ss_term_id term, enum ss_graph graph);

/** Most coefficients one part of a term reads. */
#define SS_READS_MAX 8

/**
 * One second-bearing row: a term of a layer kind on one resource, times the
 * layers of that kind. Floor and slope are apart, because they rest on different
 * coefficients.
 */
struct ss_term {
	enum ss_term_id term;
	enum ss_resource resource;
	int kind;                /**< layer kind index; -1 head, -2 host */
	bool is_draft;           /**< of the draft passes */
	double count;            /**< nodes (or launches) this row stands for, all layers */
	double floor_s, slope_s; /**< all layers; floor_s + slope_s is the NoOverlap charge */
	double hidden_s[SS_FIGURE_COUNT]; /**< part of the charge hidden in each figure */
	double flops, bytes; /**< moved or computed, all layers; 0 when it is neither */
	/** Provenance entries, what binds first; -1 ends. */
	int floor_reads[SS_READS_MAX], slope_reads[SS_READS_MAX];
	const char *detail; /**< attention kind, role, served format; may be "" */
	int time_node;      /**< which of the measured kernels; -1: a law's charge */
};

struct ss_breakdown {
	struct ss_step step;
	struct ss_term *terms;
	size_t term_count, term_capacity;
};

/**
 * Price with every term of a figure: of Kernels, or of the laws, which share their terms.
 * The plain step is the same to 1 ns. Free with ss_breakdown_release().
 */
SS_API SS_NODISCARD enum ss_status ss_kernel_breakdown(const struct ss_kernel *kernel,
						       const struct ss_batch *batch,
						       enum ss_figure figure,
						       struct ss_breakdown *out);
SS_API void ss_breakdown_release(struct ss_breakdown *breakdown);

/** What of a term's charge a figure hides. */
SS_API double ss_term_hidden(const struct ss_term *term, enum ss_figure figure);
/** A term's part of a figure: floor_s + slope_s less what hides. */
SS_API double ss_term_figure(const struct ss_term *term, enum ss_figure figure);

/** The law of a term with its numbers filled in, one line; returns the full length. */
SS_API size_t ss_kernel_term_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
				 const struct ss_term *term, char *out, size_t size);
/** The same of that row's charge alone: launches without the graph that precedes them. */
SS_API size_t ss_kernel_charge_law(const struct ss_kernel *kernel, const struct ss_batch *batch,
				   const struct ss_term *term, char *out, size_t size);

/** A measured kernel where a step stands on it. Arrays are borrowed from the kernel. */
struct ss_time_sight {
	double us;                    /**< of one kernel, all factors in */
	double argument;              /**< rows, tokens or bytes */
	const double *log_x, *log_us; /**< measured points, natural logarithms */
	size_t point_count;           /**< 0: by a law */
	double beyond;                /**< factor past the edge of the measured grid; 1 */
	double floor_us, depth_us, read_us, math_us; /**< by the law; 0 where there is none */
	const char *argument_name;                   /**< `rows`, `tokens` or `bytes` */
	const char *role;                            /**< of its node in the graph; "" */
	double n, k; /**< outputs and inputs of its product on one rank; 0 where it is none */
	const char *kernel_name, *measured_with;     /**< "" where nothing tells */
	int release_distance;                        /**< minor releases from the scenario's */
};
/** Of a term that is a measured kernel (time_node >= 0). */
SS_API void ss_kernel_time_sight(const struct ss_kernel *kernel, const struct ss_batch *batch,
				 const struct ss_term *term, struct ss_time_sight *out);
/** Microseconds of the same kernel at another argument, by its curve or its law; NAN: none. */
SS_API double ss_kernel_time_at(const struct ss_kernel *kernel, const struct ss_term *term,
				double argument, bool is_by_law);

/** A divergence in this step. */
struct ss_divergence_effect {
	enum ss_divergence_id id;
	bool is_corrected;
	bool has_seconds;
	double seconds; /**< lead figure with the law less without it: > 0 adds time */
};

/** Those that apply to this kernel and batch; returns how many, at most SS_DIVERGENCE_COUNT. */
SS_API size_t ss_kernel_divergences(const struct ss_kernel *kernel, const struct ss_batch *batch,
				    enum ss_figure figure,
				    struct ss_divergence_effect out[SS_DIVERGENCE_COUNT]);

/**
 * Seconds of a figure that are there for divergences alone: the figure less that of the
 * same step with every correction taken. 0 when all are.
 */
SS_API double ss_kernel_known_error_s(const struct ss_kernel *kernel, const struct ss_batch *batch,
				      enum ss_figure figure);

/* -- around a step -------------------------------------------------------------------- */

/** CPU seconds before a request is schedulable; 0 for no prompt. */
SS_API double ss_kernel_admission_s(const struct ss_kernel *kernel, int64_t prompt_tokens);
SS_API double ss_kernel_output_token_s(const struct ss_kernel *kernel);
SS_API double ss_kernel_completion_s(const struct ss_kernel *kernel);

/** Inter-token latency of a step: its lead figure and the output token's cost. */
SS_API double ss_kernel_itl_s(const struct ss_kernel *kernel, double lead_s);

/**
 * Time to first token of a prompt on the loaded engine (chunks beside the batch's decodes).
 * INFINITY when they leave it no room, or so little that it takes over 16384 steps.
 */
SS_API double ss_kernel_ttft_s(const struct ss_kernel *kernel, const struct ss_batch *batch,
			       enum ss_figure figure, int64_t prompt_tokens);

enum ss_place { SS_PLACE_SAME_NODE, SS_PLACE_SAME_RACK, SS_PLACE_FABRIC };
/** Seconds to move one request's KV between pools. */
SS_API double ss_kernel_pd_transfer_s(const struct ss_kernel *kernel, int64_t tokens,
				      enum ss_place place);
/** Seconds of one transfer with an offload tier; infinity for a tier the storage does not list. */
SS_API double ss_kernel_tier_s(const struct ss_kernel *kernel, const char *tier, bool is_write,
			       int64_t bytes, int64_t queue_depth);

/** Tokens per second of the whole engine for a step's lead figure. */
SS_API double ss_kernel_tokens_per_s(const struct ss_kernel *kernel, const struct ss_step *step,
				     double lead_s, double acceptance);

/* -- memory --------------------------------------------------------------------------- */

struct ss_room_correction {
	enum ss_divergence_id id;
	int64_t bytes; /**< added to the room; negative takes room */
};

/** As many as the table has that act on the room. */
#define SS_ROOM_CORRECTIONS_MAX SS_DIVERGENCE_COUNT

/** Bytes of one rank. */
struct ss_memory {
	int64_t weights_bytes, scales_bytes, tables_bytes, redundant_bytes, draft_bytes;
	int64_t activation_bytes, communicator_bytes, workspace_bytes, graphs_bytes;
	int64_t total_bytes;
	int64_t host_tables_bytes; /**< per node, host memory */
	int64_t visible_bytes;
	struct ss_room_correction corrections[SS_ROOM_CORRECTIONS_MAX];
	size_t correction_count;
	int64_t captured_bytes;        /**< graphs as corrected by the sizes captured */
	bool are_graphs_inside;        /**< the release counts them within utilization */
	int64_t budget_bytes;          /**< room for KV; negative: it does not fit */
	double kv_bytes_per_token;     /**< main caches, all layers */
	double scorer_bytes_per_token; /**< indexer keys, all layers, counted in the pool alone */
	int64_t sequence_fixed_bytes;  /**< recurrent state, raw */
};
SS_API const struct ss_memory *ss_kernel_memory(const struct ss_kernel *kernel);

/** A figure of the engine's start, of the release the deployment runs. */
struct ss_release_use {
	enum ss_release_term_id term;
	const struct ss_release_row *row; /**< NULL: no row of it; as the release priced */
	double value;
	bool is_read; /**< this deployment turns on it */
};

/** Every term, in their order; those without a figure at all are left out. */
SS_API size_t ss_kernel_release_terms(const struct ss_kernel *kernel,
				      struct ss_release_use out[SS_RELEASE_TERM_COUNT]);

/** KV bytes of one sequence in whole blocks (and state blocks under `all`); 0 for tokens <= 0. */
SS_API int64_t ss_kernel_sequence_bytes(const struct ss_kernel *kernel, int64_t tokens);

/** The KV pool as the engine would report it. */
struct ss_kv_pool {
	bool is_grouped;            /**< false: `kv_cache_grouping` says what is not modelled */
	int64_t block_size;         /**< of the pool: the aligned one on a hybrid model */
	int64_t page_bytes;         /**< one layer's page of the block */
	int64_t block_bytes;        /**< all layers sharing a block */
	int64_t blocks;             /**< 0 when nothing fits */
	int64_t blocks_per_request; /**< at max_model_len; 0 when unbounded */
	int64_t reported_tokens;    /**< "GPU KV cache size" */
	double max_concurrency;     /**< "Maximum concurrency" */
	int64_t state_page_bytes;   /**< raw recurrent state per layer, before padding */
	int64_t groups;             /**< KV cache groups */
	/** what a longer request takes for one more token, in whole blocks on average */
	double marginal_bytes_per_token;
	int64_t fixed_bytes_per_request; /**< windows at their widest, and states, as allocated */
};
SS_API const struct ss_kv_pool *ss_kernel_kv_pool(const struct ss_kernel *kernel);

/** Blocks a request of this length takes; 0 for none. */
SS_API int64_t ss_kernel_request_blocks(const struct ss_kernel *kernel, int64_t tokens);

/** How many requests of this length the pool holds at once. */
SS_API int64_t ss_kernel_requests_that_fit(const struct ss_kernel *kernel, int64_t tokens);

/** KV bytes the loaded batch needs (whole blocks of every request). */
SS_API int64_t ss_kernel_batch_bytes(const struct ss_kernel *kernel, const struct ss_batch *batch);

/** What a verdict asks, first cause first. */
enum ss_verdict_id {
	SS_VERDICT_DEPLOYMENT,    /**< the engine starts */
	SS_VERDICT_BATCH,         /**< the pool holds the batch; in blocks */
	SS_VERDICT_MAX_NUM_SEQS,  /**< its requests */
	SS_VERDICT_BUDGET,        /**< its scheduled tokens, of max_num_batched_tokens */
	SS_VERDICT_MAX_MODEL_LEN, /**< its longest request */
	SS_VERDICT_COUNT,
};
SS_API const char *ss_verdict_name(enum ss_verdict_id id);
/** The setting that is a limit of the batch; SS_FIELD_COUNT for the two of memory. */
SS_API enum ss_field_id ss_verdict_field(enum ss_verdict_id id);

struct ss_verdict_line {
	bool holds;
	double asked, limit; /**< 0 of the deployment */
	int64_t short_bytes; /**< missing, where it is memory that does not do */
};

/** Would the engine run this batch? */
struct ss_verdict {
	bool holds; /**< every line does */
	struct ss_verdict_line lines[SS_VERDICT_COUNT];
};

/** Allocates nothing. Without a batch (NULL) the deployment alone is judged. */
SS_API void ss_kernel_verdict(const struct ss_kernel *kernel, const struct ss_batch *batch,
			      struct ss_verdict *out);

/** A verdict in words, with what would change it. Text is owned by it. */
struct ss_fit {
	bool fits; /**< the whole verdict holds */
	struct ss_verdict verdict;
	char why[SS_VERDICT_COUNT][512]; /**< a line does not hold, in our words; "" when it does */
	char reason[512];                /**< that of the first that does not */
	const char *term;     /**< largest term at fault, as in the JSON memory; "pool"; "" */
	int64_t short_bytes;  /**< of the first line that does not hold */
	struct ss_fix *fixes; /**< each tried: with it that line holds */
	size_t fix_count;
};

/** The verdict, with fixes searched when it does not hold (pass the kernel's scenario). */
SS_API SS_NODISCARD enum ss_status ss_fit_new(struct ss_fit *out, const struct ss_kernel *kernel,
					      const struct ss_scenario *scenario, size_t pool,
					      const struct ss_batch *batch);
SS_API void ss_fit_release(struct ss_fit *fit);
/** Does the deployment start, whatever the batch? */
SS_API bool ss_kernel_fits(const struct ss_kernel *kernel);

/** How far a deployment goes, one setting changed at a time; 0: no value works. */
struct ss_fit_limits {
	int64_t max_model_len;         /**< longest request of which as many fit at once */
	int64_t max_num_seqs;          /**< most requests of that length at once */
	int64_t tp;                    /**< smallest tensor-parallel width at which they fit */
	double gpu_memory_utilization; /**< smallest, in hundredths, at which they fit */
	int64_t tp_short;              /**< widest one below `tp` too small for them; 0: none */
	const char *tp_short_term;     /**< its largest fixed term, for a person; static, "" */
	int64_t tp_short_bytes;        /**< of that term */
};

/**
 * Search the limits for `requests` (at least 1) of `length` tokens (at least 1) at
 * once. Each was tried on a kernel of its own.
 */
SS_API SS_NODISCARD enum ss_status ss_fit_limits_find(struct ss_fit_limits *out,
						      const struct ss_kernel *kernel,
						      const struct ss_scenario *scenario,
						      size_t pool, int64_t requests,
						      int64_t length);

/* -- what it rests on ----------------------------------------------------------------- */

/** One row of provenance. Text is borrowed from the kernel or its documents. */
struct ss_entry {
	const char *name, *set;
	enum ss_method method;
	const char *scope;      /**< scope text, or `value: reason` of the kernel's own */
	const char *value_text; /**< for settings; "" for coefficients */
	double value;
	bool has_value;
	double original; /**< before a what-if */
	bool is_whatif;
	bool is_shadowed; /**< in scope of part and model, but another entry wins: not counted */
	bool is_own;      /**< the kernel's own: an assumption or an absent coefficient */
	bool is_absent;   /**< own, named for a missing optional coefficient */
	const struct ss_coefficient *coefficient; /**< NULL for the kernel's own */
	const char *law;                          /**< laws that read it, one line; "" */
	/** Kernel times: `value` multiplies what was measured (or is the term itself). */
	const struct ss_times_entry *times;
	const struct ss_times *times_document;
	bool has_ci95; /**< of kernel times, from how far a law is off its table */
	double ci95[2];
};

/** Entries in order: registry by name, own assumptions as made, absent coefficients, then
 * kernel times, which the laws' figures do not read. */
SS_API size_t ss_kernel_entry_count(const struct ss_kernel *kernel);
SS_API const struct ss_entry *ss_kernel_entry(const struct ss_kernel *kernel, size_t index);

struct ss_evidence {
	size_t evidenced, total, assumed;
	size_t by_method[SS_METHOD_COUNT];
};
/** May a figure read it? Kernel times are of Kernels alone. */
SS_API bool ss_kernel_entry_counts(const struct ss_kernel *kernel, enum ss_figure figure,
				   size_t index);

/** Counts of what a figure may read: kernel times count for Kernels alone. */
SS_API void ss_kernel_evidence(const struct ss_kernel *kernel, enum ss_figure figure,
			       struct ss_evidence *out);

/** One request not honoured. Text is owned by the kernel. */
struct ss_override {
	const char *field, *requested, *resolved, *reason;
};
SS_API size_t ss_kernel_override_count(const struct ss_kernel *kernel);
SS_API const struct ss_override *ss_kernel_override(const struct ss_kernel *kernel, size_t index);

/**
 * What will run. Text is never NULL; borrowed from the kernel, and from its scenario
 * and basis where the kernel was renewed.
 */
struct ss_resolution {
	int64_t tensor_parallel, data_parallel, expert_parallel;
	int64_t decode_context_parallel, prefill_context_parallel;
	int64_t ranks; /**< of one engine */
	const char *allreduce_backend;
	bool async_scheduling, cascade_attention, sequence_parallel_moe;
	const char *cudagraph_mode;
	int64_t max_cudagraph_capture_size;
	const int64_t *capture_sizes; /**< captured, ascending */
	size_t capture_size_count;
	int64_t block_size; /**< nominal, as stated or defaulted; the pool's may be aligned */
	int64_t max_num_batched_tokens, max_num_seqs;
	int64_t max_model_len; /**< 0: unbounded */
	double gpu_memory_utilization;
	const char *cache_layout, *attention_backend, *all2all_backend, *mamba_cache_mode;
	const char *quantization; /**< as served */
	const char *moe_backend;  /**< whose times price the experts; as stated where none were taken */
	const char *linear_backend;
	bool fuse_allreduce_rms, fuse_act_quant;
	int64_t spec_tokens;
	int64_t decode_threshold; /**< when a batch states none */
};
SS_API const struct ss_resolution *ss_kernel_resolution(const struct ss_kernel *kernel);
/** Why a kernel's setting is what ss_resolution says: moe_backend, linear_backend, fuse_*. */
SS_API void ss_kernel_choice_reason(const struct ss_kernel *kernel, enum ss_field_id field,
				    char *out, size_t size);

/** Batch sizes captured, ascending; returns how many (the array may be NULL to count). */
SS_API size_t ss_kernel_capture_sizes(const struct ss_kernel *kernel, int64_t *out,
				      size_t capacity);

/** Names the kernel can record, for tests, help and completion. NULL past the end. */
SS_API const char *ss_assumption_name(size_t index);
SS_API const char *ss_override_field(size_t index);
SS_API const char *ss_optional_coefficient(size_t index);

#ifdef __cplusplus
}
#endif

#endif
