/**
 * @file
 * What the parts of the footing share: which entries are values, how far they
 * range, and lines of text. Internal to src/resolve.
 */
#ifndef STEPSCOPE_RESOLVE_FOOTING_H
#define STEPSCOPE_RESOLVE_FOOTING_H

#include "resolve/kernel_impl.h"
#include "stepscope/footing.h"

/** One line being made; `length` counts what did not fit too. */
struct line {
	char *out;
	size_t size, length;
};

void line_say(struct line *line, const char *format, ...) SS_PRINTF(2, 3);

/** The family a registry entry belongs to; COEF_FAMILY_COUNT for the kernel's own. */
enum coef_family entry_family(const struct ss_kernel *k, int entry);

/** The assumption behind an own entry; NULL for the others and for absent coefficients. */
const struct assumption_note *entry_note(const struct ss_kernel *k, int entry);

/** Can it be tried at other values? A choice, a zero and a shadowed entry cannot. */
bool entry_is_value(const struct ss_kernel *k, int entry);

/** Its value; 1, a factor, for an assumption that stands in for a rate. */
double footing_value(const struct ss_kernel *k, int entry);

/** Time grows (1) or shrinks (-1) with it, or does not read it (0). */
int entry_sign(const struct ss_kernel *k, int entry);

/** The ci95 that holds for its value, or NULL. */
const double *entry_ci95(const struct ss_kernel *k, int entry);

/** Mark what a breakdown reads; `is_read` has room for every entry. */
void mark_reads(const struct ss_breakdown *breakdown, bool *is_read);

/** Does a list that -1 ends hold the entry? */
bool reads_hold(const int reads[SS_READS_MAX], int entry);

/** Room for KV with one entry's value multiplied. Bytes, not rounded. */
double memory_room(const struct ss_kernel *k, int entry, double factor);
/** Its elasticity to the entry's value, by the same laws. */
double memory_elasticity(const struct ss_kernel *k, int entry);
/** Do the fixed bytes read the entry? */
bool memory_reads(const struct ss_kernel *k, int entry);

/** A kernel's plan with every coefficient at the end of its range that helps, and that hurts. */
struct band {
	const struct ss_kernel *kernel;
	struct plan fast, slow;
};

/** False: out of memory. Release it whatever is returned. */
bool band_new(struct band *band, const struct ss_kernel *kernel, const struct ss_spread *spread);
void band_release(struct band *band);
/** Interval composition of one step, around its price. */
void band_price(const struct band *band, const struct ss_batch *batch, enum ss_figure figure,
		double band_s[2]);

/** The largest value a coefficient can take; infinity for most. */
double coef_most(enum coef_family family);
/** The most a value of the family is taken at: its bound, else more than was ever measured. */
double coef_range_most(enum coef_family family);
/** How to measure a coefficient of the family. */
const char *coef_instead(enum coef_family family);

#endif
