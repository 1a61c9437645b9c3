#include "import/import_hf.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "import/graph_shards.h"
#include "import/hf_config.h"

#define LAYERS_MAX 1024

/* clang-format off */
static const struct hf_family families[] = {
	/* architecture, layout, latent, experts, expert width, draft method, draft layers, query/key norm */
	{ "LlamaForCausalLM",                   HF_PLAIN,    false, NULL, NULL, NULL, NULL, NULL },
	{ "MistralForCausalLM",                 HF_PLAIN,    false, NULL, NULL, NULL, NULL, NULL },
	{ "Qwen2ForCausalLM",                   HF_PLAIN,    false, NULL, NULL, NULL, NULL, NULL },
	{ "Qwen3ForCausalLM",                   HF_PLAIN,    false, NULL, NULL, NULL, NULL, "per_head" },
	{ "Qwen2MoeForCausalLM",                HF_PLAIN,    false, "num_experts", "moe_intermediate_size", NULL, NULL, NULL },
	{ "Qwen3MoeForCausalLM",                HF_PLAIN,    false, "num_experts", "moe_intermediate_size", NULL, NULL, "per_head" },
	{ "MixtralForCausalLM",                 HF_PLAIN,    false, "num_local_experts", "intermediate_size", NULL, NULL, NULL },
	{ "MiniMaxM2ForCausalLM",               HF_PLAIN,    false, "num_local_experts", "intermediate_size", NULL, NULL, "all_heads" },
	{ "GptOssForCausalLM",                  HF_PLAIN,    false, "num_local_experts", "intermediate_size", NULL, NULL, NULL },
	{ "DeepseekV2ForCausalLM",              HF_PLAIN,    true,  "n_routed_experts", "moe_intermediate_size", NULL, NULL, NULL },
	{ "DeepseekV3ForCausalLM",              HF_PLAIN,    true,  "n_routed_experts", "moe_intermediate_size", "deepseek_mtp", "num_nextn_predict_layers", NULL },
	{ "DeepseekV32ForCausalLM",             HF_PLAIN,    true,  "n_routed_experts", "moe_intermediate_size", "deepseek_mtp", "num_nextn_predict_layers", NULL },
	{ "KimiK25ForConditionalGeneration",    HF_PLAIN,    true,  "n_routed_experts", "moe_intermediate_size", "deepseek_mtp", "num_nextn_predict_layers", NULL },
	{ "GlmMoeDsaForCausalLM",               HF_PLAIN,    true,  "n_routed_experts", "moe_intermediate_size", "deepseek_mtp", "num_nextn_predict_layers", NULL },
	{ "NemotronHForCausalLM",               HF_NEMOTRON, false, "n_routed_experts", "moe_intermediate_size", "nemotron_h_mtp", "num_nextn_predict_layers", NULL },
	{ "Qwen3NextForCausalLM",               HF_GATED,    false, "num_experts", "moe_intermediate_size", "qwen3_next_mtp", "mtp_num_hidden_layers", "per_head" },
	{ "Qwen3_5ForCausalLM",                 HF_GATED,    false, "num_experts", "moe_intermediate_size", "qwen3_5_mtp", "mtp_num_hidden_layers", "per_head" },
	{ "Qwen3_5MoeForCausalLM",              HF_GATED,    false, "num_experts", "moe_intermediate_size", "qwen3_5_mtp", "mtp_num_hidden_layers", "per_head" },
	{ "Qwen3_5ForConditionalGeneration",    HF_GATED,    false, "num_experts", "moe_intermediate_size", "qwen3_5_mtp", "mtp_num_hidden_layers", "per_head" },
	{ "Qwen3_5MoeForConditionalGeneration", HF_GATED,    false, "num_experts", "moe_intermediate_size", "qwen3_5_mtp", "mtp_num_hidden_layers", "per_head" },
};
/* clang-format on */

