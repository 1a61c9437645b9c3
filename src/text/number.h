/*
 * Every quantity a person reads or types passes here: one way to write a time,
 * a size, a share, and one way to read them. SI units inside.
 *
 * Each function returns the text by value, so that it can stand in a call:
 * printf("%s", number_time(s).text). What is not finite is written as "?".
 */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_text {
	char text[40];
};

enum number_unit {
	NUMBER_NS,
	NUMBER_US,
	NUMBER_MS,
	NUMBER_S,
};

/** The unit a time reads best in: 25.22 ms, 434.0 us, 1.24 s. */
enum number_unit number_time_unit(double seconds);

/** "ns", "us", "ms", "s". */
const char *number_unit_name(enum number_unit unit);

/** A time in the unit it reads best in: "25.22 ms", "434.0 us". */
struct number_text number_time(double seconds);

/** A time as a bare figure in a given unit, for columns: "25.22". */
struct number_text number_time_in(double seconds, enum number_unit unit, int decimals);

/** A difference with its sign: "-6.37 ms", "+0.43 ms". */
struct number_text number_time_signed(double seconds);

/** Powers of 1000: "38.1 GB"; below 1000 "512 B". */
struct number_text number_bytes(double bytes);

/** Powers of 1024: "78.11 GiB", "137.25 MiB"; below 1024 "512 B". */
struct number_text number_bytes_binary(double bytes);

/** Bare GiB for columns: "78.11". */
struct number_text number_gib(double bytes, int decimals);

/** A signed difference of sizes: "-1.25 GiB". */
struct number_text number_bytes_signed(double bytes);

/** Rounded, with separators: "1,319,808". */
struct number_text number_count(double value);

/** Powers of 1000 to three digits, for axes: "4.1k", "1.32M", "322". */
struct number_text number_short(double value);

/** With separators and this many decimals: "3,544.4". */
struct number_text number_fixed(double value, int decimals);

/** A share as vLLM writes them: "0.90", with more decimals where it has them: "0.925". */
struct number_text number_share(double value);

/** As number_fixed(), always with a sign: "+0.123". */
struct number_text number_signed(double value, int decimals);

/** A fraction as a share: 0.123 is "12.3 %". */
struct number_text number_percent(double fraction, int decimals);

/** Per second in powers of 1000: number_rate(4.8e12, "B") is "4.80 TB/s". */
struct number_text number_rate(double per_second, const char *unit);

/** The shortest text that reads back as the same double: "0.9", "3.2e-06". */
struct number_text number_plain(double value);

/** What number_parse() could not take. */
enum number_error {
	NUMBER_OK,
	NUMBER_EMPTY,
	NUMBER_NOT,      /**< not a number, or with something after it */
	NUMBER_FRACTION, /**< a suffix of 1024 or a whole number asked for, with a fraction */
	NUMBER_RANGE,    /**< not finite, or too large to be exact */
};

/**
 * Read a number as people and vLLM write it: `4096`, `0.9`, `1e-3`, `32k` and
 * `25.6k` (k m g t are powers of 1000), `32K` (K M G T are powers of 1024, of
 * whole numbers only). Blanks around it are fine.
 *
 * @param out written on success only.
 */
enum number_error number_parse(double *out, const char *text);

/** The same for a whole number; out of int64_t's exact range is NUMBER_RANGE. */
enum number_error number_parse_whole(int64_t *out, const char *text);

/**
 * Read a number with a unit into SI: `3.2 us`, `25ms`, `0.8 GiB`, `38 GB`,
 * `450 GB/s`, `12 %`. A bare number is taken in `unit`.
 *
 * @param unit as "us", "GiB", "%"; NULL or an unknown one counts as 1.
 */
enum number_error number_parse_unit(double *out, const char *text, const char *unit);

/** One line saying what would be right; borrowed, without a full stop. */
const char *number_error_text(enum number_error error);

#endif
