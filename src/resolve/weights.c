#include "resolve/weights.h"

#include <string.h>

#include "price/experts.h"
#include "price/integers.h"
#include "price/weight_format.h"

/** The engine's MXFP4 kernels take inner widths of this step. */
#define MXFP4_WIDTH_STEP 256

/** Bytes of a weight that the engine does not quantise. */
#define PLAIN_BYTES 2.0

/** Bytes of one layer of a kind, or of the head. */
struct layer_weights {
	double payload, scales, redundant, mxfp4_padding, tables, host_tables;
	double unquantised, replicated;
};

static double scale_bytes(const struct ss_kernel *k, enum ss_dtype format, double elements)
{
	const struct ss_model *model = k->basis->in.model;

	return weight_scale_bytes(format, elements, model->group_size, model->has_zero_points);
}

static void add_matrix(const struct ss_kernel *k, struct layer_weights *w, enum ss_dtype format,
		       double elements)
{
	w->payload += weight_bytes(format, elements);
	w->scales += scale_bytes(k, format, elements);
}

static void add_experts(const struct ss_kernel *k, struct layer_weights *w,
			const struct ss_node *node)
{
	const struct layout *l = &k->layout;
	enum ss_dtype format = stored_format(k, node, false);
	double shards = l->ep > 1 ? 1 : (double)l->tp * (double)l->dp;
	int64_t width = node->latent_size > 0 ? node->latent_size : node->k;
	int64_t replicas = node->experts > 1 ? k->set.redundant : 0;
	int64_t held = experts_heaviest(node->experts, replicas, l->ep);
	int64_t own = least(held, experts_heaviest(node->experts, 0, l->ep));
	double expert = expert_parameters(node->matrices, node->n, width) / shards;

	w->payload += weight_bytes(format, expert * (double)own);
	w->redundant += weight_bytes(format, expert * (double)(held - own));
	w->scales += scale_bytes(k, format, expert * (double)held);
	if (format == SS_DTYPE_MXFP4 && node->n > 0) {
		int64_t padded = divide_up(node->n, MXFP4_WIDTH_STEP) * MXFP4_WIDTH_STEP;
		double more = expert * (double)held * (double)(padded - node->n) / (double)node->n;

		w->mxfp4_padding += weight_bytes(format, more) + scale_bytes(k, format, more);
	}
	if (node->experts > 1)
		w->unquantised += (double)node->experts * (double)node->k * PLAIN_BYTES;
	if (node->shared_experts > 0) {
		int64_t inner = node->shared_intermediate_size > 0 ? node->shared_intermediate_size
								   : node->n;

		add_matrix(
			k, w, shared_expert_format(k, node),
			expert_parameters(node->matrices, inner, k->basis->in.model->hidden_size) *
				(double)node->shared_experts / l->tp);
	}
}

/** Replicas of a table that a node's host memory holds. */
static int64_t host_copies(const struct ss_kernel *k)
{
	const struct layout *l = &k->layout;
	int64_t per_node = stated_count(k, SS_F_GPUS_PER_NODE) / ((int64_t)l->tp * l->pcp);

	return k->set.is_table_shared ? 1 : most(least(per_node, l->dp), 1);
}

static void add_table(const struct ss_kernel *k, struct layer_weights *w,
		      const struct ss_node *node)
{
	bool is_engram = strcmp(node->table, "engram") == 0;

	if (is_engram ? k->set.is_table_on_host : node->is_host_resident)
		w->host_tables += (double)node->table_bytes * (double)host_copies(k);
	else
		w->tables += (double)node->table_bytes / k->layout.tp;
}

static void add_projection(const struct ss_kernel *k, struct layer_weights *w,
			   const struct ss_node *node)
{
	enum ss_dtype format = stored_format(k, node, false);
	double elements = (double)node->n * (double)node->k;
	double own = elements / k->layout.tp;

	add_matrix(k, w, format, own);
	if (node->shard == SS_SHARD_REPLICATED)
		w->replicated += weight_bytes(format, elements - own) +
				 scale_bytes(k, format, elements - own);
}

static void sum_layer(const struct ss_kernel *k, const struct ss_layer_kind *kind,
		      struct layer_weights *w)
{
	for (size_t i = 0; i < kind->node_count; i++) {
		const struct ss_node *node = &kind->nodes[i];

		if (node->op == SS_OP_GEMM)
			add_projection(k, w, node);
		else if (node->op == SS_OP_GROUPED_GEMM)
			add_experts(k, w, node);
		else if (node->op == SS_OP_TABLE_LOOKUP)
			add_table(k, w, node);
	}
}

/** What elements of a narrow format take more at 16 bits. */
static double widening(const struct ss_kernel *k, enum ss_dtype format, double elements)
{
	double own = weight_bytes(format, elements) + scale_bytes(k, format, elements);

	return own < elements * PLAIN_BYTES ? elements * PLAIN_BYTES - own : 0;
}

/** Head and embedding; a tied head is the embedding, counted once. */
static void sum_ends(const struct ss_kernel *k, struct layer_weights *w)
{
	const struct ss_model *model = k->basis->in.model;
	double rows = (double)model->vocab_size * (double)model->hidden_size / k->layout.tp;
	enum ss_dtype embedding = model->embedding_dtype != SS_DTYPE_UNSTATED
					  ? model->embedding_dtype
					  : model->weight_dtype;

	add_matrix(k, w, embedding, rows);
	if (model->embedding_dtype == SS_DTYPE_UNSTATED)
		w->unquantised += widening(k, embedding, rows);
	for (size_t i = 0; i < model->head_count; i++) {
		const struct ss_node *node = &model->head[i];
		bool is_table = node->n == model->vocab_size && node->k == model->hidden_size;

		if (node->op != SS_OP_GEMM || (is_table && model->has_tied_embeddings))
			continue;
		add_matrix(k, w, stored_format(k, node, true),
			   (double)node->n * (double)node->k / k->layout.tp);
		if (is_table && node->weight_dtype == SS_DTYPE_UNSTATED)
			w->unquantised += widening(k, stored_format(k, node, true), rows);
	}
}

void weights_sum(const struct ss_kernel *k, struct weights *out)
{
	const struct ss_model *model = k->basis->in.model;
	struct layer_weights ends = { 0 };

	*out = (struct weights){ 0 };
	sum_ends(k, &ends);
	out->main = ends.payload;
	out->scales = ends.scales;
	out->unquantised = ends.unquantised;
	for (size_t i = 0; i < model->other_count; i++)
		out->others += weight_bytes(model->others[i].weight_dtype,
					    (double)model->others[i].parameters) /
			       k->layout.tp;
	for (size_t i = 0; i < model->kind_count; i++) {
		const struct ss_layer_kind *kind = &model->kinds[i];
		double drafts = k->set.has_drafts ? (double)kind->draft_count : 0;
		double count = (double)kind->count;
		struct layer_weights w = { 0 };

		if (count + drafts <= 0)
			continue;
		sum_layer(k, kind, &w);
		out->main += count * w.payload;
		out->redundant += count * w.redundant;
		out->draft += drafts * (w.payload + w.redundant);
		out->scales += (count + drafts) * w.scales;
		out->tables += (count + drafts) * w.tables;
		out->host_tables += (count + drafts) * w.host_tables;
		out->mxfp4_padding += (count + drafts) * w.mxfp4_padding;
		out->unquantised += (count + drafts) * w.unquantised;
		out->replicated += (count + drafts) * w.replicated;
	}
}
