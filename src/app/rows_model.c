/* The Model pane: layer kinds, their nodes, shapes and parameters. */
#include <stdio.h>
#include <string.h>

#include "case/node_price.h"
#include "text/number.h"
#include "app/rows.h"

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

/* Layers of a kind that drafts alone have are those drafts run. */
static int64_t layers_of(const struct ss_layer_kind *kind)
{
	return kind->count ? kind->count : kind->draft_count;
}

/* Nodes of a layer kind, or of the head (-1), with what they cost over its layers. */
static void add_nodes(struct table *table, const struct app *app, int kind,
		      const struct ss_node *nodes, size_t count, double layers)
{
	char shape[96];

	for (size_t i = 0; i < count; i++) {
		double parameters = node_parameters(&nodes[i]) * layers;
		double seconds = 0;

		node_shape(&nodes[i], shape, sizeof(shape));
		table_row(table, (kind + 1) * 1000 + (int)i, ' ');
		table_put(table, 0, nodes[i].op_text);
		table_put(table, 1, nodes[i].role);
		table_put(table, 2, shape);
		if (parameters > 0)
			table_put_number(table, 3, parameters, number_short(parameters).text);
		if (!app->quote->has_price)
			continue;
		seconds = node_seconds(&app->quote->breakdown, app->figure, kind, nodes, count, i);
		if (seconds > 0)
			table_put_number(
				table, 4, seconds,
				number_time_in(seconds, NUMBER_MS, seconds < 1e-3 ? 4 : 2).text);
	}
}

static double kind_seconds(const struct app *app, int kind)
{
	double seconds = 0;

	for (size_t i = 0; i < app->quote->breakdown.term_count; i++) {
		const struct ss_term *term = &app->quote->breakdown.terms[i];

		if (term->kind == kind && !term->is_draft)
			seconds += ss_term_figure(term, app->figure);
	}
	return seconds;
}

void rows_model(struct table *table, const struct app *app)
{
	static const struct table_column columns[] = {
		{ .title = "node", .width = 11 },
		{ .title = "role", .width = 14, .min_width = 9, .rank = 1 },
		{ .title = "shape", .width = 22, .min_width = 8, .grows = true, .rank = 3 },
		{ .title = "params", .width = 7, .min_width = 6, .is_right = true, .rank = 2 },
		{ .title = "ms", .width = 7, .min_width = 6, .is_right = true },
	};
	const struct ss_model *model = NULL;
	char title[128];

	table_reset(table, columns, 5);
	if (!app->quote)
		return;
	model = ss_basis_inputs(app->quote->basis)->model;
	for (size_t k = 0; k < model->kind_count; k++) {
		const struct ss_layer_kind *kind = &model->kinds[k];
		double seconds = kind_seconds(app, (int)k);

		snprintf(title, sizeof(title), "%lld x %s  %s%s", (long long)layers_of(kind),
			 kind->id, app->quote->has_price ? number_time(seconds).text : "",
			 kind->draft_count ? "  (drafts)" : "");
		table_heading(table, title);
		add_nodes(table, app, (int)k, kind->nodes, kind->node_count,
			  (double)layers_of(kind));
	}
	snprintf(title, sizeof(title), "head  %s",
		 app->quote->has_price ? number_time(kind_seconds(app, -1)).text : "");
	table_heading(table, title);
	add_nodes(table, app, -1, model->head, model->head_count, 1);
}

bool rows_model_detail(const struct app *app, int id, struct xbuf *out)
{
	const struct ss_model *model = ss_basis_inputs(app->quote->basis)->model;
	int kind = id / 1000 - 1, at = id % 1000;
	const struct ss_layer_kind *layer = NULL;
	const struct ss_node *nodes = model->head, *node = NULL;
	size_t count = model->head_count;
	double layers = 1, parameters = 0, lead = quote_lead(app->quote, app->figure);
	char shape[96];

	if (id < 0 || kind >= (int)model->kind_count)
		return false;
	if (kind >= 0) {
		layer = &model->kinds[kind];
		nodes = layer->nodes;
		count = layer->node_count;
		layers = (double)layers_of(layer);
	}
	if ((size_t)at >= count)
		return false;
	node = &nodes[at];
	parameters = node_parameters(node);
	node_shape(node, shape, sizeof(shape));
	xbuf_printf(out, "%-10s %s%s%s\n", "node", node->op_text, *node->role ? ", " : "",
		    node->role);
	if (layer)
		xbuf_printf(out, "%-10s %lld x %s\n", "layers", (long long)layers_of(layer),
			    layer->id);
	else
		xbuf_printf(out, "%-10s head, once a step\n", "layers");
	if (*shape)
		xbuf_printf(out, "%-10s %s\n", "shape", shape);
	if (parameters > 0)
		xbuf_printf(out, "%-10s %s a layer, %s in all, before sharding\n", "parameters",
			    number_count(parameters).text, number_count(parameters * layers).text);
	if (app->quote->has_price) {
		double seconds = node_seconds(&app->quote->breakdown, app->figure, kind, nodes,
					      count, (size_t)at);

		xbuf_printf(out, "%-10s %s of %s, %s\n", "in step", number_time(seconds).text,
			    number_time(lead).text,
			    number_percent(lead > 0 ? seconds / lead : 0, 1).text);
		if (layers > 1)
			xbuf_printf(out, "%-10s %s\n", "a layer",
				    number_time(seconds / layers).text);
		xbuf_puts(out, "\nA term of several nodes is shared out by their weights. Launches"
			       " and replays are the host's and stand in the Step pane.\n");
	}
	return true;
}
