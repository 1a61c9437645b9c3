#include <math.h>
#include <string.h>

#include "price/attention.h"
#include "price/collective.h"
#include "price/dcp.h"
#include "price/experts.h"
#include "price/gemm.h"
#include "price/ramp.h"
#include "price/recurrent.h"
#include "resolve/attention_plan.h"
#include "resolve/formats.h"
#include "resolve/kernel_impl.h"
#include "resolve/links.h"

/** Bytes of an activation element, whatever is served. */
static const double A = 2;

/** Building one layer kind. */
struct builder {
	struct ss_kernel *k;
	const struct ss_layer_kind *kind;
	struct plan_layer *layer;
	int64_t top_k; /**< the most any experts node of the layer takes */
};

static struct plan_op *add_op(struct builder *b, enum plan_op_kind kind)
{
	struct plan *plan = &b->k->plan;
	struct plan_op *op = &plan->ops[plan->op_count++];

	*op = (struct plan_op){ .kind = kind, .count = 1 };
	b->layer->op_count++;
	return op;
}

/* -- GEMMs ------------------------------------------------------------------------------ */

/** What a shape factor stretches a product's FLOPs by; 1 without one. */
static double shape_stretch(const struct plan_rate *rate, double n, double k)
{
	if (!coef_is_set(rate->n_half) || !coef_is_set(rate->k_half))
		return 1;
	return 1 / shape_factor(rate->n_half.value, rate->k_half.value, n, k);
}

static bool has_shape(const struct plan_rate *rate)
{
	return coef_is_set(rate->n_half) && coef_is_set(rate->k_half);
}

/** Add a product of `flops` on one rank, n x k there. */
static void add_product(struct plan_gemm *g, const struct plan_rate *rate, double flops, double n,
			double k)
{
	g->shard_flops += flops;
	g->flops += flops * shape_stretch(rate, n, k);
	if (!has_shape(rate))
		return;
	g->per_n += flops / n;
	g->per_k += flops / k;
	g->per_nk += flops / (n * k);
}

/** Width of the product a GEMM runs in: its own, or of the run it merges with. */
static int64_t merged_width(const struct builder *b, size_t index, bool is_head)
{
	const struct ss_node *nodes = b->kind->nodes, *n = &nodes[index];
	int64_t hidden = b->k->basis->in.model->hidden_size, width = n->n;
	enum ss_dtype format = stored_format(b->k, n, is_head);

	for (size_t i = index + 1; i < b->kind->node_count && nodes[i].op == SS_OP_GEMM &&
				   stored_format(b->k, &nodes[i], is_head) == format &&
				   gemm_merges(n->n, n->k, nodes[i].n, nodes[i].k, hidden);
	     i++)
		width += nodes[i].n;
	for (size_t i = index; i-- > 0 && nodes[i].op == SS_OP_GEMM &&
			       stored_format(b->k, &nodes[i], is_head) == format &&
			       gemm_merges(n->n, n->k, nodes[i].n, nodes[i].k, hidden);)
		width += nodes[i].n;
	return width;
}

static void put_gemm(struct builder *b, const struct plan_gemm *g)
{
	struct plan *plan = &b->k->plan;
	struct plan_op *op = NULL;

	/* on a plain ramp, compute and reads of one format keep one ratio: sums will do */
	for (size_t i = b->layer->first_op; i < plan->op_count && !op; i++)
		if (plan->ops[i].kind == PLAN_GEMM && plan->ops[i].u.gemm.rate == g->rate &&
		    !has_shape(&plan->rates[g->rate]))
			op = &plan->ops[i];
	if (!op) {
		op = add_op(b, PLAN_GEMM);
		op->u.gemm = *g;
		return;
	}
	op->count++;
	op->u.gemm.flops += g->flops;
	op->u.gemm.bytes += g->bytes;
	op->u.gemm.shard_flops += g->shard_flops;
}

