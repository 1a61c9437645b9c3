/* The figure Kernels of a deployment: which measured time each kernel of the graph takes. */
#include "resolve/times_maker.h"

#include <math.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>

/** Bytes of an activation element, whatever is served. */
static const double A = 2;

/* -- choices ------------------------------------------------------------------------------ */

static double scale_of(const struct ss_kernel *k, const char *name, double value)
{
	const struct ss_basis_inputs *in = &k->basis->in;

	for (size_t i = 0; i < in->whatif_count; i++)
		if (strcmp(in->whatifs[i].name, name) == 0)
			value = in->whatifs[i].value;
	return value;
}

/** A family and what tells its entry apart; copied by hand, for every swept row makes some. */
static void name_choice(struct time_choice *c, const char *family, const char *suffix)
{
	const char *const parts[] = { family, *suffix ? "_" : "", suffix };
	size_t used = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (const char *p = parts[i]; *p && used + 1 < sizeof(c->name); p++)
			c->name[used++] = *p;
	c->name[used] = '\0';
}

/** The row of provenance of an entry; its value is a factor, or the entry's own. */
struct coef times_choose(struct ss_kernel *k, const struct ss_times *document,
			 const struct ss_times_entry *e, const char *suffix, enum time_reach reach)
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
	c->family = e->family;
	c->entry = e;
	c->document = document;
	c->reach = reach;
	name_choice(c, ss_times_family(e->family)->name, suffix);
	c->scale = scale_of(k, c->name, e->value > 0 ? e->value : 1);
	return (struct coef){ c->scale, (int)t->choice_count++ };
}

static struct coef choose_term(struct ss_kernel *k, enum ss_times_family family)
{
	const struct ss_times_entry *e = times_entry(&k->times, k->times.terms, family, NULL);

	return e ? times_choose(k, k->times.terms, e, "", REACH_SHAPE) : COEF_NONE;
}

/* -- nodes ---------------------------------------------------------------------------------- */

/* Members are compared, never the bytes between them, which a copy may leave as they were. */

static bool same_coef(const struct coef *a, const struct coef *b)
{
	return memcmp(&a->value, &b->value, sizeof(a->value)) == 0 && a->entry == b->entry;
}

static bool same_gemm(const struct time_gemm *a, const struct time_gemm *b)
{
	return a->curve == b->curve && memcmp(&a->edge, &b->edge, sizeof(a->edge)) == 0 &&
	       memcmp(&a->law, &b->law, sizeof(a->law)) == 0 && same_coef(&a->scale, &b->scale);
}

static bool same_moe(const struct time_moe *a, const struct time_moe *b)
{
	return a->curve == b->curve && memcmp(&a->law, &b->law, sizeof(a->law)) == 0 &&
	       memcmp(&a->funnel, &b->funnel, sizeof(a->funnel)) == 0 && a->slot == b->slot &&
	       same_coef(&a->scale, &b->scale);
}

static bool same_link(const struct time_link *a, const struct time_link *b)
{
	return memcmp(a, b, offsetof(struct time_link, is_by_head)) == 0 &&
	       a->is_by_head == b->is_by_head && a->has_law == b->has_law &&
	       memcmp(&a->law_floor_us, &b->law_floor_us,
		      offsetof(struct time_link, resource) -
			      offsetof(struct time_link, law_floor_us)) == 0 &&
	       a->resource == b->resource && same_coef(&a->scale, &b->scale) &&
	       same_coef(&a->eager_scale, &b->eager_scale) &&
	       same_coef(&a->over_scale, &b->over_scale) &&
	       memcmp(a->law_entries, b->law_entries, sizeof(a->law_entries)) == 0;
}

