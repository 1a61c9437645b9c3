#include <math.h>
#include <string.h>

#include "price/kv.h"
#include "price/recurrent.h"
#include "resolve/cache_format.h"
#include "resolve/kernel_impl.h"

/** Bytes of a packed cell for this latent width; 0 when the pack has none. */
static int64_t packed_cell(const struct ss_kernel *k, int64_t width)
{
	const struct ss_pack *pack = k->basis->in.pack;

	for (size_t i = 0; i < pack->packed_cell_count; i++)
		if (pack->packed_cells[i].width == width &&
		    strcmp(pack->packed_cells[i].layout, k->set.packed_layout) == 0)
			return pack->packed_cells[i].bytes;
	return 0;
}

static double main_bytes(struct ss_kernel *k, const struct ss_node *n)
{
	bool is_latent = ss_attention_is_latent(n->attention);
	int64_t cell;

	if (!*k->set.packed_layout || n->attention != SS_ATTENTION_SPARSE_MLA)
		return kv_bytes_per_token(n->n_kv, n->d_h, k->set.cache_element_bytes, is_latent,
					  k->layout.tp);
	cell = packed_cell(k, n->d_h);
	if (!cell)
		refuse(k, "P3", SS_F_CACHE_DTYPE,
		       "%s: no cell size is known for a latent width of %lld", k->set.packed_layout,
		       (long long)n->d_h);
	return kv_packed_bytes_per_token(n->n_kv, (double)cell, is_latent, k->layout.tp);
}

/** Width of a stated state dtype; 0 when unstated or auto. */
static double stated_width(const struct ss_kernel *k, enum ss_field_id field)
{
	const char *text = stated_text(k, field);

	if (strcmp(text, "float32") == 0)
		return 4;
	return strcmp(text, "float16") == 0 || strcmp(text, "bfloat16") == 0 ? 2 : 0;
}

static int64_t state_bytes(const struct ss_kernel *k, const struct ss_node *n)
{
	struct recurrent_shape shape = {
		.kind = n->recurrent,
		.heads = n->n_heads,
		.state = n->state_size,
		.groups = n->n_groups,
		.conv_kernel = n->conv_kernel,
		.inner = n->intermediate_size,
	};
	double conv = stated_width(k, SS_F_MAMBA_CACHE_DTYPE);
	double state = stated_width(k, SS_F_MAMBA_SSM_CACHE_DTYPE);

	if (state <= 0)
		state = conv;
	if (state <= 0 && n->state_dtype != SS_DTYPE_UNSTATED)
		state = ss_dtype_bytes(n->state_dtype);
	if (state <= 0)
		state = n->recurrent == SS_RECURRENT_MAMBA2 ? 2 : 4;
	return whole_bytes(recurrent_state_bytes(&shape, state, k->layout.tp) +
			   recurrent_conv_bytes(&shape, conv > 0 ? conv : 2, k->set.spec_tokens,
						k->layout.tp));
}

static bool shards(enum ss_attention_kind kind)
{
	return kind == SS_ATTENTION_GQA || kind == SS_ATTENTION_MLA ||
	       kind == SS_ATTENTION_SPARSE_MLA;
}

static void read_kind(struct ss_kernel *k, const struct ss_layer_kind *kind, struct layer_cache *c)
{
	bool has_main = false;

	*c = (struct layer_cache){ 0 };
	for (size_t i = 0; i < kind->node_count; i++) {
		const struct ss_node *n = &kind->nodes[i];

		if (n->op == SS_OP_RECURRENT) {
			c->state_bytes = least(c->state_bytes + state_bytes(k, n), BYTES_MOST);
		} else if (n->op == SS_OP_ATTENTION && *n->role) {
			c->scorer_bytes += scorer_key_bytes_per_token(n->n_kv, n->d_h);
		} else if (n->op == SS_OP_ATTENTION && !has_main) {
			has_main = true;
			c->kv_bytes = main_bytes(k, n);
			c->kind = n->attention;
			c->is_latent = ss_attention_is_latent(n->attention);
			c->window = n->attention == SS_ATTENTION_SPARSE_MLA ? 0 : n->window;
			c->is_sharded = k->layout.dcp > 1 && shards(n->attention);
		}
	}
}

void resolve_caches(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;

	k->all_kv_sharded = k->layout.dcp > 1;
	for (size_t i = 0; i < model->kind_count; i++) {
		const struct ss_layer_kind *kind = &model->kinds[i];

		if (!kind->count && !kind->draft_count) {
			k->caches[i] = (struct layer_cache){ 0 };
			continue;
		}
		read_kind(k, kind, &k->caches[i]);
		if (kind->count && k->caches[i].kv_bytes > 0 && !k->caches[i].is_sharded)
			k->all_kv_sharded = false;
	}
}
