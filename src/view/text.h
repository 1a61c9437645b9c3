/*
 * UTF-8 text measured in terminal columns. Nothing here asks the locale, so a
 * screen is the same on every machine.
 */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "text/utf8.h"

/** Columns of one code point: 0, 1 or 2; a control character counts as 1. */
int text_cp_width(uint32_t cp);

/** Columns the text takes; `s` ends in NUL and may be NULL (0 columns). */
int text_width(const char *s);

/** The same over `len` bytes. */
int text_width_n(const char *s, size_t len);

/**
 * How many bytes fit in `cols` columns without splitting a character; the
 * combining marks that follow the last one come along.
 *
 * @param used the columns those bytes take; may be NULL.
 */
size_t text_fit(const char *s, size_t len, int cols, int *used);

/**
 * Copy with control bytes and malformed UTF-8 replaced, cut on a character's
 * edge when it does not fit in `size` bytes with its NUL.
 *
 * @return bytes written without the NUL.
 */
size_t text_clean(char *out, size_t size, const char *s, size_t len);

/**
 * Copy into `cols` columns; what does not fit is cut and ends in "..".
 *
 * @return the columns used.
 */
int text_cut(char *out, size_t size, const char *s, int cols);

/**
 * Find the next line of text wrapped at `cols` columns (at least 1): break at
 * a space or newline, inside a word only when it alone is too long.
 *
 * @param pos   where to start; moved past the line and its break.
 * @param start where the line's bytes begin; never NULL.
 * @param len   how many they are; never NULL.
 * @return 1 while there was a line, 0 at the end of the text.
 */
int text_wrap(const char *s, size_t *pos, int cols, const char **start, size_t *len);

/**
 * Find `needle` in `hay` without regard to ASCII case.
 *
 * @return the byte offset, or -1 when absent or the needle is empty.
 */
long text_find(const char *hay, const char *needle);

#endif
