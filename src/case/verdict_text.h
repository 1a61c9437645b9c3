/**
 * @file
 * Marks of a verdict, for wherever a price or a setting is shown.
 */
#ifndef CASE_VERDICT_TEXT_H
#define CASE_VERDICT_TEXT_H

#include <stddef.h>

#include "stepscope/kernel.h"

/**
 * "DOES NOT FIT by 34.92 GiB (weights)", "BATCH DOES NOT FIT by 3.39 GiB", "ABOVE
 * max_num_seqs 256".
 *
 * @param term the largest term at fault, as struct ss_fit has it; "": not named.
 */
void verdict_mark(char *out, size_t size, const struct ss_verdict *verdict, enum ss_verdict_id id,
		  const char *term);

/** The first line that does not hold; SS_VERDICT_COUNT when all do. */
enum ss_verdict_id verdict_first(const struct ss_verdict *verdict);

/** "does not fit", "batch does not fit", "above max_num_seqs": the first; "" when all hold. */
void verdict_word(char *out, size_t size, const struct ss_verdict *verdict);

#endif
