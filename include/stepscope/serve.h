/**
 * @file
 * A load played through the engine's scheduler: requests arrive, wait, are prefilled in
 * chunks beside others' decodes, run out of blocks and are preempted, step after step at
 * the price of each. Runs in slices; holds no more than a few words a request.
 */
#ifndef STEPSCOPE_SERVE_H
#define STEPSCOPE_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/footing.h"
#include "stepscope/kernel.h"
#include "stepscope/load.h"
#include "stepscope/scenario.h"
#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- engines -------------------------------------------------------------------------- */

/** How one pool schedules, and what its steps cost. */
struct ss_serve_engine {
	int64_t max_num_batched_tokens, max_num_seqs;
	int64_t max_model_len;                /**< 0: unbounded */
	int64_t block_size;                   /**< of the KV pool */
	int64_t blocks;                       /**< of one rank's pool */
	int64_t long_prefill_token_threshold; /**< 0: none */
	bool has_chunked_prefill, has_prefix_caching;
	bool reserves_full_isl; /**< a request enters only where its known tokens would fit */
	bool is_block_aligned;  /**< chunks of a prefill end on blocks (recurrent state `align`) */
	int64_t drafts;         /**< tokens drafted a step; 0: no speculation */
	double acceptance;      /**< share of drafts accepted, 0 to 1 */
	int64_t ranks;          /**< data-parallel ranks, each with a scheduler of its own */
	bool is_lockstep;       /**< the ranks of one replica step together */
	int64_t replicas;       /**< engines of this kind */
	double admission_request_s, admission_token_s; /**< before a request is schedulable */
	double output_token_s, completion_s;           /**< of the client's side */

	/** Seconds of one step of one rank's batch. Called with `context`. */
	double (*price)(void *context, const struct ss_batch *batch);
	/** Blocks a request of so many tokens takes; NULL: whole blocks. Must not fall. */
	int64_t (*request_blocks)(void *context, int64_t tokens);
	/** Seconds to hand a prefilled request on; NULL: at once. Of a prefill pool. */
	double (*transfer_s)(void *context, int64_t tokens);
	void *context;
};

/* -- engines of kernels --------------------------------------------------------------- */

/** Which end of the band steps are priced at. */
enum ss_serve_side { SS_SERVE_FIGURE, SS_SERVE_FAST, SS_SERVE_SLOW };

/** How a kernel's steps are priced. */
struct ss_serve_pricing {
	enum ss_figure figure;
	int64_t decode_threshold, sm_budget; /**< 0: unstated */
	double acceptance;
	enum ss_serve_side side;
	const struct ss_spread *spread; /**< of a side; NULL: the usual */
	bool keeps_terms;               /**< add up every term of every step; steps take longer */
	enum ss_place place;            /**< of the other pool */
};

struct ss_serve_pricer; /**< opaque; borrows its kernel */

SS_API SS_NODISCARD enum ss_status ss_serve_pricer_new(struct ss_serve_pricer **out,
						       const struct ss_kernel *kernel,
						       const struct ss_serve_pricing *pricing);
SS_API void ss_serve_pricer_free(struct ss_serve_pricer *pricer);

/**
 * The engine a kernel's pool runs, priced by the pricer, which must outlive it.
 *
 * @return SS_EREFUSED with the reason where the simulator does not schedule as it would,
 *         or where nothing fits.
 */
SS_API SS_NODISCARD enum ss_status ss_serve_engine_of(struct ss_serve_engine *out,
						      struct ss_serve_pricer *pricer,
						      struct ss_error *err);

/**
 * Every step priced so far, added up: seconds by resource and figure, and (where terms
 * are kept) by term. Steps, tokens and requests are sums too. Borrowed.
 */
SS_API const struct ss_breakdown *ss_serve_pricer_total(const struct ss_serve_pricer *pricer);

/* -- a run ---------------------------------------------------------------------------- */

struct ss_serve; /**< opaque */

/**
 * Set a load before an engine, or before a prefill pool and a decode pool. Everything
 * is copied but the contexts and the trace, which must outlive it.
 *
 * @param decode NULL where one pool does both.
 * @return SS_OK, SS_ENOMEM, or SS_EUSAGE with the reason in `err`.
 */
SS_API SS_NODISCARD enum ss_status ss_serve_new(struct ss_serve **out, const struct ss_load *load,
						const struct ss_serve_engine *engine,
						const struct ss_serve_engine *decode,
						struct ss_error *err);
SS_API void ss_serve_free(struct ss_serve *serve);

/** Go on for at most so many steps. @return true while there is more to do. */
SS_API bool ss_serve_run(struct ss_serve *serve, int64_t steps);

/** 0 to 1: requests that ended or were refused, of all. */
SS_API double ss_serve_progress(const struct ss_serve *serve);

/** Out of memory on the way: figures are those until then. */
SS_API bool ss_serve_is_incomplete(const struct ss_serve *serve);

/* -- what came of it ------------------------------------------------------------------ */

enum ss_serve_state {
	SS_SERVE_AHEAD,   /**< has not arrived */
	SS_SERVE_WAITING, /**< arrived, not scheduled (or preempted) */
	SS_SERVE_RUNNING,
	SS_SERVE_MOVING, /**< between the pools */
	SS_SERVE_DONE,
	SS_SERVE_REFUSED, /**< longer than the engine or its pool takes */
};
SS_API const char *ss_serve_state_name(enum ss_serve_state state);

