/* Sections about the step's parts: layers by term, and the model graph. */
#include <math.h>
#include <string.h>

#include "case/node_price.h"
#include "text/number.h"
#include "text/words.h"
#include "report/sections.h"

/* clang-format off */
static const struct column layer_columns[] = {
	{ "layers", "kind", false }, { "count", "count", true }, { "term", "term", false },
	{ "", "detail", false }, { "resource", "resource", false }, { "charge", "seconds", true },
	{ "share", "share", true }, { "moved or computed", "amount", true },
	{ "of peak", "of_peak", true },
	{ "rests on", "method", false },
};
static const struct column model_columns[] = {
	{ "layers", "layer", false }, { "count", "count", true }, { "op", "op", false },
	{ "role", "role", false }, { "shape", "shape", false }, { "parameters", "parameters", true },
};
/* clang-format on */

static const struct ss_model *model_of(const struct findings *f)
{
	return ss_basis_inputs(ss_kernel_basis(f->kernel))->model;
}

const char *layer_name(const struct findings *f, int kind)
{
	return kind == -1 ? "head" : kind == -2 ? "host" : model_of(f)->kinds[kind].id;
}

static void weaken(enum ss_method *method, const struct findings *f, const int reads[SS_READS_MAX])
{
	for (size_t i = 0; i < SS_READS_MAX && reads[i] >= 0; i++) {
		enum ss_method read = ss_kernel_entry(f->kernel, (size_t)reads[i])->method;

		if (read < *method)
			*method = read;
	}
}

enum ss_method term_method(const struct findings *f, const struct ss_term *term)
{
	enum ss_method method = SS_METHOD_COUNT;

	weaken(&method, f, term->floor_reads);
	weaken(&method, f, term->slope_reads);
	return method == SS_METHOD_COUNT ? SS_METHOD_VENDOR_SPEC : method;
}

/** FLOPs or bytes with a unit; a term has at most one of them to tell of. */
static void put_amount(struct doc *doc, const struct ss_term *term)
{
	char text[64];

	if (term->bytes > 0) {
		doc_number(doc, MARK_NONE, number_bytes_binary(term->bytes).text, term->bytes);
	} else if (term->flops > 0) {
		(void)snprintf(text, sizeof(text), "%s GFLOP", show_value(term->flops / 1e9).text);
		doc_number(doc, MARK_NONE, text, term->flops);
	} else {
		doc_figure(doc, MARK_NONE, "", "0");
	}
}

static void put_reach(struct doc *doc, const struct findings *f, const struct ss_term *term)
{
	struct ss_reach reach;

	if (ss_kernel_term_reach(f->kernel, term, &reach))
		doc_number(doc, MARK_NONE, number_percent(reach.achieved / reach.peak, 1).text,
			   reach.achieved / reach.peak);
	else
		doc_figure(doc, MARK_DIM, "-", "");
}

/** What the terms of the figure sum to. */
static double charged_s(const struct findings *f)
{
	return f->session->figure == SS_FIGURE_KERNELS ? f->figures.lead_s
						       : f->figures.step.no_overlap_s;
}

static void put_term(struct doc *doc, const struct findings *f, const struct ss_term *term)
{
	double seconds = term->floor_s + term->slope_s;
	double whole = charged_s(f);
	enum ss_method method = term_method(f, term);
	char kind[160];

	(void)snprintf(kind, sizeof(kind), "%s%s", term->is_draft ? "draft " : "",
		       layer_name(f, term->kind));
	doc_cell(doc, MARK_NONE, kind);
	doc_number(doc, MARK_NONE, number_count(term->count).text, term->count);
	doc_figure(doc, MARK_NONE, ss_term_label_in(term->term, f->figures.step.graph),
		   ss_term_name(term->term));
	doc_cell(doc, MARK_DIM, term->detail);
	doc_cell(doc, MARK_NONE, ss_resource_name(term->resource));
	doc_number(doc, MARK_NONE, number_time(seconds).text, seconds);
	doc_number(doc, MARK_NONE, whole > 0 ? number_percent(seconds / whole, 1).text : "-",
		   whole > 0 ? seconds / whole : 0);
	put_amount(doc, term);
	put_reach(doc, f, term);
	doc_cell(doc, method == SS_METHOD_ASSUMED ? MARK_ASSUMED : MARK_NONE,
		 ss_method_name(method));
}

