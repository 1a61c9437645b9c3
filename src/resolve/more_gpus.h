/**
 * @file
 * The cluster a wider engine would need: a fuller node, or more nodes.
 */
#ifndef STEPSCOPE_RESOLVE_MORE_GPUS_H
#define STEPSCOPE_RESOLVE_MORE_GPUS_H

#include "stepscope/scenario.h"

enum { MORE_GPUS_SETTINGS = 2 };

/** Settings to take together. */
struct more_gpus {
	enum ss_field_id fields[MORE_GPUS_SETTINGS];
	int64_t values[MORE_GPUS_SETTINGS];
	int count; /**< 0: the pool has enough, or none that is offered would do */
};

/** GPUs of the engine of a pool at a tp, over all its other widths; 0: beyond counting. */
int64_t more_gpus_needed(const struct ss_scenario *scenario, size_t pool, int64_t tp);

/** What would give the pool so many GPUs; the cluster grows only past its spare nodes. */
void more_gpus_for(const struct ss_scenario *scenario, size_t pool, int64_t needed,
		   struct more_gpus *out);

#endif
