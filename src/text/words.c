#include "text/words.h"

#include <inttypes.h>
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

/** How many of the sizes from `at` on are equally far apart. */
static size_t run_length(const int64_t *sizes, size_t count, size_t at)
{
	size_t n = 1;

	while (at + n < count &&
	       (n < 2 || sizes[at + n] - sizes[at + n - 1] == sizes[at + 1] - sizes[at]))
		n++;
	return n;
}

void sizes_text(char *out, size_t size, const int64_t *sizes, size_t count)
{
	size_t used = 0, i = 0;

	(void)snprintf(out, size, "none");
	while (i < count && used < size) {
		size_t run = run_length(sizes, count, i);
		const char *comma = i ? "," : "";
		int n;

		/* a range must save more than it takes to read */
		if (run > 3)
			n = snprintf(out + used, size - used,
				     "%s%" PRId64 "..%" PRId64 ":+%" PRId64, comma, sizes[i],
				     sizes[i + run - 1], sizes[i + 1] - sizes[i]);
		else
			n = snprintf(out + used, size - used, "%s%" PRId64, comma, sizes[i]);
		used += n > 0 ? (size_t)n : size;
		i += run > 3 ? run : 1;
	}
}

bool read_count(const char *text, int64_t max, int64_t *out)
{
	int64_t value;

	if (number_parse_whole(&value, text) || value < 0 || value > max)
		return false;
	*out = value;
	return true;
}

bool word_number(const char *text, double *out)
{
	return number_parse(out, text) == NUMBER_OK;
}
