/* Listing the tables of a reference and showing one row with its links. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "batch/engine_args.h"

/* One cell, for the caller to free(). NULL when memory runs out. */
static char *cell_text(const struct ss_reference *r, enum ss_table table, size_t row, size_t column)
{
	size_t length = ss_table_cell(NULL, 0, r, table, row, column);
	char *text = malloc(length + 1);

	if (text)
		ss_table_cell(text, length + 1, r, table, row, column);
	return text;
}

static bool find_table(const char *name, enum ss_table *out)
{
	for (int i = 0; i < SS_TABLE_COUNT; i++) {
		const char *full = ss_table_name((enum ss_table)i);
		const char *tail = strchr(full, '_');

		if (strcmp(full, name) != 0 && (!tail || strcmp(tail + 1, name) != 0))
			continue;
		*out = (enum ss_table)i;
		return true;
	}
	return false;
}

static bool find_column(enum ss_table table, const char *name, size_t length, size_t *out)
{
	for (size_t i = 0; i < ss_table_columns(table); i++) {
		const char *column = ss_table_column(table, i);

		if (strlen(column) != length || strncmp(column, name, length) != 0)
			continue;
		*out = i;
		return true;
	}
	return false;
}

static bool contains(const char *text, const char *part)
{
	size_t n = strlen(part);

	for (; strlen(text) >= n; text++) {
		if (strncasecmp(text, part, n) == 0)
			return true;
		if (!*text)
			break;
	}
	return false;
}

/* Every --where must be found in its column, whatever the case. */
static bool is_wanted(const struct engine_run *run, enum ss_table table, size_t row)
{
	for (size_t i = 0; i < run->where_count; i++) {
		const char *sign = strchr(run->wheres[i], '=');
		size_t column = 0;
		char *text;
		bool is_in;

		find_column(table, run->wheres[i], (size_t)(sign - run->wheres[i]), &column);
		text = cell_text(run->reference, table, row, column);
		is_in = text && contains(text, sign + 1);
		free(text);
		if (!is_in)
			return false;
	}
	return true;
}

struct sorted_row {
	char *key;
	size_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct sorted_row *x = a;
	const struct sorted_row *y = b;
	int order = strcmp(x->key ? x->key : "", y->key ? y->key : "");

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static struct sorted_row *wanted_rows(struct engine_run *run, enum ss_table table, size_t *count)
{
	size_t all = ss_table_rows(run->reference, table);
	struct sorted_row *rows = calloc(all + 1, sizeof(*rows));
	size_t column = 0;
	size_t n = 0;

	if (run->sort)
		find_column(table, run->sort, strlen(run->sort), &column);
	for (size_t i = 0; rows && i < all; i++) {
		if (!is_wanted(run, table, i))
			continue;
		rows[n].row = i;
		if (run->sort)
			rows[n].key = cell_text(run->reference, table, i, column);
		n++;
	}
	if (rows && run->sort)
		qsort(rows, n, sizeof(*rows), by_key);
	*count = n;
	return rows;
}

static cJSON *row_json(const struct ss_reference *r, enum ss_table table, size_t row)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < ss_table_columns(table); i++) {
		char *text = cell_text(r, table, row, i);

		cJSON_AddStringToObject(object, ss_table_column(table, i), text ? text : "");
		free(text);
	}
	return object;
}

static int list_json(struct engine_run *run, enum ss_table table, const struct sorted_row *rows,
		     size_t count)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list;

	cJSON_AddNumberToObject(root, "format", 1);
	list = cJSON_AddArrayToObject(root, "rows");
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(list, row_json(run->reference, table, rows[i].row));
	cJSON_AddStringToObject(root, "table", ss_table_name(table));
	return engine_print_json(run, root);
}

/* Columns are as wide as their widest cell, but no wider than this. */
enum { WIDEST = 48 };

static size_t column_width(const struct engine_run *run, enum ss_table table,
			   const struct sorted_row *rows, size_t count, size_t column)
{
	size_t width = strlen(ss_table_column(table, column));

	for (size_t i = 0; i < count; i++) {
		size_t n = ss_table_cell(NULL, 0, run->reference, table, rows[i].row, column);

		width = n > width ? n : width;
	}
	return width < WIDEST ? width : WIDEST;
}

