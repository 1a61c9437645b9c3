#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/clean.h"
#include "documents/nearest.h"
#include "engine/condition.h"
#include "engine/read.h"
#include "stepscope/engine.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
static const struct key root_keys[] = {
	{ "kind", FORM_TEXT, 0 },
	{ "name", FORM_TEXT, 0 },
	{ "version", FORM_TEXT, 0 },
	{ "comment", FORM_TEXT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "lists", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "defaults", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "tables", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "rules", FORM_LIST, KEY_OPTIONAL | KEY_NULLABLE },
	{ "rules_of", FORM_TEXT, KEY_OPTIONAL },
	{ "release_terms", FORM_LIST, KEY_OPTIONAL },
	{ "route_rates", FORM_LIST, KEY_OPTIONAL },
	{ "notices", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "config_owners", FORM_LIST, 0 },
	{ "kv_codecs", FORM_LIST, 0 },
	{ "attention_routes", FORM_LIST, 0 },
	{ "moe_bindings", FORM_LIST, 0 },
	{ "config_fields", FORM_LIST, KEY_OPTIONAL | KEY_NULLABLE },
	{ "route_order", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "xqa_rules", FORM_LIST, KEY_OPTIONAL | KEY_NULLABLE },
	{ "moe_selection", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "gdn_prefill", FORM_OBJECT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "weight_formats", FORM_LIST, KEY_OPTIONAL | KEY_NULLABLE },
};
static const struct key owner_keys[] = {
	{ "type", FORM_TEXT, 0 },
	{ "paths", FORM_TEXTS, 0 },
	{ "lifecycle", FORM_LIST, 0 },
	{ "source", FORM_TEXT, 0 },
};
static const struct key lifecycle_keys[] = {
	{ "method", FORM_TEXT, 0 },
	{ "file", FORM_TEXT, 0 },
};
static const struct key codec_keys[] = {
	{ "symbol", FORM_TEXT, 0 },
	{ "canonical", FORM_TEXT, 0 },
	{ "aliases", FORM_TEXTS, 0 },
	{ "storage", FORM_TEXT, 0 },
	{ "element", FORM_TEXT, KEY_NULLABLE },
	{ "quantized", FORM_BOOL, 0 },
	{ "source", FORM_TEXT, 0 },
};
static const struct key route_keys[] = {
	{ "name", FORM_TEXT, 0 },
	{ "stage", FORM_TEXT, 0 },
	{ "codecs", FORM_TEXTS, 0 },
	{ "head_dims", FORM_INTS, 0 },
	{ "gqa_ratios", FORM_INTS, 0 },
	{ "page_alignment", FORM_INT, 0 },
	{ "page_sizes", FORM_INTS, 0 },
	{ "chunk_alignment", FORM_INT, 0 },
	{ "chunk_sizes", FORM_INTS, 0 },
	{ "min_chunk", FORM_INT, 0 },
	{ "max_chunk", FORM_INT, KEY_NULLABLE },
	{ "fallback", FORM_BOOL, 0 },
	{ "observer", FORM_BOOL, 0 },
	{ "xqa", FORM_BOOL, 0 },
	{ "source", FORM_TEXT, 0 },
};
static const struct key binding_keys[] = {
	{ "family", FORM_TEXTS, 0 },
	{ "stage", FORM_TEXT, 0 },
	{ "mode", FORM_TEXT, 0 },
	{ "binding", FORM_TEXT, 0 },
	{ "native_name", FORM_TEXT, KEY_OPTIONAL | KEY_NULLABLE },
	{ "covers", FORM_TEXT, 0 },
	{ "layout", FORM_TEXT, 0 },
	{ "arithmetic", FORM_TEXT, 0 },
	{ "source", FORM_TEXT, 0 },
};
static const struct key field_keys[] = {
	{ "owner_path", FORM_TEXT, 0 },
	{ "field", FORM_TEXT, 0 },
	{ "type", FORM_TEXT, 0 },
	{ "default", FORM_TEXT, KEY_NULLABLE | KEY_EMPTY_OK },
	{ "unset_means", FORM_TEXT, KEY_NULLABLE | KEY_OPTIONAL },
	{ "allowed", FORM_TEXT, KEY_NULLABLE },
};
static const struct key notice_keys[SS_NOTICE_COUNT] = {
	[SS_NOTICE_REFERENCE] = { "reference", FORM_TEXTS, KEY_OPTIONAL },
	[SS_NOTICE_OWNERS] = { "config_owners", FORM_TEXTS, KEY_OPTIONAL },
	[SS_NOTICE_CODECS] = { "kv_codecs", FORM_TEXTS, KEY_OPTIONAL },
	[SS_NOTICE_ROUTES] = { "attention_routes", FORM_TEXTS, KEY_OPTIONAL },
	[SS_NOTICE_BINDINGS] = { "moe_bindings", FORM_TEXTS, KEY_OPTIONAL },
	[SS_NOTICE_FIELDS] = { "config_fields", FORM_TEXTS, KEY_OPTIONAL },
	[SS_NOTICE_GDN] = { "gdn_prefill", FORM_TEXTS, KEY_OPTIONAL },
};
/* clang-format on */

