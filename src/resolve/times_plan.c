/* The figure Kernels of a deployment: which measured time each kernel of the graph takes. */
#include "resolve/times_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "price/gemm.h"
#include "resolve/formats.h"
#include "resolve/links.h"

/** Bytes of an activation element, whatever is served. */
static const double A = 2;
/** The custom all-reduce's buffer: what is larger goes to NCCL. */
static const double CUSTOM_BYTES = 8.0 * 1024 * 1024;
/** A router is padded to this many outputs. */
static const int64_t ROUTER_MIN = 256;

/** Building one layer kind, or the head. */
struct maker {
	struct ss_kernel *k;
	const struct ss_layer_kind *kind; /**< NULL: the head */
	int index;                        /**< of the kind; -1 */
	double count, draft_count;
	const struct ss_node *attention; /**< the layer's main one; NULL */
	struct time_small small;
	int slot; /**< of the layer's routed experts; -1 */
};

/* -- choices ------------------------------------------------------------------------------ */

static double scale_of(const struct ss_kernel *k, const char *name, double value)
{
	const struct ss_basis_inputs *in = &k->basis->in;

	for (size_t i = 0; i < in->whatif_count; i++)
		if (strcmp(in->whatifs[i].name, name) == 0)
			value = in->whatifs[i].value;
	return value;
}

/** The row of provenance of an entry; its value is a factor, or the entry's own. */
static struct coef choose(struct ss_kernel *k, const struct ss_times *document,
			  const struct ss_times_entry *e, const char *suffix,
			  enum time_reach reach)
{
	struct times_state *t = &k->times;
	struct time_choice *c;

	for (size_t i = 0; i < t->choice_count; i++)
		if (t->choices[i].entry == e) {
			if (reach > t->choices[i].reach)
				t->choices[i].reach = reach;
			return (struct coef){ t->choices[i].scale, (int)i };
		}
	if (t->choice_count == TIME_CHOICES_MAX)
		return (struct coef){ e->value > 0 ? e->value : 1, -1 };
	c = &t->choices[t->choice_count];
	*c = (struct time_choice){
		.family = e->family, .entry = e, .document = document, .reach = reach
	};
	(void)snprintf(c->name, sizeof(c->name), "%s%s%s", ss_times_family(e->family)->name,
		       *suffix ? "_" : "", suffix);
	c->scale = scale_of(k, c->name, e->value > 0 ? e->value : 1);
	return (struct coef){ c->scale, (int)t->choice_count++ };
}

static struct coef choose_term(struct ss_kernel *k, enum ss_times_family family)
{
	const struct ss_times_entry *e = times_entry(&k->times, k->times.terms, family, NULL);

	return e ? choose(k, k->times.terms, e, "", REACH_SHAPE) : COEF_NONE;
}

static double constant(const struct ss_times_entry *e, const char *name)
{
	return e->law[ss_times_constant(e->family, name)];
}

/* -- nodes ---------------------------------------------------------------------------------- */

static bool is_same(const struct time_node *a, const struct time_node *b)
{
	return a->shape == b->shape && a->term == b->term && strcmp(a->detail, b->detail) == 0 &&
	       memcmp(&a->u, &b->u, sizeof(a->u)) == 0;
}

/** Count a kernel: once in the list, once in its layer kind. */
static size_t put(struct maker *m, const struct time_node *made)
{
	struct plan *plan = &m->k->plan;
	struct time_use *use = NULL;
	size_t node = 0;

	while (node < plan->time_count && !is_same(&plan->times[node], made))
		node++;
	if (node == plan->time_count) {
		plan->times[plan->time_count++] = *made;
		plan->times[node].count = plan->times[node].draft_count = 0;
	}
	plan->times[node].count += m->count;
	plan->times[node].draft_count += m->draft_count;
	for (size_t i = 0; i < plan->time_use_count && !use; i++)
		if (plan->time_uses[i].node == node && plan->time_uses[i].kind == m->index)
			use = &plan->time_uses[i];
	if (!use) {
		use = &plan->time_uses[plan->time_use_count++];
		*use = (struct time_use){ .node = node, .kind = m->index };
	}
	use->count += m->count;
	use->draft_count += m->draft_count;
	return node;
}

/** A node with all its bytes set, so that two may be compared whole. */
static void clear_node(struct time_node *node, enum time_shape shape, enum ss_term_id term,
		       const char *detail)
{
	memset(node, 0, sizeof(*node));
	node->shape = shape;
	node->term = term;
	node->detail = detail;
}

/* -- GEMMs ---------------------------------------------------------------------------------- */

