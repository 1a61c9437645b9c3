/**
 * @file
 * A review: what someone made of the assumed entries of a scenario, each at the value
 * it had then. Kept in `NAME.review.json` beside `NAME.json`.
 */
#ifndef STEPSCOPE_REVIEW_H
#define STEPSCOPE_REVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/problems.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/** id, name */
#define SS_JUDGEMENTS(X)           \
	X(OPEN,     "open")      \
	X(ACCEPTED, "accepted")  \
	X(STATED,   "stated")
/* clang-format on */

enum ss_judgement {
#define SS_X(id, name) SS_JUDGEMENT_##id,
	SS_JUDGEMENTS(SS_X)
#undef SS_X
		SS_JUDGEMENT_COUNT,
};
SS_API const char *ss_judgement_name(enum ss_judgement verdict);

/** What was said of one entry. All text but the name may be "". */
struct ss_review_entry {
	char *name;
	char *set; /**< it came from then */
	bool has_value;
	double value;     /**< it had then; else ... */
	char *value_text; /**< ... of a setting */
	char *units;
	enum ss_judgement verdict;
	char *note;
	char *reviewer;
	char *date;            /**< `2026-11-30` or `2026-11-30T23:50:15Z` */
	char *scenario_sha256; /**< of the scenario's JSON, as it is written */
};

struct ss_review {
	char *scenario; /**< its name */
	struct ss_review_entry *entries;
	size_t count;
};

/** An empty one, or NULL when out of memory. */
SS_API struct ss_review *ss_review_new(const char *scenario);
SS_API void ss_review_free(struct ss_review *review);
SS_API SS_NODISCARD enum ss_status ss_review_clone(struct ss_review **out,
						   const struct ss_review *review);
/** The same entries, in any order? */
SS_API bool ss_review_equal(const struct ss_review *a, const struct ss_review *b);

/** What is said of an entry; NULL when nothing is. Borrowed until the next change. */
SS_API const struct ss_review_entry *ss_review_find(const struct ss_review *review,
						    const char *name);
SS_API bool ss_review_entry_equal(const struct ss_review_entry *a, const struct ss_review_entry *b);

/** Say this of its entry, in place of what was said; copied. Text that is NULL is "". */
SS_API SS_NODISCARD enum ss_status ss_review_put(struct ss_review *review,
						 const struct ss_review_entry *entry);
/** Say nothing of an entry any more. */
SS_API void ss_review_drop(struct ss_review *review, const char *name);

/** Read one; NULL, with problems, when it is none. */
SS_API struct ss_review *ss_review_parse(const char *json, size_t length, const char *file,
					 struct ss_problems *problems);
SS_API struct ss_review *ss_review_load(const char *path, struct ss_problems *problems);

/** As its file's text, which ends in a newline; the caller frees it. NULL: no memory. */
SS_API char *ss_review_to_json(const struct ss_review *review);

#ifdef __cplusplus
}
#endif

#endif