#define FAMILY_COUNT (sizeof(families) / sizeof(families[0]))

const char *hf_architecture(size_t index)
{
	return index < FAMILY_COUNT ? families[index].architecture : NULL;
}

bool hf_is_config(const cJSON *document)
{
	return cJSON_IsObject(document) &&
	       (cJSON_GetObjectItemCaseSensitive(document, "architectures") ||
		cJSON_GetObjectItemCaseSensitive(document, "model_type"));
}

/* -- figures -------------------------------------------------------------------------- */

void hf_problem(struct hf *h, const char *code, const char *pointer, const char *format, ...)
{
	char message[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	/* A figure that two nodes read is missing once. */
	for (size_t i = 0; h->problems && i < h->problems->count; i++) {
		if (!strcmp(h->problems->items[i].pointer, pointer))
			return;
	}
	ss_problems_add(h->problems, SS_ERROR, code, h->file, pointer, "%s", message);
}

static const cJSON *find(const struct hf *h, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(h->text, key);

	return item ? item : cJSON_GetObjectItemCaseSensitive(h->root, key);
}

static int64_t read_count(struct hf *h, const char *key, const cJSON *item, double low)
{
	char pointer[96];

	snprintf(pointer, sizeof(pointer), "/%s%s",
		 cJSON_GetObjectItemCaseSensitive(h->text, key) && h->text != h->root
			 ? "text_config/"
			 : "",
		 key);
	if (!cJSON_IsNumber(item) || item->valuedouble < low || item->valuedouble > 1e9 ||
	    item->valuedouble != (double)(int64_t)item->valuedouble) {
		hf_problem(h, "range", pointer, "wants a whole number of %.0f to 10^9", low);
		return 0;
	}
	return (int64_t)item->valuedouble;
}

int64_t hf_need(struct hf *h, const char *key)
{
	const cJSON *item = find(h, key);
	char pointer[96];

	if (item && !cJSON_IsNull(item))
		return read_count(h, key, item, 1);
	snprintf(pointer, sizeof(pointer), "/%s", key);
	hf_problem(h, "missing", pointer, "%s has no default for this architecture", key);
	return 0;
}

int64_t hf_count(struct hf *h, const char *key, int64_t fallback)
{
	const cJSON *item = find(h, key);

	return item && !cJSON_IsNull(item) ? read_count(h, key, item, 0) : fallback;
}

const char *hf_text(const struct hf *h, const char *key)
{
	const cJSON *item = find(h, key);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

static bool is_true(const struct hf *h, const char *key)
{
	return cJSON_IsTrue(find(h, key));
}

/* -- what each layer is --------------------------------------------------------------- */

struct layer {
	enum hf_mixer mixer;
	enum hf_ffn ffn;
};

static bool lists_number(const cJSON *list, int64_t number)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		if (cJSON_IsNumber(item) && (int64_t)item->valuedouble == number)
			return true;
	}
	return false;
}

static bool is_expert_layer(struct hf *h, int64_t layer)
{
	int64_t step;

	if (!h->family->experts_key || !hf_count(h, h->family->experts_key, 0))
		return false;
	if (layer < hf_count(h, "first_k_dense_replace", 0) ||
	    lists_number(find(h, "mlp_only_layers"), layer))
		return false;
	step = hf_count(h, "decoder_sparse_step", 0);
	if (step > 1)
		return (layer + 1) % step == 0;
	step = hf_count(h, "moe_layer_freq", 1);
	return step < 2 || layer % step == 0;
}

