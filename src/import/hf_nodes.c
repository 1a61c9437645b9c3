/* Nodes of a layer, in the order the graphs have them. */
#include "import/hf_config.h"

#include <string.h>

/** A list of nodes being made. */
struct list {
	struct hf *h;
	cJSON *nodes;
	int64_t layer;
};

struct figure {
	const char *key;
	int64_t value;
};

/** Append a node; figures of 0 are left out. */
static cJSON *add_node(struct list *l, const char *op, const char *role, const char *kind_key,
		       const char *kind, const struct figure *figures, size_t count)
{
	cJSON *node = cJSON_CreateObject();
	bool is_made = node && cJSON_AddItemToArray(l->nodes, node);

	if (!is_made) {
		cJSON_Delete(node);
		l->h->is_out_of_memory = true;
		return NULL;
	}
	is_made = cJSON_AddStringToObject(node, "op", op) != NULL;
	if (*role)
		is_made = is_made && cJSON_AddStringToObject(node, "role", role);
	if (kind)
		is_made = is_made && cJSON_AddStringToObject(node, kind_key, kind);
	for (size_t i = 0; i < count; i++) {
		if (figures[i].value)
			is_made = is_made && cJSON_AddNumberToObject(node, figures[i].key,
								     (double)figures[i].value);
	}
	l->h->is_out_of_memory |= !is_made;
	return node;
}

static void add_text(struct list *l, cJSON *node, const char *key, const char *text)
{
	if (node && text && !cJSON_AddStringToObject(node, key, text))
		l->h->is_out_of_memory = true;
}

static void elementwise(struct list *l, const char *role, int64_t bytes)
{
	const struct figure figures[] = { { "bytes_per_token", bytes } };

	add_node(l, "Elementwise", role, NULL, NULL, figures, 1);
}

static void gemm(struct list *l, const char *role, int64_t n, int64_t k)
{
	const struct figure figures[] = { { "n", n }, { "k", k } };
	cJSON *node = add_node(l, "GEMM", role, NULL, NULL, figures, 2);

	add_text(l, node, "weight_dtype", hf_module_format(l->h, role, l->layer));
}

static void collective(struct list *l, const char *op, const char *role, const char *emit)
{
	add_text(l, add_node(l, op, role, NULL, NULL, NULL, 0), "emit", emit);
}

static void attention_end(struct list *l, int64_t inner)
{
	gemm(l, "o_proj", l->h->hidden, inner);
	collective(l, "AllReduce", "attn_out", "tensor_parallel");
}

/** Queries and keys normed before attention, as the graph names it; NULL: not. */
static const char *qk_norm(const struct hf *h)
{
	const cJSON *use = cJSON_GetObjectItemCaseSensitive(h->text, "use_qk_norm");
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(h->text, "qk_norm_type");

	if (cJSON_IsFalse(use))
		return NULL;
	if (cJSON_IsString(type))
		return strcmp(type->valuestring, "per_layer") == 0 ? "all_heads" : "per_head";
	if (cJSON_IsTrue(use) && !h->family->qk_norm)
		return "per_head";
	return h->family->qk_norm;
}

static void gqa(struct list *l, bool is_windowed)
{
	struct hf *h = l->h;
	int64_t inner = h->heads * h->head_width;
	/* Gated attention doubles the query's rows. */
	int64_t queries = h->family->layout == HF_GATED ? 2 * inner : inner;
	const struct figure figures[] = {
		{ "n_q", h->heads },
		{ "n_kv", h->kv_heads },
		{ "d_h", h->head_width },
		{ "window", is_windowed ? hf_need(h, "sliding_window") : 0 },
	};

	gemm(l, "qkv_proj", queries + 2 * h->kv_heads * h->head_width, h->hidden);
	add_text(l, add_node(l, "Attention", "", "kind", is_windowed ? "swa" : "gqa", figures, 4),
		 "qk_norm", qk_norm(h));
	attention_end(l, inner);
}

/** The scorer that picks what sparse attention reads. */
static void indexer(struct list *l, int64_t q_rank)
{
	struct hf *h = l->h;
	int64_t heads = hf_need(h, "index_n_heads"), width = hf_need(h, "index_head_dim");
	const struct figure figures[] = { { "n_q", heads }, { "n_kv", 1 }, { "d_h", width } };
	const struct figure widths[] = { { "n", width + heads }, { "k", h->hidden } };

	gemm(l, "index_wq_b", heads * width, q_rank);
	/* The key and head-weight projections are never quantized. */
	add_text(l, add_node(l, "GEMM", "index_wk_weights_proj", NULL, NULL, widths, 2),
		 "weight_dtype",
		 strcmp(h->formats.weights, h->formats.compute) ? h->formats.compute : NULL);
	add_node(l, "Attention", "block_index_scores", "kind", "gqa", figures, 3);
}

