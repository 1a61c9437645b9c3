/* Settings of a load: what goes together, and the load they make. */
#include "documents/load_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stepscope/load.h"

/** Prompts and outputs are stated alike. */
struct side {
	const char *name;
	enum ss_field_id tokens, low, high, stdev, min, max;
	int64_t usual_low, usual_high;
};

/* clang-format off */
static const struct side prompts = {
	"prompt", SS_F_LOAD_PROMPT_TOKENS, SS_F_LOAD_PROMPT_LOW, SS_F_LOAD_PROMPT_HIGH,
	SS_F_LOAD_PROMPT_STDEV, SS_F_LOAD_PROMPT_MIN, SS_F_LOAD_PROMPT_MAX, 819, 1024,
};
static const struct side outputs = {
	"output", SS_F_LOAD_OUTPUT_TOKENS, SS_F_LOAD_OUTPUT_LOW, SS_F_LOAD_OUTPUT_HIGH,
	SS_F_LOAD_OUTPUT_STDEV, SS_F_LOAD_OUTPUT_MIN, SS_F_LOAD_OUTPUT_MAX, 409, 512,
};
/** Ways for requests to come, of which a load has one. */
static const enum ss_field_id arrivals[] = {
	SS_F_LOAD_CONCURRENCY, SS_F_LOAD_RATE, SS_F_LOAD_TRACE,
};
/* clang-format on */

enum { ARRIVALS = sizeof(arrivals) / sizeof(arrivals[0]), REQUESTS_USUAL = 200 };
static const int64_t LENGTH_MOST = 1000000000;

static bool is_stated(const struct ss_value *values, enum ss_field_id id)
{
	return values && values[id].is_stated;
}

static int64_t integer_of(const struct ss_value *values, enum ss_field_id id, int64_t unstated)
{
	return is_stated(values, id) ? values[id].integer : unstated;
}

static double number_of(const struct ss_value *values, enum ss_field_id id, double unstated)
{
	return is_stated(values, id) ? values[id].number : unstated;
}

static bool is_even(const struct ss_value *v, const struct side *s)
{
	return is_stated(v, s->low) || is_stated(v, s->high);
}

static bool has_side(const struct ss_value *v, const struct side *s)
{
	return is_stated(v, s->tokens) || is_even(v, s);
}

/* -- what goes together --------------------------------------------------------------------- */

static void check_even(struct reader *r, const struct place *at, const struct ss_value *v,
		       const struct side *s)
{
	struct place low = { at, "low", 0 };

	if (is_stated(v, s->tokens) || is_stated(v, s->stdev))
		report(r, SS_ERROR, at, "range",
		       "states both tokens and low to high, must state one");
	else if (!is_stated(v, s->low) || !is_stated(v, s->high))
		report(r, SS_ERROR, at, "missing", "low and high must be stated together");
	else if (v[s->low].integer > v[s->high].integer)
		report(r, SS_ERROR, &low, "range", "found %lld, must not exceed high (%lld)",
		       (long long)v[s->low].integer, (long long)v[s->high].integer);
}

static void check_side(struct reader *r, const struct place *parent, const struct ss_value *v,
		       const struct side *s)
{
	struct place at = { parent, s->name, 0 }, low = { &at, "tokens_min", 0 };
	struct place mean = { &at, "tokens", 0 };
	int64_t least = integer_of(v, s->min, 0), most = integer_of(v, s->max, 0);
	int64_t tokens = integer_of(v, s->tokens, 0);

	if (is_even(v, s)) {
		check_even(r, &at, v, s);
		return;
	}
	if (!tokens && (is_stated(v, s->stdev) || least || most))
		report(r, SS_ERROR, &mean, "missing", "missing; the mean must be stated");
	else if (most && least > most)
		report(r, SS_ERROR, &low, "range", "found %lld, must not exceed tokens_max (%lld)",
		       (long long)least, (long long)most);
	else if (tokens && (tokens < least || (most && tokens > most)))
		report(r, SS_ERROR, &mean, "range",
		       "found %lld, must lie between tokens_min and tokens_max", (long long)tokens);
}

static void check_arrival(struct reader *r, const struct place *at, const struct ss_value *v)
{
	struct place rounds = { at, "rounds", 0 }, burst = { at, "burstiness", 0 };
	struct place speedup = { at, "speedup", 0 };
	bool is_open = is_stated(v, SS_F_LOAD_RATE) || is_stated(v, SS_F_LOAD_TRACE);
	int ways = 0;

	for (size_t i = 0; i < ARRIVALS; i++)
		ways += is_stated(v, arrivals[i]);
	if (ways > 1)
		report(r, SS_ERROR, at, "range",
		       "requests come by concurrency, by rate or by trace, must state one");
	if (is_stated(v, SS_F_LOAD_ROUNDS) && is_open)
		report(r, SS_ERROR, &rounds, "range", "goes with concurrency alone");
	if (is_stated(v, SS_F_LOAD_BURSTINESS) && !is_stated(v, SS_F_LOAD_RATE))
		report(r, SS_ERROR, &burst, "range", "goes with rate alone");
	if (is_stated(v, SS_F_LOAD_SPEEDUP) && !is_stated(v, SS_F_LOAD_TRACE))
		report(r, SS_ERROR, &speedup, "range", "goes with trace alone");
}

