#include "stepscope/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/pack_rules.h"
#include "documents/pack_terms.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(type, member) offsetof(struct type, member)
#define REFERENCE_KEY(name)                                \
	{                                                  \
		name, KEY_ITEM, false, 0, 0, 0, NULL, NULL \
	}

enum { ITEMS_MAX = 10000, CEILING_MAX = 1048576 };

struct pack_document {
	struct ss_pack pack;
	struct arena arena;
};

bool ss_list_has(const struct ss_list *list, const char *item)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], item) == 0)
			return true;
	return false;
}

/* A text or null. */
static char *text_or_null(struct reader *r, const struct place *at, const cJSON *item)
{
	char *text = r->arena->empty;

	if (item && !cJSON_IsNull(item))
		(void)read_text(r, at, item, false, NULL, &text);
	return text;
}

/* Texts, or integers kept as text; null leaves the list unknown. */
static void read_list(struct reader *r, const struct place *at, const cJSON *item,
		      struct ss_list *list)
{
	size_t size, i = 0;

	if (!item || cJSON_IsNull(item))
		return;
	size = read_list_size(r, at, item, ITEMS_MAX);
	list->items = arena_array(r->arena, size + 1, sizeof(*list->items));
	if (!list->items)
		return;
	list->is_known = true;
	list->count = size;
	for (const cJSON *element = size ? item->child : NULL; element; element = element->next) {
		struct place place = { at, NULL, i };
		int64_t integer = 0;
		char text[32];

		list->items[i] = r->arena->empty;
		if (!cJSON_IsNumber(element)) {
			(void)read_text(r, &place, element, false, NULL, &list->items[i++]);
			continue;
		}
		if (read_int(r, &place, element, 0, WIDTH_MAX, NULL, &integer)) {
			(void)snprintf(text, sizeof(text), "%lld", (long long)integer);
			list->items[i] = arena_text(r->arena, text);
		}
		i++;
	}
}

static void read_quantization(struct reader *r, const struct place *at, const cJSON *item,
			      struct ss_quantization *q, bool *is_listed)
{
	enum { NAME, SERVED, PLAIN, LISTED };
	static const struct key keys[] = {
		[NAME] = { "name", KEY_NAME, true, FIELD(ss_quantization, name), 0, 0, NULL, NULL },
		[SERVED] = { "served", KEY_ITEM, true, 0, 0, 0, NULL, NULL },
		[PLAIN] = { "plain", KEY_WORD, false, FIELD(ss_quantization, plain), 0, 0,
			    &dtype_words, NULL },
		[LISTED] = { "listed", KEY_BOOL, false, NO_OFFSET, 0, 0, NULL, NULL },
	};
	const cJSON *found[COUNT(keys)];
	struct place served = { at, "served", 0 };
	const char *text;
	int word = 0;

	q->name = r->arena->empty;
	*is_listed = true;
	if (!read_object(r, at, item, keys, COUNT(keys), q, found))
		return;
	*is_listed = !found[LISTED] || cJSON_IsTrue(found[LISTED]);
	text = text_or_null(r, &served, found[SERVED]);
	q->is_priced = text[0] != '\0';
	q->is_checkpoint = strcmp(text, "checkpoint") == 0;
	if (q->is_priced && !q->is_checkpoint &&
	    read_word(r, &served, found[SERVED], &dtype_words, NULL, &word))
		q->served = (enum ss_dtype)word;
}

static void read_quantizations(struct reader *r, const struct place *at, const cJSON *item,
			       struct ss_pack *pack)
{
	struct ss_list *list = &pack->lists[SS_LIST_QUANTIZATIONS];
	size_t size, i = 0;

