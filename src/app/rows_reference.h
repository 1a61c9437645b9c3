/*
 * The tables of an engine's architecture reference as rows of the Engine pane.
 */
#ifndef APP_ROWS_REFERENCE_H
#define APP_ROWS_REFERENCE_H

#include "app/table.h"
#include "stepscope/engine.h"

/**
 * Add the tree of owners with their fields, then every other table, each under
 * its heading and notices: the key, what it is, the rest as one text.
 */
void rows_reference(struct table *table, const struct ss_reference *reference);

/** The id of the row that stands for a row of a table. */
int rows_reference_id(enum ss_table table, size_t row);

/** All cells of such a row and its links both ways. False: the id is of no such row. */
bool rows_reference_detail(const struct ss_reference *reference, int id, struct xbuf *out);

/** A text of its own under a heading, as wide as a small screen shows. */
void rows_notice(struct table *table, const char *text);

#endif
