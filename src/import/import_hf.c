#include "import/import_hf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/graph_shards.h"
#include "import/hf_config.h"
#include "import/hf_expression.h"
#include "stepscope/nearest.h"

#define LAYERS_MAX 1024
#define KINDS_MAX 1024
#define NAME_SIZE 64
#define KIND_NAME_SIZE (NAME_SIZE + 24)

/** A kind of layer met so far. */
struct kind {
	char name[KIND_NAME_SIZE];
	char *nodes; /* printed, to tell kinds apart */
};

/** A layer: the blocks it is made of and the kind it is. */
struct layer {
	char mixer[NAME_SIZE], ffn[NAME_SIZE];
	size_t kind;
};

struct stack {
	struct layer *layers;
	size_t count;
	struct kind *kinds;
	size_t kind_count;
};

bool hf_is_config(const cJSON *document)
{
	return cJSON_IsObject(document) &&
	       (cJSON_GetObjectItemCaseSensitive(document, "architectures") ||
		cJSON_GetObjectItemCaseSensitive(document, "model_type"));
}

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

/* -- names of layer kinds --------------------------------------------------------------- */

static bool has_mixer(const struct stack *s, const char *mixer)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!strcmp(s->layers[i].mixer, mixer))
			return true;
	}
	return false;
}

static bool has_experts(const struct stack *s)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strstr(s->layers[i].ffn, "moe"))
			return true;
	}
	return false;
}

static bool is_mixed(const struct stack *s)
{
	for (size_t i = 1; i < s->count; i++) {
		if (strcmp(s->layers[i].mixer, s->layers[0].mixer) != 0)
			return true;
	}
	return false;
}

/** Labels of blocks, joined. */
static void join_labels(char *out, size_t size, const char *names)
{
	size_t used = 0;

	out[0] = '\0';
	while (*names && used < size) {
		size_t n = strcspn(names, "+");
		const struct hf_block *block = hf_block(names, n);
		int put = snprintf(out + used, size - used, "%s%s", used ? "_" : "",
				   block ? block->label : "");

		used += put > 0 ? (size_t)put : 0;
		names += n;
		names += *names == '+';
	}
}

/** Names as the graphs have them; they depend on what else the stack holds. */
static void kind_name(char out[NAME_SIZE], const struct layer *layer, const struct stack *s)
{
	char mixer[NAME_SIZE / 2], ffn[NAME_SIZE / 4];
	const char *tail = "";
	bool is_full = !strcmp(layer->mixer, "gqa");

	join_labels(mixer, sizeof(mixer), layer->mixer);
	join_labels(ffn, sizeof(ffn), layer->ffn);
	if (!*mixer || !*ffn) {
		if (*mixer)
			snprintf(out, NAME_SIZE, "%s", is_full ? "attention" : mixer);
		else
			snprintf(out, NAME_SIZE, "%s",
				 !*ffn                  ? "empty"
				 : strcmp(ffn, "dense") ? ffn
							: "mlp");
		return;
	}
	if (is_full && !has_experts(s) && !is_mixed(s)) {
		snprintf(out, NAME_SIZE, "dense");
		return;
	}
	if (is_full && has_mixer(s, "swa"))
		snprintf(mixer, sizeof(mixer), "full");
	if (!strcmp(layer->mixer, "mla") && has_mixer(s, "kda"))
		snprintf(mixer, sizeof(mixer), "mla");
	if (has_mixer(s, "sparse_shared"))
		tail = !strcmp(layer->mixer, "sparse_shared") ? "_noindex" : "_indexed";
	snprintf(out, NAME_SIZE, "%s_%s%s", mixer, ffn, tail);
}

/* -- the stack -------------------------------------------------------------------------- */

