/* Route requests as a deployment makes them. */
#include "resolve/sm70.h"

#include <string.h>

#include "price/integers.h"
#include "stepscope/sm70.h"

/** The text of an entry of a map; NULL when it has none. */
static const char *entry(const struct ss_value *map, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; map && i < map->count; i++)
		if (strncmp(map->texts[i], name, length) == 0 && map->texts[i][length] == '=')
			return map->texts[i] + length + 1;
	return NULL;
}

static const char *stated_option(const void *context, const char *path)
{
	const struct ss_kernel *k = context;

	return entry(k->sm70.options, path);
}

static const char *stated_variable(const void *context, const char *name)
{
	const struct ss_kernel *k = context;

	return entry(k->sm70.environment, name);
}

struct ss_settings sm70_settings(const struct ss_kernel *k)
{
	return (struct ss_settings){ stated_option, stated_variable, k };
}

static bool is_alike(const struct ss_node *a, const struct ss_node *b)
{
	return a->attention == b->attention && a->n_q == b->n_q && a->n_kv == b->n_kv &&
	       a->d_h == b->d_h && a->window == b->window;
}

size_t sm70_shapes(const struct ss_kernel *k, struct sm70_shape out[SM70_SHAPES_MAX])
{
	const struct ss_model *model = k->basis->in.model;
	size_t count = 0;

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; model->kinds[i].count && j < model->kinds[i].node_count; j++) {
			const struct ss_node *n = &model->kinds[i].nodes[j];
			bool is_new = n->op == SS_OP_ATTENTION && !*n->role;

			for (size_t s = 0; s < count && is_new; s++)
				is_new = !is_alike(out[s].node, n);
			if (is_new && count < SM70_SHAPES_MAX)
				out[count++] = (struct sm70_shape){ model->kinds[i].id, n };
		}
	return count;
}

static bool is_served(const struct ss_reference *r, const struct ss_node *n)
{
	const struct ss_numbers *widths = &r->order.served_head_dims;

	for (size_t i = 0; i < widths->count; i++)
		if (widths->items[i] == n->d_h)
			return true;
	return widths->count == 0;
}

struct ss_route_request sm70_request(const struct ss_kernel *k, const struct ss_node *node,
				     enum ss_route_stage stage, const struct ss_settings *settings)
{
	int64_t tp = k->layout.tp;

	return (struct ss_route_request){
		.stage = stage,
		.codec = k->sm70.codec,
		.query_heads = node->n_q / tp,
		.kv_heads = most(node->n_kv / tp, 1),
		.head_dim = node->d_h,
		.page_size = k->pool.block_size,
		.model_len = k->set.max_model_len,
		.window = node->attention == SS_ATTENTION_SWA ? node->window : 0,
		.backend = k->sm70.backend,
		.is_unserved = !is_served(k->basis->in.reference, node),
		.settings = settings,
	};
}

bool sm70_is_aligned(const struct ss_kernel *k)
{
	return k->basis->has_recurrent && k->basis->has_attention &&
	       strcmp(k->set.state_mode, "align") == 0;
}

int64_t ss_kernel_prefill_chunk(const struct ss_kernel *kernel, int64_t tokens)
{
	int64_t chunk = least(tokens, kernel->set.max_batched_tokens);
	int64_t block = kernel->pool.block_size;

	if (!sm70_is_aligned(kernel) || block <= 0 || chunk < block)
		return chunk;
	return chunk / block * block;
}

int64_t sm70_largest_chunk(const struct ss_kernel *k)
{
	int64_t tokens = k->set.max_batched_tokens;

	if (k->set.max_model_len > 0)
		tokens = least(tokens, k->set.max_model_len);
	return most(ss_kernel_prefill_chunk(k, tokens), 1);
}

void sm70_add_prefix(const struct ss_kernel *k, struct ss_route_request *prefill)
{
	int64_t length = k->set.max_model_len;
	int64_t prefix = prefill->chunk;

	if (length > 0 && prefix + prefill->chunk > length)
		prefix = length - prefill->chunk;
	if (prefix <= 0) {
		/* a chunk that is the longest request has no prefix: half of it has */
		prefill->chunk = most(ss_kernel_prefill_chunk(k, prefill->chunk / 2), 1);
		prefix = most(length - prefill->chunk, 1);
	}
	prefill->prefix_len = prefix;
	prefill->kv_len = prefix + prefill->chunk;
}
