#include "import/graph_shards.h"

#include <string.h>

/** A role, or its beginning (`^`) or any part of it (`~`), and the split; the first row wins. */
static const struct {
	const char *role, *shard;
} shards[] = {
	/* back to the hidden width: a rank holds a part of the input */
	{ "o_proj", "row" },
	{ "mlp_down", "row" },
	{ "mixer_out", "row" },
	{ "kda_o_proj", "row" },
	{ "wo_b", "row" },
	{ "mixer_x_proj", "row" },
	/* down to a latent, a key or a few weights: whole on every rank */
	{ "qkv_a_proj", "replicated" },
	{ "kv_a_proj", "replicated" },
	{ "fused_wqa_wkv", "replicated" },
	{ "kda_f_a_proj", "replicated" },
	{ "kda_g_a_proj", "replicated" },
	{ "^index_", "replicated" },
	{ "^hc_", "replicated" },
	{ "^mtp_", "replicated" },
	{ "^routed_expert_", "replicated" },
	{ "~compressor", "replicated" },
	{ "^per_layer_", "replicated" },
	{ "router", "replicated" },
	{ "gate", "replicated" },
	/* all others spread their output */
	{ "^", "column" },
};

static const char *shard_of(const char *role)
{
	for (size_t i = 0; i < sizeof(shards) / sizeof(shards[0]); i++) {
		const char *rule = shards[i].role;
		bool holds = *rule == '^'   ? strncmp(role, rule + 1, strlen(rule + 1)) == 0
			     : *rule == '~' ? strstr(role, rule + 1) != NULL
					    : strcmp(role, rule) == 0;

		if (holds)
			return shards[i].shard;
	}
	return "column";
}

static bool add_shard(cJSON *node)
{
	const cJSON *op = cJSON_GetObjectItemCaseSensitive(node, "op");
	const cJSON *role = cJSON_GetObjectItemCaseSensitive(node, "role");

	if (!cJSON_IsString(op) || strcmp(op->valuestring, "GEMM") != 0 || !cJSON_IsString(role) ||
	    cJSON_GetObjectItemCaseSensitive(node, "shard"))
		return true;
	return cJSON_AddStringToObject(node, "shard", shard_of(role->valuestring)) != NULL;
}

bool graph_add_shards(cJSON *graph)
{
	const cJSON *kind;
	cJSON *node;

	cJSON_ArrayForEach(kind, cJSON_GetObjectItemCaseSensitive(graph, "layer_kinds"))
		cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(kind, "nodes"))
	{
		if (!add_shard(node))
			return false;
	}
	return true;
}
