/* A kernel's pool as the simulator schedules it, and what its steps add up to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "price/host.h"
#include "resolve/footing.h"
#include "resolve/kernel_impl.h"
#include "resolve/kv_pool.h"
#include "stepscope/serve.h"

static const double US = 1e-6;

struct ss_serve_pricer {
	const struct ss_kernel *kernel;
	struct ss_serve_pricing pricing;
	struct band band; /**< of a side */
	bool has_band;
	struct ss_breakdown one; /**< room for a step's terms */
	struct ss_breakdown total;
};

enum ss_status ss_serve_pricer_new(struct ss_serve_pricer **out, const struct ss_kernel *kernel,
				   const struct ss_serve_pricing *pricing)
{
	struct ss_serve_pricer *p = calloc(1, sizeof(*p));
	struct ss_spread spread;

	if (!p)
		return SS_ENOMEM;
	p->kernel = kernel;
	p->pricing = *pricing;
	p->pricing.spread = NULL;
	ss_spread_default(&spread);
	if (pricing->spread)
		spread = *pricing->spread;
	p->has_band = pricing->side != SS_SERVE_FIGURE;
	if (p->has_band && !band_new(&p->band, kernel, &spread)) {
		ss_serve_pricer_free(p);
		return SS_ENOMEM;
	}
	*out = p;
	return SS_OK;
}

void ss_serve_pricer_free(struct ss_serve_pricer *p)
{
	if (!p)
		return;
	if (p->has_band)
		band_release(&p->band);
	ss_breakdown_release(&p->one);
	ss_breakdown_release(&p->total);
	free(p);
}

const struct ss_breakdown *ss_serve_pricer_total(const struct ss_serve_pricer *p)
{
	return &p->total;
}

/* -- adding up ----------------------------------------------------------------------------- */

static void add_step(struct ss_step *sum, const struct ss_step *step)
{
	sum->overlap_s += step->overlap_s;
	sum->serial_s += step->serial_s;
	sum->no_overlap_s += step->no_overlap_s;
	sum->draft_s += step->draft_s;
	sum->tokens += step->tokens;
	sum->decode_requests += step->decode_requests;
	sum->prefill_requests += step->prefill_requests;
	sum->prefill_tokens += step->prefill_tokens;
	sum->kernels += step->kernels;
	sum->has_kernels |= step->has_kernels;
	sum->kernels_s += step->kernels_s;
	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		sum->kernels_resource_s[r] += step->kernels_resource_s[r];
		if (sum->kernels_resource_s[r] > sum->kernels_resource_s[sum->kernels_bottleneck])
			sum->kernels_bottleneck = (enum ss_resource)r;
		sum->resource_s[r] += step->resource_s[r];
		if (sum->resource_s[r] > sum->resource_s[sum->bottleneck])
			sum->bottleneck = (enum ss_resource)r;
	}
}

static bool is_alike(const struct ss_term *a, const struct ss_term *b)
{
	return a->term == b->term && a->resource == b->resource && a->kind == b->kind &&
	       a->is_draft == b->is_draft && a->detail == b->detail &&
	       !memcmp(a->floor_reads, b->floor_reads, sizeof(a->floor_reads)) &&
	       !memcmp(a->slope_reads, b->slope_reads, sizeof(a->slope_reads));
}

/** The sum a term belongs to: mostly the one after the last term's. NULL: out of memory. */
static struct ss_term *sum_of(struct ss_breakdown *total, const struct ss_term *term, size_t *hint)
{
	for (size_t tried = 0; tried < total->term_count; tried++) {
		size_t at = (*hint + tried) % total->term_count;

		if (!is_alike(&total->terms[at], term))
			continue;
		*hint = at + 1;
		return &total->terms[at];
	}
	if (total->term_count == total->term_capacity) {
		size_t capacity = total->term_capacity ? total->term_capacity * 2 : 64;
		struct ss_term *terms = realloc(total->terms, capacity * sizeof(*terms));

		if (!terms)
			return NULL;
		total->terms = terms;
		total->term_capacity = capacity;
	}
	total->terms[total->term_count] = *term;
	total->terms[total->term_count].floor_s = total->terms[total->term_count].slope_s = 0;
	total->terms[total->term_count].flops = total->terms[total->term_count].bytes = 0;
	total->terms[total->term_count].count = 0;
	memset(total->terms[total->term_count].hidden_s, 0, sizeof(term->hidden_s));
	*hint = total->term_count + 1;
	return &total->terms[total->term_count++];
}

