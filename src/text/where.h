/**
 * @file
 * Tests as they are typed, `COLUMN OP VALUE`.
 */
#ifndef TEXT_WHERE_H
#define TEXT_WHERE_H

#include <stdbool.h>
#include <stddef.h>

enum where_op { WHERE_EQ, WHERE_NE, WHERE_LT, WHERE_LE, WHERE_GT, WHERE_GE };

/**
 * Take a test apart; blanks around the operator fall.
 *
 * @param value set to what it is compared with, in `test`.
 * @return false where there is no operator, or a name that does not go into `size` bytes.
 */
bool where_split(const char *test, char *name, size_t size, enum where_op *op, const char **value);

/** Does the test hold of what is smaller (below 0), equal or greater? */
bool where_holds(enum where_op op, int order);

/** As an error says what would be right. */
#define WHERE_FORM "COLUMN OP VALUE with =, !=, <, <=, >, >="

#endif