static void build_gemm(struct builder *b, size_t index)
{
	struct ss_kernel *k = b->k;
	const struct ss_node *n = &b->kind->nodes[index];
	enum ss_dtype stored = stored_format(k, n, false);
	double tp = k->layout.tp, elements = (double)n->n * (double)n->k;
	struct plan_gemm g = { .rate = format_rate(k, stored, false) };
	bool is_column = gemm_shards_n(n->n, n->k, k->basis->in.model->hidden_size);
	double width =
		has_shape(&k->plan.rates[g.rate]) ? (double)merged_width(b, index, false) : 0;

	add_product(&g, &k->plan.rates[g.rate], 2 * elements / tp, is_column ? width / tp : width,
		    is_column ? (double)n->k : (double)n->k / tp);
	g.bytes = elements * ss_dtype_bytes(stored) / tp;
	put_gemm(b, &g);
}

/* -- experts ---------------------------------------------------------------------------- */

static struct plan_gemm shared_experts(struct builder *b, const struct ss_node *n,
				       enum ss_dtype stored, int64_t matrices)
{
	struct ss_kernel *k = b->k;
	double tp = k->layout.tp, hidden = (double)k->basis->in.model->hidden_size;
	double inner = (double)(n->shared_intermediate_size ? n->shared_intermediate_size : n->n);
	double elements = inner * hidden * (double)n->shared_experts;
	struct plan_gemm g = { .rate = -1 };
	const struct plan_rate *rate;
	double up = (double)(matrices - 1);

	if (n->shared_experts <= 0)
		return g;
	g.rate = format_rate(k, stored, false);
	rate = &k->plan.rates[g.rate];
	add_product(&g, rate, 2 * up * elements / tp, up * inner / tp, hidden);
	add_product(&g, rate, 2 * elements / tp, hidden, inner / tp);
	g.bytes = (double)matrices * elements * ss_dtype_bytes(stored) / tp;
	return g;
}

static void build_experts(struct builder *b, const struct ss_node *n)
{
	struct ss_kernel *k = b->k;
	const struct layout *l = &k->layout;
	bool is_parallel = l->ep > 1;
	int64_t matrices = n->matrices ? n->matrices : 3;
	int64_t redundant = n->experts > 1 ? k->set.redundant : 0;
	int64_t all = n->experts + redundant;
	enum ss_dtype stored = stored_format(k, n, false);
	double parameters =
		expert_parameters(matrices, n->n, n->latent_size ? n->latent_size : n->k);
	double shards = is_parallel ? 1 : (double)l->tp * l->dp;
	struct plan_experts e = {
		.rate = format_rate(k, stored, true),
		.experts = all,
		.top_k = n->top_k,
		.local = experts_heaviest(n->experts, redundant, l->ep),
		.funnel = l->moe_group > 1 ? l->dp : 1,
		.imbalance = coef_optional(k, COEF_IMBALANCE),
		.sharded = is_parallel ? 1 : l->tp,
	};
	double imbalance = coef_is_set(e.imbalance) ? e.imbalance.value : 1;
	double share = (double)e.local / (double)all;

	e.flops = e.funnel * (double)n->top_k * share * 2 * parameters * imbalance /
		  (is_parallel ? 1 : shards / l->tp);
	e.expert_bytes = parameters * ss_dtype_bytes(stored) / shards;
	e.shared = shared_experts(b, n, shared_expert_format(k, n), matrices);
	if (n->top_k > b->top_k)
		b->top_k = n->top_k;
	add_op(b, PLAN_EXPERTS)->u.experts = e;
}

/* -- recurrent mixers --------------------------------------------------------------------- */

