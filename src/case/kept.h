/**
 * @file
 * Drafts, reviews and histories as JSON, exactly, for a session that is kept: also what
 * no scenario document may hold.
 */
#ifndef CASE_KEPT_H
#define CASE_KEPT_H

#include <cjson/cJSON.h>

#include "case/edit.h"

/** New items for the caller to attach or delete. */
cJSON *kept_draft(const struct draft *draft);
cJSON *kept_review(const struct ss_review *review);
/** Edits, those taken back included, and where it stands. */
cJSON *kept_history(const struct history *history);
cJSON *kept_groups(const struct ss_group *groups, size_t count);

/** Read them into what holds nothing; false, and nothing made, when it is none. */
bool kept_read_draft(struct draft *out, const cJSON *item);
struct ss_review *kept_read_review(const cJSON *item);
/** `out->review` stays. */
bool kept_read_history(struct history *out, const cJSON *item);
bool kept_read_groups(struct ss_group **out, size_t *count, const cJSON *item);

/** A whole number of an item, in its range; `fallback` when it is none. */
int64_t kept_integer(const cJSON *object, const char *key, int64_t min, int64_t max,
		     int64_t fallback);
/** A text, "" when it is none; borrowed. */
const char *kept_text(const cJSON *object, const char *key);

#endif