struct ss_serve_request {
	int64_t prompt, output; /**< tokens; the prompt with its prefix */
	double arrival_s;
	double first_s, last_s; /**< first and last token seen by the client; -1: not yet */
	double end_s;           /**< the answer is complete */
	int64_t generated;
	int64_t preemptions;
	int64_t cached; /**< prompt tokens taken from the prefix cache, all admissions */
	enum ss_serve_state state;
};

/** Requests of the load. */
SS_API size_t ss_serve_request_count(const struct ss_serve *serve);
SS_API void ss_serve_request(const struct ss_serve *serve, size_t index,
			     struct ss_serve_request *out);

/** Of a latency, seconds. Percentiles lie between order statistics. count 0: all are 0. */
struct ss_latency {
	int64_t count;
	double mean, deviation, p50, p90, p99;
};

/** Over time: of all ranks together. */
struct ss_serve_level {
	double mean;
	double peak;
};

struct ss_serve_result {
	int64_t requests, completed, refused;
	int64_t unserved; /**< waiting for ever: no step could take them */
	int64_t steps, preemptions, prefix_hits;
	int64_t input_tokens, output_tokens; /**< of those completed */
	int64_t cached_tokens;
	double duration_s; /**< first arrival to last end */
	double busy_s;     /**< sum of steps, over all engines that step alone */
	double busy_share; /**< of those engines' time */
	double requests_per_s, output_tokens_per_s, total_tokens_per_s;
	int64_t max_running;
	struct ss_latency latency[SS_LATENCY_COUNT];
	struct ss_serve_level running, waiting, kv; /**< kv: share of the blocks */
	bool is_saturated; /**< an open loop whose queue grows to the end */
};

/** The figures so far; those of the whole load once ss_serve_run() returned false. */
SS_API SS_NODISCARD enum ss_status ss_serve_result(const struct ss_serve *serve,
						   struct ss_serve_result *out);

/** A latency of one request; false where it has none (one token has no TPOT; ITL is no request's).
 */
SS_API bool ss_serve_request_latency(const struct ss_serve_request *request, enum ss_latency_id id,
				     double *seconds);

/** Any percentile, 0 to 1, of a latency; NAN without a sample. */
SS_API SS_NODISCARD enum ss_status
ss_serve_percentile(const struct ss_serve *serve, enum ss_latency_id id, double p, double *seconds);

/* clang-format off */
/** What a run assumed where the engine or its users may do otherwise: id, name, what, why. */
#define SS_SERVE_ASSUMPTIONS(X)                                                                     \
	X(PREEMPTION_RECOMPUTE, "preemption_recompute", "everything but the prefix is computed again",    \
	  "a preempted request's blocks are freed; the engine may find some of them cached still")        \
	X(PREFIX_SHARED, "prefix_shared", "whole blocks of the shared prefix, kept while there is room",  \
	  "the engine evicts block by block, least recently used first")                                  \
	X(TRACE_PIECES, "trace_pieces", "pieces of 512 tokens, least recently used leave first",          \
	  "the trace names pieces, not tokens; what running requests hold is not taken off")              \
	X(DRAFT_ACCEPTANCE, "draft_acceptance", "the same share of drafts in every step",                 \
	  "which drafts are accepted depends on the text")                                                \
	X(LEAST_LOADED, "least_loaded_rank", "to the rank with the least of 4 x waiting + running",       \
	  "a router before several engines may choose otherwise")                                         \
	X(CLOSED_LOOP, "closed_loop", "the next request comes the moment one ends",                       \
	  "users think, and clients take time between answer and request")
/* clang-format on */

enum ss_serve_assumption_id {
#define SS_X(id, name, what, why) SS_SERVE_ASSUMED_##id,
	SS_SERVE_ASSUMPTIONS(SS_X)
#undef SS_X
		SS_SERVE_ASSUMED_COUNT,
};

/** All text is static. */
struct ss_serve_assumption {
	const char *name, *what, *why;
};

SS_API const struct ss_serve_assumption *ss_serve_assumption(enum ss_serve_assumption_id id);
/** Did this run rest on it, so far? */
SS_API bool ss_serve_assumed(const struct ss_serve *serve, enum ss_serve_assumption_id id);

/** The state after a step was scheduled. */
struct ss_serve_point {
	double time_s;
	int64_t running, waiting;
	double kv; /**< share of the blocks */
	int64_t tokens;
};

/**
 * Keep a timeline of at most so many points; 0: none. Where there are more steps every
 * second one is dropped, again and again. To be called before the first run.
 */
SS_API SS_NODISCARD enum ss_status ss_serve_keep_timeline(struct ss_serve *serve, size_t capacity);
SS_API size_t ss_serve_timeline(const struct ss_serve *serve, const struct ss_serve_point **points);

/* -- a service level ------------------------------------------------------------------ */

struct ss_goodput {
	int64_t requests; /**< that met every term a single request can meet */
	double share;     /**< of all that arrived, refused ones included */
	double requests_per_s;
	bool is_met;               /**< every term at its percentile, nothing refused or unserved */
	enum ss_latency_id failed; /**< the first term that is not met */
	double seconds[SS_SLO_TERMS_MAX]; /**< each term's latency at its percentile */
};

SS_API SS_NODISCARD enum ss_status
ss_serve_goodput(const struct ss_serve *serve, const struct ss_slo *slo, struct ss_goodput *out);

#ifdef __cplusplus
}
#endif

#endif
