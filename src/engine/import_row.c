/* One row of a Markdown table as an object of the pack. */
#include <stdlib.h>
#include <string.h>

#include "engine/import.h"

static cJSON *keep(struct importer *importer, cJSON *item)
{
	if (!item)
		importer->is_out_of_memory = true;
	return item;
}

static void add(struct importer *importer, cJSON *object, const char *key, cJSON *value)
{
	if (!keep(importer, value) || !object)
		cJSON_Delete(value);
	else if (!cJSON_AddItemToObject(object, key, value)) {
		importer->is_out_of_memory = true;
		cJSON_Delete(value);
	}
}

static void add_text(struct importer *importer, cJSON *object, const char *key, const char *text)
{
	add(importer, object, key, cJSON_CreateString(text));
}

/* Cut `text` at the first `between`; NULL when there is none. */
static char *cut(char *text, const char *between)
{
	char *at = strstr(text, between);

	if (!at)
		return NULL;
	*at = '\0';
	return at + strlen(between);
}

static cJSON *split(struct importer *importer, char *text, const char *between, size_t line)
{
	cJSON *list = keep(importer, cJSON_CreateArray());

	while (text) {
		char *rest = cut(text, between);
		cJSON *item = keep(importer, cJSON_CreateString(text));

		if (!text[0])
			import_fault(importer, import_value, line, "a list has an empty member");
		if (item && (!list || !cJSON_AddItemToArray(list, item)))
			cJSON_Delete(item);
		text = rest;
	}
	return list;
}

/* Both spellings of a method are one: Markdown takes the underscores away. */
static char *method_name(char *name)
{
	size_t length = strlen(name);

	if (length < 5 || strncmp(name, "__", 2) != 0 || strcmp(name + length - 2, "__") != 0)
		return name;
	name[length - 2] = '\0';
	return name + 2;
}

static cJSON *lifecycle(struct importer *importer, char *text, size_t line)
{
	cJSON *list = keep(importer, cJSON_CreateArray());

	while (text && text[0]) {
		char *rest = cut(text, "; ");
		char *file = cut(text, ": ");
		cJSON *item = keep(importer, cJSON_CreateObject());

		if (!file || !file[0] || !text[0]) {
			import_fault(importer, import_value, line,
				     "lifecycle cell must read `method: file; ...`, found `%.80s`",
				     text);
			file = NULL;
		}
		if (item && file) {
			add_text(importer, item, "method", method_name(text));
			add_text(importer, item, "file", file);
		}
		if (item && (!list || !cJSON_AddItemToArray(list, item)))
			cJSON_Delete(item);
		text = rest;
	}
	return list;
}

static void owner(struct importer *importer, cJSON *object, struct import_row *row)
{
	if (strchr(row->cells[3], ' '))
		import_fault(importer, import_value, row->line,
			     "source must be one file, found `%.80s`", row->cells[3]);
	add_text(importer, object, "type", row->cells[0]);
	add(importer, object, "paths", split(importer, row->cells[1], ", ", row->line));
	add(importer, object, "lifecycle", lifecycle(importer, row->cells[2], row->line));
	add_text(importer, object, "source", row->cells[3]);
}

static void codec(struct importer *importer, cJSON *object, struct import_row *row)
{
	char *aliases = cut(row->cells[1], " / ");
	char *element = cut(row->cells[2], " / ");
	bool is_true = strcmp(row->cells[3], "True") == 0;

	if (!aliases)
		import_fault(importer, import_value, row->line,
			     "must read `canonical / aliases`, found `%.80s`", row->cells[1]);
	if (!element)
		import_fault(importer, import_value, row->line,
			     "must read `storage / element`, found `%.80s`", row->cells[2]);
	if (!is_true && strcmp(row->cells[3], "False") != 0)
		import_fault(importer, import_value, row->line,
			     "quantized must be True or False, found `%.80s`", row->cells[3]);
	if (!aliases || !element)
		return;
	add_text(importer, object, "symbol", row->cells[0]);
	add_text(importer, object, "canonical", row->cells[1]);
	add(importer, object, "aliases", split(importer, aliases, ", ", row->line));
	add_text(importer, object, "storage", row->cells[2]);
	add(importer, object, "element",
	    strcmp(element, "None") == 0 ? cJSON_CreateNull() : cJSON_CreateString(element));
	add(importer, object, "quantized", cJSON_CreateBool(is_true));
	add_text(importer, object, "source", row->cells[4]);
}