static void list_text(struct engine_run *run, enum ss_table table, const struct sorted_row *rows,
		      size_t count)
{
	size_t columns = ss_table_columns(table);
	struct ss_names notices = ss_table_notices(run->reference, table);

	fprintf(run->out, "%s: %zu of %zu\n", ss_table_title(table), count,
		ss_table_rows(run->reference, table));
	for (size_t i = 0; i < notices.count; i++)
		fprintf(run->out, "%s\n", notices.items[i]);
	fputc('\n', run->out);
	for (size_t i = 0; i < columns; i++)
		fprintf(run->out, "%-*s%s", (int)column_width(run, table, rows, count, i),
			ss_table_column(table, i), i + 1 < columns ? "  " : "\n");
	for (size_t j = 0; j < count; j++) {
		for (size_t i = 0; i < columns; i++) {
			char *text = cell_text(run->reference, table, rows[j].row, i);
			bool is_last = i + 1 == columns;
			int width = is_last ? 0 : (int)column_width(run, table, rows, count, i);

			fprintf(run->out, "%-*s%s", width, text ? text : "", is_last ? "\n" : "  ");
			free(text);
		}
	}
}

static int list_tables(struct engine_run *run)
{
	const struct ss_reference *r = run->reference;
	cJSON *root;
	cJSON *counts;

	if (!run->is_json) {
		fprintf(run->out, "%s %s\n\n", r->name, r->version);
		for (int i = 0; i < SS_TABLE_COUNT; i++)
			fprintf(run->out, "%-18s%5zu  %s\n", ss_table_name((enum ss_table)i),
				ss_table_rows(r, (enum ss_table)i),
				ss_table_title((enum ss_table)i));
		return EXIT_FINE;
	}
	root = cJSON_CreateObject();
	cJSON_AddNumberToObject(root, "format", 1);
	cJSON_AddStringToObject(root, "name", r->name);
	counts = cJSON_AddObjectToObject(root, "tables");
	for (int i = 0; i < SS_TABLE_COUNT; i++)
		cJSON_AddNumberToObject(counts, ss_table_name((enum ss_table)i),
					(double)ss_table_rows(r, (enum ss_table)i));
	cJSON_AddStringToObject(root, "version", r->version);
	return engine_print_json(run, root);
}

static int check_columns(struct engine_run *run, enum ss_table table)
{
	size_t column;

	if (run->sort && !find_column(table, run->sort, strlen(run->sort), &column))
		return engine_usage(run, "%s has no column `%s`", ss_table_name(table), run->sort);
	for (size_t i = 0; i < run->where_count; i++) {
		size_t n = strcspn(run->wheres[i], "=");

		if (!find_column(table, run->wheres[i], n, &column))
			return engine_usage(run, "%s has no column `%.*s`", ss_table_name(table),
					    (int)n, run->wheres[i]);
	}
	return EXIT_FINE;
}

int engine_list(struct engine_run *run)
{
	struct sorted_row *rows;
	enum ss_table table = SS_TABLE_OWNERS;
	size_t count = 0;
	int status;

	if (run->word_count > 1)
		return engine_usage(run, "list takes one table");
	if (run->word_count == 1 && !find_table(run->words[0], &table))
		return engine_usage(run,
				    "no table `%s`; there are config_owners, kv_codecs, "
				    "attention_routes, moe_bindings, config_fields and route_order",
				    run->words[0]);
	status = engine_load_pack(run, &run->reference);
	if (status)
		return status;
	if (run->word_count == 0)
		return list_tables(run);
	status = check_columns(run, table);
	if (status)
		return status;
	rows = wanted_rows(run, table, &count);
	if (!rows)
		status = EXIT_SYSTEM;
	else if (run->is_json)
		status = list_json(run, table, rows, count);
	else
		list_text(run, table, rows, count);
	for (size_t i = 0; rows && i < count; i++)
		free(rows[i].key);
	free(rows);
	return status;
}

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
	case SS_TABLE_ORDER:
	case SS_TABLE_COUNT:
		break;
	}
	return false;
}

static void add_link(cJSON *links, const char *kind, const char *text)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(links, kind);

	if (!list)
		list = cJSON_AddArrayToObject(links, kind);
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