/* Every route looks its codecs up, so that there cannot be very many. */
enum { CODECS_MAX = 64 };

static const struct pointer top = { "" };

static const cJSON *list_of(const cJSON *root, const char *key, size_t *count)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, key);

	*count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
	return list;
}

static void fault_twice(struct reader *reader, const struct pointer *pointer, const char *what,
			const char *name, size_t first)
{
	reader_fault(reader, "duplicate-key", pointer, "%s `%s` stands twice, first in row %zu",
		     what, name, first + 1);
}

static void read_lifecycle(struct reader *reader, const cJSON *object,
			   const struct pointer *pointer, struct ss_config_owner *owner)
{
	size_t count;
	const cJSON *list = list_of(object, "lifecycle", &count);
	struct ss_lifecycle *rows = reader_array(reader, count, sizeof(*rows));
	struct pointer parent = pointer_key(pointer, "lifecycle");
	const cJSON *item;
	size_t i = 0;

	if (!rows)
		return;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);

		if (reader_object(reader, item, &at, lifecycle_keys, COUNT(lifecycle_keys))) {
			rows[i].method = value_text(item, "method");
			rows[i].file = value_text(item, "file");
		}
		i++;
	}
	owner->lifecycle = rows;
	owner->lifecycle_count = count;
}

/* A name and the row it stands in, to find names that stand twice. */
struct named_row {
	const char *name;
	const char *more; /* rest of a name in two or three parts; "" without */
	const char *most;
	size_t row;
};

static int by_parts(const struct named_row *left, const struct named_row *right)
{
	int order = strcmp(left->name, right->name);

	if (!order)
		order = strcmp(left->more, right->more);
	return order ? order : strcmp(left->most, right->most);
}

static int by_name(const void *a, const void *b)
{
	const struct named_row *left = a;
	const struct named_row *right = b;
	int order = by_parts(left, right);

	return order ? order : (left->row > right->row) - (left->row < right->row);
}

/* Sorting keeps this quick for a document of any size. */
static void check_twice(struct reader *reader, struct named_row *names, size_t count,
			const struct pointer *parent, const char *what)
{
	if (!names)
		return;
	qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 1; i < count; i++) {
		struct pointer at = pointer_index(parent, names[i].row);

		if (names[i].name[0] && by_parts(&names[i - 1], &names[i]) == 0)
			reader_fault(reader, "duplicate-key", &at,
				     "%s `%s%s%s%s%s` stands twice, first in row %zu", what,
				     names[i].name, names[i].more[0] ? " " : "", names[i].more,
				     names[i].most[0] ? " " : "", names[i].most,
				     names[i - 1].row + 1);
	}
}

static void check_owners(struct reader *reader, const struct pointer *pointer)
{
	const struct ss_reference *r = reader->reference;
	size_t paths = 0;
	size_t n = 0;
	struct named_row *names;

	for (size_t i = 0; i < r->owner_count; i++)
		paths += r->owners[i].paths.count;
	names = reader_array(reader, paths + r->owner_count, sizeof(*names));
	for (size_t i = 0; names && i < r->owner_count; i++)
		for (size_t j = 0; j < r->owners[i].paths.count; j++)
			names[n++] = (struct named_row){ r->owners[i].paths.items[j], "", "", i };
	check_twice(reader, names, n, pointer, "owner path");
	for (n = 0; names && n < r->owner_count; n++)
		names[n] =
			(struct named_row){ r->owners[n].type ? r->owners[n].type : "", "", "", n };
	check_twice(reader, names, n, pointer, "type");
}

