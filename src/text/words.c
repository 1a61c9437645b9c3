#include "text/words.h"

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
