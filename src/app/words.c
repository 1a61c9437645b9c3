#include "app/words.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number_text show_value(double value)
{
	struct number_text out;

	if (fabs(value) >= 1e4 && fabs(value) < 1e15)
		return number_count(value);
	(void)snprintf(out.text, sizeof(out.text), "%.6g", value);
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

bool word_number(const char *text, double *out)
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