static void read_owners(struct reader *reader, const cJSON *root)
{
	struct ss_reference *r = reader->reference;
	const cJSON *list = list_of(root, "config_owners", &r->owner_count);
	struct ss_config_owner *rows = reader_array(reader, r->owner_count, sizeof(*rows));
	struct pointer parent = pointer_key(&top, "config_owners");
	const cJSON *item;
	size_t i = 0;

	if (!rows) {
		r->owner_count = 0;
		return;
	}
	r->owners = rows;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);
		struct ss_config_owner *row = &rows[i++];

		if (!reader_object(reader, item, &at, owner_keys, COUNT(owner_keys)))
			continue;
		row->type = value_text(item, "type");
		row->paths = value_names(reader, item, "paths");
		row->source = value_text(item, "source");
		if (row->paths.count == 0)
			reader_fault(reader, "range", &at, "an owner needs a path");
		read_lifecycle(reader, item, &at, row);
	}
	check_owners(reader, &parent);
}

static void check_codec(struct reader *reader, const struct ss_kv_codec *rows, size_t i,
			const struct pointer *at)
{
	if (rows[i].aliases.count == 0)
		reader_fault(reader, "range", at, "a codec needs an alias");
	for (size_t j = 0; j < i; j++) {
		if (rows[j].symbol && strcmp(rows[j].symbol, rows[i].symbol) == 0)
			fault_twice(reader, at, "codec", rows[i].symbol, j);
		for (size_t k = 0; k < rows[i].aliases.count; k++)
			if (names_have(&rows[j].aliases, rows[i].aliases.items[k]))
				fault_twice(reader, at, "alias", rows[i].aliases.items[k], j);
	}
}

static void read_codecs(struct reader *reader, const cJSON *root)
{
	struct ss_reference *r = reader->reference;
	const cJSON *list = list_of(root, "kv_codecs", &r->codec_count);
	struct ss_kv_codec *rows = reader_array(reader, r->codec_count, sizeof(*rows));
	struct pointer parent = pointer_key(&top, "kv_codecs");
	const cJSON *item;
	size_t i = 0;

	if (r->codec_count > CODECS_MAX)
		reader_fault(reader, "limit", &parent, "holds %zu rows, at most %d are read",
			     r->codec_count, CODECS_MAX);
	if (!rows || r->codec_count > CODECS_MAX) {
		r->codec_count = 0;
		return;
	}
	r->codecs = rows;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);
		struct ss_kv_codec *row = &rows[i];

		if (reader_object(reader, item, &at, codec_keys, COUNT(codec_keys))) {
			row->symbol = value_text(item, "symbol");
			row->canonical = value_text(item, "canonical");
			row->aliases = value_names(reader, item, "aliases");
			row->storage = value_text(item, "storage");
			row->element = value_text(item, "element");
			row->is_quantized = value_bool(item, "quantized");
			row->source = value_text(item, "source");
			check_codec(reader, rows, i, &at);
		}
		i++;
	}
}

static const char *closest_stage(const char *name)
{
	const char *words[SS_STAGE_COUNT];

	for (int i = 0; i < SS_STAGE_COUNT; i++)
		words[i] = ss_route_stage_name((enum ss_route_stage)i);
	return ss_closest_word(name, words, SS_STAGE_COUNT);
}

static void check_route(struct reader *reader, const struct ss_attention_route *row,
			const char *stage, bool is_stage, const struct pointer *at)
{
	const struct ss_reference *r = reader->reference;

	if (!is_stage) {
		const char *near = closest_stage(stage);
		struct pointer where = pointer_key(at, "stage");

		reader_fault(reader, "range", &where,
			     "unknown stage `%s`, must be decode, mixed_decode, verify, prefill, "
			     "metadata or any%s%s",
			     stage, near ? "; did you mean " : "", near ? near : "");
	}
	if (row->codecs.count == 0)
		reader_fault(reader, "range", at, "a route needs a codec");
	for (size_t i = 0; i < row->codecs.count; i++)
		if (!ss_codec_by_symbol(r, row->codecs.items[i]))
			reader_fault(reader, "range", at, "codec `%s` is not in kv_codecs",
				     row->codecs.items[i]);
	if (row->page_alignment < 1 || row->chunk_alignment < 1)
		reader_fault(reader, "range", at, "an alignment must be 1 or more");
	if (row->max_chunk >= 0 && row->max_chunk < row->min_chunk)
		reader_fault(reader, "range", at, "max_chunk is below min_chunk");
}

