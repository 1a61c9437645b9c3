#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_LIMIT 9007199254740992.0 /* 2^53 */

/* A unit is a power of ten, or a power of 1024. */
struct unit {
	const char *name;
	int tens, kibis;
};

/* clang-format off */
static const struct unit units[] = {
	{ "ns", -9, 0 },     { "us", -6, 0 },  { "ms", -3, 0 },  { "s", 0, 0 },
	{ "B", 0, 0 },       { "kB", 3, 0 },   { "MB", 6, 0 },   { "GB", 9, 0 },
	{ "TB", 12, 0 },     { "KiB", 0, 1 },  { "MiB", 0, 2 },  { "GiB", 0, 3 },
	{ "TiB", 0, 4 },     { "GB/s", 9, 0 }, { "TB/s", 12, 0 }, { "TFLOP/s", 12, 0 },
	{ "GHz", 9, 0 },     { "MHz", 6, 0 },  { "%", -2, 0 },
	/* what vLLM appends to a length */
	{ "k", 3, 0 },       { "m", 6, 0 },    { "g", 9, 0 },    { "t", 12, 0 },
	{ "K", 0, 1 },       { "M", 0, 2 },    { "G", 0, 3 },    { "T", 0, 4 },
};
/* clang-format on */

static struct number_text unknown(void)
{
	struct number_text t = { "?" };

	return t;
}

/* "1234567.89" to "1,234,567.89", and no sign on what rounds to nothing. */
static struct number_text grouped(const char *plain, bool has_plus)
{
	struct number_text t = { "" };
	bool is_negative = plain[0] == '-';
	const char *digits = plain + is_negative;
	size_t whole = strspn(digits, "0123456789"), put = 0, i;

	if (is_negative && digits[strspn(digits, "0.")] == '\0')
		is_negative = false;
	if (is_negative)
		t.text[put++] = '-';
	else if (has_plus)
		t.text[put++] = '+';
	for (i = 0; digits[i] && put + 2 < sizeof(t.text); i++) {
		if (i > 0 && i < whole && (whole - i) % 3 == 0)
			t.text[put++] = ',';
		t.text[put++] = digits[i];
	}
	t.text[put] = '\0';
	return t;
}

static struct number_text fixed(double value, int decimals, bool has_plus)
{
	struct number_text t;
	char plain[64];

	if (!isfinite(value))
		return unknown();
	if (fabs(value) >= 1e18) {
		(void)snprintf(t.text, sizeof(t.text), has_plus ? "%+.3e" : "%.3e", value);
		return t;
	}
	(void)snprintf(plain, sizeof(plain), "%.*f", decimals, value);
	return grouped(plain, has_plus);
}

static struct number_text with_unit(struct number_text number, const char *blank,
				    const char *prefix, const char *unit)
{
	struct number_text t;
	int n = snprintf(t.text, sizeof(t.text), "%s%s%s%s", number.text, blank, prefix, unit);

	return n < 0 || (size_t)n >= sizeof(t.text) ? unknown() : t;
}

struct number_text number_fixed(double value, int decimals)
{
	return fixed(value, decimals, false);
}

struct number_text number_share(double value)
{
	int decimals = 2;

	while (decimals < 6 &&
	       fabs(value - round(value * pow(10, decimals)) / pow(10, decimals)) > 1e-9)
		decimals++;
	return fixed(value, decimals, false);
}

struct number_text number_signed(double value, int decimals)
{
	return fixed(value, decimals, true);
}

struct number_text number_count(double value)
{
	return fixed(value, 0, false);
}

static const struct {
	const char *name;
	double seconds;
	int decimals;
} time_units[] = {
	[NUMBER_NS] = { "ns", 1e-9, 1 },
	[NUMBER_US] = { "us", 1e-6, 1 },
	[NUMBER_MS] = { "ms", 1e-3, 2 },
	[NUMBER_S] = { "s", 1, 2 },
};

enum number_unit number_time_unit(double seconds)
{
	double s = fabs(seconds);

	/* the edges are where the smaller unit would round up to 1000 */
	if (s >= 0.999995)
		return NUMBER_S;
	if (s >= 0.99995e-3 || s == 0)
		return NUMBER_MS;
	return s >= 0.99995e-6 ? NUMBER_US : NUMBER_NS;
}