/** A kind of its own for each set of nodes; a second one of a name is numbered. */
static bool add_kind(struct stack *s, struct layer *layer, cJSON *kinds, cJSON *nodes)
{
	char *text = cJSON_PrintUnformatted(nodes), name[NAME_SIZE];
	size_t same = 1;
	cJSON *kind;

	for (size_t i = 0; text && i < s->kind_count; i++) {
		if (!strcmp(s->kinds[i].nodes, text)) {
			layer->kind = i;
			free(text);
			cJSON_Delete(nodes);
			return true;
		}
	}
	kind = cJSON_CreateObject();
	if (!text || !kind || s->kind_count == KINDS_MAX) {
		free(text);
		cJSON_Delete(kind);
		cJSON_Delete(nodes);
		return false;
	}
	kind_name(name, layer, s);
	for (size_t i = 0; i < s->kind_count; i++) {
		size_t n = strlen(name);

		same += !strncmp(s->kinds[i].name, name, n) &&
			(!s->kinds[i].name[n] || isdigit((unsigned char)s->kinds[i].name[n + 1]));
	}
	layer->kind = s->kind_count++;
	s->kinds[layer->kind].nodes = text;
	if (same > 1)
		snprintf(s->kinds[layer->kind].name, sizeof(s->kinds[0].name), "%s_%zu", name,
			 same);
	else
		snprintf(s->kinds[layer->kind].name, sizeof(s->kinds[0].name), "%s", name);
	if (!cJSON_AddItemToArray(kinds, kind)) {
		cJSON_Delete(kind);
		cJSON_Delete(nodes);
		return false;
	}
	if (!cJSON_AddStringToObject(kind, "id", s->kinds[layer->kind].name) ||
	    !cJSON_AddItemToObject(kind, "nodes", nodes)) {
		cJSON_Delete(nodes);
		return false;
	}
	return true;
}

static bool make_layer(struct hf *h, struct stack *s, struct layer *layer, cJSON *kinds)
{
	cJSON *nodes = hf_nodes(h, layer->mixer, layer->ffn);

	return nodes && add_kind(s, layer, kinds, nodes);
}

/** What each layer is made of. */
static bool read_layers(struct hf *h, struct stack *s)
{
	int64_t count = hf_need(h, "layers");

	if (count > LAYERS_MAX) {
		hf_problem(h, "limit", "/num_hidden_layers", "at most %d layers, got %lld",
			   LAYERS_MAX, (long long)count);
		count = 0;
	}
	s->layers = calloc((size_t)count + 1, sizeof(*s->layers));
	s->kinds = calloc(KINDS_MAX, sizeof(*s->kinds));
	if (!s->layers || !s->kinds)
		return false;
	s->count = (size_t)count;
	for (h->layer = 0; h->layer < count; h->layer++) {
		struct layer *layer = &s->layers[h->layer];

		(void)hf_text(h, layer->mixer, sizeof(layer->mixer), "mixer");
		(void)hf_text(h, layer->ffn, sizeof(layer->ffn), "ffn");
	}
	return true;
}

static bool add_kinds(struct hf *h, cJSON *graph, struct stack *s)
{
	cJSON *kinds = cJSON_AddArrayToObject(graph, "layer_kinds");
	bool is_made = kinds != NULL;

	for (size_t i = 0; i < s->count && is_made; i++) {
		h->layer = (int64_t)i;
		is_made = make_layer(h, s, &s->layers[i], kinds);
	}
	return is_made;
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
			       layers[start + same].kind == layers[start + period + same].kind)
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

static bool add_names(cJSON *stack, const char *key, const struct stack *s, int64_t start,
		      int64_t end)
{
	cJSON *list;

	if (start == end)
		return true;
	list = cJSON_AddArrayToObject(stack, key);
	for (int64_t i = start; list && i < end; i++) {
		cJSON *item = cJSON_CreateString(s->kinds[s->layers[i].kind].name);

		if (!item || !cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			return false;
		}
	}
	return list != NULL;
}

static bool add_stack(cJSON *graph, const struct stack *s)
{
	int64_t count = (int64_t)s->count;
	struct folded f = fold(s->layers, count);
	cJSON *stack = cJSON_AddObjectToObject(graph, "stack");
	int64_t end = f.prologue + f.pattern * f.repeat;

	return stack && add_names(stack, "prologue", s, 0, f.prologue) &&
	       add_names(stack, "pattern", s, f.prologue, f.prologue + f.pattern) &&
	       cJSON_AddNumberToObject(stack, "repeat", (double)f.repeat) &&
	       add_names(stack, "epilogue", s, end, count);
}

/* -- the rest of the graph -------------------------------------------------------------- */

