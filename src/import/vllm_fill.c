/* What a text of commands leaves open: names, roles, nodes, the model's graph. */
#include "import/vllm_take.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/kernel.h"
#include "stepscope/model_names.h"

#define ENGINE_NAME "vllm"
/* More ranks than this on one node are asked about, not assumed. */
#define USUAL_NODE_GPUS 8

static bool is_field_stated(const struct vllm_taker *t, size_t pool, enum ss_field_id id)
{
	return ss_scenario_value(t->scenario, pool, id)->is_stated;
}

/** Set a field that was not stated, without listing it. */
static void fill(struct vllm_taker *t, size_t pool, enum ss_field_id id, const char *text)
{
	struct ss_error err = { 0 };
	enum ss_status rc;

	if (is_field_stated(t, pool, id))
		return;
	rc = ss_value_parse(ss_scenario_value_mut(t->scenario, pool, id), ss_field(id), text, &err);
	if (rc == SS_ENOMEM)
		t->is_out_of_memory = true;
	else if (rc)
		taker_problem(t, 0, "range", "%s: %s", ss_field(id)->path, err.message);
}

static void fill_count(struct vllm_taker *t, size_t pool, enum ss_field_id id, int64_t count)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)count);
	fill(t, pool, id, text);
}

/** Set over what is stated. */
static void put(struct vllm_taker *t, enum ss_field_id id, const char *text)
{
	ss_value_release(ss_scenario_value_mut(t->scenario, 0, id));
	fill(t, 0, id, text);
}

/** A graph's name for a model that has none yet: its own, as a file is called. */
static void name_graph(char out[GRAPH_NAME_SIZE], const char *model)
{
	size_t length = strlen(model), start;

	while (length && model[length - 1] == '/')
		length--;
	for (start = length; start && model[start - 1] != '/'; start--)
		;
	snprintf(out, GRAPH_NAME_SIZE, "%.*s", (int)(length - start), model + start);
	for (char *c = out; *c; c++)
		*c = isalnum((unsigned char)*c) || strchr("._-", *c)
			     ? (char)tolower((unsigned char)*c)
			     : '-';
}

/**
 * No graph of that name: the rest of the command is read all the same, and the scenario
 * waits for the graph. NULL when the text leaves the name open.
 */
static const char *take_unknown(struct vllm_taker *t, size_t pool, const char *why)
{
	struct vllm_pool *own = &t->pools[pool];

	if (taker_is_blank(own->model)) {
		taker_problem(t, own->model_line, "missing",
			      "the model is %.60s, a blank to fill in: name it with --model",
			      own->model);
		return NULL;
	}
	name_graph(own->graph, own->model);
	if (!own->graph[0] || own->graph[0] == '.') {
		taker_problem(t, own->model_line, "unknown-model", "%s", why);
		return NULL;
	}
	taker_doubt(t, own->model_line, "unknown-model",
		    "%s; import its config.json with --model %s, or name a graph of its shape "
		    "with --model",
		    why, own->graph);
	return own->graph;
}

static void match_models(struct vllm_taker *t)
{
	const struct vllm_import_options *o = t->options;
	const char *chosen = NULL, *graph = NULL;
	struct ss_model_match given;
	struct ss_error refused = { 0 };

	if (o->model) {
		if (ss_model_match(&given, o->model, o->names, o->models, o->model_count, &refused))
			taker_problem(t, 0, "unknown-model", "%s", refused.message);
		else
			put(t, SS_F_MODEL, *given.reason ? o->model : given.graph);
		return;
	}
	for (size_t i = 0; i < t->scenario->pool_count && !t->is_model_set; i++) {
		const struct vllm_pool *own = &t->pools[i];
		struct ss_model_match match;
		struct ss_error err = { 0 };

		if (!own->has_command)
			continue;
		if (!own->model) {
			taker_problem(t, own->command_line, "missing",
				      "the command names no model");
			continue;
		}
		if (ss_model_match(&match, own->model, o->names, o->models, o->model_count, &err)) {
			match.graph = take_unknown(t, i, err.message);
			if (!match.graph)
				continue;
		}
		if (graph && strcmp(graph, match.graph) != 0)
			taker_problem(t, own->model_line, "range",
				      "the pools serve %s and %s; one deployment has one model",
				      graph, match.graph);
		graph = match.graph;
		/* A name that stands for a graph of another stays, and with it the reason. */
		if (!chosen)
			chosen = *match.reason ? own->model : match.graph;
		if (!import_rows_add(t->rows, IMPORT_TAKEN, own->model_line, i, own->model,
				     "model=%s%s%s", match.graph, *match.reason ? "; " : "",
				     match.reason))
			t->is_out_of_memory = true;
		if (*match.quantization && !is_field_stated(t, i, SS_F_QUANTIZATION))
			taker_set(t, i, SS_F_QUANTIZATION, match.quantization, match.suffix,
				  own->model_line);
		else if (*match.suffix)
			taker_note(t, IMPORT_NOTED, own->model_line, i, match.suffix,
				   "no graph of this format: priced as the graph's own");
	}
	if (chosen)
		fill(t, 0, SS_F_MODEL, chosen);
}

