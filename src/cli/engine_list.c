/* Listing the tables of a reference: filtered, sorted, in every format. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text/xbuf.h"
#include "report/printout.h"
#include "cli/engine_args.h"

char *engine_cell(const struct ss_reference *r, enum ss_table table, size_t row, size_t column)
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
		text = engine_cell(run->reference, table, row, column);
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

/* Is the whole key one number? Lists and names are not. */
static bool is_number(const char *key, double *value)
{
	char *end = NULL;

	if (!key || key[0] < '0' || key[0] > '9')
		return false;
	*value = strtod(key, &end);
	return *end == '\0';
}

/* Numbers by their value, before all else by its bytes. */
static int compare_keys(const char *a, const char *b)
{
	double x = 0;
	double y = 0;
	bool is_left = is_number(a, &x);
	bool is_right = is_number(b, &y);

	if (is_left && is_right)
		return (x > y) - (x < y);
	return strcmp(a ? a : "", b ? b : "");
}

static int by_key(const void *a, const void *b)
{
	const struct sorted_row *x = a;
	const struct sorted_row *y = b;
	int order = compare_keys(x->key, y->key);

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
			rows[n].key = engine_cell(run->reference, table, i, column);
		n++;
	}
	if (rows && run->sort)
		qsort(rows, n, sizeof(*rows), by_key);
	*count = n;
	return rows;
}

cJSON *engine_row_json(const struct ss_reference *r, enum ss_table table, size_t row)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < ss_table_columns(table); i++) {
		char *text = engine_cell(r, table, row, i);

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
		cJSON_AddItemToArray(list, engine_row_json(run->reference, table, rows[i].row));
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
			char *text = engine_cell(run->reference, table, rows[j].row, i);
			bool is_last = i + 1 == columns;
			int width = is_last ? 0 : (int)column_width(run, table, rows, count, i);

			fprintf(run->out, "%-*s%s", width, text ? text : "", is_last ? "\n" : "  ");
			free(text);
		}
	}
}

/* The rows as CSV, or as a Markdown table under the heading and notices. */
static void list_cells(struct engine_run *run, enum ss_table table, const struct sorted_row *rows,
		       size_t count)
{
	bool is_csv = run->form == ENGINE_CSV;
	size_t columns = ss_table_columns(table);
	struct ss_names notices = ss_table_notices(run->reference, table);
	struct xbuf out = { 0 };

	if (!is_csv)
		xbuf_printf(&out, "## %s\n\n", ss_table_title(table));
	for (size_t i = 0; !is_csv && i < notices.count; i++)
		xbuf_printf(&out, "%s\n%s", notices.items[i], i + 1 < notices.count ? "" : "\n");
	for (size_t i = 0; i < columns; i++)
		xbuf_printf(&out, "%s%s", is_csv ? (i ? "," : "") : (i ? " | " : "| "),
			    ss_table_column(table, i));
	xbuf_puts(&out, is_csv ? "\n" : " |\n|");
	for (size_t i = 0; !is_csv && i < columns; i++)
		xbuf_puts(&out, i + 1 < columns ? "---|" : "---|\n");
	for (size_t j = 0; j < count; j++) {
		for (size_t i = 0; i < columns; i++) {
			char *text = engine_cell(run->reference, table, rows[j].row, i);

			xbuf_puts(&out, is_csv ? (i ? "," : "") : (i ? " | " : "| "));
			if (is_csv)
				csv_field(&out, text ? text : "");
			else
				markdown_field(&out, text ? text : "");
			free(text);
		}
		xbuf_puts(&out, is_csv ? "\n" : " |\n");
	}
	fputs(xbuf_text(&out), run->out);
	xbuf_release(&out);
}

static void list_tables_csv(struct engine_run *run)
{
	fputs("table,rows,title\n", run->out);
	for (int i = 0; i < SS_TABLE_COUNT; i++)
		fprintf(run->out, "%s,%zu,%s\n", ss_table_name((enum ss_table)i),
			ss_table_rows(run->reference, (enum ss_table)i),
			ss_table_title((enum ss_table)i));
}

static int list_tables(struct engine_run *run)
{
	const struct ss_reference *r = run->reference;
	cJSON *root;
	cJSON *counts;

	if (run->form == ENGINE_CSV) {
		list_tables_csv(run);
		return EXIT_FINE;
	}
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

static int no_column(struct engine_run *run, enum ss_table table, const char *name, size_t length)
{
	struct xbuf all = { 0 };
	int status;

	for (size_t i = 0; i < ss_table_columns(table); i++)
		xbuf_printf(&all, "%s%s", i ? ", " : "", ss_table_column(table, i));
	status = engine_usage(run, "%s has no column `%.*s`; it has %s", ss_table_name(table),
			      (int)length, name, xbuf_text(&all));
	xbuf_release(&all);
	return status;
}

static int check_columns(struct engine_run *run, enum ss_table table)
{
	size_t column;

	if (run->sort && !find_column(table, run->sort, strlen(run->sort), &column))
		return no_column(run, table, run->sort, strlen(run->sort));
	for (size_t i = 0; i < run->where_count; i++) {
		size_t n = strcspn(run->wheres[i], "=");

		if (!find_column(table, run->wheres[i], n, &column))
			return no_column(run, table, run->wheres[i], n);
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
		return engine_usage(
			run,
			"no table `%s`; there are config_owners, kv_codecs, "
			"attention_routes, moe_bindings, config_fields, route_order and "
			"gdn_prefill",
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
	else if (run->form != ENGINE_TEXT)
		list_cells(run, table, rows, count);
	else
		list_text(run, table, rows, count);
	for (size_t i = 0; rows && i < count; i++)
		free(rows[i].key);
	free(rows);
	return status;
}