static void build_recurrent(struct builder *b, const struct ss_node *n)
{
	struct ss_kernel *k = b->k;
	const struct ss_basis *basis = k->basis;
	const char *kind = ss_recurrent_kind_name(n->recurrent);
	struct recurrent_shape shape = {
		.kind = n->recurrent,
		.heads = n->n_heads,
		.state = n->state_size,
		.groups = n->n_groups,
		.conv_kernel = n->conv_kernel,
		.inner = n->intermediate_size,
	};
	struct plan_recurrent r = {
		.detail = kind,
		.decode_floor = coef_bind(k, basis->recurrent[COEF_RECURRENT_FLOOR][n->recurrent]),
		.decode_rate = coef_bind(k, basis->recurrent[COEF_RECURRENT_RATE][n->recurrent]),
		.prefill_floor = coef_bind(k, basis->recurrent[COEF_SCAN_FLOOR][n->recurrent]),
		.prefill_rate = coef_bind(k, basis->recurrent[COEF_SCAN_RATE][n->recurrent]),
		.rate = k->plan.bf16_rate,
		.prefill_entry = -1,
	};

	if (!coef_is_set(r.decode_floor))
		note_absent(&k->notes, COEF_RECURRENT_FLOOR, kind, WHY_DEFAULT);
	if (!coef_is_set(r.decode_rate))
		note_absent(&k->notes, COEF_RECURRENT_RATE, kind, WHY_DEFAULT);
	if (!coef_is_set(r.prefill_rate))
		note_assumption(&k->notes, ASSUME_RECURRENT_PREFILL_RATE, kind,
				NOTE_TEXT("chunked scan FLOPs"), WHY_DEFAULT);
	else if (!coef_is_set(r.prefill_floor))
		note_absent(&k->notes, COEF_SCAN_FLOOR, kind, WHY_DEFAULT);
	r.prefill_flops = recurrent_scan_flops(&shape) * (double)n->n_heads / k->layout.tp;
	add_op(b, PLAN_RECURRENT)->u.recurrent = r;
}

/* -- hyper-connections and tables ----------------------------------------------------------- */

static const char *const component_names[] = { "pre", "post" };

/** Does a step run layers of this kind? */
static bool is_priced(const struct ss_kernel *k, const struct ss_layer_kind *kind)
{
	return kind->count || (k->set.has_drafts && kind->draft_count);
}

/** Both forms measured? Notes what is missing once for the model. */
static bool settle_mhc(struct ss_kernel *k, const struct ss_model *model)
{
	bool is_used = false, has[2], resolved[2];

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; is_priced(k, &model->kinds[i]) && j < model->kinds[i].node_count;
		     j++)
			is_used |= model->kinds[i].nodes[j].op == SS_OP_MHC;
	if (!is_used)
		return false;
	for (int c = 0; c < 2; c++) {
		has[c] = coef_winner(k, k->basis->component[COEF_MHC_RATE][c]) >= 0;
		resolved[c] = has[c] && coef_winner(k, k->basis->component[COEF_MHC_FLOOR][c]) >= 0;
		if (!has[c])
			note_absent(&k->notes, COEF_MHC_RATE, component_names[c], WHY_DEFAULT);
		else if (!resolved[c])
			note_assumption(&k->notes, ASSUME_MHC_COMPONENT, component_names[c],
					NOTE_TEXT("fallback"), WHY_DEFAULT);
	}
	if (resolved[0] != resolved[1])
		note_assumption(&k->notes, ASSUME_MHC, NULL, NOTE_TEXT("fallback"), WHY_DEFAULT);
	return resolved[0] && resolved[1];
}

static void build_mhc(struct builder *b, const struct ss_node *n)
{
	struct ss_kernel *k = b->k;
	int c = strcmp(n->component, "post") == 0;
	struct plan_mhc h = { .is_measured = k->has_measured_mhc,
			      .detail = component_names[c],
			      .assumed_entry = -1 };

	h.bytes = (double)n->bytes_per_token;
	if (h.is_measured) {
		h.floor = coef_bind(k, k->basis->component[COEF_MHC_FLOOR][c]);
		h.rate = coef_bind(k, k->basis->component[COEF_MHC_RATE][c]);
	} else {
		h.floor = h.rate = COEF_NONE;
	}
	add_op(b, PLAN_MHC)->u.mhc = h;
}

