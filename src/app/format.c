#include "app/format.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shown show_count(int64_t count)
{
	struct shown out;
	char digits[32];
	size_t n, at = 0;
	uint64_t size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;

	n = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, size);
	if (count < 0)
		out.text[at++] = '-';
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out.text[at++] = ',';
		out.text[at++] = digits[i];
	}
	out.text[at] = '\0';
	return out;
}

struct shown show_rounded(double number)
{
	if (!isfinite(number) || fabs(number) > 9e15)
		return show_number(number);
	return show_count((int64_t)llround(number));
}

static struct shown show(double number, int digits, const char *unit)
{
	struct shown out;

	(void)snprintf(out.text, sizeof(out.text), "%.*f%s", digits, number, unit);
	return out;
}

struct shown show_time(double seconds)
{
	double size = fabs(seconds);

	if (!isfinite(seconds))
		return show_number(seconds);
	if (size >= 0.9995)
		return show(seconds, 2, " s");
	if (size >= 0.9995e-3)
		return show(seconds * 1e3, 2, " ms");
	if (size >= 0.05e-6)
		return show(seconds * 1e6, 1, " us");
	return size > 0 ? show(seconds * 1e9, 2, " ns") : show(0, 0, "");
}

struct shown show_ms(double seconds)
{
	double ms = seconds * 1e3;

	if (!isfinite(ms))
		return show_number(ms);
	if (fabs(ms) >= 0.995 || !(fabs(ms) > 0))
		return show(ms, 2, "");
	return show(ms, fabs(ms) >= 0.0095 ? 3 : 5, "");
}

struct shown show_bytes(double bytes)
{
	double size = fabs(bytes);
	struct shown out;

	if (size >= 1073741824.0 * 0.0995)
		return show(bytes / 1073741824.0, 2, " GiB");
	if (size >= 1048576.0)
		return show(bytes / 1048576.0, 2, " MiB");
	(void)snprintf(out.text, sizeof(out.text), "%s B", show_rounded(bytes).text);
	return out;
}

struct shown show_gib(double bytes)
{
	return show(bytes / 1073741824.0, 2, "");
}

struct shown show_percent(double share)
{
	return show(share * 100, 1, " %");
}

struct shown show_number(double number)
{
	struct shown out;

	if (isnan(number))
		(void)snprintf(out.text, sizeof(out.text), "-");
	else if (fabs(number) >= 1e5 && fabs(number) < 1e15 && floor(number) == number)
		return show_count((int64_t)number);
	else
		(void)snprintf(out.text, sizeof(out.text), "%.6g", number);
	return out;
}

struct shown show_exact(double number)
{
	struct shown out;

	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(out.text, sizeof(out.text), "%.*g", digits, number);
		if (!isfinite(number) || !(strtod(out.text, NULL) < number ||
					   strtod(out.text, NULL) > number))
			break;
	}
	return out;
}

size_t text_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

#define WORD_MAX 64

size_t text_distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > WORD_MAX || m > WORD_MAX)
		return n > m ? n : m;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t change = corner + (tolower((unsigned char)a[i - 1]) !=
						  tolower((unsigned char)b[j - 1]));
			size_t less = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			corner = row[j];
			row[j] = change < less ? change : less;
		}
	}
	return row[m];
}

const char *text_nearest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t limit = strlen(word) / 3 + 2;

	for (size_t i = 0; i < count; i++) {
		size_t distance = text_distance(word, words[i]);

		if (distance < limit) {
			limit = distance;
			best = words[i];
		}
	}
	return best;
}

bool read_count(const char *text, int64_t max, int64_t *out)
{
	char *end;
	long long value;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || *end || value > max)
		return false;
	*out = value;
	return true;
}

bool read_number(const char *text, double *out)
{
	char *end;
	double value;

	if (!*text || isspace((unsigned char)*text))
		return false;
	value = strtod(text, &end);
	if (end == text || *end || !isfinite(value))
		return false;
	*out = value;
	return true;
}
