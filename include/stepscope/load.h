/**
 * @file
 * A load: how long requests are and when they come. Drawn in full from a seed, the same
 * on every machine.
 */
#ifndef STEPSCOPE_LOAD_H
#define STEPSCOPE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/hardware.h"
#include "stepscope/problems.h"
#include "stepscope/registry.h"
#include "stepscope/scenario.h"
#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ss_length_form { SS_LENGTH_FIXED, SS_LENGTH_UNIFORM, SS_LENGTH_NORMAL };

/** How many tokens a prompt or an output has. */
struct ss_length {
	enum ss_length_form form;
	int64_t low, high;  /**< FIXED: both the value; else both ends, which belong to it */
	double mean, stdev; /**< NORMAL: rounded half up, kept within low and high */
};

/** A request of a trace. */
struct ss_trace_row {
	double arrival_s; /**< must not fall from row to row */
	int64_t prompt, output;
	const int64_t *hashes; /**< ids of pieces of the prompt, or NULL */
	size_t hash_count;
};

/** Tokens of a piece of a trace's prompt. */
#define SS_TRACE_PIECE 512

enum ss_arrival {
	SS_ARRIVAL_AT_ONCE,
	SS_ARRIVAL_CONCURRENCY, /**< closed loop: the next comes when one ends */
	SS_ARRIVAL_RATE,        /**< open loop: gaps drawn */
	SS_ARRIVAL_TRACE,
};

struct ss_load {
	struct ss_length prompt, output;
	int64_t prefix_tokens; /**< shared by all, before each prompt */
	int64_t requests;
	uint64_t seed;
	int64_t warmup; /**< first completions left out of the figures */
	enum ss_arrival arrival;
	int64_t concurrency;
	double rate;                      /**< requests a second */
	double burstiness;                /**< shape of the gaps; 1 (or 0): Poisson */
	const struct ss_trace_row *trace; /**< the requests' lengths, however they come; borrowed */
	double speedup;                   /**< of the trace; 0: 1 */
};

/* -- as documents state it -------------------------------------------------------------- */

/** Rows of a trace file. */
struct ss_trace {
	struct ss_trace_row *rows;
	size_t count;
	int64_t *hashes; /**< what the rows point into */
};

/**
 * Read a trace: CSV with a heading or JSON Lines; `arrival` in seconds with `prompt` and
 * `output`, `TIMESTAMP` (a date) with `ContextTokens` and `GeneratedTokens`, or
 * `timestamp` in ms with `input_length`, `output_length` and perhaps `hash_ids`.
 */
SS_API SS_NODISCARD enum ss_status ss_trace_load(struct ss_trace *out, const char *path,
						 struct ss_problems *problems);
SS_API SS_NODISCARD enum ss_status ss_trace_parse(struct ss_trace *out, const char *text,
						  size_t length, const char *file,
						  struct ss_problems *problems);
SS_API void ss_trace_release(struct ss_trace *trace);

/**
 * The load a scenario states, with its shape's values where it states none and the usual
 * ones where neither does. The trace, when there is one, is the caller's to set.
 *
 * @param shape          NULL: none.
 * @param batch_requests concurrency where nothing states how requests come.
 */
SS_API SS_NODISCARD enum ss_status ss_load_resolve(struct ss_load *out,
						   const struct ss_scenario *scenario,
						   const struct ss_workload_shape *shape,
						   int64_t batch_requests, struct ss_error *err);

/** The trace file that goes with it, as it is written; NULL: none. Borrowed. */
SS_API const char *ss_load_trace(const struct ss_scenario *scenario,
				 const struct ss_workload_shape *shape);

/** Mean tokens of a shape's prompts (with their prefix) and outputs. */
SS_API void ss_workload_shape_means(const struct ss_workload_shape *shape, int64_t *prompt,
				    int64_t *output);

/**
 * Set the fields of a load from its short form: `1024/512@64` (at once), `1024/512@20/s`,
 * `1024/512` (all at once), `800..1024/512@64`, or a workload's name, whose load is taken
 * over, `chatbot@20/s`.
 *
 * @param registry knows the names; NULL: none are.
 */
SS_API SS_NODISCARD enum ss_status ss_load_set(struct ss_scenario *scenario,
					       struct ss_registry *registry, const char *text,
					       struct ss_error *err);

/** One line a person reads: `1,024/512 at 64 at once, 200 requests`; returns the full length. */
SS_API size_t ss_load_describe(const struct ss_load *load, char *out, size_t size);

/** 200 requests, 1,024 in, 512 out (each 0.8 to 1 of it), so many at once. */
SS_API void ss_load_default(struct ss_load *out, int64_t concurrency);

/** Its mean length in tokens, ends of a normal one not counted. */
SS_API double ss_length_mean(const struct ss_length *length);

/** SplitMix64. */
struct ss_random {
	uint64_t state;
};

/** 0 to below 1: the top 53 bits. */
SS_API double ss_random_uniform(struct ss_random *random);
/** Box-Muller, one value a pair. */
SS_API double ss_random_normal(struct ss_random *random);
SS_API int64_t ss_random_length(struct ss_random *random, const struct ss_length *length);
/** To the next request: exponential, or gamma of shape `burstiness`, mean 1 / rate. */
SS_API double ss_random_gap(struct ss_random *random, double rate, double burstiness);

/* -- what is promised ---------------------------------------------------------------------- */

/* clang-format off */
/** Latencies: id, name, what it is. */
#define SS_LATENCIES(X)                                        \
	X(TTFT, "ttft", "time to first token")                 \
	X(TPOT, "tpot", "time per output token")               \
	X(ITL,  "itl",  "inter-token latency")                 \
	X(E2E,  "e2e",  "arrival to the end")
/* clang-format on */

enum ss_latency_id {
#define SS_X(id, name, label) SS_LATENCY_##id,
	SS_LATENCIES(SS_X)
#undef SS_X
		SS_LATENCY_COUNT,
};
SS_API const char *ss_latency_name(enum ss_latency_id id);
SS_API const char *ss_latency_label(enum ss_latency_id id);

#define SS_SLO_TERMS_MAX 8

/** What users are promised. */
struct ss_slo {
	struct {
		enum ss_latency_id latency;
		double limit_s;
		double percentile; /**< 0 to 1 */
	} terms[SS_SLO_TERMS_MAX];
	size_t term_count;
};

/** Read `ttft=500ms,tpot=30ms@p99`: each at p90 unless said. */
SS_API SS_NODISCARD enum ss_status ss_slo_parse(struct ss_slo *out, const char *text,
						struct ss_error *err);
SS_API size_t ss_slo_format(const struct ss_slo *slo, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