void load_fields_check(struct reader *r, const struct place *at, const struct ss_value *values)
{
	struct place slo_at = { at, "slo", 0 };
	struct ss_error err = { 0 };
	struct ss_slo slo;

	check_side(r, at, values, &prompts);
	check_side(r, at, values, &outputs);
	check_arrival(r, at, values);
	if (is_stated(values, SS_F_LOAD_SLO) &&
	    ss_slo_parse(&slo, values[SS_F_LOAD_SLO].text, &err))
		report(r, SS_ERROR, &slo_at, "range", "%s", err.message);
}

/* -- set one by one -------------------------------------------------------------------------- */

static void clear(struct ss_value *values, const enum ss_field_id *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ss_value_release(&values[ids[i]]);
}

static void settle_side(struct ss_value *values, const struct side *s, enum ss_field_id id)
{
	const enum ss_field_id normal[] = { s->tokens, s->stdev, s->min, s->max };
	const enum ss_field_id even[] = { s->low, s->high };
	enum ss_field_id other = id == s->low ? s->high : s->low;

	if (id == s->tokens || id == s->stdev || id == s->min || id == s->max)
		clear(values, even, 2);
	if (id != s->low && id != s->high)
		return;
	clear(values, normal, 4);
	/* one end alone is both until the other is set */
	if (!values[other].is_stated)
		values[other] =
			(struct ss_value){ .is_stated = true, .integer = values[id].integer };
	else if (values[s->low].integer > values[s->high].integer)
		values[other].integer = values[id].integer;
}

enum ss_status load_field_set(struct ss_value *values, enum ss_field_id id, struct ss_error *err)
{
	static const enum ss_field_id of_closed[] = { SS_F_LOAD_ROUNDS };
	static const enum ss_field_id of_rate[] = { SS_F_LOAD_BURSTINESS };
	static const enum ss_field_id of_trace[] = { SS_F_LOAD_SPEEDUP };
	struct ss_slo slo;

	if (!values[id].is_stated)
		return SS_OK;
	if (id == SS_F_LOAD_SLO && ss_slo_parse(&slo, values[id].text, err))
		return SS_EUSAGE;
	settle_side(values, &prompts, id);
	settle_side(values, &outputs, id);
	for (size_t i = 0; i < ARRIVALS; i++) {
		if (arrivals[i] != id)
			continue;
		for (size_t j = 0; j < ARRIVALS; j++)
			if (j != i)
				ss_value_release(&values[arrivals[j]]);
		if (id != SS_F_LOAD_CONCURRENCY)
			clear(values, of_closed, 1);
		if (id != SS_F_LOAD_RATE)
			clear(values, of_rate, 1);
		if (id != SS_F_LOAD_TRACE)
			clear(values, of_trace, 1);
	}
	return SS_OK;
}

/* -- the load they make ------------------------------------------------------------------------ */

static struct ss_length length_of(const struct ss_value *v, const struct side *s)
{
	int64_t tokens = integer_of(v, s->tokens, 0), stdev = integer_of(v, s->stdev, 0);

	if (is_even(v, s))
		return (struct ss_length){ SS_LENGTH_UNIFORM, v[s->low].integer, v[s->high].integer,
					   0, 0 };
	if (!tokens)
		return (struct ss_length){ SS_LENGTH_UNIFORM, s->usual_low, s->usual_high, 0, 0 };
	if (!stdev)
		return (struct ss_length){ SS_LENGTH_FIXED, tokens, tokens, 0, 0 };
	return (struct ss_length){ SS_LENGTH_NORMAL,
				   integer_of(v, s->min, 1) > 0 ? integer_of(v, s->min, 1) : 1,
				   integer_of(v, s->max, 0) ? v[s->max].integer : LENGTH_MOST,
				   (double)tokens, (double)stdev };
}

static bool has_arrival(const struct ss_value *v)
{
	for (size_t i = 0; i < ARRIVALS; i++)
		if (is_stated(v, arrivals[i]))
			return true;
	return is_stated(v, SS_F_LOAD_ROUNDS);
}

