/* A reference as Markdown and as JSON, always the same bytes. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "documents/buf.h"
#include "engine/markdown.h"
#include "stepscope/engine.h"

/* Pipes end cells, and the other three would be read as marks. */
static void put_cell(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\|`[", *text))
			buf_char(buf, '\\');
		buf_char(buf, *text);
	}
}

static void put_names(struct buf *buf, const struct ss_names *names, const char *between)
{
	for (size_t i = 0; i < names->count; i++) {
		buf_text(buf, i ? between : "");
		put_cell(buf, names->items[i]);
	}
}

static void put_numbers(struct buf *buf, const char *key, const struct ss_numbers *numbers)
{
	buf_printf(buf, "\"%s\": [", key);
	for (size_t i = 0; i < numbers->count; i++)
		buf_printf(buf, "%s%" PRId64, i ? ", " : "", numbers->items[i]);
	buf_text(buf, "], ");
}

static void put_between(struct buf *buf)
{
	buf_text(buf, " | ");
}

static void owner_row(struct buf *buf, const void *row)
{
	const struct ss_config_owner *o = row;

	put_cell(buf, o->type);
	put_between(buf);
	put_names(buf, &o->paths, ", ");
	put_between(buf);
	for (size_t i = 0; i < o->lifecycle_count; i++) {
		buf_text(buf, i ? "; " : "");
		put_cell(buf, o->lifecycle[i].method);
		buf_text(buf, ": ");
		put_cell(buf, o->lifecycle[i].file);
	}
	buf_text(buf, o->lifecycle_count ? " | " : "| ");
	put_cell(buf, o->source);
}

static void codec_row(struct buf *buf, const void *row)
{
	const struct ss_kv_codec *c = row;

	put_cell(buf, c->symbol);
	put_between(buf);
	put_cell(buf, c->canonical);
	buf_text(buf, " / ");
	put_names(buf, &c->aliases, ", ");
	put_between(buf);
	put_cell(buf, c->storage);
	buf_text(buf, " / ");
	put_cell(buf, c->element ? c->element : "None");
	put_between(buf);
	buf_text(buf, c->is_quantized ? "True" : "False");
	put_between(buf);
	put_cell(buf, c->source);
}

static void route_row(struct buf *buf, const void *row)
{
	const struct ss_attention_route *r = row;

	put_cell(buf, r->name);
	put_between(buf);
	buf_text(buf, ss_route_stage_name(r->stage));
	put_between(buf);
	put_names(buf, &r->codecs, ", ");
	put_between(buf);
	buf_printf(buf, "{\"chunk_alignment\": %" PRId64 ", ", r->chunk_alignment);
	put_numbers(buf, "chunk_sizes", &r->chunk_sizes);
	buf_printf(buf, "\"fallback\": %s, ", r->is_fallback ? "true" : "false");
	put_numbers(buf, "gqa_ratios", &r->gqa_ratios);
	put_numbers(buf, "head_dims", &r->head_dims);
	if (r->max_chunk >= 0)
		buf_printf(buf, "\"max_chunk\": %" PRId64 ", ", r->max_chunk);
	else
		buf_text(buf, "\"max_chunk\": null, ");
	buf_printf(buf,
		   "\"min_chunk\": %" PRId64 ", \"observer\": %s, \"page_alignment\": %" PRId64
		   ", ",
		   r->min_chunk, r->is_observer ? "true" : "false", r->page_alignment);
	put_numbers(buf, "page_sizes", &r->page_sizes);
	buf_printf(buf, "\"xqa\": %s}", r->is_xqa ? "true" : "false");
	put_between(buf);
	put_cell(buf, r->source);
}

static void binding_row(struct buf *buf, const void *row)
{
	const struct ss_moe_binding *b = row;

	put_names(buf, &b->families, "/");
	put_between(buf);
	put_cell(buf, b->stage);
	buf_text(buf, " / ");
	put_cell(buf, b->mode);
	put_between(buf);
	put_cell(buf, b->binding);
	put_between(buf);
	put_cell(buf, b->covers);
	put_between(buf);
	put_cell(buf, b->layout);
	put_between(buf);
	put_cell(buf, b->arithmetic);
	put_between(buf);
	put_cell(buf, b->source);
}

static int by_type(const void *a, const void *b)
{
	const struct ss_config_owner *const *x = a;
	const struct ss_config_owner *const *y = b;

	return strcmp((*x)->type, (*y)->type);
}

static int by_name(const void *a, const void *b)
{
	const struct ss_attention_route *const *x = a;
	const struct ss_attention_route *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int compare_names(const struct ss_names *a, const struct ss_names *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		int order = strcmp(a->items[i], b->items[i]);

		if (order)
			return order;
	}
	return (a->count > b->count) - (a->count < b->count);
}

static int by_stage(const void *a, const void *b)
{
	const struct ss_moe_binding *const *x = a;
	const struct ss_moe_binding *const *y = b;
	int order = compare_names(&(*x)->families, &(*y)->families);

	if (!order)
		order = strcmp((*x)->stage, (*y)->stage);
	return order ? order : strcmp((*x)->mode, (*y)->mode);
}

/* One section: the rows in the order of the rendering; codecs keep theirs. */
struct section {
	enum ss_table table;
	size_t row_size;
	int (*order)(const void *a, const void *b);
	void (*row)(struct buf *buf, const void *row);
};

static const struct section sections[MARKDOWN_SECTIONS] = {
	{ SS_TABLE_OWNERS, sizeof(struct ss_config_owner), by_type, owner_row },
	{ SS_TABLE_CODECS, sizeof(struct ss_kv_codec), NULL, codec_row },
	{ SS_TABLE_ROUTES, sizeof(struct ss_attention_route), by_name, route_row },
	{ SS_TABLE_BINDINGS, sizeof(struct ss_moe_binding), by_stage, binding_row },
};

static const void *section_rows(const struct ss_reference *r, enum ss_table table)
{
	const void *const rows[] = { r->owners, r->codecs, r->routes, r->bindings };

	return rows[table];
}

static const void **sorted_rows(const struct ss_reference *r, const struct section *s, size_t count)
{
	const char *base = section_rows(r, s->table);
	const void **rows = calloc(count + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < count; i++)
		rows[i] = base + i * s->row_size;
	if (rows && s->order)
		qsort(rows, count, sizeof(*rows), s->order);
	return rows;
}

static void put_notices(struct buf *buf, const struct ss_names *notices)
{
	for (size_t i = 0; i < notices->count; i++)
		buf_printf(buf, "%s\n", notices->items[i]);
	if (notices->count > 0)
		buf_char(buf, '\n');
}

static void put_section(struct buf *buf, const struct ss_reference *r, const struct section *s)
{
	size_t count = ss_table_rows(r, s->table);
	const void **rows = sorted_rows(r, s, count);
	struct ss_names notices = ss_table_notices(r, s->table);

	if (!rows) {
		buf->is_out_of_memory = true;
		return;
	}
	buf_printf(buf, "\n## %s\n\n", ss_table_title(s->table));
	put_notices(buf, &notices);
	for (size_t i = 0; i < markdown_columns(s->table); i++)
		buf_printf(buf, "%s%s", i ? " | " : "| ", markdown_column(s->table, i));
	buf_text(buf, " |\n|");
	for (size_t i = 0; i < markdown_columns(s->table); i++)
		buf_text(buf, "---|");
	buf_char(buf, '\n');
	for (size_t i = 0; i < count; i++) {
		buf_text(buf, "| ");
		s->row(buf, rows[i]);
		buf_text(buf, " |\n");
	}
	free(rows);
}

enum ss_status ss_reference_markdown(char **out, size_t *length,
				     const struct ss_reference *reference)
{
	struct buf buf = { 0 };
	char *text;

	buf_text(&buf, "# Runtime architecture reference\n\n");
	put_notices(&buf, &reference->notices[SS_NOTICE_REFERENCE]);
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++) {
		const char *title = ss_table_title(sections[i].table);

		buf_printf(&buf, "- [%s](#", title);
		markdown_slug(&buf, title, strlen(title));
		buf_text(&buf, ")\n");
	}
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++)
		put_section(&buf, reference, &sections[i]);
	text = buf_take(&buf, length);
	if (!text)
		return SS_ENOMEM;
	*out = text;
	return SS_OK;
}

static int by_key(const void *a, const void *b)
{
	const cJSON *const *x = a;
	const cJSON *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

/* Chain `items` as the children of `parent`. */
static void relink(cJSON *parent, cJSON **items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		items[i]->prev = i ? items[i - 1] : items[count - 1];
		items[i]->next = i + 1 < count ? items[i + 1] : NULL;
	}
	parent->child = count ? items[0] : NULL;
}

static bool sort_children(cJSON *parent, int (*order)(const void *a, const void *b))
{
	size_t count = (size_t)cJSON_GetArraySize(parent);
	cJSON **items = calloc(count + 1, sizeof(cJSON *));
	cJSON *item;
	size_t i = 0;

	if (!items)
		return false;
	cJSON_ArrayForEach(item, parent) items[i++] = item;
	qsort(items, count, sizeof(cJSON *), order);
	relink(parent, items, count);
	free(items);
	return true;
}

/* The document is no deeper than the reader's checks let it be. */
static bool sort_keys(cJSON *item)
{
	cJSON *child;
	bool is_sorted = true;

	if (cJSON_IsObject(item))
		is_sorted = sort_children(item, by_key);
	cJSON_ArrayForEach(child, item) is_sorted = is_sorted && sort_keys(child);
	return is_sorted;
}

/* Put a table's rows in the order of the Markdown: rows of the document stand
 * as the reader indexed them. */
static bool sort_rows(cJSON *root, const struct ss_reference *r, const struct section *s)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(root, ss_table_name(s->table));
	size_t count = ss_table_rows(r, s->table);
	const char *base = section_rows(r, s->table);
	const void **rows = sorted_rows(r, s, count);
	cJSON **items = calloc(count + 1, sizeof(cJSON *));
	cJSON **placed = calloc(count + 1, sizeof(cJSON *));
	bool is_sorted = rows && items && placed && list;
	cJSON *item;
	size_t i = 0;

	if (is_sorted && count > 0) {
		cJSON_ArrayForEach(item, list) items[i++] = item;
		for (i = 0; i < count; i++)
			placed[i] = items[(size_t)((const char *)rows[i] - base) / s->row_size];
		relink(list, placed, count);
	}
	free(rows);
	free(items);
	free(placed);
	return is_sorted;
}

enum ss_status ss_reference_json(char **out, size_t *length, const struct ss_reference *reference)
{
	cJSON *root = cJSON_Duplicate(reference->document, true);
	bool is_sorted = root != NULL;
	struct buf buf = { 0 };
	char *text = NULL;
	char *taken;

	for (size_t i = 0; is_sorted && i < MARKDOWN_SECTIONS; i++)
		is_sorted = sort_rows(root, reference, &sections[i]);
	if (is_sorted && sort_keys(root))
		text = cJSON_Print(root);
	cJSON_Delete(root);
	if (!text)
		return SS_ENOMEM;
	buf_text(&buf, text);
	buf_char(&buf, '\n');
	cJSON_free(text);
	taken = buf_take(&buf, length);
	if (!taken)
		return SS_ENOMEM;
	*out = taken;
	return SS_OK;
}
