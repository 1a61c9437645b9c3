#include "report/printout.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/shown.h"
#include "text/words.h"
#include "stepscope/status.h"

struct cell {
	char *text;
	char *exact; /* NULL: the text */
	enum mark mark;
};

enum block_kind { BLOCK_HEADING, BLOCK_LINE, BLOCK_TABLE, BLOCK_DATA };

struct block {
	enum block_kind kind;
	enum mark mark;
	const char *section, *beside; /* "": none, the section's own; NULL: none of CSV's */
	char *text;
	const struct column *columns;
	size_t column_count;
	bool has_header;
	struct cell *cells;
	size_t cell_count, cell_capacity;
};

struct doc {
	struct block *blocks;
	size_t count;
	const char *section, *beside; /* of the next table */
};

struct doc *doc_new(void)
{
	struct doc *doc = xcalloc(1, sizeof(*doc));

	doc->section = doc->beside = "";
	return doc;
}

void doc_free(struct doc *doc)
{
	if (!doc)
		return;
	for (size_t i = 0; i < doc->count; i++) {
		struct block *b = &doc->blocks[i];

		for (size_t k = 0; k < b->cell_count; k++) {
			free(b->cells[k].text);
			free(b->cells[k].exact);
		}
		free(b->cells);
		free(b->text);
	}
	free(doc->blocks);
	free(doc);
}

static struct block *add_block(struct doc *doc, enum block_kind kind)
{
	doc->blocks = xrealloc(doc->blocks, doc->count + 1, sizeof(*doc->blocks));
	doc->blocks[doc->count] = (struct block){ .kind = kind };
	return &doc->blocks[doc->count++];
}

SS_PRINTF(1, 0) static char *format_args(const char *format, va_list args)
{
	struct xbuf text = { 0 };

	xbuf_vprintf(&text, format, args);
	shown_buffer(&text, SHOWN_LINES);
	return text.data ? text.data : xstrdup("");
}

void doc_heading(struct doc *doc, const char *format, ...)
{
	struct block *b = add_block(doc, BLOCK_HEADING);
	va_list args;

	va_start(args, format);
	b->text = format_args(format, args);
	va_end(args);
}

void doc_line(struct doc *doc, enum mark mark, const char *format, ...)
{
	struct block *b = add_block(doc, BLOCK_LINE);
	va_list args;

	va_start(args, format);
	b->text = format_args(format, args);
	va_end(args);
	b->mark = mark;
}

void doc_section(struct doc *doc, const char *name)
{
	doc->section = name;
}

void doc_beside(struct doc *doc, const char *name)
{
	doc->beside = name;
}

void doc_table(struct doc *doc, const struct column *columns, size_t count, bool has_header)
{
	struct block *b = add_block(doc, BLOCK_TABLE);

	b->section = doc->section;
	b->beside = doc->beside;
	doc->beside = "";
	b->columns = columns;
	b->column_count = count;
	b->has_header = has_header;
}

void doc_data(struct doc *doc, const struct column *columns, size_t count)
{
	doc_table(doc, columns, count, false);
	doc->blocks[doc->count - 1].kind = BLOCK_DATA;
}

void doc_figure(struct doc *doc, enum mark mark, const char *text, const char *exact)
{
	struct block *b = &doc->blocks[doc->count - 1];
	struct xbuf shown = { 0 };

	if (b->cell_count == b->cell_capacity) {
		b->cell_capacity = b->cell_capacity ? b->cell_capacity * 2 : 32;
		b->cells = xrealloc(b->cells, b->cell_capacity, sizeof(*b->cells));
	}
	/* CSV has the text as it is. */
	if (!exact && !shown_is_plain(text, strlen(text), SHOWN_LINES))
		exact = text;
	shown_add(&shown, text, strlen(text), SHOWN_LINES);
	b->cells[b->cell_count++] = (struct cell){ shown.data ? shown.data : xstrdup(""),
						   exact ? xstrdup(exact) : NULL, mark };
}

void doc_cell(struct doc *doc, enum mark mark, const char *text)
{
	doc_figure(doc, mark, text, NULL);
}

