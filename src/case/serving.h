/**
 * @file
 * A load before a deployment: what is asked of it, played in slices, and what came of it.
 * The commands and the explorer both run one of these.
 */
#ifndef CASE_SERVING_H
#define CASE_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case/draft.h"
#include "case/session.h"
#include "stepscope/load.h"
#include "stepscope/serve.h"

/** What is served, and how it is priced. All is borrowed. */
struct serving_request {
	struct ss_registry *registry;
	const struct ss_basis *basis;
	const struct ss_scenario *scenario;
	const struct ss_kernel *kernel; /**< of `pool` */
	size_t pool;
	unsigned corrections;
	struct ss_serve_pricing pricing;
	int64_t batch_requests; /**< concurrency where nothing states one */
	int64_t replicas; /**< so many of the whole deployment share the requests; 0: one */
};

/** What was read of the request once, for many runs: pools, load, trace. */
struct serving {
	struct serving_request request;
	const struct ss_kernel *kernels[2]; /**< prefill, decode; or the only one */
	struct ss_kernel *other;            /**< the one made for this */
	size_t pools[2];
	int pool_count;
	struct ss_load load;
	struct ss_trace trace;
	struct ss_slo slo;
	bool has_slo;
	int64_t gpus; /**< of all replicas of all pools */
};

/** One run of it. */
struct serving_run {
	struct ss_serve *serve;
	struct ss_serve_pricer *pricers[2];
};

/**
 * Read the load and find the pools. Always release.
 *
 * @param slo text, or NULL: the scenario's own.
 * @return SS_EUSAGE, SS_EDOCUMENT, SS_EREFUSED: see `err`, or `problems` where it is empty.
 */
SS_NODISCARD enum ss_status serving_open(struct serving *out, const struct serving_request *request,
					 const char *slo, struct ss_problems *problems,
					 struct ss_error *err);
void serving_release(struct serving *serving);

/** Of a session, which must have a kernel. */
struct serving_request serving_of_session(const struct session *session);
/** Requests of a batch, at least 1. */
int64_t serving_batch_requests(const struct ss_group *groups, size_t count);

/** Start a run: of the load (NULL: its own) at a side of the band. Always release. */
SS_NODISCARD enum ss_status serving_start(struct serving_run *out, const struct serving *serving,
					  const struct ss_load *load, enum ss_serve_side side,
					  bool keeps_terms, struct ss_error *err);
void serving_run_release(struct serving_run *run);

/** All steps of all pools added up; the pool's breakdown at `index`. */
const struct ss_breakdown *serving_total(const struct serving_run *run, int index);

/** What came of a run, gathered for whoever shows it. */
struct served {
	const struct serving *serving;
	const struct serving_run *run;
	const struct ss_load *load; /**< that was played */
	struct ss_serve_result result;
	bool has_band;
	struct ss_serve_result fast, slow; /**< the same load at the ends of the band */
	struct ss_goodput goodput;         /**< with a service level */
	struct ss_share share;             /**< of all steps' seconds, by method */
	const struct ss_kernel *leader;    /**< whose entry `share.leading` is */
	bool is_partial;                   /**< stopped on the way */
};

/** Gather a run, which may not be over; its terms must have been kept. */
SS_NODISCARD enum ss_status served_gather(struct served *out, const struct serving *serving,
					  const struct serving_run *run,
					  const struct ss_load *load);

/** What is bisected. */
enum serving_find { SERVING_FIND_RATE, SERVING_FIND_CONCURRENCY };

/** Requests that replace those under way several times over. @param stay_s of each. */
double serving_turns(double rate, double stay_s);
/**
 * The load at another rate or concurrency, of no fewer requests than asked for. A trace
 * keeps its own requests, and at another rate their gaps' proportions.
 */
struct ss_load serving_load_at(const struct serving *serving, enum serving_find what, double at,
			       double requests);

/** A search for the largest load that meets the service level, a step at a time. */
struct serving_search {
	const struct serving *serving;
	enum serving_find what;
	enum ss_serve_side side;
	double low, high;    /**< meets it; does not (0: none known yet) */
	double now;          /**< being tried */
	double stay_s;       /**< of a request, in the last run that met it; 0: not known */
	struct ss_load load; /**< of `now` */
	struct serving_run run;
	bool is_done, is_found;
	int probes;
	struct ss_load best_load; /**< of `low`, and what came of it */
	struct ss_serve_result best;
	struct ss_goodput best_goodput;
	struct ss_serve_result last; /**< of `high` */
	struct ss_goodput last_goodput;
};

/** The service level must be there. */
void serving_search_init(struct serving_search *out, const struct serving *serving,
			 enum serving_find what, enum ss_serve_side side);
/** Go on for so many steps. @return SS_OK while all is well; see is_done. */
SS_NODISCARD enum ss_status serving_search_run(struct serving_search *search, int64_t steps,
					       struct ss_error *err);
void serving_search_release(struct serving_search *search);

#endif
