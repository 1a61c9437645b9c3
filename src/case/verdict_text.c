#include "case/verdict_text.h"

#include <stdio.h>
#include <string.h>

#include "text/number.h"

/* The limit's name: the last part of its path. */
static const char *limit_name(enum ss_verdict_id id)
{
	const char *path = ss_field(ss_verdict_field(id))->path, *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

void verdict_mark(char *out, size_t size, const struct ss_verdict *verdict, enum ss_verdict_id id,
		  const char *term)
{
	const struct ss_verdict_line *line = &verdict->lines[id];
	struct number_text bytes = number_bytes_binary((double)line->short_bytes);

	if (id == SS_VERDICT_BATCH)
		snprintf(out, size, "BATCH DOES NOT FIT by %s", bytes.text);
	else if (id != SS_VERDICT_DEPLOYMENT)
		snprintf(out, size, "ABOVE %s %s", limit_name(id), number_count(line->limit).text);
	else if (*term)
		/* Named as in the JSON, where the unit is part of the name. */
		snprintf(out, size, "DOES NOT FIT by %s (%.*s)", bytes.text,
			 (int)(strlen(term) - (strstr(term, "_bytes") ? 6 : 0)), term);
	else
		snprintf(out, size, "DOES NOT FIT by %s", bytes.text);
}

enum ss_verdict_id verdict_first(const struct ss_verdict *verdict)
{
	int i = 0;

	while (i < SS_VERDICT_COUNT && verdict->lines[i].holds)
		i++;
	return (enum ss_verdict_id)i;
}

void verdict_word(char *out, size_t size, const struct ss_verdict *verdict)
{
	enum ss_verdict_id id = verdict_first(verdict);

	if (id == SS_VERDICT_COUNT)
		snprintf(out, size, "%s", "");
	else if (id == SS_VERDICT_DEPLOYMENT || id == SS_VERDICT_BATCH)
		snprintf(out, size, "%sdoes not fit", id == SS_VERDICT_BATCH ? "batch " : "");
	else
		snprintf(out, size, "above %s", limit_name(id));
}
