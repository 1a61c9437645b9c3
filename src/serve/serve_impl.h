/**
 * @file
 * What a run holds. Requests are one array; ranks, the queue and the events name them by
 * their number.
 */
#ifndef STEPSCOPE_SERVE_SERVE_IMPL_H
#define STEPSCOPE_SERVE_SERVE_IMPL_H

#include "serve/pieces.h"
#include "serve/samples.h"
#include "stepscope/serve.h"

#define NO_REQUEST (-1)

struct request {
	int64_t prompt, output;
	int64_t known; /**< prompt and what was generated */
	int64_t computed, scheduled;
	int64_t held;  /**< blocks of its own */
	int64_t room;  /**< tokens they are enough for */
	int64_t moved; /**< tokens computed in the other pool, until it is admitted */
	int64_t order; /**< of completions, from 1 */
	double arrival, ready, first, last, end;
	double carry; /**< accepted drafts short of a whole token */
	int64_t preemptions, cached;
	int64_t next; /**< in the queue */
	enum ss_serve_state state;
	bool holds_prefix;
};

/** One scheduler with its pool. */
struct rank {
	int64_t *running; /**< in order of admission */
	int64_t running_count;
	int64_t first, last; /**< of the queue */
	int64_t waiting_count;
	int64_t free; /**< blocks, an idle cached prefix counted */
	bool has_prefix;
	int64_t prefix_holders;
	struct pieces pieces; /**< of traces that name them */
	struct ss_group *groups;
	size_t group_count;
	int64_t scheduled; /**< tokens of the step on its way */
};

/** Ranks that step together. */
struct unit {
	struct rank *ranks;
	int64_t rank_count;
	bool is_decode; /**< of the second pool */
	bool is_stepping;
	double until; /**< end of its step */
};

/** A request becoming ready. */
struct event {
	double time;
	int64_t request;
	bool is_decode;
};

struct pool {
	struct ss_serve_engine engine;
	int64_t prefix_blocks, prefix_tokens; /**< whole blocks of the shared prefix */
	double dummy_s; /**< a step of one dummy token; below 0: not priced yet */
	struct unit *units;
	int64_t unit_count;
	struct rank *ranks;
	int64_t rank_count;
};

/** A level over time. */
struct level {
	double now, area, peak;
};

struct ss_serve {
	struct ss_load load;
	struct pool pools[2];
	int pool_count;
	int64_t blocks; /**< of all ranks */
	struct request *requests;
	int64_t request_count;
	int64_t next_request; /**< of a closed loop: the next to arrive */
	struct event *events; /**< a heap, by time, then by number */
	int64_t event_count, event_capacity;
	double now;
	double start, end; /**< first arrival; last end */
	int64_t done, refused, steps, preemptions, prefix_hits, max_running;
	double busy;
	double warm_at; /**< figures begin here */
	struct level running, waiting, used;
	double levels_at;    /**< up to where the areas are summed */
	int64_t quarters[4]; /**< waiting as each quarter of an open loop had arrived */
	int64_t arrived;
	struct samples itl;
	struct ss_serve_point *points;
	size_t point_count, point_capacity;
	int64_t point_every, point_phase;
	bool is_incomplete;
};

/** Give every waiting and running request of a rank what this step has room for. */
void rank_schedule(struct ss_serve *s, const struct pool *pool, struct rank *rank);
/** Count the step's tokens at its end: `now`. Those that end leave. */
void rank_finish(struct ss_serve *s, const struct pool *pool, struct rank *rank, bool is_decode);
void rank_join(struct ss_serve *s, struct rank *rank, int64_t request, bool is_front);
/** Blocks of a request of so many tokens. */
int64_t pool_blocks_of(const struct pool *pool, int64_t tokens);

/** A request's prefill ended in the first pool of two. */
void serve_hand_on(struct ss_serve *s, int64_t request);
/** A request ended; in a closed loop the next one comes. */
void serve_end(struct ss_serve *s, int64_t request);

#endif