static void mla(struct list *l, enum hf_mixer mixer)
{
	struct hf *h = l->h;
	int64_t q_rank = hf_count(h, "q_lora_rank", 0), kv_rank = hf_need(h, "kv_lora_rank");
	int64_t rope = hf_need(h, "qk_rope_head_dim"), nope = hf_need(h, "qk_nope_head_dim");
	int64_t value = hf_need(h, "v_head_dim"), queries = h->heads * (nope + rope);
	bool is_sparse = mixer != HF_MLA;
	const struct figure figures[] = {
		{ "n_q", h->heads },
		{ "n_kv", 1 },
		{ "d_h", kv_rank + rope },
		{ "kv_lora_rank", kv_rank },
		{ "qk_rope_head_dim", rope },
		{ "index_topk", is_sparse ? hf_need(h, "index_topk") : 0 },
		{ "qk_nope_head_dim", nope },
		{ "v_head_dim", value },
	};

	/* A norm reads and writes its 16-bit row: 4 bytes an element. */
	if (is_sparse) {
		bool has_indexer = mixer == HF_SPARSE;
		int64_t key = has_indexer ? hf_need(h, "index_head_dim") : 0;

		gemm(l, "qkv_a_proj", q_rank + kv_rank + rope, h->hidden);
		elementwise(l, "qkv_a_layernorm", 4 * (q_rank + kv_rank + key));
		gemm(l, "q_b_proj", queries, q_rank);
	} else if (q_rank) {
		gemm(l, "qkv_a_proj", q_rank + kv_rank + rope, h->hidden);
		elementwise(l, "q_a_layernorm", 4 * q_rank);
		elementwise(l, "kv_a_layernorm", 4 * kv_rank);
		gemm(l, "q_b_proj", queries, q_rank);
	} else {
		gemm(l, "kv_a_proj", kv_rank + rope, h->hidden);
		elementwise(l, "kv_a_layernorm", 4 * kv_rank);
		gemm(l, "q_proj", queries, h->hidden);
	}
	gemm(l, "kv_b_proj", h->heads * (nope + value), kv_rank);
	if (mixer == HF_SPARSE)
		indexer(l, q_rank);
	add_node(l, "Attention", "", "kind", is_sparse ? "sparse_mla" : "mla", figures, 8);
	attention_end(l, h->heads * value);
}

static void gdn(struct list *l)
{
	struct hf *h = l->h;
	int64_t key_heads = hf_need(h, "linear_num_key_heads");
	int64_t value_heads = hf_need(h, "linear_num_value_heads");
	int64_t width = hf_need(h, "linear_value_head_dim");
	int64_t keys = key_heads * hf_need(h, "linear_key_head_dim"), values = value_heads * width;
	const struct figure figures[] = {
		{ "n_heads", value_heads },
		{ "state_size", width },
		{ "conv_kernel", hf_need(h, "linear_conv_kernel_dim") },
		{ "intermediate_size", 2 * keys + values },
	};
	cJSON *node;

	gemm(l, "gdn_qkvz_proj", 2 * keys + 2 * values, h->hidden);
	gemm(l, "gdn_ba_proj", 2 * value_heads, h->hidden);
	node = add_node(l, "RecurrentUpdate", "", "recurrent_kind", "gdn", figures, 4);
	add_text(l, node, "state_dtype", "fp32");
	gemm(l, "mixer_out", h->hidden, values);
	collective(l, "AllReduce", "mixer_out", "tensor_parallel");
}

static void mamba(struct list *l)
{
	struct hf *h = l->h;
	int64_t heads = hf_need(h, "mamba_num_heads"), inner = heads * hf_need(h, "mamba_head_dim");
	int64_t state = hf_need(h, "ssm_state_size"), groups = hf_need(h, "n_groups");
	const char *dtype = hf_text(h, "mamba_ssm_cache_dtype");
	const struct figure figures[] = {
		{ "n_heads", heads },           { "state_size", state },
		{ "n_groups", groups },         { "conv_kernel", hf_need(h, "conv_kernel") },
		{ "intermediate_size", inner },
	};
	cJSON *node;

	gemm(l, "mixer_in", 2 * inner + 2 * groups * state + heads, h->hidden);
	node = add_node(l, "RecurrentUpdate", "", "recurrent_kind", "mamba2", figures, 5);
	if (dtype && !strcmp(dtype, "float32"))
		add_text(l, node, "state_dtype", "fp32");
	gemm(l, "mixer_out", h->hidden, inner);
	collective(l, "AllReduce", "mixer_out", "tensor_parallel");
}