static bool same_body(const struct time_node *a, const struct time_node *b)
{
	const struct time_shared *c = &a->u.shared, *d = &b->u.shared;

	switch (a->shape) {
	case TIME_GEMM:
	case TIME_HEAD:
		return same_gemm(&a->u.gemm, &b->u.gemm);
	case TIME_MOE:
		return same_moe(&a->u.moe, &b->u.moe);
	case TIME_SHARED:
		return same_gemm(&c->up, &d->up) && same_gemm(&c->down, &d->down) &&
		       same_coef(&c->glue, &d->glue) && c->beside == d->beside;
	case TIME_DECODE:
		return memcmp(&a->u.decode, &b->u.decode, offsetof(struct decode_law, selector)) ==
			       0 &&
		       a->u.decode.selector == b->u.decode.selector &&
		       same_coef(&a->u.decode.scale, &b->u.decode.scale);
	case TIME_PREFILL:
		return memcmp(&a->u.prefill, &b->u.prefill,
			      offsetof(struct prefill_law, selector)) == 0 &&
		       a->u.prefill.selector == b->u.prefill.selector &&
		       same_coef(&a->u.prefill.scale, &b->u.prefill.scale);
	case TIME_SMALL:
		return memcmp(&a->u.small, &b->u.small, offsetof(struct time_small, glue)) == 0 &&
		       same_coef(&a->u.small.glue, &b->u.small.glue);
	case TIME_LINK:
		return same_link(&a->u.link, &b->u.link);
	}
	return false;
}

bool time_node_is_same(const struct time_node *a, const struct time_node *b)
{
	return a->shape == b->shape && a->term == b->term && strcmp(a->detail, b->detail) == 0 &&
	       strcmp(a->role, b->role) == 0 && same_body(a, b);
}

/** Count a kernel: once in the list, once in its layer kind. */
void times_put(struct maker *m, const struct time_node *made)
{
	struct plan *plan = &m->k->plan;
	struct time_use *use = NULL;
	size_t node = 0;

	while (node < plan->time_count && !time_node_is_same(&plan->times[node], made))
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
}

/** A node of a shape, nothing else in it. */
void time_node_clear(struct time_node *node, enum time_shape shape, enum ss_term_id term,
		     const char *detail)
{
	memset(node, 0, sizeof(*node));
	node->shape = shape;
	node->term = term;
	node->detail = detail;
	node->role = "";
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

static const struct ss_times_entry *
attention_entry(const struct ss_kernel *k, enum ss_times_family family, const struct ss_node *n)
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
	return times_choose(k, k->times.laws, e, suffix, REACH_LAW);
}

static void bind_decode(struct ss_kernel *k, struct decode_law *d, const struct ss_times_entry *e,
			const struct ss_node *n, int selector)
{
	double kv = fmax((double)n->n_kv / k->layout.tp, 1), q = e->law.overlap_exponent;
	double bytes = kv * (double)n->d_h * 2 * k->set.cache_element_bytes;

	d->floor_us = e->law.floor;
	d->exponent = q;
	d->token_plain_us = bytes / (e->law.stream_share * e->law.bandwidth_bytes_per_us);
	d->token_us = pow(d->token_plain_us, q);
	d->request_us = pow(kv * e->law.request_cost / 1000, q);
	d->context_us = pow(e->law.context_cost / 1000, q);
	d->selector = selector;
	d->scale = choose_attention(k, e);
}

static void bind_prefill(struct ss_kernel *k, struct prefill_law *p, const struct ss_times_entry *e,
			 const struct ss_node *n, int selector)
{
	double heads = (double)n->n_q / k->layout.tp, width = (double)n->d_h;
	double kv = fmax((double)n->n_kv / k->layout.tp, 1);

	p->floor_us = e->law.floor;
	p->depth_us = e->law.depth / 1000;
	p->pair_us = 4 * heads * width / (e->law.math_share * e->law.peak_flop_per_us);
	p->token_us =
		(heads + kv) * width * 4 / (e->law.stream_share * e->law.bandwidth_bytes_per_us);
	p->selector = selector;
	p->scale = choose_attention(k, e);
}