static void add_terms(struct ss_breakdown *total, const struct ss_breakdown *one)
{
	size_t hint = 0;

	for (size_t i = 0; i < one->term_count; i++) {
		const struct ss_term *term = &one->terms[i];
		struct ss_term *sum = sum_of(total, term, &hint);

		if (!sum)
			return;
		sum->count += term->count;
		sum->floor_s += term->floor_s;
		sum->slope_s += term->slope_s;
		sum->flops += term->flops;
		sum->bytes += term->bytes;
		for (int f = 0; f < SS_FIGURE_COUNT; f++)
			sum->hidden_s[f] += term->hidden_s[f];
	}
}

/* -- what the simulator asks ------------------------------------------------------------------ */

static double price(void *context, const struct ss_batch *given)
{
	struct ss_serve_pricer *p = context;
	struct ss_batch batch = *given;
	double band_s[2];

	batch.decode_threshold = p->pricing.decode_threshold;
	batch.sm_budget = p->pricing.sm_budget;
	if (p->has_band) {
		band_price(&p->band, &batch, p->pricing.figure, band_s);
		return band_s[p->pricing.side == SS_SERVE_SLOW];
	}
	if (p->pricing.keeps_terms) {
		if (!ss_kernel_breakdown(p->kernel, &batch, p->pricing.figure, &p->one))
			add_terms(&p->total, &p->one);
	} else {
		ss_kernel_step_of(p->kernel, &batch, p->pricing.figure, &p->one.step);
	}
	add_step(&p->total.step, &p->one.step);
	return ss_step_figure(&p->one.step, p->pricing.figure);
}

static int64_t request_blocks(void *context, int64_t tokens)
{
	const struct ss_serve_pricer *p = context;

	return pool_plan_blocks(&p->kernel->pool_plan, tokens);
}

static double transfer_s(void *context, int64_t tokens)
{
	const struct ss_serve_pricer *p = context;

	return ss_kernel_pd_transfer_s(p->kernel, tokens, p->pricing.place);
}

static const struct plan_host *host_of(const struct ss_serve_pricer *p)
{
	if (!p->has_band)
		return &p->kernel->plan.host;
	return p->pricing.side == SS_SERVE_SLOW ? &p->band.slow.host : &p->band.fast.host;
}

static enum ss_status check(const struct ss_kernel *k, struct ss_error *err)
{
	if (k->set.is_priority)
		return ss_fail(err, SS_EREFUSED, "engine.scheduling_policy",
			       "priority orders requests by a rank that no load states; serve "
			       "plays fcfs");
	if (!ss_kernel_has_price(k))
		return ss_fail(err, SS_EREFUSED, "",
			       "a step has no price: a coefficient that it reads is missing");
	if (k->pool.blocks <= 0)
		return ss_fail(err, SS_EREFUSED, "", "it does not fit: there is no room for KV");
	return SS_OK;
}

enum ss_status ss_serve_engine_of(struct ss_serve_engine *out, struct ss_serve_pricer *p,
				  struct ss_error *err)
{
	const struct ss_kernel *k = p->kernel;
	const struct plan_host *host = host_of(p);
	enum ss_status rc = check(k, err);

	if (rc)
		return rc;
	*out = (struct ss_serve_engine){
		.max_num_batched_tokens = k->set.max_batched_tokens,
		.max_num_seqs = k->set.max_num_seqs,
		.max_model_len = k->set.max_model_len,
		.block_size = k->pool.block_size,
		.blocks = k->pool.blocks,
		.long_prefill_token_threshold = k->set.long_prefill,
		.has_chunked_prefill = k->set.has_chunked_prefill,
		.has_prefix_caching = k->set.has_prefix_caching,
		.reserves_full_isl = k->set.reserves_full_isl,
		.is_block_aligned = strcmp(k->set.state_mode, "align") == 0,
		.drafts = k->set.spec_tokens,
		.acceptance = p->pricing.acceptance,
		.ranks = k->layout.dp,
		.is_lockstep = k->layout.dp > 1 && k->basis->has_experts,
		.replicas = k->set.replicas,
		.admission_request_s = host->admission_request.value * US,
		.admission_token_s = host->admission_token.value * US,
		.output_token_s = host->output_token.value * US,
		.completion_s = host->completion.value * US,
		.price = price,
		.request_blocks = request_blocks,
		.transfer_s = transfer_s,
		.context = p,
	};
	return SS_OK;
}
