/**
 * @file
 * A pile of equal and nearly equal numbers, kept as values with their counts. Past its
 * capacity values closer than a share that starts at 1e-10 become one.
 */
#ifndef STEPSCOPE_SERVE_SAMPLES_H
#define STEPSCOPE_SERVE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	double value;
	int64_t count;
};

struct samples {
	struct sample *items;
	size_t count, capacity, most;
	double nearness;
	int64_t total;
	double sum, squares; /**< of value less the first one, so that little is lost */
	double origin;
};

/** `most`: how many values are kept at most. */
void samples_init(struct samples *samples, size_t most);
void samples_release(struct samples *samples);
void samples_clear(struct samples *samples);
/** @return false when out of memory. */
bool samples_add(struct samples *samples, double value);
/** @return false when out of memory. */
bool samples_percentile(const struct samples *samples, const double *p, size_t count, double *out);
double samples_mean(const struct samples *samples);
/** Standard deviation of all of them. */
double samples_deviation(const struct samples *samples);

#endif
