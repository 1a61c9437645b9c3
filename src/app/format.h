/**
 * @file
 * How figures read: the one place that turns SI numbers into text for a person.
 */
#ifndef APP_FORMAT_H
#define APP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A short text by value, so that calls can stand in a print's arguments. */
struct shown {
	char text[48];
};

/** Thousands apart: `1,319,808`. */
struct shown show_count(int64_t count);
/** The same of a rounded number; `-` when it is not finite. */
struct shown show_rounded(double number);
/** Seconds with a unit that suits: `25.22 ms`, `434.0 us`, `1.24 s`, `0`. */
struct shown show_time(double seconds);
/** Milliseconds without their unit, for columns: `25.22`, `0.0032`. */
struct shown show_ms(double seconds);
/** Bytes of memory: `78.11 GiB`, `137.25 MiB`, `35,136 B`. */
struct shown show_bytes(double bytes);
/** GiB without the unit, two digits, for columns. */
struct shown show_gib(double bytes);
/** A share as percent: `64.1 %`. */
struct shown show_percent(double share);
/** A plain number, six digits at most: `3.2`, `0.123`, `4.5e+06`. */
struct shown show_number(double number);
/** As many digits as bring the same double back. */
struct shown show_exact(double number);

/** Columns a UTF-8 text of single-width letters takes. */
size_t text_columns(const char *text);

/** Letters to change to make one word the other; case does not count. */
size_t text_distance(const char *a, const char *b);
/** The word of a list nearest to `word`; NULL when none is close. */
const char *text_nearest(const char *word, const char *const *words, size_t count);

/** Decimal digits only, within [0, max]? */
bool read_count(const char *text, int64_t max, int64_t *out);
/** A finite number with nothing behind it? */
bool read_number(const char *text, double *out);

#endif
