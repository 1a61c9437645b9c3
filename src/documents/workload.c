/*
 * Loads as documents state them: the `workload` of a scenario and Workload files, both
 * read against the fields of a load.
 */
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/level.h"
#include "documents/load_fields.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { GROUPS_MAX = 100000 };

static void read_batch(struct reader *r, const struct place *at, const cJSON *list,
		       struct ss_workload *w, struct target *t)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "count", KEY_INT, true, offsetof(struct ss_group, count), 0, WIDTH_MAX, NULL, NULL },
		{ "scheduled", KEY_INT, true, offsetof(struct ss_group, scheduled), 0, WIDTH_MAX, NULL, NULL },
		{ "computed", KEY_INT, false, offsetof(struct ss_group, computed), 0, WIDTH_MAX, NULL, NULL },
		{ "prompt_len", KEY_INT, false, offsetof(struct ss_group, prompt_len), 0, WIDTH_MAX, NULL, NULL },
	};
	/* clang-format on */
	size_t count = read_list_size(r, at, list, GROUPS_MAX), i = 0;

	w->groups = count ? calloc(count, sizeof(*w->groups)) : NULL;
	if (!w->groups) {
		t->is_out_of_memory |= count > 0;
		return;
	}
	w->group_count = count;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };

		(void)read_object(r, &place, item, keys, COUNT(keys), &w->groups[i], NULL);
	}
	if (ss_batch_tokens(w->groups, w->group_count) > SS_BATCH_TOKENS_MAX)
		report(r, SS_ERROR, at, "range",
		       "holds %.3g tokens, must hold %.0e at most: no machine has room for more",
		       ss_batch_tokens(w->groups, w->group_count), SS_BATCH_TOKENS_MAX);
}

static void read_shape(struct reader *r, const struct place *at, const char *name,
		       struct ss_workload *w, struct target *t)
{
	if (!is_plain_name(name))
		report(r, SS_ERROR, at, "range",
		       "found \"%.80s\", must be a plain name without '/'", name);
	w->shape = strdup(name);
	t->is_out_of_memory |= !w->shape;
}

void workload_fields_read(struct reader *r, const cJSON *item, struct ss_scenario *s,
			  struct level *level, struct target *t)
{
	struct place at = { NULL, "workload", 0 }, batch_at = { &at, "batch", 0 };
	struct place shape_at = { &at, "shape", 0 }, threshold_at = { &at, "decode_threshold", 0 };
	const cJSON *given[KEYS_MAX] = { NULL };
	const cJSON *batch, *shape, *threshold;
	struct ss_workload *w = &s->workload;
	size_t before = r->error_count;

	t->values = s->values;
	t->owner = SS_OWNER_WORKLOAD;
	level_make(level, SS_OWNER_WORKLOAD, "");
	level_add_key(level, "batch", KEY_LIST, false);
	level_add_key(level, "shape", KEY_NAME, false);
	level_add_key(level, "decode_threshold", KEY_ITEM, false);
	level_read(r, &at, item, level, "", t, given);
	batch = level_given(level, given, "batch");
	shape = level_given(level, given, "shape");
	threshold = level_given(level, given, "decode_threshold");
	if (batch && shape)
		report(r, SS_ERROR, &at, "range", "states both batch and shape, must state one");
	if (!item->child)
		report(r, SS_ERROR, &at, "missing", "must state batch, shape or a load");
	if (batch)
		read_batch(r, &batch_at, batch, w, t);
	w->has_batch = batch != NULL;
	if (threshold)
		(void)read_int(r, &threshold_at, threshold, 1, WIDTH_MAX, NULL,
			       &w->decode_threshold);
	if (shape)
		read_shape(r, &shape_at, shape->valuestring, w, t);
	if (r->error_count == before)
		load_fields_check(r, &at, s->values);
}

/* -- Workload documents ------------------------------------------------------------------ */

/** Lengths are stated, or come with the trace. */
static void check_lengths(struct reader *r, const cJSON *const *given, const struct level *level)
{
	static const char *const sides[] = { "prompt", "output" };

	for (size_t i = 0; i < COUNT(sides); i++) {
		struct place at = { NULL, sides[i], 0 };

		if (!level_given(level, given, sides[i]))
			report(r, SS_ERROR, &at, "missing", "missing; it must be stated");
	}
}

static void read_document(struct reader *r, const cJSON *root, const char *stem,
			  struct ss_workload_shape *shape, struct level *level, struct target *t)
{
	struct place name_at = { NULL, "name", 0 }, sources = { NULL, "sources", 0 };
	const cJSON *given[KEYS_MAX] = { NULL }, *name;
	size_t before = r->error_count;

	level_make(level, SS_OWNER_WORKLOAD, "");
	level_add_key(level, "kind", KEY_TEXT, true);
	level_add_key(level, "name", KEY_NAME, true);
	level_add_key(level, "comment", KEY_TEXT, false);
	level_add_key(level, "sources", KEY_LIST, false);
	level_read(r, NULL, root, level, "", t, given);
	check_sources(r, &sources, level_given(level, given, "sources"));
	if (!level_given(level, given, "trace"))
		check_lengths(r, given, level);
	if (r->error_count == before)
		load_fields_check(r, NULL, shape->values);
	name = level_given(level, given, "name");
	if (!name)
		return;
	if (!*name->valuestring)
		report(r, SS_ERROR, &name_at, "range", "empty; wants a name");
	shape->name = strdup(name->valuestring);
	t->is_out_of_memory |= !shape->name;
	if (shape->name)
		check_name(r, shape->name, stem);
}

struct ss_workload_shape *workload_read(const cJSON *root, const char *file, const char *stem,
					struct ss_problems *problems)
{
	struct arena arena = { 0 }; /* texts on their way into values */
	struct reader r = { .problems = problems, .file = file, .arena = &arena };
	struct ss_workload_shape *shape = calloc(1, sizeof(*shape));
	struct level *level = malloc(sizeof(*level));
	struct target t = { shape ? shape->values : NULL, SS_OWNER_WORKLOAD, !shape || !level };

	if (!t.is_out_of_memory && check_kind(&r, root, SS_DOCUMENT_WORKLOAD)) {
		shape->file = strdup(file);
		t.is_out_of_memory = !shape->file;
		read_document(&r, root, stem, shape, level, &t);
	}
	if (t.is_out_of_memory || arena.is_out_of_memory)
		report(&r, SS_ERROR, NULL, "memory", "out of memory");
	if (r.error_count) {
		ss_workload_shape_free(shape);
		shape = NULL;
	}
	free(level);
	arena_release(&arena);
	return shape;
}

void ss_workload_shape_free(struct ss_workload_shape *shape)
{
	if (!shape)
		return;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++)
		ss_value_release(&shape->values[i]);
	free(shape->name);
	free(shape->file);
	free(shape);
}
