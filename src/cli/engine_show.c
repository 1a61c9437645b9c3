/* Showing the rows that go by a name, each with its links both ways. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/nearest.h"
#include "text/xbuf.h"
#include "cli/engine_args.h"

static bool names_have(const struct ss_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

/* Does the row go by this name, in any of the ways it is called? */
static bool is_named(const struct ss_reference *r, enum ss_table table, size_t row,
		     const char *name)
{
	const struct ss_moe_binding *b;
	char text[256];
	size_t n;

	switch (table) {
	case SS_TABLE_OWNERS:
		return strcmp(r->owners[row].type, name) == 0 ||
		       names_have(&r->owners[row].paths, name);
	case SS_TABLE_CODECS:
		return strcmp(r->codecs[row].symbol, name) == 0 ||
		       names_have(&r->codecs[row].aliases, name);
	case SS_TABLE_ROUTES:
		return strcmp(r->routes[row].name, name) == 0;
	case SS_TABLE_BINDINGS:
		b = &r->bindings[row];
		return strcmp(b->mode, name) == 0 || strcmp(b->binding, name) == 0 ||
		       (b->native_name && strcmp(b->native_name, name) == 0);
	case SS_TABLE_FIELDS:
		n = strlen(r->fields[row].owner_path);
		if (strcmp(r->fields[row].owner_path, "(root)") == 0)
			return strcmp(r->fields[row].field, name) == 0;
		return strncmp(r->fields[row].owner_path, name, n) == 0 && name[n] == '.' &&
		       strcmp(r->fields[row].field, name + n + 1) == 0;
	case SS_TABLE_GDN:
		(void)ss_table_cell(text, sizeof(text), r, table, row, 1);
		return strcmp(text, name) == 0;
	case SS_TABLE_ORDER:
	case SS_TABLE_COUNT:
		break;
	}
	return false;
}

/* A field by its own name, as a deployment spells it, whatever owns it. */
static bool is_field_called(const struct ss_reference *r, enum ss_table table, size_t row,
			    const char *name)
{
	return table == SS_TABLE_FIELDS && strcmp(r->fields[row].field, name) == 0;
}

static void add_link(void *context, const char *kind, const char *text)
{
	cJSON *links = context;
	cJSON *list = cJSON_GetObjectItemCaseSensitive(links, kind);

	if (!list)
		list = cJSON_AddArrayToObject(links, kind);
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

static void print_found(struct engine_run *run, const cJSON *found)
{
	const cJSON *item;
	const cJSON *link;

	fprintf(run->out, "%s\n",
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(found, "table")));
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(found, "row"))
		fprintf(run->out, "  %-16s %s\n", item->string,
			item->valuestring[0] ? item->valuestring : "-");
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(found, "links"))
	{
		fprintf(run->out, "  %s\n", item->string);
		cJSON_ArrayForEach(link, item) fprintf(run->out, "    %s\n", link->valuestring);
	}
}

/* The rows that `test` knows by the name, each with its links. */
static cJSON *find_rows(const struct ss_reference *r, const char *name,
			bool (*test)(const struct ss_reference *r, enum ss_table table, size_t row,
				     const char *name))
{
	cJSON *list = cJSON_CreateArray();

	for (int i = 0; i < SS_TABLE_COUNT; i++) {
		enum ss_table table = (enum ss_table)i;

		for (size_t j = 0; j < ss_table_rows(r, table); j++) {
			cJSON *item;

			if (!test(r, table, j, name))
				continue;
			item = cJSON_CreateObject();
			ss_table_links(r, table, j, add_link,
				       cJSON_AddObjectToObject(item, "links"));
			cJSON_AddItemToObject(item, "row", engine_row_json(r, table, j));
			cJSON_AddStringToObject(item, "table", ss_table_name(table));
			cJSON_AddItemToArray(list, item);
		}
	}
	return list;
}

/* What a row is called first; NULL for a row that is not asked for by name. */
static const char *row_name(const struct ss_reference *r, enum ss_table table, size_t row)
{
	switch (table) {
	case SS_TABLE_OWNERS:
		return r->owners[row].paths.items[0];
	case SS_TABLE_CODECS:
		return r->codecs[row].symbol;
	case SS_TABLE_ROUTES:
		return r->routes[row].name;
	case SS_TABLE_BINDINGS:
		return r->bindings[row].binding;
	case SS_TABLE_FIELDS:
		return r->fields[row].field;
	case SS_TABLE_ORDER:
	case SS_TABLE_GDN:
	case SS_TABLE_COUNT:
		break;
	}
	return NULL;
}

/* The name that a slip of the pen may have meant; NULL when none is close. */
static const char *nearest_name(const struct ss_reference *r, const char *name)
{
	const char **words;
	const char *near;
	size_t count = 0;

	for (int i = 0; i < SS_TABLE_ORDER; i++)
		count += ss_table_rows(r, (enum ss_table)i);
	words = xcalloc(count + 1, sizeof(*words));
	count = 0;
	for (int i = 0; i < SS_TABLE_ORDER; i++)
		for (size_t j = 0; j < ss_table_rows(r, (enum ss_table)i); j++)
			words[count++] = row_name(r, (enum ss_table)i, j);
	near = ss_closest_word(name, words, count);
	free(words);
	return near;
}

static int not_found(struct engine_run *run)
{
	const char *near = nearest_name(run->reference, run->words[0]);

	return engine_usage(run, "nothing in the reference is called `%s`%s%s%s", run->words[0],
			    near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

int engine_show(struct engine_run *run)
{
	cJSON *root;
	cJSON *list;
	cJSON *item;
	int status;

	if (run->word_count != 1)
		return engine_usage(run, "show takes one name: an owner, a field, a codec, a route "
					 "or a binding");
	status = engine_load_pack(run, &run->reference);
	if (status)
		return status;
	list = find_rows(run->reference, run->words[0], is_named);
	if (cJSON_GetArraySize(list) == 0) {
		cJSON_Delete(list);
		list = find_rows(run->reference, run->words[0], is_field_called);
	}
	if (cJSON_GetArraySize(list) == 0) {
		cJSON_Delete(list);
		return not_found(run);
	}
	root = cJSON_CreateObject();
	cJSON_AddItemToObject(root, "found", list);
	cJSON_AddNumberToObject(root, "format", 1);
	if (run->is_json)
		return engine_print_json(run, root);
	cJSON_ArrayForEach(item, list) print_found(run, item);
	cJSON_Delete(root);
	return EXIT_FINE;
}
