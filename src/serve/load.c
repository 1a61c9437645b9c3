#include "stepscope/load.h"

#include <math.h>

static const double TURN = 6.283185307179586476925286766559;

void ss_load_default(struct ss_load *out, int64_t concurrency)
{
	*out = (struct ss_load){
		.prompt = { SS_LENGTH_UNIFORM, 819, 1024, 0, 0 },
		.output = { SS_LENGTH_UNIFORM, 409, 512, 0, 0 },
		.requests = 200,
		.arrival = SS_ARRIVAL_CONCURRENCY,
		.concurrency = concurrency,
	};
}

double ss_length_mean(const struct ss_length *length)
{
	switch (length->form) {
	case SS_LENGTH_FIXED:
		break;
	case SS_LENGTH_UNIFORM:
		return ((double)length->low + (double)length->high) / 2;
	case SS_LENGTH_NORMAL:
		return fmin(fmax(length->mean, (double)length->low), (double)length->high);
	}
	return (double)length->low;
}

static uint64_t next(struct ss_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

double ss_random_uniform(struct ss_random *random)
{
	return (double)(next(random) >> 11) * 0x1p-53;
}

double ss_random_normal(struct ss_random *random)
{
	double a = ss_random_uniform(random), b = ss_random_uniform(random);

	return sqrt(-2 * log(1 - a)) * cos(TURN * b);
}

int64_t ss_random_length(struct ss_random *random, const struct ss_length *length)
{
	double tokens;

	switch (length->form) {
	case SS_LENGTH_FIXED:
		break;
	case SS_LENGTH_UNIFORM:
		tokens =
			floor(ss_random_uniform(random) * (double)(length->high - length->low + 1));
		return length->low + (int64_t)tokens;
	case SS_LENGTH_NORMAL:
		tokens = floor(length->mean + length->stdev * ss_random_normal(random) + 0.5);
		if (!(tokens > (double)length->low))
			return length->low;
		return tokens < (double)length->high ? (int64_t)tokens : length->high;
	}
	return length->low;
}

/** Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). */
static double random_gamma(struct ss_random *random, double shape)
{
	double boost = 1, d, c;

	if (shape < 1) {
		boost = pow(ss_random_uniform(random), 1 / shape);
		shape += 1;
	}
	d = shape - 1.0 / 3;
	c = 1 / sqrt(9 * d);
	for (;;) {
		double x = ss_random_normal(random), v = 1 + c * x, u;

		if (v <= 0)
			continue;
		v = v * v * v;
		u = ss_random_uniform(random);
		if (log(u) < x * x / 2 + d - d * v + d * log(v))
			return boost * d * v;
	}
}

double ss_random_gap(struct ss_random *random, double rate, double burstiness)
{
	if (!(burstiness > 0) || burstiness == 1)
		return -log(1 - ss_random_uniform(random)) / rate;
	return random_gamma(random, burstiness) / (burstiness * rate);
}
