/**
 * @file
 * "Did you mean": how far two names are apart, and the closest of a list.
 */
#ifndef STEPSCOPE_NEAREST_H
#define STEPSCOPE_NEAREST_H

#include <stddef.h>

#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Edits (insert, drop, change, swap of neighbours) from `a` to `b`; case does not
 * count, and `-` and `_` are alike. Names past 127 bytes are far from everything.
 */
SS_API unsigned ss_edit_distance(const char *a, const char *b);

/**
 * The closest of `words` that could be a slip of `word`, else the shortest that
 * goes on from it, or NULL. Entries may be NULL. Borrowed from `words`.
 */
SS_API const char *ss_closest_word(const char *word, const char *const *words, size_t count);

#ifdef __cplusplus
}
#endif

#endif