static void check_route_names(struct reader *reader, const struct pointer *pointer)
{
	const struct ss_reference *r = reader->reference;
	struct named_row *names = reader_array(reader, r->route_count, sizeof(*names));

	for (size_t i = 0; names && i < r->route_count; i++)
		names[i] =
			(struct named_row){ r->routes[i].name ? r->routes[i].name : "", "", "", i };
	check_twice(reader, names, r->route_count, pointer, "route");
}

static void read_routes(struct reader *reader, const cJSON *root)
{
	struct ss_reference *r = reader->reference;
	const cJSON *list = list_of(root, "attention_routes", &r->route_count);
	struct ss_attention_route *rows = reader_array(reader, r->route_count, sizeof(*rows));
	struct pointer parent = pointer_key(&top, "attention_routes");
	const cJSON *item;
	size_t i = 0;

	if (!rows) {
		r->route_count = 0;
		return;
	}
	r->routes = rows;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);
		struct ss_attention_route *row = &rows[i++];
		bool is_stage;

		if (!reader_object(reader, item, &at, route_keys, COUNT(route_keys)))
			continue;
		row->name = value_text(item, "name");
		is_stage = ss_route_stage_find(value_text(item, "stage"), &row->stage);
		row->codecs = value_names(reader, item, "codecs");
		row->head_dims = value_numbers(reader, item, "head_dims");
		row->gqa_ratios = value_numbers(reader, item, "gqa_ratios");
		row->page_alignment = value_int(item, "page_alignment", 1);
		row->page_sizes = value_numbers(reader, item, "page_sizes");
		row->chunk_alignment = value_int(item, "chunk_alignment", 1);
		row->chunk_sizes = value_numbers(reader, item, "chunk_sizes");
		row->min_chunk = value_int(item, "min_chunk", 0);
		row->max_chunk = value_int(item, "max_chunk", -1);
		row->is_fallback = value_bool(item, "fallback");
		row->is_observer = value_bool(item, "observer");
		row->is_xqa = value_bool(item, "xqa");
		row->source = value_text(item, "source");
		check_route(reader, row, value_text(item, "stage"), is_stage, &at);
	}
	check_route_names(reader, &parent);
}

static void check_binding(struct reader *reader, const struct ss_moe_binding *row,
			  const struct pointer *at)
{
	if (strcmp(row->stage, "w13") != 0 && strcmp(row->stage, "w2") != 0)
		reader_fault(reader, "range", at, "stage must be w13 or w2, found `%s`",
			     row->stage);
	if (row->families.count == 0)
		reader_fault(reader, "range", at, "a binding needs a family");
}

static void check_binding_names(struct reader *reader, const struct pointer *pointer)
{
	const struct ss_reference *r = reader->reference;
	struct named_row *names;
	size_t count = 0;

	for (size_t i = 0; i < r->binding_count; i++)
		count += r->bindings[i].families.count;
	names = reader_array(reader, count, sizeof(*names));
	count = 0;
	for (size_t i = 0; names && i < r->binding_count; i++)
		for (size_t j = 0; j < r->bindings[i].families.count; j++)
			names[count++] =
				(struct named_row){ r->bindings[i].families.items[j],
						    r->bindings[i].stage, r->bindings[i].mode, i };
	check_twice(reader, names, count, pointer, "binding");
}

static void read_bindings(struct reader *reader, const cJSON *root)
{
	struct ss_reference *r = reader->reference;
	const cJSON *list = list_of(root, "moe_bindings", &r->binding_count);
	struct ss_moe_binding *rows = reader_array(reader, r->binding_count, sizeof(*rows));
	struct pointer parent = pointer_key(&top, "moe_bindings");
	const cJSON *item;
	size_t i = 0;

	if (!rows) {
		r->binding_count = 0;
		return;
	}
	r->bindings = rows;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);
		struct ss_moe_binding *row = &rows[i];

		if (reader_object(reader, item, &at, binding_keys, COUNT(binding_keys))) {
			row->families = value_names(reader, item, "family");
			row->stage = value_text(item, "stage");
			row->mode = value_text(item, "mode");
			row->binding = value_text(item, "binding");
			row->native_name = value_text(item, "native_name");
			row->covers = value_text(item, "covers");
			row->layout = value_text(item, "layout");
			row->arithmetic = value_text(item, "arithmetic");
			row->source = value_text(item, "source");
			check_binding(reader, row, &at);
		}
		i++;
	}
	check_binding_names(reader, &parent);
}