const char *number_unit_name(enum number_unit unit)
{
	return time_units[unit].name;
}

struct number_text number_time_in(double seconds, enum number_unit unit, int decimals)
{
	return fixed(seconds / time_units[unit].seconds, decimals, false);
}

static struct number_text time_text(double seconds, bool has_plus)
{
	enum number_unit unit;

	if (!isfinite(seconds))
		return unknown();
	unit = number_time_unit(seconds);
	return with_unit(
		fixed(seconds / time_units[unit].seconds, time_units[unit].decimals, has_plus), " ",
		time_units[unit].name, "");
}

struct number_text number_time(double seconds)
{
	return time_text(seconds, false);
}

struct number_text number_time_signed(double seconds)
{
	return time_text(seconds, true);
}

/* Scale down while it would still be written with four digits. */
static int scale(double *value, double step, double rounding, int most)
{
	int power = 0;

	while (power < most && fabs(*value) >= step - rounding) {
		*value /= step;
		power++;
	}
	return power;
}

struct number_text number_bytes(double bytes)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	int power;

	if (!isfinite(bytes))
		return unknown();
	power = scale(&bytes, 1000, 0.05, 5);
	return with_unit(fixed(bytes, power ? 1 : 0, false), " ", prefixes[power], "B");
}

static struct number_text binary_text(double bytes, bool has_plus)
{
	static const char *const prefixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi" };
	int power;

	if (!isfinite(bytes))
		return unknown();
	power = scale(&bytes, 1024, 0.005, 5);
	return with_unit(fixed(bytes, power ? 2 : 0, has_plus), " ", prefixes[power], "B");
}

struct number_text number_bytes_binary(double bytes)
{
	return binary_text(bytes, false);
}

struct number_text number_bytes_signed(double bytes)
{
	return binary_text(bytes, true);
}

struct number_text number_gib(double bytes, int decimals)
{
	return fixed(bytes / 1073741824.0, decimals, false);
}

/* Three digits: 4.10, 41.0, 410. */
static int three_digits(double value)
{
	double v = fabs(value);

	return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
}

struct number_text number_short(double value)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	struct number_text t;
	int power;

	if (!isfinite(value))
		return unknown();
	power = scale(&value, 1000, 0.5, 5);
	t = fixed(value, three_digits(value), false);
	if (strchr(t.text, '.')) {
		size_t n = strlen(t.text);

		while (t.text[n - 1] == '0')
			t.text[--n] = '\0';
		if (t.text[n - 1] == '.')
			t.text[--n] = '\0';
	}
	return with_unit(t, "", prefixes[power], "");
}

struct number_text number_percent(double fraction, int decimals)
{
	return with_unit(fixed(fraction * 100, decimals, false), " ", "%", "");
}

struct number_text number_rate(double per_second, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	char whole[24];
	int power;

	if (!isfinite(per_second))
		return unknown();
	power = scale(&per_second, 1000, 0.5, 5);
	(void)snprintf(whole, sizeof(whole), "%s/s", unit);
	return with_unit(fixed(per_second, three_digits(per_second), false), " ", prefixes[power],
			 whole);
}

struct number_text number_plain(double value)
{
	struct number_text t;
	int digits;

	if (!isfinite(value))
		return unknown();
	for (digits = 1; digits <= 17; digits++) {
		(void)snprintf(t.text, sizeof(t.text), "%.*g", digits, value);
		if (strtod(t.text, NULL) == value)
			break;
	}
	/* 1e+02 is shortest for 100, but not how anyone writes it */
	if (fabs(value) < 1e15 && value == floor(value))
		(void)snprintf(t.text, sizeof(t.text), "%.0f", value == 0 ? 0.0 : value);
	return t;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* A number as it was typed, taken apart. */
struct typed {
	const char *digits; /**< sign, digits and point: `digits_len` bytes */
	size_t digits_len;
	long exponent;
	bool has_fraction;
	const char *rest;
};

/* Only decimal numbers: strtod() alone would take hexadecimal and "inf". */
static enum number_error take_apart(struct typed *out, const char *text)
{
	const char *s = skip_blanks(text);
	size_t whole, part = 0;

