/* Shares of price and memory by what they rest on. */
#include "resolve/footing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void line_say(struct line *line, const char *format, ...)
{
	size_t used = line->length < line->size ? line->length : line->size;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->size > used ? line->out + used : NULL, line->size - used, format, args);
	va_end(args);
	if (n > 0)
		line->length += (size_t)n;
}

enum coef_family entry_family(const struct ss_kernel *k, int entry)
{
	return entry >= 0 && (size_t)entry < k->basis->entry_count ? k->basis->entries[entry].family
								   : COEF_FAMILY_COUNT;
}

const struct assumption_note *entry_note(const struct ss_kernel *k, int entry)
{
	size_t first = k->basis->entry_count;

	if (entry < 0 || (size_t)entry < first ||
	    (size_t)entry >= first + k->notes.assumption_count)
		return NULL;
	return &k->notes.assumptions[(size_t)entry - first];
}

bool reads_hold(const int reads[SS_READS_MAX], int entry)
{
	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++)
		if (reads[i] == entry)
			return true;
	return false;
}

void mark_reads(const struct ss_breakdown *breakdown, bool *is_read)
{
	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *t = &breakdown->terms[i];

		for (int r = 0; r < SS_READS_MAX && t->floor_reads[r] >= 0; r++)
			is_read[t->floor_reads[r]] = true;
		for (int r = 0; r < SS_READS_MAX && t->slope_reads[r] >= 0; r++)
			is_read[t->slope_reads[r]] = true;
	}
}

/* -- shares --------------------------------------------------------------------------- */

/** A sum being split by method. */
struct split {
	const struct ss_kernel *kernel;
	struct ss_share *share;
	double total;
};

static enum ss_method weakest(const struct ss_kernel *k, const int reads[SS_READS_MAX])
{
	enum ss_method method = SS_METHOD_COUNT;

	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++)
		if (k->entries[reads[i]].method < method)
			method = k->entries[reads[i]].method;
	return method == SS_METHOD_COUNT ? SS_METHOD_VENDOR_SPEC : method;
}

static void put_part(struct split *s, double amount, const int reads[SS_READS_MAX])
{
	s->share->by_method[weakest(s->kernel, reads)] += amount;
	s->total += amount;
}

/** Turn amounts into shares. */
static void settle(struct split *s)
{
	if (s->total > 0) {
		for (int m = 0; m < SS_METHOD_COUNT; m++)
			s->share->by_method[m] /= s->total;
		s->share->graph /= s->total;
		s->share->leading_share /= s->total;
		return;
	}
	*s->share = (struct ss_share){ .leading = -1 };
}

/** A floor or a slope in a figure: its part of the charge that shows. */
static double shown(const struct ss_term *t, enum ss_figure figure, double part_s)
{
	double whole_s = t->floor_s + t->slope_s;

	return fabs(whole_s) > 0 ? part_s * (ss_term_figure(t, figure) / whole_s) : 0;
}

/** The assumed entry a part is laid to: what binds stands first. -1: none is. */
static int first_assumed(const struct ss_kernel *k, const int reads[SS_READS_MAX])
{
	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++)
		if (k->entries[reads[i]].method == SS_METHOD_ASSUMED)
			return weakest(k, reads) == SS_METHOD_ASSUMED ? reads[i] : -1;
	return -1;
}

/** What of a figure is laid to one assumed entry. */
static double carried(const struct ss_kernel *k, const struct ss_breakdown *b,
		      enum ss_figure figure, int entry)
{
	double seconds = 0;

	for (size_t i = 0; i < b->term_count; i++) {
		const struct ss_term *t = &b->terms[i];

		if (first_assumed(k, t->floor_reads) == entry)
			seconds += shown(t, figure, t->floor_s);
		if (first_assumed(k, t->slope_reads) == entry)
			seconds += shown(t, figure, t->slope_s);
	}
	return seconds;
}

void ss_kernel_price_share(const struct ss_kernel *kernel, const struct ss_breakdown *breakdown,
			   enum ss_figure figure, struct ss_share *out)
{
	struct split s = { .kernel = kernel, .share = out };

	*out = (struct ss_share){ .leading = -1 };
	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *t = &breakdown->terms[i];

