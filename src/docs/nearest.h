/**
 * @file
 * "Did you mean": the known word closest to one that is not known.
 */
#ifndef DOCS_NEAREST_H
#define DOCS_NEAREST_H

#include <stddef.h>

/** Edits (insert, drop, change, swap of neighbours) from `a` to `b`, case-blind; long words count
 * as far. */
unsigned edit_distance(const char *a, const char *b);

/** Most edits at which `word` is still taken for a slip of another one. */
unsigned edit_limit(const char *word);

/** The closest of `words` within the limit, else one that begins so, or NULL. Entries may be NULL.
 */
const char *closest_word(const char *word, const char *const *words, size_t count);

#endif