static bool add_globals(struct hf *h, cJSON *graph)
{
	cJSON *global = cJSON_AddObjectToObject(graph, "global");
	int64_t length = hf_count(h, "context", 0);
	const struct hf_formats *f = &h->formats;
	char family[48];
	bool is_made =
		global &&
		cJSON_AddNumberToObject(global, "hidden_size", (double)hf_need(h, "hidden")) &&
		cJSON_AddNumberToObject(global, "vocab_size", (double)hf_need(h, "vocab")) &&
		cJSON_AddBoolToObject(global, "tie_word_embeddings", hf_holds(h, "tied")) &&
		cJSON_AddStringToObject(global, "weight_dtype", f->weights);

	if (f->group)
		is_made =
			is_made && cJSON_AddNumberToObject(global, "group_size", (double)f->group);
	if (f->has_zeros)
		is_made = is_made && cJSON_AddTrueToObject(global, "zero_points");
	if (length)
		is_made =
			is_made && cJSON_AddNumberToObject(global, "max_model_len", (double)length);
	if (f->block[0] && f->block[1]) {
		const double block[] = { (double)f->block[0], (double)f->block[1] };
		cJSON *item = cJSON_CreateDoubleArray(block, 2);

		is_made = is_made && item && cJSON_AddItemToObject(global, "weight_block", item);
	}
	if (strcmp(f->weights, f->compute) != 0)
		is_made = is_made && cJSON_AddStringToObject(global, "embedding_dtype", f->compute);
	if (hf_text(h, family, sizeof(family), "family"))
		is_made = is_made && cJSON_AddStringToObject(global, "family", family);
	if (f->cache)
		is_made = is_made && cJSON_AddStringToObject(global, "cache_dtype", f->cache);
	return is_made;
}

/** The layers a draft runs follow those of the stack. */
static bool add_speculator(struct hf *h, cJSON *graph, struct stack *s)
{
	int64_t drafts = hf_count(h, "drafts", 0), parts;
	cJSON *kinds = cJSON_GetObjectItemCaseSensitive(graph, "layer_kinds");
	cJSON *speculator, *stack, *list;
	char method[48];

	h->layer = (int64_t)s->count;
	if (!drafts || !hf_text(h, method, sizeof(method), "draft_method"))
		return true;
	parts = hf_need(h, "draft_parts");
	if (parts < 1 || parts > 16)
		return true;
	speculator = cJSON_AddObjectToObject(graph, "speculator");
	if (!speculator || !cJSON_AddStringToObject(speculator, "method", method) ||
	    !cJSON_AddNumberToObject(speculator, "num_spec_tokens", (double)drafts))
		return false;
	stack = cJSON_AddObjectToObject(speculator, "stack");
	list = stack ? cJSON_AddArrayToObject(stack, "pattern") : NULL;
	h->is_draft = true;
	for (int64_t i = 0; list && i < parts; i++, h->layer++) {
		struct layer layer = { .kind = 0 };
		cJSON *item;

		(void)hf_text(h, layer.mixer, sizeof(layer.mixer), "mixer");
		(void)hf_text(h, layer.ffn, sizeof(layer.ffn), "ffn");
		if (!make_layer(h, s, &layer, kinds))
			return false;
		item = cJSON_CreateString(s->kinds[layer.kind].name);
		if (!item || !cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			return false;
		}
	}
	h->is_draft = false;
	return list && cJSON_AddNumberToObject(stack, "repeat", 1);
}

static bool add_list(cJSON *graph, const char *key, cJSON *list)
{
	if (!list || cJSON_AddItemToObject(graph, key, list))
		return true;
	cJSON_Delete(list);
	return false;
}

static bool build(struct hf *h, cJSON *graph, const char *name, struct stack *s)
{
	bool is_made;

	hf_read_formats(h);
	is_made = read_layers(h, s) && cJSON_AddStringToObject(graph, "kind", "ModelGraph") &&
		  cJSON_AddStringToObject(graph, "name", name) &&
		  cJSON_AddStringToObject(graph, "comment", "made from the public configuration");
	h->layer = 0;
	is_made = is_made && add_globals(h, graph) && add_kinds(h, graph, s);
	if (is_made && s->count)
		is_made = add_stack(graph, s) && add_speculator(h, graph, s) &&
			  graph_add_shards(graph);
	h->layer = 0;
	is_made = is_made && add_list(graph, "head", hf_head(h)) &&
		  add_list(graph, "other_weights", hf_other_weights(h));
	if (h->text != h->root || strstr(h->family->architectures, "ConditionalGeneration"))
		is_made = is_made &&
			  cJSON_AddStringToObject(graph, "modality", "text_decoder_of_multimodal");
	return is_made && !h->is_out_of_memory;
}

/* -- architectures ---------------------------------------------------------------------- */

const char *hf_architecture(size_t index, size_t *length)
{
	for (const struct hf_family *f = hf_families; f->architectures; f++) {
		for (const char *p = f->architectures; *p; p += strspn(p, " ")) {
			size_t n = strcspn(p, " ");

			if (!index--) {
				*length = n;
				return p;
			}
			p += n;
		}
	}
	return NULL;
}

