#include "app/table.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void table_release(struct table *table)
{
	free(table->rows);
	free(table->order);
	xbuf_release(&table->text);
	*table = (struct table){ 0 };
}

void table_reset(struct table *table, const struct table_column *columns, int count)
{
	table->columns = columns;
	table->column_count = count;
	table->count = 0;
	table->shown = 0;
	table->text.len = 0;
	xbuf_add(&table->text, "", 1); /* offset 0 is the empty text */
}

void table_row(struct table *table, int id, char mark)
{
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? table->capacity * 2 : 32;
		table->rows = xrealloc(table->rows, table->capacity, sizeof(*table->rows));
	}
	table->rows[table->count++] = (struct table_row){ .id = id, .mark = mark };
}

void table_heading(struct table *table, const char *title)
{
	table_row(table, -1, ' ');
	table->rows[table->count - 1].is_heading = true;
	table_put(table, 0, title);
}

void table_put(struct table *table, int column, const char *text)
{
	if (!text || !*text)
		return;
	table->rows[table->count - 1].text[column] = table->text.len;
	xbuf_add(&table->text, text, strlen(text) + 1);
}

void table_put_number(struct table *table, int column, double key, const char *text)
{
	table_put(table, column, text);
	table->rows[table->count - 1].key[column] = key;
	table->rows[table->count - 1].is_numeric[column] = true;
}

static const char *text_of(const struct table *table, const struct table_row *row, int column)
{
	return table->text.data + row->text[column];
}

static bool contains(const char *hay, const char *needle)
{
	for (; *hay; hay++) {
		size_t i = 0;

		while (needle[i] &&
		       tolower((unsigned char)hay[i]) == tolower((unsigned char)needle[i]))
			i++;
		if (!needle[i])
			return true;
	}
	return false;
}

/* The column whose title begins with the text, or -1. */
static int column_named(const struct table *table, const char *text, size_t len)
{
	for (int c = 0; len && c < table->column_count; c++)
		if (!strncasecmp(table->columns[c].title, text, len))
			return c;
	return -1;
}

static bool matches(const struct table *table, const struct table_row *row, const char *filter)
{
	size_t len = strcspn(filter, "=");
	int column = filter[len] ? column_named(table, filter, len) : -1;

	/* `COLUMN=TEXT`, with as much of the title as it takes */
	if (column >= 0)
		return contains(text_of(table, row, column), filter + len + 1);
	for (int c = 0; c < table->column_count; c++) {
		if (contains(text_of(table, row, c), filter))
			return true;
	}
	return false;
}

static int compare(const struct table *table, int a, int b, int column)
{
	const struct table_row *x = &table->rows[a], *y = &table->rows[b];

	if (x->is_numeric[column] && y->is_numeric[column])
		return (x->key[column] > y->key[column]) - (x->key[column] < y->key[column]);
	if (x->is_numeric[column] != y->is_numeric[column])
		return x->is_numeric[column] ? 1 : -1;
	return strcmp(text_of(table, x, column), text_of(table, y, column));
}

/* A stable merge sort: rows that compare alike keep their order. */
static void sort_rows(const struct table *table, int *order, int *scratch, size_t count, int column,
		      int direction)
{
	size_t half = count / 2, i = 0, j = half, k = 0;

	if (count < 2)
		return;
	sort_rows(table, order, scratch, half, column, direction);
	sort_rows(table, order + half, scratch, count - half, column, direction);
	while (i < half && j < count) {
		bool right = compare(table, order[i], order[j], column) * direction > 0;

		scratch[k++] = right ? order[j++] : order[i++];
	}
	while (i < half)
		scratch[k++] = order[i++];
	while (j < count)
		scratch[k++] = order[j++];
	memcpy(order, scratch, count * sizeof(*order));
}

void table_arrange(struct table *table, const char *filter, int sort, bool is_descending)
{
	bool is_filtered = filter && *filter;
	bool is_sorted = sort >= 0 && sort < table->column_count;

	table->order = xrealloc(table->order, table->count, sizeof(*table->order));
	table->shown = 0;
	for (size_t i = 0; i < table->count; i++) {
		const struct table_row *row = &table->rows[i];

		if (row->is_heading && (is_filtered || is_sorted))
			continue;
		if (is_filtered && !matches(table, row, filter))
			continue;
		table->order[table->shown++] = (int)i;
	}
	if (is_sorted && table->shown > 1) {
		int *scratch = xcalloc(table->shown, sizeof(*scratch));

		sort_rows(table, table->order, scratch, table->shown, sort, is_descending ? -1 : 1);
		free(scratch);
	}
}

const struct table_row *table_at(const struct table *table, size_t shown)
{
	return &table->rows[table->order[shown]];
}

const char *table_text(const struct table *table, size_t shown, int column)
{
	return text_of(table, table_at(table, shown), column);
}

void table_line(const struct table *table, size_t shown, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (int c = 0; c < table->column_count && len + 1 < size; c++) {
		const char *text = table_text(table, shown, c);
		int n = 0;

		if (!*text)
			continue;
		n = snprintf(out + len, size - len, "%s%s", len ? "  " : "", text);
		if (n > 0)
			len += (size_t)n;
	}
}