/** GEMMs that the measured form of a hyper-connection already holds: `hc_..._fn`. */
static bool is_inside_mhc(const struct ss_kernel *k, const struct ss_node *n)
{
	size_t length = strlen(n->role);

	return k->has_measured_mhc && n->op == SS_OP_GEMM && length > 6 &&
	       strncmp(n->role, "hc_", 3) == 0 && strcmp(n->role + length - 3, "_fn") == 0;
}

static void build_table(struct builder *b, const struct ss_node *n)
{
	struct ss_kernel *k = b->k;
	struct plan_table t = { .rate = COEF_NONE, .assumed_entry = -1 };

	t.bytes = (double)n->rows_per_token * (double)n->row_bytes / k->layout.tp;
	t.is_host = strcmp(n->table, "engram") == 0 ? k->set.is_table_on_host : n->is_host_resident;
	if (t.is_host) {
		t.rate = coef_bind(k, k->basis->plain[COEF_HOST_GATHER]);
		if (!coef_is_set(t.rate)) {
			t.rate = coef_bind(k, k->basis->plain[COEF_HOST_LINK]);
			if (coef_is_set(t.rate))
				note_assumption(&k->notes, ASSUME_HOST_GATHER_RATE, NULL,
						NOTE_REAL(t.rate.value), WHY_DEFAULT);
		}
		if (!coef_is_set(t.rate)) {
			refuse_price(k, "C1",
				     "a host-resident table needs host_gather_rate_uva or "
				     "host_link_bandwidth, and no set has either");
			t.rate.value = 1;
		}
	}
	add_op(b, PLAN_TABLE)->u.table = t;
}

/* -- collectives ------------------------------------------------------------------------------ */

static void put_link(struct builder *b, const struct plan_link *l)
{
	struct plan *plan = &b->k->plan;

	for (size_t i = b->layer->first_op; i < plan->op_count; i++) {
		struct plan_op *op = &plan->ops[i];

		if (op->kind == PLAN_LINK && op->u.link.term == l->term &&
		    op->u.link.row_bytes == l->row_bytes &&
		    op->u.link.floor.entry == l->floor.entry) {
			op->count++;
			return;
		}
	}
	add_op(b, PLAN_LINK)->u.link = *l;
}

/** Collectives of the graph: how each is measured and shown. */
static const struct {
	enum ss_op op;
	enum ss_term_id term;
	enum coef_collective measured;
} collectives[] = {
	{ SS_OP_ALL_REDUCE, SS_TERM_ALL_REDUCE, COLLECTIVE_ALL_REDUCE },
	{ SS_OP_ALL_GATHER, SS_TERM_ALL_GATHER, COLLECTIVE_ALL_GATHER },
	{ SS_OP_REDUCE_SCATTER, SS_TERM_REDUCE_SCATTER, COLLECTIVE_REDUCE_SCATTER },
};

static void build_collective(struct builder *b, const struct ss_node *n)
{
	struct ss_kernel *k = b->k;
	double row_bytes = (double)k->basis->in.model->hidden_size * A;
	enum layout_group group =
		n->emit == SS_CONDITION_EXPERT_PARALLEL ? LAYOUT_EXPERT : LAYOUT_TENSOR;
	struct plan_link l;

	if (n->op == SS_OP_ALL2ALL) {
		l = link_dispatch(k);
		l.row_bytes = row_bytes * (k->layout.is_routed && b->top_k ? (double)b->top_k : 1);
		put_link(b, &l);
		return;
	}
	for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
		if (collectives[i].op == n->op) {
			l = link_make(k, collectives[i].term, collectives[i].measured, group,
				      false);
			l.row_bytes = row_bytes;
			put_link(b, &l);
		}
}

/* -- a layer ------------------------------------------------------------------------------------
 */