void doc_number(struct doc *doc, enum mark mark, const char *text, double exact)
{
	doc_figure(doc, mark, text, number_plain(exact).text);
}

void doc_count(struct doc *doc, enum mark mark, long long count)
{
	char exact[32];

	(void)snprintf(exact, sizeof(exact), "%lld", count);
	doc_figure(doc, mark, number_count(count).text, exact);
}

/* -- text ----------------------------------------------------------------------------- */

/** Columns of text for a person; longer last cells go on in a line below. */
#define TEXT_WIDTH 100

static const char *mark_text(enum mark mark)
{
	switch (mark) {
	case MARK_ASSUMED:
		return "~";
	case MARK_DIVERGES:
		return "!";
	case MARK_DIFFERS:
		return "*";
	case MARK_REFUSED:
		return "x";
	case MARK_NONE:
	case MARK_STRONG:
	case MARK_DIM:
		break;
	}
	return "";
}

static const char *mark_color(enum mark mark)
{
	switch (mark) {
	case MARK_ASSUMED:
		return "\033[33m";
	case MARK_DIVERGES:
		return "\033[35m";
	case MARK_DIFFERS:
		return "\033[36m";
	case MARK_REFUSED:
		return "\033[31m";
	case MARK_STRONG:
		return "\033[1m";
	case MARK_DIM:
		return "\033[2m";
	case MARK_NONE:
		break;
	}
	return "";
}

static void put_colored(struct xbuf *out, const char *text, size_t len, enum mark mark,
			bool use_color)
{
	const char *color = use_color ? mark_color(mark) : "";

	xbuf_puts(out, color);
	xbuf_add(out, text, len);
	if (*color)
		xbuf_puts(out, "\033[0m");
}

/** Where a line of at most `width` columns ends: at a blank; a longer word stays whole. */
static size_t line_end(const char *text, size_t width)
{
	size_t at = 0, columns = 0, blank = 0;

	for (; text[at] && text[at] != '\n'; at++) {
		columns += ((unsigned char)text[at] & 0xc0) != 0x80;
		if (columns > width && blank)
			return blank;
		if (text[at] == ' ')
			blank = at;
	}
	return at;
}

/** Text broken at `width`, its further lines indented. */
static void put_wrapped(struct xbuf *out, const char *text, size_t indent, size_t width,
			enum mark mark, bool use_color)
{
	for (;;) {
		size_t len = line_end(text, width);

		put_colored(out, text, len, mark, use_color);
		text += len;
		while (*text == ' ' || *text == '\n')
			text++;
		if (!*text)
			break;
		xbuf_putc(out, '\n');
		xbuf_pad(out, ' ', indent);
	}
	xbuf_putc(out, '\n');
}

static size_t cell_columns(const struct cell *cell)
{
	return text_columns(cell->text) + (*mark_text(cell->mark) ? 2 : 0);
}

#define COLUMNS_MAX 32

static void measure(const struct block *b, size_t widths[COLUMNS_MAX])
{
	for (size_t c = 0; c < b->column_count; c++)
		widths[c] = b->has_header ? text_columns(b->columns[c].title) : 0;
	for (size_t i = 0; i < b->cell_count; i++) {
		size_t width = cell_columns(&b->cells[i]);
		size_t c = i % b->column_count;

		if (width > widths[c])
			widths[c] = width;
	}
}

static void put_titles(struct xbuf *out, const struct block *b, const size_t *widths,
		       bool use_color)
{
	struct xbuf line = { 0 };

	for (size_t c = 0; c < b->column_count; c++) {
		const char *title = b->columns[c].title;
		size_t pad = widths[c] - text_columns(title);

		xbuf_puts(&line, c ? "  " : "");
		xbuf_pad(&line, ' ', b->columns[c].is_right ? pad : 0);
		xbuf_puts(&line, title);
		xbuf_pad(&line, ' ', b->columns[c].is_right ? 0 : pad);
	}
	while (line.len && line.data[line.len - 1] == ' ')
		line.data[--line.len] = '\0';
	xbuf_puts(out, "  ");
	put_colored(out, xbuf_text(&line), line.len, MARK_DIM, use_color);
	xbuf_putc(out, '\n');
	xbuf_release(&line);
}

