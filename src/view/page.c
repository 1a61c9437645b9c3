#include "view/page.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/text.h"

/* Line drawing, each with its ASCII twin. */
enum glyph {
	GLYPH_H,
	GLYPH_V,
	GLYPH_TOP_LEFT,
	GLYPH_TOP_RIGHT,
	GLYPH_BOTTOM_LEFT,
	GLYPH_BOTTOM_RIGHT,
	GLYPH_CROSS,
	GLYPH_DOWN,
	GLYPH_UP,
	GLYPH_RIGHT,
	GLYPH_LEFT,
	GLYPH_COUNT
};

static const char *const glyphs[GLYPH_COUNT][2] = {
	[GLYPH_H] = { "\xe2\x94\x80", "-" },
	[GLYPH_V] = { "\xe2\x94\x82", "|" },
	[GLYPH_TOP_LEFT] = { "\xe2\x94\x8c", "+" },
	[GLYPH_TOP_RIGHT] = { "\xe2\x94\x90", "+" },
	[GLYPH_BOTTOM_LEFT] = { "\xe2\x94\x94", "+" },
	[GLYPH_BOTTOM_RIGHT] = { "\xe2\x94\x98", "+" },
	[GLYPH_CROSS] = { "\xe2\x94\xbc", "+" },
	[GLYPH_DOWN] = { "\xe2\x94\xac", "+" },
	[GLYPH_UP] = { "\xe2\x94\xb4", "+" },
	[GLYPH_RIGHT] = { "\xe2\x94\x9c", "+" },
	[GLYPH_LEFT] = { "\xe2\x94\xa4", "+" },
};

static int clamp(int value, int lo, int hi)
{
	return value < lo ? lo : value > hi ? hi : value;
}

static void cell_blank(struct cell *cell, enum style_role style)
{
	memset(cell, 0, sizeof(*cell));
	cell->text[0] = ' ';
	cell->width = 1;
	cell->style = (unsigned char)style;
}

static int resize_cells(struct page *page, int rows, int cols)
{
	struct cell *cells;

	rows = clamp(rows, 1, PAGE_MAX_ROWS);
	cols = clamp(cols, 1, PAGE_MAX_COLS);
	cells = calloc((size_t)rows * (size_t)cols, sizeof(*cells));
	if (!cells)
		return -1;
	free(page->cells);
	page->cells = cells;
	page->rows = rows;
	page->cols = cols;
	page_clear(page);
	return 0;
}

int page_init(struct page *page, int rows, int cols, bool ascii)
{
	memset(page, 0, sizeof(*page));
	page->ascii = ascii;
	return resize_cells(page, rows, cols);
}

int page_resize(struct page *page, int rows, int cols)
{
	return resize_cells(page, rows, cols);
}

void page_release(struct page *page)
{
	if (!page)
		return;
	free(page->cells);
	memset(page, 0, sizeof(*page));
}

void page_clear(struct page *page)
{
	size_t n = (size_t)page->rows * (size_t)page->cols, i;

	for (i = 0; i < n; i++)
		cell_blank(&page->cells[i], STYLE_TEXT);
	page->cursor_row = -1;
	page->cursor_col = -1;
}

static struct cell *cell_at(const struct page *page, int row, int col)
{
	return &page->cells[(size_t)row * (size_t)page->cols + (size_t)col];
}

const struct cell *page_cell(const struct page *page, int row, int col)
{
	return cell_at(page, row, col);
}

size_t page_row_text(const struct page *page, int row, char *out, size_t size)
{
	size_t put = 0, kept = 0;
	int col;

	if (size == 0)
		return 0;
	for (col = 0; col < page->cols; col++) {
		const struct cell *cell = cell_at(page, row, col);
		size_t n = strlen(cell->text);

		if (put + n >= size)
			break;
		memcpy(out + put, cell->text, n);
		put += n;
		if (n > 0 && strcmp(cell->text, " ") != 0)
			kept = put;
	}
	out[kept] = '\0';
	return kept;
}

struct area page_area(struct page *page)
{
	struct area area = { .page = page, .at = { 0, 0, page->rows, page->cols } };

	return area;
}

struct area page_part(struct page *page, struct rect rect)
{
	struct area whole = page_area(page);

	return area_part(&whole, rect.row, rect.col, rect.rows, rect.cols);
}

/*
 * A part may begin above or left of what is visible: its coordinates still
 * count from its own corner, and the shift says how much of it is hidden.
 */
struct area area_part(const struct area *area, int row, int col, int rows, int cols)
{
	struct area part = { .page = area->page };
	int top = row - area->shift_row, left = col - area->shift_col;
	int bottom = clamp(top + (rows > 0 ? rows : 0), 0, area->at.rows);
	int right = clamp(left + (cols > 0 ? cols : 0), 0, area->at.cols);

