/*
 * What a person edits: the scenario with its batch, the coefficients tried at
 * other values and the corrections applied. Undo covers this and nothing else.
 */
#ifndef CASE_DRAFT_H
#define CASE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/kernel.h"
#include "stepscope/scenario.h"

/** A coefficient tried at another value; the name is owned. */
struct draft_whatif {
	char *name;
	double value;
};

struct draft {
	struct ss_scenario *scenario; /**< owned, never NULL once opened */
	struct draft_whatif *whatifs;
	size_t whatif_count;
	unsigned corrections; /**< those in force */
	int64_t sm_budget;    /**< of the batch; 0: all SMs */
};

/** Start from a scenario, which the draft then owns; what it tries and corrects moves over. */
void draft_init(struct draft *draft, struct ss_scenario *scenario);
void draft_release(struct draft *draft);

/** A scenario with all of it, but for the SM budget; for the caller to free. */
struct ss_scenario *draft_scenario(const struct draft *draft);

/** Deep copy into an uninitialised draft. */
void draft_copy(struct draft *out, const struct draft *draft);
bool draft_equal(const struct draft *a, const struct draft *b);

/** The batch as priced; borrows from the draft. */
struct ss_batch draft_batch(const struct draft *draft);

/** The value a coefficient is tried at, or NULL. Borrowed until the next change. */
const double *draft_whatif(const struct draft *draft, const char *name);

/** Try a coefficient at a value, or, with NULL, no longer. */
void draft_set_whatif(struct draft *draft, const char *name, const double *value);

/** Replace the batch: takes the groups, forgets a workload shape. */
void draft_set_groups(struct draft *draft, struct ss_group *groups, size_t count);

#endif