static const struct hf_family *family_of(const char *architecture)
{
	for (const struct hf_family *f = hf_families; f->architectures; f++) {
		for (const char *p = f->architectures; *p; p += strspn(p, " ")) {
			size_t n = strcspn(p, " ");

			if (strlen(architecture) == n && !strncmp(p, architecture, n))
				return f;
			p += n;
		}
	}
	return NULL;
}

/** `qwen3_moe` is Qwen3MoeForCausalLM. */
static const struct hf_family *family_of_type(const char *type)
{
	char name[96];
	size_t used = 0;

	for (; *type && used < 64; type++) {
		if (isalnum((unsigned char)*type))
			name[used++] = *type;
	}
	for (const struct hf_family *f = hf_families; used && f->architectures; f++) {
		for (const char *p = f->architectures; *p; p += strspn(p, " ")) {
			size_t n = strcspn(p, " ");

			if (n > used && !strncasecmp(p, name, used) && !strncmp(p + used, "For", 3))
				return f;
			p += n;
		}
	}
	return NULL;
}

static const struct hf_family *find_family(const struct hf *h)
{
	const cJSON *const parts[] = { h->root, h->text };
	const struct hf_family *family = NULL;

	for (size_t i = 0; i < 2 && !family; i++) {
		const cJSON *list = cJSON_GetObjectItemCaseSensitive(parts[i], "architectures");
		const cJSON *item;

		cJSON_ArrayForEach(item, list)
		{
			if (!family && cJSON_IsString(item))
				family = family_of(item->valuestring);
		}
	}
	for (size_t i = 0; i < 2 && !family; i++) {
		const cJSON *type = cJSON_GetObjectItemCaseSensitive(parts[i], "model_type");

		if (cJSON_IsString(type) &&
		    !cJSON_GetObjectItemCaseSensitive(parts[i], "architectures"))
			family = family_of_type(type->valuestring);
	}
	return family;
}

static enum ss_status unknown_architecture(const struct hf *h)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(h->root, "architectures");
	const cJSON *first = cJSON_GetArrayItem(list, 0);
	const char *given = cJSON_IsString(first) ? first->valuestring : "", *best = "";
	size_t nearest = SIZE_MAX, length, best_length = 0, count = 0;

	for (const char *p; (p = hf_architecture(count, &length)); count++) {
		char name[96];
		size_t distance;

		snprintf(name, sizeof(name), "%.*s", (int)length, p);
		distance = ss_edit_distance(given, name);
		if (distance < nearest) {
			nearest = distance;
			best = p;
			best_length = length;
		}
	}
	ss_problems_add(h->problems, SS_ERROR, "range", h->file, "/architectures",
			"'%.60s' is none of the %zu architectures known; nearest is %.*s", given,
			count, (int)best_length, best);
	return SS_EDOCUMENT;
}

/** The decoder's part, under one of the keys that multimodal files use. */
static void find_text(struct hf *h)
{
	static const char *const keys[] = { "text_config", "llm_config", "language_config" };

	h->text = h->root;
	h->text_key = "";
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && h->text == h->root; i++) {
		const cJSON *part = cJSON_GetObjectItemCaseSensitive(h->root, keys[i]);

		if (!cJSON_IsObject(part))
			part = cJSON_GetObjectItemCaseSensitive(
				cJSON_GetObjectItemCaseSensitive(h->root, "thinker_config"),
				keys[i]);
		if (cJSON_IsObject(part)) {
			h->text = part;
			h->text_key = keys[i];
		}
	}
}

enum ss_status hf_import(cJSON **out, const cJSON *config, const cJSON *quantization,
			 const char *name, const char *file, struct ss_problems *problems)
{
	struct hf h = {
		.root = config, .quantization = quantization, .file = file, .problems = problems
	};
	struct stack stack = { 0 };
	cJSON *graph;
	bool is_made;

	find_text(&h);
	h.family = find_family(&h);
	if (!h.family)
		return unknown_architecture(&h);
	graph = cJSON_CreateObject();
	is_made = graph && build(&h, graph, name, &stack);
	for (size_t i = 0; i < stack.kind_count; i++)
		free(stack.kinds[i].nodes);
	free(stack.kinds);
	free(stack.layers);
	hf_formats_release(&h.formats);
	if (is_made && !ss_problems_count(problems, SS_ERROR)) {
		*out = graph;
		return SS_OK;
	}
	cJSON_Delete(graph);
	return is_made || !h.is_out_of_memory ? SS_EDOCUMENT : SS_ENOMEM;
}
