#include "price/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "price/attention.h"
#include "price/batch_sums.h"
#include "price/collective.h"
#include "price/dcp.h"
#include "price/experts.h"
#include "price/pcp.h"
#include "price/ramp.h"
#include "price/step_times.h"

static const double US = 1e-6;

/** One pass being priced: main or draft. */
struct pass {
	const struct plan *plan;
	const struct ss_batch *batch;
	struct batch_sums sums;
	unsigned corrections;
	double stretch;                /**< FLOP-derived times, for a smaller SM budget */
	double work_rows;              /**< rows of GEMMs: T, or the padded graph size */
	double rate_s[PLAN_RATES_MAX]; /**< seconds of one FLOP a row, over all rows */
	double attention_flop_s;       /**< seconds of one attention FLOP on the BF16 ramp */
	bool is_draft;
};

/** Where charges go: one layer, then the step. */
struct meter {
	struct step_rows *rows;          /**< NULL in the plain call, and for what is left out */
	struct step_rows *all_rows;      /**< those asked for */
	bool is_kernels;                 /**< rows of the figure Kernels */
	size_t layer_mark;               /**< first row of the layer being priced */
	double layer[SS_RESOURCE_COUNT]; /**< of one layer, without experts */
	double expert_compute_s, expert_read_s;
	double serial_s; /**< of one layer */
	/* the step */
	double resource_s[SS_RESOURCE_COUNT];
	double overlap_s, step_serial_s;
	struct times_sum kernels; /**< Kernels: what no measured time holds for, and the host */
};

/** Entries a row read; absent ones (-1) are skipped, -2 ends. */
static void keep_reads(int *out, const int *reads)
{
	size_t n = 0;

	for (size_t i = 0; reads[i] != -2; i++)
		if (reads[i] >= 0 && n < SS_READS_MAX - 1)
			out[n++] = reads[i];
	out[n] = -1;
}

#define READS(...) ((const int[]){ __VA_ARGS__, -2 })

struct ss_term *step_row_add(struct step_rows *rows)
{
	if (rows->count == rows->capacity) {
		size_t wanted = rows->capacity ? rows->capacity * 2 : 64;
		struct ss_term *terms = realloc(rows->terms, wanted * sizeof(*terms));

		if (!terms) {
			rows->is_incomplete = true;
			return NULL;
		}
		rows->terms = terms;
		rows->capacity = wanted;
	}
	rows->terms[rows->count] = (struct ss_term){ .floor_reads = { -1 },
						     .slope_reads = { -1 },
						     .time_node = -1 };
	return &rows->terms[rows->count++];
}

static void record(struct meter *m, const struct pass *pass, enum ss_term_id term,
		   enum ss_resource resource, int kind, const char *detail, double count,
		   double floor_s, double slope_s, double flops, double bytes,
		   const int *floor_reads, const int *slope_reads)
{
	struct ss_term *row = step_row_add(m->rows);

	if (!row)
		return;
	row->term = term;
	row->resource = resource;
	row->kind = kind;
	row->is_draft = pass->is_draft;
	row->count = count;
	row->floor_s = floor_s;
	row->slope_s = slope_s;
	row->flops = flops;
	row->bytes = bytes;
	row->detail = detail ? detail : "";
	keep_reads(row->floor_reads, floor_reads);
	keep_reads(row->slope_reads, slope_reads);
}

static void charge(struct meter *m, enum ss_resource resource, double seconds)
{
	m->layer[resource] += seconds;
	m->serial_s += seconds;
}

static int derate_entry(const struct plan *plan)
{
	return plan->derate.entry;
}

#define RATE_READS(r)                                                                \
	READS((r)->eps.entry, (r)->m_half.entry, (r)->peak_entry, (r)->n_half.entry, \
	      (r)->k_half.entry)