/** Kernels of a node. */
static int launches(enum ss_op op)
{
	switch (op) {
	case SS_OP_GROUPED_GEMM:
		return 4;
	case SS_OP_ATTENTION:
	case SS_OP_RECURRENT:
	case SS_OP_ALL2ALL:
		return 2;
	case SS_OP_GEMM:
	case SS_OP_ELEMENTWISE:
	case SS_OP_ALL_REDUCE:
	case SS_OP_ALL_GATHER:
	case SS_OP_REDUCE_SCATTER:
	case SS_OP_MHC:
	case SS_OP_TABLE_LOOKUP:
		return 1;
	case SS_OP_UNKNOWN:
	case SS_OP_COUNT:
		break;
	}
	return 0;
}

static double elementwise_bytes(const struct ss_kernel *k, const struct ss_node *n)
{
	double bytes = n->bytes_per_token ? (double)n->bytes_per_token
					  : 2 * (double)k->basis->in.model->hidden_size * A;

	return bytes / k->layout.tp;
}

static void build_attention(struct builder *b, const struct ss_node *n)
{
	struct ss_kernel *k = b->k;
	struct plan_layer *layer = b->layer;
	struct plan_op *op = add_op(b, PLAN_ATTENTION);

	attention_plan_make(k, &op->u.attention, b->kind, &k->caches[layer->kind], n);
	layer->has_attention = layer->has_mixer = true;
	if (*n->role)
		return;
	layer->may_fuse |= !ss_attention_is_latent(n->attention) && k->layout.dcp <= 1 &&
			   k->basis->in.part->nvfp4_tflops <= 0;
}

bool plan_runs_node(const struct ss_kernel *k, const struct ss_node *n)
{
	return layout_emits(&k->layout, n->emit) && !is_inside_mhc(k, n);
}

static void build_node(struct builder *b, size_t index)
{
	const struct ss_node *n = &b->kind->nodes[index];

	if (!plan_runs_node(b->k, n))
		return;
	b->layer->kernels += launches(n->op);
	switch (n->op) {
	case SS_OP_GEMM:
		build_gemm(b, index);
		break;
	case SS_OP_GROUPED_GEMM:
		build_experts(b, n);
		break;
	case SS_OP_ATTENTION:
		build_attention(b, n);
		break;
	case SS_OP_RECURRENT:
		b->layer->has_mixer = true;
		build_recurrent(b, n);
		break;
	case SS_OP_ELEMENTWISE:
		b->layer->elementwise_bytes += elementwise_bytes(b->k, n);
		break;
	case SS_OP_ALL_REDUCE:
	case SS_OP_ALL_GATHER:
	case SS_OP_REDUCE_SCATTER:
	case SS_OP_ALL2ALL:
		build_collective(b, n);
		break;
	case SS_OP_MHC:
		build_mhc(b, n);
		break;
	case SS_OP_TABLE_LOOKUP:
		build_table(b, n);
		break;
	case SS_OP_UNKNOWN:
	case SS_OP_COUNT:
		break;
	}
}

static bool has_sparse_scorer(const struct ss_layer_kind *kind)
{
	bool is_sparse = false, has_scorer = false;

	for (size_t i = 0; i < kind->node_count; i++) {
		const struct ss_node *n = &kind->nodes[i];

		if (n->op != SS_OP_ATTENTION)
			continue;
		if (*n->role)
			has_scorer = true;
		else
			is_sparse |= n->attention == SS_ATTENTION_SPARSE_MLA;
	}
	return is_sparse && has_scorer;
}

static void build_layer(struct ss_kernel *k, const struct ss_layer_kind *kind, int index)
{
	struct plan *plan = &k->plan;
	struct plan_layer *layer = &plan->layers[plan->layer_count++];
	struct builder b = { .k = k, .kind = kind, .layer = layer };

	*layer = (struct plan_layer){
		.kind = index,
		.count = (double)kind->count,
		.draft_count = k->set.has_drafts ? (double)kind->draft_count : 0,
		.first_op = plan->op_count,
		.has_sparse_scorer = has_sparse_scorer(kind),
	};
	/* the routed payload needs the layer's largest top_k, wherever its node stands */
	for (size_t i = 0; i < kind->node_count; i++)
		if (kind->nodes[i].op == SS_OP_GROUPED_GEMM && kind->nodes[i].top_k > b.top_k)
			b.top_k = kind->nodes[i].top_k;
	for (size_t i = 0; i < kind->node_count; i++)
		build_node(&b, i);
	plan->kernels += kind->count * layer->kernels;
	plan->draft_kernels += (int64_t)layer->draft_count * layer->kernels;
	if (layer->has_mixer)
		plan->segments += kind->count * (1 + layer->has_sparse_scorer);
}

