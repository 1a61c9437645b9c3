/* Measured GEMMs and experts of a layer. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "price/gemm.h"
#include "resolve/formats.h"
#include "resolve/kernel_choice.h"
#include "resolve/times_maker.h"

/** Bytes of an activation element, whatever is served. */
static const double A = 2;
/** A router is padded to this many outputs. */
static const int64_t ROUTER_MIN = 256;

/* -- GEMMs ---------------------------------------------------------------------------------- */

/** The format a stored weight is computed in; block-scaled 8 bit where the checkpoint is. */
enum time_format time_format_of(const struct ss_kernel *k, enum ss_dtype stored)
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

void times_bind_gemm_law(struct gemm_law *law, const struct ss_times_entry *e, double n, double k,
			 double bytes)
{
	double read = e->law.stream_share * e->law.bandwidth_bytes_per_us;

	law->floor_us = e->law.floor;
	law->depth_us = e->law.depth * k / 1000;
	law->read_us = bytes * n * k / read;
	law->read_row_us = A * (n + k) / read;
	law->math_tile_us = 2 * 64 * n * k / (e->law.math_share * e->law.peak_flop_per_us);
	law->exponent = e->law.overlap_exponent;
}

/** A product of rows with n x k on one rank. */
void times_bind_gemm(struct ss_kernel *k, struct time_gemm *g, enum time_format format, double n,
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
		times_bind_gemm_law(&g->law, law, n, width, time_format_bytes(format));
	if (grid) {
		g->curve = times_grid(t, grid, n, width, &g->edge);
		reach = g->edge < 0 || g->edge > 0 ? REACH_EDGE : REACH_SHAPE;
		g->scale = times_choose(k, document, grid, name, reach);
	} else if (law) {
		g->scale = times_choose(k, t->laws, law, law->format, reach);
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

void times_make_gemm(struct maker *m, const struct ss_node *n)
{
	struct ss_kernel *k = m->k;
	enum time_format format = time_format_of(k, stored_format(k, n, false));
	double tp = k->layout.tp;
	struct time_node node;

	time_node_clear(&node, TIME_GEMM, SS_TERM_DENSE, time_format_name(format));
	node.role = n->role;
	node.n = shard_n(m, n);
	node.k = shard_of(k, n) == SS_SHARD_ROW ? (double)n->k / tp : (double)n->k;
	times_bind_gemm(k, &node.u.gemm, format, node.n, node.k);
	times_put(m, &node);
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
	enum time_format format = time_format_of(k, stored);

	if (format == TIME_MXFP4 && strcasecmp(k->set.moe_backend, "flashinfer_mxfp4_mxfp8") == 0 &&
	    k->basis->in.part->nvfp4_tflops > 0)
		return TIME_MXFP4_MXFP8;
	return format;
}

/** The entry with a curve for this shape: of the backend asked for, else the first. */
static const struct ss_times_entry *moe_entry(const struct ss_kernel *k,
					      const struct ss_times *document,
					      const int64_t key[SS_TIMES_KEYS_MAX],
					      const struct ss_curve **curve)
{
	const struct ss_times_entry *found = NULL;
	int best = 0;

	for (size_t i = 0; document && i < document->count; i++) {
		const struct ss_times_entry *e = &document->entries[i];
		int fits = kernel_fits(k, e, k->set.moe_backend);
		const struct ss_curve *c = fits > best ? ss_times_curve(e, key) : NULL;

		if (!c)
			continue;
		best = fits;
		found = e;
		*curve = c;
	}
	return found;
}

/** The law of a format: of the backend asked for, else the release's. */
static const struct ss_times_entry *moe_law_of(const struct ss_kernel *k, const char *format)
{
	const struct ss_times *laws = k->times.laws;
	const struct ss_times_entry *found = NULL;
	int best = 0;

	for (size_t i = 0; laws && i < laws->count; i++) {
		const struct ss_times_entry *e = &laws->entries[i];
		int fits = e->family == SS_TIMES_MOE_LAW && strcmp(e->format, format) == 0
				   ? kernel_fits(k, e, k->set.moe_backend)
				   : 0;

		if (fits > best) {
			best = fits;
			found = e;
		}
	}
	return found;
}

/** Of the chance that none of a token's choices is one expert. */
static double log_missed(const struct times_experts *s, double skew)
{
	return s->top_k < s->experts ? skew * log1p(-s->top_k / s->experts) : -1e9;
}

void times_bind_moe_law(struct moe_law *law, const struct ss_times_entry *e,
			const struct times_experts *s)
{
	double read = e->law.stream_share * e->law.bandwidth_bytes_per_us;
	double math = e->law.math_share * e->law.peak_flop_per_us;

	law->floor_us = e->law.floor;
	law->depth_us = e->law.depth * (s->hidden + s->inner) / 1000;
	law->row_us = e->law.row_cost * s->hidden / 1024 / 1000;
	law->read_us = s->matrices * s->bytes * s->hidden * s->inner / read;
	law->math_us = 2 * s->matrices * s->hidden * s->inner / math;
	law->exponent = e->law.overlap_exponent;
	law->tile_rows = e->law.tile_rows;
	law->local = s->experts / s->ep;
	law->least = fmin(law->local, s->top_k / s->ep);
	law->rows_per_token = s->top_k / s->ep * (s->ep > 1 ? e->law.rank_imbalance : 1);
	law->log_missed = log_missed(s, e->law.skew);
}

/** Datasheet rates, to tell reads from arithmetic where no law was fitted. */
static void bind_plain_moe(const struct ss_kernel *k, struct moe_law *law,
			   const struct times_experts *s)
{
	const struct ss_part *part = k->basis->in.part;

	law->read_us =
		s->matrices * s->bytes * s->hidden * s->inner / (part->memory_bandwidth_tb_s * 1e6);
	law->math_us = 2 * s->matrices * s->hidden * s->inner / (part->bf16_tflops * 1e6);
	law->exponent = 1;
	law->local = s->experts / s->ep;
	law->least = fmin(law->local, s->top_k / s->ep);
	law->rows_per_token = s->top_k / s->ep;
	law->log_missed = log_missed(s, 1);
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
	struct times_experts shape = {
		.hidden = (double)(n->latent_size ? n->latent_size : n->k),
		.inner = (double)n->n / tp,
		.top_k = fmin((double)n->top_k, (double)n->experts),
		.experts = (double)n->experts,
		.ep = ep,
		.matrices = (double)(n->matrices ? n->matrices : 3),
		.bytes = time_format_bytes(format),
	};
	int64_t key[SS_TIMES_KEYS_MAX] = { n->latent_size ? n->latent_size : n->k,
					   n->n,
					   n->top_k,
					   n->experts,
					   (int64_t)tp,
					   (int64_t)ep };
	const struct ss_times *document = times_moe_document(t, format, k->problems);
	const struct ss_times_entry *law = moe_law_of(k, name);
	const struct ss_curve *curve = NULL;
	const struct ss_times_entry *e = moe_entry(k, document, key, &curve);

	/* a law of the backend asked for before a curve of another */
	if (e && law &&
	    kernel_fits(k, law, k->set.moe_backend) > kernel_fits(k, e, k->set.moe_backend) &&
	    kernel_fits(k, e, k->set.moe_backend) == 1)
		e = NULL;
	t->experts = e ? e : law;
	moe->funnel = l->dp;
	moe->slot = -1;
	if (law)
		times_bind_moe_law(&moe->law, law, &shape);
	else
		bind_plain_moe(k, &moe->law, &shape);
	if (e) {
		moe->curve = times_curve(t, curve);
		moe->scale = times_choose(k, document, e, name, REACH_SHAPE);
	} else if (law) {
		moe->scale = times_choose(k, t->laws, law, name, REACH_LAW);
	}
	return e || law;
}

static void make_shared(struct maker *m, enum time_format format, double matrices, double inner)
{
	struct ss_kernel *k = m->k;
	double tp = k->layout.tp, hidden = (double)k->basis->in.model->hidden_size;
	struct time_node node;

	time_node_clear(&node, TIME_SHARED, SS_TERM_SHARED, time_format_name(format));
	times_bind_gemm(k, &node.u.shared.up, format, (matrices - 1) * inner / tp, hidden);
	times_bind_gemm(k, &node.u.shared.down, format, hidden, inner / tp);
	node.u.shared.glue = m->small.glue;
	node.u.shared.beside = m->slot;
	times_put(m, &node);
}

static void make_router(struct maker *m, const struct ss_node *n)
{
	struct ss_kernel *k = m->k;
	int64_t outputs = n->experts > ROUTER_MIN ? n->experts : ROUTER_MIN;
	struct time_node node;

	for (size_t i = 0; i < m->kind->node_count; i++) {
		const struct ss_node *other = &m->kind->nodes[i];

		if (other->op == SS_OP_GEMM &&
		    (strcmp(other->role, "router") == 0 || strcmp(other->role, "gate") == 0))
			return;
	}
	time_node_clear(&node, TIME_GEMM, SS_TERM_DENSE, "router");
	node.n = (double)outputs;
	node.k = (double)k->basis->in.model->hidden_size;
	times_bind_gemm(k, &node.u.gemm, TIME_BF16, node.n, node.k);
	times_put(m, &node);
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
		if (time_node_is_same(other, node)) {
			m->slot = node->u.moe.slot;
			return;
		}
		next = other->u.moe.slot + 1;
	}
	m->slot = node->u.moe.slot = next < TIME_SLOTS_MAX ? next : -1;
}

void times_make_experts(struct maker *m, const struct ss_node *n, struct plan_op *op)
{
	struct ss_kernel *k = m->k;
	enum ss_dtype stored = stored_format(k, n, false);
	enum time_format format = moe_format(k, stored);
	double matrices = (double)(n->matrices ? n->matrices : 3);
	double inner = (double)(n->shared_intermediate_size ? n->shared_intermediate_size : n->n);
	struct time_node node;

	if (n->experts <= 1) {
		make_shared(m, time_format_of(k, stored), matrices, (double)n->n);
		return;
	}
	time_node_clear(&node, TIME_MOE, SS_TERM_EXPERTS, time_format_name(format));
	if (bind_moe(k, &node.u.moe, n, format)) {
		give_slot(m, &node);
		times_put(m, &node);
	} else {
		op->is_by_laws = true;
	}
	make_router(m, n);
	m->small.kernels += 1;
	if (n->shared_experts > 0)
		make_shared(m,
			    time_format_bytes(format) < 1 ? TIME_BF16 : time_format_of(k, stored),
			    matrices, inner * (double)n->shared_experts);
}
