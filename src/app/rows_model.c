/* The Model pane: layer kinds, their nodes, shapes and parameters. */
#include <stdio.h>
#include <string.h>

#include "app/number.h"
#include "app/rows.h"

static double node_parameters(const struct ss_node *node)
{
	double matrices = node->matrices ? (double)node->matrices : 3;
	double in = (double)(node->latent_size ? node->latent_size : node->k);
	double shared =
		(double)(node->shared_intermediate_size ? node->shared_intermediate_size : node->n);

	if (node->op == SS_OP_GEMM)
		return (double)node->n * (double)node->k;
	if (node->op != SS_OP_GROUPED_GEMM)
		return 0;
	return matrices * ((double)node->experts * (double)node->n * in +
			   (double)node->shared_experts * shared * (double)node->k);
}

static void node_shape(const struct ss_node *node, char *out, size_t size)
{
	if (node->op == SS_OP_GEMM)
		snprintf(out, size, "%lld x %lld %s", (long long)node->n, (long long)node->k,
			 ss_dtype_name(node->weight_dtype));
	else if (node->op == SS_OP_GROUPED_GEMM)
		snprintf(out, size, "%lld of %lld experts, %lld x %lld %s", (long long)node->top_k,
			 (long long)node->experts, (long long)node->n, (long long)node->k,
			 ss_dtype_name(node->weight_dtype));
	else if (node->op == SS_OP_ATTENTION)
		snprintf(out, size, "%s %lldq %lldkv x %lld%s", node->kind_text,
			 (long long)node->n_q, (long long)node->n_kv, (long long)node->d_h,
			 node->window ? ", window" : "");
	else if (node->op == SS_OP_RECURRENT)
		snprintf(out, size, "%s %lld heads, state %lld", node->kind_text,
			 (long long)node->n_heads, (long long)node->state_size);
	else if (node->op == SS_OP_TABLE_LOOKUP)
		snprintf(out, size, "%s, %lld rows a token", node->table,
			 (long long)node->rows_per_token);
	else if (node->emit != SS_CONDITION_ALWAYS)
		snprintf(out, size, "when %s", node->emit_text);
	else
		out[0] = '\0';
}

static void add_nodes(struct table *table, const struct ss_node *nodes, size_t count, double layers,
		      int base)
{
	char shape[96];

	for (size_t i = 0; i < count; i++) {
		double parameters = node_parameters(&nodes[i]) * layers;

		node_shape(&nodes[i], shape, sizeof(shape));
		table_row(table, base + (int)i, ' ');
		table_put(table, 0, nodes[i].op_text);
		table_put(table, 1, nodes[i].role);
		table_put(table, 2, shape);
		if (parameters > 0)
			table_put_number(table, 3, parameters, number_short(parameters).text);
	}
}

void rows_model(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "node", .width = 11, .min_width = 9 },
		{ .title = "role", .width = 14, .min_width = 10, .rank = 1 },
		{ .title = "shape", .width = 22, .min_width = 10, .grows = true },
		{ .title = "params", .width = 7, .min_width = 6, .is_right = true, .rank = 2 },
	};
	const struct ss_model *model = NULL;
	char title[128];

	table_reset(table, columns, 4);
	if (!app->quote)
		return;
	model = ss_basis_inputs(app->quote->basis)->model;
	for (size_t k = 0; k < model->kind_count; k++) {
		const struct ss_layer_kind *kind = &model->kinds[k];
		double seconds = 0;

		for (size_t i = 0; i < app->quote->breakdown.term_count; i++) {
			const struct ss_term *term = &app->quote->breakdown.terms[i];

			if (term->kind == (int)k && !term->is_draft)
				seconds += ss_term_figure(term, app->figure);
		}
		snprintf(title, sizeof(title), "%lld x %s  %s%s", (long long)kind->count, kind->id,
			 app->quote->has_price ? number_time(seconds).text : "",
			 kind->draft_count ? "  (drafts)" : "");
		table_heading(table, title);
		add_nodes(table, kind->nodes, kind->node_count, (double)kind->count,
			  (int)(k + 1) * 1000);
	}
	table_heading(table, "head");
	add_nodes(table, model->head, model->head_count, 1, 0);
}