/** A head of narrower weights as the engine holds it: at 16 bits. */
static void widen_head(struct ss_kernel *k, size_t head, enum ss_dtype stored)
{
	double wide = ss_dtype_bytes(SS_DTYPE_BF16), bytes = ss_dtype_bytes(stored);
	double peak = k->plan.rates[k->plan.head[head].rate].peak;
	double plain = k->basis->in.part->bf16_tflops * 1e12;

	k->plan.head_wide[head].bytes = bytes > 0 && bytes < wide ? wide / bytes : 1;
	k->plan.head_wide[head].compute =
		bytes < wide && plain > 0 && peak > plain ? peak / plain : 1;
}

static void build_head(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	struct plan *plan = &k->plan;

	for (size_t i = 0; i < model->head_count; i++) {
		const struct ss_node *n = &model->head[i];
		enum ss_dtype stored = stored_format(k, n, true);
		double elements = (double)n->n * (double)n->k;
		struct plan_gemm *g = NULL;
		int rate;

		if (!layout_emits(&k->layout, n->emit))
			continue;
		plan->head_kernels += launches(n->op);
		if (n->op != SS_OP_GEMM)
			continue;
		rate = format_rate(k, stored, false);
		for (size_t h = 0; h < plan->head_count; h++)
			if (plan->head[h].rate == rate)
				g = &plan->head[h];
		if (!g && plan->head_count < sizeof(plan->head) / sizeof(plan->head[0])) {
			g = &plan->head[plan->head_count++];
			*g = (struct plan_gemm){ .rate = rate };
			widen_head(k, plan->head_count - 1, stored);
		}
		if (!g)
			continue;
		add_product(g, &plan->rates[rate], 2 * elements / k->layout.tp,
			    (double)n->n / k->layout.tp, (double)n->k);
		g->bytes += elements * ss_dtype_bytes(stored) / k->layout.tp;
	}
	plan->kernels += plan->head_kernels;
	plan->draft_kernels += plan->head_kernels;
}

static void build_host(struct ss_kernel *k)
{
	struct plan_host *h = &k->plan.host;
	const struct ss_basis *basis = k->basis;
	int per_kernel = coef_winner(k, basis->plain[COEF_EAGER_KERNEL]);
	int per_layer = coef_winner(k, basis->plain[COEF_EAGER_LAYER]);

	/* an entry of this model goes before a part-wide one, then per_kernel goes first */
	if (per_kernel >= 0 && (per_layer < 0 || !coef_is_of_model(basis, per_layer) ||
				coef_is_of_model(basis, per_kernel)))
		h->eager = coef_bind(k, per_kernel);
	else
		h->eager = coef_optional(k, COEF_EAGER_LAYER);
	/* without a captured size no graph is ever replayed */
	h->replay = k->set.ceiling > 0 ? coef_optional(k, COEF_REPLAY) : COEF_NONE;
	h->per_kernel = coef_optional(k, COEF_PER_KERNEL);
	h->per_request = coef_optional(k, COEF_STEP_REQUEST);
	h->admission_request = coef_optional(k, COEF_ADMISSION_REQUEST);
	h->admission_token = coef_optional(k, COEF_ADMISSION_TOKEN);
	h->output_token = coef_optional(k, COEF_OUTPUT_TOKEN);
	h->completion = coef_optional(k, COEF_COMPLETION);
	h->is_async = k->set.is_async;
	h->host_link = stated(k, SS_F_OFFLOAD_TIERS)->is_stated ? coef_optional(k, COEF_HOST_LINK)
								: COEF_NONE;
}