	if (*s == '\0')
		return NUMBER_EMPTY;
	out->digits = s;
	s += *s == '+' || *s == '-';
	whole = strspn(s, "0123456789");
	s += whole;
	out->has_fraction = *s == '.';
	if (out->has_fraction) {
		part = strspn(s + 1, "0123456789");
		s += part + 1;
	}
	if (whole + part == 0)
		return NUMBER_NOT;
	out->digits_len = (size_t)(s - out->digits);
	out->exponent = 0;
	if (*s == 'e' || *s == 'E') {
		const char *e = s + 1 + (s[1] == '+' || s[1] == '-');
		size_t n = strspn(e, "0123456789");

		if (n == 0)
			return NUMBER_NOT;
		/* so large an exponent is out of range whatever its digits */
		out->exponent = n > 6 ? (s[1] == '-' ? -999999 : 999999) : strtol(s + 1, NULL, 10);
		s = e + n;
	}
	out->rest = s;
	return NUMBER_OK;
}

/* The power of ten joins the exponent, so that 3.2 us is exactly 3.2e-6. */
static enum number_error put_together(double *out, const struct typed *typed,
				      const struct unit *unit)
{
	char text[400];
	double value;
	int n, i;

	n = snprintf(text, sizeof(text), "%.*se%ld", (int)(typed->digits_len % sizeof(text)),
		     typed->digits, typed->exponent + (unit ? unit->tens : 0));
	if (n < 0 || (size_t)n >= sizeof(text) || typed->digits_len >= sizeof(text))
		return NUMBER_RANGE;
	value = strtod(text, NULL);
	for (i = 0; unit && i < unit->kibis; i++)
		value *= 1024;
	if (!isfinite(value))
		return NUMBER_RANGE;
	*out = value;
	return NUMBER_OK;
}

static const struct unit *unit_named(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && memcmp(units[i].name, name, len) == 0)
			return &units[i];
	return NULL;
}

enum number_error number_parse(double *out, const char *text)
{
	const struct unit *suffix = NULL;
	enum number_error error;
	struct typed typed;

	error = take_apart(&typed, text);
	if (error)
		return error;
	if (*typed.rest && strchr("kmgtKMGT", *typed.rest)) {
		suffix = unit_named(typed.rest, 1);
		typed.rest++;
	}
	if (*skip_blanks(typed.rest))
		return NUMBER_NOT;
	if (suffix && suffix->kibis > 0 && typed.has_fraction)
		return NUMBER_FRACTION;
	return put_together(out, &typed, suffix);
}

enum number_error number_parse_whole(int64_t *out, const char *text)
{
	enum number_error error;
	double value;

	error = number_parse(&value, text);
	if (error)
		return error;
	if (value != floor(value))
		return NUMBER_FRACTION;
	if (fabs(value) > EXACT_LIMIT)
		return NUMBER_RANGE;
	*out = (int64_t)value;
	return NUMBER_OK;
}

enum number_error number_parse_unit(double *out, const char *text, const char *unit)
{
	const struct unit *named = NULL;
	enum number_error error;
	struct typed typed;
	const char *name;
	size_t len;

	error = take_apart(&typed, text);
	if (error)
		return error;
	name = skip_blanks(typed.rest);
	len = strcspn(name, " \t");
	if (*skip_blanks(name + len))
		return NUMBER_NOT;
	if (len == 0)
		return put_together(out, &typed, unit ? unit_named(unit, strlen(unit)) : NULL);
	if (len == 1 && strchr("kmgtKMGT", name[0]))
		return number_parse(out, text);
	named = unit_named(name, len);
	return named ? put_together(out, &typed, named) : NUMBER_NOT;
}

const char *number_error_text(enum number_error error)
{
	switch (error) {
	case NUMBER_OK:
		return "a number";
	case NUMBER_EMPTY:
		return "nothing there; write a number, as 4096 or 32k";
	case NUMBER_NOT:
		return "not a number; write it as 4096, 0.9, 32k (32,000) or 32K (32,768)";
	case NUMBER_FRACTION:
		return "must be a whole number";
	case NUMBER_RANGE:
		return "too large to be exact";
	}
	return "";
}
