/* Attention of a step, its exchanges between ranks, and links. */
#include <math.h>

#include "price/attention.h"
#include "price/collective.h"
#include "price/dcp.h"
#include "price/pcp.h"
#include "price/step_meter.h"

static const double US = 1e-6;

/** Seconds of a transfer; `slope` gets what is past the floor. */
static double link_s(const struct plan_link *l, double bytes, double *floor_s, double *slope_s)
{
	double t =
		collective_us(l->floor.value, l->transition.value, l->peak.value, bytes * l->span) *
		US;
	double floor = fmin(t, l->floor.value * US);

	*floor_s = floor;
	*slope_s = t - floor;
	return t;
}

/** Does the peak rate bind, and not the floor and slope? */
static bool is_at_peak(const struct plan_link *l, double bytes)
{
	return collective_us(l->floor.value, l->transition.value, l->peak.value, bytes * l->span) >
	       collective_us(l->floor.value, l->transition.value, 0, bytes * l->span);
}

void price_link(struct meter *m, const struct pass *pass, int kind, enum ss_term_id term,
		const struct plan_link *l, double bytes, double count, const char *detail)
{
	double floor_s, slope_s;
	double t = link_s(l, bytes, &floor_s, &slope_s) * count;
	bool at_peak;

	meter_charge(m, l->resource, t);
	if (!m->rows)
		return;
	at_peak = is_at_peak(l, bytes);
	meter_record(m, pass, term, l->resource, kind, detail, count, floor_s * count,
		     slope_s * count, 0, bytes * count, READS(l->floor.entry, l->assumed_entry),
		     READS(at_peak ? l->peak.entry : l->transition.entry,
			   at_peak ? l->transition.entry : l->peak.entry, l->assumed_entry));
}

static double decode_tokens_read(const struct pass *pass, const struct plan_attention *a)
{
	const struct batch_sums *s = &pass->sums;
	double t;

	if (!a->is_scorer)
		return s->selected[a->selector];
	t = scorer_tokens(s->decode_context, s->decodes, a->scorer_window, a->scorer_ratio);
	if (a->is_sharded && pass->plan->dcp > 1)
		t = (double)dcp_share(llround(t), pass->plan->dcp, pass->plan->interleave);
	return t;
}

static double price_decode(struct meter *m, const struct pass *pass, int kind,
			   const struct plan_attention *a)
{
	const struct plan *plan = pass->plan;
	double bytes = decode_tokens_read(pass, a) * a->bytes_per_token;
	double floor_s = 0, slope_s;
	bool is_measured = coef_is_set(a->decode_rate);

	if (is_measured) {
		floor_s = a->decode_floor.value * US;
		slope_s = bytes / a->decode_rate.value * US;
	} else {
		slope_s = bytes / plan->bandwidth;
	}
	meter_charge(m, SS_RESOURCE_HBM, floor_s + slope_s);
	if (m->rows)
		meter_record(m, pass,
			     a->is_scorer ? SS_TERM_SCORER_DECODE : SS_TERM_ATTENTION_DECODE,
			     SS_RESOURCE_HBM, kind, a->detail, 1, floor_s, slope_s, 0, bytes,
			     READS(is_measured ? a->decode_floor.entry : -1),
			     READS(is_measured ? a->decode_rate.entry : derate_entry(plan)));
	return floor_s;
}

static void price_prefill_family(struct meter *m, const struct pass *pass, int kind,
				 const struct plan_attention *a, double flops)
{
	const struct plan_prefill_family *f = &a->family;
	const struct batch_sums *s = &pass->sums;
	double bytes = s->prefill_context * a->family_bytes;
	double floor_s = f->floor.value * US;
	double slope_s = (s->prefills * f->request.value + s->prefill_tokens * f->token.value +
			  bytes / f->bytes.value) *
				 US +
			 flops / f->rate.value * US * pass->stretch;

	meter_charge(m, SS_RESOURCE_SM, floor_s + slope_s);
	if (m->rows)
		meter_record(
			m, pass, a->is_scorer ? SS_TERM_SCORER_PREFILL : SS_TERM_ATTENTION_PREFILL,
			SS_RESOURCE_SM, kind, a->detail, 1, floor_s, slope_s, flops, bytes,
			READS(f->floor.entry),
			READS(f->rate.entry, f->request.entry, f->token.entry, f->bytes.entry));
}