static void build_machine(struct ss_kernel *k)
{
	const struct ss_part *part = k->basis->in.part;
	struct plan *plan = &k->plan;

	plan->derate = coef_bind(k, k->basis->plain[COEF_HBM_DERATE]);
	if (!coef_is_set(plan->derate))
		refuse_price(k, "C1", "no set has hbm_derate for %s", part->name);
	plan->bandwidth = part->memory_bandwidth_tb_s * 1e12 *
			  (coef_is_set(plan->derate) ? plan->derate.value : 1);
	plan->sm_count = part->sm_count;
	plan->hidden_bytes = (double)k->basis->in.model->hidden_size * A;
	plan->bf16_rate = format_rate(k, SS_DTYPE_BF16, false);
}

static void build_context(struct ss_kernel *k)
{
	const struct layout *l = &k->layout;
	struct plan *plan = &k->plan;
	bool has_query = l->pcp <= 1 || l->dcp > l->pcp;

	plan->dcp = l->dcp;
	plan->pcp = l->pcp;
	plan->interleave = k->set.interleave;
	if (l->dcp > 1) {
		plan->has_dcp_query = has_query;
		plan->has_dcp_a2a = strcmp(k->set.dcp_backend, "a2a") == 0;
		if (has_query)
			plan->dcp_query = link_make(
				k, SS_TERM_DCP, COLLECTIVE_ALL_GATHER,
				l->pcp <= 1 ? LAYOUT_DECODE_CONTEXT : LAYOUT_TENSOR, false);
		if (plan->has_dcp_a2a) {
			plan->dcp_a2a = link_make(k, SS_TERM_DCP, COLLECTIVE_ALL_TO_ALL,
						  LAYOUT_DECODE_CONTEXT, true);
		} else {
			plan->dcp_lse = link_make(k, SS_TERM_DCP, COLLECTIVE_ALL_GATHER,
						  LAYOUT_DECODE_CONTEXT, false);
			plan->dcp_out = link_make(k, SS_TERM_DCP,
						  l->pcp > 1 ? COLLECTIVE_ALL_REDUCE
							     : COLLECTIVE_REDUCE_SCATTER,
						  LAYOUT_DECODE_CONTEXT, false);
		}
		plan->context_chunk = dcp_chunk(
			k->set.is_model_len_stated ? k->set.max_model_len : 0, k->set.max_num_seqs,
			k->set.block_size, l->dcp, k->set.interleave);
		if (k->basis->has_latent)
			plan->dcp_prefix = link_make(k, SS_TERM_DCP, COLLECTIVE_ALL_GATHER,
						     LAYOUT_DECODE_CONTEXT, false);
	}
	if (l->pcp > 1)
		plan->pcp_gather = link_make(k, SS_TERM_PCP, COLLECTIVE_ALL_GATHER,
					     LAYOUT_PREFILL_CONTEXT, false);
}

void resolve_plan(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	struct plan *plan = &k->plan;

	build_machine(k);
	k->has_measured_mhc = settle_mhc(k, model);
	for (size_t i = 0; i < model->kind_count; i++)
		if (is_priced(k, &model->kinds[i]))
			build_layer(k, &model->kinds[i], (int)i);
	plan->segments += 1;
	build_head(k);
	build_context(k);
	build_host(k);
	k->pd_floor_us = link_transfer_floor_us(k);
	plan->draft_passes = k->set.has_drafts ? k->set.spec_tokens : 0;
	plan->uniform_graph = graph_choose(k->set.graph_mode, true, 0, 1);
	plan->other_graph = graph_choose(k->set.graph_mode, false, 0, 1);
	plan->ceiling = k->set.ceiling;
	plan->captured = k->set.sizes;
	plan->captured_count = k->set.size_count;
	plan->uniform_width = 1 + k->set.spec_tokens;
	plan->default_threshold = 1 + k->set.spec_tokens;
}
