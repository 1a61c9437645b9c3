#include "documents/documents.h"

#include <string.h>

#include "documents/nearest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const source_kinds[] = { "discussion", "publication", "datasheet", "model",
					    "vendor_doc" };
static const char *const source_roles[] = { "primary", "supporting", "upper_bound" };

const struct words source_kind_words = { source_kinds, COUNT(source_kinds), 0 };
const struct words source_role_words = { source_roles, COUNT(source_roles), 0 };

static const char *const kind_names[] = {
#define SS_X(id, name, folder) name,
	SS_DOCUMENT_KINDS(SS_X)
#undef SS_X
};

const char *document_kind_name(enum ss_document_kind kind)
{
	return (size_t)kind < COUNT(kind_names) ? kind_names[kind] : "";
}

bool check_kind(struct reader *r, const cJSON *root, enum ss_document_kind kind)
{
	static const struct place top = { NULL, "kind", 0 };
	const char *wanted = document_kind_name(kind);
	const cJSON *item;

	if (!cJSON_IsObject(root)) {
		char found[128];

		describe(found, sizeof(found), root);
		report(r, SS_ERROR, NULL, "type", "found %s, wants an object of kind \"%s\"", found,
		       wanted);
		return false;
	}
	item = cJSON_GetObjectItemCaseSensitive(root, "kind");
	if (!item) {
		report(r, SS_ERROR, &top, kind == SS_DOCUMENT_MODEL ? "G1" : "missing",
		       "missing; it must be \"%s\"", wanted);
		return false;
	}
	if (cJSON_IsString(item) && strcmp(item->valuestring, wanted) != 0) {
		report(r, SS_ERROR, &top, kind == SS_DOCUMENT_MODEL ? "G1" : "range",
		       "found \"%.80s\", must be \"%s\"", item->valuestring, wanted);
		return false;
	}
	return true;
}

void check_name(struct reader *r, const char *name, const char *stem)
{
	static const struct place at = { NULL, "name", 0 };

	if (stem && name[0] && strcmp(name, stem) != 0)
		report(r, SS_WARNING, &at, "name",
		       "found \"%.80s\", but the file is called \"%.80s\" and is found by that",
		       name, stem);
}

void check_sources(struct reader *r, const struct place *at, const cJSON *list)
{
	static const struct key keys[] = {
		{ "kind", KEY_WORD, true, NO_OFFSET, 0, 0, &source_kind_words, NULL },
		{ "cite", KEY_NAME, true, NO_OFFSET, 0, 0, NULL, NULL },
		{ "role", KEY_WORD, true, NO_OFFSET, 0, 0, &source_role_words, NULL },
	};
	size_t i = 0;

	if (!list || !read_list_size(r, at, list, 1000))
		return;
	for (const cJSON *item = list->child; item; item = item->next) {
		struct place place = { at, NULL, i++ };

		(void)read_object(r, &place, item, keys, COUNT(keys), NULL, NULL);
	}
}

bool check_memory(struct reader *r)
{
	if (!r->arena->is_out_of_memory)
		return false;
	report(r, SS_ERROR, NULL, "memory", "out of memory");
	return true;
}

bool is_plain_name(const char *name)
{
	if (!name[0] || strlen(name) > 200 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	return !strpbrk(name, "/\\");
}
