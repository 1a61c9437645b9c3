/*
 * A list with a selection: scrolling, columns that fit the width, the search
 * text shown where it occurs. The rows stay the caller's, who hands out cells.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "view/page.h"

/** Where a list stands. All zero is a fine start. */
struct list {
	int count;    /**< rows there are */
	int selected; /**< 0 .. count - 1; 0 when empty */
	int top;      /**< first row shown */
};

/** Take a new number of rows, keeping the selection inside. */
void list_set_count(struct list *list, int count);

/** Move the selection by rows; stays inside. Says whether it moved. */
bool list_move(struct list *list, int by);

/** Select a row; brought inside. */
void list_select(struct list *list, int row);

/** Scroll as little as shows the selection among `visible` rows. */
void list_scroll(struct list *list, int visible);

/** "7/12"; "0/0" when empty. Returns `out`. */
const char *list_position(const struct list *list, char *out, size_t size);

/** How a column takes part. Arrays of these end with a NULL title. */
struct list_column {
	const char *title;
	int width;     /**< columns it wants, above 0 */
	int min_width; /**< with less than this it is left out; 0: same as width */
	bool is_right; /**< against the right edge, as numbers are */
	bool grows;    /**< takes what is left over */
	int rank;      /**< when room is short the highest rank goes first; 0 always stays */
};

/** One cell of a row. The text is set to "" before the call. */
struct list_cell {
	char text[160];
	enum style_role style; /**< STYLE_TEXT before the call */
	double bar;            /**< 0 .. 1 draws a bar instead of text; below 0 before the call */
};

/** What a row is, besides its cells. All zero before the call. */
struct list_row {
	bool is_heading; /**< spans the width: `heading` in place of the columns */
	bool is_marked;  /**< marked by the user: shown with '*' in the gutter */
	char heading[160];
};

struct list_view {
	const struct list_column *columns;
	void (*row)(void *context, int row, struct list_row *out); /**< may be NULL */
	void (*cell)(void *context, int row, int column, struct list_cell *out);
	void *context;
	bool has_header; /**< a line with the titles */
	int sort_column; /**< shown with an arrow; -1 for none */
	bool is_descending;
	bool is_focused;
	const char *search; /**< shown where it occurs, without case; NULL or "" for none */
};

#define LIST_MAX_COLUMNS 16

/** Where each column went; width 0 when left out. */
struct list_place {
	int col, width;
};

/**
 * Share `cols` columns: the first holds the gutter ('>' or a mark), single
 * blanks stand between. Returns how many columns are shown.
 */
int list_place_columns(struct list_place places[LIST_MAX_COLUMNS],
		       const struct list_column *columns, int cols);

/** Rows of the list that an area of `rows` shows. */
int list_visible_rows(const struct list_view *view, int rows);

/** Draw; scrolls so that the selection shows. */
void list_draw(const struct area *area, struct list *list, const struct list_view *view);

/**
 * The next row whose text has `needle`, from `from` on in the direction given
 * and round the end.
 *
 * @param text the row's text for searching; `out` has `size` bytes.
 * @return the row, or -1.
 */
int list_search(int count, int from, int direction, const char *needle,
		void (*text)(void *context, int row, char *out, size_t size), void *context);

/** Draw text with every occurrence of `needle` in STYLE_MATCH. */
void list_text_matched(const struct area *area, int row, int col, int cols, enum style_role style,
		       const char *text, const char *needle);

#endif
