#include "cli/only.h"

#include <string.h>

/** Is a word of this length among names apart by commas or blanks? */
static bool lists(const char *names, const char *word, size_t len)
{
	for (const char *at = names; at && *at;) {
		size_t n = strcspn(at, " ,");

		if (n == len && !memcmp(at, word, len))
			return true;
		at += n + (at[n] != '\0');
	}
	return false;
}

bool only_lists(const char *names, const char *name)
{
	return lists(names, name, strlen(name));
}

int only_check(struct batch *batch, const char *names)
{
	const char *only = arguments_value(batch->arguments, OPT_ONLY);
	int length = (int)strlen(names) - 1;
	struct ss_error err = { 0 };

	if (only && !*only)
		(void)ss_fail(&err, SS_EUSAGE, "only", "names no section; there are: %.*s", length,
			      names);
	for (const char *at = only; at && *at && !err.status;) {
		size_t n = strcspn(at, ",");

		if (!lists(names, at, n))
			(void)ss_fail(&err, SS_EUSAGE, "only", "no section %.*s; there are: %.*s",
				      n < 64 ? (int)n : 64, at, length, names);
		at += n + (at[n] != '\0');
	}
	return err.status ? batch_bad_usage(batch->arguments, &err) : EXIT_PRICED;
}

bool only_wants(const struct batch *batch, const char *name)
{
	const char *only = arguments_value(batch->arguments, OPT_ONLY);

	return !only || only_lists(only, name);
}
