/*
 * What one deployment costs: its kernel, the step of its batch by terms, whether
 * it fits, and what all that rests on. Made once, then only read.
 */
#ifndef CASE_QUOTE_H
#define CASE_QUOTE_H

#include "case/draft.h"
#include "case/figures.h"
#include "stepscope/footing.h"
#include "stepscope/kernel.h"
#include "stepscope/registry.h"

/** A basis used by several quotes; freed with the last. */
struct quote_basis;

struct quote {
	struct quote_basis *shared;
	struct ss_basis *basis; /**< of `shared` */
	struct ss_kernel *kernel;
	bool has_price; /**< false: a coefficient of the step is missing; memory alone is known */
	struct ss_breakdown breakdown;
	struct ss_fit fit;
	struct ss_evidence evidence;
	struct ss_divergence_effect effects[SS_DIVERGENCE_COUNT];
	size_t effect_count;
	double known_error_s;            /**< of the lead figure, for all of them together */
	struct ss_share share;           /**< of the lead figure; all 0 without a price */
	struct ss_influence *influences; /**< one for each entry; NULL until app_think() */
	double band_s[2];                /**< with them: the lead figure's range */
	unsigned refs;
	char label[64]; /**< "tp 8, PIECEWISE", for what is shown of it elsewhere */
};

/**
 * Price a draft's pool.
 *
 * @param cache the basis of the last quote, reused when nothing behind it changed;
 *              the caller keeps it and ends it with quote_basis_drop().
 * @return NULL when it is refused or does not load: `problems` says why. Warnings
 *         are in `problems` either way.
 */
struct quote *quote_new(struct quote_basis **cache, struct ss_registry *registry,
			const struct draft *draft, size_t pool, enum ss_figure figure,
			struct ss_problems *problems);
struct quote *quote_keep(struct quote *quote);
/** NULL is fine. */
void quote_drop(struct quote *quote);
/** The basis of the newest draft that loaded, priced or not; NULL before. Borrowed. */
const struct ss_basis *quote_basis_of(const struct quote_basis *cache);
/**
 * The basis of a draft, taken from the cache when nothing behind it changed.
 *
 * @return borrowed until the cache is used again; NULL: `problems` says why.
 */
const struct ss_basis *quote_basis_open(struct quote_basis **cache, struct ss_registry *registry,
					const struct draft *draft, struct ss_problems *problems);
void quote_basis_drop(struct quote_basis **cache);

/** The divergences' seconds again, for another lead figure. */
void quote_refigure(struct quote *quote, const struct draft *draft, enum ss_figure figure);

/** The lead figure in seconds; 0 without a price. */
double quote_lead(const struct quote *quote, enum ss_figure figure);

/** Its figures, `acceptance` of the drafted tokens accepted (0 to 1); false without a price. */
bool quote_figures(struct figures *out, const struct quote *quote, enum ss_figure figure,
		   double acceptance);

/** Seconds of the figure in which each entry is read; `seconds` has one place per entry. */
void quote_influence(const struct quote *quote, enum ss_figure figure, double *seconds);

/** The kernel's own assumption of this name, or NULL. */
const struct ss_entry *quote_assumption(const struct quote *quote, const char *name);
const struct ss_override *quote_override(const struct quote *quote, const char *field);

/** The weakest method of a term's part, SS_METHOD_COUNT when it reads nothing. */
enum ss_method quote_weakest(const struct quote *quote, const int reads[SS_READS_MAX]);

#endif