/** A GEMM: compute on sm, weights on hbm; one kernel takes the larger of the two. */
static void price_gemm(struct meter *m, const struct pass *pass, int kind,
		       const struct plan_gemm *g, double count, bool is_shared)
{
	const struct plan *plan = pass->plan;
	double compute_s = g->flops * pass->rate_s[g->rate];
	double read_s = g->bytes / plan->bandwidth;
	double hidden_s = fmin(compute_s, read_s);

	m->layer[SS_RESOURCE_SM] += compute_s;
	m->layer[SS_RESOURCE_HBM] += read_s;
	m->serial_s += compute_s + read_s - hidden_s;
	if (!m->rows)
		return;
	record(m, pass, is_shared ? SS_TERM_SHARED : SS_TERM_DENSE, SS_RESOURCE_SM, kind,
	       plan->rates[g->rate].detail, count, 0, compute_s, g->shard_flops * pass->work_rows,
	       0, READS(-1), RATE_READS(&plan->rates[g->rate]));
	if (compute_s <= read_s && m->rows->count)
		m->rows->terms[m->rows->count - 1].hidden_s[SS_FIGURE_SERIAL] = compute_s;
	record(m, pass, is_shared ? SS_TERM_SHARED_READ : SS_TERM_DENSE_READ, SS_RESOURCE_HBM, kind,
	       plan->rates[g->rate].detail, count, 0, read_s, 0, g->bytes, READS(-1),
	       READS(derate_entry(plan)));
	if (compute_s > read_s && m->rows->count)
		m->rows->terms[m->rows->count - 1].hidden_s[SS_FIGURE_SERIAL] = read_s;
}

/** Routed experts of a layer, the shared ones apart. */
static void price_routed(struct meter *m, const struct pass *pass, int kind,
			 const struct plan_experts *e, bool is_divided)
{
	const struct plan *plan = pass->plan;
	const struct plan_rate *rate = &plan->rates[e->rate];
	double flops = e->flops;
	double touched =
		experts_touched(round(pass->work_rows * e->funnel), e->experts, e->top_k, e->local);
	double bytes = touched * e->expert_bytes;
	double compute_s, read_s = bytes / plan->bandwidth;

	if (is_divided)
		flops /= e->sharded;
	compute_s = flops * pass->rate_s[e->rate];
	m->expert_compute_s += compute_s;
	m->expert_read_s += read_s;
	m->serial_s += compute_s + read_s;
	if (!m->rows)
		return;
	record(m, pass, SS_TERM_EXPERTS, SS_RESOURCE_SM, kind, rate->detail, 1, 0, compute_s,
	       flops * pass->work_rows, 0, READS(-1),
	       READS(rate->eps.entry, rate->m_half.entry, rate->peak_entry, e->imbalance.entry));
	record(m, pass, SS_TERM_EXPERTS_READ, SS_RESOURCE_HBM, kind, rate->detail, 1, 0, read_s, 0,
	       bytes, READS(-1), READS(derate_entry(plan)));
}

static void price_experts(struct meter *m, const struct pass *pass, int kind,
			  const struct plan_experts *e)
{
	price_routed(m, pass, kind, e,
		     pass->corrections & (1u << SS_DIVERGENCE_EXPERT_TENSOR_SHARDING));
	if (e->shared.rate >= 0)
		price_gemm(m, pass, kind, &e->shared, 1, true);
}

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

