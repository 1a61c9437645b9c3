/* What each value moves, and the band of all of them together. */
#include "resolve/footing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "price/batch_sums.h"
#include "price/rescale.h"
#include "price/step.h"

static const double US = 1e-6;

/** Change of ln(value) either way: small against any curve, large against rounding. */
static const double NUDGE = 1e-5;

/** A step tried with other values. */
struct trial {
	const struct ss_kernel *kernel;
	const struct ss_batch *batch;
	enum ss_figure figure;
	struct plan plan; /**< the copy that is changed */
};

/** One entry's factor. */
struct single {
	int entry;
	double factor;
};

static double single_factor(int entry, const void *context)
{
	const struct single *s = context;

	return entry == s->entry ? s->factor : 1;
}

static double figure_with(struct trial *t, int entry, double factor)
{
	struct single s = { .entry = entry, .factor = factor };
	struct ss_step step;

	rescale(&t->plan, &t->kernel->plan, single_factor, &s);
	step_price(&t->plan, t->batch, t->kernel->corrections, t->figure, &step, NULL);
	return ss_step_figure(&step, t->figure);
}

/** The most a value can be, physically. */
static double limit_of(const struct ss_kernel *k, int entry)
{
	return fmax(coef_most(entry_family(k, entry)), footing_value(k, entry));
}

/** Everything about an entry but what the step says. */
static void start(struct ss_influence *out, const struct ss_kernel *k, enum ss_figure figure,
		  int entry, double figure_s)
{
	const double *ci95 = entry_ci95(k, entry);
	double value = footing_value(k, entry);

	*out = (struct ss_influence){
		.is_counted = ss_kernel_entry_counts(k, figure, (size_t)entry),
		.is_memory = memory_reads(k, entry),
		.is_value = entry_is_value(k, entry),
		.low_s = figure_s,
		.high_s = figure_s,
		.low_room_bytes = k->memory.budget_bytes,
		.high_room_bytes = k->memory.budget_bytes,
	};
	if (!out->is_value)
		return;
	out->has_ci95 = ci95 != NULL;
	out->low = ci95 ? ci95[0] : 0.9 * value;
	out->high = fmin(ci95 ? ci95[1] : 1.1 * value, limit_of(k, entry));
	if (!out->is_memory)
		return;
	out->room_elasticity = memory_elasticity(k, entry);
	out->low_room_bytes = llround(memory_room(k, entry, out->low / value));
	out->high_room_bytes = llround(memory_room(k, entry, out->high / value));
}

static void measure(struct ss_influence *out, struct trial *t, int entry, double figure_s)
{
	double value = footing_value(t->kernel, entry);
	double up, down;

	if (figure_s <= 0)
		return;
	up = figure_with(t, entry, exp(NUDGE));
	down = figure_with(t, entry, exp(-NUDGE));
	/* what hides behind another resource rounds to nothing, not to a trace */
	if (fabs(up - down) > 1e-14 * figure_s)
		out->elasticity = log(up / down) / (2 * NUDGE);
	out->low_s = figure_with(t, entry, out->low / value);
	out->high_s = figure_with(t, entry, out->high / value);
}

/** Which entries the step reads. Free the result; NULL when out of memory. */
static bool *reads_of(const struct ss_kernel *k, const struct ss_batch *batch, double *figure_s,
		      enum ss_figure figure)
{
	struct ss_breakdown breakdown = { 0 };
	bool *is_read = calloc(k->entry_count + 1, sizeof(*is_read));
	enum ss_status rc;

	if (!is_read || !k->has_price)
		return is_read;
	rc = ss_kernel_breakdown(k, batch, figure, &breakdown);
	if (rc) {
		free(is_read);
		is_read = NULL;
	} else {
		mark_reads(&breakdown, is_read);
		*figure_s = ss_step_figure(&breakdown.step, figure);
	}
	ss_breakdown_release(&breakdown);
	return is_read;
}

enum ss_status ss_kernel_influences(const struct ss_kernel *kernel, const struct ss_batch *batch,
				    enum ss_figure figure, struct ss_influence *out)
{
	struct trial t = { .kernel = kernel, .batch = batch, .figure = figure };
	double figure_s = 0;
	bool *is_read = reads_of(kernel, batch, &figure_s, figure);
	enum ss_status rc = SS_ENOMEM;

	if (!rescale_new(&t.plan, &kernel->plan) || !is_read)
		goto done;
	for (size_t i = 0; i < kernel->entry_count; i++) {
		start(&out[i], kernel, figure, (int)i, figure_s);
		out[i].is_read = is_read[i];
		if (is_read[i] && out[i].is_value)
			measure(&out[i], &t, (int)i, figure_s);
	}
	rc = SS_OK;
done:
	rescale_release(&t.plan);
	free(is_read);
	return rc;
}

