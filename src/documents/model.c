#include "stepscope/model.h"

#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	KINDS_MAX = 1000,
	NODES_MAX = 1000,
	LAYERS_MAX = 10000,
	REPEAT_MAX = 100000,
	CACHES_MAX = 1000,
	RECORDS_MAX = 100,
	OTHERS_MAX = 100,
};

struct model_document {
	struct ss_model model; /* first, so that one pointer serves for both */
	struct arena arena;
};

/* clang-format off */
enum node_key {
	N_OP, N_KIND, N_RECURRENT, N_EMIT, N_ROLE, N_COMPONENT, N_TABLE, N_HOST_RESIDENT,
	N_FIRST_WIDTH,
};

#define NODE_INT(name, code) \
	{ #name, KEY_INT, false, offsetof(struct ss_node, name), 0, WIDTH_MAX, NULL, code }
#define NODE_INT64(name, code) \
	{ #name, KEY_INT, false, offsetof(struct ss_node, name), 0, EXACT_MAX, NULL, code }
#define NODE_DTYPE(name, code) \
	{ #name, KEY_WORD, false, offsetof(struct ss_node, name), 0, 0, &dtype_words, code }

static const struct key node_keys[] = {
	[N_OP] = { "op", KEY_NAME, true, offsetof(struct ss_node, op_text), 0, 0, NULL, NULL },
	[N_KIND] = { "kind", KEY_NAME, false, offsetof(struct ss_node, kind_text), 0, 0, NULL, NULL },
	[N_RECURRENT] = { "recurrent_kind", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
	[N_EMIT] = { "emit", KEY_TEXT, false, offsetof(struct ss_node, emit_text), 0, 0, NULL, NULL },
	[N_ROLE] = { "role", KEY_TEXT, false, offsetof(struct ss_node, role), 0, 0, NULL, NULL },
	[N_COMPONENT] = { "component", KEY_TEXT, false, offsetof(struct ss_node, component), 0, 0, NULL, NULL },
	[N_TABLE] = { "table", KEY_TEXT, false, offsetof(struct ss_node, table), 0, 0, NULL, NULL },
	[N_HOST_RESIDENT] = { "host_resident", KEY_BOOL, false, offsetof(struct ss_node, is_host_resident), 0, 0, NULL, NULL },
	NODE_INT(n, NULL),
	NODE_INT(k, NULL),
	NODE_DTYPE(weight_dtype, "N5"),
	{ "shard", KEY_WORD, false, offsetof(struct ss_node, shard), 0, 0, &shard_words, NULL },
	{ "qk_norm", KEY_WORD, false, offsetof(struct ss_node, qk_norm), 0, 0, &qk_norm_words, NULL },
	NODE_INT(experts, NULL),
	NODE_INT(top_k, NULL),
	NODE_INT(shared_experts, "N15"),
	NODE_INT(shared_intermediate_size, "N16"),
	NODE_INT(latent_size, "N17"),
	NODE_DTYPE(shared_weight_dtype, "N5"),
	{ "matrices", KEY_INT, false, offsetof(struct ss_node, matrices), 2, 3, NULL, NULL },
	NODE_INT(n_q, NULL),
	NODE_INT(n_kv, NULL),
	NODE_INT(d_h, NULL),
	NODE_INT(kv_lora_rank, NULL),
	NODE_INT(qk_rope_head_dim, NULL),
	NODE_INT(qk_nope_head_dim, NULL),
	NODE_INT(v_head_dim, NULL),
	NODE_INT(window, NULL),
	NODE_INT(index_topk, "N28"),
	NODE_INT(compress_ratio, "N29"),
	NODE_INT(n_heads, NULL),
	NODE_INT(state_size, NULL),
	NODE_INT(n_groups, NULL),
	NODE_INT(conv_kernel, NULL),
	NODE_INT(intermediate_size, NULL),
	NODE_DTYPE(state_dtype, "N39"),
	NODE_INT(bytes_per_token, "N41"),
	NODE_INT(rows_per_token, NULL),
	NODE_INT64(row_bytes, NULL),
	NODE_INT64(table_bytes, NULL),
};
/* clang-format on */

static int known_word(const struct words *words, const char *text)
{
	int value = words_find(words, text);

	return value < 0 ? 0 : value;
}

static void read_node(struct reader *r, const struct place *at, const cJSON *item,
		      struct ss_node *node)
{
	const cJSON *found[COUNT(node_keys)];
	int condition;

	node->op_text = node->role = node->emit_text = r->arena->empty;
	node->kind_text = node->component = node->table = r->arena->empty;
	if (!read_object(r, at, item, node_keys, COUNT(node_keys), node, found))
		return;
	node->op = (enum ss_op)known_word(&op_words, node->op_text);
	if (node->op == SS_OP_GROUPED_GEMM && !node->matrices)
		node->matrices = 3;
	condition = words_find(&condition_words, node->emit_text);
	if (node->emit_text[0])
		node->emit = condition < 0 ? SS_CONDITION_UNKNOWN : (enum ss_condition)condition;
	if (found[N_RECURRENT])
		node->kind_text = arena_text(r->arena, found[N_RECURRENT]->valuestring);
	if (node->op == SS_OP_ATTENTION)
		node->attention =
			(enum ss_attention_kind)known_word(&attention_words, node->kind_text);
	if (node->op == SS_OP_RECURRENT)
		node->recurrent =
			(enum ss_recurrent_kind)known_word(&recurrent_words, node->kind_text);
}

static struct ss_node *read_nodes(struct reader *r, const struct place *at, const cJSON *list,
				  size_t *count)
{
	size_t size = read_list_size(r, at, list, NODES_MAX), i = 0;
	struct ss_node *nodes = size ? arena_array(r->arena, size, sizeof(*nodes)) : NULL;

	*count = 0;
	if (!nodes)
		return NULL;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };

		read_node(r, &place, item, &nodes[i]);
	}
	*count = size;
	return nodes;
}

/* An edge is [from, to]; a walk that can drop every node has no cycle. */
static void check_edges(struct reader *r, const struct place *at, const cJSON *list, size_t nodes)
{
	size_t count = read_list_size(r, at, list, 10000), i = 0, left = nodes;
	int64_t(*edges)[2] = count ? arena_array(r->arena, count, sizeof(*edges)) : NULL;
	bool *is_dropped = nodes ? arena_array(r->arena, nodes, sizeof(*is_dropped)) : NULL;
	size_t kept = 0;
	bool has_progress = true;

	if (!edges || !is_dropped)
		return;
	for (const cJSON *item = list->child; item; item = item->next) {
		struct place place = { at, NULL, i++ };
		int64_t *ends = NULL;
		size_t end_count = 0;

		read_ints(r, &place, item, 2, 0, WIDTH_MAX, &ends, &end_count);
		if (end_count != 2) {
			report(r, SS_ERROR, &place, "type", "an edge holds two node indexes");
			continue;
		}
		if (ends[0] >= (int64_t)nodes || ends[1] >= (int64_t)nodes)
			report(r, SS_ERROR, &place, ends[0] >= (int64_t)nodes ? "G15" : "G16",
			       "found the index %lld, the kind has %zu nodes",
			       (long long)(ends[0] >= (int64_t)nodes ? ends[0] : ends[1]), nodes);
		else if (ends[0] == ends[1])
			report(r, SS_ERROR, &place, "G17", "an edge from a node to itself");
		else
			memcpy(edges[kept++], ends, sizeof(edges[0]));
	}
	while (has_progress) {
		has_progress = false;
		for (size_t n = 0; n < nodes; n++) {
			bool has_input = false;

			for (size_t e = 0; e < kept && !is_dropped[n]; e++)
				has_input |= edges[e][1] == (int64_t)n && !is_dropped[edges[e][0]];
			if (has_input || is_dropped[n])
				continue;
			is_dropped[n] = has_progress = true;
			left--;
		}
	}
	if (left)
		report(r, SS_ERROR, at, "G18", "the edges form a cycle");
}

static void read_kind(struct reader *r, const struct place *at, const cJSON *item,
		      struct ss_layer_kind *kind)
{
	enum { ID, NODES, EDGES };
	static const struct key keys[] = {
		[ID] = { "id", KEY_NAME, true, offsetof(struct ss_layer_kind, id), 0, 0, NULL,
			 "G12" },
		[NODES] = { "nodes", KEY_LIST, true, 0, 0, 0, NULL, "G14" },
		[EDGES] = { "edges", KEY_LIST, false, 0, 0, 0, NULL, NULL },
	};
	const cJSON *found[COUNT(keys)];
	struct place nodes = { at, "nodes", 0 }, edges = { at, "edges", 0 };

	kind->id = r->arena->empty;
	if (!read_object(r, at, item, keys, COUNT(keys), kind, found))
		return;
	kind->nodes = read_nodes(r, &nodes, found[NODES], &kind->node_count);
	if (found[NODES] && !found[NODES]->child)
		report(r, SS_ERROR, &nodes, "G14", "empty; a layer kind holds one node at least");
	if (found[EDGES])
		check_edges(r, &edges, found[EDGES], kind->node_count);
}

static void read_kinds(struct reader *r, const cJSON *list, struct ss_model *m)
{
	struct place at = { NULL, "layer_kinds", 0 };
	size_t size = read_list_size(r, &at, list, KINDS_MAX), i = 0;

	if (list && !list->child)
		report(r, SS_ERROR, &at, "G11", "empty; a graph holds one layer kind at least");
	m->kinds = size ? arena_array(r->arena, size, sizeof(*m->kinds)) : NULL;
	if (!m->kinds)
		return;
	m->kind_count = size;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { &at, NULL, i }, id = { &place, "id", 0 };

		read_kind(r, &place, item, &m->kinds[i]);
		for (size_t j = 0; j < i && m->kinds[i].id[0]; j++) {
			if (strcmp(m->kinds[i].id, m->kinds[j].id) != 0)
				continue;
			report(r, SS_ERROR, &id, "G13", "the id \"%.80s\" stands twice",
			       m->kinds[i].id);
			break;
		}
	}
}

static int find_kind(struct reader *r, const struct place *at, const struct ss_model *m,
		     const char *id, const char *code)
{
	char ids[512];
	const char *names[64];
	struct words words = { names, 0, 0 };

	for (size_t i = 0; i < m->kind_count; i++)
		if (strcmp(m->kinds[i].id, id) == 0)
			return (int)i;
	for (; words.count < m->kind_count && words.count < COUNT(names); words.count++)
		names[words.count] = m->kinds[words.count].id;
	words_list(ids, sizeof(ids), &words);
	report(r, SS_ERROR, at, code, "found \"%.80s\", no such layer kind; declared: %s", id, ids);
	return 0;
}

static int *read_sequence(struct reader *r, const struct place *at, const cJSON *list,
			  const struct ss_model *m, const char *code, size_t *count)
{
	char **ids = NULL;
	size_t size = 0;
	int *kinds;

	*count = 0;
	read_texts(r, at, list, LAYERS_MAX, &ids, &size);
	kinds = size ? arena_array(r->arena, size, sizeof(*kinds)) : NULL;
	if (!kinds)
		return NULL;
	for (size_t i = 0; i < size; i++) {
		struct place place = { at, NULL, i };

		if (ids[i][0])
			kinds[i] = find_kind(r, &place, m, ids[i], code);
	}
	*count = size;
	return kinds;
}

static void count_layers(struct ss_model *m, const int *kinds, size_t count, int64_t times)
{
	for (size_t i = 0; i < count; i++)
		if ((size_t)kinds[i] < m->kind_count)
			m->kinds[kinds[i]].count += times;
}

static void read_stack(struct reader *r, const cJSON *item, struct ss_model *m)
{
	enum { PROLOGUE, PATTERN, EPILOGUE, REPEAT };
	static const struct key keys[] = {
		[PROLOGUE] = { "prologue", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[PATTERN] = { "pattern", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[EPILOGUE] = { "epilogue", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[REPEAT] = { "repeat", KEY_INT, false, offsetof(struct ss_model, repeat), 0,
			     REPEAT_MAX, NULL, "G20" },
	};
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "stack", 0 };
	struct place prologue = { &at, "prologue", 0 }, pattern = { &at, "pattern", 0 };
	struct place epilogue = { &at, "epilogue", 0 }, repeat = { &at, "repeat", 0 };

	if (!item || !read_object(r, &at, item, keys, COUNT(keys), m, found))
		return;
	m->prologue = read_sequence(r, &prologue, found[PROLOGUE], m, "G23", &m->prologue_count);
	m->pattern = read_sequence(r, &pattern, found[PATTERN], m, "G24", &m->pattern_count);
	m->epilogue = read_sequence(r, &epilogue, found[EPILOGUE], m, "G25", &m->epilogue_count);
	if (m->pattern_count && m->repeat < 1)
		report(r, SS_ERROR, &repeat, "G21", "a pattern needs a repeat of 1 or more");
	if (!m->pattern_count && m->repeat > 0)
		report(r, SS_ERROR, &pattern, "G22", "a repeat of %lld needs a pattern",
		       (long long)m->repeat);
	if (!m->prologue_count && !m->pattern_count && !m->epilogue_count)
		report(r, SS_ERROR, &at, "G19", "holds no layer; it must hold one at least");
	count_layers(m, m->prologue, m->prologue_count, 1);
	count_layers(m, m->pattern, m->pattern_count, m->repeat);
	count_layers(m, m->epilogue, m->epilogue_count, 1);
}

static void read_speculator_stack(struct reader *r, const struct place *parent, const cJSON *item,
				  struct ss_model *m)
{
	enum { PATTERN, REPEAT };
	static const struct key keys[] = {
		[PATTERN] = { "pattern", KEY_LIST, true, 0, 0, 0, NULL, "G29" },
		[REPEAT] = { "repeat", KEY_INT, true, offsetof(struct ss_model, speculator_repeat),
			     1, REPEAT_MAX, NULL, "G30" },
	};
	const cJSON *found[COUNT(keys)];
	struct place at = { parent, "stack", 0 }, pattern = { &at, "pattern", 0 };
	size_t count;
	int *kinds;

	if (!read_object(r, &at, item, keys, COUNT(keys), m, found))
		return;
	kinds = read_sequence(r, &pattern, found[PATTERN], m, "G24", &count);
	if (found[PATTERN] && !count)
		report(r, SS_ERROR, &pattern, "G29", "empty; it must hold one layer kind at least");
	for (size_t i = 0; i < count; i++)
		if ((size_t)kinds[i] < m->kind_count)
			m->kinds[kinds[i]].draft_count += m->speculator_repeat;
}

static void read_speculator(struct reader *r, const cJSON *item, struct ss_model *m)
{
	enum { METHOD, TOKENS, STACK };
	static const struct key keys[] = {
		[METHOD] = { "method", KEY_NAME, true, offsetof(struct ss_model, speculator_method),
			     0, 0, NULL, "G27" },
		[TOKENS] = { "num_spec_tokens", KEY_INT, true,
			     offsetof(struct ss_model, speculator_tokens), 1, 1024, NULL, "G28" },
		[STACK] = { "stack", KEY_OBJECT, true, 0, 0, 0, NULL, "G29" },
	};
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "speculator", 0 };

	if (item && read_object(r, &at, item, keys, COUNT(keys), m, found) && found[STACK])
		read_speculator_stack(r, &at, found[STACK], m);
}

static void read_global(struct reader *r, const cJSON *item, struct ss_model *m)
{
	enum { BLOCK = 8 };
	/* clang-format off */
	static const struct key keys[] = {
		{ "hidden_size", KEY_INT, true, offsetof(struct ss_model, hidden_size), 1, WIDTH_MAX, NULL, "G8" },
		{ "vocab_size", KEY_INT, true, offsetof(struct ss_model, vocab_size), 1, WIDTH_MAX, NULL, "G9" },
		{ "tie_word_embeddings", KEY_BOOL, false, offsetof(struct ss_model, has_tied_embeddings), 0, 0, NULL, NULL },
		{ "weight_dtype", KEY_WORD, true, offsetof(struct ss_model, weight_dtype), 0, 0, &dtype_words, "G10" },
		{ "embedding_dtype", KEY_WORD, false, offsetof(struct ss_model, embedding_dtype), 0, 0, &dtype_words, NULL },
		{ "max_model_len", KEY_INT, false, offsetof(struct ss_model, max_model_len), 1, WIDTH_MAX, NULL, NULL },
		{ "family", KEY_NAME, false, offsetof(struct ss_model, family), 0, 0, NULL, NULL },
		{ "quantization", KEY_NAME, false, offsetof(struct ss_model, quantization), 0, 0, NULL, NULL },
		[BLOCK] = { "weight_block", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		{ "group_size", KEY_INT, false, offsetof(struct ss_model, group_size), 1, 65536, NULL, NULL },
		{ "zero_points", KEY_BOOL, false, offsetof(struct ss_model, has_zero_points), 0, 0, NULL, NULL },
		{ "cache_dtype", KEY_NAME, false, offsetof(struct ss_model, cache_dtype), 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "global", 0 }, block = { &at, "weight_block", 0 };
	int64_t *sizes = NULL;
	size_t count = 0;

	if (!item || !read_object(r, &at, item, keys, COUNT(keys), m, found) || !found[BLOCK])
		return;
	read_ints(r, &block, found[BLOCK], 2, 1, WIDTH_MAX, &sizes, &count);
	if (count == 2)
		memcpy(m->weight_block, sizes, sizeof(m->weight_block));
	else
		report(r, SS_ERROR, &block, "range", "holds %zu sizes, must hold [rows, columns]",
		       count);
}

static void read_records(struct reader *r, const struct place *at, const cJSON *item,
			 struct ss_cache *cache)
{
	size_t count = 0;

	for (const cJSON *record = item->child; record; record = record->next)
		count++;
	if (count > RECORDS_MAX) {
		report(r, SS_ERROR, at, "limit", "holds %zu records, must hold %d at most", count,
		       RECORDS_MAX);
		return;
	}
	cache->record_dtypes = arena_array(r->arena, count + 1, sizeof(char *));
	cache->record_bytes = arena_array(r->arena, count + 1, sizeof(int64_t));
	if (!cache->record_dtypes || !cache->record_bytes)
		return;
	for (const cJSON *record = item->child; record; record = record->next) {
		struct place place = { at, record->string, 0 };
		size_t i = cache->record_count;

		for (size_t j = 0; j < i; j++)
			if (strcmp(cache->record_dtypes[j], record->string) == 0)
				report(r, SS_ERROR, &place, "duplicate-key",
				       "the key \"%.80s\" stands here a second time",
				       record->string);
		cache->record_dtypes[i] = arena_text(r->arena, record->string);
		(void)read_int(r, &place, record, 1, EXACT_MAX, NULL, &cache->record_bytes[i]);
		cache->record_count++;
	}
}

static void read_cache(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_cache *cache)
{
	static const char *const kinds[] = { "full", "window", "state" };
	static const struct words kind_words = { kinds, COUNT(kinds), 0 };
	enum { NAME, LAYERS, KIND, WINDOW, BYTES, RECORDS };
	/* clang-format off */
	static const struct key keys[] = {
		[NAME] = { "name", KEY_NAME, true, offsetof(struct ss_cache, name), 0, 0, NULL, NULL },
		[LAYERS] = { "layers", KEY_INT, true, offsetof(struct ss_cache, layers), 1, REPEAT_MAX, NULL, NULL },
		[KIND] = { "kind", KEY_ITEM, true, 0, 0, 0, NULL, NULL },
		[WINDOW] = { "window", KEY_INT, false, offsetof(struct ss_cache, window), 1, WIDTH_MAX, NULL, NULL },
		[BYTES] = { "bytes_per_token", KEY_INT, true, offsetof(struct ss_cache, bytes_per_token), 1, EXACT_MAX, NULL, NULL },
		[RECORDS] = { "records", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place kind = { at, "kind", 0 }, window = { at, "window", 0 };
	struct place records = { at, "records", 0 };
	int word = 0;

	cache->name = cache->kind = r->arena->empty;
	if (!read_object(r, at, item, keys, COUNT(keys), cache, found))
		return;
	if (found[KIND] && read_word(r, &kind, found[KIND], &kind_words, NULL, &word))
		cache->kind = arena_text(r->arena, kinds[word]);
	if (strcmp(cache->kind, "window") == 0 && !cache->window && !found[WINDOW])
		report(r, SS_ERROR, &window, "missing", "missing; a window cache must state it");
	if (found[RECORDS])
		read_records(r, &records, found[RECORDS], cache);
}

static void read_caches(struct reader *r, const cJSON *list, struct ss_model *m)
{
	struct place at = { NULL, "caches", 0 };
	size_t size = read_list_size(r, &at, list, CACHES_MAX), i = 0;

	m->caches = size ? arena_array(r->arena, size, sizeof(*m->caches)) : NULL;
	if (!m->caches)
		return;
	m->cache_count = size;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { &at, NULL, i };

		read_cache(r, &place, item, &m->caches[i]);
	}
}

static void read_other(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_other_weights *other)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "name", KEY_NAME, true, offsetof(struct ss_other_weights, name), 0, 0, NULL, NULL },
		{ "parameters", KEY_INT, true, offsetof(struct ss_other_weights, parameters), 1, EXACT_MAX, NULL, NULL },
		{ "weight_dtype", KEY_WORD, true, offsetof(struct ss_other_weights, weight_dtype), 0, 0, &dtype_words, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];

	other->name = r->arena->empty;
	(void)read_object(r, at, item, keys, COUNT(keys), other, found);
}

static void read_others(struct reader *r, const cJSON *list, struct ss_model *m)
{
	struct place at = { NULL, "other_weights", 0 };
	size_t size = read_list_size(r, &at, list, OTHERS_MAX), i = 0;

	m->others = size ? arena_array(r->arena, size, sizeof(*m->others)) : NULL;
	if (!m->others)
		return;
	m->other_count = size;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { &at, NULL, i };

		read_other(r, &place, item, &m->others[i]);
	}
}

/* Where a graph comes from: only checked. */
static void check_origin(struct reader *r, const cJSON *derived, const cJSON *source)
{
	static const struct key derived_keys[] = {
		{ "format", KEY_NAME, true, NO_OFFSET, 0, 0, NULL, "G4" },
		{ "path", KEY_NAME, true, NO_OFFSET, 0, 0, NULL, "G5" },
		{ "sha256", KEY_ITEM, true, NO_OFFSET, 0, 0, NULL, "G6" },
		{ "deriver_version", KEY_INT, true, NO_OFFSET, 1, WIDTH_MAX, NULL, "G7" },
	};
	static const struct key source_keys[] = {
		{ "provider", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		{ "repo", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		{ "revision", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		{ "retrieved", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		{ "vendor_repo", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		{ "vendor_revision", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
	};
	struct place at = { NULL, "derived_from", 0 }, digest = { &at, "sha256", 0 };
	struct place from = { NULL, "source", 0 };
	const cJSON *found[COUNT(derived_keys)];

	if (derived &&
	    read_object(r, &at, derived, derived_keys, COUNT(derived_keys), NULL, found) &&
	    found[2] && (!cJSON_IsString(found[2]) || strlen(found[2]->valuestring) != 64))
		report(r, SS_ERROR, &digest, "G6", "must be a digest of 64 hexadecimal digits");
	if (source)
		(void)read_object(r, &from, source, source_keys, COUNT(source_keys), NULL, NULL);
}

static void read_model(struct reader *r, const cJSON *root, const char *stem, struct ss_model *m)
{
	static const char *const modalities[] = { "", "text_only", "text_decoder_of_multimodal" };
	static const struct words modality_words = { modalities, COUNT(modalities), 0 };
	enum {
		KIND,
		NAME,
		COMMENT,
		ORIGIN,
		GLOBAL,
		MODALITY,
		KINDS,
		STACK,
		HEAD,
		SPECULATOR,
		CACHES,
		OTHERS,
		DERIVED,
		SOURCE
	};
	/* clang-format off */
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[NAME] = { "name", KEY_NAME, true, offsetof(struct ss_model, name), 0, 0, NULL, "G2" },
		[COMMENT] = { "comment", KEY_TEXT, false, offsetof(struct ss_model, comment), 0, 0, NULL, NULL },
		[ORIGIN] = { "origin", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		[GLOBAL] = { "global", KEY_OBJECT, true, 0, 0, 0, NULL, NULL },
		[MODALITY] = { "modality", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
		[KINDS] = { "layer_kinds", KEY_LIST, true, 0, 0, 0, NULL, "G11" },
		[STACK] = { "stack", KEY_OBJECT, true, 0, 0, 0, NULL, "G19" },
		[HEAD] = { "head", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[SPECULATOR] = { "speculator", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[CACHES] = { "caches", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[OTHERS] = { "other_weights", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[DERIVED] = { "derived_from", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[SOURCE] = { "source", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place modality = { NULL, "modality", 0 }, head = { NULL, "head", 0 };
	int word = 0;

	m->family = m->quantization = m->cache_dtype = m->speculator_method = r->arena->empty;
	m->asked = m->reason = m->asked_quantization = r->arena->empty;
	if (!check_kind(r, root, SS_DOCUMENT_MODEL) ||
	    !read_object(r, NULL, root, keys, COUNT(keys), m, found))
		return;
	check_name(r, m->name, stem);
	if (found[MODALITY] &&
	    read_word(r, &modality, found[MODALITY], &modality_words, "G3", &word))
		m->is_multimodal_decoder = word == 2;
	read_global(r, found[GLOBAL], m);
	read_kinds(r, found[KINDS], m);
	if (m->kind_count) {
		read_stack(r, found[STACK], m);
		read_speculator(r, found[SPECULATOR], m);
	}
	m->head = read_nodes(r, &head, found[HEAD], &m->head_count);
	read_caches(r, found[CACHES], m);
	read_others(r, found[OTHERS], m);
	check_origin(r, found[DERIVED], found[SOURCE]);
	model_check(r, m);
}

struct ss_model *model_read(const cJSON *root, const char *file, const char *stem,
			    struct ss_problems *problems)
{
	struct model_document *doc = calloc(1, sizeof(*doc));
	struct reader r = { problems, file, doc ? &doc->arena : NULL, 0 };

	if (!doc) {
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
		return NULL;
	}
	read_model(&r, root, stem, &doc->model);
	if (check_memory(&r) || r.error_count) {
		ss_model_free(&doc->model);
		return NULL;
	}
	return &doc->model;
}

bool model_name_asked(struct ss_model *model, const char *asked, const char *reason,
		      const char *quantization, int64_t max_model_len)
{
	struct arena *arena = &((struct model_document *)model)->arena;

	model->asked = arena_text(arena, asked);
	model->reason = arena_text(arena, reason);
	model->asked_quantization = arena_text(arena, quantization);
	if (max_model_len)
		model->max_model_len = max_model_len;
	return !arena->is_out_of_memory;
}

bool ss_model_is_plain(const struct ss_model *model)
{
	if (ss_dtype_bytes(model->weight_dtype) < 2)
		return false;
	for (size_t i = 0; i < model->kind_count; i++) {
		const struct ss_layer_kind *kind = &model->kinds[i];

		for (size_t j = 0; j < kind->node_count; j++) {
			enum ss_dtype own = kind->nodes[j].weight_dtype;

			if (own != SS_DTYPE_UNSTATED && ss_dtype_bytes(own) < 2)
				return false;
		}
	}
	return true;
}

void ss_model_free(struct ss_model *model)
{
	struct model_document *doc = (struct model_document *)model;

	if (!doc)
		return;
	arena_release(&doc->arena);
	free(doc);
}
