/*
 * The clock: steps that end and requests that become ready, in order of time. Steps end
 * first, then requests join, then idle engines schedule.
 */
#include "stepscope/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve_impl.h"

enum { SAMPLES_LEAST = 1 << 16, SAMPLES_A_REQUEST = 4 };

/* -- events -------------------------------------------------------------------------------- */

static bool is_sooner(const struct event *a, const struct event *b)
{
	return a->time < b->time || (a->time == b->time && a->request < b->request);
}

static void push(struct ss_serve *s, struct event e)
{
	int64_t i = s->event_count++;

	for (; i > 0 && is_sooner(&e, &s->events[(i - 1) / 2]); i = (i - 1) / 2)
		s->events[i] = s->events[(i - 1) / 2];
	s->events[i] = e;
}

static struct event pop(struct ss_serve *s)
{
	struct event first = s->events[0], last = s->events[--s->event_count];
	int64_t i = 0;

	for (int64_t child; (child = 2 * i + 1) < s->event_count; i = child) {
		if (child + 1 < s->event_count &&
		    is_sooner(&s->events[child + 1], &s->events[child]))
			child++;
		if (!is_sooner(&s->events[child], &last))
			break;
		s->events[i] = s->events[child];
	}
	s->events[i] = last;
	return first;
}

/* -- requests come and go ------------------------------------------------------------------- */

static bool takes(const struct pool *pool, const struct request *q)
{
	int64_t length = q->prompt + q->output, most = pool->engine.max_model_len;

	/* its last token is never computed */
	return (most <= 0 || length <= most) &&
	       pool_blocks_of(pool, length - 1) <= pool->engine.blocks;
}

/** @return false when it was refused. */
static bool arrive(struct ss_serve *s, int64_t request, double time)
{
	const struct ss_serve_engine *e = &s->pools[0].engine;
	struct request *q = &s->requests[request];

	q->arrival = time;
	for (int i = 0; i < s->pool_count; i++)
		if (!takes(&s->pools[i], q)) {
			q->state = SS_SERVE_REFUSED;
			s->refused++;
			return false;
		}
	q->ready = time;
	if (q->prompt > 0)
		q->ready += e->admission_request_s + e->admission_token_s * (double)q->prompt;
	push(s, (struct event){ q->ready, request, false });
	return true;
}

static void arrive_next(struct ss_serve *s, double time)
{
	while (s->next_request < s->request_count && !arrive(s, s->next_request++, time)) {
	}
}

void serve_end(struct ss_serve *s, int64_t request)
{
	struct request *q = &s->requests[request];

	q->state = SS_SERVE_DONE;
	q->order = ++s->done;
	s->end = fmax(s->end, q->end);
	if (s->done == s->load.warmup) {
		s->warm_at = q->end;
		samples_clear(&s->itl);
	}
	if (s->load.arrival == SS_ARRIVAL_CONCURRENCY)
		arrive_next(s, q->end);
}

void serve_hand_on(struct ss_serve *s, int64_t request)
{
	const struct ss_serve_engine *e = &s->pools[0].engine;
	struct request *q = &s->requests[request];
	double moves = e->transfer_s ? e->transfer_s(e->context, q->prompt) : 0;

	q->state = SS_SERVE_MOVING;
	q->moved = q->prompt - 1;
	q->computed = 0;
	if (q->prompt <= 1)
		q->moved = 0;
	push(s, (struct event){ s->now + moves, request, true });
}

/** To the rank with the least to do, those waiting counting four times. */
static struct rank *route(const struct pool *pool)
{
	struct rank *best = NULL;
	int64_t least = INT64_MAX;

	for (int64_t i = 0; i < pool->rank_count; i++) {
		struct rank *r = &pool->ranks[i];
		int64_t load = 4 * r->waiting_count + r->running_count;

		if (load < least) {
			least = load;
			best = r;
		}
	}
	return best;
}

static void note_arrivals(struct ss_serve *s)
{
	int64_t quarter = s->request_count / 4;

	if (quarter > 0 && ++s->arrived % quarter == 0 && s->arrived / quarter <= 4)
		s->quarters[s->arrived / quarter - 1] = (int64_t)s->waiting.now;
}

static void deliver(struct ss_serve *s)
{
	while (s->event_count && s->events[0].time <= s->now) {
		struct event e = pop(s);

		rank_join(s, route(&s->pools[e.is_decode]), e.request, false);
		if (!e.is_decode)
			note_arrivals(s);
	}
}