/** The format a stored weight is computed in; block-scaled 8 bit where the checkpoint is. */
static enum time_format format_of(const struct ss_kernel *k, enum ss_dtype stored)
{
	const struct ss_model *model = k->basis->in.model;

	switch (stored) {
	case SS_DTYPE_FP8:
		return model->weight_block[0] && model->weight_dtype == SS_DTYPE_FP8
			       ? TIME_FP8_BLOCK
			       : TIME_FP8;
	case SS_DTYPE_MXFP8:
	case SS_DTYPE_INT8:
		return TIME_FP8;
	case SS_DTYPE_NVFP4:
		return TIME_NVFP4;
	case SS_DTYPE_MXFP4:
		return TIME_MXFP4;
	case SS_DTYPE_INT4:
		return TIME_INT4;
	case SS_DTYPE_UNSTATED:
	case SS_DTYPE_COUNT:
	case SS_DTYPE_FP32:
	case SS_DTYPE_BF16:
	case SS_DTYPE_FP16:
		break;
	}
	return TIME_BF16;
}

static void bind_gemm_law(struct gemm_law *law, const struct ss_times_entry *e, double n, double k,
			  double bytes)
{
	double read = constant(e, "stream_share") * constant(e, "bandwidth_bytes_per_us");

	law->floor_us = constant(e, "floor");
	law->depth_us = constant(e, "depth") * k / 1000;
	law->read_us = bytes * n * k / read;
	law->read_row_us = A * (n + k) / read;
	law->math_tile_us =
		2 * 64 * n * k / (constant(e, "math_share") * constant(e, "peak_flop_per_us"));
	law->exponent = constant(e, "overlap_exponent");
}

/** A product of rows with n x k on one rank. */
static void bind_gemm(struct ss_kernel *k, struct time_gemm *g, enum time_format format, double n,
		      double width)
{
	struct times_state *t = &k->times;
	const struct ss_times *document = times_gemm_document(t, format, k->problems);
	const char *name = time_format_name(format);
	const struct ss_times_entry *grid = times_entry(t, document, SS_TIMES_GEMM, name);
	const struct ss_times_entry *law = times_entry(t, t->laws, SS_TIMES_GEMM_LAW, name);
	enum time_reach reach = law ? REACH_LAW : REACH_OTHER;

	if (!law)
		law = times_entry(t, t->laws, SS_TIMES_GEMM_LAW, time_format_name(TIME_BF16));
	if (law)
		bind_gemm_law(&g->law, law, n, width, time_format_bytes(format));
	if (grid) {
		g->curve = times_grid(t, grid, n, width, &g->edge);
		reach = g->edge < 0 || g->edge > 0 ? REACH_EDGE : REACH_SHAPE;
		g->scale = choose(k, document, grid, name, reach);
	} else if (law) {
		g->scale = choose(k, t->laws, law, law->format, reach);
	}
}

/** As the graph states it, else as the widths suggest. */
static enum ss_shard shard_of(const struct ss_kernel *k, const struct ss_node *n)
{
	if (n->shard != SS_SHARD_UNSTATED)
		return n->shard;
	return gemm_shards_n(n->n, n->k, k->basis->in.model->hidden_size) ? SS_SHARD_COLUMN
									  : SS_SHARD_ROW;
}

/** Width of a GEMM's output on one rank. */
static double shard_n(const struct maker *m, const struct ss_node *n)
{
	const struct ss_node *a = m->attention;
	double tp = m->k->layout.tp, kv = a ? 2 * (double)(a->n_kv * a->d_h) : 0;

	if (shard_of(m->k, n) != SS_SHARD_COLUMN)
		return (double)n->n;
	/* a rank holds one whole KV head where there are fewer than ranks */
	if (a && strcmp(n->role, "qkv_proj") == 0 && (double)a->n_kv < tp && (double)n->n > kv)
		return ((double)n->n - kv) / tp + 2 * (double)a->d_h;
	return (double)n->n / tp;
}

static void make_gemm(struct maker *m, const struct ss_node *n)
{
	struct ss_kernel *k = m->k;
	enum time_format format = format_of(k, stored_format(k, n, false));
	double tp = k->layout.tp;
	struct time_node node;

	clear_node(&node, TIME_GEMM, SS_TERM_DENSE, time_format_name(format));
	bind_gemm(k, &node.u.gemm, format, shard_n(m, n),
		  shard_of(k, n) == SS_SHARD_ROW ? (double)n->k / tp : (double)n->k);
	(void)put(m, &node);
	if (k->set.has_act_fusion && (format == TIME_FP8 || format == TIME_FP8_BLOCK))
		m->small.kernels -= 1;
	if (strcmp(n->role, "mlp_down") == 0) {
		m->small.kernels += 1;
		m->small.row_bytes += 6 * (double)n->k / tp;
	}
}

