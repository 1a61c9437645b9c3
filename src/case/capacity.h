/**
 * @file
 * How many of one deployment carry a wanted rate under a service level: the fewest that
 * meet it with the requests shared among them; again at either end of the band.
 */
#ifndef CASE_CAPACITY_H
#define CASE_CAPACITY_H

#include "case/serving.h"

#define CAPACITY_SIDES 3 /**< enum ss_serve_side */
/** Of more replicas so many are played, at their share of the rate. */
#define CAPACITY_PLAYED 8

enum capacity_phase {
	CAPACITY_ALONE,   /**< one request after another: what no number of replicas betters */
	CAPACITY_COUNTS,  /**< how many it takes */
	CAPACITY_EXPLAINS /**< the fewest once more, with what the time went to */
};

struct capacity {
	const struct serving *serving; /**< of one; it has a service level */
	double rate;                   /**< wanted, requests a second */
	enum ss_serve_side side;       /**< being worked on */
	enum capacity_phase phase;
	bool is_done;
	int runs;
	int64_t trying, fails; /**< replicas: being played; known to be too few */
	double stay_s;         /**< of a request, in the last run that met it, or alone */
	struct ss_load load;
	struct serving several; /**< with those played */
	struct serving_run run;

	int64_t replicas[CAPACITY_SIDES]; /**< fewest that carry it; 0: none */
	/** Of the figure's fewest; where none carries it, of one request after another. */
	struct ss_serve_result result;
	struct ss_goodput goodput;
	double output_tokens_per_s;        /**< of all of them */
	double by_method[SS_METHOD_COUNT]; /**< shares of their steps' time */
	char leading[64];                  /**< entry that most of the assumed time rests on */
};

/** Borrows the serving, which must have a service level. Always release. */
void capacity_init(struct capacity *out, const struct serving *serving, double rate);
/** Go on for so many steps of a run. @return SS_OK while all is well; see is_done. */
SS_NODISCARD enum ss_status capacity_run(struct capacity *capacity, int64_t steps,
					 struct ss_error *err);
void capacity_release(struct capacity *capacity);
/** 0 to 1, roughly: how many runs it takes is not known ahead. */
double capacity_progress(const struct capacity *capacity);

#endif
