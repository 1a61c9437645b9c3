#include "case/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/xbuf.h"

struct quote_basis {
	struct ss_basis *basis;
	struct xbuf key;              /* everything the basis was made from */
	struct draft_whatif *whatifs; /* the basis borrows their names */
	size_t whatif_count;
	unsigned refs;
};

static void drop_basis(struct quote_basis *shared)
{
	if (!shared || --shared->refs)
		return;
	ss_basis_free(shared->basis);
	xbuf_release(&shared->key);
	for (size_t i = 0; i < shared->whatif_count; i++)
		free(shared->whatifs[i].name);
	free(shared->whatifs);
	free(shared);
}

void quote_basis_drop(struct quote_basis **cache)
{
	drop_basis(*cache);
	*cache = NULL;
}

const struct ss_basis *quote_basis_of(const struct quote_basis *cache)
{
	return cache ? cache->basis : NULL;
}

/* What a basis depends on: the scenario's own fields and the values tried. */
static void write_key(struct xbuf *key, const struct draft *draft)
{
	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *row = ss_field((enum ss_field_id)id);
		const struct ss_value *value = NULL;
		char text[64];
		size_t len = 0;

		if (row->owner != SS_OWNER_SCENARIO)
			continue;
		value = ss_scenario_value(draft->scenario, 0, row->id);
		len = ss_value_format(text, sizeof(text), row, value);
		if (len < sizeof(text)) {
			xbuf_puts(key, text);
		} else {
			ss_value_format(xbuf_reserve(key, len), len + 1, row, value);
			key->len += len;
		}
		xbuf_putc(key, '\n');
	}
	for (size_t i = 0; i < draft->whatif_count; i++)
		xbuf_printf(key, "%s=%.17g\n", draft->whatifs[i].name, draft->whatifs[i].value);
}

static struct quote_basis *open_basis(struct quote_basis **cache, struct ss_registry *registry,
				      const struct draft *draft, struct ss_problems *problems)
{
	struct quote_basis *shared = xcalloc(1, sizeof(*shared));
	struct ss_whatif *whatifs = NULL;
	enum ss_status rc = SS_OK;

	shared->refs = 1;
	write_key(&shared->key, draft);
	if (*cache && !strcmp(xbuf_text(&(*cache)->key), xbuf_text(&shared->key))) {
		drop_basis(shared);
		(*cache)->refs++;
		return *cache;
	}
	shared->whatifs = xcalloc(draft->whatif_count, sizeof(*shared->whatifs));
	shared->whatif_count = draft->whatif_count;
	whatifs = xcalloc(draft->whatif_count, sizeof(*whatifs));
	for (size_t i = 0; i < draft->whatif_count; i++) {
		shared->whatifs[i].name = xstrdup(draft->whatifs[i].name);
		whatifs[i].name = shared->whatifs[i].name;
		whatifs[i].value = draft->whatifs[i].value;
	}
	rc = ss_basis_open(&shared->basis, registry, draft->scenario, whatifs, draft->whatif_count,
			   problems);
	free(whatifs);
	if (rc == SS_ENOMEM || (problems && problems->is_out_of_memory))
		out_of_memory();
	if (rc) {
		drop_basis(shared);
		return NULL;
	}
	quote_basis_drop(cache);
	*cache = shared;
	shared->refs++;
	return shared;
}

const struct ss_basis *quote_basis_open(struct quote_basis **cache, struct ss_registry *registry,
					const struct draft *draft, struct ss_problems *problems)
{
	struct quote_basis *shared = open_basis(cache, registry, draft, problems);
	const struct ss_basis *basis = shared ? shared->basis : NULL;

	/* The cache keeps it. */
	drop_basis(shared);
	return basis;
}

static void write_label(struct quote *quote)
{
	const struct ss_resolution *r = ss_kernel_resolution(quote->kernel);
	char parallel[40];

	if (r->data_parallel > 1)
		snprintf(parallel, sizeof(parallel), "tp %lld dp %lld",
			 (long long)r->tensor_parallel, (long long)r->data_parallel);
	else
		snprintf(parallel, sizeof(parallel), "tp %lld", (long long)r->tensor_parallel);
	snprintf(quote->label, sizeof(quote->label), "%s%s, %s", parallel,
		 r->expert_parallel > 1 ? " ep" : "", r->cudagraph_mode);
}

void quote_refigure(struct quote *quote, const struct draft *draft, enum ss_figure figure)
{
	struct ss_batch batch = draft_batch(draft);

	if (!quote->has_price)
		return;
	/* the laws share their terms, and Kernels has its own */
	if (ss_kernel_breakdown(quote->kernel, &batch, figure, &quote->breakdown))
		out_of_memory();
	ss_kernel_evidence(quote->kernel, figure, &quote->evidence);
	if (ss_kernel_lead(quote->kernel, figure) == SS_FIGURE_KERNELS) {
		struct ss_spread spread;

		ss_spread_default(&spread);
		if (ss_kernel_band(quote->kernel, &batch, figure, &spread, quote->band_s))
			out_of_memory();
	}
	quote->effect_count = ss_kernel_divergences(quote->kernel, &batch, figure, quote->effects);
	ss_kernel_price_share(quote->kernel, &quote->breakdown, figure, &quote->share);
	quote->known_error_s = ss_kernel_known_error_s(quote->kernel, &batch, figure);
}