void section_layers(struct doc *doc, const struct findings *f)
{
	double hidden = charged_s(f) - f->figures.lead_s;

	doc_heading(doc, "The step by layer kind and term");
	if (!f->has_price) {
		doc_line(doc, MARK_REFUSED, "not priced");
		return;
	}
	doc_table(doc, layer_columns, 10, true);
	for (size_t i = 0; i < f->breakdown.term_count; i++)
		put_term(doc, f, &f->breakdown.terms[i]);
	if (f->session->figure == SS_FIGURE_KERNELS) {
		doc_line(doc, MARK_NONE, "Kernels, the sum, is %s.",
			 number_time(f->figures.lead_s).text);
		return;
	}
	doc_line(doc, MARK_NONE, "NoOverlap, the sum, is %s; %s hides %s of it.",
		 number_time(f->figures.step.no_overlap_s).text, figure_title(f->session->figure),
		 number_time(hidden).text);
}

/* -- the graph ------------------------------------------------------------------------ */

static void put_shape(struct xbuf *out, const struct ss_node *node)
{
	switch (node->op) {
	case SS_OP_GEMM:
		xbuf_printf(out, "%lld x %lld", (long long)node->n, (long long)node->k);
		break;
	case SS_OP_GROUPED_GEMM:
		xbuf_printf(out, "%lld experts of %lld x %lld, top %lld", (long long)node->experts,
			    (long long)node->n,
			    (long long)(node->latent_size ? node->latent_size : node->k),
			    (long long)node->top_k);
		if (node->shared_experts)
			xbuf_printf(out, ", %lld shared", (long long)node->shared_experts);
		break;
	case SS_OP_ATTENTION:
		xbuf_printf(out, "%s, %lld heads over %lld of %lld", node->kind_text,
			    (long long)node->n_q, (long long)node->n_kv, (long long)node->d_h);
		if (node->window)
			xbuf_printf(out, ", window %lld", (long long)node->window);
		if (node->index_topk)
			xbuf_printf(out, ", top %lld", (long long)node->index_topk);
		break;
	case SS_OP_RECURRENT:
		xbuf_printf(out, "%s, %lld heads, state %lld", node->kind_text,
			    (long long)node->n_heads, (long long)node->state_size);
		break;
	case SS_OP_TABLE_LOOKUP:
		xbuf_printf(out, "%lld rows of %lld bytes", (long long)node->rows_per_token,
			    (long long)node->row_bytes);
		break;
	case SS_OP_ELEMENTWISE:
	case SS_OP_MHC:
		if (node->bytes_per_token)
			xbuf_printf(out, "%lld bytes a token", (long long)node->bytes_per_token);
		break;
	case SS_OP_UNKNOWN:
	case SS_OP_ALL_REDUCE:
	case SS_OP_ALL_GATHER:
	case SS_OP_REDUCE_SCATTER:
	case SS_OP_ALL2ALL:
	case SS_OP_COUNT:
		break;
	}
	if (node->emit != SS_CONDITION_ALWAYS)
		xbuf_printf(out, "%swhen %s", out->len ? ", " : "", node->emit_text);
}

static void put_nodes(struct doc *doc, const char *layer, int64_t count,
		      const struct ss_node *nodes, size_t node_count)
{
	for (size_t i = 0; i < node_count; i++) {
		struct xbuf shape = { 0 };
		double weights = node_parameters(&nodes[i]);

		put_shape(&shape, &nodes[i]);
		doc_cell(doc, MARK_NONE, layer);
		doc_count(doc, MARK_NONE, count);
		doc_cell(doc, MARK_NONE, nodes[i].op_text);
		doc_cell(doc, MARK_NONE, nodes[i].role);
		doc_cell(doc, MARK_DIM, xbuf_text(&shape));
		if (weights > 0)
			doc_number(doc, MARK_NONE, number_count(weights).text, weights);
		else
			doc_figure(doc, MARK_NONE, "", "0");
		xbuf_release(&shape);
	}
}

void section_model(struct doc *doc, const struct findings *f)
{
	const struct ss_model *model = model_of(f);
	int64_t layers = 0;
	double total = 0;

	for (size_t k = 0; k < model->kind_count; k++) {
		layers += model->kinds[k].count;
		for (size_t i = 0; i < model->kinds[k].node_count; i++)
			total += (double)model->kinds[k].count *
				 node_parameters(&model->kinds[k].nodes[i]);
	}
	doc_heading(doc, "%s: %lld layers of %zu kinds, %s parameters in them", model->name,
		    (long long)layers, model->kind_count, number_count(total).text);
	doc_table(doc, model_columns, 6, true);
	for (size_t k = 0; k < model->kind_count; k++) {
		const struct ss_layer_kind *kind = &model->kinds[k];

		put_nodes(doc, kind->id, kind->count ? kind->count : kind->draft_count, kind->nodes,
			  kind->node_count);
	}
	put_nodes(doc, "head", 1, model->head, model->head_count);
}
