/**
 * @file
 * How a step is launched: captured graphs, their sizes, and the host's work.
 */
#ifndef STEPSCOPE_PRICE_HOST_H
#define STEPSCOPE_PRICE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "stepscope/kernel.h"

/* clang-format off */
/** Graph modes: id, name, how a uniform decode batch runs, how any other does. */
#define GRAPH_MODES(X)                                          \
	X(NONE,               "NONE",               EAGER,     EAGER)     \
	X(PIECEWISE,          "PIECEWISE",          PIECEWISE, PIECEWISE) \
	X(FULL,               "FULL",               FULL,      FULL)      \
	X(FULL_DECODE_ONLY,   "FULL_DECODE_ONLY",   FULL,      EAGER)     \
	X(FULL_AND_PIECEWISE, "FULL_AND_PIECEWISE", FULL,      PIECEWISE)
/* clang-format on */

enum graph_mode {
#define GRAPH_MODE_ENUM(id, name, uniform, other) GRAPH_MODE_##id,
	GRAPH_MODES(GRAPH_MODE_ENUM)
#undef GRAPH_MODE_ENUM
		GRAPH_MODE_COUNT,
};

/** The engine's name of a mode. */
const char *graph_mode_name(enum graph_mode mode);

/** The mode of a name in any case; GRAPH_MODE_COUNT when there is none. */
enum graph_mode graph_mode_find(const char *name);

/** Does the mode capture whole decode steps? */
bool graph_mode_has_full_decode(enum graph_mode mode);

/** How a batch runs: eager past `ceiling` tokens whatever the mode. */
enum ss_graph graph_choose(enum graph_mode mode, bool is_uniform_decode, int64_t tokens,
			   int64_t ceiling);

/**
 * Capture sizes of the engine: 1, 2, 4, then every 8 below 256, then every 16.
 * The largest one not above `n`; 0 for n below 1.
 */
int64_t grid_floor(int64_t n);
/** The smallest one above `n`. */
int64_t grid_next(int64_t n);
/** Host cost of a request's arrival; none without a prompt. Any one unit of time. */
static inline double admission(double per_request, double per_token, int64_t prompt)
{
	return prompt > 0 ? per_request + per_token * (double)prompt : 0;
}

#endif
