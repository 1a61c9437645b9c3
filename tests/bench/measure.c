#include "bench/bench.h"

#include <stdlib.h>
#include <time.h>

#define SAMPLES_MAX 2000
/** A sample shorter than this is mostly clock. */
#define SAMPLE_MIN_S 20e-6

double bench_now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static double sample_s(void (*run)(void *context), void *context, long calls)
{
	double start_s = bench_now_s();

	for (long i = 0; i < calls; i++)
		run(context);
	return (bench_now_s() - start_s) / (double)calls;
}

/** The sample at a share of all, 0 the least. */
static double take_s(void (*run)(void *context), void *context, double seconds, double share)
{
	double samples[SAMPLES_MAX];
	size_t count = 0;
	long calls = 1;
	double end_s;

	run(context);
	while (sample_s(run, context, calls) * (double)calls < SAMPLE_MIN_S)
		calls *= 2;
	end_s = bench_now_s() + seconds;
	do
		samples[count++] = sample_s(run, context, calls);
	while (count < SAMPLES_MAX && bench_now_s() < end_s);
	qsort(samples, count, sizeof(samples[0]), by_size);
	return samples[(size_t)((double)count * share)];
}

double bench_median_s(void (*run)(void *context), void *context, double seconds)
{
	return take_s(run, context, seconds, 0.5);
}

double bench_least_s(void (*run)(void *context), void *context, double seconds)
{
	return take_s(run, context, seconds, 0);
}

const char *bench_program(void)
{
	return getenv("STEPSCOPE");
}
