/**
 * @file
 * The limit of a slip, beside the public "did you mean" of stepscope/nearest.h.
 */
#ifndef DOCUMENTS_NEAREST_H
#define DOCUMENTS_NEAREST_H

#include "stepscope/nearest.h"

/** Most edits at which `word` is still taken for a slip of another one. */
unsigned edit_limit(const char *word);

#endif