/* -- steps ------------------------------------------------------------------------------------ */

static double price_rank(const struct pool *pool, const struct rank *rank)
{
	const struct ss_serve_engine *e = &pool->engine;
	struct ss_batch batch = { .groups = rank->groups, .group_count = rank->group_count };

	return e->price(e->context, &batch);
}

/** An idle rank beside busy ones computes one token that nobody asked for. */
static double dummy_price(struct pool *pool)
{
	static const struct ss_group dummy = { 1, 1, 0, 0 };
	struct ss_batch batch = { .groups = &dummy, .group_count = 1 };

	if (pool->dummy_s < 0)
		pool->dummy_s = pool->engine.price(pool->engine.context, &batch);
	return pool->dummy_s;
}

static void keep_point(struct ss_serve *s, int64_t tokens)
{
	if (!s->point_capacity || s->point_phase++ % s->point_every)
		return;
	if (s->point_count == s->point_capacity) {
		s->point_count /= 2;
		for (size_t i = 0; i < s->point_count; i++)
			s->points[i] = s->points[2 * i];
		s->point_every *= 2;
		s->point_phase = 1;
	}
	s->points[s->point_count++] = (struct ss_serve_point){
		.time_s = s->now,
		.running = (int64_t)s->running.now,
		.waiting = (int64_t)s->waiting.now,
		.kv = s->used.now / (double)s->blocks,
		.tokens = tokens,
	};
}

static void start_step(struct ss_serve *s, struct pool *pool, struct unit *unit)
{
	double longest = 0;
	int64_t tokens = 0;

	for (int64_t i = 0; i < unit->rank_count; i++) {
		rank_schedule(s, pool, &unit->ranks[i]);
		tokens += unit->ranks[i].scheduled;
	}
	if (!tokens)
		return;
	for (int64_t i = 0; i < unit->rank_count; i++)
		longest = fmax(longest, unit->ranks[i].scheduled ? price_rank(pool, &unit->ranks[i])
								 : dummy_price(pool));
	unit->is_stepping = true;
	unit->until = s->now + longest;
	s->busy += longest;
	s->steps++;
	if ((int64_t)s->running.now > s->max_running)
		s->max_running = (int64_t)s->running.now;
	keep_point(s, tokens);
}

/** A rank that preempted its last request tries once more: its blocks are free now. */
static void start_idle(struct ss_serve *s)
{
	for (int p = 0; p < s->pool_count; p++)
		for (int64_t i = 0; i < s->pools[p].unit_count; i++) {
			struct unit *u = &s->pools[p].units[i];
			int64_t preempted = s->preemptions;

			if (u->is_stepping)
				continue;
			start_step(s, &s->pools[p], u);
			if (!u->is_stepping && s->preemptions > preempted)
				start_step(s, &s->pools[p], u);
		}
}

static double next_end(const struct ss_serve *s)
{
	double soonest = INFINITY;

	for (int p = 0; p < s->pool_count; p++)
		for (int64_t i = 0; i < s->pools[p].unit_count; i++)
			if (s->pools[p].units[i].is_stepping)
				soonest = fmin(soonest, s->pools[p].units[i].until);
	return soonest;
}

static void end_steps(struct ss_serve *s)
{
	for (int p = 0; p < s->pool_count; p++)
		for (int64_t i = 0; i < s->pools[p].unit_count; i++) {
			struct unit *u = &s->pools[p].units[i];

			if (!u->is_stepping || u->until > s->now)
				continue;
			u->is_stepping = false;
			for (int64_t r = 0; r < u->rank_count; r++)
				rank_finish(s, &s->pools[p], &u->ranks[r], u->is_decode);
		}
}

static void advance_to(struct ss_serve *s, double time)
{
	double gap = time - s->levels_at;

	if (gap > 0) {
		s->running.area += s->running.now * gap;
		s->waiting.area += s->waiting.now * gap;
		s->used.area += s->used.now * gap;
		s->levels_at = time;
	}
	s->now = time;
}

static void note_peaks(struct ss_serve *s)
{
	s->running.peak = fmax(s->running.peak, s->running.now);
	s->waiting.peak = fmax(s->waiting.peak, s->waiting.now);
	s->used.peak = fmax(s->used.peak, s->used.now);
}

