/**
 * @file
 * Edits made to one version of a scenario or review, carried over to another.
 */
#ifndef CASE_MERGE_H
#define CASE_MERGE_H

#include "case/draft.h"
#include "stepscope/review.h"

/**
 * Whatever `mine` has otherwise than `base` goes into `out`.
 *
 * @param out a newer version of `base`; pools it has not any more are left out.
 * @param keeps_batch the batch of `mine` is the user's own.
 */
void draft_merge(struct draft *out, const struct draft *base, const struct draft *mine,
		 bool keeps_batch);

/** The same of what is said of entries. */
void review_merge(struct ss_review *out, const struct ss_review *base,
		  const struct ss_review *mine);

#endif