		if (fabs(t->floor_s) > 0)
			put_part(&s, shown(t, figure, t->floor_s), t->floor_reads);
		if (fabs(t->slope_s) > 0)
			put_part(&s, shown(t, figure, t->slope_s), t->slope_reads);
	}
	for (size_t i = 0; i < kernel->entry_count; i++) {
		double seconds;

		if (kernel->entries[i].method != SS_METHOD_ASSUMED ||
		    kernel->entries[i].is_shadowed)
			continue;
		seconds = carried(kernel, breakdown, figure, (int)i);
		if (seconds > out->leading_share) {
			out->leading = (int)i;
			out->leading_share = seconds;
		}
	}
	settle(&s);
}

void ss_kernel_memory_share(const struct ss_kernel *kernel, struct ss_share *out)
{
	struct split s = { .kernel = kernel, .share = out };

	*out = (struct ss_share){ .leading = -1 };
	for (int i = 0; i < SS_MEMORY_TERM_COUNT; i++) {
		double bytes =
			(double)ss_memory_term_bytes(&kernel->memory, (enum ss_memory_term)i);
		int reads[SS_READS_MAX];

		ss_kernel_memory_reads(kernel, (enum ss_memory_term)i, reads);
		if (reads[0] < 0) {
			out->graph += bytes;
			s.total += bytes;
			continue;
		}
		put_part(&s, bytes, reads);
		if (weakest(kernel, reads) == SS_METHOD_ASSUMED && bytes > out->leading_share) {
			out->leading_share = bytes;
			for (int r = 0; reads[r] >= 0; r++)
				if (kernel->entries[reads[r]].method == SS_METHOD_ASSUMED)
					out->leading = reads[r];
		}
	}
	settle(&s);
}

void ss_share_percents(const struct ss_share *share, int decimals, double out[SS_SHARE_PARTS])
{
	double scale = 100 * pow(10, decimals), rest[SS_SHARE_PARTS], left = 0;

	for (int i = 0; i < SS_SHARE_PARTS; i++) {
		double exact = scale * (i < SS_METHOD_COUNT ? share->by_method[i] : share->graph);

		out[i] = floor(exact + 1e-9);
		rest[i] = exact - out[i];
		left += rest[i];
	}
	for (left = round(left); left > 0; left--) {
		int most = 0;

		for (int i = 1; i < SS_SHARE_PARTS; i++)
			if (rest[i] > rest[most])
				most = i;
		out[most]++;
		rest[most]--;
	}
	for (int i = 0; i < SS_SHARE_PARTS; i++)
		out[i] *= 100 / scale;
}

size_t ss_share_sentence(const struct ss_kernel *kernel, const struct ss_share *share,
			 const char *what, char *out, size_t size)
{
	static const struct {
		enum ss_method method;
		const char *words;
	} parts[] = {
		{ SS_METHOD_MEASURED, "measurement" },
		{ SS_METHOD_VENDOR_SPEC, "vendor figures" },
		{ SS_METHOD_LITERATURE, "literature" },
		{ SS_METHOD_COPIED, "copied values" },
		{ SS_METHOD_ASSUMED, "assumptions" },
		{ SS_METHOD_NOT_CHARGED, "what is not charged" },
	};
	struct line line = { .out = out, .size = size };
	bool is_first = true;
	double percents[SS_SHARE_PARTS];

	ss_share_percents(share, 0, percents);
	if (size)
		out[0] = '\0';
	if (percents[SS_METHOD_COUNT] > 0) {
		line_say(&line, "%.0f %% of %s rests on the model graph", percents[SS_METHOD_COUNT],
			 what);
		is_first = false;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double percent = percents[parts[i].method];

		if (percent < 1)
			continue;
		if (is_first)
			line_say(&line, "%.0f %% of %s rests on %s", percent, what, parts[i].words);
		else
			line_say(&line, ", %.0f %% on %s", percent, parts[i].words);
		is_first = false;
		if (parts[i].method == SS_METHOD_ASSUMED && share->leading >= 0)
			line_say(&line, ", led by %s", kernel->entries[share->leading].name);
	}
	return line.length;
}

/* -- what binds ----------------------------------------------------------------------- */

static bool is_remainder(const struct ss_kernel *k, const struct ss_term *t)
{
	for (int r = 0; r < SS_READS_MAX && t->slope_reads[r] >= 0; r++) {
		const struct ss_entry *e = &k->entries[t->slope_reads[r]];

		if (e->coefficient && e->coefficient->is_remainder && !e->is_whatif)
			return true;
	}
	return false;
}

