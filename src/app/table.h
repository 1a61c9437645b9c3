/*
 * Rows of text in columns, with sort keys: what a pane lists. Filter, sort,
 * search, copy and export work on any of them alike.
 */
#ifndef APP_TABLE_H
#define APP_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "text/xbuf.h"
#include "stepscope/status.h"

#define TABLE_MAX_COLUMNS 10

struct table_column {
	const char *title;
	int width, min_width; /**< as struct list_column of the view */
	bool is_right, grows;
	bool is_shared; /**< longer cells take no more than its width, which is that of 80 columns
			 */
	int rank;
};

struct table_row {
	bool is_heading;                /**< its first cell spans the row */
	char mark;                      /**< '~', '!', '*', 'x' or a blank */
	int id;                         /**< what the row stands for, by whoever made it */
	size_t text[TABLE_MAX_COLUMNS]; /**< offsets; 0: empty */
	double key[TABLE_MAX_COLUMNS];  /**< sorts the column when is_numeric */
	bool is_numeric[TABLE_MAX_COLUMNS];
};

/** `{ 0 }` is an empty one. */
struct table {
	const struct table_column *columns;
	int column_count;
	struct table_row *rows;
	size_t count, capacity;
	struct xbuf text;
	int *order; /**< rows shown, in order: indexes into `rows` */
	size_t shown;
};

void table_release(struct table *table);

/** Empty it, keeping its memory, and give it columns; static text. */
void table_reset(struct table *table, const struct table_column *columns, int count);

/** Start a row; the cells that follow are its. */
void table_row(struct table *table, int id, char mark);
void table_heading(struct table *table, const char *title);

/** A cell of the last row. */
void table_put(struct table *table, int column, const char *text);
/** The same with the number it sorts by. */
void table_put_number(struct table *table, int column, double key, const char *text);

/** Show the rows that contain `filter`, or in one column with `COLUMN=TEXT`, sorted; -1 leaves the
 * order they were made in. */
void table_arrange(struct table *table, const char *filter, int sort, bool is_descending);

/** Text of a cell of the n-th row shown; "" when empty. */
const char *table_text(const struct table *table, size_t shown, int column);
const struct table_row *table_at(const struct table *table, size_t shown);

/** All cells of a row shown, apart by two blanks, for search and copy. */
void table_line(const struct table *table, size_t shown, char *out, size_t size);

#endif