/* -- walk page ---------------------------------------------------------------------------- */

enum ss_status ss_kernel_walk_page(const struct ss_kernel *kernel, const struct ss_batch *batch,
				   enum ss_figure figure, int entry, struct ss_walk_page *out)
{
	static const double factors[SS_WALK_POINTS] = { 0.5, 0.75, 1, 1.25, 1.5 };
	struct trial t = { .kernel = kernel, .batch = batch, .figure = figure };
	struct ss_influence influence;
	double figure_s = 0;
	bool *is_read = reads_of(kernel, batch, &figure_s, figure);
	enum ss_status rc = SS_ENOMEM;

	if (!rescale_new(&t.plan, &kernel->plan) || !is_read)
		goto done;
	start(&influence, kernel, figure, entry, figure_s);
	*out = (struct ss_walk_page){ .figure_s = figure_s };
	rc = SS_OK;
	if (!influence.is_value || !(is_read[entry] || influence.is_memory))
		goto done;
	out->point_count = SS_WALK_POINTS;
	for (int i = 0; i < SS_WALK_POINTS; i++) {
		out->points[i].value = factors[i] * footing_value(kernel, entry);
		out->points[i].figure_s =
			is_read[entry] ? figure_with(&t, entry, factors[i]) : figure_s;
		out->points[i].room_bytes = llround(memory_room(kernel, entry, factors[i]));
	}
	if (is_read[entry])
		measure(&influence, &t, entry, figure_s);
	out->share = fabs(influence.elasticity);
	out->moves_s = out->share * figure_s;
done:
	rescale_release(&t.plan);
	free(is_read);
	return rc;
}

/* -- band ------------------------------------------------------------------------------------ */

/* clang-format off */
static const struct ss_spread usual = { {
	[SS_METHOD_MEASURED] = 0.05,
	[SS_METHOD_VENDOR_SPEC] = 0.15,
	[SS_METHOD_LITERATURE] = 0.20,
	[SS_METHOD_COPIED] = 0.30,
	[SS_METHOD_ASSUMED] = 0.50,
	[SS_METHOD_NOT_CHARGED] = 0,
} };
/* clang-format on */

void ss_spread_default(struct ss_spread *out)
{
	*out = usual;
}

static bool read_share(const char *text, double *out)
{
	char *end = NULL;
	double value = strtod(text, &end);

	if (end == text)
		return false;
	if (*end == '%') {
		value /= 100;
		end++;
	}
	*out = value;
	return !*end && value >= 0 && value < 1;
}

enum ss_status ss_spread_set(struct ss_spread *spread, const char *text, struct ss_error *err)
{
	const char *equals = strchr(text, '=');
	double share;

	if (!equals)
		return ss_fail(err, SS_EUSAGE, "spread", "%s: must be METHOD=SHARE, as assumed=0.5",
			       text);
	for (int m = 0; m < SS_METHOD_COUNT; m++) {
		const char *name = ss_method_name((enum ss_method)m);

		if (strlen(name) != (size_t)(equals - text) ||
		    strncmp(name, text, (size_t)(equals - text)) != 0)
			continue;
		if (m == SS_METHOD_NOT_CHARGED)
			return ss_fail(err, SS_EUSAGE, "spread",
				       "not_charged is a stated zero and has no spread");
		if (!read_share(equals + 1, &share))
			return ss_fail(err, SS_EUSAGE, "spread",
				       "%s: the share must be from 0 to below 1 (or percent)",
				       text);
		spread->share[m] = share;
		return SS_OK;
	}
	return ss_fail(
		err, SS_EUSAGE, "spread",
		"%.*s: no such method; there are measured, vendor_spec, literature, copied and "
		"assumed",
		(int)(equals - text), text);
}

/** One side of the band. */
struct side {
	const struct ss_kernel *kernel;
	const struct ss_spread *spread;
	bool is_slow; /**< every coefficient at the end that raises the time */
};

/** Where an entry's spread ends, whatever its limit. */
static double spread_end(const struct ss_kernel *k, const struct ss_spread *spread, int entry,
			 bool is_high)
{
	const double *ci95 = entry_ci95(k, entry);
	double share = spread->share[k->entries[entry].method];

	return ci95 ? ci95[is_high] : footing_value(k, entry) * (is_high ? 1 + share : 1 - share);
}

static bool breakdown_reads(const struct ss_breakdown *breakdown, int entry)
{
	for (size_t i = 0; i < breakdown->term_count; i++)
		if (reads_hold(breakdown->terms[i].floor_reads, entry) ||
		    reads_hold(breakdown->terms[i].slope_reads, entry))
			return true;
	return false;
}