/** Text of a layer in `layer_types`; NULL when the configuration has no such list. */
static const char *layer_type(struct hf *h, int64_t layer)
{
	const cJSON *item = cJSON_GetArrayItem(find(h, "layer_types"), (int)layer);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

static enum hf_mixer sparse_mixer(struct hf *h, int64_t layer)
{
	const char *pattern = hf_text(h, "index_topk_pattern");
	int64_t every = hf_count(h, "index_topk_freq", 1);
	int64_t past = layer - hf_count(h, "index_skip_topk_offset", 1);

	if (pattern && (size_t)layer < strlen(pattern))
		return pattern[layer] == 'S' ? HF_SPARSE_SHARED : HF_SPARSE;
	return every > 1 && past > 0 && past % every ? HF_SPARSE_SHARED : HF_SPARSE;
}

static enum hf_mixer plain_mixer(struct hf *h, int64_t layer)
{
	const char *type = layer_type(h, layer);

	if (h->family->is_latent)
		return find(h, "index_topk") ? sparse_mixer(h, layer) : HF_MLA;
	if (type)
		return strcmp(type, "sliding_attention") ? HF_GQA : HF_WINDOW;
	if (!hf_count(h, "sliding_window", 0) || cJSON_IsFalse(find(h, "use_sliding_window")))
		return HF_GQA;
	/* Layers below the mark keep the whole context. */
	return layer < hf_count(h, "max_window_layers", 0) ? HF_GQA : HF_WINDOW;
}

static enum hf_mixer gated_mixer(struct hf *h, int64_t layer)
{
	const char *type = layer_type(h, layer);
	int64_t interval = hf_count(h, "full_attention_interval", 4);

	if (type)
		return strcmp(type, "linear_attention") ? HF_GQA : HF_GDN;
	return interval && (layer + 1) % interval == 0 ? HF_GQA : HF_GDN;
}

/** `M` a mamba block, `*` attention, `E` experts, `-` a feed-forward. */
static struct layer letter_layer(struct hf *h, char letter, const char *key)
{
	char pointer[96];

	switch (letter) {
	case 'M':
		return (struct layer){ HF_MAMBA, HF_NO_FFN };
	case '*':
		return (struct layer){ HF_GQA, HF_NO_FFN };
	case 'E':
		return (struct layer){ HF_NO_MIXER, HF_MOE };
	case '-':
		return (struct layer){ HF_NO_MIXER, HF_DENSE };
	default:
		snprintf(pointer, sizeof(pointer), "/%s", key);
		hf_problem(h, "range", pointer, "layers are M, *, E and -, got '%c'", letter);
		return (struct layer){ HF_NO_MIXER, HF_DENSE };
	}
}

static int64_t read_layers(struct hf *h, struct layer layers[LAYERS_MAX])
{
	static const char pattern_key[] = "hybrid_override_pattern";
	const char *pattern = hf_text(h, pattern_key);
	int64_t count;

	if (h->family->layout == HF_NEMOTRON) {
		if (!pattern) {
			hf_problem(h, "missing", "/hybrid_override_pattern",
				   "the order of the layers is not stated");
			return 0;
		}
		count = (int64_t)strlen(pattern);
	} else {
		count = hf_need(h, "num_hidden_layers");
	}
	if (count > LAYERS_MAX) {
		hf_problem(h, "limit", "/num_hidden_layers", "at most %d layers, got %lld",
			   LAYERS_MAX, (long long)count);
		return 0;
	}
	for (int64_t i = 0; i < count; i++) {
		switch (h->family->layout) {
		case HF_PLAIN:
			layers[i].mixer = plain_mixer(h, i);
			layers[i].ffn = is_expert_layer(h, i) ? HF_MOE : HF_DENSE;
			break;
		case HF_GATED:
			layers[i].mixer = gated_mixer(h, i);
			layers[i].ffn = is_expert_layer(h, i) ? HF_MOE : HF_DENSE;
			break;
		case HF_NEMOTRON:
			layers[i] = letter_layer(h, pattern[i], pattern_key);
			break;
		}
	}
	return count;
}

/** Names as the graphs have them; they depend on what else the stack holds. */
static void kind_name(char out[48], struct layer layer, const struct layer *layers, int64_t count)
{
	static const char *const mixers[] = { "attn", "swa", "attn",  "attn",
					      "attn", "gdn", "mamba", "" };
	bool has_window = false, is_shared = false, has_moe = false, is_mixed = false;
	const char *mixer = mixers[layer.mixer], *tail = "";

	for (int64_t i = 0; i < count; i++) {
		has_window |= layers[i].mixer == HF_WINDOW;
		is_shared |= layers[i].mixer == HF_SPARSE_SHARED;
		has_moe |= layers[i].ffn == HF_MOE;
		is_mixed |= layers[i].mixer != layers[0].mixer;
	}
	if (layer.ffn == HF_NO_FFN) {
		snprintf(out, 48, "%s", layer.mixer == HF_MAMBA ? "mamba" : "attention");
		return;
	}
	if (layer.mixer == HF_NO_MIXER) {
		snprintf(out, 48, "%s", layer.ffn == HF_MOE ? "moe" : "mlp");
		return;
	}
	if (!has_moe && !is_mixed && layer.mixer == HF_GQA) {
		snprintf(out, 48, "dense");
		return;
	}
	if (has_window && layer.mixer == HF_GQA)
		mixer = "full";
	if (is_shared)
		tail = layer.mixer == HF_SPARSE_SHARED ? "_noindex" : "_indexed";
	snprintf(out, 48, "%s_%s%s", mixer, layer.ffn == HF_MOE ? "moe" : "dense", tail);
}

/* -- the graph ------------------------------------------------------------------------ */

static bool is_same_layer(struct layer a, struct layer b)
{
	return a.mixer == b.mixer && a.ffn == b.ffn;
}

/** Shortest way to write the stack: prologue, pattern times repeat, epilogue. */
struct folded {
	int64_t prologue, pattern, repeat;
};

static struct folded fold(const struct layer *layers, int64_t count)
{
	struct folded best = { 0, count, 1 };
	int64_t best_length = count;

	for (int64_t start = 0; start < count; start++) {
		for (int64_t period = 1;
		     period * 2 <= count - start && start + period < best_length; period++) {
			int64_t same = 0, repeat, length;

			while (start + period + same < count &&
			       is_same_layer(layers[start + same], layers[start + period + same]))
				same++;
			repeat = 1 + same / period;
			length = count - period * (repeat - 1);
			if (repeat > 1 && length < best_length) {
				best = (struct folded){ start, period, repeat };
				best_length = length;
			}
		}
	}
	return best;
}

static bool add_names(cJSON *stack, const char *key, const struct layer *layers, int64_t start,
		      int64_t end, int64_t count)
{
	cJSON *list;

	if (start == end)
		return true;
	list = cJSON_AddArrayToObject(stack, key);
	for (int64_t i = start; list && i < end; i++) {
		char name[48];
		cJSON *item;

		kind_name(name, layers[i], layers, count);
		item = cJSON_CreateString(name);
		if (!item || !cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			return false;
		}
	}
	return list != NULL;
}

static bool add_stack(cJSON *graph, const struct layer *layers, int64_t count)
{
	struct folded f = fold(layers, count);
	cJSON *stack = cJSON_AddObjectToObject(graph, "stack");
	int64_t end = f.prologue + f.pattern * f.repeat;

	return stack && add_names(stack, "prologue", layers, 0, f.prologue, count) &&
	       add_names(stack, "pattern", layers, f.prologue, f.prologue + f.pattern, count) &&
	       cJSON_AddNumberToObject(stack, "repeat", (double)f.repeat) &&
	       add_names(stack, "epilogue", layers, end, count, count);
}

static bool add_kinds(struct hf *h, cJSON *graph, const struct layer *layers, int64_t count)
{
	cJSON *kinds = cJSON_AddArrayToObject(graph, "layer_kinds");

	for (int64_t i = 0; kinds && i < count; i++) {
		char name[48];
		cJSON *kind, *nodes;
		bool is_new = true;

		for (int64_t k = 0; k < i; k++)
			is_new &= !is_same_layer(layers[k], layers[i]);
		if (!is_new)
			continue;
		kind_name(name, layers[i], layers, count);
		kind = cJSON_CreateObject();
		if (!kind || !cJSON_AddItemToArray(kinds, kind)) {
			cJSON_Delete(kind);
			return false;
		}
		nodes = hf_nodes(h, layers[i].mixer, layers[i].ffn, i);
		if (!cJSON_AddStringToObject(kind, "id", name) || !nodes ||
		    !cJSON_AddItemToObject(kind, "nodes", nodes)) {
			cJSON_Delete(nodes);
			return false;
		}
	}
	return kinds != NULL;
}

static bool add_globals(struct hf *h, cJSON *graph, int64_t vocabulary)
{
	cJSON *global = cJSON_AddObjectToObject(graph, "global");
	int64_t length = hf_count(h, "max_position_embeddings", 0);
	bool is_made = global &&
		       cJSON_AddNumberToObject(global, "hidden_size", (double)h->hidden) &&
		       cJSON_AddNumberToObject(global, "vocab_size", (double)vocabulary) &&
		       cJSON_AddBoolToObject(global, "tie_word_embeddings",
					     is_true(h, "tie_word_embeddings")) &&
		       cJSON_AddStringToObject(global, "weight_dtype", h->formats.weights);

	if (h->formats.group)
		is_made = is_made &&
			  cJSON_AddNumberToObject(global, "group_size", (double)h->formats.group);
	if (length)
		is_made =
			is_made && cJSON_AddNumberToObject(global, "max_model_len", (double)length);
	if (h->formats.block[0] && h->formats.block[1]) {
		const double block[] = { (double)h->formats.block[0], (double)h->formats.block[1] };
		cJSON *item = cJSON_CreateDoubleArray(block, 2);

		is_made = is_made && item && cJSON_AddItemToObject(global, "weight_block", item);
	}
	if (h->formats.has_plain_head)
		is_made = is_made &&
			  cJSON_AddStringToObject(global, "embedding_dtype", h->formats.compute);
	return is_made;
}

/** The layers a draft runs: the family's own, or the stack's last attention layer. */
static bool add_speculator(struct hf *h, cJSON *graph, const struct layer *layers, int64_t count)
{
	const char *pattern = hf_text(h, "mtp_hybrid_override_pattern");
	int64_t drafts = h->family->draft_key ? hf_count(h, h->family->draft_key, 0) : 0;
	int64_t last = count - 1, length = 1;
	struct layer draft[16];
	cJSON *speculator, *stack;

	if (!drafts)
		return true;
	while (last > 0 && (layers[last].mixer == HF_GDN || layers[last].mixer == HF_SPARSE_SHARED))
		last--;
	draft[0] = layers[last];
	if (h->family->layout == HF_NEMOTRON) {
		if (!pattern || strlen(pattern) > sizeof(draft) / sizeof(draft[0])) {
			hf_problem(h, "missing", "/mtp_hybrid_override_pattern",
				   "draft layers are counted, but their order is not stated");
			return true;
		}
		length = (int64_t)strlen(pattern);
		for (int64_t i = 0; i < length; i++)
			draft[i] = letter_layer(h, pattern[i], "mtp_hybrid_override_pattern");
	}
	speculator = cJSON_AddObjectToObject(graph, "speculator");
	if (!speculator ||
	    !cJSON_AddStringToObject(speculator, "method", h->family->draft_method) ||
	    !cJSON_AddNumberToObject(speculator, "num_spec_tokens", (double)drafts))
		return false;
	stack = cJSON_AddObjectToObject(speculator, "stack");
	if (!stack)
		return false;
	/* Names must be those of the main stack, which decides how kinds are told apart. */
	{
		cJSON *list = cJSON_AddArrayToObject(stack, "pattern");

		for (int64_t i = 0; list && i < length; i++) {
			char name[48];
			cJSON *item;

			kind_name(name, draft[i], layers, count);
			item = cJSON_CreateString(name);
			if (!item || !cJSON_AddItemToArray(list, item)) {
				cJSON_Delete(item);
				return false;
			}
		}
		return list && cJSON_AddNumberToObject(stack, "repeat", 1);
	}
}

static bool build(struct hf *h, cJSON *graph, const char *name)
{
	struct layer *layers = calloc(LAYERS_MAX, sizeof(*layers));
	int64_t vocabulary = hf_need(h, "vocab_size"), count;
	cJSON *head;
	bool is_made;

	if (!layers)
		return false;
	h->hidden = hf_need(h, "hidden_size");
	h->heads = hf_need(h, "num_attention_heads");
	h->kv_heads = hf_count(h, "num_key_value_heads", h->heads);
	h->head_width = hf_count(h, "head_dim", h->heads ? h->hidden / h->heads : 0);
	hf_read_formats(h);
	count = read_layers(h, layers);
	is_made = cJSON_AddStringToObject(graph, "kind", "ModelGraph") &&
		  cJSON_AddStringToObject(graph, "name", name) &&
		  cJSON_AddStringToObject(graph, "comment", "made from the public configuration") &&
		  add_globals(h, graph, vocabulary) && add_kinds(h, graph, layers, count);
	if (is_made && count)
		is_made = add_stack(graph, layers, count) &&
			  add_speculator(h, graph, layers, count) && graph_add_shards(graph);
	head = hf_head(h, vocabulary);
	is_made = is_made && head && cJSON_AddItemToObject(graph, "head", head);
	if (!is_made)
		cJSON_Delete(head);
	if (h->text != h->root || strstr(h->family->architecture, "ConditionalGeneration"))
		is_made = is_made &&
			  cJSON_AddStringToObject(graph, "modality", "text_decoder_of_multimodal");
	free(layers);
	return is_made && !h->is_out_of_memory;
}

static const struct hf_family *find_family(const cJSON *config)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(config, "architectures");
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		for (size_t i = 0; cJSON_IsString(item) && i < FAMILY_COUNT; i++) {
			if (!strcmp(item->valuestring, families[i].architecture))
				return &families[i];
		}
	}
	return NULL;
}