static void link_fields(cJSON *links, const struct ss_reference *r,
			const struct ss_config_owner *owner)
{
	for (size_t i = 0; i < r->field_count; i++) {
		const struct ss_config_field *f = &r->fields[i];
		char text[512];

		if (!names_have(&owner->paths, f->owner_path))
			continue;
		snprintf(text, sizeof(text), "%s.%s: %s, default %s%s%s", f->owner_path, f->field,
			 f->type, f->default_value ? f->default_value : "none",
			 f->allowed ? ", allowed " : "", f->allowed ? f->allowed : "");
		add_link(links, "fields", text);
	}
}

/* Candidates that name a route, or whose conditions read a field. */
static void link_order(cJSON *links, const struct ss_reference *r, const char *route,
		       const char *option)
{
	for (size_t i = 0; i < r->order.walk_count; i++) {
		const struct ss_route_walk *walk = &r->order.walks[i];

		for (size_t j = 0; j < walk->candidate_count; j++) {
			const struct ss_route_candidate *c = &walk->candidates[j];
			bool is_linked = route && c->route && strcmp(c->route->name, route) == 0;
			char text[320];

			for (size_t k = 0; option && k < c->needs.count; k++)
				is_linked |= c->needs.items[k].text &&
					     strcmp(c->needs.items[k].text, option) == 0;
			snprintf(text, sizeof(text), "%s %zu: %s, %s, %s", walk->title, j + 1,
				 c->name, ss_candidate_role_name(c->role),
				 c->is_inferred ? "inferred" : "read");
			if (is_linked)
				add_link(links, "order", text);
		}
	}
}

static void link_rules(cJSON *links, const struct ss_reference *r, const struct ss_moe_binding *b)
{
	for (size_t i = 0; i < r->moe_rule_count; i++) {
		const struct ss_moe_rule *rule = &r->moe_rules[i];

		if (strcmp(rule->stage, b->stage) == 0 && strcmp(rule->mode, b->mode) == 0 &&
		    names_have(&rule->families, b->families.items[0]))
			add_link(links, "selected_when", rule->reason);
	}
}

static void add_links(cJSON *links, const struct ss_reference *r, enum ss_table table, size_t row)
{
	const struct ss_config_owner *owner;
	char path[512];

	switch (table) {
	case SS_TABLE_OWNERS:
		link_fields(links, r, &r->owners[row]);
		break;
	case SS_TABLE_CODECS:
		for (size_t i = 0; i < r->route_count; i++)
			if (names_have(&r->routes[i].codecs, r->codecs[row].symbol))
				add_link(links, "routes", r->routes[i].name);
		break;
	case SS_TABLE_ROUTES:
		for (size_t i = 0; i < r->routes[row].codecs.count; i++)
			add_link(links, "codecs", r->routes[row].codecs.items[i]);
		link_order(links, r, r->routes[row].name, NULL);
		break;
	case SS_TABLE_BINDINGS:
		link_rules(links, r, &r->bindings[row]);
		break;
	case SS_TABLE_FIELDS:
		owner = ss_reference_owner(r, r->fields[row].owner_path);
		if (owner)
			add_link(links, "owner", owner->type);
		snprintf(path, sizeof(path), "%s.%s", r->fields[row].owner_path,
			 r->fields[row].field);
		link_order(links, r, NULL, path);
		break;
	case SS_TABLE_ORDER:
	case SS_TABLE_COUNT:
		break;
	}
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
	root = cJSON_CreateObject();
	list = cJSON_AddArrayToObject(root, "found");
	cJSON_AddNumberToObject(root, "format", 1);
	for (int i = 0; i < SS_TABLE_COUNT; i++) {
		enum ss_table table = (enum ss_table)i;

		for (size_t j = 0; j < ss_table_rows(run->reference, table); j++) {
			if (!is_named(run->reference, table, j, run->words[0]))
				continue;
			item = cJSON_CreateObject();
			add_links(cJSON_AddObjectToObject(item, "links"), run->reference, table, j);
			cJSON_AddItemToObject(item, "row", row_json(run->reference, table, j));
			cJSON_AddStringToObject(item, "table", ss_table_name(table));
			cJSON_AddItemToArray(list, item);
		}
	}
	if (cJSON_GetArraySize(list) == 0) {
		cJSON_Delete(root);
		return engine_usage(run, "nothing in the reference is called `%s`", run->words[0]);
	}
	if (run->is_json)
		return engine_print_json(run, root);
	cJSON_ArrayForEach(item, list) print_found(run, item);
	cJSON_Delete(root);
	return EXIT_FINE;
}