/* The shape's members become keys of the route; the pack's checks know which
 * there must be. */
static void route(struct importer *importer, cJSON *object, struct import_row *row)
{
	const char *end = NULL;
	cJSON *shape = cJSON_ParseWithOpts(row->cells[3], &end, true);

	if (!cJSON_IsObject(shape))
		import_fault(importer, import_value, row->line,
			     "declared shape is not a JSON object: `%.80s`", row->cells[3]);
	add_text(importer, object, "name", row->cells[0]);
	add_text(importer, object, "stage", row->cells[1]);
	add(importer, object, "codecs", split(importer, row->cells[2], ", ", row->line));
	while (cJSON_IsObject(shape) && shape->child) {
		cJSON *item = cJSON_DetachItemViaPointer(shape, shape->child);
		char *key = item->string;

		/* adding would free the key it reads */
		item->string = NULL;
		add(importer, object, key, item);
		cJSON_free(key);
	}
	cJSON_Delete(shape);
	add_text(importer, object, "source", row->cells[4]);
}

static void binding(struct importer *importer, cJSON *object, struct import_row *row)
{
	char *mode = cut(row->cells[1], " / ");

	if (!mode) {
		import_fault(importer, import_value, row->line,
			     "must read `stage / mode`, found `%.80s`", row->cells[1]);
		return;
	}
	add(importer, object, "family", split(importer, row->cells[0], "/", row->line));
	add_text(importer, object, "stage", row->cells[1]);
	add_text(importer, object, "mode", mode);
	add_text(importer, object, "binding", row->cells[2]);
	add(importer, object, "native_name", cJSON_CreateNull());
	add_text(importer, object, "covers", row->cells[3]);
	add_text(importer, object, "layout", row->cells[4]);
	add_text(importer, object, "arithmetic", row->cells[5]);
	add_text(importer, object, "source", row->cells[6]);
}

static bool note_line(struct importer *importer, enum ss_table table, size_t line)
{
	size_t count = importer->rows[table];
	size_t *capacity = &importer->line_capacity[table];
	size_t more = *capacity ? *capacity * 2 : 64;
	size_t *grown;

	if (count >= *capacity) {
		grown = realloc(importer->lines[table], more * sizeof(*grown));
		if (!grown)
			return false;
		importer->lines[table] = grown;
		*capacity = more;
	}
	importer->lines[table][count] = line;
	return true;
}

static bool has_all_cells(struct importer *importer, enum ss_table table,
			  const struct import_row *row)
{
	bool has_all = true;

	for (size_t i = 0; i < row->count; i++) {
		bool may_be_empty = table == SS_TABLE_OWNERS && i == 2;

		if (row->cells[i][0] || may_be_empty)
			continue;
		import_fault(importer, import_value, row->line, "cell `%s` is empty",
			     markdown_column(table, i));
		has_all = false;
	}
	return has_all;
}

void import_row(struct importer *importer, enum ss_table table, struct import_row *row)
{
	static void (*const make[])(struct importer *, cJSON *,
				    struct import_row *) = { owner, codec, route, binding };
	size_t errors = importer->errors;
	cJSON *object;

	if (!has_all_cells(importer, table, row))
		return;
	object = keep(importer, cJSON_CreateObject());
	if (!object)
		return;
	make[table](importer, object, row);
	if (importer->errors > errors) {
		cJSON_Delete(object);
		return;
	}
	if (!note_line(importer, table, row->line) ||
	    !cJSON_AddItemToArray(importer->lists[table], object)) {
		importer->is_out_of_memory = true;
		cJSON_Delete(object);
		return;
	}
	importer->rows[table]++;
}
