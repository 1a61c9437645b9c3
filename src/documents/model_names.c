/* The table of model names, `model-names.json`. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ROWS_MAX = 10000 };

struct names_document {
	struct ss_model_names names;
	struct arena arena;
};

static void read_formats(struct reader *r, const cJSON *list, struct ss_model_names *names)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "suffix", KEY_NAME, true, offsetof(struct ss_name_format, suffix), 0, 0, NULL, NULL },
		{ "quantization", KEY_TEXT, false, offsetof(struct ss_name_format, quantization), 0, 0, NULL, NULL },
	};
	/* clang-format on */
	struct place at = { NULL, "formats", 0 };
	size_t size = read_list_size(r, &at, list, ROWS_MAX);

	names->formats = size ? arena_array(r->arena, size, sizeof(*names->formats)) : NULL;
	if (!names->formats)
		return;
	for (const cJSON *item = list->child; item; item = item->next) {
		struct place place = { &at, NULL, names->format_count };
		struct ss_name_format *row = &names->formats[names->format_count++];

		row->suffix = row->quantization = r->arena->empty;
		(void)read_object(r, &place, item, keys, COUNT(keys), row, NULL);
	}
}

static void read_aliases(struct reader *r, const cJSON *list, struct ss_model_names *names)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "name", KEY_NAME, true, offsetof(struct ss_name_alias, name), 0, 0, NULL, NULL },
		{ "graph", KEY_NAME, true, offsetof(struct ss_name_alias, graph), 0, 0, NULL, NULL },
		{ "why", KEY_NAME, true, offsetof(struct ss_name_alias, why), 0, 0, NULL, NULL },
		{ "max_model_len", KEY_INT, false, offsetof(struct ss_name_alias, max_model_len), 1, WIDTH_MAX, NULL, NULL },
	};
	/* clang-format on */
	struct place at = { NULL, "aliases", 0 };
	size_t size = read_list_size(r, &at, list, ROWS_MAX);

	names->aliases = size ? arena_array(r->arena, size, sizeof(*names->aliases)) : NULL;
	if (!names->aliases)
		return;
	for (const cJSON *item = list->child; item; item = item->next) {
		struct place place = { &at, NULL, names->alias_count };
		struct ss_name_alias *row = &names->aliases[names->alias_count++];

		row->name = row->graph = row->why = r->arena->empty;
		(void)read_object(r, &place, item, keys, COUNT(keys), row, NULL);
	}
}

struct ss_model_names *model_names_read(const cJSON *root, const char *file,
					struct ss_problems *problems)
{
	enum { KIND, COMMENT, FORMATS, WORDS, ALIASES };
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[COMMENT] = { "comment", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		[FORMATS] = { "formats", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[WORDS] = { "words", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[ALIASES] = { "aliases", KEY_LIST, false, 0, 0, 0, NULL, NULL },
	};
	struct names_document *doc = calloc(1, sizeof(*doc));
	struct reader r = { problems, file, doc ? &doc->arena : NULL, 0 };
	const cJSON *found[COUNT(keys)];
	struct place words = { NULL, "words", 0 };

	if (!doc) {
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
		return NULL;
	}
	if (check_kind(&r, root, SS_DOCUMENT_NAMES) &&
	    read_object(&r, NULL, root, keys, COUNT(keys), NULL, found)) {
		read_formats(&r, found[FORMATS], &doc->names);
		read_texts(&r, &words, found[WORDS], ROWS_MAX, &doc->names.words,
			   &doc->names.word_count);
		read_aliases(&r, found[ALIASES], &doc->names);
	}
	if (check_memory(&r) || r.error_count) {
		ss_model_names_free(&doc->names);
		return NULL;
	}
	return &doc->names;
}

/** One list behind another, its rows as they are. */
static void *joined(struct arena *arena, const void *a, size_t count_a, const void *b,
		    size_t count_b, size_t size)
{
	char *rows = arena_array(arena, count_a + count_b + 1, size);

	if (!rows)
		return NULL;
	if (count_a)
		memcpy(rows, a, count_a * size);
	if (count_b)
		memcpy(rows + count_a * size, b, count_b * size);
	return rows;
}

bool model_names_add(struct ss_model_names *into, const struct ss_model_names *more)
{
	struct arena *arena = &((struct names_document *)into)->arena;
	struct ss_name_format *formats =
		joined(arena, into->formats, into->format_count, more->formats, more->format_count,
		       sizeof(*formats));
	struct ss_name_alias *aliases = joined(arena, into->aliases, into->alias_count,
					       more->aliases, more->alias_count, sizeof(*aliases));
	char **words = joined(arena, into->words, into->word_count, more->words, more->word_count,
			      sizeof(*words));

	if (!formats || !aliases || !words)
		return false;
	for (size_t i = 0; i < more->format_count; i++) {
		struct ss_name_format *row = &formats[into->format_count + i];

		row->suffix = arena_text(arena, row->suffix);
		row->quantization = arena_text(arena, row->quantization);
	}
	for (size_t i = 0; i < more->alias_count; i++) {
		struct ss_name_alias *row = &aliases[into->alias_count + i];

		row->name = arena_text(arena, row->name);
		row->graph = arena_text(arena, row->graph);
		row->why = arena_text(arena, row->why);
	}
	for (size_t i = 0; i < more->word_count; i++)
		words[into->word_count + i] = arena_text(arena, more->words[i]);
	*into = (struct ss_model_names){ formats, into->format_count + more->format_count,
					 words,   into->word_count + more->word_count,
					 aliases, into->alias_count + more->alias_count };
	return !arena->is_out_of_memory;
}

void ss_model_names_free(struct ss_model_names *names)
{
	struct names_document *doc = (struct names_document *)names;

	if (!doc)
		return;
	arena_release(&doc->arena);
	free(doc);
}
