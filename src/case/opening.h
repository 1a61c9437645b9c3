/*
 * The batch a pool opens with. A workload states the step of the pool that takes
 * the prompts; a decode pool takes over the requests it is handed after them.
 */
#ifndef CASE_OPENING_H
#define CASE_OPENING_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/scenario.h"

/** Does the pool only decode what another pool prefilled? */
bool opening_is_handed_over(const struct ss_scenario *scenario, size_t pool);

/**
 * A workload's groups as the pool opens with them, as many as there were: on a
 * decode pool each prefill is a decode of one token at the end of its prompt.
 *
 * @param threshold more scheduled tokens make a prefill; 0: the pool's own.
 * @return a copy to free.
 */
struct ss_group *opening_groups(const struct ss_scenario *scenario, size_t pool, int64_t threshold,
				const struct ss_group *groups, size_t count);

#endif