/* -- experts -------------------------------------------------------------------------------- */

static enum time_format moe_format(const struct ss_kernel *k, enum ss_dtype stored)
{
	enum time_format format = format_of(k, stored);

	if (format == TIME_MXFP4 && strcasecmp(k->set.moe_backend, "flashinfer_mxfp4_mxfp8") == 0 &&
	    k->basis->in.part->nvfp4_tflops > 0)
		return TIME_MXFP4_MXFP8;
	return format;
}

/** Does a kernel's name hold the backend's words? */
static bool names_backend(const char *kernel, const char *backend)
{
	size_t length = strlen(backend);

	for (; *kernel; kernel++)
		if (strncasecmp(kernel, backend, length) == 0)
			return true;
	return !length;
}

/** The entry with a curve for this shape: of the backend asked for, else the first. */
static const struct ss_times_entry *moe_entry(const struct ss_kernel *k,
					      const struct ss_times *document,
					      const int64_t key[SS_TIMES_KEYS_MAX],
					      const struct ss_curve **curve)
{
	const struct ss_times_entry *found = NULL;

	for (size_t i = 0; document && i < document->count; i++) {
		const struct ss_times_entry *e = &document->entries[i];
		const struct ss_curve *c = ss_times_holds(e, k->times.minor)
						   ? ss_times_curve(e, key)
						   : NULL;
		bool is_asked = names_backend(e->kernel, k->set.moe_backend);

		if (!c || (found && !is_asked))
			continue;
		if (!found || !names_backend(found->kernel, k->set.moe_backend)) {
			found = e;
			*curve = c;
		}
	}
	return found;
}

/** Datasheet rates, to tell reads from arithmetic where no law was fitted. */
static void bind_plain_moe(const struct ss_kernel *k, struct moe_law *law)
{
	const struct ss_part *part = k->basis->in.part;

	law->read_us /= part->memory_bandwidth_tb_s * 1e6;
	law->math_us /= part->bf16_tflops * 1e6;
	law->exponent = 1;
}

static void bind_moe_law(const struct ss_kernel *k, struct moe_law *law,
			 const struct ss_times_entry *e, const struct ss_node *n, double bytes,
			 double tp, double ep)
{
	double hidden = (double)(n->latent_size ? n->latent_size : n->k), experts = (double)n->experts;
	double inner = (double)n->n / tp, top_k = fmin((double)n->top_k, experts);
	double matrices = (double)(n->matrices ? n->matrices : 3), skew = 1;
	bool is_law = e && e->family == SS_TIMES_MOE_LAW;

	law->rows_per_token = top_k / ep;
	law->local = experts / ep;
	law->least = fmin(law->local, top_k / ep);
	law->read_us = matrices * bytes * hidden * inner;
	law->math_us = 2 * matrices * hidden * inner;
	if (is_law) {
		skew = constant(e, "skew");
		law->floor_us = constant(e, "floor");
		law->depth_us = constant(e, "depth") * (hidden + inner) / 1000;
		law->row_us = constant(e, "row_cost") * hidden / 1024 / 1000;
		law->read_us /=
			constant(e, "stream_share") * constant(e, "bandwidth_bytes_per_us");
		law->math_us /= constant(e, "math_share") * constant(e, "peak_flop_per_us");
		law->exponent = constant(e, "overlap_exponent");
		law->tile_rows = constant(e, "tile_rows");
		if (ep > 1)
			law->rows_per_token *= constant(e, "rank_imbalance");
	} else {
		bind_plain_moe(k, law);
	}
	law->log_missed = top_k < experts ? skew * log1p(-top_k / experts) : -1e9;
}

/** Routed experts; false when nothing measured and no law holds for them. */
static bool bind_moe(struct ss_kernel *k, struct time_moe *moe, const struct ss_node *n,
		     enum time_format format)
{
	struct times_state *t = &k->times;
	const struct layout *l = &k->layout;
	const char *name = time_format_name(format);
	double tp = l->ep > 1 ? 1 : (double)l->tp * l->dp * l->pcp;
	double ep = l->ep > 1 ? l->ep : 1;
	int64_t key[SS_TIMES_KEYS_MAX] = { n->latent_size ? n->latent_size : n->k,
					   n->n,
					   n->top_k,
					   n->experts,
					   (int64_t)tp,
					   (int64_t)ep };
	const struct ss_times *document = times_moe_document(t, format, k->problems);
	const struct ss_times_entry *law = times_entry(t, t->laws, SS_TIMES_MOE_LAW, name);
	const struct ss_curve *curve = NULL;
	const struct ss_times_entry *e = moe_entry(k, document, key, &curve);