static enum ss_status unknown_architecture(const cJSON *config, const char *file,
					   struct ss_problems *problems)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(config, "architectures");
	const cJSON *first = cJSON_GetArrayItem(list, 0);
	char known[1024] = "";
	size_t length = 0;

	for (size_t i = 0; i < FAMILY_COUNT && length < sizeof(known); i++) {
		int n = snprintf(known + length, sizeof(known) - length, "%s%s", i ? ", " : "",
				 families[i].architecture);

		length += n > 0 ? (size_t)n : 0;
	}
	ss_problems_add(problems, SS_ERROR, "range", file, "/architectures",
			"'%.60s' is not known; known are %s",
			cJSON_IsString(first) ? first->valuestring : "", known);
	return SS_EDOCUMENT;
}

enum ss_status hf_import(cJSON **out, const cJSON *config, const char *name, const char *file,
			 struct ss_problems *problems)
{
	struct hf h = { .root = config, .file = file, .problems = problems };
	cJSON *graph;
	bool is_made;

	h.text = cJSON_GetObjectItemCaseSensitive(config, "text_config");
	if (!cJSON_IsObject(h.text))
		h.text = config;
	h.family = find_family(config);
	if (!h.family)
		return unknown_architecture(config, file, problems);
	graph = cJSON_CreateObject();
	is_made = graph && build(&h, graph, name);
	if (is_made && !ss_problems_count(problems, SS_ERROR)) {
		*out = graph;
		return SS_OK;
	}
	cJSON_Delete(graph);
	return is_made ? SS_EDOCUMENT : SS_ENOMEM;
}
