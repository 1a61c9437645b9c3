#include "price/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "price/experts.h"
#include "price/ramp.h"
#include "price/step_meter.h"

static const double US = 1e-6;

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
	meter_record(m, pass, is_shared ? SS_TERM_SHARED : SS_TERM_DENSE, SS_RESOURCE_SM, kind,
		     plan->rates[g->rate].detail, count, 0, compute_s,
		     g->shard_flops * pass->work_rows, 0, READS(-1),
		     RATE_READS(&plan->rates[g->rate]));
	if (compute_s <= read_s && m->rows->count)
		m->rows->terms[m->rows->count - 1].hidden_s[SS_FIGURE_SERIAL] = compute_s;
	meter_record(m, pass, is_shared ? SS_TERM_SHARED_READ : SS_TERM_DENSE_READ, SS_RESOURCE_HBM,
		     kind, plan->rates[g->rate].detail, count, 0, read_s, 0, g->bytes, READS(-1),
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
	meter_record(
		m, pass, SS_TERM_EXPERTS, SS_RESOURCE_SM, kind, rate->detail, 1, 0, compute_s,
		flops * pass->work_rows, 0, READS(-1),
		READS(rate->eps.entry, rate->m_half.entry, rate->peak_entry, e->imbalance.entry));
	meter_record(m, pass, SS_TERM_EXPERTS_READ, SS_RESOURCE_HBM, kind, rate->detail, 1, 0,
		     read_s, 0, bytes, READS(-1), READS(derate_entry(plan)));
}

static void price_experts(struct meter *m, const struct pass *pass, int kind,
			  const struct plan_experts *e)
{
	price_routed(m, pass, kind, e,
		     pass->corrections & (1u << SS_DIVERGENCE_EXPERT_TENSOR_SHARDING));
	if (e->shared.rate >= 0)
		price_gemm(m, pass, kind, &e->shared, 1, true);
}

