#include "resolve/notes.h"

#include <string.h>

#include "stepscope/kernel.h"

static const char *const assumption_names[] = {
#define X(id, name) name,
	ASSUMPTIONS(X)
#undef X
};

static const char *const override_names[] = {
#define X(id, name) name,
	OVERRIDES(X)
#undef X
};

const char *assumption_name(enum assumption id)
{
	return assumption_names[id];
}

const char *override_name(enum override_id id)
{
	return override_names[id];
}

static bool is_same_kind(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

void note_assumption(struct notes *notes, enum assumption id, const char *kind,
		     struct note_value value, enum note_reason why)
{
	for (size_t i = 0; i < notes->assumption_count; i++)
		if (notes->assumptions[i].id == id &&
		    is_same_kind(notes->assumptions[i].kind, kind))
			return;
	if (notes->assumption_count < NOTES_MAX)
		notes->assumptions[notes->assumption_count++] =
			(struct assumption_note){ id, kind, value, (int)why };
}

void note_absent(struct notes *notes, enum coef_family family, const char *kind,
		 enum note_reason why)
{
	for (size_t i = 0; i < notes->absent_count; i++)
		if (notes->absent[i].family == family && is_same_kind(notes->absent[i].kind, kind))
			return;
	if (notes->absent_count < ABSENT_MAX)
		notes->absent[notes->absent_count++] =
			(struct absent_note){ family, kind, (int)why };
}

void note_override(struct notes *notes, enum override_id id, struct note_value requested,
		   struct note_value resolved, enum note_reason why)
{
	if (notes->override_count < OVERRIDE_MAX)
		notes->overrides[notes->override_count++] =
			(struct override_note){ id, requested, resolved, (int)why };
}

struct assumption_note *note_find(struct notes *notes, enum assumption id)
{
	for (size_t i = 0; i < notes->assumption_count; i++)
		if (notes->assumptions[i].id == id)
			return &notes->assumptions[i];
	return NULL;
}

const char *ss_assumption_name(size_t index)
{
	return index < ASSUME_COUNT ? assumption_names[index] : NULL;
}

const char *ss_override_field(size_t index)
{
	return index < OVERRIDE_COUNT ? override_names[index] : NULL;
}

const char *ss_optional_coefficient(size_t index)
{
	for (int i = 0; i < COEF_FAMILY_COUNT; i++) {
		const struct coef_family_row *f = coef_family((enum coef_family)i);

		if (*f->without && index-- == 0)
			return f->name;
	}
	return NULL;
}
