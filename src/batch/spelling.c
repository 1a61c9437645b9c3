#include "batch/spelling.h"

#include <string.h>

#define LENGTH_MAX 127

static char plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' ? '-' : c;
}

size_t spelling_distance(const char *a, const char *b, size_t limit)
{
	size_t row[LENGTH_MAX + 1];
	size_t length = strlen(b);

	if (length > LENGTH_MAX || strlen(a) > LENGTH_MAX)
		return limit + 1;
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0], best = i;

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t above = row[j];
			size_t cost = diagonal + (plain(a[i - 1]) != plain(b[j - 1]));

			cost = above + 1 < cost ? above + 1 : cost;
			row[j] = row[j - 1] + 1 < cost ? row[j - 1] + 1 : cost;
			diagonal = above;
			best = row[j] < best ? row[j] : best;
		}
		if (best > limit)
			return limit + 1;
	}
	return row[length] > limit ? limit + 1 : row[length];
}
