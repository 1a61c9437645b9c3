#include "case/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/edit_impl.h"
#include "text/xbuf.h"

static void release_edit(struct edit *edit)
{
	free(edit->name);
	ss_value_release(&edit->value);
	free(edit->workload.groups);
	free(edit->workload.shape);
	free(edit->coefficient);
	draft_release(&edit->draft);
	ss_review_free(edit->said);
}

static void drop_redo(struct history *history)
{
	while (history->count > history->position)
		release_edit(&history->edits[--history->count]);
	if (history->saved != SIZE_MAX && history->saved > history->count)
		history->saved = SIZE_MAX;
}

void history_release(struct history *history)
{
	struct ss_review *review = history->review;

	history->position = 0;
	drop_redo(history);
	free(history->edits);
	*history = (struct history){ .review = review };
}

bool history_is_dirty(const struct history *history)
{
	return history->saved != history->position;
}

void history_mark_saved(struct history *history)
{
	history->saved = history->position;
}

static void swap_numbers(int64_t *a, int64_t *b)
{
	int64_t keep = *a;

	*a = *b;
	*b = keep;
}

static void swap_whatif(struct edit *edit, struct draft *draft)
{
	const double *now = draft_whatif(draft, edit->coefficient);
	bool had = now != NULL;
	double was = now ? *now : 0;

	draft_set_whatif(draft, edit->coefficient, edit->has_tried ? &edit->tried : NULL);
	edit->has_tried = had;
	edit->tried = was;
}

/* What was said of one entry changes places with what is said now. */
static void swap_said(struct edit *edit, struct ss_review *review)
{
	const char *name = edit->coefficient;
	const struct ss_review_entry *now = ss_review_find(review, name);
	struct ss_review *keep = ss_review_new(review->scenario);

	if (!keep || (now && ss_review_put(keep, now)))
		out_of_memory();
	if (!edit->said->count)
		ss_review_drop(review, name);
	else if (ss_review_put(review, &edit->said->entries[0]))
		out_of_memory();
	ss_review_free(edit->said);
	edit->said = keep;
}

/* Exchange the edit's side with the draft's. */
static void swap(struct edit *edit, struct draft *draft, struct ss_review *review)
{
	switch (edit->kind) {
	case EDIT_FIELD: {
		struct ss_value *live = NULL, keep;

		/* A history read from a file may be of other pools. */
		if (edit->pool >= draft->scenario->pool_count)
			break;
		live = ss_scenario_value_mut(draft->scenario, edit->pool, edit->field);
		keep = *live;
		*live = edit->value;
		edit->value = keep;
		break;
	}
	case EDIT_GROUPS: {
		struct ss_workload keep = draft->scenario->workload;

		draft->scenario->workload = edit->workload;
		edit->workload = keep;
		break;
	}
	case EDIT_THRESHOLD:
		swap_numbers(&draft->scenario->workload.decode_threshold, &edit->number);
		break;
	case EDIT_BUDGET:
		swap_numbers(&draft->sm_budget, &edit->number);
		break;
	case EDIT_CORRECTIONS: {
		unsigned keep = draft->corrections;

		draft->corrections = (unsigned)edit->number;
		edit->number = (int64_t)keep;
		break;
	}
	case EDIT_WHATIF:
		swap_whatif(edit, draft);
		break;
	case EDIT_REVIEW:
		swap_said(edit, review);
		break;
	case EDIT_DRAFT: {
		struct draft keep = *draft;

		*draft = edit->draft;
		edit->draft = keep;
		break;
	}
	case EDIT_KIND_COUNT:
		break;
	}
}

static struct edit *add(struct history *history, enum edit_kind kind, const char *name)
{
	struct edit *edit = NULL;

	drop_redo(history);
	if (history->count == history->capacity) {
		history->capacity = history->capacity ? history->capacity * 2 : 16;
		history->edits =
			xrealloc(history->edits, history->capacity, sizeof(*history->edits));
	}
	edit = &history->edits[history->count++];
	*edit = (struct edit){ .kind = kind, .name = xstrdup(name) };
	history->position = history->count;
	return edit;
}

bool history_set_field(struct history *history, struct draft *draft, size_t pool,
		       enum ss_field_id field, struct ss_value *value)
{
	const struct ss_field *row = ss_field(field);
	char text[96] = "";
	char name[256];
	struct edit *edit = NULL;

	if (ss_value_equal(ss_scenario_value(draft->scenario, pool, field), value)) {
		ss_value_release(value);
		return false;
	}
	ss_value_format(text, sizeof(text), row, value);
	if (value->is_stated)
		snprintf(name, sizeof(name), "%s = %s", row->path, text);
	else
		snprintf(name, sizeof(name), "%s unstated", row->path);
	edit = add(history, EDIT_FIELD, name);
	edit->pool = pool;
	edit->field = field;
	edit->value = *value;
	*value = (struct ss_value){ 0 };
	swap(edit, draft, history->review);
	return true;
}

/* The one value in which two scenarios differ; how many do. */
static size_t find_changes(const struct ss_scenario *a, const struct ss_scenario *b,
			   enum ss_field_id *field, size_t *pool)
{
	size_t changes = 0;

	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		size_t pools =
			ss_field((enum ss_field_id)id)->owner == SS_OWNER_POOL ? a->pool_count : 1;

		for (size_t p = 0; p < pools; p++) {
			if (ss_value_equal(ss_scenario_value(a, p, (enum ss_field_id)id),
					   ss_scenario_value(b, p, (enum ss_field_id)id)))
				continue;
			*field = (enum ss_field_id)id;
			*pool = p;
			changes++;
		}
	}
	return changes;
}

