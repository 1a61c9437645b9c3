/**
 * @file
 * Importing a Markdown reference: lines to rows to a pack.
 */
#ifndef ENGINE_IMPORT_H
#define ENGINE_IMPORT_H

#include <cjson/cJSON.h>

#include "documents/buf.h"
#include "engine/markdown.h"
#include "stepscope/engine.h"

enum { IMPORT_CELLS_MAX = 24 };

/** Cells of one row, each ending in NUL, and the line each stands on. */
struct import_row {
	char *cells[IMPORT_CELLS_MAX];
	size_t count;
	size_t line;
};

/** One import under way. */
struct importer {
	const char *file;
	struct ss_problems *problems;
	size_t errors;
	bool is_out_of_memory;
	cJSON *lists[MARKDOWN_SECTIONS];
	size_t *lines[MARKDOWN_SECTIONS]; /* line of each row of the list */
	size_t line_capacity[MARKDOWN_SECTIONS];
	size_t rows[MARKDOWN_SECTIONS];
	size_t errors_in[MARKDOWN_SECTIONS];
	size_t heading_line[MARKDOWN_SECTIONS]; /* 0: not seen */
};

/** What is wrong: the form of the text, or what one cell says. */
extern const char import_form[];
extern const char import_value[];

/** Report one fault of a line; `code` is one of the two, or that of the pack's check. */
void import_fault(struct importer *importer, const char *code, size_t line, const char *format, ...)
	SS_PRINTF(4, 5);

/** Make a row of the pack from the cells, which are as many as the table has. */
void import_row(struct importer *importer, enum ss_table table, struct import_row *row);

#endif
