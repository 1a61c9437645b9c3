/*
 * The largest load that meets a service level, by doubling and halving. A rate is judged
 * on requests enough to turn over several times: what ends before the first request does
 * tells nothing of a rate that goes on.
 */
#include "case/serving.h"

#include <math.h>

/** A rate is found to 1 %; a concurrency to 1 %, and to one below a hundred. */
static const double NEARNESS = 0.01;
static const double MOST = 1e6, LEAST_RATE = 1e-4;
/** How often the requests under way are replaced in a run; most requests of one. */
static const double TURNS = 10, REQUESTS_MOST = 1e6;
enum { PROBES_MAX = 64 };

void serving_search_init(struct serving_search *out, const struct serving *serving,
			 enum serving_find what, enum ss_serve_side side)
{
	*out = (struct serving_search){ .serving = serving, .what = what, .side = side, .now = 1 };
}

/** Requests a second of a trace as it was recorded; 0: all came at once. */
static double rate_of_trace(const struct ss_load *load)
{
	double lasts = load->requests > 1 ? load->trace[load->requests - 1].arrival_s -
						    load->trace[0].arrival_s
					  : 0;

	return lasts > 0 ? (double)(load->requests - 1) / lasts : 0;
}

double serving_turns(double rate, double stay_s)
{
	return fmin(REQUESTS_MOST, ceil(TURNS * rate * stay_s));
}

struct ss_load serving_load_at(const struct serving *serving, enum serving_find what, double at,
			       double requests)
{
	struct ss_load load = serving->load;
	double recorded = load.arrival == SS_ARRIVAL_TRACE ? rate_of_trace(&load) : 0;

	if (what == SERVING_FIND_CONCURRENCY) {
		load.arrival = SS_ARRIVAL_CONCURRENCY;
		load.concurrency = (int64_t)at;
		requests = 4 * at;
	} else if (recorded > 0) {
		load.speedup = at / recorded;
	} else {
		load.arrival = SS_ARRIVAL_RATE;
		load.rate = at;
	}
	if (!load.trace && (double)load.requests < requests)
		load.requests = (int64_t)requests;
	return load;
}

/** The next load to try: double until one fails, then halve the gap; halve where none does. */
static void choose_next(struct serving_search *s)
{
	bool is_whole = s->what == SERVING_FIND_CONCURRENCY;

	if (!(s->high > 0))
		s->now *= 2;
	else if (s->low > 0)
		s->now = is_whole ? floor((s->low + s->high) / 2) : (s->low + s->high) / 2;
	else
		s->now = s->high / 4;
	if (s->low > 0 && s->high > 0)
		s->is_done = s->high - s->low <= fmax(is_whole ? 1 : 0, s->low * NEARNESS);
	else if (s->low > 0)
		s->is_done = s->now > MOST;
	else
		s->is_done = s->now < (is_whole ? 1 : LEAST_RATE);
	s->is_done |= s->probes >= PROBES_MAX;
}

/** Did too few come to tell? Then the same is tried with more. */
static bool is_short(struct serving_search *s, const struct ss_serve_result *result)
{
	s->stay_s = result->latency[SS_LATENCY_E2E].mean;
	return s->what == SERVING_FIND_RATE && !s->load.trace && s->probes < PROBES_MAX &&
	       (double)s->load.requests < serving_turns(s->now, s->stay_s);
}

static enum ss_status judge(struct serving_search *s)
{
	struct ss_serve_result result;
	struct ss_goodput goodput;
	enum ss_status rc = ss_serve_result(s->run.serve, &result);

	if (!rc)
		rc = ss_serve_goodput(s->run.serve, &s->serving->slo, &goodput);
	if (rc)
		return rc;
	s->probes++;
	if (!goodput.is_met || result.is_saturated) {
		s->high = s->now;
		s->last = result;
		s->last_goodput = goodput;
	} else if (is_short(s, &result)) {
		return SS_OK;
	} else {
		s->low = s->now;
		s->is_found = true;
		s->best_load = s->load;
		s->best = result;
		s->best_goodput = goodput;
	}
	choose_next(s);
	return SS_OK;
}

enum ss_status serving_search_run(struct serving_search *s, int64_t steps, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	if (s->is_done)
		return SS_OK;
	if (!s->run.serve) {
		s->load = serving_load_at(s->serving, s->what, s->now,
					  serving_turns(s->now, s->stay_s));
		rc = serving_start(&s->run, s->serving, &s->load, s->side, false, err);
	}
	if (rc || ss_serve_run(s->run.serve, steps))
		return rc;
	rc = judge(s);
	serving_run_release(&s->run);
	return rc;
}

void serving_search_release(struct serving_search *search)
{
	serving_run_release(&search->run);
}
