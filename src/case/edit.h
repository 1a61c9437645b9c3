/*
 * Named edits of a draft, taken back and made again without limit. An edit
 * keeps one side of what it changed: undo and redo both swap it with the
 * draft's, so the start is reached exactly and an edit costs a few bytes.
 */
#ifndef CASE_EDIT_H
#define CASE_EDIT_H

#include "case/draft.h"
#include "stepscope/review.h"

struct edit; /* opaque */

struct history {
	struct edit *edits;
	size_t count;    /**< edits there are, those taken back included */
	size_t position; /**< edits in force: 0 .. count */
	size_t saved;    /**< position that is on disk; SIZE_MAX: none any more */
	size_t capacity;
	struct ss_review *review; /**< what edits of a review change; borrowed */
};

void history_release(struct history *history);

/** Anything changed since the draft was opened or saved? */
bool history_is_dirty(const struct history *history);
void history_mark_saved(struct history *history);


/**
 * Change one field. `value` is taken over, whatever comes of it.
 *
 * @return false when it already had that value: nothing was recorded.
 */
bool history_set_field(struct history *history, struct draft *draft, size_t pool,
		       enum ss_field_id field, struct ss_value *value);

/** Set a path from text as `--set` does. Fails with `err` filled and nothing changed. */
bool history_set_text(struct history *history, struct draft *draft, size_t pool, const char *path,
		      const char *text, struct ss_error *err);

/** Replace the batch's groups; takes them over. */
bool history_set_groups(struct history *history, struct draft *draft, struct ss_group *groups,
			size_t count, const char *name);

bool history_set_threshold(struct history *history, struct draft *draft, int64_t threshold);
bool history_set_sm_budget(struct history *history, struct draft *draft, int64_t sm_budget);
bool history_set_corrections(struct history *history, struct draft *draft, unsigned corrections,
			     const char *name);

/** Try a coefficient at a value, or, with NULL, no longer. */
bool history_set_whatif(struct history *history, struct draft *draft, const char *name,
			const double *value);

/** Put another draft in place of this one; takes it over. */
bool history_replace(struct history *history, struct draft *draft, struct draft *other,
		     const char *name);

/** Say this of an entry of the review, or nothing any more. */
bool history_set_review(struct history *history, const struct ss_review_entry *record,
			const char *name);
bool history_drop_review(struct history *history, const char *entry, const char *name);

/** The edit made last is taken back and made again with the one before it. */
void history_join(struct history *history);

/** Take back or make again one edit; its name, or NULL when there is none. Borrowed. */
const char *history_undo(struct history *history, struct draft *draft);
const char *history_redo(struct history *history, struct draft *draft);

#endif
