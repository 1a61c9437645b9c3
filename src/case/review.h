/**
 * @file
 * A review against what is assumed now: what was judged, and what has changed since.
 */
#ifndef CASE_REVIEW_H
#define CASE_REVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/kernel.h"
#include "stepscope/review.h"
#include "text/xbuf.h"

/** How an entry that is assumed stands. */
enum review_state {
	REVIEW_OPEN,     /**< nobody accepted it */
	REVIEW_ACCEPTED, /**< at the value it has */
	REVIEW_CHANGED,  /**< accepted at another value than it has now */
};

/** `record` may be NULL: nothing is said of the entry. */
enum review_state review_state(const struct ss_review_entry *record, const struct ss_entry *entry);
const char *review_state_name(enum review_state state);

/** A record's value with its units, for a person. */
void review_value_text(const struct ss_review_entry *record, char *out, size_t size);

struct review_count {
	size_t assumed, accepted, open, changed;
};

/** Count the assumed entries of a kernel by their state; `review` may be NULL. */
struct review_count review_count(const struct ss_review *review, const struct ss_kernel *kernel,
				 enum ss_figure figure);

/** `x.review.json` of `x.json`; for the caller to free. */
char *review_path(const char *scenario_file);
/** Does the name end as a review's? */
bool review_is_path(const char *name);
/** The scenario's file a review's lies beside, `x.json`; for the caller to free. */
char *review_scenario_path(const char *review_file);

/**
 * The review beside a scenario's file.
 *
 * @param out NULL when there is none, or the scenario has no file.
 * @return SS_OK or SS_EDOCUMENT, with problems.
 */
SS_NODISCARD enum ss_status review_beside(struct ss_review **out, const char *scenario_file,
					  struct ss_problems *problems);

/** Does the entry count as assumed, for a figure? */
bool review_concerns(const struct ss_kernel *kernel, enum ss_figure figure, size_t entry);

#endif