bool history_set_text(struct history *history, struct draft *draft, size_t pool, const char *path,
		      const char *text, struct ss_error *err)
{
	struct ss_scenario *changed = NULL;
	enum ss_field_id field = SS_FIELD_COUNT;
	size_t at = 0;
	bool is_changed = false;

	if (ss_scenario_clone(&changed, draft->scenario))
		out_of_memory();
	if (ss_scenario_set(changed, pool, path, text, err)) {
		ss_scenario_free(changed);
		return false;
	}
	if (find_changes(draft->scenario, changed, &field, &at) == 1) {
		struct ss_value value = { 0 };

		if (ss_value_copy(&value, ss_scenario_value(changed, at, field)))
			out_of_memory();
		is_changed = history_set_field(history, draft, at, field, &value);
	}
	ss_scenario_free(changed);
	if (!is_changed && err)
		*err = (struct ss_error){ .status = SS_OK };
	return is_changed;
}

bool history_set_groups(struct history *history, struct draft *draft, struct ss_group *groups,
			size_t count, const char *name)
{
	const struct ss_workload *now = &draft->scenario->workload;
	struct edit *edit = NULL;
	bool same = !now->shape && now->group_count == count;

	for (size_t i = 0; same && i < count; i++) {
		const struct ss_group *a = &now->groups[i];

		same = a->count == groups[i].count && a->scheduled == groups[i].scheduled &&
		       a->computed == groups[i].computed && a->prompt_len == groups[i].prompt_len;
	}
	if (same) {
		free(groups);
		return false;
	}
	edit = add(history, EDIT_GROUPS, name);
	edit->workload.groups = groups;
	edit->workload.group_count = count;
	edit->workload.has_batch = true;
	edit->workload.decode_threshold = now->decode_threshold;
	swap(edit, draft, history->review);
	return true;
}

static bool set_number(struct history *history, struct draft *draft, enum edit_kind kind,
		       const char *name, int64_t now, int64_t value)
{
	struct edit *edit = NULL;

	if (now == value)
		return false;
	edit = add(history, kind, name);
	edit->number = value;
	swap(edit, draft, history->review);
	return true;
}

bool history_set_threshold(struct history *history, struct draft *draft, int64_t threshold)
{
	return set_number(history, draft, EDIT_THRESHOLD, "decode threshold",
			  draft->scenario->workload.decode_threshold, threshold);
}

bool history_set_sm_budget(struct history *history, struct draft *draft, int64_t sm_budget)
{
	return set_number(history, draft, EDIT_BUDGET, "SM budget", draft->sm_budget, sm_budget);
}

bool history_set_corrections(struct history *history, struct draft *draft, unsigned corrections,
			     const char *name)
{
	return set_number(history, draft, EDIT_CORRECTIONS, name, draft->corrections, corrections);
}

bool history_set_whatif(struct history *history, struct draft *draft, const char *coefficient,
			const double *value)
{
	const double *now = draft_whatif(draft, coefficient);
	struct edit *edit = NULL;
	char name[192];

	if (!now && !value)
		return false;
	if (now && value && !(*now < *value) && !(*now > *value))
		return false;
	if (value)
		snprintf(name, sizeof(name), "%s tried at %g", coefficient, *value);
	else
		snprintf(name, sizeof(name), "%s as in its set", coefficient);
	edit = add(history, EDIT_WHATIF, name);
	edit->coefficient = xstrdup(coefficient);
	edit->has_tried = value != NULL;
	edit->tried = value ? *value : 0;
	swap(edit, draft, history->review);
	return true;
}

bool history_replace(struct history *history, struct draft *draft, struct draft *other,
		     const char *name)
{
	struct edit *edit = NULL;

	if (draft_equal(draft, other)) {
		draft_release(other);
		return false;
	}
	edit = add(history, EDIT_DRAFT, name);
	edit->draft = *other;
	*other = (struct draft){ 0 };
	swap(edit, draft, history->review);
	return true;
}

bool history_set_review(struct history *history, const struct ss_review_entry *record,
			const char *name)
{
	const struct ss_review_entry *now = ss_review_find(history->review, record->name);
	struct edit *edit = NULL;

	if (now && ss_review_entry_equal(now, record))
		return false;
	edit = add(history, EDIT_REVIEW, name);
	edit->coefficient = xstrdup(record->name);
	edit->said = ss_review_new(history->review->scenario);
	if (!edit->said || ss_review_put(edit->said, record))
		out_of_memory();
	swap_said(edit, history->review);
	return true;
}

bool history_drop_review(struct history *history, const char *entry, const char *name)
{
	struct edit *edit = NULL;

	if (!ss_review_find(history->review, entry))
		return false;
	edit = add(history, EDIT_REVIEW, name);
	edit->coefficient = xstrdup(entry);
	edit->said = ss_review_new(history->review->scenario);
	if (!edit->said)
		out_of_memory();
	swap_said(edit, history->review);
	return true;
}

void history_join(struct history *history)
{
	if (history->position > 1)
		history->edits[history->position - 1].is_joined = true;
}

const char *history_undo(struct history *history, struct draft *draft)
{
	struct edit *edit = NULL;

	if (!history->position)
		return NULL;
	do {
		edit = &history->edits[--history->position];
		swap(edit, draft, history->review);
	} while (edit->is_joined && history->position);
	return edit->name;
}

const char *history_redo(struct history *history, struct draft *draft)
{
	const char *name = NULL;

	if (history->position == history->count)
		return NULL;
	name = history->edits[history->position].name;
	do {
		swap(&history->edits[history->position++], draft, history->review);
	} while (history->position < history->count && history->edits[history->position].is_joined);
	return name;
}