const char *ss_kernel_bottleneck(const struct ss_kernel *kernel,
				 const struct ss_breakdown *breakdown)
{
	static const char *const fitted[] = {
#define SS_X(id, name) name " (fitted remainder)",
		SS_RESOURCES(SS_X)
#undef SS_X
	};
	enum ss_resource resource = ss_step_bottleneck(&breakdown->step, SS_FIGURE_LEAD);
	double left_over_s = 0;

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *t = &breakdown->terms[i];

		if (t->resource == resource && is_remainder(kernel, t))
			left_over_s += t->floor_s + t->slope_s;
	}
	if (2 * left_over_s > ss_step_resources(&breakdown->step, SS_FIGURE_LEAD)[resource])
		return fitted[resource];
	return ss_resource_name(resource);
}

/* -- against the part's peak ------------------------------------------------------------ */

/** Attention and mixers compute in 16 bits, a GEMM in the format its detail names. */
static double compute_peak(const struct ss_kernel *k, const struct ss_term *term)
{
	const struct plan *plan = &k->plan;

	for (int i = 0; i < plan->rate_count; i++)
		if (strcmp(plan->rates[i].detail, term->detail) == 0)
			return plan->rates[i].peak;
	return plan->rates[plan->bf16_rate].peak;
}

static double byte_peak(const struct ss_kernel *k, enum ss_resource resource)
{
	const struct ss_part *part = k->basis->in.part;

	switch (resource) {
	case SS_RESOURCE_HBM:
		return part->memory_bandwidth_tb_s * 1e12;
	case SS_RESOURCE_NVLINK:
		return part->intra_node_gb_s * 1e9;
	case SS_RESOURCE_NIC:
		return k->inter_node_gb_s * 1e9;
	case SS_RESOURCE_SM:
	case SS_RESOURCE_PCIE:
	case SS_RESOURCE_HOST:
	case SS_RESOURCE_LAUNCH:
	case SS_RESOURCE_COUNT:
		break;
	}
	return 0;
}

bool ss_kernel_term_reach(const struct ss_kernel *kernel, const struct ss_term *term,
			  struct ss_reach *out)
{
	double seconds = term->floor_s + term->slope_s;

	*out = (struct ss_reach){ 0 };
	if (seconds <= 0)
		return false;
	if (term->flops > 0 && term->resource == SS_RESOURCE_SM)
		*out = (struct ss_reach){ term->flops / seconds, compute_peak(kernel, term), true };
	else if (term->bytes > 0)
		*out = (struct ss_reach){ term->bytes / seconds, byte_peak(kernel, term->resource),
					  false };
	if (out->peak > 0)
		return true;
	*out = (struct ss_reach){ 0 };
	return false;
}

/* -- values and their ranges ------------------------------------------------------------ */

/** Own assumptions whose place is a rate's. */
static bool stands_for_rate(const struct assumption_note *note)
{
	return note->id == ASSUME_COMPUTE_RATE || note->id == ASSUME_GEMM_EPS_MAX ||
	       note->id == ASSUME_RECURRENT_PREFILL_RATE || note->id == ASSUME_HOST_GATHER_RATE;
}

bool entry_is_value(const struct ss_kernel *k, int entry)
{
	const struct ss_entry *e = &k->entries[entry];
	const struct assumption_note *note = entry_note(k, entry);

	if (e->is_shadowed)
		return false;
	return note ? stands_for_rate(note) : e->has_value && fabs(e->value) > 0;
}

double footing_value(const struct ss_kernel *k, int entry)
{
	return k->entries[entry].has_value ? k->entries[entry].value : 1;
}

int entry_sign(const struct ss_kernel *k, int entry)
{
	const struct assumption_note *note = entry_note(k, entry);
	enum coef_family family = entry_family(k, entry);

	if (k->entries[entry].times)
		return 1;
	if (note)
		return stands_for_rate(note) ? -1 : 0;
	return family == COEF_FAMILY_COUNT ? 0 : coef_family(family)->sign;
}

const double *entry_ci95(const struct ss_kernel *k, int entry)
{
	const struct ss_entry *e = &k->entries[entry];

	if (e->has_ci95)
		return e->ci95;

	/* an interval holds for the value it came with, and no rate ends at 0 */
	if (!e->coefficient || !e->coefficient->has_ci95 || e->is_whatif ||
	    (entry_sign(k, entry) < 0 && e->coefficient->ci95[0] <= 0))
		return NULL;
	return e->coefficient->ci95;
}