static double end_factor(int entry, const void *context)
{
	const struct side *side = context;
	const struct ss_kernel *k = side->kernel;
	int sign = entry_sign(k, entry);
	bool is_high = (sign > 0) == side->is_slow;

	if (sign == 0 || !entry_is_value(k, entry))
		return 1;
	return fmin(spread_end(k, side->spread, entry, is_high), limit_of(k, entry)) /
	       footing_value(k, entry);
}

bool band_new(struct band *band, const struct ss_kernel *kernel, const struct ss_spread *spread)
{
	struct side fast = { kernel, spread, false }, slow = { kernel, spread, true };

	*band = (struct band){ .kernel = kernel };
	if (!rescale_new(&band->fast, &kernel->plan) || !rescale_new(&band->slow, &kernel->plan))
		return false;
	rescale(&band->fast, &kernel->plan, end_factor, &fast);
	rescale(&band->slow, &kernel->plan, end_factor, &slow);
	return true;
}

void band_release(struct band *band)
{
	rescale_release(&band->fast);
	rescale_release(&band->slow);
}

/** Seconds of the device, and of the requests' host work before device work hides it. */
struct side_step {
	double figure_s, device_s, requests_s;
};

static struct side_step price_side(const struct band *band, const struct plan *plan,
				   const struct ss_batch *batch, enum ss_figure figure,
				   double requests)
{
	struct ss_step step;
	struct side_step out = { 0 };

	step_price(plan, batch, band->kernel->corrections, figure, &step, NULL);
	out.figure_s = ss_step_figure(&step, figure);
	out.requests_s = plan->host.per_request.value * requests * US;
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		if (r != SS_RESOURCE_HOST)
			out.device_s += ss_step_resources(&step, figure)[r];
	return out;
}

/**
 * The figure of a side. Under async scheduling only the excess of the requests' work
 * over the device's shows, which falls as the device slows: there the ends are mixed.
 */
static double side_figure(const struct plan *plan, const struct side_step *side,
			  const struct side_step *other)
{
	if (!plan->host.is_async)
		return side->figure_s;
	return side->figure_s - fmax(side->requests_s - side->device_s, 0) +
	       fmax(side->requests_s - other->device_s, 0);
}

void band_price(const struct band *band, const struct ss_batch *batch, enum ss_figure figure,
		double band_s[2])
{
	const struct ss_kernel *k = band->kernel;
	struct side_step fast, slow;
	struct step_shape shape;
	struct ss_step step;
	double figure_s;

	step_price(&k->plan, batch, k->corrections, figure, &step, NULL);
	figure_s = ss_step_figure(&step, figure);
	step_shape_of(&k->plan, batch, k->corrections, false, &shape);
	fast = price_side(band, &band->fast, batch, figure, shape.requests);
	slow = price_side(band, &band->slow, batch, figure, shape.requests);
	/* overlap alone bends back: a kernel that sets up once may move its floor to a
	 * resource that hides it */
	band_s[0] = fmin(side_figure(&band->fast, &fast, &slow), figure_s);
	band_s[1] = fmax(side_figure(&band->slow, &slow, &fast), figure_s);
}

enum ss_status ss_kernel_band(const struct ss_kernel *kernel, const struct ss_batch *batch,
			      enum ss_figure figure, const struct ss_spread *spread,
			      double band_s[2])
{
	struct band band;
	bool is_made = band_new(&band, kernel, spread);

	if (is_made)
		band_price(&band, batch, figure, band_s);
	band_release(&band);
	return is_made ? SS_OK : SS_ENOMEM;
}

size_t ss_kernel_band_limits(const struct ss_kernel *kernel, const struct ss_breakdown *breakdown,
			     const struct ss_spread *spread, int *out, size_t capacity)
{
	size_t n = 0;

	for (int entry = 0; entry < (int)kernel->entry_count; entry++) {
		if (entry_sign(kernel, entry) == 0 || !entry_is_value(kernel, entry) ||
		    spread_end(kernel, spread, entry, true) <= limit_of(kernel, entry) ||
		    !breakdown_reads(breakdown, entry))
			continue;
		if (n < capacity)
			out[n] = entry;
		n++;
	}
	return n;
}

size_t ss_kernel_band_note(const struct ss_kernel *kernel, const struct ss_breakdown *breakdown,
			   const struct ss_spread *spread, char *out, size_t size)
{
	struct line line = { .out = out, .size = size };
	int entries[16];
	size_t count = ss_kernel_band_limits(kernel, breakdown, spread, entries, 16);

	if (size)
		out[0] = '\0';
	for (size_t i = 0; i < count && i < 16; i++)
		line_say(&line, "%s%s ends at its limit of %.4g", i ? ", " : "",
			 kernel->entries[entries[i]].name, limit_of(kernel, entries[i]));
	if (count > 16)
		line_say(&line, ", %zu more do", count - 16);
	return line.length;
}
