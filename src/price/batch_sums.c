#include "price/batch_sums.h"

#include <math.h>
#include <string.h>

#include "price/attention.h"
#include "price/dcp.h"
#include "price/pcp.h"

/** Tokens one query of a decode reads through a selector, before sharding. */
static double selector_tokens(const struct plan_selector *s, double context)
{
	if (s->is_sparse)
		return selected(context, s->window, s->topk, s->ratio);
	return s->window > 0 ? fmin(context, s->window) : context;
}

/** The same on the slowest rank of a decode-context group. */
static double rank_tokens(const struct plan *plan, const struct plan_selector *s, double context)
{
	double tokens = selector_tokens(s, context);

	if (plan->dcp > 1 && s->is_sharded)
		return (double)dcp_share(llround(tokens), plan->dcp, plan->interleave);
	return tokens;
}

static double selector_pairs(const struct plan_selector *s, double scheduled, double computed)
{
	if (s->is_sparse)
		return pairs_sparse(scheduled, computed, s->window, s->topk, s->ratio);
	if (s->window > 0)
		return pairs_window(scheduled, computed, s->window);
	return pairs_causal(scheduled, computed);
}

static double split_pairs(const struct plan_selector *s, const struct pcp_split *split)
{
	if (s->is_sparse)
		return pcp_pairs_sparse(split, s->window, s->topk, s->ratio);
	if (s->window > 0)
		return pcp_pairs_window(split, s->window);
	return pcp_pairs_causal(split);
}

static void add_decode(struct batch_sums *out, const struct plan *plan, const struct ss_group *g,
		       double scheduled)
{
	double count = (double)g->count;
	double context = (double)(g->computed + g->scheduled);

	out->rows += count * scheduled;
	out->decodes += count;
	out->decode_tokens += count * scheduled;
	out->decode_context += count * context;
	for (int i = 0; i < plan->selector_count; i++) {
		const struct plan_selector *s = &plan->selectors[i];

		out->selected[i] +=
			count * rank_tokens(plan, s, context) * (s->is_per_token ? scheduled : 1);
	}
}

static void add_prefill(struct batch_sums *out, const struct plan *plan, const struct ss_group *g)
{
	double count = (double)g->count;
	double scheduled = (double)g->scheduled, computed = (double)g->computed;
	struct pcp_split split;
	double local = scheduled;

	if (plan->pcp > 1) {
		split = pcp_busiest(g->scheduled, g->computed, plan->pcp, plan->dcp);
		local = (double)split.tokens;
	}
	out->rows += count * local;
	out->prefills += count;
	out->prefill_tokens += count * local;
	out->prefill_context += count * (computed + scheduled);
	out->prefix_tokens += count * computed;
	out->causal_pairs += count * (plan->pcp > 1 ? pcp_pairs_causal(&split)
						    : pairs_causal(scheduled, computed));
	for (int i = 0; i < plan->selector_count; i++) {
		const struct plan_selector *s = &plan->selectors[i];

		out->pairs[i] += count * (plan->pcp > 1 ? split_pairs(s, &split)
							: selector_pairs(s, scheduled, computed));
	}
}

static int64_t threshold(const struct plan *plan, const struct ss_batch *batch)
{
	return batch->decode_threshold > 0 ? batch->decode_threshold : plan->default_threshold;
}

static void clear(struct batch_sums *out, const struct plan *plan)
{
	memset(out, 0, offsetof(struct batch_sums, selected));
	memset(out->selected, 0, (size_t)plan->selector_count * sizeof(out->selected[0]));
	memset(out->pairs, 0, (size_t)plan->selector_count * sizeof(out->pairs[0]));
	out->is_uniform = true;
}

void batch_sums_gather(struct batch_sums *out, const struct plan *plan,
		       const struct ss_batch *batch)
{
	int64_t limit = threshold(plan, batch);

	clear(out, plan);
	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];

		if (g->count <= 0 || g->scheduled <= 0)
			continue;
		out->requests += (double)g->count;
		out->has_computed |= g->computed > 0;
		out->is_uniform &= g->scheduled == plan->uniform_width;
		if (g->scheduled > limit)
			add_prefill(out, plan, g);
		else
			add_decode(out, plan, g, (double)g->scheduled);
	}
}

void batch_sums_draft(struct batch_sums *out, const struct plan *plan, const struct ss_batch *batch)
{
	int64_t limit = threshold(plan, batch);

	clear(out, plan);
	out->has_computed = true;
	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];

		if (g->count <= 0 || g->scheduled <= 0 || g->scheduled > limit)
			continue;
		out->requests += (double)g->count;
		add_decode(out, plan, g, 1);
	}
}
