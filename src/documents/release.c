/* Releases of an engine as numbers: how far apart, and which of those at hand is nearest. */
#include "documents/release.h"

#include <stdlib.h>
#include <string.h>

/* Places of a dotted release, worth a thousand of the next; -1 for what is no number.
 * Asked for every row of a sweep: digits are taken by hand. */
static int64_t release_number(const char *release)
{
	int64_t number = 0;

	for (int place = 0; place < 3; place++) {
		const char *start = release;
		int digits = 0;

		while (*release >= '0' && *release <= '9' && digits <= 999)
			digits = digits * 10 + (*release++ - '0');
		if ((release == start && place == 0) || digits > 999)
			return -1;
		number = number * 1000 + digits;
		if (*release != '.' && *release != '\0')
			return -1;
		release += *release == '.';
	}
	return number;
}

int64_t ss_release_distance(const char *a, const char *b)
{
	int64_t x = release_number(a), y = release_number(b);

	if (strcmp(a, b) == 0)
		return 0;
	if (x < 0 || y < 0 || x / 1000 == y / 1000)
		return 1;
	return llabs(x / 1000 - y / 1000);
}

bool ss_release_is_within(const char *release, const char *since, const char *until)
{
	int64_t number, first, last;

	if (!*since && !*until)
		return true;
	number = release_number(release);
	first = release_number(since);
	last = release_number(until);
	if (number < 0 || (*since && first < 0) || (*until && last < 0))
		return false;
	return (!*since || number / 1000 >= first / 1000) &&
	       (!*until || number / 1000 <= last / 1000);
}

const char *release_nearest(char *const *names, size_t count, const char *engine,
			    const char *release)
{
	int64_t wanted = release_number(release), best = INT64_MAX;
	const char *nearest = NULL;
	size_t length = strlen(engine);

	for (size_t i = 0; i < count; i++) {
		const char *own = names[i] + length + 1;
		int64_t number, apart;

		if (strncmp(names[i], engine, length) != 0 || names[i][length] != '-')
			continue;
		number = release_number(own);
		apart = wanted < 0 ? INT64_MAX - 1 - number : llabs(number - wanted);
		/* of two as near, and where nothing can be told, the newer */
		if (number >= 0 && apart <= best) {
			best = apart;
			nearest = own;
		}
	}
	return nearest;
}