	moe->funnel = l->dp;
	moe->slot = -1;
	bind_moe_law(k, &moe->law, law, n, time_format_bytes(format), tp, ep);
	if (e) {
		moe->curve = times_curve(t, curve);
		moe->scale = choose(k, document, e, name, REACH_SHAPE);
	} else if (law) {
		moe->scale = choose(k, t->laws, law, name, REACH_LAW);
	}
	return e || law;
}

static void make_shared(struct maker *m, enum time_format format, double matrices, double inner)
{
	struct ss_kernel *k = m->k;
	double tp = k->layout.tp, hidden = (double)k->basis->in.model->hidden_size;
	struct time_node node;

	clear_node(&node, TIME_SHARED, SS_TERM_SHARED, time_format_name(format));
	bind_gemm(k, &node.u.shared.up, format, (matrices - 1) * inner / tp, hidden);
	bind_gemm(k, &node.u.shared.down, format, hidden, inner / tp);
	node.u.shared.glue = m->small.glue;
	node.u.shared.beside = m->slot;
	(void)put(m, &node);
}

static void make_router(struct maker *m, const struct ss_node *n)
{
	struct ss_kernel *k = m->k;
	int64_t outputs = n->experts > ROUTER_MIN ? n->experts : ROUTER_MIN;
	struct time_node node;

	for (size_t i = 0; i < m->kind->node_count; i++) {
		const struct ss_node *other = &m->kind->nodes[i];

		if (other->op == SS_OP_GEMM && (strcmp(other->role, "router") == 0 ||
						strcmp(other->role, "gate") == 0))
			return;
	}
	clear_node(&node, TIME_GEMM, SS_TERM_DENSE, "router");
	bind_gemm(k, &node.u.gemm, TIME_BF16, (double)outputs,
		  (double)k->basis->in.model->hidden_size);
	(void)put(m, &node);
}

/** The slot that a layer's routed experts leave their time in. */
static void give_slot(struct maker *m, struct time_node *node)
{
	const struct plan *plan = &m->k->plan;
	int next = 0;

	for (size_t i = 0; i < plan->time_count; i++) {
		const struct time_node *other = &plan->times[i];

		if (other->shape != TIME_MOE || other->u.moe.slot < 0)
			continue;
		node->u.moe.slot = other->u.moe.slot;
		if (is_same(other, node)) {
			m->slot = node->u.moe.slot;
			return;
		}
		next = other->u.moe.slot + 1;
	}
	m->slot = node->u.moe.slot = next < TIME_SLOTS_MAX ? next : -1;
}

static void make_experts(struct maker *m, const struct ss_node *n, struct plan_op *op)
{
	struct ss_kernel *k = m->k;
	enum ss_dtype stored = stored_format(k, n, false);
	enum time_format format = moe_format(k, stored);
	double matrices = (double)(n->matrices ? n->matrices : 3);
	double inner =
		(double)(n->shared_intermediate_size ? n->shared_intermediate_size : n->n);
	struct time_node node;

	if (n->experts <= 1) {
		make_shared(m, format_of(k, stored), matrices, (double)n->n);
		return;
	}
	clear_node(&node, TIME_MOE, SS_TERM_EXPERTS, time_format_name(format));
	if (bind_moe(k, &node.u.moe, n, format)) {
		give_slot(m, &node);
		(void)put(m, &node);
	} else {
		op->is_by_laws = true;
	}
	make_router(m, n);
	m->small.kernels += 1;
	if (n->shared_experts > 0)
		make_shared(m,
			    time_format_bytes(format) < 1 ? TIME_BF16 : format_of(k, stored),
			    matrices, inner * (double)n->shared_experts);
}

/* -- collectives ------------------------------------------------------------------------------ */

/** Of one document's entries of a kernel (a name, or its end), the curve of these ranks. */
static const struct curve *link_curve(struct ss_kernel *k, enum ss_times_family family,
				      const char *kernel, int64_t ranks, struct coef *scale)
{
	struct times_state *t = &k->times;
	const int64_t key[SS_TIMES_KEYS_MAX] = { ranks };

	for (size_t i = 0; t->links && i < t->links->count; i++) {
		const struct ss_times_entry *e = &t->links->entries[i];
		size_t length = strlen(e->kernel), wanted = strlen(kernel);
		const struct ss_curve *curve;

		if (e->family != family || !ss_times_holds(e, t->minor) || length < wanted ||
		    strcmp(e->kernel + length - wanted, kernel) != 0 ||
		    (*e->format && strcmp(e->format, "half") != 0))
			continue;
		curve = ss_times_curve(e, key);
		if (!curve)
			continue;
		*scale = choose(k, t->links, e, e->kernel, REACH_SHAPE);
		return times_curve(t, curve);
	}
	return NULL;
}

