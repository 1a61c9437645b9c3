#include "case/capacity.h"

#include <math.h>
#include <stdio.h>

/** Requests played one after another; most replicas tried. */
enum { ALONE_REQUESTS = 32, REPLICAS_MOST = 1 << 16 };

static void start_side(struct capacity *c, enum ss_serve_side side)
{
	c->side = side;
	c->phase = CAPACITY_ALONE;
	c->trying = side == SS_SERVE_FIGURE ? 1 : c->replicas[SS_SERVE_FIGURE];
	c->fails = 0;
}

void capacity_init(struct capacity *out, const struct serving *serving, double rate)
{
	*out = (struct capacity){ .serving = serving, .rate = rate };
	start_side(out, SS_SERVE_FIGURE);
}

void capacity_release(struct capacity *c)
{
	serving_run_release(&c->run);
	*c = (struct capacity){ 0 };
}

/** The figure, then either end of its band. */
static void end_side(struct capacity *c)
{
	c->is_done = c->side == SS_SERVE_SLOW || !c->replicas[SS_SERVE_FIGURE];
	if (!c->is_done)
		start_side(c, c->side == SS_SERVE_FIGURE ? SS_SERVE_FAST : SS_SERVE_SLOW);
}

static double share_played(const struct capacity *c)
{
	return fmin(1, CAPACITY_PLAYED / (double)c->trying);
}

static enum ss_status start(struct capacity *c, struct ss_error *err)
{
	double rate = c->rate * share_played(c);

	c->several = *c->serving;
	if (c->phase == CAPACITY_ALONE) {
		c->load = serving_load_at(c->serving, SERVING_FIND_CONCURRENCY, 1, 0);
		if (c->load.requests > ALONE_REQUESTS)
			c->load.requests = ALONE_REQUESTS;
		c->load.warmup = 0;
	} else {
		c->several.request.replicas =
			c->trying < CAPACITY_PLAYED ? c->trying : CAPACITY_PLAYED;
		c->load = serving_load_at(c->serving, SERVING_FIND_RATE, rate,
					  serving_turns(rate, c->stay_s));
	}
	c->runs++;
	return serving_start(&c->run, &c->several, &c->load, c->side, c->phase == CAPACITY_EXPLAINS,
			     err);
}

/** Twice as many until some meet it, then halfway between those and too few. */
static void choose_next(struct capacity *c)
{
	int64_t meets = c->replicas[c->side];

	c->trying = meets ? (c->fails + meets) / 2 : 2 * c->fails;
	if (!meets || meets - c->fails > 1)
		return;
	c->trying = meets;
	if (c->side == SS_SERVE_FIGURE && meets)
		c->phase = CAPACITY_EXPLAINS;
	else
		end_side(c);
}

/** Keep what the figure's run came to. */
static enum ss_status keep(struct capacity *c)
{
	struct served served;
	enum ss_status rc = served_gather(&served, &c->several, &c->run, &c->load);

	if (rc)
		return rc;
	c->output_tokens_per_s = c->result.output_tokens_per_s / share_played(c);
	for (int m = 0; m < SS_METHOD_COUNT; m++)
		c->by_method[m] = served.share.by_method[m];
	if (served.share.leading >= 0)
		(void)snprintf(c->leading, sizeof(c->leading), "%s",
			       ss_kernel_entry(served.leader, (size_t)served.share.leading)->name);
	return SS_OK;
}

static void judge(struct capacity *c, const struct ss_serve_result *result, bool is_met)
{
	double stay_s = result->latency[SS_LATENCY_E2E].mean;
	bool is_short = !c->load.trace &&
			(double)c->load.requests < serving_turns(c->rate * share_played(c), stay_s);

	/* a queue that grows tells nothing of how long a request stays where it is met */
	if (is_met)
		c->stay_s = stay_s;
	else
		c->fails = c->trying;
	/* too few to tell of a rate that goes on: once more with enough */
	if (is_met && is_short)
		return;
	if (is_met)
		c->replicas[c->side] = c->trying;
	if (!is_met && c->trying >= REPLICAS_MOST)
		end_side(c);
	else
		choose_next(c);
}

static enum ss_status take(struct capacity *c)
{
	struct ss_serve_result result;
	struct ss_goodput goodput;
	enum capacity_phase phase = c->phase;
	enum ss_status rc = ss_serve_result(c->run.serve, &result);
	bool is_met;

	if (!rc)
		rc = ss_serve_goodput(c->run.serve, &c->several.slo, &goodput);
	if (rc)
		return rc;
	is_met = goodput.is_met && !result.is_saturated;
	if (c->side == SS_SERVE_FIGURE && (is_met || phase == CAPACITY_ALONE)) {
		c->result = result;
		c->goodput = goodput;
	}
	switch (phase) {
	case CAPACITY_ALONE:
		c->stay_s = result.latency[SS_LATENCY_E2E].mean;
		c->phase = CAPACITY_COUNTS;
		if (!is_met)
			end_side(c);
		return SS_OK;
	case CAPACITY_COUNTS:
		judge(c, &result, is_met);
		return SS_OK;
	case CAPACITY_EXPLAINS:
		rc = keep(c);
		end_side(c);
		return rc;
	}
	return rc;
}

enum ss_status capacity_run(struct capacity *c, int64_t steps, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	if (c->is_done)
		return SS_OK;
	if (!c->run.serve)
		rc = start(c, err);
	if (rc || ss_serve_run(c->run.serve, steps))
		return rc;
	rc = ss_serve_is_incomplete(c->run.serve) ? SS_ENOMEM : take(c);
	serving_run_release(&c->run);
	return rc;
}

double capacity_progress(const struct capacity *c)
{
	return c->is_done ? 1 : c->runs / (c->runs + 6.0);
}
