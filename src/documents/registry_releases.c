/* What each version of a registry brought: its table `releases.csv`. */
#include <stdlib.h>
#include <string.h>

#include "documents/csv.h"
#include "documents/json.h"
#include "stepscope/registry.h"

enum { COLUMNS = 3, RELEASES_MOST = 10000 };

static bool is_header(char *const *cells, size_t count)
{
	return count == COLUMNS && !strcmp(cells[0], "version") && !strcmp(cells[1], "date") &&
	       !strcmp(cells[2], "what");
}

static bool wrong(struct ss_problems *problems, const char *file, size_t line)
{
	struct ss_error err = { 0 };

	(void)ss_fail(&err, SS_EDOCUMENT, file,
		      "line %zu: must read version,date,what with a text in each", line);
	(void)ss_problems_add(problems, SS_ERROR, "releases", file, "", "%s", err.message);
	return false;
}

static bool read_rows(struct ss_registry_releases *out, const char *file,
		      struct ss_problems *problems)
{
	char *cells[CSV_CELLS_MAX];
	struct csv csv;
	bool is_open = false, has_header = false;
	size_t count;

	csv_init(&csv, out->text);
	while ((count = csv_next(&csv, cells, &is_open)) > 0) {
		struct ss_registry_release *more;

		if (is_open || count != COLUMNS || !*cells[0] || !*cells[1] ||
		    (!has_header && !is_header(cells, count)) || out->count == RELEASES_MOST)
			return wrong(problems, file, csv.line);
		if (!has_header) {
			has_header = true;
			continue;
		}
		more = realloc(out->items, (out->count + 1) * sizeof(*more));
		if (!more) {
			problems->is_out_of_memory = true;
			return false;
		}
		out->items = more;
		more[out->count++] = (struct ss_registry_release){ cells[0], cells[1], cells[2] };
	}
	return true;
}

enum ss_status ss_registry_releases(const struct ss_registry *registry,
				    struct ss_registry_releases *out, struct ss_problems *problems)
{
	char *file = ss_registry_file(registry, "releases.csv");
	size_t length;
	enum ss_status rc = SS_OK;

	*out = (struct ss_registry_releases){ 0 };
	if (!file)
		return SS_OK;
	out->text = json_read_file(file, &length, problems);
	if (!out->text || !read_rows(out, file, problems)) {
		ss_registry_releases_release(out);
		rc = problems->is_out_of_memory ? SS_ENOMEM : SS_EDOCUMENT;
	}
	free(file);
	return rc;
}

void ss_registry_releases_release(struct ss_registry_releases *releases)
{
	free(releases->items);
	free(releases->text);
	*releases = (struct ss_registry_releases){ 0 };
}