/** How requests come; `is_stated_load`: lengths are stated, so that no way means all at once. */
static void set_arrival(struct ss_load *out, const struct ss_value *v, bool is_stated_load,
			int64_t batch_requests)
{
	out->concurrency = integer_of(v, SS_F_LOAD_CONCURRENCY, batch_requests);
	out->rate = number_of(v, SS_F_LOAD_RATE, 0);
	out->burstiness = number_of(v, SS_F_LOAD_BURSTINESS, 1);
	out->speedup = number_of(v, SS_F_LOAD_SPEEDUP, 1);
	if (is_stated(v, SS_F_LOAD_TRACE))
		out->arrival = SS_ARRIVAL_TRACE;
	else if (is_stated(v, SS_F_LOAD_RATE))
		out->arrival = SS_ARRIVAL_RATE;
	else if (has_arrival(v) || !is_stated_load)
		out->arrival = SS_ARRIVAL_CONCURRENCY;
	else
		out->arrival = SS_ARRIVAL_AT_ONCE;
}

/** The scenario's own value before the shape's. */
static const struct ss_value *of(const struct ss_value *own, const struct ss_value *shape,
				 enum ss_field_id id)
{
	return is_stated(own, id) ? own : shape;
}

static int64_t requests_of(const struct ss_value *own, const struct ss_value *shape,
			   const struct ss_load *load)
{
	const struct ss_value *rounds = of(own, shape, SS_F_LOAD_ROUNDS);

	if (is_stated(own, SS_F_LOAD_REQUESTS))
		return own[SS_F_LOAD_REQUESTS].integer;
	if (load->arrival == SS_ARRIVAL_CONCURRENCY && is_stated(rounds, SS_F_LOAD_ROUNDS))
		return rounds[SS_F_LOAD_ROUNDS].integer * load->concurrency;
	return integer_of(shape, SS_F_LOAD_REQUESTS, REQUESTS_USUAL);
}

/** Settings made one by one may not go together yet. */
static enum ss_status check_own(const struct ss_value *own, struct ss_error *err)
{
	const struct place at = { NULL, "workload", 0 };
	struct ss_problems problems = { 0 };
	struct reader r = { .problems = &problems, .file = "" };
	enum ss_status rc = SS_OK;

	load_fields_check(&r, &at, own);
	if (r.error_count)
		rc = problems.count ? ss_fail(err, SS_EUSAGE, problems.items[0].pointer, "%s",
					      problems.items[0].message)
				    : ss_fail(err, SS_ENOMEM, "", "out of memory");
	ss_problems_release(&problems);
	return rc;
}

enum ss_status ss_load_resolve(struct ss_load *out, const struct ss_scenario *scenario,
			       const struct ss_workload_shape *shape, int64_t batch_requests,
			       struct ss_error *err)
{
	const struct ss_value *own = scenario->values, *other = shape ? shape->values : NULL;
	const struct ss_value *prompt = has_side(own, &prompts) ? own : other;
	const struct ss_value *output = has_side(own, &outputs) ? own : other;
	bool is_stated_load = has_side(prompt, &prompts) || has_side(output, &outputs);
	enum ss_status rc = check_own(own, err);

	if (rc)
		return rc;
	*out = (struct ss_load){
		.prompt = length_of(prompt, &prompts),
		.output = length_of(output, &outputs),
		.prefix_tokens = integer_of(of(own, other, SS_F_LOAD_PREFIX), SS_F_LOAD_PREFIX, 0),
		.seed = (uint64_t)integer_of(of(own, other, SS_F_LOAD_SEED), SS_F_LOAD_SEED, 0),
		.warmup = integer_of(of(own, other, SS_F_LOAD_WARMUP), SS_F_LOAD_WARMUP, 0),
	};
	if (batch_requests < 1)
		batch_requests = 1;
	set_arrival(out, has_arrival(own) ? own : other, is_stated_load, batch_requests);
	out->requests = requests_of(own, other, out);
	return SS_OK;
}

const char *ss_load_trace(const struct ss_scenario *scenario, const struct ss_workload_shape *shape)
{
	if (is_stated(scenario->values, SS_F_LOAD_TRACE))
		return scenario->values[SS_F_LOAD_TRACE].text;
	if (shape && !has_arrival(scenario->values) && is_stated(shape->values, SS_F_LOAD_TRACE))
		return shape->values[SS_F_LOAD_TRACE].text;
	return NULL;
}

void ss_workload_shape_means(const struct ss_workload_shape *shape, int64_t *prompt,
			     int64_t *output)
{
	struct ss_length in = length_of(shape->values, &prompts);
	struct ss_length out = length_of(shape->values, &outputs);

	*prompt = (int64_t)floor(ss_length_mean(&in)) +
		  integer_of(shape->values, SS_F_LOAD_PREFIX, 0);
	*output = (int64_t)floor(ss_length_mean(&out));
}
