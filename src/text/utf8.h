/**
 * @file
 * UTF-8 taken apart and put together, whatever the locale.
 */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What stands for a control byte or a byte that is not UTF-8. */
#define TEXT_REPLACEMENT '?'

/**
 * Take one code point off the text.
 *
 * @param cp the code point, or TEXT_REPLACEMENT for a malformed byte; never
 *           NULL.
 * @return bytes used, 1 to 4; 0 only when `len` is 0.
 */
size_t text_decode(const char *s, size_t len, uint32_t *cp);

/** Write a code point as UTF-8 without NUL; returns 1 to 4 bytes. */
size_t text_encode(char out[4], uint32_t cp);

/**
 * Does a code point do something to a terminal or to the order of what stands beside
 * it: controls, bidirectional marks and overrides, line separators?
 */
bool text_acts(uint32_t cp);

#endif
