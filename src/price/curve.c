#include "price/curve.h"

double curve_at(const struct curve *curve, double log_x)
{
	size_t low = 0, high = curve->count - 1;
	const double *x = curve->log_x, *y = curve->log_value;

	if (log_x <= x[0])
		return y[0];
	if (log_x >= x[high])
		return y[high] + curve->tail * (log_x - x[high]);
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (x[middle] <= log_x)
			low = middle;
		else
			high = middle;
	}
	return y[low] + (log_x - x[low]) / (x[high] - x[low]) * (y[high] - y[low]);
}

double curve_tail(size_t count, const double *log_x, const double *log_value)
{
	double slope;

	if (count < 2)
		return 0;
	slope = (log_value[count - 1] - log_value[count - 2]) /
		(log_x[count - 1] - log_x[count - 2]);
	return slope < 0 ? 0 : slope > 1 ? 1 : slope;
}

size_t curve_blend_size(const struct curve_part *parts, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += parts[i].curve->count;
	return size;
}

struct curve curve_blend(const struct curve_part *parts, size_t count, double *log_x,
			 double *log_value)
{
	struct curve out = { .log_x = log_x, .log_value = log_value };
	size_t at[4] = { 0 };

	for (;;) {
		const double *next = NULL;
		double value = 0;

		for (size_t i = 0; i < count; i++) {
			const struct curve *c = parts[i].curve;

			if (at[i] < c->count && (!next || c->log_x[at[i]] < *next))
				next = &c->log_x[at[i]];
		}
		if (!next)
			break;
		for (size_t i = 0; i < count; i++)
			value += parts[i].weight * curve_at(parts[i].curve, *next);
		log_x[out.count] = *next;
		log_value[out.count++] = value;
		for (size_t i = 0; i < count; i++) {
			const struct curve *c = parts[i].curve;

			/* the same point of another curve */
			if (at[i] < c->count && c->log_x[at[i]] <= log_x[out.count - 1])
				at[i]++;
		}
	}
	for (size_t i = 0; i < count; i++)
		out.tail += parts[i].weight * parts[i].curve->tail;
	return out;
}