/** Is the cell and all that follow it in its row empty? */
static bool is_rest_empty(const struct block *b, size_t cell)
{
	do {
		if (cell_columns(&b->cells[cell]))
			return false;
		cell++;
	} while (cell < b->cell_count && cell % b->column_count);
	return true;
}

static void put_cell(struct xbuf *out, const struct block *b, size_t i, const size_t *widths,
		     size_t indent, bool use_color)
{
	const struct cell *cell = &b->cells[i];
	size_t c = i % b->column_count;
	size_t pad = widths[c] - cell_columns(cell);
	const char *mark = mark_text(cell->mark);

	if (c + 1 == b->column_count && !b->columns[c].is_right) {
		if (*mark)
			xbuf_printf(out, "%s ", mark);
		put_wrapped(out, cell->text, indent,
			    indent + 30 < TEXT_WIDTH ? TEXT_WIDTH - indent : 30, cell->mark,
			    use_color);
		return;
	}
	xbuf_pad(out, ' ', b->columns[c].is_right ? pad : 0);
	put_colored(out, cell->text, strlen(cell->text), cell->mark, use_color);
	if (*mark)
		xbuf_printf(out, " %s", mark);
	if (c + 1 == b->column_count || is_rest_empty(b, i + 1)) {
		xbuf_putc(out, '\n');
		return;
	}
	xbuf_pad(out, ' ', b->columns[c].is_right ? 0 : pad);
	xbuf_puts(out, "  ");
}

static void put_table(struct xbuf *out, const struct block *b, bool use_color)
{
	size_t widths[COLUMNS_MAX] = { 0 };
	size_t indent = 2;

	if (!b->cell_count) {
		xbuf_puts(out, "  none\n");
		return;
	}
	measure(b, widths);
	for (size_t c = 0; c + 1 < b->column_count; c++)
		indent += widths[c] + 2;
	if (b->has_header)
		put_titles(out, b, widths, use_color);
	for (size_t i = 0; i < b->cell_count; i++) {
		size_t c = i % b->column_count;

		if (!c)
			xbuf_puts(out, "  ");
		put_cell(out, b, i, widths, indent, use_color);
		/* What the row has left is empty and was not padded. */
		if (c + 1 < b->column_count && out->data[out->len - 1] == '\n')
			i += b->column_count - 1 - c;
	}
}

void doc_render_text(struct xbuf *out, const struct doc *doc, bool use_color)
{
	for (size_t i = 0; i < doc->count; i++) {
		const struct block *b = &doc->blocks[i];

		switch (b->kind) {
		case BLOCK_HEADING:
			if (i)
				xbuf_putc(out, '\n');
			put_colored(out, b->text, strlen(b->text), MARK_STRONG, use_color);
			xbuf_putc(out, '\n');
			break;
		case BLOCK_LINE:
			if (*mark_text(b->mark))
				xbuf_printf(out, "%s ", mark_text(b->mark));
			put_wrapped(out, b->text, 2, TEXT_WIDTH - 2, b->mark, use_color);
			break;
		case BLOCK_TABLE:
			put_table(out, b, use_color);
			break;
		case BLOCK_DATA:
			break;
		}
	}
}

/* -- CSV ------------------------------------------------------------------------------ */

void csv_field(struct xbuf *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		xbuf_puts(out, text);
		return;
	}
	xbuf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			xbuf_putc(out, '"');
		xbuf_putc(out, *text);
	}
	xbuf_putc(out, '"');
}

static bool is_table(const struct block *b)
{
	return (b->kind == BLOCK_TABLE || b->kind == BLOCK_DATA) && b->beside;
}

static bool is_same_table(const struct block *a, const struct block *b)
{
	return a->columns == b->columns && !strcmp(a->section, b->section) &&
	       !strcmp(a->beside, b->beside);
}