static bool wants_custom(const struct ss_kernel *k)
{
	return strcmp(stated_text(k, SS_F_ALLREDUCE_BACKEND), "nccl") != 0 &&
	       !stated_bool(k, SS_F_DISABLE_CUSTOM_ALL_REDUCE, false);
}

static void bind_law_link(struct time_link *l, const struct plan_link *law)
{
	l->resource = law->resource;
	l->has_law = true;
	l->law_floor_us = law->floor.value;
	l->law_transition = law->transition.value;
	l->law_peak = law->peak.value;
	l->span = law->span;
	l->law_entries[0] = law->floor.entry;
	l->law_entries[1] = law->transition.entry;
	l->law_entries[2] = law->peak.entry;
}

/** An all-reduce over the tensor-parallel ranks of so many bytes a row. */
static void make_reduce(struct maker *m, enum ss_term_id term, double row_bytes, bool is_by_head,
			bool is_always_graphed)
{
	struct ss_kernel *k = m->k;
	const struct layout_place *place = &k->layout.groups[LAYOUT_TENSOR];
	struct plan_link law =
		link_make(k, SS_TERM_ALL_REDUCE, COLLECTIVE_ALL_REDUCE, LAYOUT_TENSOR, false);
	struct time_node node;
	struct time_link *l = &node.u.link;
	struct coef eager = COEF_NONE;

	clear_node(&node, TIME_LINK, term, is_always_graphed && !is_by_head ? "query/key norm" : "");
	bind_law_link(l, &law);
	l->scale = l->over_scale = COEF_NONE;
	l->row_bytes = row_bytes;
	l->log_row_bytes = log(row_bytes);
	l->log_limit = log(CUSTOM_BYTES);
	l->is_by_head = is_by_head;
	if (!place->crosses && wants_custom(k)) {
		if (k->set.has_reduce_fusion)
			l->graph = link_curve(k, SS_TIMES_ALL_REDUCE, "fused_all_reduce",
					      place->width, &l->scale);
		if (!l->graph) {
			l->graph = link_curve(k, SS_TIMES_ALL_REDUCE, "custom_graph", place->width,
					      &l->scale);
			if (!is_always_graphed)
				l->eager = link_curve(k, SS_TIMES_ALL_REDUCE, "custom_eager",
						      place->width, &eager);
		}
	}
	if (!place->crosses)
		l->over = link_curve(k, SS_TIMES_NCCL, "all_reduce", place->width, &l->over_scale);
	l->eager_scale = eager;
	(void)put(m, &node);
}

/** DeepEP's own measurement for the layer's experts, by tokens of a rank. */
static const struct curve *deepep_curve(struct maker *m, struct coef *scale)
{
	struct ss_kernel *k = m->k;
	struct times_state *t = &k->times;
	const char *mode = strncmp(k->set.all2all, "deepep_", 7) == 0 ? k->set.all2all + 7 : "";
	const struct ss_node *experts = NULL;

	for (size_t i = 0; i < m->kind->node_count; i++)
		if (m->kind->nodes[i].op == SS_OP_GROUPED_GEMM && m->kind->nodes[i].experts > 1)
			experts = &m->kind->nodes[i];
	for (size_t i = 0; *mode && experts && t->links && i < t->links->count; i++) {
		const struct ss_times_entry *e = &t->links->entries[i];
		const int64_t key[SS_TIMES_KEYS_MAX] = {
			k->layout.nodes_spanned,
			experts->latent_size ? experts->latent_size : experts->k, experts->top_k,
			experts->experts
		};
		const struct ss_curve *curve;

		if (e->family != SS_TIMES_DEEPEP || strcmp(e->kernel, mode) != 0)
			continue;
		curve = ss_times_curve(e, key);
		if (!curve)
			continue;
		*scale = choose(k, t->links, e, e->kernel, REACH_SHAPE);
		return times_curve(t, curve);
	}
	return NULL;
}

static const char *nccl_name(enum ss_op op)
{
	return op == SS_OP_ALL_GATHER       ? "all_gather"
	       : op == SS_OP_REDUCE_SCATTER ? "reduce_scatter"
					    : "alltoall";
}

