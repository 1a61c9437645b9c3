/* A document of any kind checked by itself. */
#include <stdio.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum ss_document_kind kind_of(const cJSON *root)
{
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(root, "kind");

	for (int i = 0; cJSON_IsString(kind) && i < SS_DOCUMENT_COUNT; i++)
		if (strcmp(kind->valuestring, document_kind_name((enum ss_document_kind)i)) == 0)
			return (enum ss_document_kind)i;
	return SS_DOCUMENT_COUNT;
}

/* One that lists the kinds: "found ..., must be Scenario, ModelGraph, ..." */
static void report_kind(const cJSON *root, const char *path, struct ss_problems *problems)
{
	struct arena arena = { 0 };
	struct reader r = { problems, path, &arena, 0 };
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(root, "kind");
	struct place at = { NULL, "kind", 0 };
	const char *names[SS_DOCUMENT_COUNT];
	struct words known = { names, COUNT(names), 0 };
	char list[256], found[128];
	int word;

	for (int i = 0; i < SS_DOCUMENT_COUNT; i++)
		names[i] = document_kind_name((enum ss_document_kind)i);
	if (kind) {
		(void)read_word(&r, &at, kind, &known, NULL, &word);
	} else if (cJSON_IsObject(root)) {
		words_list(list, sizeof(list), &known);
		report(&r, SS_ERROR, &at, "missing", "missing; it must be %s", list);
	} else {
		describe(found, sizeof(found), root);
		report(&r, SS_ERROR, NULL, "type", "found %s, wants an object with a kind", found);
	}
	arena_release(&arena);
}

/** Read a parsed document as a reader would; `path` names it, and its stem its own name. */
static enum ss_document_kind validate(cJSON *root, const char *path, struct ss_problems *problems)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	enum ss_document_kind kind;
	size_t length = strlen(base);
	void *document = NULL;
	char stem[256];

	if (!root)
		return SS_DOCUMENT_COUNT;
	if (length > 5 && strcmp(base + length - 5, ".json") == 0)
		length -= 5;
	(void)snprintf(stem, sizeof(stem), "%.*s", (int)(length < 250 ? length : 250), base);
	kind = kind_of(root);
	if (kind == SS_DOCUMENT_COUNT)
		report_kind(root, path, problems);
	else
		document = document_read(kind, root, path, stem, problems);
	if (document && kind == SS_DOCUMENT_SCENARIO)
		(void)ss_scenario_check(document, problems);
	if (document && kind == SS_DOCUMENT_MODEL)
		model_check_known(document, path, problems);
	document_free(kind, document);
	cJSON_Delete(root);
	return kind;
}

enum ss_document_kind ss_document_validate(const char *path, struct ss_problems *problems)
{
	return validate(json_load(path, problems), path, problems);
}

enum ss_document_kind ss_document_check(const char *json, size_t length, const char *file,
					struct ss_problems *problems)
{
	return validate(json_parse(json, length, file, problems), file, problems);
}
