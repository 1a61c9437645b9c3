/* The model graph with what each node costs in the loaded step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/findings.h"
#include "batch/json_price.h"
#include "batch/run.h"
#include "batch/sections.h"

/** The op whose nodes a term is charged for; SS_OP_UNKNOWN for the host's. */
static enum ss_op op_of(enum ss_term_id term)
{
	switch (term) {
	case SS_TERM_DENSE:
	case SS_TERM_DENSE_READ:
	case SS_TERM_HEAD:
	case SS_TERM_HEAD_READ:
		return SS_OP_GEMM;
	case SS_TERM_EXPERTS:
	case SS_TERM_EXPERTS_READ:
	case SS_TERM_SHARED:
	case SS_TERM_SHARED_READ:
		return SS_OP_GROUPED_GEMM;
	case SS_TERM_ATTENTION_DECODE:
	case SS_TERM_ATTENTION_PREFILL:
	case SS_TERM_SCORER_DECODE:
	case SS_TERM_SCORER_PREFILL:
	case SS_TERM_FUSED_FLOOR:
	case SS_TERM_DCP:
	case SS_TERM_PCP:
		return SS_OP_ATTENTION;
	case SS_TERM_RECURRENT:
		return SS_OP_RECURRENT;
	case SS_TERM_ELEMENTWISE:
		return SS_OP_ELEMENTWISE;
	case SS_TERM_MHC:
		return SS_OP_MHC;
	case SS_TERM_TABLE:
		return SS_OP_TABLE_LOOKUP;
	case SS_TERM_ALL_REDUCE:
		return SS_OP_ALL_REDUCE;
	case SS_TERM_ALL_GATHER:
		return SS_OP_ALL_GATHER;
	case SS_TERM_REDUCE_SCATTER:
		return SS_OP_REDUCE_SCATTER;
	case SS_TERM_ALL2ALL:
		return SS_OP_ALL2ALL;
	case SS_TERM_LAUNCH:
	case SS_TERM_GRAPH:
	case SS_TERM_REQUESTS:
	case SS_TERM_COUNT:
		break;
	}
	return SS_OP_UNKNOWN;
}

static bool is_scorer_term(enum ss_term_id term)
{
	return term == SS_TERM_SCORER_DECODE || term == SS_TERM_SCORER_PREFILL;
}

/** Does a term pay for this node (of its kind)? */
static bool pays(const struct ss_term *term, const struct ss_node *node)
{
	if (op_of(term->term) != node->op || term->is_draft)
		return false;
	if (node->op != SS_OP_ATTENTION)
		return true;
	return is_scorer_term(term->term) == (*node->role != '\0');
}

/** A node's part among those a term pays for: by weights where it has any. */
static double weight(const struct ss_node *node)
{
	double inner = (double)(node->latent_size ? node->latent_size : node->k);

	if (node->op == SS_OP_GEMM)
		return (double)node->n * (double)node->k;
	if (node->op == SS_OP_GROUPED_GEMM)
		return (double)node->experts * (double)node->n * inner;
	return 1;
}

/** NoOverlap charge of one node over all its layers. */
static double node_seconds(const struct findings *f, int kind, const struct ss_node *nodes,
			   size_t count, size_t index)
{
	double total = 0;

	for (size_t i = 0; i < f->breakdown.term_count; i++) {
		const struct ss_term *term = &f->breakdown.terms[i];
		double whole = 0;

		if (term->kind != kind || !pays(term, &nodes[index]))
			continue;
		for (size_t k = 0; k < count; k++)
			if (pays(term, &nodes[k]))
				whole += weight(&nodes[k]);
		if (whole > 0)
			total += (term->floor_s + term->slope_s) * weight(&nodes[index]) / whole;
	}
	return total;
}

static void put_nodes(cJSON *list, const struct findings *f, int kind, const char *layer,
		      const struct ss_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cJSON *o = json_object();

		json_put_text(o, "layer", layer);
		json_put_text(o, "op", nodes[i].op_text);
		json_put_text_or_null(o, "role", nodes[i].role);
		json_put_number(o, "seconds",
				f->has_price ? node_seconds(f, kind, nodes, count, i) : NAN);
		json_put(list, NULL, o);
	}
}

static int print_json(struct batch *batch, const struct findings *f)
{
	const struct ss_model *model = ss_basis_inputs(ss_kernel_basis(f->kernel))->model;
	cJSON *root = json_object();
	cJSON *list = json_array();

	json_put_count(root, "format", 1);
	json_put_text(root, "graph", model->name);
	for (size_t k = 0; k < model->kind_count; k++)
		put_nodes(list, f, (int)k, model->kinds[k].id, model->kinds[k].nodes,
			  model->kinds[k].node_count);
	put_nodes(list, f, -1, "head", model->head, model->head_count);
	json_put(root, "nodes", list);
	return batch_print_json(batch, root);
}

int run_model(struct batch *batch)
{
	struct session session = { 0 };
	struct findings f = { 0 };
	int status = batch_open(batch, &session, batch_scenario(batch));

	if (status)
		return status;
	status = batch_findings(batch, &f, &session);
	if (!status && batch_is_json(batch)) {
		status = print_json(batch, &f);
	} else if (!status) {
		struct doc *doc = doc_new();

		section_model(doc, &f);
		status = batch_print(batch, doc);
	}
	findings_release(&f);
	session_release(&session);
	return status;
}
