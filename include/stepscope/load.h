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

#include "stepscope/status.h"

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
	const struct ss_trace_row *trace; /**< borrowed */
	double speedup;                   /**< of the trace; 0: 1 */
};

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

#endif
