/*
 * The tables of an engine's architecture reference as rows of the Engine pane.
 */
#ifndef APP_ROWS_REFERENCE_H
#define APP_ROWS_REFERENCE_H

#include "app/table.h"
#include "stepscope/engine.h"

/** Add every table under its heading: the key, what it is, the rest as one text. */
void rows_reference(struct table *table, const struct ss_reference *reference);

#endif