static void price_recurrent(struct meter *m, const struct pass *pass, int kind,
			    const struct plan_recurrent *r)
{
	const struct batch_sums *s = &pass->sums;
	const struct plan_rate *rate = &pass->plan->rates[r->rate];

	if (s->decode_tokens > 0 && coef_is_set(r->decode_rate) && coef_is_set(r->decode_floor)) {
		double floor_s = r->decode_floor.value * US;
		double slope_s = s->decode_tokens / r->decode_rate.value * US;

		meter_charge(m, SS_RESOURCE_SM, floor_s + slope_s);
		if (m->rows)
			meter_record(m, pass, SS_TERM_RECURRENT, SS_RESOURCE_SM, kind, r->detail, 1,
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

		meter_charge(m, SS_RESOURCE_SM, floor_s + slope_s);
		if (m->rows)
			meter_record(m, pass, SS_TERM_RECURRENT, SS_RESOURCE_SM, kind, r->detail, 1,
				     floor_s, slope_s, is_measured ? 0 : flops, 0,
				     READS(is_measured ? r->prefill_floor.entry : -1),
				     READS(is_measured ? r->prefill_rate.entry : rate->eps.entry,
					   is_measured ? -1 : rate->m_half.entry,
					   r->prefill_entry));
	}
}

static void price_mhc(struct meter *m, const struct pass *pass, int kind, const struct plan_mhc *h)
{
	double floor_s = h->is_measured ? h->floor.value * US : 0;
	double bytes = h->is_measured ? 0 : pass->work_rows * h->bytes;
	double slope_s = h->is_measured ? pass->work_rows / h->rate.value * US
					: bytes / pass->plan->bandwidth;

	meter_charge(m, SS_RESOURCE_HBM, floor_s + slope_s);
	if (m->rows)
		meter_record(m, pass, SS_TERM_MHC, SS_RESOURCE_HBM, kind, h->detail, 1, floor_s,
			     slope_s, 0, bytes, READS(h->is_measured ? h->floor.entry : -1),
			     READS(h->is_measured ? h->rate.entry : derate_entry(pass->plan),
				   h->assumed_entry));
}

static void price_table(struct meter *m, const struct pass *pass, int kind,
			const struct plan_table *t)
{
	double bytes = pass->sums.rows * t->bytes;
	double seconds = t->is_host ? bytes / t->rate.value * US : bytes / pass->plan->bandwidth;
	enum ss_resource resource = t->is_host ? SS_RESOURCE_PCIE : SS_RESOURCE_HBM;

	meter_charge(m, resource, seconds);
	if (m->rows)
		meter_record(m, pass, SS_TERM_TABLE, resource, kind, "", 1, 0, seconds, 0, bytes,
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

		meter_charge(m, SS_RESOURCE_HBM, seconds);
		if (m->rows)
			meter_record(m, pass, SS_TERM_ELEMENTWISE, SS_RESOURCE_HBM, l->kind, "", 1,
				     0, seconds, 0, bytes, READS(-1), READS(derate_entry(plan)));
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
	bool is_wide = pass->corrections & (1u << SS_DIVERGENCE_HEAD_WIDTH);
	double rows = head_rows(pass);
	double compute_s = 0, read_s = 0, longest_s;
	size_t mark;

	choose_rows(m, false);
	mark = m->rows ? m->rows->count : 0;
	for (size_t i = 0; i < plan->head_count; i++) {
		const struct plan_gemm *g = &plan->head[i];
		const struct plan_rate *rate = &plan->rates[g->rate];
		double gemm_s = g->flops * rows_s(rate, rows, pass->stretch) *
				(is_wide ? plan->head_wide[i].compute : 1);
		double bytes = g->bytes * (is_wide ? plan->head_wide[i].bytes : 1);

		compute_s += gemm_s;
		read_s += bytes / plan->bandwidth;
		if (!m->rows)
			continue;
		meter_record(m, pass, SS_TERM_HEAD, SS_RESOURCE_SM, -1, rate->detail, times, 0,
			     times * gemm_s, times * g->shard_flops * rows, 0, READS(-1),
			     RATE_READS(rate));
		meter_record(m, pass, SS_TERM_HEAD_READ, SS_RESOURCE_HBM, -1, rate->detail, times,
			     0, times * bytes / plan->bandwidth, 0, times * bytes, READS(-1),
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
		meter_record(m, pass, term, SS_RESOURCE_HOST, -2, "", count, 0, seconds, 0, 0,
			     READS(-1), READS(c.entry));
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
		times_price(plan, &pass->sums, pass->work_rows, graph, times, true, &m->kernels,
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
		meter_record(m, pass, term, SS_RESOURCE_HOST, -2, "", count, 0, seconds, 0, 0,
			     READS(-1), READS(c.entry));
}

static void price_kernels(struct meter *m, const struct pass *pass, enum ss_graph graph)
{
	const struct time_host *h = &pass->plan->time_host;

	times_price(pass->plan, &pass->sums, pass->work_rows, graph, 1, false, &m->kernels,
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

void step_look(const struct plan *plan, const struct ss_batch *batch, unsigned corrections,
	       bool is_draft, size_t node, struct time_sight *out)
{
	struct pass pass;
	enum ss_graph graph;

	pass_open(&pass, plan, batch, corrections);
	graph = graph_of(plan, &pass.sums);
	if (is_draft)
		batch_sums_draft(&pass.sums, plan, batch);
	pass_start(&pass, graph);
	times_look(plan, &pass.sums, pass.work_rows, graph, node, out);
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

bool step_is_kernels(const struct plan *plan, enum ss_figure figure)
{
	return plan->time_count > 0 && (figure == SS_FIGURE_LEAD || figure == SS_FIGURE_KERNELS);
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
	memset(out, 0, sizeof(*out));
	out->tokens = (int64_t)main_sums.rows;
	out->decode_requests = (int64_t)main_sums.decodes;
	out->prefill_requests = (int64_t)main_sums.prefills;
	out->prefill_tokens = (int64_t)main_sums.prefill_tokens;
	out->kernels = plan->kernels;
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
