/* The model graph with what each node costs in the loaded step. */
#include <math.h>

#include "case/findings.h"
#include "case/node_price.h"
#include "report/json_price.h"
#include "cli/run.h"
#include "report/sections.h"

static void put_nodes(cJSON *list, const struct findings *f, int kind, const char *layer,
		      const struct ss_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cJSON *o = json_object();

		json_put_text(o, "layer", layer);
		json_put_text(o, "op", nodes[i].op_text);
		json_put_text_or_null(o, "role", nodes[i].role);
		json_put_number(o, "seconds",
				f->has_price ? node_seconds(&f->breakdown, SS_FIGURE_NO_OVERLAP,
							    kind, nodes, count, i)
					     : NAN);
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