static int64_t integer_of(const struct vllm_taker *t, size_t pool, enum ss_field_id id)
{
	const struct ss_value *value = ss_scenario_value(t->scenario, pool, id);

	return value->is_stated && value->integer > 0 ? value->integer : 1;
}

static double ranks_of(const struct vllm_taker *t, size_t pool)
{
	return (double)integer_of(t, pool, SS_F_TP) * (double)integer_of(t, pool, SS_F_PP) *
	       (double)integer_of(t, pool, SS_F_DP) * (double)integer_of(t, pool, SS_F_PCP);
}

/** GPUs of a node: as stated, else what the commands or the part say, else one node's worth. */
static int64_t node_gpus(struct vllm_taker *t)
{
	const struct vllm_import_options *o = t->options;
	double widest = 0, local = 0;
	int64_t nodes = 1;

	if (is_field_stated(t, 0, SS_F_GPUS_PER_NODE))
		return integer_of(t, 0, SS_F_GPUS_PER_NODE);
	for (size_t i = 0; i < t->scenario->pool_count; i++) {
		double ranks = ranks_of(t, i);

		double needed = ranks / (double)(t->pools[i].nnodes ? t->pools[i].nnodes : 1);

		/* A container may see less than its engine spans. */
		if ((double)t->pools[i].visible_gpus >= needed)
			return t->pools[i].visible_gpus;
		if (ranks > widest) {
			widest = ranks;
			/* Replicas of one node, where the launch says how many. */
			local = is_field_stated(t, i, SS_F_DP_LOCAL)
					? ranks / (double)integer_of(t, i, SS_F_DP) *
						  (double)integer_of(t, i, SS_F_DP_LOCAL)
					: 0;
			nodes = t->pools[i].nnodes ? t->pools[i].nnodes : 1;
		}
	}
	if (o->part_gpus_per_node > 0)
		return o->part_gpus_per_node;
	if (o->nodes > 0 && t->scenario->pool_count == 1)
		nodes = o->nodes;
	else if (local > 0 && local < widest)
		return (int64_t)local;
	if (widest > (double)nodes * USUAL_NODE_GPUS && o->part && !o->is_strict) {
		taker_doubt(t, 0, "missing",
			    "%.0f ranks, taken as nodes of %d GPUs; --gpus-per-node names another "
			    "number",
			    widest, USUAL_NODE_GPUS);
		return USUAL_NODE_GPUS;
	}
	if (widest > (double)nodes * USUAL_NODE_GPUS) {
		taker_problem(t, 0, "missing",
			      "%.0f ranks: give the GPUs of one node with --gpus-per-node", widest);
		return 0;
	}
	return ((int64_t)widest + nodes - 1) / nodes;
}

static void fill_cluster(struct vllm_taker *t)
{
	const struct vllm_import_options *o = t->options;
	int64_t gpus, total = 0;

	if (o->gpus_per_node > 0)
		fill_count(t, 0, SS_F_GPUS_PER_NODE, o->gpus_per_node);
	gpus = node_gpus(t);
	if (!gpus)
		return;
	fill_count(t, 0, SS_F_GPUS_PER_NODE, gpus);
	for (size_t i = 0; i < t->scenario->pool_count; i++) {
		double nodes = ranks_of(t, i) / (double)gpus;
		int64_t count =
			nodes > 1000000 ? 1000000 : (int64_t)nodes + (nodes > (int64_t)nodes);

		if (o->nodes > 0 && t->scenario->pool_count == 1)
			count = o->nodes;
		else if (t->pools[i].nnodes)
			count = t->pools[i].nnodes;
		fill_count(t, i, SS_F_NODES, count);
		total += integer_of(t, i, SS_F_NODES);
	}
	fill_count(t, 0, SS_F_CLUSTER_NODES, total);
	if (o->gpus_per_rack > 0)
		fill_count(t, 0, SS_F_GPUS_PER_RACK, o->gpus_per_rack);
	if (integer_of(t, 0, SS_F_CLUSTER_NODES) < 2)
		return;
	if (o->fabric)
		put(t, SS_F_FABRIC, o->fabric);
	if (is_field_stated(t, 0, SS_F_FABRIC) || is_field_stated(t, 0, SS_F_INTER_NODE_GB_S))
		return;
	if (o->default_fabric && !o->is_strict) {
		fill(t, 0, SS_F_FABRIC, o->default_fabric);
		taker_doubt(t, 0, "missing",
			    "the deployment spans %lld nodes, taken as joined by %s; --fabric "
			    "names another network",
			    (long long)integer_of(t, 0, SS_F_CLUSTER_NODES), o->default_fabric);
	} else
		taker_problem(t, 0, "missing",
			      "the deployment spans %lld nodes: name their network with --fabric",
			      (long long)integer_of(t, 0, SS_F_CLUSTER_NODES));
}

