/**
 * @file
 * Tables with commas: a record a line, cells perhaps in quotes, which may hold commas,
 * doubled quotes and line ends. Lines end as on any system; a byte order mark falls.
 */
#ifndef DOCUMENTS_CSV_H
#define DOCUMENTS_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { CSV_CELLS_MAX = 256 };

/** A text being cut up in place. */
struct csv {
	char *at;    /**< where the next record begins */
	size_t next; /**< its line, from 1 */
	size_t line; /**< of the record read last */
};

/** Start; the text must end in NUL and stay. */
void csv_init(struct csv *csv, char *text);

/**
 * The next record that is not empty.
 *
 * @param cells    set to its cells, which end in NUL and lie in the text.
 * @param is_open  set when a quote is never closed.
 * @return how many there are, more than CSV_CELLS_MAX when they are not all kept; 0 at the end.
 */
size_t csv_next(struct csv *csv, char *cells[CSV_CELLS_MAX], bool *is_open);

#endif