bool ss_serve_run(struct ss_serve *s, int64_t steps)
{
	int64_t until = s->steps + steps;

	while (s->steps < until && !s->is_incomplete) {
		double ends = next_end(s);
		double ready = s->event_count ? s->events[0].time : INFINITY;

		if (isinf(ends) && isinf(ready))
			return false;
		advance_to(s, fmin(ends, ready));
		if (ends <= ready)
			end_steps(s);
		deliver(s);
		start_idle(s);
		note_peaks(s);
	}
	return !s->is_incomplete && (s->event_count > 0 || !isinf(next_end(s)));
}

/* -- made and freed ------------------------------------------------------------------------------
 */

static void draw(struct ss_serve *s)
{
	struct ss_random random = { s->load.seed };
	bool is_open = s->load.arrival == SS_ARRIVAL_RATE;
	double time = 0, speedup = s->load.speedup > 0 ? s->load.speedup : 1;

	for (int64_t i = 0; i < s->request_count; i++) {
		struct request *q = &s->requests[i];

		q->first = q->last = q->end = -1;
		if (s->load.trace) {
			q->prompt = s->load.trace[i].prompt;
			q->output = s->load.trace[i].output;
		} else {
			q->prompt = ss_random_length(&random, &s->load.prompt);
			q->output = ss_random_length(&random, &s->load.output);
		}
		q->prompt += s->load.prefix_tokens;
		if (is_open && i > 0)
			time += ss_random_gap(&random, s->load.rate, s->load.burstiness);
		q->arrival = s->load.arrival == SS_ARRIVAL_TRACE
				     ? s->load.trace[i].arrival_s / speedup
				     : time;
		q->known = q->prompt;
	}
}

static void let_in(struct ss_serve *s)
{
	int64_t at_first = s->request_count;

	if (s->load.arrival == SS_ARRIVAL_CONCURRENCY) {
		at_first = s->load.concurrency;
		for (int64_t i = 0; i < at_first && s->next_request < s->request_count; i++)
			arrive_next(s, 0);
		return;
	}
	for (int64_t i = 0; i < at_first; i++)
		(void)arrive(s, i, s->requests[i].arrival);
	s->start = s->warm_at = s->levels_at = at_first ? s->requests[0].arrival : 0;
	s->end = s->start;
}

static bool make_rank(struct ss_serve *s, const struct pool *pool, struct rank *rank)
{
	const struct ss_serve_engine *e = &pool->engine;
	int64_t most = e->max_num_seqs < s->request_count ? e->max_num_seqs : s->request_count;
	bool has_pieces = e->has_prefix_caching && s->load.trace;

	rank->first = rank->last = NO_REQUEST;
	rank->free = e->blocks;
	rank->running = calloc((size_t)most + 1, sizeof(*rank->running));
	rank->groups = calloc((size_t)most + 1, sizeof(*rank->groups));
	return rank->running && rank->groups &&
	       pieces_init(&rank->pieces,
			   has_pieces ? e->blocks * e->block_size / SS_TRACE_PIECE : 0);
}

static bool make_pool(struct ss_serve *s, struct pool *pool, bool is_decode)
{
	const struct ss_serve_engine *e = &pool->engine;
	int64_t per_unit = e->is_lockstep ? e->ranks : 1;

	pool->dummy_s = -1;
	if (e->has_prefix_caching) {
		pool->prefix_tokens = s->load.prefix_tokens / e->block_size * e->block_size;
		pool->prefix_blocks = pool_blocks_of(pool, pool->prefix_tokens);
	}
	pool->rank_count = e->ranks * e->replicas;
	pool->unit_count = pool->rank_count / per_unit;
	pool->ranks = calloc((size_t)pool->rank_count, sizeof(*pool->ranks));
	pool->units = calloc((size_t)pool->unit_count, sizeof(*pool->units));
	if (!pool->ranks || !pool->units)
		return false;
	for (int64_t i = 0; i < pool->unit_count; i++)
		pool->units[i] = (struct unit){ .ranks = &pool->ranks[i * per_unit],
						.rank_count = per_unit,
						.is_decode = is_decode };
	for (int64_t i = 0; i < pool->rank_count; i++)
		if (!make_rank(s, pool, &pool->ranks[i]))
			return false;
	return true;
}

enum { REQUESTS_MAX = 100000000, RANKS_MAX = 4096 };