	part.shift_row = top < 0 ? -top : 0;
	part.shift_col = left < 0 ? -left : 0;
	top = clamp(top, 0, bottom);
	left = clamp(left, 0, right);
	part.at.row = area->at.row + top;
	part.at.col = area->at.col + left;
	part.at.rows = bottom - top;
	part.at.cols = right - left;
	return part;
}

int area_rows(const struct area *area)
{
	return area->at.rows + area->shift_row;
}

int area_cols(const struct area *area)
{
	return area->at.cols + area->shift_col;
}

/* The cell under area coordinates, or NULL when it is clipped. */
static struct cell *area_cell(const struct area *area, int row, int col)
{
	row -= area->shift_row;
	col -= area->shift_col;
	if (row < 0 || row >= area->at.rows || col < 0 || col >= area->at.cols)
		return NULL;
	return cell_at(area->page, area->at.row + row, area->at.col + col);
}

/* Half a wide character cannot stay when its other half is drawn over. */
static void break_pair(const struct page *page, struct cell *cell)
{
	ptrdiff_t index = cell - page->cells;
	int col = (int)(index % page->cols);

	if (cell->width == 0 && col > 0)
		cell_blank(cell - 1, (enum style_role)cell[-1].style);
	else if (cell->width == 2 && col + 1 < page->cols)
		cell_blank(cell + 1, (enum style_role)cell[1].style);
}

static void set_cell(const struct area *area, int row, int col, enum style_role style,
		     const char *bytes, size_t len, int width)
{
	struct cell *cell = area_cell(area, row, col);
	struct cell *next = width == 2 ? area_cell(area, row, col + 1) : NULL;

	if (width == 2 && !next) {
		/* the right half is clipped: a blank keeps the row's width */
		bytes = " ";
		len = 1;
		width = 1;
	}
	if (!cell) {
		if (next) {
			break_pair(area->page, next);
			cell_blank(next, style);
		}
		return;
	}
	break_pair(area->page, cell);
	if (next)
		break_pair(area->page, next);
	memset(cell, 0, sizeof(*cell));
	memcpy(cell->text, bytes, len);
	cell->style = (unsigned char)style;
	cell->width = (unsigned char)width;
	if (next) {
		memset(next, 0, sizeof(*next));
		next->style = (unsigned char)style;
	}
}

/* Hang a combining mark on the character that ends before `col`. */
static void add_mark(const struct area *area, int row, int col, const char *bytes, size_t len)
{
	struct cell *cell = area_cell(area, row, col - 1);
	size_t have;

	if (cell && cell->width == 0)
		cell = area_cell(area, row, col - 2);
	if (!cell || cell->width == 0)
		return;
	have = strlen(cell->text);
	if (have + len < sizeof(cell->text))
		memcpy(cell->text + have, bytes, len);
}

static int put_bytes(const struct area *area, int row, int col, enum style_role style,
		     const char *s, size_t len)
{
	int start = col;

	while (len > 0) {
		char bytes[4];
		uint32_t cp;
		size_t n = text_decode(s, len, &cp), m;
		int width = text_cp_width(cp), k;

		if (text_acts(cp))
			cp = TEXT_REPLACEMENT;
		if (area->page->ascii && cp >= 0x80) {
			for (k = 0; k < width; k++)
				set_cell(area, row, col + k, style, "?", 1, 1);
		} else {
			m = text_encode(bytes, cp);
			if (width == 0 && col > start)
				add_mark(area, row, col, bytes, m);
			else if (width > 0)
				set_cell(area, row, col, style, bytes, m, width);
		}
		col += width;
		s += n;
		len -= n;
	}
	return col;
}

void area_clear(const struct area *area, enum style_role style)
{
	area_fill(area, 0, 0, area_rows(area), area_cols(area), style, ' ');
}

int area_put(const struct area *area, int row, int col, enum style_role style, const char *text)
{
	return text ? put_bytes(area, row, col, style, text, strlen(text)) : col;
}

int area_printf(const struct area *area, int row, int col, enum style_role style,
		const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return n < 0 ? col : area_put(area, row, col, style, text);
}

static void put_aligned(const struct area *area, int row, int col, int cols, enum style_role style,
			const char *text, bool to_right)
{
	size_t len = text ? strlen(text) : 0;
	int width, used, dots = 0, pad;

	if (cols <= 0)
		return;
	width = text_width_n(text ? text : "", len);
	if (width > cols) {
		dots = cols < 2 ? cols : 2;
		len = text_fit(text, len, cols - dots, &used);
		width = used + dots;
	}
	pad = cols - width;
	area_fill(area, row, col, 1, cols, style, ' ');
	col = put_bytes(area, row, to_right ? col + pad : col, style, text ? text : "", len);
	put_bytes(area, row, col, style, "..", (size_t)dots);
}