static double price_prefill(struct meter *m, const struct pass *pass, int kind,
			    const struct plan_attention *a)
{
	const struct plan *plan = pass->plan;
	const struct plan_rate *bf16 = &plan->rates[plan->bf16_rate];
	const struct batch_sums *s = &pass->sums;
	double pairs =
		a->is_scorer ? s->causal_pairs / fmax(a->scorer_ratio, 1) : s->pairs[a->selector];
	double flops = pairs * a->pair_flops * a->prefill_width;
	double floor_s = 0, slope_s;
	bool has_scale = coef_is_set(a->work_scale);

	if (a->family.is_used) {
		price_prefill_family(m, pass, kind, a, flops);
		return 0;
	}
	if (a->corrected_width > 0 &&
	    (pass->corrections & (1u << SS_DIVERGENCE_LATENT_PREFILL_WIDTH)))
		flops = pairs * 2 * a->corrected_width + s->prefix_tokens * a->prefix_flops;
	slope_s = flops * pass->attention_flop_s;
	if (has_scale) {
		floor_s = a->prefill_floor.value * US;
		slope_s /= a->work_scale.value;
	}
	meter_charge(m, SS_RESOURCE_SM, floor_s + slope_s);
	if (m->rows)
		meter_record(m, pass,
			     a->is_scorer ? SS_TERM_SCORER_PREFILL : SS_TERM_ATTENTION_PREFILL,
			     SS_RESOURCE_SM, kind, a->detail, 1, floor_s, slope_s, flops, 0,
			     READS(has_scale ? a->prefill_floor.entry : -1, a->prefill_entry),
			     READS(bf16->eps.entry, bf16->m_half.entry, a->work_scale.entry,
				   a->prefill_entry));
	return floor_s;
}

/** A mixed step on one kernel sets up once: the smaller floor goes. */
static void price_fused_floor(struct meter *m, const struct pass *pass, int kind,
			      double decode_floor_s, double prefill_floor_s,
			      const struct plan_attention *a)
{
	bool is_prefill = prefill_floor_s <= decode_floor_s;
	double seconds = is_prefill ? prefill_floor_s : decode_floor_s;
	enum ss_resource resource = is_prefill ? SS_RESOURCE_SM : SS_RESOURCE_HBM;

	if (seconds <= 0)
		return;
	meter_charge(m, resource, -seconds);
	if (m->rows)
		meter_record(m, pass, SS_TERM_FUSED_FLOOR, resource, kind, a->detail, 1, -seconds,
			     0, 0, 0,
			     READS(is_prefill ? a->prefill_floor.entry : a->decode_floor.entry),
			     READS(-1));
}

void price_exchanges(struct meter *m, const struct pass *pass, int kind,
		     const struct plan_attention *a)
{
	const struct plan *plan = pass->plan;
	const struct batch_sums *s = &pass->sums;
	double rows = dcp_rows(a->is_latent, s->decode_tokens, s->rows, s->has_computed);

	if (plan->dcp > 1 && !a->is_scorer && a->is_sharded && rows > 0) {
		if (plan->has_dcp_query)
			price_link(m, pass, kind, SS_TERM_DCP, &plan->dcp_query,
				   rows * a->dcp_row_width, 1, "query gather");
		if (plan->has_dcp_a2a) {
			price_link(m, pass, kind, SS_TERM_DCP, &plan->dcp_a2a,
				   rows * a->dcp_a2a_width, 1, "combine all-to-all");
		} else {
			price_link(m, pass, kind, SS_TERM_DCP, &plan->dcp_lse,
				   rows * a->dcp_lse_width, 1, "combine weights");
			price_link(m, pass, kind, SS_TERM_DCP, &plan->dcp_out,
				   rows * a->dcp_out_width, 1, "combine outputs");
		}
	}
	if (plan->dcp > 1 && !a->is_scorer && a->is_sharded && a->is_latent && s->prefills > 0) {
		struct dcp_runs walk = {
			.groups = pass->batch->groups,
			.count = pass->batch->group_count,
			.threshold = pass->batch->decode_threshold > 0
					     ? pass->batch->decode_threshold
					     : plan->default_threshold,
		};
		int64_t prefix;

		while ((prefix = dcp_next_run(&walk)) > 0) {
			double gathers = (double)dcp_gathers(prefix, plan->context_chunk);

			price_link(m, pass, kind, SS_TERM_DCP, &plan->dcp_prefix,
				   (double)prefix * a->latent_width / gathers, gathers,
				   "prefix gather");
		}
	}
	if (plan->pcp > 1 && s->prefill_tokens > 0)
		for (size_t i = 0; i < 4 && a->pcp_widths[i] > 0; i++)
			price_link(m, pass, kind, SS_TERM_PCP, &plan->pcp_gather,
				   pcp_gather_rows(s->prefill_tokens, plan->pcp) * a->pcp_widths[i],
				   1, "key gather");
}

void price_attention(struct meter *m, const struct pass *pass, const struct plan_layer *l,
		     const struct plan_attention *a)
{
	const struct batch_sums *s = &pass->sums;
	double decode_floor_s = 0, prefill_floor_s = 0;

	if (s->decodes > 0)
		decode_floor_s = price_decode(m, pass, l->kind, a);
	if (s->prefills > 0)
		prefill_floor_s = price_prefill(m, pass, l->kind, a);
	if (!a->is_scorer && l->may_fuse && s->decodes > 0 && s->prefills > 0)
		price_fused_floor(m, pass, l->kind, decode_floor_s, prefill_floor_s, a);
}