static void check_field(struct reader *reader, const struct ss_config_field *row,
			const struct pointer *at)
{
	if (!ss_reference_owner(reader->reference, row->owner_path))
		reader_fault(reader, "range", at, "owner path `%s` is not in config_owners",
			     row->owner_path);
	if (strcmp(row->type, "same_as") == 0 &&
	    (!row->default_value || !ss_reference_owner(reader->reference, row->default_value)))
		reader_fault(reader, "range", at, "same_as needs an owner path as its default");
}

static void check_field_names(struct reader *reader, const struct pointer *pointer)
{
	const struct ss_reference *r = reader->reference;
	struct named_row *names = reader_array(reader, r->field_count, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; names && i < r->field_count; i++)
		if (r->fields[i].field)
			names[count++] = (struct named_row){ r->fields[i].owner_path,
							     r->fields[i].field, "", i };
	check_twice(reader, names, count, pointer, "field");
}

static void read_fields(struct reader *reader, const cJSON *root)
{
	struct ss_reference *r = reader->reference;
	const cJSON *list = list_of(root, "config_fields", &r->field_count);
	struct ss_config_field *rows = reader_array(reader, r->field_count, sizeof(*rows));
	struct pointer parent = pointer_key(&top, "config_fields");
	const cJSON *item;
	size_t i = 0;

	r->has_fields = rows != NULL;
	if (!rows) {
		r->field_count = 0;
		return;
	}
	r->fields = rows;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);
		struct ss_config_field *row = &rows[i];

		if (reader_object(reader, item, &at, field_keys, COUNT(field_keys))) {
			row->owner_path = value_text(item, "owner_path");
			row->field = value_text(item, "field");
			row->type = value_text(item, "type");
			row->default_value = value_text(item, "default");
			row->unset_means = value_text(item, "unset_means");
			row->allowed = value_text(item, "allowed");
			check_field(reader, row, &at);
		}
		i++;
	}
	check_field_names(reader, &parent);
}

static void read_notices(struct reader *reader, const cJSON *root)
{
	const cJSON *object = cJSON_GetObjectItemCaseSensitive(root, "notices");
	struct pointer at = pointer_key(&top, "notices");

	if (!cJSON_IsObject(object))
		return;
	if (!reader_object(reader, object, &at, notice_keys, COUNT(notice_keys)))
		return;
	for (size_t i = 0; i < SS_NOTICE_COUNT; i++)
		reader->reference->notices[i] = value_names(reader, object, notice_keys[i].name);
}

static void read_root(struct reader *reader, const cJSON *root)
{
	struct ss_reference *r = reader->reference;
	const char *kind;

	reader_object(reader, root, &top, root_keys, COUNT(root_keys));
	kind = value_text(root, "kind");
	if (kind && strcmp(kind, "EnginePack") != 0)
		reader_fault(reader, "range", &top, "kind must be EnginePack, found `%s`", kind);
	r->name = value_text(root, "name");
	r->version = value_text(root, "version");
	read_notices(reader, root);
	read_owners(reader, root);
	read_codecs(reader, root);
	read_routes(reader, root);
	read_bindings(reader, root);
	read_fields(reader, root);
	/* what refers to the tables is only worth reading when they are sound */
	if (reader->errors == 0)
		reader_order(reader, root);
	if (reader->errors == 0)
		reader_selection(reader, root);
}

/* Control bytes must not reach a screen, in whatever text they stand. */
static void clean_texts(cJSON *item)
{
	cJSON *child;

	if (cJSON_IsString(item))
		clean_text(item->valuestring);
	if (item->string)
		clean_text(item->string);
	cJSON_ArrayForEach(child, item) clean_texts(child);
}

enum ss_status ss_reference_from_json(struct ss_reference **out, cJSON *root, const char *file,
				      struct ss_problems *problems)
{
	struct ss_reference *r = calloc(1, sizeof(*r));
	struct reader reader = { .file = file, .problems = problems, .reference = r };
	enum ss_status rc = SS_OK;

	if (!r) {
		cJSON_Delete(root);
		return SS_ENOMEM;
	}
	clean_texts(root);
	r->document = root;
	read_root(&reader, root);
	if (reader.is_out_of_memory)
		rc = SS_ENOMEM;
	else if (reader.errors > 0)
		rc = SS_EDOCUMENT;
	if (rc) {
		ss_reference_free(r);
		return rc;
	}
	*out = r;
	return SS_OK;
}
