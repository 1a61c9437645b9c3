/**
 * @file
 * How far two names are apart, for "nearest" in messages.
 */
#ifndef SPELLING_H
#define SPELLING_H

#include <stddef.h>

/**
 * Edits from one name to the other, whatever their case, `-` and `_` alike;
 * `limit` + 1 when there are more than `limit` or a name is past 127 bytes.
 */
size_t spelling_distance(const char *a, const char *b, size_t limit);

#endif
