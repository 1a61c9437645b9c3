#include "case/review.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/number.h"
#include "text/words.h"

#define ENDING ".review.json"

bool review_concerns(const struct ss_kernel *kernel, enum ss_figure figure, size_t index)
{
	const struct ss_entry *entry = ss_kernel_entry(kernel, index);

	return !entry->is_shadowed && entry->method == SS_METHOD_ASSUMED &&
	       ss_kernel_entry_counts(kernel, figure, index);
}

enum review_state review_state(const struct ss_review_entry *record, const struct ss_entry *entry)
{
	bool is_same = false;

	if (!record || record->verdict != SS_JUDGEMENT_ACCEPTED)
		return REVIEW_OPEN;
	if (entry->has_value)
		is_same = record->has_value && !(record->value < entry->value) &&
			  !(record->value > entry->value);
	else
		is_same = !record->has_value && !strcmp(record->value_text, entry->value_text);
	return is_same ? REVIEW_ACCEPTED : REVIEW_CHANGED;
}

const char *review_state_name(enum review_state state)
{
	switch (state) {
	case REVIEW_OPEN:
		return "open";
	case REVIEW_ACCEPTED:
		return "accepted";
	case REVIEW_CHANGED:
		return "changed";
	}
	return "";
}

void review_value_text(const struct ss_review_entry *record, char *out, size_t size)
{
	if (record->has_value)
		(void)snprintf(out, size, "%s%s%s", show_value(record->value).text,
			       *record->units ? " " : "", record->units);
	else
		(void)snprintf(out, size, "%s", record->value_text);
}

struct review_count review_count(const struct ss_review *review, const struct ss_kernel *kernel,
				 enum ss_figure figure)
{
	struct review_count count = { 0 };

	for (size_t i = 0; i < ss_kernel_entry_count(kernel); i++) {
		const struct ss_entry *entry = ss_kernel_entry(kernel, i);

		if (!review_concerns(kernel, figure, i))
			continue;
		count.assumed++;
		switch (review_state(review ? ss_review_find(review, entry->name) : NULL, entry)) {
		case REVIEW_OPEN:
			count.open++;
			break;
		case REVIEW_ACCEPTED:
			count.accepted++;
			break;
		case REVIEW_CHANGED:
			count.changed++;
			break;
		}
	}
	return count;
}

/* -- files ---------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *ending)
{
	size_t len = strlen(text), n = strlen(ending);

	return len > n && !strcmp(text + len - n, ending);
}

bool review_is_path(const char *name)
{
	return ends_in(name, ENDING);
}

char *review_path(const char *scenario_file)
{
	size_t len = strlen(scenario_file);
	struct xbuf path = { 0 };

	xbuf_add(&path, scenario_file, ends_in(scenario_file, ".json") ? len - 5 : len);
	xbuf_puts(&path, ENDING);
	return path.data;
}

char *review_scenario_path(const char *review_file)
{
	size_t len = strlen(review_file);
	struct xbuf path = { 0 };

	xbuf_add(&path, review_file, review_is_path(review_file) ? len - strlen(ENDING) : len);
	xbuf_puts(&path, ".json");
	return path.data;
}

enum ss_status review_beside(struct ss_review **out, const char *scenario_file,
			     struct ss_problems *problems)
{
	char *path;
	struct stat info;

	*out = NULL;
	if (!*scenario_file || !strcmp(scenario_file, "-"))
		return SS_OK;
	path = review_path(scenario_file);
	if (!stat(path, &info)) {
		*out = ss_review_load(path, problems);
		free(path);
		return *out ? SS_OK : SS_EDOCUMENT;
	}
	free(path);
	return SS_OK;
}
