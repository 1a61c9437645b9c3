/**
 * @file
 * What a command prints, before it is known how: headings, lines and tables.
 * Written once by the command, rendered as text, CSV or Markdown.
 */
#ifndef REPORT_PRINTOUT_H
#define REPORT_PRINTOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "text/xbuf.h"

/** What a cell or line is, shown by a mark and, on a terminal, a colour. */
enum mark {
	MARK_NONE,
	MARK_ASSUMED,  /**< `~` */
	MARK_DIVERGES, /**< `!` overridden, or a law that differs from the engine */
	MARK_DIFFERS,  /**< `*` */
	MARK_REFUSED,  /**< `x` */
	MARK_STRONG,
	MARK_DIM,
};

/** A column. `key` names it in CSV. */
struct column {
	const char *title, *key;
	bool is_right;
};

struct doc; /**< opaque */

struct doc *doc_new(void);
void doc_free(struct doc *doc);

/** What follows belongs to this section: its table is called so in CSV. Borrowed, static. */
void doc_section(struct doc *doc, const char *name);
/** The next table is not the section's own but this one beside it; NULL: none of CSV's. */
void doc_beside(struct doc *doc, const char *name);

void doc_heading(struct doc *doc, const char *format, ...) SS_PRINTF(2, 3);
/** A line of text; not part of CSV, see doc_data(). */
void doc_line(struct doc *doc, enum mark mark, const char *format, ...) SS_PRINTF(3, 4);

/**
 * Start a table; rows follow. Columns are borrowed and must be static.
 *
 * @param has_header  show the titles in text (CSV and Markdown always do).
 */
void doc_table(struct doc *doc, const struct column *columns, size_t count, bool has_header);
/** The same, for CSV alone: what text and Markdown say in lines. */
void doc_data(struct doc *doc, const struct column *columns, size_t count);
/** The next cell of the row; a full row starts the next one. */
void doc_cell(struct doc *doc, enum mark mark, const char *text);
/** A cell that reads otherwise in CSV, where figures are in SI units at full precision. */
void doc_figure(struct doc *doc, enum mark mark, const char *text, const char *exact);
void doc_number(struct doc *doc, enum mark mark, const char *text, double exact);
void doc_count(struct doc *doc, enum mark mark, long long count);

void doc_render_text(struct xbuf *out, const struct doc *doc, bool use_color);
/**
 * Tables of a doc for CSV, in order; those of one name and the same columns are one.
 */
size_t doc_tables(const struct doc *doc);
/** The first that stands beside no other; 0 when all do. */
size_t doc_own_table(const struct doc *doc);
/** The section of a table, "" when none was begun; borrowed. */
const char *doc_table_section(const struct doc *doc, size_t table);
/** `SECTION`, or `SECTION-BESIDE`, for the caller to free. */
char *doc_table_name(const struct doc *doc, size_t table);
void doc_render_csv(struct xbuf *out, const struct doc *doc, size_t table);
void doc_render_markdown(struct xbuf *out, const struct doc *doc);

/** One CSV field, quoted where it must be. */
void csv_field(struct xbuf *out, const char *text);
/** One Markdown cell, its pipes and line ends escaped. */
void markdown_field(struct xbuf *out, const char *text);

#endif
