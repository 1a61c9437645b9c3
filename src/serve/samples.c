#include "serve/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };
static const double FIRST_NEARNESS = 1e-10;

void samples_init(struct samples *samples, size_t most)
{
	*samples = (struct samples){ .most = most < FIRST_CAPACITY ? FIRST_CAPACITY : most,
				     .nearness = FIRST_NEARNESS };
}

void samples_release(struct samples *samples)
{
	free(samples->items);
	*samples = (struct samples){ 0 };
}

void samples_clear(struct samples *samples)
{
	samples->count = 0;
	samples->total = 0;
	samples->sum = samples->squares = 0;
}

static int compare(const void *a, const void *b)
{
	double x = ((const struct sample *)a)->value, y = ((const struct sample *)b)->value;

	return (x > y) - (x < y);
}

static void merge_near(struct samples *samples)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->count; i++) {
		struct sample *at = n ? &samples->items[n - 1] : NULL, s = samples->items[i];

		if (!at || s.value - at->value > samples->nearness * fabs(at->value)) {
			samples->items[n++] = s;
			continue;
		}
		at->value +=
			(s.value - at->value) * (double)s.count / (double)(at->count + s.count);
		at->count += s.count;
	}
	samples->count = n;
}

/** Room for one more, by more memory or by fewer values. */
static bool make_room(struct samples *samples)
{
	size_t capacity = samples->capacity ? samples->capacity * 2 : FIRST_CAPACITY;
	struct sample *items;

	if (samples->capacity >= samples->most) {
		qsort(samples->items, samples->count, sizeof(*samples->items), compare);
		while (samples->count > samples->capacity / 2) {
			merge_near(samples);
			samples->nearness *= 4;
		}
		return true;
	}
	items = realloc(samples->items, capacity * sizeof(*items));
	if (!items)
		return false;
	samples->items = items;
	samples->capacity = capacity;
	return true;
}

bool samples_add(struct samples *samples, double value)
{
	double off;

	if (!samples->total)
		samples->origin = value;
	samples->total++;
	off = value - samples->origin;
	samples->sum += off;
	samples->squares += off * off;
	if (samples->count && samples->items[samples->count - 1].value == value) {
		samples->items[samples->count - 1].count++;
		return true;
	}
	if (samples->count == samples->capacity && !make_room(samples))
		return false;
	samples->items[samples->count++] = (struct sample){ value, 1 };
	return true;
}

double samples_mean(const struct samples *samples)
{
	return samples->total ? samples->origin + samples->sum / (double)samples->total : 0;
}

double samples_deviation(const struct samples *samples)
{
	double n = (double)samples->total, mean;

	if (!samples->total)
		return 0;
	mean = samples->sum / n;
	return sqrt(fmax(0, samples->squares / n - mean * mean));
}

/** The value at a place of the order, from 0. */
static double at(const struct sample *items, size_t count, int64_t place)
{
	for (size_t i = 0; i < count; i++) {
		if (place < items[i].count)
			return items[i].value;
		place -= items[i].count;
	}
	return count ? items[count - 1].value : 0;
}

/**
 * Put the values in order: those that were in order stay, the rest are sorted and merged
 * in, so that looking at a run as it goes costs little. The order is nobody's business.
 */
static bool put_in_order(struct sample *items, size_t count)
{
	size_t sorted = 1, rest, i = 0, k = 0, n = 0;
	struct sample *more;

	while (sorted < count && items[sorted - 1].value <= items[sorted].value)
		sorted++;
	rest = count - sorted;
	if (!rest)
		return true;
	more = malloc(count * sizeof(*more));
	if (!more)
		return false;
	qsort(items + sorted, rest, sizeof(*items), compare);
	while (i < sorted || k < rest) {
		bool is_first =
			k == rest || (i < sorted && items[i].value <= items[sorted + k].value);

		more[n++] = is_first ? items[i++] : items[sorted + k++];
	}
	memcpy(items, more, count * sizeof(*items));
	free(more);
	return true;
}

bool samples_percentile(const struct samples *samples, const double *p, size_t count, double *out)
{
	for (size_t i = 0; i < count; i++)
		out[i] = NAN;
	if (!samples->count)
		return true;
	if (!put_in_order(samples->items, samples->count))
		return false;
	for (size_t i = 0; i < count; i++) {
		double place = p[i] * (double)(samples->total - 1), low = floor(place);
		double a = at(samples->items, samples->count, (int64_t)low);
		double b = at(samples->items, samples->count, (int64_t)ceil(place));

		out[i] = a + (b - a) * (place - low);
	}
	return true;
}