/** The first block of a table; NULL past the last. */
static const struct block *first_of(const struct doc *doc, size_t table)
{
	for (size_t i = 0; i < doc->count; i++) {
		const struct block *b = &doc->blocks[i];
		bool is_first = is_table(b);

		for (size_t j = 0; is_first && j < i; j++)
			is_first = !is_table(&doc->blocks[j]) || !is_same_table(&doc->blocks[j], b);
		if (is_first && !table--)
			return b;
	}
	return NULL;
}

size_t doc_tables(const struct doc *doc)
{
	size_t count = 0;

	while (first_of(doc, count))
		count++;
	return count;
}

size_t doc_own_table(const struct doc *doc)
{
	const struct block *b;

	for (size_t i = 0; (b = first_of(doc, i)); i++)
		if (!*b->beside)
			return i;
	return 0;
}

const char *doc_table_section(const struct doc *doc, size_t table)
{
	return first_of(doc, table)->section;
}

char *doc_table_name(const struct doc *doc, size_t table)
{
	const struct block *b = first_of(doc, table);
	struct xbuf name = { 0 };

	xbuf_printf(&name, "%s%s%s", b->section, *b->section && *b->beside ? "-" : "", b->beside);
	return name.data ? name.data : xstrdup("");
}

static void put_rows(struct xbuf *out, const struct block *b)
{
	for (size_t k = 0; k < b->cell_count; k++) {
		const struct cell *cell = &b->cells[k];

		csv_field(out, cell->exact ? cell->exact : cell->text);
		xbuf_putc(out, (k + 1) % b->column_count ? ',' : '\n');
	}
}

void doc_render_csv(struct xbuf *out, const struct doc *doc, size_t table)
{
	const struct block *first = first_of(doc, table);

	for (size_t c = 0; c < first->column_count; c++)
		xbuf_printf(out, "%s%s", c ? "," : "", first->columns[c].key);
	xbuf_putc(out, '\n');
	for (size_t i = 0; i < doc->count; i++)
		if (is_table(&doc->blocks[i]) && is_same_table(first, &doc->blocks[i]))
			put_rows(out, &doc->blocks[i]);
}

/* -- Markdown ------------------------------------------------------------------------- */

void markdown_field(struct xbuf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '|')
			xbuf_putc(out, '\\');
		if (*c == '\n')
			xbuf_puts(out, "<br>");
		else
			xbuf_putc(out, *c);
	}
}

static void markdown_cell(struct xbuf *out, const struct cell *cell)
{
	markdown_field(out, cell->text);
	if (*mark_text(cell->mark))
		xbuf_printf(out, " %s", mark_text(cell->mark));
}

static void markdown_table(struct xbuf *out, const struct block *b)
{
	if (out->len)
		xbuf_putc(out, '\n');
	for (size_t c = 0; c < b->column_count; c++)
		xbuf_printf(out, "| %s ", b->columns[c].title);
	xbuf_puts(out, "|\n");
	for (size_t c = 0; c < b->column_count; c++)
		xbuf_puts(out, b->columns[c].is_right ? "| ---: " : "| --- ");
	xbuf_puts(out, "|\n");
	for (size_t i = 0; i < b->cell_count; i++) {
		xbuf_puts(out, "| ");
		markdown_cell(out, &b->cells[i]);
		xbuf_puts(out, (i + 1) % b->column_count ? " " : " |\n");
	}
	xbuf_putc(out, '\n');
}

void doc_render_markdown(struct xbuf *out, const struct doc *doc)
{
	bool is_first = true;

	for (size_t i = 0; i < doc->count; i++) {
		const struct block *b = &doc->blocks[i];

		switch (b->kind) {
		case BLOCK_HEADING:
			xbuf_printf(out, "%s%s %s\n", is_first ? "" : "\n", is_first ? "#" : "##",
				    b->text);
			is_first = false;
			break;
		case BLOCK_LINE:
			xbuf_printf(out, "\n%s%s%s\n", mark_text(b->mark),
				    *mark_text(b->mark) ? " " : "", b->text);
			break;
		case BLOCK_TABLE:
			markdown_table(out, b);
			break;
		case BLOCK_DATA:
			break;
		}
	}
}