static void make_attention(struct maker *m, const struct ss_node *n, struct plan_op *op)
{
	struct ss_kernel *k = m->k;
	bool is_plain =
		!*n->role && (n->attention == SS_ATTENTION_GQA || n->attention == SS_ATTENTION_SWA);
	const struct ss_times_entry *decode =
		is_plain ? attention_entry(k, SS_TIMES_DECODE_LAW, n) : NULL;
	const struct ss_times_entry *prefill =
		is_plain ? attention_entry(k, SS_TIMES_PREFILL_LAW, n) : NULL;
	struct time_node node;

	if (!*n->role)
		m->small.kernels += 2 + (n->qk_norm != SS_QK_NORM_NONE);
	if (n->qk_norm == SS_QK_NORM_ALL_HEADS && k->layout.tp > 1)
		times_make_reduce(m, SS_TERM_ALL_REDUCE, 8, false, true);
	op->is_by_laws = !decode || !prefill;
	if (op->is_by_laws)
		return;
	time_node_clear(&node, TIME_DECODE, SS_TERM_ATTENTION_DECODE, op->u.attention.detail);
	bind_decode(k, &node.u.decode, decode, n, op->u.attention.selector);
	times_put(m, &node);
	time_node_clear(&node, TIME_PREFILL, SS_TERM_ATTENTION_PREFILL, op->u.attention.detail);
	bind_prefill(k, &node.u.prefill, prefill, n, op->u.attention.selector);
	times_put(m, &node);
}

/* -- layers, head, host -------------------------------------------------------------------------
 */

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
		times_make_gemm(m, n);
		break;
	case SS_OP_GROUPED_GEMM:
		op = next_op(plan, layer, experts_at, PLAN_EXPERTS);
		if (op)
			times_make_experts(m, n, op);
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
		times_make_reduce(m, SS_TERM_ALL_REDUCE, hidden * A, false, false);
		break;
	case SS_OP_ALL_GATHER:
	case SS_OP_REDUCE_SCATTER:
	case SS_OP_ALL2ALL:
		op = link_op(plan, layer, n->op);
		if (op)
			times_make_link(m, n, op);
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
	time_node_clear(&node, TIME_SMALL, SS_TERM_SMALL, "");
	m.small.kernels = fmax(m.small.kernels, 0);
	node.u.small.kernels = m.small.kernels;
	node.u.small.row_bytes = m.small.row_bytes;
	node.u.small.glue = m.small.glue;
	times_put(&m, &node);
}

/** The LM head: its product, the sampler's small kernel, and the gather of the logits. */
static void make_head(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	struct maker m = {
		.k = k, .index = -1, .count = 1, .draft_count = k->set.has_drafts, .slot = -1
	};
	double tp = k->layout.tp;
	struct time_node node;

	for (size_t i = 0; i < model->head_count; i++) {
		const struct ss_node *n = &model->head[i];
		enum ss_dtype stored =
			n->weight_dtype == SS_DTYPE_UNSTATED ? SS_DTYPE_BF16 : n->weight_dtype;

		if (n->op != SS_OP_GEMM || !layout_emits(&k->layout, n->emit))
			continue;
		time_node_clear(&node, TIME_HEAD, SS_TERM_HEAD,
				time_format_name(time_format_of(k, stored)));
		node.n = (double)n->n / tp;
		node.k = (double)n->k;
		times_bind_gemm(k, &node.u.gemm, time_format_of(k, stored), node.n, node.k);
		times_put(&m, &node);
		time_node_clear(&node, TIME_SMALL, SS_TERM_HEAD, "");
		node.u.small.kernels = 1;
		node.u.small.glue = choose_term(k, SS_TIMES_GLUE);
		times_put(&m, &node);
		if (k->layout.tp > 1)
			times_make_reduce(&m, SS_TERM_HEAD, (double)n->n * A / tp, true, true);
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
	k->times.has_reduce_law = false;
	times_aim(&k->times, k->basis->in.registry, k->basis->in.part,
		  stated_text(k, SS_F_ENGINE_VERSION), k->problems);
	if (!k->times.laws || !k->times.terms || k->basis->in.pack->is_sm70 || !k->has_price)
		return;
	for (size_t i = 0; i < plan->layer_count; i++)
		make_layer(k, &plan->layers[i]);
	make_head(k);
	make_host(k);
}
