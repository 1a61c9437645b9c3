/*
 * A page of cells: what a screen shows, without any terminal. Everything is
 * drawn through an area, a window on the page with its own origin; whatever
 * falls outside is clipped, so that no size needs a special case.
 */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "view/style.h"

#define PAGE_MAX_ROWS 1000
#define PAGE_MAX_COLS 1000

/** One column of one row. 16 bytes, so that a page stays small. */
struct cell {
	char text[14];       /**< UTF-8 with NUL: a character and its marks; empty in the
				  second column of a wide one */
	unsigned char style; /**< of enum style_role */
	unsigned char width; /**< 1, 2, or 0 in the second column of a wide character */
};

struct page {
	int rows, cols;
	bool ascii;                 /**< draw lines, bars and plots in ASCII */
	bool halves;                /**< else: of blocks, half ones alone, and no braille */
	int cursor_row, cursor_col; /**< -1 when no cursor is shown */
	struct cell *cells;
};

struct rect {
	int row, col, rows, cols;
};

/** A window on a page; a value, nothing to release. Lives as long as the page. */
struct area {
	struct page *page;
	struct rect at;           /**< in the page's coordinates, always inside the page */
	int shift_row, shift_col; /**< area coordinates of the visible origin, both >= 0 */
};

/**
 * Start a blank page of 1 to PAGE_MAX_ROWS by PAGE_MAX_COLS cells; sizes
 * outside are brought inside.
 *
 * @return 0, or -1 when out of memory.
 */
int page_init(struct page *page, int rows, int cols, bool ascii);

/** Give another size; the content becomes blank. 0, or -1 with nothing changed. */
int page_resize(struct page *page, int rows, int cols);

/** NULL is fine. */
void page_release(struct page *page);

/** Blank every cell and hide the cursor. */
void page_clear(struct page *page);

/** Borrowed; row and col must be inside the page. */
const struct cell *page_cell(const struct page *page, int row, int col);

/**
 * One row as UTF-8 text without trailing blanks, for tests and captures.
 *
 * @return bytes written without the NUL.
 */
size_t page_row_text(const struct page *page, int row, char *out, size_t size);

/** The whole page. */
struct area page_area(struct page *page);

/** The part of the page that `rect` covers, clipped to it. */
struct area page_part(struct page *page, struct rect rect);

/** A part of an area in its own coordinates, clipped to it. */
struct area area_part(const struct area *area, int row, int col, int rows, int cols);

/** The rows and columns that can be drawn on. */
int area_rows(const struct area *area);
int area_cols(const struct area *area);

/** Blank the area in one style. */
void area_clear(const struct area *area, enum style_role style);

/**
 * Draw text from (row, col) as far as the area goes.
 *
 * @param text NULL counts as empty; control bytes are drawn as '?'.
 * @return the column after the text, clipped or not.
 */
int area_put(const struct area *area, int row, int col, enum style_role style, const char *text);

/** The same from a format; at most 511 bytes. */
__attribute__((format(printf, 5, 6))) int area_printf(const struct area *area, int row, int col,
						      enum style_role style, const char *format,
						      ...);

/** Draw text in exactly `cols` columns: cut with "..", or padded with blanks. */
void area_text(const struct area *area, int row, int col, int cols, enum style_role style,
	       const char *text);

/** The same, against the right edge of the `cols` columns. */
void area_right(const struct area *area, int row, int col, int cols, enum style_role style,
		const char *text);

/** Fill a rectangle with one ASCII character. */
void area_fill(const struct area *area, int row, int col, int rows, int cols, enum style_role style,
	       char c);

/** Give cells already drawn another style, leaving their text. */
void area_restyle(const struct area *area, int row, int col, int cols, enum style_role style);

/** A horizontal line of `cols` columns. */
void area_hline(const struct area *area, int row, int col, int cols, enum style_role style);

/** A vertical line of `rows` rows. */
void area_vline(const struct area *area, int row, int col, int rows, enum style_role style);

/** Where lines meet. */
enum page_joint {
	JOINT_CROSS,
	JOINT_DOWN, /**< a horizontal line with one going down from it */
	JOINT_UP,
	JOINT_RIGHT, /**< a vertical line with one going right from it */
	JOINT_LEFT,
};

void area_joint(const struct area *area, int row, int col, enum page_joint joint,
		enum style_role style);

/** A box around the rectangle; the inside is left alone. */
void area_box(const struct area *area, int row, int col, int rows, int cols, enum style_role style);

/**
 * A bar to scale in `cols` columns: whole and, outside ASCII, eighth cells.
 * A fraction above 0 shows at least something; it is clamped to 0 .. 1.
 */
void area_bar(const struct area *area, int row, int col, int cols, enum style_role style,
	      double fraction);

/** Show the cursor here, or hide it when it falls outside. */
void area_cursor(const struct area *area, int row, int col);

#endif
