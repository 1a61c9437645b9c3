#include "text/range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/number.h"

enum { NUMBER_SIZE = 64 };

static bool read_number(double *out, const char *text, size_t len)
{
	char part[NUMBER_SIZE];

	if (!len || len >= sizeof(part))
		return false;
	memcpy(part, text, len);
	part[len] = '\0';
	return number_parse(out, part) == NUMBER_OK;
}

enum range_reading range_parse(struct range *out, const char *text)
{
	const char *dots = strstr(text, ".."), *rule;

	*out = (struct range){ .step = 1 };
	if (!dots)
		return RANGE_NONE;
	rule = dots + 2 + strcspn(dots + 2, ":");
	out->is_factor = rule[0] == ':' && rule[1] == 'x';
	if (!read_number(&out->low, text, (size_t)(dots - text)) ||
	    !read_number(&out->high, dots + 2, (size_t)(rule - dots - 2)) || out->high < out->low)
		return RANGE_BAD;
	if (*rule && ((!out->is_factor && rule[1] != '+') ||
		      !read_number(&out->step, rule + 2, strlen(rule + 2))))
		return RANGE_BAD;
	if (!(out->is_factor ? out->step > 1 && out->low > 0 : out->step > 0))
		return RANGE_BAD;
	return RANGE_OK;
}

double range_count(const struct range *range)
{
	return 1 + (range->is_factor ? log(range->high / range->low) / log(range->step)
				     : (range->high - range->low) / range->step);
}

bool range_at(const struct range *range, double place, double *value)
{
	*value = range->is_factor ? range->low * pow(range->step, place)
				  : range->low + place * range->step;
	return *value <= range->high + fabs(range->high) * 1e-12;
}
