#include "price/rescale.h"

#include <stdlib.h>
#include <string.h>

/** What multiplies the coefficients of a plan. */
struct scaler {
	struct plan *plan;
	rescale_fn *factor;
	const void *context;
};

bool rescale_new(struct plan *out, const struct plan *base)
{
	*out = *base;
	out->ops = calloc(base->op_count + 1, sizeof(*out->ops));
	out->times = calloc(base->time_count + 1, sizeof(*out->times));
	return out->ops && out->times;
}

void rescale_release(struct plan *plan)
{
	free(plan->ops);
	free(plan->times);
	plan->ops = NULL;
	plan->times = NULL;
}

static double factor_of(const struct scaler *s, int entry)
{
	return entry < 0 ? 1 : s->factor(entry, s->context);
}

static void scale(const struct scaler *s, struct coef *c)
{
	c->value *= factor_of(s, c->entry);
}

/** A product's FLOPs hold the shape factor, which bends: add it up anew. */
static void scale_gemm(const struct scaler *s, struct plan_gemm *g)
{
	const struct plan_rate *rate;
	double n_half, k_half;

	if (g->rate < 0)
		return;
	rate = &s->plan->rates[g->rate];
	if (!coef_is_set(rate->n_half) || !coef_is_set(rate->k_half))
		return;
	n_half = rate->n_half.value;
	k_half = rate->k_half.value;
	g->flops = g->shard_flops + n_half * g->per_n + k_half * g->per_k +
		   n_half * k_half * g->per_nk;
}

static void scale_experts(const struct scaler *s, struct plan_experts *e)
{
	e->flops *= factor_of(s, e->imbalance.entry);
	scale(s, &e->imbalance);
	scale_gemm(s, &e->shared);
}

static void scale_attention(const struct scaler *s, struct plan_attention *a)
{
	scale(s, &a->decode_floor);
	scale(s, &a->decode_rate);
	scale(s, &a->prefill_floor);
	scale(s, &a->work_scale);
	scale(s, &a->family.floor);
	scale(s, &a->family.rate);
	scale(s, &a->family.request);
	scale(s, &a->family.token);
	scale(s, &a->family.bytes);
}

static void scale_recurrent(const struct scaler *s, struct plan_recurrent *r)
{
	scale(s, &r->decode_floor);
	scale(s, &r->decode_rate);
	scale(s, &r->prefill_floor);
	scale(s, &r->prefill_rate);
	/* the assumption stands in for a rate */
	r->prefill_flops /= factor_of(s, r->prefill_entry);
}

static void scale_link(const struct scaler *s, struct plan_link *l)
{
	scale(s, &l->floor);
	scale(s, &l->transition);
	scale(s, &l->peak);
}

static void scale_op(const struct scaler *s, struct plan_op *op)
{
	switch (op->kind) {
	case PLAN_GEMM:
		scale_gemm(s, &op->u.gemm);
		break;
	case PLAN_EXPERTS:
		scale_experts(s, &op->u.experts);
		break;
	case PLAN_ATTENTION:
		scale_attention(s, &op->u.attention);
		break;
	case PLAN_RECURRENT:
		scale_recurrent(s, &op->u.recurrent);
		break;
	case PLAN_LINK:
		scale_link(s, &op->u.link);
		break;
	case PLAN_MHC:
		scale(s, &op->u.mhc.floor);
		scale(s, &op->u.mhc.rate);
		break;
	case PLAN_TABLE:
		op->u.table.rate.value *= factor_of(s, op->u.table.assumed_entry);
		scale(s, &op->u.table.rate);
		break;
	}
}

/** A law's rate of links stands in where no collective was measured. */
static void scale_time_link(const struct scaler *s, struct time_link *l)
{
	scale(s, &l->scale);
	scale(s, &l->eager_scale);
	scale(s, &l->over_scale);
	if (!l->has_law)
		return;
	l->law_floor_us *= factor_of(s, l->law_entries[0]);
	l->law_transition *= factor_of(s, l->law_entries[1]);
	l->law_peak *= factor_of(s, l->law_entries[2]);
}

static void scale_time(const struct scaler *s, struct time_node *n)
{
	switch (n->shape) {
	case TIME_GEMM:
	case TIME_HEAD:
		scale(s, &n->u.gemm.scale);
		break;
	case TIME_MOE:
		scale(s, &n->u.moe.scale);
		break;
	case TIME_SHARED:
		scale(s, &n->u.shared.up.scale);
		scale(s, &n->u.shared.down.scale);
		scale(s, &n->u.shared.glue);
		break;
	case TIME_DECODE:
		scale(s, &n->u.decode.scale);
		break;
	case TIME_PREFILL:
		scale(s, &n->u.prefill.scale);
		break;
	case TIME_SMALL:
		scale(s, &n->u.small.glue);
		break;
	case TIME_LINK:
		scale_time_link(s, &n->u.link);
		break;
	}
}

static void scale_machine(const struct scaler *s)
{
	struct plan *plan = s->plan;

	plan->bandwidth *= factor_of(s, plan->derate.entry);
	scale(s, &plan->derate);
	for (int i = 0; i < plan->rate_count; i++) {
		struct plan_rate *rate = &plan->rates[i];

		scale(s, &rate->eps);
		scale(s, &rate->m_half);
		scale(s, &rate->n_half);
		scale(s, &rate->k_half);
		rate->peak *= factor_of(s, rate->peak_entry);
	}
}

static void scale_host(const struct scaler *s, struct plan_host *h)
{
	scale(s, &h->replay);
	scale(s, &h->eager);
	scale(s, &h->per_kernel);
	scale(s, &h->per_request);
}

void rescale(struct plan *out, const struct plan *base, rescale_fn *factor, const void *context)
{
	struct scaler s = { .plan = out, .factor = factor, .context = context };
	struct plan_op *ops = out->ops;
	struct time_node *times = out->times;

	*out = *base;
	out->ops = ops;
	out->times = times;
	memcpy(times, base->times, base->time_count * sizeof(*times));
	memcpy(ops, base->ops, base->op_count * sizeof(*ops));
	scale_machine(&s);
	for (size_t i = 0; i < out->op_count; i++)
		scale_op(&s, &ops[i]);
	for (size_t i = 0; i < out->head_count; i++)
		scale_gemm(&s, &out->head[i]);
	scale_link(&s, &out->dcp_query);
	scale_link(&s, &out->dcp_lse);
	scale_link(&s, &out->dcp_out);
	scale_link(&s, &out->dcp_a2a);
	scale_link(&s, &out->dcp_prefix);
	scale_link(&s, &out->pcp_gather);
	scale_host(&s, &out->host);
	for (size_t i = 0; i < out->time_count; i++)
		scale_time(&s, &times[i]);
	scale(&s, &out->time_host.prefill_step);
	scale(&s, &out->time_host.sync_base);
	scale(&s, &out->time_host.sync_request);
}
