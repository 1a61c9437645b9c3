/**
 * @file
 * The Markdown form of a reference: what rendering and importing agree on.
 */
#ifndef ENGINE_MARKDOWN_H
#define ENGINE_MARKDOWN_H

#include "documents/buf.h"
#include "stepscope/engine.h"

/** Sections: the tables before SS_TABLE_FIELDS, in that order. */
enum { MARKDOWN_SECTIONS = SS_TABLE_FIELDS, MARKDOWN_COLUMNS_MAX = 8 };

size_t markdown_columns(enum ss_table table);
const char *markdown_column(enum ss_table table, size_t column);

/** The anchor that a heading gets: lower case, dashes for spaces, no punctuation. */
void markdown_slug(struct buf *out, const char *heading, size_t length);

#endif
