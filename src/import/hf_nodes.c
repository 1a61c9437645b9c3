/* Nodes of a layer, from the rows of its blocks. */
#include "import/hf_config.h"

#include <string.h>

#include "import/hf_expression.h"

static bool add_figure(struct hf *h, cJSON *node, const char *key, const char *expression)
{
	char text[48];
	int64_t count;

	switch (hf_value(h, expression, &count, text, sizeof(text))) {
	case HF_ABSENT:
		/* Says what is missing. */
		(void)hf_need(h, expression);
		return true;
	case HF_TEXT:
		return !*text || cJSON_AddStringToObject(node, key, text);
	case HF_COUNT:
		break;
	}
	return !count || cJSON_AddNumberToObject(node, key, (double)count);
}

/** `key = expression; ...` */
static bool add_figures(struct hf *h, cJSON *node, const char *figures)
{
	const char *p = figures;
	bool is_made = true;

	while (*p && is_made) {
		char key[48], expression[512];
		size_t n;

		p += strspn(p, " ;");
		n = strcspn(p, " =;");
		if (!n || n >= sizeof(key))
			break;
		memcpy(key, p, n);
		key[n] = '\0';
		p += n;
		p += strspn(p, " =");
		n = strcspn(p, ";");
		if (n >= sizeof(expression))
			break;
		memcpy(expression, p, n);
		expression[n] = '\0';
		p += n;
		is_made = add_figure(h, node, key, expression);
	}
	return is_made;
}

/** What the formats of a row's modules add to its node. */
static bool add_formats(struct hf *h, cJSON *node, const struct hf_row *row)
{
	bool is_grouped = !strcmp(row->op, "GroupedGEMM");
	const char *format = hf_module_format(h, row->modules), *shared;

	if (format && !cJSON_AddStringToObject(node, "weight_dtype", format))
		return false;
	if (!is_grouped || !cJSON_GetObjectItemCaseSensitive(node, "shared_experts"))
		return true;
	shared = hf_module_format(h, HF_SHARED_MODULES);
	if (!shared)
		shared = h->formats.weights;
	if (!format)
		format = h->formats.weights;
	return !strcmp(shared, format) ||
	       cJSON_AddStringToObject(node, "shared_weight_dtype", shared);
}

static bool add_row(struct hf *h, cJSON *nodes, const struct hf_row *row)
{
	char kind[48];
	cJSON *node;
	bool is_made;

	if (row->when && !hf_holds(h, row->when))
		return true;
	node = cJSON_CreateObject();
	if (!node || !cJSON_AddItemToArray(nodes, node)) {
		cJSON_Delete(node);
		return false;
	}
	is_made = cJSON_AddStringToObject(node, "op", row->op) != NULL;
	if (*row->role)
		is_made = is_made && cJSON_AddStringToObject(node, "role", row->role);
	if (row->kind && hf_text(h, kind, sizeof(kind), row->kind))
		is_made = is_made && cJSON_AddStringToObject(node,
							     !strcmp(row->op, "RecurrentUpdate")
								     ? "recurrent_kind"
								     : "kind",
							     kind);
	is_made = is_made && add_figures(h, node, row->figures);
	if (!strcmp(row->op, "GEMM") || !strcmp(row->op, "GroupedGEMM"))
		is_made = is_made && add_formats(h, node, row);
	return is_made;
}

static bool add_norm(struct hf *h, cJSON *nodes, const char *role)
{
	const struct hf_row row = { "Elementwise", role, NULL, NULL, "", NULL };

	return add_row(h, nodes, &row);
}

/** Blocks joined by +. */
static bool add_blocks(struct hf *h, cJSON *nodes, const char *names)
{
	bool is_made = true;

	while (*names && is_made) {
		size_t n = strcspn(names, "+");
		const struct hf_block *block = hf_block(names, n);

		if (!block) {
			hf_problem(h, "range", "/num_hidden_layers",
				   "layer %lld is '%.40s', a kind of layer that is not known",
				   (long long)h->layer, names);
			return true;
		}
		h->block = block->name;
		for (const struct hf_row *row = block->rows; row->op && is_made; row++)
			is_made = add_row(h, nodes, row);
		h->block = NULL;
		names += n;
		names += *names == '+';
	}
	return is_made;
}

cJSON *hf_nodes(struct hf *h, const char *mixer, const char *ffn)
{
	cJSON *nodes = cJSON_CreateArray();
	bool is_made = nodes && add_norm(h, nodes, "input_norm") && add_blocks(h, nodes, mixer);

	if (*mixer && *ffn)
		is_made = is_made && add_norm(h, nodes, "post_attn_norm");
	is_made = is_made && add_blocks(h, nodes, ffn);
	if (is_made)
		return nodes;
	cJSON_Delete(nodes);
	h->is_out_of_memory = true;
	return NULL;
}

cJSON *hf_head(struct hf *h)
{
	static const struct hf_row head = { "GEMM", "lm_head", NULL, NULL, "n = vocab; k = hidden",
					    NULL };
	cJSON *nodes = cJSON_CreateArray(), *node;
	const char *format = hf_head_format(h);
	bool is_made = nodes && add_norm(h, nodes, "final_norm") && add_row(h, nodes, &head);

	if (is_made) {
		node = cJSON_GetArrayItem(nodes, 1);
		cJSON_DeleteItemFromObject(node, "weight_dtype");
		if (!format || cJSON_AddStringToObject(node, "weight_dtype", format))
			return nodes;
	}
	cJSON_Delete(nodes);
	h->is_out_of_memory = true;
	return NULL;
}

static bool add_other(cJSON *list, const char *name, int64_t parameters, const char *format)
{
	cJSON *item;

	if (parameters <= 0)
		return true;
	item = cJSON_CreateObject();
	if (!item || !cJSON_AddItemToArray(list, item)) {
		cJSON_Delete(item);
		return false;
	}
	return cJSON_AddStringToObject(item, "name", name) &&
	       cJSON_AddNumberToObject(item, "parameters", (double)parameters) &&
	       cJSON_AddStringToObject(item, "weight_dtype", format);
}

cJSON *hf_other_weights(struct hf *h)
{
	/* clang-format off */
	static const struct {
		const char *name, *parameters;
	} others[] = {
		{ "vision tower", "vision" },
		{ "audio tower", "audio" },
		{ "position table", "positions * hidden" },
		{ "per-layer embedding", "(vocab_size_per_layer_input ?? vocab) * layers * per_layer" },
		{ "per-layer projection", "hidden * layers * per_layer" },
	};
	/* clang-format on */
	cJSON *list = cJSON_CreateArray();

	h->layer = 0;
	for (size_t i = 0; list && i < sizeof(others) / sizeof(others[0]); i++) {
		if (!add_other(list, others[i].name, hf_count(h, others[i].parameters, 0),
			       h->formats.compute)) {
			h->is_out_of_memory = true;
			break;
		}
	}
	if (list && list->child)
		return list;
	cJSON_Delete(list);
	return NULL;
}
