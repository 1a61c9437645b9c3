/* Axes as --vary takes them: their values are in order of what was written, and bounded. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct axes axes = { 0 };
	struct ss_error err = { 0 };
	char *text = malloc(size + 1), *line, *next;
	uint64_t rows = 1;
	enum ss_status rc = SS_OK;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (line = text; line && !rc && rows < 100000; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		rc = axes_add(&axes, line, &err);
		if (!rc)
			rows *= axes.items[axes.count - 1].count;
		if (!rc && rows != axes.rows)
			abort();
		if (rc && !*err.message)
			abort();
	}
	axes_release(&axes);
	free(text);
	return 0;
}