void area_text(const struct area *area, int row, int col, int cols, enum style_role style,
	       const char *text)
{
	put_aligned(area, row, col, cols, style, text, false);
}

void area_right(const struct area *area, int row, int col, int cols, enum style_role style,
		const char *text)
{
	put_aligned(area, row, col, cols, style, text, true);
}

void area_fill(const struct area *area, int row, int col, int rows, int cols, enum style_role style,
	       char c)
{
	struct area part = area_part(area, row, col, rows, cols);
	int i, j;

	for (i = part.shift_row; i < area_rows(&part); i++)
		for (j = part.shift_col; j < area_cols(&part); j++)
			set_cell(&part, i, j, style, &c, 1, 1);
}

void area_restyle(const struct area *area, int row, int col, int cols, enum style_role style)
{
	struct area part = area_part(area, row, col, 1, cols);
	int j;

	for (j = part.shift_col; j < area_cols(&part); j++) {
		struct cell *cell = area_cell(&part, part.shift_row, j);

		if (cell)
			cell->style = (unsigned char)style;
	}
}

static void put_glyph(const struct area *area, int row, int col, enum glyph glyph,
		      enum style_role style)
{
	const char *text = glyphs[glyph][area->page->ascii ? 1 : 0];

	set_cell(area, row, col, style, text, strlen(text), 1);
}

void area_hline(const struct area *area, int row, int col, int cols, enum style_role style)
{
	struct area part = area_part(area, row, col, 1, cols);
	int j;

	for (j = part.shift_col; j < area_cols(&part); j++)
		put_glyph(&part, part.shift_row, j, GLYPH_H, style);
}

void area_vline(const struct area *area, int row, int col, int rows, enum style_role style)
{
	struct area part = area_part(area, row, col, rows, 1);
	int i;

	for (i = part.shift_row; i < area_rows(&part); i++)
		put_glyph(&part, i, part.shift_col, GLYPH_V, style);
}

void area_joint(const struct area *area, int row, int col, enum page_joint joint,
		enum style_role style)
{
	static const enum glyph of[] = {
		[JOINT_CROSS] = GLYPH_CROSS, [JOINT_DOWN] = GLYPH_DOWN, [JOINT_UP] = GLYPH_UP,
		[JOINT_RIGHT] = GLYPH_RIGHT, [JOINT_LEFT] = GLYPH_LEFT,
	};

	put_glyph(area, row, col, of[joint], style);
}

void area_box(const struct area *area, int row, int col, int rows, int cols, enum style_role style)
{
	int bottom = row + rows - 1, right = col + cols - 1;

	if (rows <= 0 || cols <= 0)
		return;
	area_hline(area, row, col, cols, style);
	area_hline(area, bottom, col, cols, style);
	area_vline(area, row, col, rows, style);
	area_vline(area, row, right, rows, style);
	put_glyph(area, row, col, GLYPH_TOP_LEFT, style);
	put_glyph(area, row, right, GLYPH_TOP_RIGHT, style);
	put_glyph(area, bottom, col, GLYPH_BOTTOM_LEFT, style);
	put_glyph(area, bottom, right, GLYPH_BOTTOM_RIGHT, style);
}

void area_bar(const struct area *area, int row, int col, int cols, enum style_role style,
	      double fraction)
{
	int steps = area->page->ascii ? 1 : area->page->halves ? 2 : 8, filled, k;

	if (cols <= 0 || !(fraction > 0))
		return;
	if (fraction > 1)
		fraction = 1;
	filled = (int)(fraction * cols * steps + 0.5);
	if (filled == 0)
		filled = 1;
	for (k = 0; k < filled / steps; k++)
		set_cell(area, row, col + k, style, steps == 1 ? "#" : "\xe2\x96\x88",
			 steps == 1 ? 1 : 3, 1);
	if (filled % steps > 0) {
		/* U+258F is one eighth, U+2589 seven: they count down */
		char bytes[4];
		size_t n = text_encode(bytes, 0x2590u - (uint32_t)(filled % steps * (8 / steps)));

		set_cell(area, row, col + k, style, bytes, n, 1);
	}
}

void area_cursor(const struct area *area, int row, int col)
{
	struct page *page = area->page;
	const struct cell *cell = area_cell(area, row, col);

	page->cursor_row = cell ? (int)((cell - page->cells) / page->cols) : -1;
	page->cursor_col = cell ? (int)((cell - page->cells) % page->cols) : -1;
}