	if (!item || cJSON_IsNull(item))
		return;
	size = read_list_size(r, at, item, ITEMS_MAX);
	pack->quantizations = arena_array(r->arena, size + 1, sizeof(*pack->quantizations));
	list->items = arena_array(r->arena, size + 1, sizeof(*list->items));
	if (!pack->quantizations || !list->items)
		return;
	list->is_known = true;
	pack->quantization_count = size;
	for (const cJSON *element = size ? item->child : NULL; element; element = element->next) {
		struct place place = { at, NULL, i };
		bool is_listed;

		read_quantization(r, &place, element, &pack->quantizations[i], &is_listed);
		if (is_listed)
			list->items[list->count++] = pack->quantizations[i].name;
		i++;
	}
}

static void read_lists(struct reader *r, const cJSON *item, struct ss_pack *pack)
{
	static const struct key keys[] = {
#define SS_X(id, name) [SS_LIST_##id] = { name, KEY_ITEM, false, 0, 0, 0, NULL, NULL },
		SS_PACK_LISTS(SS_X)
#undef SS_X
	};
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "lists", 0 };

	if (!item || !read_object(r, &at, item, keys, COUNT(keys), NULL, found))
		return;
	for (size_t i = 0; i < SS_LIST_COUNT; i++) {
		struct place place = { &at, keys[i].name, 0 };

		if (i == SS_LIST_QUANTIZATIONS)
			read_quantizations(r, &place, found[i], pack);
		else
			read_list(r, &place, found[i], &pack->lists[i]);
	}
}

/*
 * A table of a pack: a list of rows of `row_size`, each an object read against
 * `keys`. Texts of a row that are null or left out are "".
 */
static void *read_rows(struct reader *r, const struct place *at, const cJSON *list,
		       const struct key *keys, size_t key_count, size_t row_size, size_t *count)
{
	size_t size = read_list_size(r, at, list, ITEMS_MAX), i = 0;
	unsigned char *rows = size ? arena_array(r->arena, size, row_size) : NULL;

	*count = 0;
	if (!rows)
		return NULL;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };

		(void)read_object(r, &place, item, keys, key_count, rows + i * row_size, NULL);
	}
	*count = size;
	return rows;
}

/* `sm` may be null: it holds for every part. */
static void *read_family_blocks(struct reader *r, const struct place *at, const cJSON *list,
				size_t *count)
{
	enum { FAMILY, SM, SIZE };
	static const struct key keys[] = {
		[FAMILY] = { "family", KEY_NAME, true, FIELD(ss_family_block, family), 0, 0, NULL,
			     NULL },
		[SM] = { "sm", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
		[SIZE] = { "block_size", KEY_INT, true, FIELD(ss_family_block, block_size), 1,
			   CEILING_MAX, NULL, NULL },
	};
	size_t size = read_list_size(r, at, list, ITEMS_MAX), i = 0;
	struct ss_family_block *rows = size ? arena_array(r->arena, size, sizeof(*rows)) : NULL;

	*count = 0;
	if (!rows)
		return NULL;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i }, sm = { &place, "sm", 0 };
		const cJSON *found[COUNT(keys)];

		rows[i].family = rows[i].sm = r->arena->empty;
		if (read_object(r, &place, item, keys, COUNT(keys), &rows[i], found))
			rows[i].sm = text_or_null(r, &sm, found[SM]);
	}
	*count = size;
	return rows;
}

static void read_capture_lists(struct reader *r, const struct place *at, const cJSON *list,
			       struct ss_pack *pack)
{
	enum { DRAFTS, REQUESTS, MOST, TOKENS, SOURCE };
	static const struct key keys[] = {
		[DRAFTS] = { "drafts", KEY_NAME, true, FIELD(ss_capture_list, drafts), 0, 0, NULL,
			     NULL },
		[REQUESTS] = { "requests", KEY_LIST, true, 0, 0, 0, NULL, NULL },
		[MOST] = { "most_requests", KEY_INT, true, FIELD(ss_capture_list, most), 1,
			   CEILING_MAX, NULL, NULL },
		[TOKENS] = { "tokens", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[SOURCE] = { "source", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
	};
	size_t size = read_list_size(r, at, list, ITEMS_MAX), i = 0;
	struct ss_capture_list *rows = size ? arena_array(r->arena, size, sizeof(*rows)) : NULL;

	if (!rows)
		return;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i }, requests = { &place, "requests", 0 };
		struct place tokens = { &place, "tokens", 0 };
		const cJSON *found[COUNT(keys)];

		rows[i].drafts = r->arena->empty;
		if (!read_object(r, &place, item, keys, COUNT(keys), &rows[i], found))
			continue;
		read_ints(r, &requests, found[REQUESTS], ITEMS_MAX, 1, CEILING_MAX,
			  &rows[i].requests, &rows[i].request_count);
		read_ints(r, &tokens, found[TOKENS], ITEMS_MAX, 1, CEILING_MAX, &rows[i].tokens,
			  &rows[i].token_count);
	}
	pack->capture_lists = rows;
	pack->capture_list_count = size;
}