static enum ss_status check(const struct ss_load *load, const struct ss_serve_engine *e,
			    struct ss_error *err)
{
	if (load->requests < 1 || load->requests > REQUESTS_MAX)
		return ss_fail(err, SS_EUSAGE, "requests", "must be 1 to 100000000");
	if (load->prompt.low + load->prefix_tokens < 1 && !load->trace)
		return ss_fail(err, SS_EUSAGE, "prompt", "must be at least one token");
	if (load->output.low < 1 && !load->trace)
		return ss_fail(err, SS_EUSAGE, "output", "must be at least one token");
	if (load->arrival == SS_ARRIVAL_RATE && !(load->rate > 0))
		return ss_fail(err, SS_EUSAGE, "rate", "must be above 0");
	if (load->arrival == SS_ARRIVAL_CONCURRENCY && load->concurrency < 1)
		return ss_fail(err, SS_EUSAGE, "concurrency", "must be at least 1");
	if (e->max_num_batched_tokens < 1 || e->max_num_seqs < 1 || e->block_size < 1)
		return ss_fail(err, SS_EUSAGE, "engine", "needs a budget, requests and a block");
	if (e->ranks < 1 || e->replicas < 1 || e->ranks > RANKS_MAX / e->replicas)
		return ss_fail(err, SS_EUSAGE, "replicas", "ranks of all must be 1 to %d",
			       RANKS_MAX);
	return SS_OK;
}

enum ss_status ss_serve_new(struct ss_serve **out, const struct ss_load *load,
			    const struct ss_serve_engine *engine,
			    const struct ss_serve_engine *decode, struct ss_error *err)
{
	enum ss_status rc = check(load, engine, err);
	struct ss_serve *s;
	size_t n = (size_t)load->requests;
	bool is_made;

	if (!rc && decode)
		rc = check(load, decode, err);
	if (rc)
		return rc;
	s = calloc(1, sizeof(*s));
	if (!s)
		return ss_fail(err, SS_ENOMEM, "", "out of memory");
	s->load = *load;
	s->pool_count = decode ? 2 : 1;
	s->pools[0].engine = *engine;
	if (decode)
		s->pools[1].engine = *decode;
	s->request_count = load->requests;
	s->requests = calloc(n, sizeof(*s->requests));
	s->events = calloc(n + 1, sizeof(*s->events));
	samples_init(&s->itl,
		     n * SAMPLES_A_REQUEST > SAMPLES_LEAST ? n * SAMPLES_A_REQUEST : SAMPLES_LEAST);
	is_made = s->requests && s->events;
	for (int i = 0; is_made && i < s->pool_count; i++)
		is_made = make_pool(s, &s->pools[i], i > 0);
	for (int i = 0; i < s->pool_count; i++)
		s->blocks += s->pools[i].engine.blocks * s->pools[i].rank_count;
	if (!is_made) {
		ss_serve_free(s);
		return ss_fail(err, SS_ENOMEM, "", "out of memory");
	}
	draw(s);
	let_in(s);
	*out = s;
	return SS_OK;
}

void ss_serve_free(struct ss_serve *s)
{
	if (!s)
		return;
	for (int p = 0; p < s->pool_count; p++) {
		for (int64_t i = 0; s->pools[p].ranks && i < s->pools[p].rank_count; i++) {
			free(s->pools[p].ranks[i].running);
			free(s->pools[p].ranks[i].groups);
			pieces_release(&s->pools[p].ranks[i].pieces);
		}
		free(s->pools[p].ranks);
		free(s->pools[p].units);
	}
	samples_release(&s->itl);
	free(s->requests);
	free(s->events);
	free(s->points);
	free(s);
}

double ss_serve_progress(const struct ss_serve *s)
{
	return (double)(s->done + s->refused) / (double)s->request_count;
}

bool ss_serve_is_incomplete(const struct ss_serve *s)
{
	return s->is_incomplete;
}

enum ss_status ss_serve_keep_timeline(struct ss_serve *s, size_t capacity)
{
	struct ss_serve_point *points = calloc(capacity + 1, sizeof(*points));

	if (!points)
		return SS_ENOMEM;
	free(s->points);
	s->points = points;
	s->point_capacity = capacity - capacity % 2;
	s->point_count = 0;
	s->point_every = 1;
	return SS_OK;
}