static void dense(struct list *l)
{
	struct hf *h = l->h;
	int64_t width = hf_need(h, "intermediate_size");

	if (h->family->layout == HF_NEMOTRON)
		gemm(l, "mlp_up", width, h->hidden);
	else
		gemm(l, "mlp_gate_up", 2 * width, h->hidden);
	gemm(l, "mlp_down", h->hidden, width);
	collective(l, "AllReduce", "mlp_out", "tensor_parallel_unless_sp_moe");
}

/** Shared experts and their width: given as a count, as a width, or both. */
static void shared_experts(struct hf *h, int64_t expert_width, int64_t *count, int64_t *width)
{
	int64_t stated = hf_count(h, "shared_expert_intermediate_size", 0);

	*count = hf_count(h, "n_shared_experts", 0);
	if (h->family->layout == HF_NEMOTRON)
		stated = hf_count(h, "moe_shared_expert_intermediate_size", 0);
	if (stated && !*count)
		*count = 1;
	*width = stated == expert_width ? 0 : stated;
}

static void moe(struct list *l)
{
	struct hf *h = l->h;
	bool is_ungated = h->family->layout == HF_NEMOTRON;
	int64_t latent = is_ungated ? hf_count(h, "moe_latent_size", 0) : 0;
	int64_t width = hf_need(h, h->family->expert_width_key), shared, shared_width;
	cJSON *node;

	shared_experts(h, width, &shared, &shared_width);
	{
		const struct figure figures[] = {
			{ "matrices", is_ungated ? 2 : 0 },
			{ "n", width },
			{ "k", h->hidden },
			{ "experts", hf_need(h, h->family->experts_key) },
			{ "top_k", hf_need(h, "num_experts_per_tok") },
			{ "shared_experts", shared },
			{ "shared_intermediate_size", shared ? shared_width : 0 },
			{ "latent_size", latent },
		};

		if (latent)
			gemm(l, "routed_expert_down_proj", latent, h->hidden);
		node = add_node(l, "GroupedGEMM", "experts", NULL, NULL, figures, 8);
	}
	add_text(l, node, "weight_dtype", hf_module_format(h, "experts", l->layer));
	if (latent)
		gemm(l, "routed_expert_up_proj", h->hidden, latent);
	collective(l, "All2All", "moe_dispatch_combine", "expert_parallel");
	collective(l, "AllReduce", "mlp_out", "tensor_parallel_unless_sp_moe");
}

cJSON *hf_nodes(struct hf *h, enum hf_mixer mixer, enum hf_ffn ffn, int64_t layer)
{
	struct list l = { h, cJSON_CreateArray(), layer };

	if (!l.nodes) {
		h->is_out_of_memory = true;
		return NULL;
	}
	elementwise(&l, "input_norm", 0);
	switch (mixer) {
	case HF_GQA:
	case HF_WINDOW:
		gqa(&l, mixer == HF_WINDOW);
		break;
	case HF_MLA:
	case HF_SPARSE:
	case HF_SPARSE_SHARED:
		mla(&l, mixer);
		break;
	case HF_GDN:
		gdn(&l);
		break;
	case HF_MAMBA:
		mamba(&l);
		break;
	case HF_NO_MIXER:
		break;
	}
	if (mixer != HF_NO_MIXER && ffn != HF_NO_FFN)
		elementwise(&l, "post_attn_norm", 0);
	switch (ffn) {
	case HF_DENSE:
		dense(&l);
		break;
	case HF_MOE:
		moe(&l);
		break;
	case HF_NO_FFN:
		break;
	}
	return l.nodes;
}

cJSON *hf_head(struct hf *h, int64_t vocabulary)
{
	struct list l = { h, cJSON_CreateArray(), 0 };

	if (!l.nodes) {
		h->is_out_of_memory = true;
		return NULL;
	}
	elementwise(&l, "final_norm", 0);
	gemm(&l, "lm_head", vocabulary, h->hidden);
	return l.nodes;
}
