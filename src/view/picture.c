#include "view/picture.h"

#include <stdint.h>
#include <string.h>

/* The terminal's own colours, and the size of a cell of the SVG. */
#define PAPER 0xffffffu
#define INK 0x1f2328u
#define CELL_WIDTH 8
#define CELL_HEIGHT 17
#define BASELINE 13
#define MARGIN 8

/** Cells of one row that look alike. */
struct run {
	int row, col, cols;
	enum style_role style;
};

/* What the index of 256 colours means: 16 of the terminal, a cube of 6, greys. */
static uint32_t colour(int index, uint32_t own)
{
	static const uint32_t first[16] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
					    0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
					    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
					    0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };
	uint32_t rgb = 0;

	if (index < 0)
		return own;
	if (index < 16)
		return first[index];
	if (index >= 232)
		return (uint32_t)(8 + (index - 232) * 10) * 0x010101u;
	index -= 16;
	for (int part = 36; part; part /= 6) {
		int level = index / part % 6;

		rgb = rgb << 8 | (uint32_t)(level ? 55 + level * 40 : 0);
	}
	return rgb;
}

static uint32_t ink(const struct style_look *look)
{
	return look->attrs & ATTR_REVERSE ? colour(look->bg, PAPER) : colour(look->fg, INK);
}

static uint32_t paper(const struct style_look *look)
{
	return look->attrs & ATTR_REVERSE ? colour(look->fg, INK) : colour(look->bg, PAPER);
}

static const struct cell *cell_at(const struct page *page, int row, int col)
{
	return &page->cells[(size_t)row * (size_t)page->cols + (size_t)col];
}

/* The run that begins at a column; false past the last. */
static bool next_run(const struct page *page, struct run *run)
{
	run->col += run->cols;
	run->cols = 0;
	if (run->col >= page->cols)
		return false;
	run->style = (enum style_role)cell_at(page, run->row, run->col)->style;
	while (run->col + run->cols < page->cols &&
	       cell_at(page, run->row, run->col + run->cols)->style == (unsigned char)run->style)
		run->cols++;
	return true;
}

static void put_escaped(struct xbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			xbuf_puts(out, "&amp;");
		else if (*text == '<')
			xbuf_puts(out, "&lt;");
		else if (*text == '>')
			xbuf_puts(out, "&gt;");
		else if (*text == '"')
			xbuf_puts(out, "&quot;");
		else
			xbuf_putc(out, *text);
	}
}

static void put_run(struct xbuf *out, const struct page *page, const struct run *run)
{
	for (int i = 0; i < run->cols; i++)
		put_escaped(out, cell_at(page, run->row, run->col + i)->text);
}

static bool is_blank(const struct page *page, const struct run *run)
{
	for (int i = 0; i < run->cols; i++)
		if (strcmp(cell_at(page, run->row, run->col + i)->text, " ") != 0)
			return false;
	return true;
}

/* -- HTML ----------------------------------------------------------------------------- */

static void put_rule(struct xbuf *out, enum style_role style)
{
	const struct style_row *row = style_row(style);
	const struct style_look *look = &row->rich;

	xbuf_printf(out, ".%s{color:#%06x;background:#%06x%s%s}\n", row->name, ink(look),
		    paper(look), look->attrs & ATTR_BOLD ? ";font-weight:bold" : "",
		    look->attrs & ATTR_UNDERLINE ? ";text-decoration:underline" : "");
}

void picture_html(struct xbuf *out, const struct page *page, const char *title)
{
	xbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<title>");
	put_escaped(out, title);
	xbuf_printf(out,
		    "</title>\n<style>\nbody{background:#%06x}\n"
		    "pre{font:14px/1.2 monospace;color:#%06x}\n",
		    PAPER, INK);
	for (int i = 0; i < STYLE_COUNT; i++)
		put_rule(out, (enum style_role)i);
	xbuf_puts(out, "</style>\n</head>\n<body>\n<pre>\n");
	for (int row = 0; row < page->rows; row++) {
		struct run run = { .row = row };

		while (next_run(page, &run)) {
			xbuf_printf(out, "<span class=\"%s\">", style_row(run.style)->name);
			put_run(out, page, &run);
			xbuf_puts(out, "</span>");
		}
		xbuf_putc(out, '\n');
	}
	xbuf_puts(out, "</pre>\n</body>\n</html>\n");
}

/* -- SVG ------------------------------------------------------------------------------ */

static void put_text(struct xbuf *out, const struct page *page, const struct run *run)
{
	const struct style_look *look = &style_row(run->style)->rich;
	int x = MARGIN + run->col * CELL_WIDTH, y = MARGIN + run->row * CELL_HEIGHT;

	if (paper(look) != PAPER)
		xbuf_printf(out,
			    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
			    x, y, run->cols * CELL_WIDTH, CELL_HEIGHT, paper(look));
	if (is_blank(page, run))
		return;
	xbuf_printf(out,
		    "<text x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\" "
		    "fill=\"#%06x\"%s%s>",
		    x, y + BASELINE, run->cols * CELL_WIDTH, ink(look),
		    look->attrs & ATTR_BOLD ? " font-weight=\"bold\"" : "",
		    look->attrs & ATTR_UNDERLINE ? " text-decoration=\"underline\"" : "");
	put_run(out, page, run);
	xbuf_puts(out, "</text>\n");
}

void picture_svg(struct xbuf *out, const struct page *page, const char *title)
{
	int width = page->cols * CELL_WIDTH + 2 * MARGIN;
	int height = page->rows * CELL_HEIGHT + 2 * MARGIN;

	xbuf_printf(out,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		    "viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"13\" "
		    "xml:space=\"preserve\">\n<title>",
		    width, height, width, height);
	put_escaped(out, title);
	xbuf_printf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", width,
		    height, PAPER);
	for (int row = 0; row < page->rows; row++) {
		struct run run = { .row = row };

		while (next_run(page, &run))
			put_text(out, page, &run);
	}
	xbuf_puts(out, "</svg>\n");
}