/** Any other collective: by NCCL's table where it has these ranks, else by the laws. */
static void make_link(struct maker *m, const struct ss_node *n, struct plan_op *op)
{
	struct ss_kernel *k = m->k;
	enum layout_group group =
		n->op == SS_OP_ALL2ALL || n->emit == SS_CONDITION_EXPERT_PARALLEL ? LAYOUT_EXPERT
										   : LAYOUT_TENSOR;
	const struct layout_place *place = &k->layout.groups[group];
	struct time_node node;
	struct time_link *l = &node.u.link;

	clear_node(&node, TIME_LINK, op->u.link.term, "");
	l->scale = l->over_scale = l->eager_scale = COEF_NONE;
	l->resource = op->u.link.resource;
	l->law_entries[0] = l->law_entries[1] = l->law_entries[2] = -1;
	l->row_bytes = op->u.link.row_bytes;
	l->log_limit = -INFINITY;
	if (n->op == SS_OP_ALL2ALL) {
		l->over = deepep_curve(m, &l->over_scale);
		if (l->over)
			l->row_bytes = 1;
	}
	if (!l->over && !place->crosses)
		l->over = link_curve(k, SS_TIMES_NCCL, nccl_name(n->op), place->width,
				     &l->over_scale);
	if (!l->over) {
		op->is_by_laws = true;
		return;
	}
	l->log_row_bytes = log(l->row_bytes);
	(void)put(m, &node);
}

/* -- attention -------------------------------------------------------------------------------- */

/** Cache format as the tables name it; "" when they have none such. */
static const char *cache_name(const struct ss_kernel *k)
{
	if (*k->set.packed_layout)
		return "";
	if (strncmp(k->set.cache_dtype, "fp8", 3) == 0)
		return "fp8";
	return k->set.cache_element_bytes > 1 && k->set.cache_element_bytes < 3 ? "bfloat16" : "";
}

static const struct ss_times_entry *attention_entry(const struct ss_kernel *k,
						    enum ss_times_family family,
						    const struct ss_node *n)
{
	const struct ss_times *laws = k->times.laws;
	const char *cache = cache_name(k);

	for (size_t i = 0; i < laws->count; i++) {
		const struct ss_times_entry *e = &laws->entries[i];

		if (e->family == family && strcmp(e->format, cache) == 0 && e->at[0] == n->d_h &&
		    e->at[1] == n->window && ss_times_holds(e, k->times.minor))
			return e;
	}
	return NULL;
}

static struct coef choose_attention(struct ss_kernel *k, const struct ss_times_entry *e)
{
	char suffix[64];

	if (e->at[1])
		(void)snprintf(suffix, sizeof(suffix), "%s_%lld_w%lld", e->format,
			       (long long)e->at[0], (long long)e->at[1]);
	else
		(void)snprintf(suffix, sizeof(suffix), "%s_%lld", e->format, (long long)e->at[0]);
	return choose(k, k->times.laws, e, suffix, REACH_LAW);
}

static void bind_decode(struct ss_kernel *k, struct decode_law *d, const struct ss_times_entry *e,
			const struct ss_node *n, int selector)
{
	double kv = fmax((double)n->n_kv / k->layout.tp, 1), q = constant(e, "overlap_exponent");
	double bytes = kv * (double)n->d_h * 2 * k->set.cache_element_bytes;

	d->floor_us = constant(e, "floor");
	d->exponent = q;
	d->token_plain_us = bytes / (constant(e, "stream_share") *
				     constant(e, "bandwidth_bytes_per_us"));
	d->token_us = pow(d->token_plain_us, q);
	d->request_us = pow(kv * constant(e, "request_cost") / 1000, q);
	d->context_us = pow(constant(e, "context_cost") / 1000, q);
	d->selector = selector;
	d->scale = choose_attention(k, e);
}

static void bind_prefill(struct ss_kernel *k, struct prefill_law *p,
			 const struct ss_times_entry *e, const struct ss_node *n, int selector)
{
	double heads = (double)n->n_q / k->layout.tp, width = (double)n->d_h;
	double kv = fmax((double)n->n_kv / k->layout.tp, 1);

	p->floor_us = constant(e, "floor");
	p->depth_us = constant(e, "depth") / 1000;
	p->pair_us = 4 * heads * width /
		     (constant(e, "math_share") * constant(e, "peak_flop_per_us"));
	p->token_us = (heads + kv) * width * 4 /
		      (constant(e, "stream_share") * constant(e, "bandwidth_bytes_per_us"));
	p->selector = selector;
	p->scale = choose_attention(k, e);
}

