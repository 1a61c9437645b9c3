#include "documents/nearest.h"

#include <string.h>

enum { LONGEST = 127, FAR = 1000, SHORTEST_CUT = 4 };

/** What counts of a letter: neither its case nor which dash it is. */
static unsigned char lower(char c)
{
	if (c == '_')
		return '-';
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned ss_edit_distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	size_t m = strlen(a), n = strlen(b);

	if (m > LONGEST || n > LONGEST)
		return FAR;
	for (size_t j = 0; j <= n; j++)
		before[j] = last[j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		unsigned *spare = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned change = lower(a[i - 1]) != lower(b[j - 1]);

			now[j] = least(last[j - 1] + change, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[n];
}

unsigned edit_limit(const char *word)
{
	size_t length = strlen(word);

	return length <= 3 ? 1 : length <= 6 ? 2 : length <= 12 ? 3 : 4;
}

/** A word cut short: the shortest of `words` that goes on from it. */
static const char *shortest_that_begins(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t length = strlen(word);

	for (size_t i = 0; length >= SHORTEST_CUT && i < count; i++)
		if (words[i] && !strncmp(words[i], word, length) &&
		    (!best || strlen(words[i]) < strlen(best)))
			best = words[i];
	return best;
}

const char *ss_closest_word(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	unsigned least_edits = edit_limit(word) + 1;

	for (size_t i = 0; i < count; i++) {
		unsigned edits;

		if (!words[i])
			continue;
		edits = ss_edit_distance(word, words[i]);
		if (edits < least_edits && edits < strlen(words[i])) {
			least_edits = edits;
			best = words[i];
		}
	}
	return best ? best : shortest_that_begins(word, words, count);
}
