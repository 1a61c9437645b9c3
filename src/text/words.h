/**
 * @file
 * Words: how wide, and read as numbers.
 */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/number.h"

/** A value as a person reads it: six digits, whole thousands apart. */
struct number_text show_value(double value);

/** Columns a UTF-8 text of single-width letters takes. */
size_t text_columns(const char *text);

/**
 * Ascending sizes as ranges: `1,2,4,8..248:+8,256..512:+16`, as axes are written.
 * At least three that are equally far apart make a range. "none" for no sizes.
 */
void sizes_text(char *out, size_t size, const int64_t *sizes, size_t count);

/** A whole number as number_parse_whole() has it, within [0, max]? */
bool read_count(const char *text, int64_t max, int64_t *out);
/** A number as number_parse() has it? */
bool word_number(const char *text, double *out);

#endif