static void make_attention(struct maker *m, const struct ss_node *n, struct plan_op *op)
{
	struct ss_kernel *k = m->k;
	bool is_plain = !*n->role && (n->attention == SS_ATTENTION_GQA ||
				      n->attention == SS_ATTENTION_SWA);
	const struct ss_times_entry *decode =
		is_plain ? attention_entry(k, SS_TIMES_DECODE_LAW, n) : NULL;
	const struct ss_times_entry *prefill =
		is_plain ? attention_entry(k, SS_TIMES_PREFILL_LAW, n) : NULL;
	struct time_node node;

	if (!*n->role)
		m->small.kernels += 2 + (n->qk_norm != SS_QK_NORM_NONE);
	if (n->qk_norm == SS_QK_NORM_ALL_HEADS && k->layout.tp > 1)
		make_reduce(m, SS_TERM_ALL_REDUCE, 8, false, true);
	op->is_by_laws = !decode || !prefill;
	if (op->is_by_laws)
		return;
	clear_node(&node, TIME_DECODE, SS_TERM_ATTENTION_DECODE, op->u.attention.detail);
	bind_decode(k, &node.u.decode, decode, n, op->u.attention.selector);
	(void)put(m, &node);
	clear_node(&node, TIME_PREFILL, SS_TERM_ATTENTION_PREFILL, op->u.attention.detail);
	bind_prefill(k, &node.u.prefill, prefill, n, op->u.attention.selector);
	(void)put(m, &node);
}

/* -- layers, head, host ------------------------------------------------------------------------- */

/** The op of a layer that a node became: the next of its kind. */
static struct plan_op *next_op(struct plan *plan, const struct plan_layer *l, size_t *at,
			       enum plan_op_kind kind)
{
	while (*at < l->op_count) {
		struct plan_op *op = &plan->ops[l->first_op + (*at)++];

		if (op->kind == kind)
			return op;
	}
	return NULL;
}

static enum ss_term_id term_of(enum ss_op op)
{
	return op == SS_OP_ALL_GATHER       ? SS_TERM_ALL_GATHER
	       : op == SS_OP_REDUCE_SCATTER ? SS_TERM_REDUCE_SCATTER
					    : SS_TERM_ALL2ALL;
}

static struct plan_op *link_op(struct plan *plan, const struct plan_layer *l, enum ss_op op)
{
	for (size_t i = 0; i < l->op_count; i++) {
		struct plan_op *o = &plan->ops[l->first_op + i];

		if (o->kind == PLAN_LINK && o->u.link.term == term_of(op))
			return o;
	}
	return NULL;
}

static void make_node(struct maker *m, const struct plan_layer *layer, const struct ss_node *n,
		      size_t *attention_at, size_t *experts_at)
{
	struct plan *plan = &m->k->plan;
	double hidden = (double)m->k->basis->in.model->hidden_size;
	struct plan_op *op;

	switch (n->op) {
	case SS_OP_GEMM:
		make_gemm(m, n);
		break;
	case SS_OP_GROUPED_GEMM:
		op = next_op(plan, layer, experts_at, PLAN_EXPERTS);
		if (op)
			make_experts(m, n, op);
		break;
	case SS_OP_ATTENTION:
		op = next_op(plan, layer, attention_at, PLAN_ATTENTION);
		if (op)
			make_attention(m, n, op);
		break;
	case SS_OP_ELEMENTWISE:
		m->small.kernels += 1;
		m->small.row_bytes += 4 * hidden;
		break;
	case SS_OP_ALL_REDUCE:
		make_reduce(m, SS_TERM_ALL_REDUCE, hidden * A, false, false);
		break;
	case SS_OP_ALL_GATHER:
	case SS_OP_REDUCE_SCATTER:
	case SS_OP_ALL2ALL:
		op = link_op(plan, layer, n->op);
		if (op)
			make_link(m, n, op);
		break;
	case SS_OP_RECURRENT:
	case SS_OP_MHC:
	case SS_OP_TABLE_LOOKUP:
	case SS_OP_UNKNOWN:
	case SS_OP_COUNT:
		break;
	}
}

static void make_layer(struct ss_kernel *k, const struct plan_layer *layer)
{
	const struct ss_layer_kind *kind = &k->basis->in.model->kinds[layer->kind];
	struct plan *plan = &k->plan;
	struct maker m = { .k = k,
			   .kind = kind,
			   .index = layer->kind,
			   .count = layer->count,
			   .draft_count = layer->draft_count,
			   .slot = -1 };
	size_t attention_at = 0, experts_at = 0;
	struct time_node node;

	m.small.glue = choose_term(k, SS_TIMES_GLUE);
	for (size_t i = 0; i < layer->op_count; i++) {
		enum plan_op_kind op = plan->ops[layer->first_op + i].kind;

		plan->ops[layer->first_op + i].is_by_laws =
			op == PLAN_RECURRENT || op == PLAN_MHC || op == PLAN_TABLE;
	}
	for (size_t i = 0; i < kind->node_count && !m.attention; i++)
		if (kind->nodes[i].op == SS_OP_ATTENTION && !*kind->nodes[i].role)
			m.attention = &kind->nodes[i];
	for (size_t i = 0; i < kind->node_count; i++)
		if (plan_runs_node(k, &kind->nodes[i]))
			make_node(&m, layer, &kind->nodes[i], &attention_at, &experts_at);
	clear_node(&node, TIME_SMALL, SS_TERM_SMALL, "");
	m.small.kernels = fmax(m.small.kernels, 0);
	node.u.small.kernels = m.small.kernels;
	node.u.small.row_bytes = m.small.row_bytes;
	node.u.small.glue = m.small.glue;
	(void)put(&m, &node);
}