struct quote *quote_new(struct quote_basis **cache, struct ss_registry *registry,
			const struct draft *draft, size_t pool, enum ss_figure figure,
			struct ss_problems *problems)
{
	struct quote_basis *shared = open_basis(cache, registry, draft, problems);
	struct ss_batch batch = draft_batch(draft);
	struct quote *quote = NULL;
	enum ss_status rc = SS_OK;

	if (!shared)
		return NULL;
	quote = xcalloc(1, sizeof(*quote));
	quote->refs = 1;
	quote->shared = shared;
	quote->basis = shared->basis;
	rc = ss_kernel_new(&quote->kernel, shared->basis, draft->scenario, pool, draft->corrections,
			   problems);
	if (rc == SS_ENOMEM || (problems && problems->is_out_of_memory))
		out_of_memory();
	if (rc) {
		quote_drop(quote);
		return NULL;
	}
	ss_kernel_check_batch(quote->kernel, &batch, problems);
	quote->has_price = ss_kernel_has_price(quote->kernel);
	if (quote->has_price && ss_problems_count(problems, SS_REFUSAL)) {
		quote_drop(quote);
		return NULL;
	}
	quote_refigure(quote, draft, figure);
	if (ss_fit_new(&quote->fit, quote->kernel, draft->scenario, pool, &batch))
		out_of_memory();
	ss_kernel_evidence(quote->kernel, figure, &quote->evidence);
	write_label(quote);
	return quote;
}

struct quote *quote_keep(struct quote *quote)
{
	if (quote)
		quote->refs++;
	return quote;
}

void quote_drop(struct quote *quote)
{
	if (!quote || --quote->refs)
		return;
	ss_fit_release(&quote->fit);
	ss_breakdown_release(&quote->breakdown);
	free(quote->influences);
	ss_kernel_free(quote->kernel);
	drop_basis(quote->shared);
	free(quote);
}

double quote_lead(const struct quote *quote, enum ss_figure figure)
{
	return quote->has_price ? ss_step_figure(&quote->breakdown.step, figure) : 0;
}

bool quote_figures(struct figures *out, const struct quote *quote, enum ss_figure figure,
		   double acceptance)
{
	*out = (struct figures){ 0 };
	if (!quote->has_price)
		return false;
	figures_of_step(out, quote->kernel, &quote->breakdown.step, figure, acceptance);
	return true;
}

enum ss_method quote_weakest(const struct quote *quote, const int reads[SS_READS_MAX])
{
	enum ss_method weakest = SS_METHOD_COUNT;

	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++) {
		const struct ss_entry *entry = ss_kernel_entry(quote->kernel, (size_t)reads[i]);

		if (entry->method < weakest)
			weakest = entry->method;
	}
	return weakest;
}

/* The parts of a term that its floor and its slope have in a figure. */
static void split(const struct ss_term *term, enum ss_figure figure, double *floor_s,
		  double *slope_s)
{
	double charge = term->floor_s + term->slope_s;
	double share = charge > 0 ? ss_term_figure(term, figure) / charge : 1;

	*floor_s = term->floor_s * share;
	*slope_s = term->slope_s * share;
}

static void charge(double *seconds, size_t count, const int reads[SS_READS_MAX], double amount)
{
	for (int i = 0; i < SS_READS_MAX && reads[i] >= 0; i++) {
		if ((size_t)reads[i] < count)
			seconds[reads[i]] += amount;
	}
}

void quote_influence(const struct quote *quote, enum ss_figure figure, double *seconds)
{
	size_t count = ss_kernel_entry_count(quote->kernel);

	for (size_t i = 0; i < count; i++)
		seconds[i] = 0;
	for (size_t i = 0; i < quote->breakdown.term_count; i++) {
		const struct ss_term *term = &quote->breakdown.terms[i];
		double floor_s = 0, slope_s = 0;

		split(term, figure, &floor_s, &slope_s);
		charge(seconds, count, term->floor_reads, floor_s);
		charge(seconds, count, term->slope_reads, slope_s);
	}
}

const struct ss_entry *quote_assumption(const struct quote *quote, const char *name)
{
	size_t count = ss_kernel_entry_count(quote->kernel);

	/* The kernel's own stand at the end, with nothing but kernel times behind them. */
	while (count > 0) {
		const struct ss_entry *entry = ss_kernel_entry(quote->kernel, --count);

		if (entry->times)
			continue;
		if (!entry->is_own)
			break;
		if (!entry->is_absent && !strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

const struct ss_override *quote_override(const struct quote *quote, const char *field)
{
	size_t count = ss_kernel_override_count(quote->kernel);

	for (size_t i = 0; i < count; i++) {
		const struct ss_override *override = ss_kernel_override(quote->kernel, i);

		if (!strcmp(override->field, field))
			return override;
	}
	return NULL;
}
