#include "import/import_blis.h"

#include "import/graph_shards.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_NAME "vllm"

struct context {
	const char *file;
	struct ss_problems *problems;
	bool is_out_of_memory;
};

static void problem(struct context *c, enum ss_severity severity, const struct tree_node *node,
		    const char *code, const char *format, ...) SS_PRINTF(5, 6);

static void problem(struct context *c, enum ss_severity severity, const struct tree_node *node,
		    const char *code, const char *format, ...)
{
	char message[512], where[64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	snprintf(where, sizeof(where), "line %zu, column %zu", node->line, node->column);
	ss_problems_add(c->problems, severity, code, c->file, where, "%s", message);
}

/** Add an item the document owns; NULL when memory ran out. */
static cJSON *add(struct context *c, cJSON *object, const char *key, cJSON *item)
{
	bool is_added = item && (key ? cJSON_AddItemToObject(object, key, item)
				     : cJSON_AddItemToArray(object, item));

	if (is_added)
		return item;
	cJSON_Delete(item);
	c->is_out_of_memory = true;
	return NULL;
}

static void add_text(struct context *c, cJSON *object, const char *key, const char *text)
{
	add(c, object, key, cJSON_CreateString(text));
}

/** No number of a document may be infinite or none. */
static bool is_finite(struct context *c, const struct tree_node *node)
{
	bool is_good = node->kind != TREE_NUMBER || isfinite(node->number);

	if (!is_good)
		problem(c, SS_ERROR, node, "range", "'%.40s' is not finite", node->text);
	for (size_t i = 0; i < node->count; i++)
		is_good = is_finite(c, &node->items[i]) && is_good;
	return is_good;
}

/** The same value, under a key. */
static void copy(struct context *c, cJSON *object, const char *key, const struct tree_node *node)
{
	if (is_finite(c, node))
		add(c, object, key, tree_to_json(node));
}

static bool is_comment(const char *key)
{
	return !strcmp(key, "_comment") || !strncmp(key, "_comment_", 9);
}

/** A key of theirs and ours. */
struct renamed {
	const char *theirs, *ours;
	bool is_needed;
};

/** Copy keys by a table; comment keys are dropped, others are errors. */
static void copy_keys(struct context *c, cJSON *out, const struct tree_node *map,
		      const struct renamed *keys, size_t count)
{
	for (size_t i = 0; i < map->count; i++) {
		const char *key = map->keys[i].text, *ours = NULL;

		for (size_t k = 0; k < count; k++) {
			if (!strcmp(keys[k].theirs, key))
				ours = keys[k].ours;
		}
		if (ours)
			copy(c, out, ours, &map->items[i]);
		else if (!is_comment(key))
			problem(c, SS_ERROR, &map->keys[i], "unknown-key",
				"no place for the key \"%.60s\"", key);
	}
	for (size_t k = 0; k < count; k++) {
		if (keys[k].is_needed && !tree_get(map, keys[k].theirs))
			problem(c, SS_ERROR, map, "missing", "the key \"%s\" is missing",
				keys[k].theirs);
	}
}

static cJSON *new_document(struct context *c, const char *kind, const char *name)
{
	cJSON *out = cJSON_CreateObject();

	if (!out) {
		c->is_out_of_memory = true;
		return NULL;
	}
	add_text(c, out, "kind", kind);
	if (name)
		add_text(c, out, "name", name);
	return out;
}

/* clang-format off */
static const struct renamed chip_keys[] = {
	{ "Provenance",      "provenance",            true },
	{ "TFlopsPeak",      "bf16_tflops",           true },
	{ "TFlopsFP8",       "fp8_tflops",            false },
	{ "TFlopsNVFP4",     "nvfp4_tflops",          false },
	{ "BwPeakTBs",       "memory_bandwidth_tb_s", true },
	{ "MemoryGiB",       "memory_gib",            true },
	{ "IntraNodeBwGBps", "intra_node_gb_s",       true },
	{ "SMCount",         "sm_count",              true },
	{ "GPUsPerNode",     "gpus_per_node",         false },
	{ "GPUsPerRack",     "gpus_per_rack",         false },
	{ "IntraRackBwGBps", "intra_rack_gb_s",       false },
};
static const struct renamed fabric_keys[] = {
	{ "Provenance",      "provenance",      true },
	{ "InterNodeBwGBps", "inter_node_gb_s", true },
	{ "RDMA",            "rdma",            false },
};
static const struct renamed storage_keys[] = {
	{ "name",                 "comment",         false }, /* repeats its key */
	{ "read_bandwidth_mb_s",  "read_mb_s",       true },
	{ "write_bandwidth_mb_s", "write_mb_s",      true },
	{ "base_latency_us",      "base_latency_us", true },
};
static const struct renamed length_keys[] = {
	{ "tokens",       "tokens",       true },
	{ "tokens_stdev", "tokens_stdev", false },
	{ "tokens_min",   "tokens_min",   false },
	{ "tokens_max",   "tokens_max",   false },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_above_zero(const struct tree_node *node)
{
	return node && node->kind == TREE_NUMBER && node->number > 0;
}

/** A chip names no generation: what it computes natively tells it. */
static const char *generation_of(const struct tree_node *chip)
{
	if (is_above_zero(tree_get(chip, "TFlopsNVFP4")))
		return "blackwell";
	return is_above_zero(tree_get(chip, "TFlopsFP8")) ? "hopper" : "ampere";
}

static cJSON *chip(struct context *c, const struct tree_node *map, const char *stem)
{
	cJSON *out = new_document(c, "Hardware", stem);

	if (!out)
		return NULL;
	copy_keys(c, out, map, chip_keys, COUNT(chip_keys));
	add_text(c, out, "generation", generation_of(map));
	problem(c, SS_WARNING, map, "generation",
		"the chip names no generation: taken as %s by the formats it computes",
		generation_of(map));
	return out;
}

static cJSON *fabric(struct context *c, const struct tree_node *map, const char *stem)
{
	cJSON *out = new_document(c, "Network", stem);

	if (out)
		copy_keys(c, out, map, fabric_keys, COUNT(fabric_keys));
	return out;
}

static cJSON *storage(struct context *c, const struct tree_node *map)
{
	cJSON *out = new_document(c, "Storage", NULL);
	cJSON *classes = out ? add(c, out, "classes", cJSON_CreateObject()) : NULL;

	for (size_t i = 0; classes && i < map->count; i++) {
		const struct tree_node *item = &map->items[i];
		cJSON *figures;

		if (item->kind != TREE_MAP) {
			problem(c, SS_ERROR, item, "type", "the class \"%.60s\" wants its figures",
				map->keys[i].text);
			continue;
		}
		figures = add(c, classes, map->keys[i].text, cJSON_CreateObject());
		if (figures) {
			copy_keys(c, figures, item, storage_keys, COUNT(storage_keys));
			cJSON_DeleteItemFromObjectCaseSensitive(figures, "comment");
		}
	}
	return out;
}

static void lengths(struct context *c, cJSON *out, const char *key, const struct tree_node *item)
{
	cJSON *side;

	if (item->kind != TREE_MAP) {
		problem(c, SS_ERROR, item, "type", "%s wants a map of token counts", key);
		return;
	}
	side = add(c, out, key, cJSON_CreateObject());
	if (side)
		copy_keys(c, side, item, length_keys, COUNT(length_keys));
}

static cJSON *workload(struct context *c, const struct tree_node *map, const char *stem)
{
	cJSON *out = new_document(c, "Workload", stem);

	for (size_t i = 0; out && i < map->count; i++) {
		const char *key = map->keys[i].text;

		if (!strcmp(key, "prompt") || !strcmp(key, "output"))
			lengths(c, out, key, &map->items[i]);
		else if (!strcmp(key, "prefix_tokens"))
			copy(c, out, key, &map->items[i]);
		else if (!is_comment(key))
			problem(c, SS_ERROR, &map->keys[i], "unknown-key",
				"no place for the key \"%.60s\"", key);
	}
	return out;
}

/** Entries are maps of one key, which is their name. */
static cJSON *coefficients(struct context *c, const struct tree_node *map)
{
	cJSON *out = new_document(c, "CoefficientSet", NULL), *list = NULL;

	for (size_t i = 0; out && i < map->count; i++) {
		const struct tree_node *item = &map->items[i];

		if (!strcmp(map->keys[i].text, "kind"))
			continue;
		if (strcmp(map->keys[i].text, "coefficients") != 0) {
			copy(c, out, map->keys[i].text, item);
			continue;
		}
		list = add(c, out, "coefficients", cJSON_CreateArray());
		for (size_t k = 0; list && k < item->count; k++) {
			const struct tree_node *entry = &item->items[k], *body;
			cJSON *object;

			if (item->kind != TREE_LIST || entry->kind != TREE_MAP ||
			    entry->count != 1 || entry->items[0].kind != TREE_MAP) {
				problem(c, SS_ERROR, entry, "type",
					"an entry is a map of one key, its name");
				continue;
			}
			body = &entry->items[0];
			object = add(c, list, NULL, cJSON_CreateObject());
			if (!object)
				break;
			add_text(c, object, "name", entry->keys[0].text);
			for (size_t n = 0; n < body->count; n++) {
				/* It may repeat its name, which the key overrules. */
				if (strcmp(body->keys[n].text, "name") != 0)
					copy(c, object, body->keys[n].text, &body->items[n]);
			}
		}
	}
	return out;
}

/** Edges must be 0-1, 1-2, ... in any order: then they say no more than the list does. */
static void check_chain(struct context *c, const struct tree_node *edges, size_t nodes)
{
	bool *is_seen = calloc(nodes + 1, sizeof(*is_seen));

	if (!is_seen) {
		c->is_out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < edges->count; i++) {
		const struct tree_node *edge = &edges->items[i];
		const struct tree_node *ends = edge->items;
		bool is_pair = edges->kind == TREE_LIST && edge->kind == TREE_LIST &&
			       edge->count == 2 && ends[0].kind == TREE_NUMBER &&
			       ends[1].kind == TREE_NUMBER;
		double from = is_pair ? ends[0].number : -1;

		if (!is_pair || from < 0 || from + 1 >= (double)nodes || floor(from) != from ||
		    ends[1].number != from + 1 || is_seen[(size_t)from]) {
			problem(c, SS_ERROR, edge, "range",
				"an edge joins a node with the next, once; other graphs cannot be "
				"carried over");
			free(is_seen);
			return;
		}
		is_seen[(size_t)from] = true;
	}
	if (edges->count && edges->count + 1 != nodes)
		problem(c, SS_ERROR, edges, "range", "%zu edges do not chain %zu nodes",
			edges->count, nodes);
	free(is_seen);
}

static void layer_kinds(struct context *c, cJSON *graph, const struct tree_node *kinds)
{
	cJSON *list = add(c, graph, "layer_kinds", cJSON_CreateArray());

	for (size_t i = 0; list && i < kinds->count; i++) {
		const struct tree_node *kind = &kinds->items[i], *nodes = tree_get(kind, "nodes");
		const struct tree_node *edges = tree_get(kind, "edges");
		cJSON *out = add(c, list, NULL, cJSON_CreateObject());

		if (kind->kind != TREE_MAP) {
			problem(c, SS_ERROR, kind, "type", "a layer kind is a map");
			continue;
		}
		for (size_t k = 0; out && k < kind->count; k++) {
			if (strcmp(kind->keys[k].text, "edges") != 0)
				copy(c, out, kind->keys[k].text, &kind->items[k]);
		}
		if (edges && edges->kind != TREE_NULL)
			check_chain(c, edges, nodes ? nodes->count : 0);
	}
}

static cJSON *graph(struct context *c, const struct tree_node *map)
{
	cJSON *out = cJSON_CreateObject();

	c->is_out_of_memory |= !out;
	for (size_t i = 0; out && i < map->count; i++) {
		if (!strcmp(map->keys[i].text, "layer_kinds"))
			layer_kinds(c, out, &map->items[i]);
		else
			copy(c, out, map->keys[i].text, &map->items[i]);
	}
	c->is_out_of_memory |= !graph_add_shards(out);
	return out;
}

/* -- scenarios ------------------------------------------------------------------------ */

static void scenario_workload(struct context *c, cJSON *out, const struct tree_node *binding)
{
	const struct tree_node *shape = tree_get(binding, "shape");
	const struct tree_node *trace = tree_get(binding, "trace");
	cJSON *object;

	if (trace)
		problem(c, SS_ERROR, trace, "range",
			"a trace cannot be carried over; name a shape");
	else if (!shape || binding->count != 1)
		problem(c, SS_ERROR, binding, "range", "a workload binds one shape");
	else {
		object = add(c, out, "workload", cJSON_CreateObject());
		if (object)
			copy(c, object, "shape", shape);
	}
}

/** Both halves are one document of ours. */
static cJSON *join(struct context *c, const struct tree_node *scenario,
		   const struct tree_node *deployment, const char *deployment_file)
{
	cJSON *out = cJSON_CreateObject(), *half;

	c->is_out_of_memory |= !out;
	for (size_t i = 0; out && i < scenario->count; i++) {
		const char *key = scenario->keys[i].text;

		if (!strcmp(key, "engine_version"))
			add_text(c, out, "engine", ENGINE_NAME);
		if (!strcmp(key, "workload"))
			scenario_workload(c, out, &scenario->items[i]);
		else
			copy(c, out, key, &scenario->items[i]);
	}
	half = out ? add(c, out, "deployment", cJSON_CreateObject()) : NULL;
	c->file = deployment_file;
	for (size_t i = 0; half && i < deployment->count; i++) {
		if (strcmp(deployment->keys[i].text, "kind") != 0)
			copy(c, half, deployment->keys[i].text, &deployment->items[i]);
	}
	return out;
}

/* -- every document ------------------------------------------------------------------- */

static enum ss_status keep(struct blis_import *out, struct context *c, enum ss_document_kind kind,
			   const char *name, cJSON *json, const struct tree_node *source,
			   const struct tree_node *deployment)
{
	if (c->is_out_of_memory || !json) {
		cJSON_Delete(json);
		return SS_ENOMEM;
	}
	if (out->count == out->capacity) {
		size_t capacity = out->capacity ? out->capacity * 2 : 8;
		struct blis_document *grown = realloc(out->items, capacity * sizeof(*grown));

		if (!grown) {
			cJSON_Delete(json);
			return SS_ENOMEM;
		}
		out->items = grown;
		out->capacity = capacity;
	}
	out->items[out->count] =
		(struct blis_document){ kind, strdup(name), json, source, deployment };
	if (!out->items[out->count].name) {
		cJSON_Delete(json);
		return SS_ENOMEM;
	}
	out->count++;
	return SS_OK;
}

/** A document's own name: one plain path segment, since it becomes a file. */
static const char *own_name(struct context *c, const struct tree_node *map)
{
	const struct tree_node *name = tree_get(map, "name");

	if (!name || !name->text || !*name->text) {
		problem(c, SS_ERROR, name ? name : map, "missing", "the document has no name");
		return "";
	}
	if (strchr(name->text, '/') || name->text[0] == '.')
		problem(c, SS_ERROR, name, "range", "'%.60s' is no plain file name", name->text);
	return name->text;
}

static enum ss_status pair(struct blis_import *out, struct context *c)
{
	const struct tree_node *scenario = out->scenario, *deployment = out->deployment;
	const char *name;
	cJSON *json;

	if (!scenario || !deployment)
		return SS_OK;
	c->file = out->scenario_file;
	name = own_name(c, scenario);
	json = join(c, scenario, deployment, out->deployment_file);
	out->scenario = NULL;
	out->deployment = NULL;
	return keep(out, c, SS_DOCUMENT_SCENARIO, name, json, scenario, deployment);
}

/** Maps of figures, which every storage file is made of. */
static bool is_storage(const struct tree_node *map)
{
	for (size_t i = 0; i < map->count; i++) {
		if (map->items[i].kind == TREE_MAP && tree_get(&map->items[i], "base_latency_us"))
			return true;
	}
	return false;
}

bool blis_looks_like(const struct tree_node *map)
{
	static const char *const kinds[] = { "ModelGraph", "CoefficientSet", "Scenario",
					     "Deployment" };
	const struct tree_node *kind = tree_get(map, "kind");

	for (size_t i = 0; kind && kind->text && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		/* Kubernetes has deployments too, and says whose they are. */
		if (!strcmp(kind->text, kinds[i]))
			return !tree_get(map, "apiVersion");
	}
	return tree_get(map, "TFlopsPeak") || tree_get(map, "InterNodeBwGBps") ||
	       (tree_get(map, "prompt") && tree_get(map, "output")) ||
	       (map->kind == TREE_MAP && is_storage(map));
}

static enum ss_status convert_kind(struct blis_import *out, struct context *c,
				   const struct tree_node *map, const struct tree_node *kind)
{
	const char *text = kind->text ? kind->text : "";

	if (!strcmp(text, "ModelGraph"))
		return keep(out, c, SS_DOCUMENT_MODEL, own_name(c, map), graph(c, map), map, NULL);
	if (!strcmp(text, "CoefficientSet"))
		return keep(out, c, SS_DOCUMENT_COEFFICIENTS, own_name(c, map),
			    coefficients(c, map), map, NULL);
	if (!strcmp(text, "Scenario")) {
		if (out->scenario)
			problem(c, SS_ERROR, map, "missing",
				"a second scenario, and the first has no deployment yet");
		out->scenario = map;
		out->scenario_file = c->file;
		return pair(out, c);
	}
	if (!strcmp(text, "Deployment")) {
		if (out->deployment)
			problem(c, SS_ERROR, map, "missing",
				"a second deployment, and the first has no scenario yet");
		out->deployment = map;
		out->deployment_file = c->file;
		return pair(out, c);
	}
	problem(c, SS_ERROR, kind, "range",
		"'%.40s' has no form of ours; Scenario, Deployment, ModelGraph and CoefficientSet "
		"do",
		text);
	return SS_OK;
}

static enum ss_status convert(struct blis_import *out, struct context *c,
			      const struct tree_node *map, const char *stem)
{
	const struct tree_node *kind = tree_get(map, "kind");

	if (map->kind != TREE_MAP) {
		problem(c, SS_ERROR, map, "type", "a document is a map of keys");
		return SS_OK;
	}
	if (kind)
		return convert_kind(out, c, map, kind);
	if (tree_get(map, "TFlopsPeak"))
		return keep(out, c, SS_DOCUMENT_HARDWARE, stem, chip(c, map, stem), map, NULL);
	if (tree_get(map, "InterNodeBwGBps"))
		return keep(out, c, SS_DOCUMENT_NETWORK, stem, fabric(c, map, stem), map, NULL);
	if (tree_get(map, "prompt") && tree_get(map, "output"))
		return keep(out, c, SS_DOCUMENT_WORKLOAD, stem, workload(c, map, stem), map, NULL);
	if (is_storage(map))
		return keep(out, c, SS_DOCUMENT_STORAGE, "storage", storage(c, map), map, NULL);
	problem(c, SS_ERROR, map, "range",
		"no chip, fabric, storage, workload, graph, coefficient set, scenario or "
		"deployment");
	return SS_OK;
}

enum ss_status blis_convert(struct blis_import *out, const struct tree_documents *documents,
			    const char *file, const char *stem, struct ss_problems *problems)
{
	size_t before = ss_problems_count(problems, SS_ERROR);
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < documents->count && !rc; i++) {
		struct context c = { .file = file, .problems = problems };

		rc = convert(out, &c, &documents->items[i], stem);
	}
	if (!rc && !documents->count) {
		ss_problems_add(problems, SS_ERROR, "missing", file, "", "no document in the text");
		return SS_EDOCUMENT;
	}
	return !rc && ss_problems_count(problems, SS_ERROR) > before ? SS_EDOCUMENT : rc;
}

enum ss_status blis_finish(struct blis_import *out, struct ss_problems *problems)
{
	struct context c = { .problems = problems };

	if (!out->scenario && !out->deployment)
		return SS_OK;
	c.file = out->scenario ? out->scenario_file : out->deployment_file;
	problem(&c, SS_ERROR, out->scenario ? out->scenario : out->deployment, "missing",
		out->scenario ? "the scenario has no deployment; name its file too"
			      : "the deployment has no scenario; name its file too");
	return SS_EDOCUMENT;
}

/** A key of theirs that became `key`; `key` itself when none did. */
static const char *their_key(const char *key)
{
	static const struct {
		const struct renamed *keys;
		size_t count;
	} tables[] = {
		{ chip_keys, COUNT(chip_keys) },
		{ fabric_keys, COUNT(fabric_keys) },
		{ storage_keys, COUNT(storage_keys) },
	};

	for (size_t i = 0; i < COUNT(tables); i++) {
		for (size_t k = 0; k < tables[i].count; k++) {
			if (!strcmp(tables[i].keys[k].ours, key))
				return tables[i].keys[k].theirs;
		}
	}
	return key;
}

const struct tree_node *blis_locate(const struct blis_document *document, const char *pointer)
{
	const struct tree_node *at = document->source;
	bool is_top = true;

	while (*pointer == '/') {
		char segment[128];
		size_t n = strcspn(pointer + 1, "/");
		const struct tree_node *next = NULL;

		snprintf(segment, sizeof(segment), "%.*s", (int)n, pointer + 1);
		pointer += n + 1;
		if (is_top && document->deployment && !strcmp(segment, "deployment"))
			next = document->deployment;
		else if (is_top && document->kind == SS_DOCUMENT_STORAGE &&
			 !strcmp(segment, "classes"))
			next = at;
		else if (at->kind == TREE_LIST &&
			 strspn(segment, "0123456789") == strlen(segment) &&
			 strtoul(segment, NULL, 10) < at->count)
			next = &at->items[strtoul(segment, NULL, 10)];
		else
			next = tree_get(at, segment);
		if (!next)
			next = tree_get(at, their_key(segment));
		/* An entry of a set lies under its name. */
		if (!next && at->kind == TREE_MAP && at->count == 1)
			next = tree_get(&at->items[0], segment);
		if (!next)
			break;
		at = next;
		is_top = false;
	}
	return at;
}

void blis_release(struct blis_import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		free(import->items[i].name);
		cJSON_Delete(import->items[i].json);
	}
	free(import->items);
	*import = (struct blis_import){ 0 };
}