/** The LM head: its product, the sampler's small kernel, and the gather of the logits. */
static void make_head(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	struct maker m = { .k = k, .index = -1, .count = 1, .draft_count = k->set.has_drafts, .slot = -1 };
	double tp = k->layout.tp;
	struct time_node node;

	for (size_t i = 0; i < model->head_count; i++) {
		const struct ss_node *n = &model->head[i];
		enum ss_dtype stored =
			n->weight_dtype == SS_DTYPE_UNSTATED ? SS_DTYPE_BF16 : n->weight_dtype;

		if (n->op != SS_OP_GEMM || !layout_emits(&k->layout, n->emit))
			continue;
		clear_node(&node, TIME_HEAD, SS_TERM_HEAD,
			   time_format_name(format_of(k, stored)));
		bind_gemm(k, &node.u.gemm, format_of(k, stored), (double)n->n / tp, (double)n->k);
		(void)put(&m, &node);
		clear_node(&node, TIME_SMALL, SS_TERM_HEAD, "");
		node.u.small.kernels = 1;
		node.u.small.glue = choose_term(k, SS_TIMES_GLUE);
		(void)put(&m, &node);
		if (k->layout.tp > 1)
			make_reduce(&m, SS_TERM_HEAD, (double)n->n * A / tp, true, true);
	}
}

static void make_host(struct ss_kernel *k)
{
	struct time_host *h = &k->plan.time_host;

	h->prefill_step = choose_term(k, SS_TIMES_PREFILL_HOST);
	h->sync_base = h->sync_request = COEF_NONE;
	/* scheduling ahead became the default with 0.14 */
	if (stated_bool(k, SS_F_ASYNC_SCHEDULING, k->set.is_async && k->times.minor >= 14))
		return;
	h->sync_base = choose_term(k, SS_TIMES_SYNC_BASE);
	h->sync_request = choose_term(k, SS_TIMES_SYNC_REQUEST);
}

void resolve_times(struct ss_kernel *k)
{
	struct plan *plan = &k->plan;

	plan->time_count = plan->time_use_count = 0;
	times_aim(&k->times, k->basis->in.registry, k->basis->in.part,
		  stated_text(k, SS_F_ENGINE_VERSION), k->problems);
	if (!k->times.laws || !k->times.terms || k->basis->in.pack->is_sm70 || !k->has_price)
		return;
	for (size_t i = 0; i < plan->layer_count; i++)
		make_layer(k, &plan->layers[i]);
	make_head(k);
	make_host(k);
}

/* -- provenance --------------------------------------------------------------------------------- */

static void shift(struct coef *c, int first)
{
	if (coef_is_set(*c))
		c->entry += first;
}

void times_link_entries(struct ss_kernel *k, int first)
{
	struct plan *plan = &k->plan;

	for (size_t i = 0; i < plan->time_count; i++) {
		struct time_node *n = &plan->times[i];

		switch (n->shape) {
		case TIME_GEMM:
		case TIME_HEAD:
			shift(&n->u.gemm.scale, first);
			break;
		case TIME_MOE:
			shift(&n->u.moe.scale, first);
			break;
		case TIME_SHARED:
			shift(&n->u.shared.up.scale, first);
			shift(&n->u.shared.down.scale, first);
			shift(&n->u.shared.glue, first);
			break;
		case TIME_DECODE:
			shift(&n->u.decode.scale, first);
			break;
		case TIME_PREFILL:
			shift(&n->u.prefill.scale, first);
			break;
		case TIME_SMALL:
			shift(&n->u.small.glue, first);
			break;
		case TIME_LINK:
			shift(&n->u.link.scale, first);
			shift(&n->u.link.eager_scale, first);
			shift(&n->u.link.over_scale, first);
			break;
		}
	}
	shift(&plan->time_host.prefill_step, first);
	shift(&plan->time_host.sync_base, first);
	shift(&plan->time_host.sync_request, first);
}
