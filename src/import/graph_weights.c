#include "import/graph_weights.h"

#include <stdbool.h>
#include <string.h>

#include "stepscope/vocabulary.h"

struct sum {
	double parameters, bytes;
};

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number_of(const cJSON *object, const char *key, double fallback)
{
	const cJSON *item = get(object, key);

	return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

static const char *text_of(const cJSON *object, const char *key, const char *fallback)
{
	const cJSON *item = get(object, key);

	return cJSON_IsString(item) ? item->valuestring : fallback;
}

static enum ss_dtype dtype_of(const char *name)
{
	for (int i = 0; i < SS_DTYPE_COUNT; i++) {
		if (!strcmp(ss_dtype_name((enum ss_dtype)i), name))
			return (enum ss_dtype)i;
	}
	return SS_DTYPE_BF16;
}

static void add(struct sum *sum, const cJSON *global, const char *format, double elements)
{
	enum ss_dtype dtype = dtype_of(format);

	sum->parameters += elements;
	sum->bytes += elements *
		      (ss_dtype_bytes(dtype) +
		       ss_weight_scale_bytes(dtype, (int64_t)number_of(global, "group_size", 0),
					     cJSON_IsTrue(get(global, "zero_points"))));
}

static void add_experts(struct sum *sum, const cJSON *global, const cJSON *node, const char *format,
			const char *plain)
{
	double matrices = number_of(node, "matrices", 3), n = number_of(node, "n", 0);
	double k = number_of(node, "k", 0), experts = number_of(node, "experts", 0);
	double shared = number_of(node, "shared_experts", 0);

	add(sum, global, format, matrices * n * number_of(node, "latent_size", k) * experts);
	if (shared > 0)
		add(sum, global, text_of(node, "shared_weight_dtype", format),
		    matrices * number_of(node, "shared_intermediate_size", n) * k * shared);
	/* One alone needs no router. */
	if (experts > 1)
		add(sum, global, plain, experts * k);
}

static void add_nodes(struct sum *sum, const cJSON *global, const cJSON *nodes, const char *plain)
{
	const char *own = text_of(global, "weight_dtype", "bf16");
	const cJSON *node;

	cJSON_ArrayForEach(node, nodes)
	{
		const char *op = text_of(node, "op", ""), *format;

		format = text_of(node, "weight_dtype", own);
		if (!strcmp(op, "GEMM"))
			add(sum, global, format, number_of(node, "n", 0) * number_of(node, "k", 0));
		else if (!strcmp(op, "GroupedGEMM"))
			add_experts(sum, global, node, format, plain);
	}
}

static double count_in(const cJSON *list, const char *id)
{
	const cJSON *item;
	double count = 0;

	cJSON_ArrayForEach(item, list)
	{
		count += cJSON_IsString(item) && !strcmp(item->valuestring, id);
	}
	return count;
}

static void add_head(struct sum *sum, const cJSON *graph, const cJSON *global, const char *plain)
{
	bool is_tied = cJSON_IsTrue(get(global, "tie_word_embeddings"));
	double rows = number_of(global, "vocab_size", 0);

	add(sum, global,
	    text_of(global, "embedding_dtype", text_of(global, "weight_dtype", "bf16")),
	    rows * number_of(global, "hidden_size", 0));
	if (!is_tied)
		add_nodes(sum, global, get(graph, "head"), plain);
}

void graph_weights_sum(struct graph_weights *out, const cJSON *graph)
{
	const cJSON *global = get(graph, "global"), *stack = get(graph, "stack"), *kind, *other;
	const cJSON *draft = get(get(graph, "speculator"), "stack");
	const char *own = text_of(global, "weight_dtype", "bf16");
	const char *plain = text_of(global, "embedding_dtype",
				    ss_dtype_bytes(dtype_of(own)) < 2 ? "bf16" : own);
	struct sum main = { 0 }, drafts = { 0 }, others = { 0 };

	add_head(&main, graph, global, plain);
	cJSON_ArrayForEach(kind, get(graph, "layer_kinds"))
	{
		const char *id = text_of(kind, "id", "");
		double count = count_in(get(stack, "prologue"), id) +
			       count_in(get(stack, "epilogue"), id) +
			       count_in(get(stack, "pattern"), id) * number_of(stack, "repeat", 0);
		double passes = count_in(get(draft, "pattern"), id) * number_of(draft, "repeat", 0);
		struct sum one = { 0 };

		add_nodes(&one, global, get(kind, "nodes"), plain);
		main.parameters += count * one.parameters;
		main.bytes += count * one.bytes;
		drafts.parameters += passes * one.parameters;
		drafts.bytes += passes * one.bytes;
	}
	cJSON_ArrayForEach(other, get(graph, "other_weights"))
	{
		add(&others, global, text_of(other, "weight_dtype", plain),
		    number_of(other, "parameters", 0));
	}
	*out = (struct graph_weights){ main.parameters, main.bytes,        drafts.parameters,
				       drafts.bytes,    others.parameters, others.bytes };
}