static void read_defaults(struct reader *r, const cJSON *item, struct ss_pack *pack)
{
	enum {
		BLOCK,
		MULTIPLE,
		DSA,
		CEILING,
		BLACKWELL,
		UTILIZATION,
		ENGRAM,
		BUDGETS,
		FAMILIES,
		CAPTURES
	};
	/* clang-format off */
	static const struct key keys[] = {
		[BLOCK] = { "block_size", KEY_INT, true, FIELD(ss_pack, block_size), 1, CEILING_MAX, NULL, NULL },
		[MULTIPLE] = { "block_size_multiple", KEY_INT, false, FIELD(ss_pack, block_size_multiple), 1, CEILING_MAX, NULL, NULL },
		[DSA] = { "dsa_block_size", KEY_INT, false, FIELD(ss_pack, dsa_block_size), 1, CEILING_MAX, NULL, NULL },
		[CEILING] = { "capture_ceiling", KEY_INT, true, FIELD(ss_pack, capture_ceiling), 1, CEILING_MAX, NULL, NULL },
		[BLACKWELL] = { "capture_ceiling_blackwell", KEY_INT, false, FIELD(ss_pack, capture_ceiling_blackwell), 1, CEILING_MAX, NULL, NULL },
		[UTILIZATION] = { "gpu_memory_utilization", KEY_NUMBER, true, FIELD(ss_pack, gpu_memory_utilization), 0.01, 1, NULL, NULL },
		[ENGRAM] = { "engram", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[BUDGETS] = { "budgets", KEY_LIST, true, 0, 0, 0, NULL, NULL },
		[FAMILIES] = { "family_block_sizes", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[CAPTURES] = { "capture_lists", KEY_LIST, false, 0, 0, 0, NULL, NULL },
	};
	static const struct key engram_keys[] = {
		{ "cpu_offload", KEY_BOOL, true, FIELD(ss_pack, engram_cpu_offload), 0, 0, NULL, NULL },
	};
	static const struct key budget_keys[] = {
		{ "min_gib", KEY_NUMBER, true, FIELD(ss_budget_row, min_gib), 0, WIDTH_MAX, NULL, NULL },
		{ "except_generation", KEY_TEXT, false, FIELD(ss_budget_row, except_generation), 0, 0, NULL, NULL },
		{ "max_num_batched_tokens", KEY_INT, true, FIELD(ss_budget_row, max_num_batched_tokens), 1, WIDTH_MAX, NULL, NULL },
		{ "max_num_seqs", KEY_INT, true, FIELD(ss_budget_row, max_num_seqs), 1, WIDTH_MAX, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "defaults", 0 }, engram = { &at, "engram", 0 };
	struct place budgets = { &at, "budgets", 0 }, families = { &at, "family_block_sizes", 0 };
	struct place captures = { &at, "capture_lists", 0 };

	if (!item || !read_object(r, &at, item, keys, COUNT(keys), pack, found))
		return;
	if (!pack->capture_ceiling_blackwell)
		pack->capture_ceiling_blackwell = pack->capture_ceiling;
	if (found[ENGRAM])
		pack->has_engram_cpu_offload = read_object(r, &engram, found[ENGRAM], engram_keys,
							   COUNT(engram_keys), pack, NULL);
	pack->budgets = read_rows(r, &budgets, found[BUDGETS], budget_keys, COUNT(budget_keys),
				  sizeof(*pack->budgets), &pack->budget_count);
	if (found[BUDGETS] && !found[BUDGETS]->child)
		report(r, SS_ERROR, &budgets, "range", "empty; it must hold one row at least");
	read_capture_lists(r, &captures, found[CAPTURES], pack);
	pack->family_blocks =
		read_family_blocks(r, &families, found[FAMILIES], &pack->family_block_count);
}

static void read_backend_blocks(struct reader *r, const struct place *at, const cJSON *map,
				struct ss_pack *pack)
{
	size_t size = 0;

	for (const cJSON *item = map->child; item && size <= ITEMS_MAX; item = item->next)
		size++;
	if (size > 1000) {
		report(r, SS_ERROR, at, "limit", "holds more than 1000 backends");
		return;
	}
	pack->mla_blocks = arena_array(r->arena, size + 1, sizeof(*pack->mla_blocks));
	if (!pack->mla_blocks)
		return;
	for (const cJSON *item = map->child; item; item = item->next) {
		struct place place = { at, item->string, 0 };
		struct ss_backend_block *row = &pack->mla_blocks[pack->mla_block_count];

		for (size_t i = 0; i < pack->mla_block_count; i++)
			if (strcmp(pack->mla_blocks[i].backend, item->string) == 0)
				report(r, SS_ERROR, &place, "duplicate-key",
				       "the key \"%.80s\" stands here a second time", item->string);
		row->backend = arena_text(r->arena, item->string);
		(void)read_int(r, &place, item, 1, CEILING_MAX, NULL, &row->block_size);
		pack->mla_block_count++;
	}
}

static void read_tables(struct reader *r, const cJSON *item, struct ss_pack *pack)
{
	enum { CELLS, LAYOUTS, BLOCKS, GROUPING };
	/* clang-format off */
	static const struct key keys[] = {
		[CELLS] = { "packed_cells", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[LAYOUTS] = { "family_cache_layouts", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[BLOCKS] = { "mla_backend_blocks", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[GROUPING] = { "kv_grouping", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
	};
	static const struct key cell_keys[] = {
		{ "layout", KEY_NAME, true, FIELD(ss_packed_cell, layout), 0, 0, NULL, NULL },
		{ "width", KEY_INT, true, FIELD(ss_packed_cell, width), 1, WIDTH_MAX, NULL, NULL },
		{ "bytes", KEY_INT, true, FIELD(ss_packed_cell, bytes), 1, WIDTH_MAX, NULL, NULL },
	};
	static const struct key layout_keys[] = {
		{ "family", KEY_NAME, true, FIELD(ss_family_layout, family), 0, 0, NULL, NULL },
		{ "cache_dtype", KEY_NAME, true, FIELD(ss_family_layout, cache_dtype), 0, 0, NULL, NULL },
		{ "sm", KEY_TEXT, false, FIELD(ss_family_layout, sm), 0, 0, NULL, NULL },
		{ "layout", KEY_NAME, true, FIELD(ss_family_layout, layout), 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "tables", 0 }, cells = { &at, "packed_cells", 0 };
	struct place layouts = { &at, "family_cache_layouts", 0 };
	struct place blocks = { &at, "mla_backend_blocks", 0 };
	struct place grouping = { &at, "kv_grouping", 0 };

	if (!item || !read_object(r, &at, item, keys, COUNT(keys), NULL, found))
		return;
	pack->packed_cells = read_rows(r, &cells, found[CELLS], cell_keys, COUNT(cell_keys),
				       sizeof(*pack->packed_cells), &pack->packed_cell_count);
	pack->family_layouts =
		read_rows(r, &layouts, found[LAYOUTS], layout_keys, COUNT(layout_keys),
			  sizeof(*pack->family_layouts), &pack->family_layout_count);
	if (found[BLOCKS])
		read_backend_blocks(r, &blocks, found[BLOCKS], pack);
	read_list(r, &grouping, found[GROUPING], &pack->kv_grouping);
}

static void read_pack(struct reader *r, const cJSON *root, const char *stem, struct ss_pack *pack)
{
	enum {
		KIND,
		NAME,
		VERSION,
		COMMENT,
		SOURCE,
		SOURCES,
		LISTS,
		DEFAULTS,
		TABLES,
		RULES,
		RULES_OF,
		TERMS,
		RATES,
		ROUTES
	};
	/* From the routes on it is the engine reference; what reads that checks what it holds. */
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[NAME] = { "name", KEY_NAME, true, FIELD(ss_pack, name), 0, 0, NULL, NULL },
		[VERSION] = { "version", KEY_NAME, true, FIELD(ss_pack, version), 0, 0, NULL,
			      NULL },
		[COMMENT] = { "comment", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		[SOURCE] = { "source", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
		[SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[LISTS] = { "lists", KEY_OBJECT, true, 0, 0, 0, NULL, NULL },
		[DEFAULTS] = { "defaults", KEY_OBJECT, true, 0, 0, 0, NULL, NULL },
		[TABLES] = { "tables", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[RULES] = { "rules", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[RULES_OF] = { "rules_of", KEY_NAME, false, FIELD(ss_pack, rules_of), 0, 0, NULL,
			       NULL },
		[TERMS] = { "release_terms", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[RATES] = { "route_rates", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[ROUTES] = REFERENCE_KEY("attention_routes"),
		REFERENCE_KEY("config_owners"),
		REFERENCE_KEY("config_fields"),
		REFERENCE_KEY("kv_codecs"),
		REFERENCE_KEY("moe_bindings"),
		REFERENCE_KEY("notices"),
		REFERENCE_KEY("route_order"),
		REFERENCE_KEY("xqa_rules"),
		REFERENCE_KEY("moe_selection"),
		REFERENCE_KEY("gdn_prefill"),
		REFERENCE_KEY("weight_formats"),
	};
	const cJSON *found[COUNT(keys)];
	struct place sources = { NULL, "sources", 0 }, rules = { NULL, "rules", 0 };
	struct place terms = { NULL, "release_terms", 0 }, rates = { NULL, "route_rates", 0 };
	char full[512];

	pack->file = arena_text(r->arena, r->file);
	if (!check_kind(r, root, SS_DOCUMENT_PACK) ||
	    !read_object(r, NULL, root, keys, COUNT(keys), pack, found))
		return;
	if (snprintf(full, sizeof(full), "%s-%s", pack->name, pack->version) < (int)sizeof(full))
		check_name(r, full, stem);
	check_sources(r, &sources, found[SOURCES]);
	read_lists(r, found[LISTS], pack);
	read_defaults(r, found[DEFAULTS], pack);
	read_tables(r, found[TABLES], pack);
	read_rules(r, &rules, found[RULES], pack);
	read_terms(r, &terms, found[TERMS], pack);
	read_rates(r, &rates, found[RATES], pack);
	pack->is_sm70 = found[ROUTES] != NULL;
}

struct ss_pack *pack_read(const cJSON *root, const char *file, const char *stem,
			  struct ss_problems *problems)
{
	struct pack_document *doc = calloc(1, sizeof(*doc));
	struct reader r = { problems, file, doc ? &doc->arena : NULL, 0 };

	if (!doc) {
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
		return NULL;
	}
	read_pack(&r, root, stem, &doc->pack);
	if (check_memory(&r) || r.error_count) {
		ss_pack_free(&doc->pack);
		return NULL;
	}
	return &doc->pack;
}

void ss_pack_free(struct ss_pack *pack)
{
	struct pack_document *doc = (struct pack_document *)pack;

	if (!doc)
		return;
	arena_release(&doc->arena);
	free(doc);
}
