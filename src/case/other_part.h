/**
 * @file
 * Ways out of a refusal that no setting cures: the same deployment on another GPU.
 */
#ifndef CASE_OTHER_PART_H
#define CASE_OTHER_PART_H

#include "stepscope/registry.h"
#include "stepscope/scenario.h"

/**
 * To refusals without a way out, add the nearest parts of the registry that the deployment
 * runs on, as fixes, each with what it needs there. Loads documents; `problems` may be NULL.
 */
void other_part_offer(struct ss_problems *problems, struct ss_registry *registry,
		      const struct ss_scenario *scenario, size_t pool, unsigned corrections);

#endif
