#include "view/text.h"

#include <string.h>

#include "view/text_width.h"

static int in_ranges(uint32_t cp, const struct range *r, size_t n)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cp > r[mid].last)
			lo = mid + 1;
		else if (cp < r[mid].first)
			hi = mid;
		else
			return 1;
	}
	return 0;
}

int text_cp_width(uint32_t cp)
{
	if (cp < 0x300 || text_acts(cp))
		return 1;
	if (in_ranges(cp, zero_width, sizeof(zero_width) / sizeof(zero_width[0])))
		return 0;
	if (in_ranges(cp, two_wide, sizeof(two_wide) / sizeof(two_wide[0])))
		return 2;
	return 1;
}

int text_width_n(const char *s, size_t len)
{
	int cols = 0;

	while (len > 0) {
		uint32_t cp;
		size_t n = text_decode(s, len, &cp);

		cols += text_cp_width(cp);
		s += n;
		len -= n;
	}
	return cols;
}

int text_width(const char *s)
{
	return s ? text_width_n(s, strlen(s)) : 0;
}

size_t text_fit(const char *s, size_t len, int cols, int *used)
{
	size_t at = 0;
	int sum = 0;

	while (at < len) {
		uint32_t cp;
		size_t n = text_decode(s + at, len - at, &cp);
		int w = text_cp_width(cp);

		if (sum + w > cols)
			break;
		sum += w;
		at += n;
	}
	if (used)
		*used = sum;
	return at;
}

size_t text_clean(char *out, size_t size, const char *s, size_t len)
{
	size_t at = 0, put = 0;

	if (size == 0)
		return 0;
	while (at < len) {
		char bytes[4];
		uint32_t cp;
		size_t n = text_decode(s + at, len - at, &cp), m;

		m = text_encode(bytes, text_acts(cp) ? TEXT_REPLACEMENT : cp);
		if (put + m >= size)
			break;
		memcpy(out + put, bytes, m);
		put += m;
		at += n;
	}
	out[put] = '\0';
	return put;
}

int text_cut(char *out, size_t size, const char *s, int cols)
{
	size_t len = s ? strlen(s) : 0;
	size_t fit, put;
	int used, dots;

	if (size == 0)
		return 0;
	out[0] = '\0';
	if (cols <= 0 || !s)
		return 0;
	fit = text_fit(s, len, cols, &used);
	if (fit == len && len < size) {
		text_clean(out, size, s, len);
		return used;
	}
	dots = cols < 2 ? cols : 2;
	if ((size_t)dots >= size)
		return 0;
	fit = text_fit(s, len, cols - dots, &used);
	put = text_clean(out, size - (size_t)dots, s, fit);
	memcpy(out + put, "..", (size_t)dots);
	out[put + (size_t)dots] = '\0';
	return text_width_n(out, put) + dots;
}

int text_wrap(const char *s, size_t *pos, int cols, const char **start, size_t *len)
{
	const char *line = s + *pos;
	size_t rest = strlen(line), fit, end;
	const char *newline;

	if (rest == 0)
		return 0;
	if (cols < 1)
		cols = 1;
	*start = line;
	newline = memchr(line, '\n', rest);
	end = newline ? (size_t)(newline - line) : rest;
	fit = text_fit(line, end, cols, NULL);
	if (fit == end) {
		*len = end;
		*pos += end + (newline ? 1 : 0);
		return 1;
	}
	if (fit == 0) {
		/* a wide character in one column: take it, the page clips it */
		uint32_t cp;

		fit = text_decode(line, end, &cp);
	}
	if (line[fit] != ' ') {
		size_t space = fit;

		while (space > 0 && line[space - 1] != ' ')
			space--;
		while (space > 0 && line[space - 1] == ' ')
			space--;
		if (space > 0 && strspn(line, " ") < space) {
			*len = space;
			*pos += space + strspn(line + space, " ");
			return 1;
		}
	}
	*len = fit;
	fit += strspn(line + fit, " ");
	/* spaces up to the newline belong to this line's break */
	if (line[fit] == '\n')
		fit++;
	*pos += fit;
	return 1;
}

static int fold(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

long text_find(const char *hay, const char *needle)
{
	size_t i, j;

	if (!needle || !needle[0])
		return -1;
	for (i = 0; hay[i]; i++) {
		for (j = 0; needle[j] && fold(hay[i + j]) == fold(needle[j]); j++)
			;
		if (!needle[j])
			return (long)i;
	}
	return -1;
}
