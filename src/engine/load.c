/* A reference from text and from a file. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/engine.h"

enum { MOST_BYTES = 64 << 20 };

static size_t line_of(const char *text, const char *at)
{
	size_t line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

enum ss_status ss_reference_parse(struct ss_reference **out, const char *text, size_t length,
				  const char *file, struct ss_problems *problems)
{
	const char *end = NULL;
	cJSON *root;

	if (length > MOST_BYTES) {
		ss_problems_add(problems, SS_ERROR, "limit", file, "",
				"holds %zu bytes, at most 64 MiB are read", length);
		return SS_EDOCUMENT;
	}
	root = cJSON_ParseWithLengthOpts(text, length, &end, 0);
	if (!root) {
		ss_problems_add(problems, SS_ERROR, "syntax", file, "", "is not JSON, line %zu",
				end ? line_of(text, end) : 1);
		return SS_EDOCUMENT;
	}
	while (end < text + length && strchr(" \t\r\n", *end))
		end++;
	if (end < text + length) {
		ss_problems_add(problems, SS_ERROR, "syntax", file, "",
				"has text after its end, line %zu", line_of(text, end));
		cJSON_Delete(root);
		return SS_EDOCUMENT;
	}
	return ss_reference_from_json(out, root, file, problems);
}

/* Reads all of a file; NULL with errno set. Past the limit it stops: the
 * caller sees the length. */
static char *read_all(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t capacity = 0;
	size_t n = 0;

	if (!f)
		return NULL;
	for (;;) {
		if (n == capacity) {
			size_t more = capacity ? capacity * 2 : 1 << 16;
			char *grown = realloc(text, more);

			if (!grown)
				goto failed;
			text = grown;
			capacity = more;
		}
		n += fread(text + n, 1, capacity - n, f);
		if (ferror(f))
			goto failed;
		if (feof(f) || n > MOST_BYTES)
			break;
	}
	fclose(f);
	*length = n;
	return text;
failed:
	fclose(f);
	free(text);
	return NULL;
}

enum ss_status ss_reference_load(struct ss_reference **out, const char *path,
				 struct ss_problems *problems)
{
	size_t length = 0;
	char *text = read_all(path, &length);
	enum ss_status rc;

	if (!text) {
		ss_problems_add(problems, SS_ERROR, "missing", path, "", "cannot be read: %s",
				strerror(errno));
		return SS_EIO;
	}
	rc = ss_reference_parse(out, text, length, path, problems);
	free(text);
	return rc;
}