/** Producer and consumer make a prefill and a decode pool; one alone stays colocated. */
static void fill_roles(struct vllm_taker *t)
{
	bool has_producer = false, has_consumer = false;

	for (size_t i = 0; i < t->scenario->pool_count; i++) {
		has_producer |= t->pools[i].kv_role == VLLM_KV_PRODUCER;
		has_consumer |= t->pools[i].kv_role == VLLM_KV_CONSUMER;
	}
	for (size_t i = 0; i < t->scenario->pool_count; i++) {
		bool is_split =
			t->pools[i].kv_role != VLLM_KV_BOTH &&
			((has_producer && has_consumer) || is_field_stated(t, i, SS_F_ROLE));
		struct ss_value *own = ss_scenario_value_mut(t->scenario, i, SS_F_KV_CONNECTOR);

		if (!is_split) {
			if (t->pools[i].kv_role != VLLM_KV_BOTH)
				taker_note(t, IMPORT_NOTED, t->pools[i].transfer_line, i,
					   "--kv-transfer-config.kv_role",
					   "the other side is not in the text: read as colocated");
			fill(t, i, SS_F_ROLE, "colocated");
			continue;
		}
		fill(t, i, SS_F_ROLE,
		     t->pools[i].kv_role == VLLM_KV_PRODUCER ? "prefill" : "decode");
		t->scenario->has_pd_transfer = true;
		if (own->text)
			fill(t, 0, SS_F_PD_CONNECTOR, own->text);
		/* The connector between the pools is the deployment's, said once. */
		ss_value_release(own);
	}
}

static void fill_names(struct vllm_taker *t, const char *version)
{
	const struct vllm_import_options *o = t->options;
	char *sets = NULL, name[192];
	size_t size = 0;
	FILE *out;

	if (o->part)
		put(t, SS_F_HARDWARE, o->part);
	else if (!is_field_stated(t, 0, SS_F_HARDWARE))
		taker_problem(t, 0, "missing", "the text names no GPU: give one with --part");
	if (o->engine_version)
		put(t, SS_F_ENGINE_VERSION, o->engine_version);
	else if (*version)
		fill(t, 0, SS_F_ENGINE_VERSION, version);
	fill(t, 0, SS_F_ENGINE_VERSION,
	     o->default_version ? o->default_version : SS_PRICED_RELEASE);
	fill(t, 0, SS_F_ENGINE, ENGINE_NAME);
	fill(t, 0, SS_F_DEPLOYMENT_NAME, "base");
	if (o->name)
		put(t, SS_F_NAME, o->name);
	if (is_field_stated(t, 0, SS_F_MODEL) && is_field_stated(t, 0, SS_F_HARDWARE)) {
		char model[GRAPH_NAME_SIZE];

		name_graph(model, ss_scenario_value(t->scenario, 0, SS_F_MODEL)->text);
		snprintf(name, sizeof(name), "%.80s-%.40s-tp%lld", model,
			 ss_scenario_value(t->scenario, 0, SS_F_HARDWARE)->text,
			 (long long)integer_of(t, 0, SS_F_TP));
		fill(t, 0, SS_F_NAME, name);
	}
	if (is_field_stated(t, 0, SS_F_COEFFICIENTS) || !o->coefficient_count)
		return;
	out = open_memstream(&sets, &size);
	if (!out) {
		t->is_out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < o->coefficient_count; i++)
		fprintf(out, "%s%s", i ? "," : "", o->coefficients[i]);
	if (fclose(out))
		t->is_out_of_memory = true;
	else
		fill(t, 0, SS_F_COEFFICIENTS, sets);
	free(sets);
}

enum ss_status taker_finish(struct vllm_taker *t, const char *version)
{
	if (!t->scenario->pool_count) {
		taker_problem(t, 0, "missing",
			      "no `vllm serve`, api_server or vllm-openai container in the text");
		return SS_EDOCUMENT;
	}
	for (size_t i = 0; i < t->scenario->pool_count; i++) {
		if (!t->pools[i].has_command)
			taker_problem(t, 0, "missing", "pool %zu has no command", i);
	}
	match_models(t);
	for (size_t i = 0; i < t->scenario->pool_count; i++) {
		fill(t, i, SS_F_TP, "1");
		fill(t, i, SS_F_PP, "1");
		fill(t, i, SS_F_DP, "1");
	}
	fill_roles(t);
	fill_cluster(t);
	fill_names(t, version);
	if (t->is_out_of_memory)
		return SS_ENOMEM;
	return ss_problems_count(t->problems, SS_ERROR) ? SS_EDOCUMENT : SS_OK;
}