static void price_link(struct meter *m, const struct pass *pass, int kind, enum ss_term_id term,
		       const struct plan_link *l, double bytes, double count, const char *detail)
{
	double floor_s, slope_s;
	double t = link_s(l, bytes, &floor_s, &slope_s) * count;
	bool at_peak;

	charge(m, l->resource, t);
	if (!m->rows)
		return;
	at_peak = is_at_peak(l, bytes);
	record(m, pass, term, l->resource, kind, detail, count, floor_s * count, slope_s * count, 0,
	       bytes * count, READS(l->floor.entry, l->assumed_entry),
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
	charge(m, SS_RESOURCE_HBM, floor_s + slope_s);
	if (m->rows)
		record(m, pass, a->is_scorer ? SS_TERM_SCORER_DECODE : SS_TERM_ATTENTION_DECODE,
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

	charge(m, SS_RESOURCE_SM, floor_s + slope_s);
	if (m->rows)
		record(m, pass, a->is_scorer ? SS_TERM_SCORER_PREFILL : SS_TERM_ATTENTION_PREFILL,
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
	charge(m, SS_RESOURCE_SM, floor_s + slope_s);
	if (m->rows)
		record(m, pass, a->is_scorer ? SS_TERM_SCORER_PREFILL : SS_TERM_ATTENTION_PREFILL,
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
	charge(m, resource, -seconds);
	if (m->rows)
		record(m, pass, SS_TERM_FUSED_FLOOR, resource, kind, a->detail, 1, -seconds, 0, 0,
		       0, READS(is_prefill ? a->prefill_floor.entry : a->decode_floor.entry),
		       READS(-1));
}

static void price_exchanges(struct meter *m, const struct pass *pass, int kind,
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

static void price_attention(struct meter *m, const struct pass *pass, const struct plan_layer *l,
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

static void price_recurrent(struct meter *m, const struct pass *pass, int kind,
			    const struct plan_recurrent *r)
{
	const struct batch_sums *s = &pass->sums;
	const struct plan_rate *rate = &pass->plan->rates[r->rate];

	if (s->decode_tokens > 0 && coef_is_set(r->decode_rate) && coef_is_set(r->decode_floor)) {
		double floor_s = r->decode_floor.value * US;
		double slope_s = s->decode_tokens / r->decode_rate.value * US;

		charge(m, SS_RESOURCE_SM, floor_s + slope_s);
		if (m->rows)
			record(m, pass, SS_TERM_RECURRENT, SS_RESOURCE_SM, kind, r->detail, 1,
			       floor_s, slope_s, 0, 0, READS(r->decode_floor.entry),
			       READS(r->decode_rate.entry));
	}
	if (s->prefill_tokens > 0) {
		bool is_measured = coef_is_set(r->prefill_rate);
		double flops = s->prefill_tokens * r->prefill_flops;
		double floor_s = is_measured ? r->prefill_floor.value * US : 0;
		double slope_s =
			is_measured ? s->prefill_tokens / r->prefill_rate.value * US * pass->stretch
				    : flops * pass->attention_flop_s;

		charge(m, SS_RESOURCE_SM, floor_s + slope_s);
		if (m->rows)
			record(m, pass, SS_TERM_RECURRENT, SS_RESOURCE_SM, kind, r->detail, 1,
			       floor_s, slope_s, is_measured ? 0 : flops, 0,
			       READS(is_measured ? r->prefill_floor.entry : -1),
			       READS(is_measured ? r->prefill_rate.entry : rate->eps.entry,
				     is_measured ? -1 : rate->m_half.entry, r->prefill_entry));
	}
}

static void price_mhc(struct meter *m, const struct pass *pass, int kind, const struct plan_mhc *h)
{
	double floor_s = h->is_measured ? h->floor.value * US : 0;
	double bytes = h->is_measured ? 0 : pass->work_rows * h->bytes;
	double slope_s = h->is_measured ? pass->work_rows / h->rate.value * US
					: bytes / pass->plan->bandwidth;

	charge(m, SS_RESOURCE_HBM, floor_s + slope_s);
	if (m->rows)
		record(m, pass, SS_TERM_MHC, SS_RESOURCE_HBM, kind, h->detail, 1, floor_s, slope_s,
		       0, bytes, READS(h->is_measured ? h->floor.entry : -1),
		       READS(h->is_measured ? h->rate.entry : derate_entry(pass->plan),
			     h->assumed_entry));
}

static void price_table(struct meter *m, const struct pass *pass, int kind,
			const struct plan_table *t)
{
	double bytes = pass->sums.rows * t->bytes;
	double seconds = t->is_host ? bytes / t->rate.value * US : bytes / pass->plan->bandwidth;
	enum ss_resource resource = t->is_host ? SS_RESOURCE_PCIE : SS_RESOURCE_HBM;

	charge(m, resource, seconds);
	if (m->rows)
		record(m, pass, SS_TERM_TABLE, resource, kind, "", 1, 0, seconds, 0, bytes,
		       READS(-1),
		       READS(t->is_host ? t->rate.entry : derate_entry(pass->plan),
			     t->assumed_entry));
}

static void price_op(struct meter *m, const struct pass *pass, const struct plan_layer *l,
		     const struct plan_op *op)
{
	switch (op->kind) {
	case PLAN_GEMM:
		price_gemm(m, pass, l->kind, &op->u.gemm, op->count, false);
		break;
	case PLAN_EXPERTS:
		price_experts(m, pass, l->kind, &op->u.experts);
		break;
	case PLAN_ATTENTION:
		price_attention(m, pass, l, &op->u.attention);
		break;
	case PLAN_RECURRENT:
		price_recurrent(m, pass, l->kind, &op->u.recurrent);
		break;
	case PLAN_LINK:
		price_link(m, pass, l->kind, op->u.link.term, &op->u.link,
			   pass->work_rows * op->u.link.row_bytes, op->count, "");
		break;
	case PLAN_MHC:
		price_mhc(m, pass, l->kind, &op->u.mhc);
		break;
	case PLAN_TABLE:
		price_table(m, pass, l->kind, &op->u.table);
		break;
	}
}

/** Multiply a layer's rows by its count and hide what another resource outlasts. */
static void settle_rows(struct meter *m, double times, int slowest)
{
	for (size_t i = m->layer_mark; i < m->rows->count; i++) {
		struct ss_term *row = &m->rows->terms[i];
		bool is_expert = row->term == SS_TERM_EXPERTS || row->term == SS_TERM_EXPERTS_READ;

		row->count *= times;
		row->floor_s *= times;
		row->slope_s *= times;
		row->flops *= times;
		row->bytes *= times;
		row->hidden_s[SS_FIGURE_SERIAL] *= times;
		if (!is_expert && (int)row->resource != slowest)
			row->hidden_s[SS_FIGURE_OVERLAP] = row->floor_s + row->slope_s;
	}
}

/** An operation that Kernels takes from the laws, its charges kept apart. */
static void price_by_laws(struct meter *m, const struct pass *pass, const struct plan_layer *l,
			  const struct plan_op *op, double times, bool is_exchange)
{
	double before[SS_RESOURCE_COUNT];

	memcpy(before, m->layer, sizeof(before));
	if (is_exchange)
		price_exchanges(m, pass, l->kind, &op->u.attention);
	else
		price_op(m, pass, l, op);
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		m->kernels.resource_s[r] += times * (m->layer[r] - before[r]);
}

/** Routed experts that nothing was measured for: as Serial has them, divided by tp. */
static void price_experts_by_laws(struct meter *m, const struct pass *pass,
				  const struct plan_layer *l, const struct plan_experts *e,
				  double times)
{
	struct meter apart = { .rows = m->is_kernels ? m->all_rows : NULL };

	if (!m->is_kernels)
		return;
	price_routed(&apart, pass, l->kind, e, true);
	m->kernels.resource_s[SS_RESOURCE_SM] += times * apart.expert_compute_s;
	m->kernels.resource_s[SS_RESOURCE_HBM] += times * apart.expert_read_s;
}

/** Rows are of what the figure holds. */
static void choose_rows(struct meter *m, bool is_of_kernels)
{
	m->rows = !m->is_kernels || is_of_kernels ? m->all_rows : NULL;
}

static void price_layer(struct meter *m, const struct pass *pass, const struct plan_layer *l,
			double times)
{
	const struct plan *plan = pass->plan;
	int slowest = SS_RESOURCE_SM;

	memset(m->layer, 0, sizeof(m->layer));
	m->expert_compute_s = m->expert_read_s = m->serial_s = 0;
	m->layer_mark = m->all_rows ? m->all_rows->count : 0;
	for (size_t i = 0; i < l->op_count; i++) {
		const struct plan_op *op = &plan->ops[l->first_op + i];

		choose_rows(m, op->is_by_laws && op->kind != PLAN_EXPERTS);
		if (op->is_by_laws && op->kind != PLAN_EXPERTS)
			price_by_laws(m, pass, l, op, times, false);
		else
			price_op(m, pass, l, op);
		if (op->is_by_laws && op->kind == PLAN_EXPERTS)
			price_experts_by_laws(m, pass, l, &op->u.experts, times);
		if (op->kind == PLAN_ATTENTION && (plan->dcp > 1 || plan->pcp > 1)) {
			choose_rows(m, true);
			price_by_laws(m, pass, l, op, times, true);
		}
	}
	choose_rows(m, false);
	if (l->elementwise_bytes > 0) {
		double bytes = pass->work_rows * l->elementwise_bytes;
		double seconds = bytes / plan->bandwidth;

		charge(m, SS_RESOURCE_HBM, seconds);
		if (m->rows)
			record(m, pass, SS_TERM_ELEMENTWISE, SS_RESOURCE_HBM, l->kind, "", 1, 0,
			       seconds, 0, bytes, READS(-1), READS(derate_entry(plan)));
	}
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		if (m->layer[r] > m->layer[slowest])
			slowest = r;
	m->overlap_s += times * (m->layer[slowest] + m->expert_compute_s + m->expert_read_s);
	m->step_serial_s += times * m->serial_s;
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		m->resource_s[r] += times * m->layer[r];
	m->resource_s[SS_RESOURCE_SM] += times * m->expert_compute_s;
	m->resource_s[SS_RESOURCE_HBM] += times * m->expert_read_s;
	choose_rows(m, true);
	if (m->rows)
		settle_rows(m, times, slowest);
}

/** Rows the head works on: the engine computes one a request, the law all. */
static double head_rows(const struct pass *pass)
{
	if (pass->corrections & (1u << SS_DIVERGENCE_HEAD_ROWS))
		return pass->sums.decode_tokens + pass->sums.prefills;
	return pass->sums.rows;
}

static double rows_s(const struct plan_rate *r, double rows, double stretch)
{
	double efficiency = ramp(r->eps.value, r->m_half.value, rows);

	return efficiency > 0 ? rows / (r->peak * efficiency) * stretch : 0;
}

static void price_head(struct meter *m, const struct pass *pass, double times)
{
	const struct plan *plan = pass->plan;
	double rows = head_rows(pass);
	double compute_s = 0, read_s = 0, longest_s;
	size_t mark;

	choose_rows(m, false);
	mark = m->rows ? m->rows->count : 0;
	for (size_t i = 0; i < plan->head_count; i++) {
		const struct plan_gemm *g = &plan->head[i];
		const struct plan_rate *rate = &plan->rates[g->rate];
		double gemm_s = g->flops * rows_s(rate, rows, pass->stretch);

		compute_s += gemm_s;
		read_s += g->bytes / plan->bandwidth;
		if (!m->rows)
			continue;
		record(m, pass, SS_TERM_HEAD, SS_RESOURCE_SM, -1, rate->detail, times, 0,
		       times * gemm_s, times * g->shard_flops * rows, 0, READS(-1),
		       RATE_READS(rate));
		record(m, pass, SS_TERM_HEAD_READ, SS_RESOURCE_HBM, -1, rate->detail, times, 0,
		       times * g->bytes / plan->bandwidth, 0, times * g->bytes, READS(-1),
		       READS(derate_entry(plan)));
	}
	longest_s = fmax(compute_s, read_s);
	m->overlap_s += times * longest_s;
	m->step_serial_s += times * longest_s;
	m->resource_s[SS_RESOURCE_SM] += times * compute_s;
	m->resource_s[SS_RESOURCE_HBM] += times * read_s;
	for (size_t i = mark; m->rows && i < m->rows->count; i++) {
		struct ss_term *row = &m->rows->terms[i];

		if ((row->resource == SS_RESOURCE_SM) != (compute_s > read_s)) {
			row->hidden_s[SS_FIGURE_SERIAL] = row->slope_s;
			row->hidden_s[SS_FIGURE_OVERLAP] = row->slope_s;
		}
	}
}

/** Rows of GEMMs under graph padding: the next size captured. */
static double padded_rows(const struct plan *plan, double rows, enum ss_graph graph)
{
	if (graph == SS_GRAPH_EAGER)
		return rows;
	for (size_t i = 0; i < plan->captured_count; i++)
		if ((double)plan->captured[i] >= rows)
			return (double)plan->captured[i];
	return rows;
}

static void pass_start(struct pass *pass, enum ss_graph graph)
{
	const struct plan *plan = pass->plan;
	const struct plan_rate *bf16 = &plan->rates[plan->bf16_rate];
	double efficiency;

	pass->work_rows = pass->sums.rows;
	if (pass->corrections & (1u << SS_DIVERGENCE_GRAPH_PADDING))
		pass->work_rows = padded_rows(plan, pass->sums.rows, graph);
	for (int i = 0; i < plan->rate_count; i++)
		pass->rate_s[i] = rows_s(&plan->rates[i], pass->work_rows, pass->stretch);
	efficiency = ramp(bf16->eps.value, bf16->m_half.value, pass->sums.rows);
	pass->attention_flop_s = efficiency > 0 ? pass->stretch / (bf16->peak * efficiency) : 0;
}

/** Launches are in the floors of measured kernels; all else the host does is in both. */
static void host_row(struct meter *m, const struct pass *pass, enum ss_term_id term, double seconds,
		     double count, struct coef c)
{
	m->resource_s[SS_RESOURCE_HOST] += seconds;
	choose_rows(m, term != SS_TERM_LAUNCH);
	if (term != SS_TERM_LAUNCH)
		m->kernels.resource_s[SS_RESOURCE_HOST] += seconds;
	/* what device work hides is read all the same */
	if (m->rows && coef_is_set(c) && count > 0)
		record(m, pass, term, SS_RESOURCE_HOST, -2, "", count, 0, seconds, 0, 0, READS(-1),
		       READS(c.entry));
}

static void price_graph(struct meter *m, const struct pass *pass, enum ss_graph graph)
{
	const struct plan_host *h = &pass->plan->host;
	double segments = (double)pass->plan->segments, kernels = (double)pass->plan->kernels;

	switch (graph) {
	case SS_GRAPH_FULL:
		host_row(m, pass, SS_TERM_GRAPH, h->replay.value * US, 1, h->replay);
		break;
	case SS_GRAPH_PIECEWISE:
		host_row(m, pass, SS_TERM_GRAPH, h->replay.value * segments * US, segments,
			 h->replay);
		break;
	case SS_GRAPH_EAGER:
		host_row(m, pass, SS_TERM_GRAPH, h->eager.value * kernels * US, kernels, h->eager);
		break;
	}
}

/** Per-request scheduling: in series, or only what the device work does not cover. */
static void price_requests(struct meter *m, const struct pass *pass)
{
	const struct plan_host *h = &pass->plan->host;
	double seconds = h->per_request.value * pass->sums.requests * US;

	if (h->is_async) {
		double device_s = 0;

		for (int r = 0; r < SS_RESOURCE_COUNT; r++)
			if (r != SS_RESOURCE_HOST)
				device_s += m->resource_s[r];
		seconds = fmax(seconds - device_s, 0);
	}
	host_row(m, pass, SS_TERM_REQUESTS, seconds, pass->sums.requests, h->per_request);
}

static void price_drafts(struct meter *m, struct pass *pass, enum ss_graph graph)
{
	const struct plan *plan = pass->plan;
	double times = (double)plan->draft_passes;

	batch_sums_draft(&pass->sums, plan, pass->batch);
	pass->is_draft = true;
	pass_start(pass, graph);
	for (size_t i = 0; i < plan->layer_count; i++)
		if (plan->layers[i].draft_count > 0)
			price_layer(m, pass, &plan->layers[i], times * plan->layers[i].draft_count);
	price_head(m, pass, times);
	if (m->is_kernels)
		times_price(plan, &pass->sums, graph, times, true, &m->kernels,
			    m->all_rows);
	host_row(m, pass, SS_TERM_LAUNCH,
		 times * (double)plan->draft_kernels * plan->host.per_kernel.value * US,
		 times * (double)plan->draft_kernels, plan->host.per_kernel);
}

/** Host work that Kernels alone charges. */
static void kernels_host(struct meter *m, const struct pass *pass, enum ss_term_id term,
			 double count, struct coef c)
{
	double seconds = c.value * count * US;

	m->kernels.resource_s[SS_RESOURCE_HOST] += seconds;
	m->rows = m->is_kernels ? m->all_rows : NULL;
	if (m->rows && seconds > 0)
		record(m, pass, term, SS_RESOURCE_HOST, -2, "", count, 0, seconds, 0, 0, READS(-1),
		       READS(c.entry));
}

static void price_kernels(struct meter *m, const struct pass *pass, enum ss_graph graph)
{
	const struct time_host *h = &pass->plan->time_host;

	times_price(pass->plan, &pass->sums, graph, 1, false, &m->kernels,
		    m->is_kernels ? m->all_rows : NULL);
	if (pass->sums.prefills > 0)
		kernels_host(m, pass, SS_TERM_PREFILL_HOST, 1, h->prefill_step);
	kernels_host(m, pass, SS_TERM_SYNC, 1, h->sync_base);
	kernels_host(m, pass, SS_TERM_SYNC, pass->sums.requests, h->sync_request);
}

static void finish_kernels(struct ss_step *out, const struct meter *m)
{
	out->has_kernels = true;
	out->kernels_bottleneck = SS_RESOURCE_SM;
	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		double seconds = m->kernels.resource_s[r];

		out->kernels_resource_s[r] = seconds;
		out->kernels_s += seconds;
		if (seconds > out->kernels_resource_s[out->kernels_bottleneck])
			out->kernels_bottleneck = (enum ss_resource)r;
	}
}

static void finish(struct ss_step *out, const struct meter *m)
{
	double host_s = m->resource_s[SS_RESOURCE_HOST];

	out->no_overlap_s = 0;
	out->bottleneck = SS_RESOURCE_SM;
	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		out->resource_s[r] = m->resource_s[r];
		out->no_overlap_s += m->resource_s[r];
		if (m->resource_s[r] > m->resource_s[out->bottleneck])
			out->bottleneck = (enum ss_resource)r;
	}
	out->overlap_s = fmin(m->overlap_s + host_s, out->no_overlap_s);
	out->serial_s = fmin(m->step_serial_s + host_s, out->no_overlap_s);
}

static enum ss_graph graph_of(const struct plan *plan, const struct batch_sums *sums)
{
	if (sums->rows > (double)plan->ceiling)
		return SS_GRAPH_EAGER;
	return sums->is_uniform ? plan->uniform_graph : plan->other_graph;
}

static void pass_open(struct pass *pass, const struct plan *plan, const struct ss_batch *batch,
		      unsigned corrections)
{
	pass->plan = plan;
	pass->batch = batch;
	pass->corrections = corrections;
	pass->is_draft = false;
	batch_sums_gather(&pass->sums, plan, batch);
	pass->stretch = batch->sm_budget > 0 && batch->sm_budget < plan->sm_count
				? (double)plan->sm_count / (double)batch->sm_budget
				: 1;
}

void step_shape_of(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
		   bool is_draft, struct step_shape *out)
{
	struct pass pass;
	enum ss_graph graph;

	pass_open(&pass, plan, batch, corrections);
	graph = graph_of(plan, &pass.sums);
	if (is_draft)
		batch_sums_draft(&pass.sums, plan, batch);
	pass_start(&pass, graph);
	*out = (struct step_shape){
		.graph = graph,
		.work_rows = pass.work_rows,
		.head_rows = head_rows(&pass),
		.rows = pass.sums.rows,
		.decode_tokens = pass.sums.decode_tokens,
		.prefills = pass.sums.prefills,
		.prefill_tokens = pass.sums.prefill_tokens,
		.requests = pass.sums.requests,
	};
}

void step_look(const struct plan *plan, const struct ss_batch *batch, bool is_draft, size_t node,
	       struct time_sight *out)
{
	struct batch_sums sums;
	enum ss_graph graph;

	batch_sums_gather(&sums, plan, batch);
	graph = graph_of(plan, &sums);
	if (is_draft)
		batch_sums_draft(&sums, plan, batch);
	times_look(plan, &sums, graph, node, out);
}

bool step_is_kernels(const struct plan *plan, enum ss_figure figure)
{
	return plan->time_count > 0 &&
	       (figure == SS_FIGURE_LEAD || figure == SS_FIGURE_KERNELS);
}

void step_price(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
		enum ss_figure figure, struct ss_step *out, struct step_rows *rows)
{
	bool is_kernels = step_is_kernels(plan, figure);
	struct meter m = { .rows = rows, .all_rows = rows, .is_kernels = is_kernels };
	struct pass pass;
	struct batch_sums main_sums;
	double before_s;

	pass_open(&pass, plan, batch, corrections);
	main_sums = pass.sums;
	*out = (struct ss_step){
		.tokens = (int64_t)main_sums.rows,
		.decode_requests = (int64_t)main_sums.decodes,
		.prefill_requests = (int64_t)main_sums.prefills,
		.prefill_tokens = (int64_t)main_sums.prefill_tokens,
		.kernels = plan->kernels,
	};
	out->graph = graph_of(plan, &main_sums);
	price_graph(&m, &pass, out->graph);
	if (main_sums.requests > 0) {
		pass_start(&pass, out->graph);
		for (size_t i = 0; i < plan->layer_count; i++)
			if (plan->layers[i].count > 0)
				price_layer(&m, &pass, &plan->layers[i], plan->layers[i].count);
		price_head(&m, &pass, 1);
		host_row(&m, &pass, SS_TERM_LAUNCH,
			 plan->host.per_kernel.value * (double)plan->kernels * US,
			 (double)plan->kernels, plan->host.per_kernel);
		if (is_kernels)
			price_kernels(&m, &pass, out->graph);
		before_s = m.overlap_s + m.resource_s[SS_RESOURCE_HOST];
		if (plan->draft_passes > 0 && main_sums.decodes > 0)
			price_drafts(&m, &pass, out->graph);
		out->draft_s = m.overlap_s + m.resource_s[SS_RESOURCE_HOST] - before_s;
		pass.sums.requests = main_sums.requests;
		pass.is_draft = false;
		price_requests(&m, &pass);
	}
	finish(out, &m);
	if (is_kernels)
		finish_kernels(out, &m);
}
