#include "price/dcp.h"

#include "price/integers.h"

int64_t dcp_chunk(int64_t max_model_len, int64_t max_num_seqs, int64_t block, int64_t dcp,
		  int64_t interleave)
{
	int64_t chunk = DCP_CHUNK_MAX;
	int64_t unit;

	if (block < 1)
		block = 1;
	if (max_model_len > 0)
		chunk = least(most(8 * max_model_len, 4 * max_num_seqs * block), chunk);
	unit = common_multiple(block, most(dcp, 1) * most(interleave, 1));
	return divide_up(chunk, unit) * unit;
}

/** Does group `i` come after the one the walk stands on? */
static bool is_ahead(const struct dcp_runs *walk, size_t i)
{
	int64_t scheduled = walk->groups[i].scheduled;

	if (!walk->has_started || scheduled > walk->last_scheduled)
		return true;
	return scheduled == walk->last_scheduled && i > walk->last_index;
}

/** Step to the next prefill in order; NULL after the last. */
static const struct ss_group *next_prefill(struct dcp_runs *walk)
{
	const struct ss_group *best = NULL;

	for (size_t i = 0; i < walk->count; i++) {
		const struct ss_group *g = &walk->groups[i];

		if (g->count <= 0 || g->scheduled <= 0 || g->scheduled <= walk->threshold)
			continue;
		if (is_ahead(walk, i) && (!best || g->scheduled < best->scheduled))
			best = g;
	}
	if (!best)
		return NULL;
	walk->has_started = true;
	walk->last_scheduled = best->scheduled;
	walk->last_index = (size_t)(best - walk->groups);
	return best;
}

int64_t dcp_next_run(struct dcp_runs *walk)
{
	const struct ss_group *g;
	int64_t run = 0;

	while ((g = next_prefill(walk))) {
		if (g->computed > 0)
			run += g->computed * g->count;
		else if (run > 0)
			return run;
	}
	return run;
}
