/* Measured collectives of a layer. */
#include <math.h>
#include <string.h>

#include "resolve/links.h"
#include "resolve/times_maker.h"

/** The custom all-reduce's buffer: what is larger goes to NCCL. */
static const double CUSTOM_BYTES = 8.0 * 1024 * 1024;

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
		*scale = times_choose(k, t->links, e, e->kernel, REACH_SHAPE);
		return times_curve(t, curve);
	}
	return NULL;
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

static const struct plan_link *reduce_law(struct ss_kernel *k)
{
	struct times_state *t = &k->times;

	if (!t->has_reduce_law)
		t->reduce_law = link_make(k, SS_TERM_ALL_REDUCE, COLLECTIVE_ALL_REDUCE,
					  LAYOUT_TENSOR, false);
	t->has_reduce_law = true;
	return &t->reduce_law;
}

/** An all-reduce over the tensor-parallel ranks of so many bytes a row. */
void times_make_reduce(struct maker *m, enum ss_term_id term, double row_bytes, bool is_by_head,
		       bool is_always_graphed)
{
	struct ss_kernel *k = m->k;
	const struct layout_place *place = &k->layout.groups[LAYOUT_TENSOR];
	struct time_node node;
	struct time_link *l = &node.u.link;
	struct coef eager = COEF_NONE;

	time_node_clear(&node, TIME_LINK, term,
			is_always_graphed && !is_by_head ? "query/key norm" : "");
	bind_law_link(l, reduce_law(k));
	l->scale = l->over_scale = COEF_NONE;
	l->row_bytes = row_bytes;
	l->log_row_bytes = log(row_bytes);
	l->log_limit = log(CUSTOM_BYTES);
	l->is_by_head = is_by_head;
	/* the table is of the engine's own call, whatever that takes on this part */
	if (!place->crosses && !k->set.is_custom_barred) {
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
	times_put(m, &node);
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
		const int64_t key[SS_TIMES_KEYS_MAX] = { k->layout.nodes_spanned,
							 experts->latent_size ? experts->latent_size
									      : experts->k,
							 experts->top_k, experts->experts };
		const struct ss_curve *curve;

		if (e->family != SS_TIMES_DEEPEP || strcmp(e->kernel, mode) != 0)
			continue;
		curve = ss_times_curve(e, key);
		if (!curve)
			continue;
		*scale = times_choose(k, t->links, e, e->kernel, REACH_SHAPE);
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
void times_make_link(struct maker *m, const struct ss_node *n, struct plan_op *op)
{
	struct ss_kernel *k = m->k;
	enum layout_group group = n->op == SS_OP_ALL2ALL || n->emit == SS_CONDITION_EXPERT_PARALLEL
					  ? LAYOUT_EXPERT
					  : LAYOUT_TENSOR;
	const struct layout_place *place = &k->layout.groups[group];
	struct time_node node;
	struct time_link *l = &node.u.link;

	time_node_clear(&node, TIME_LINK, op->u.link.term, "");
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
	times_put(m, &node);
}
