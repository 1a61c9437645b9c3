/* Figures of a run, be it over or not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve_impl.h"

const char *ss_serve_state_name(enum ss_serve_state state)
{
	static const char *const names[] = { "ahead",  "waiting", "running",
					     "moving", "done",    "refused" };

	return names[state];
}

size_t ss_serve_request_count(const struct ss_serve *s)
{
	return (size_t)s->request_count;
}

void ss_serve_request(const struct ss_serve *s, size_t index, struct ss_serve_request *out)
{
	const struct request *q = &s->requests[index];
	bool is_in =
		(s->load.arrival != SS_ARRIVAL_CONCURRENCY || (int64_t)index < s->next_request) &&
		(q->state != SS_SERVE_AHEAD || q->arrival <= s->now);

	*out = (struct ss_serve_request){
		.prompt = q->prompt,
		.output = q->output,
		.arrival_s = q->arrival,
		.first_s = q->first,
		.last_s = q->last,
		.end_s = q->end,
		.generated = q->known - q->prompt,
		.preemptions = q->preemptions,
		.cached = q->cached,
		.state = q->state == SS_SERVE_AHEAD && is_in ? SS_SERVE_WAITING : q->state,
	};
}

bool ss_serve_request_latency(const struct ss_serve_request *q, enum ss_latency_id id,
			      double *seconds)
{
	if (q->state != SS_SERVE_DONE)
		return false;
	switch (id) {
	case SS_LATENCY_TTFT:
		*seconds = q->first_s - q->arrival_s;
		return true;
	case SS_LATENCY_TPOT:
		if (q->output < 2)
			return false;
		*seconds = (q->last_s - q->first_s) / (double)(q->output - 1);
		return true;
	case SS_LATENCY_E2E:
		*seconds = q->end_s - q->arrival_s;
		return true;
	case SS_LATENCY_ITL:
	case SS_LATENCY_COUNT:
		break;
	}
	return false;
}

/** Does a request count, or was it one to warm up on? */
static bool counts(const struct ss_serve *s, const struct request *q)
{
	return q->state == SS_SERVE_DONE && q->order > s->load.warmup;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Put a latency of every request that counts, in order of size. */
static size_t collect(const struct ss_serve *s, enum ss_latency_id id, double *out)
{
	size_t n = 0;

	for (size_t i = 0; i < (size_t)s->request_count; i++) {
		struct ss_serve_request q;

		if (!counts(s, &s->requests[i]))
			continue;
		ss_serve_request(s, i, &q);
		n += ss_serve_request_latency(&q, id, &out[n]);
	}
	qsort(out, n, sizeof(*out), compare);
	return n;
}

static double between(const double *sorted, size_t n, double p)
{
	double place = p * (double)(n - 1), low = floor(place);
	size_t i = (size_t)low, j = i + 1 < n ? i + 1 : i;

	return sorted[i] + (sorted[j] - sorted[i]) * (place - low);
}

static void describe(struct ss_latency *out, const double *sorted, size_t n)
{
	double sum = 0, squares = 0;

	*out = (struct ss_latency){ .count = (int64_t)n };
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	out->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (sorted[i] - out->mean) * (sorted[i] - out->mean);
	out->deviation = sqrt(squares / (double)n);
	out->p50 = between(sorted, n, 0.5);
	out->p90 = between(sorted, n, 0.9);
	out->p99 = between(sorted, n, 0.99);
}

static bool describe_itl(const struct ss_serve *s, struct ss_latency *out)
{
	static const double p[] = { 0.5, 0.9, 0.99 };
	double at[3];

	*out = (struct ss_latency){ .count = s->itl.total };
	if (!samples_percentile(&s->itl, p, 3, at))
		return false;
	if (!s->itl.total)
		return true;
	out->mean = samples_mean(&s->itl);
	out->deviation = samples_deviation(&s->itl);
	out->p50 = at[0];
	out->p90 = at[1];
	out->p99 = at[2];
	return true;
}

static struct ss_serve_level level_of(const struct level *level, double seconds, double whole)
{
	return (struct ss_serve_level){ seconds > 0 ? level->area / seconds / whole : 0,
					level->peak / whole };
}

/** The queue was longer as each quarter had come, and by far at the end. */
static bool is_saturated(const struct ss_serve *s)
{
	const int64_t *q = s->quarters;

	if (s->load.arrival != SS_ARRIVAL_RATE && s->load.arrival != SS_ARRIVAL_TRACE)
		return false;
	return q[3] > q[2] && q[2] > q[1] && q[1] >= q[0] && q[3] * 20 > s->request_count;
}

static void add_requests(const struct ss_serve *s, struct ss_serve_result *out)
{
	for (int64_t i = 0; i < s->request_count; i++) {
		const struct request *q = &s->requests[i];

		if (!counts(s, q))
			continue;
		out->completed++;
		out->input_tokens += q->prompt;
		out->output_tokens += q->output;
		out->cached_tokens += q->cached;
	}
}

/* Seconds that steps begun will still take; below 0: none is under way. */
static double ahead(const struct ss_serve *s)
{
	double sum = -1;

	for (int p = 0; p < s->pool_count; p++)
		for (int64_t i = 0; i < s->pools[p].unit_count; i++) {
			const struct unit *u = &s->pools[p].units[i];

			if (u->is_stepping)
				sum = fmax(sum, 0) + (u->until - s->now);
		}
	return sum;
}

static bool is_over(const struct ss_serve *s)
{
	return !s->event_count && ahead(s) < 0;
}

static void add_rates(const struct ss_serve *s, struct ss_serve_result *out)
{
	double until = is_over(s) && s->done ? s->end : fmax(s->end, s->now);
	double all = until - s->start;
	int64_t units = 0;

	for (int p = 0; p < s->pool_count; p++)
		units += s->pools[p].unit_count;
	out->duration_s =
		s->done || !is_over(s) ? until - (s->load.warmup ? s->warm_at : s->start) : 0;
	out->busy_s = s->busy - fmax(ahead(s), 0);
	out->busy_share = all > 0 ? out->busy_s / all / (double)units : 0;
	out->running = level_of(&s->running, all, 1);
	out->waiting = level_of(&s->waiting, all, 1);
	out->kv = level_of(&s->used, all, (double)s->blocks);
	if (!(out->duration_s > 0))
		return;
	out->requests_per_s = (double)out->completed / out->duration_s;
	out->output_tokens_per_s = (double)out->output_tokens / out->duration_s;
	out->total_tokens_per_s =
		(double)(out->input_tokens + out->output_tokens) / out->duration_s;
}

/** Nothing runs and nothing comes: what is left waits for ever. */
static int64_t unserved(const struct ss_serve *s)
{
	return is_over(s) ? s->request_count - s->done - s->refused : 0;
}

enum ss_status ss_serve_result(const struct ss_serve *s, struct ss_serve_result *out)
{
	double *values = calloc((size_t)s->request_count, sizeof(*values));

	if (!values)
		return SS_ENOMEM;
	*out = (struct ss_serve_result){
		.requests = s->request_count,
		.refused = s->refused,
		.unserved = unserved(s),
		.steps = s->steps,
		.preemptions = s->preemptions,
		.prefix_hits = s->prefix_hits,
		.max_running = s->max_running,
		.is_saturated = is_saturated(s),
	};
	add_requests(s, out);
	add_rates(s, out);
	for (int id = 0; id < SS_LATENCY_COUNT; id++)
		if (id != SS_LATENCY_ITL)
			describe(&out->latency[id], values,
				 collect(s, (enum ss_latency_id)id, values));
	free(values);
	return describe_itl(s, &out->latency[SS_LATENCY_ITL]) ? SS_OK : SS_ENOMEM;
}

enum ss_status ss_serve_percentile(const struct ss_serve *s, enum ss_latency_id id, double p,
				   double *seconds)
{
	double *values;
	size_t n;

	if (id == SS_LATENCY_ITL)
		return samples_percentile(&s->itl, &p, 1, seconds) ? SS_OK : SS_ENOMEM;
	values = calloc((size_t)s->request_count, sizeof(*values));
	if (!values)
		return SS_ENOMEM;
	n = collect(s, id, values);
	*seconds = n ? between(values, n, p) : NAN;
	free(values);
	return SS_OK;
}

size_t ss_serve_timeline(const struct ss_serve *s, const struct ss_serve_point **points)
{
	*points = s->points;
	return s->point_count;
}

/* -- what it rests on ------------------------------------------------------------------------ */

const struct ss_serve_assumption *ss_serve_assumption(enum ss_serve_assumption_id id)
{
	static const struct ss_serve_assumption rows[] = {
#define SS_X(id, name, what, why) { name, what, why },
		SS_SERVE_ASSUMPTIONS(SS_X)
#undef SS_X
	};

	return &rows[id];
}

bool ss_serve_assumed(const struct ss_serve *s, enum ss_serve_assumption_id id)
{
	const struct pool *pool = &s->pools[s->pool_count - 1];

	switch (id) {
	case SS_SERVE_ASSUMED_PREEMPTION_RECOMPUTE:
		return s->preemptions > 0;
	case SS_SERVE_ASSUMED_PREFIX_SHARED:
		return s->prefix_hits > 0 && s->pools[0].prefix_blocks > 0;
	case SS_SERVE_ASSUMED_TRACE_PIECES:
		return s->prefix_hits > 0 && s->load.arrival == SS_ARRIVAL_TRACE &&
		       s->pools[0].ranks[0].pieces.count > 0;
	case SS_SERVE_ASSUMED_DRAFT_ACCEPTANCE:
		return pool->engine.drafts > 0;
	case SS_SERVE_ASSUMED_LEAST_LOADED:
		return s->pools[0].rank_count > 1 || pool->rank_count > 1;
	case SS_SERVE_ASSUMED_CLOSED_LOOP:
		return s->load.arrival == SS_ARRIVAL_CONCURRENCY;
	case SS_SERVE_ASSUMED_COUNT:
		break;
	}
	return false;
}

/* -- a service level ------------------------------------------------------------------------ */

static bool meets(const struct ss_serve_request *q, const struct ss_slo *slo)
{
	for (size_t i = 0; i < slo->term_count; i++) {
		double seconds;

		if (ss_serve_request_latency(q, slo->terms[i].latency, &seconds) &&
		    seconds > slo->terms[i].limit_s)
			return false;
	}
	return true;
}

enum ss_status ss_serve_goodput(const struct ss_serve *s, const struct ss_slo *slo,
				struct ss_goodput *out)
{
	struct ss_serve_result all = { 0 };
	int64_t arrived = 0;

	*out = (struct ss_goodput){ .failed = SS_LATENCY_COUNT };
	for (size_t i = 0; i < (size_t)s->request_count; i++) {
		struct ss_serve_request q;

		arrived += s->requests[i].order > s->load.warmup || s->requests[i].order == 0;
		if (!counts(s, &s->requests[i]))
			continue;
		ss_serve_request(s, i, &q);
		out->requests += meets(&q, slo);
	}
	add_rates(s, &all);
	out->share = arrived ? (double)out->requests / (double)arrived : 0;
	out->requests_per_s = all.duration_s > 0 ? (double)out->requests / all.duration_s : 0;
	out->is_met = !s->refused && !unserved(s);
	for (size_t i = 0; i < slo->term_count; i++) {
		enum ss_status rc = ss_serve_percentile(s, slo->terms[i].latency,
							slo->terms[i].percentile, &out->seconds[i]);

		if (rc)
			return rc;
		if (out->seconds[i] > slo->terms[i].limit_s) {
			out->is_met = false;
			if (out->failed == SS_LATENCY_COUNT)
				out->failed = slo->terms[i].latency;
		}
	}
	return SS_OK;
}
