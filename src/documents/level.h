/**
 * @file
 * An object of a document read against the table of fields: every field of an owner
 * whose path begins with the object's own, and what else may stand beside them.
 */
#ifndef DOCUMENTS_LEVEL_H
#define DOCUMENTS_LEVEL_H

#include "documents/reader.h"
#include "stepscope/fields.h"
#include "stepscope/scenario.h"

enum { SEGMENT_MAX = 64 };

/** Keys of one object: names point into `segments` or are literals. */
struct level {
	struct key keys[KEYS_MAX];
	enum ss_field_id ids[KEYS_MAX]; /**< SS_FIELD_COUNT: an inner object or an extra key */
	char segments[KEYS_MAX][SEGMENT_MAX];
	size_t count;
};

/** What is being filled. */
struct target {
	struct ss_value *values;
	enum ss_field_owner owner;
	bool is_out_of_memory;
};

/** The keys of an owner's fields below a prefix, `engine.`. */
void level_make(struct level *level, enum ss_field_owner owner, const char *prefix);
/** A key beside them, which the caller reads. `name` is kept. */
void level_add_key(struct level *level, const char *name, enum key_kind kind, bool is_required);
/** Read an object. `given` (NULL, or as many as the level has keys): what stood for each. */
void level_read(struct reader *r, const struct place *at, const cJSON *item, struct level *level,
		const char *prefix, struct target *t, const cJSON **given);
const cJSON *level_given(const struct level *level, const cJSON *const *given, const char *name);

/** The `workload` of a scenario: its batch or shape, and its load. */
void workload_fields_read(struct reader *r, const cJSON *item, struct ss_scenario *s,
			  struct level *level, struct target *t);

#endif
