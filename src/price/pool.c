#include "price/pool.h"

#include "price/integers.h"

int64_t aligned_block(int64_t unit, int64_t state_bytes, int64_t attention_bytes_per_token,
		      int64_t stated, int64_t lcm_with)
{
	int64_t block;

	unit = most(unit, 1);
	if (lcm_with > 0)
		unit = common_multiple(unit, lcm_with);
	block = unit;
	if (attention_bytes_per_token > 0)
		block = unit * most(divide_up(state_bytes, unit * attention_bytes_per_token), 1);
	return most(block, stated);
}

int64_t pool_group_size(const struct pool_layers *kinds, size_t count)
{
	int64_t smallest = 0;
	int64_t largest = 0;

	for (size_t i = 0; i < count; i++) {
		if (kinds[i].layers <= 0)
			continue;
		if (!smallest || kinds[i].layers < smallest)
			smallest = kinds[i].layers;
		largest = most(largest, kinds[i].layers);
	}
	/* A little padding beats many small groups: under one and a half, pad. */
	return 2 * largest < 3 * smallest ? largest : smallest;
}

int64_t pool_group_count(int64_t layers, int64_t group_size)
{
	return layers > 0 && group_size > 0 ? divide_up(layers, group_size) : 0;
}

static int64_t state_blocks(int64_t tokens, const struct pool_rules *rules)
{
	switch (rules->state_mode) {
	case POOL_STATE_NONE:
		return 1 + rules->spec;
	case POOL_STATE_ALIGN:
		return 2 + rules->spec;
	case POOL_STATE_ALL:
		break;
	}
	return divide_up(tokens, rules->block) + rules->spec;
}

int64_t pool_group_blocks(const struct pool_layers *kind, int64_t tokens,
			  const struct pool_rules *rules)
{
	int64_t seen;

	if (tokens <= 0)
		return 0;
	switch (kind->kind) {
	case POOL_FULL:
		break;
	case POOL_WINDOW:
		/* A step's tokens are all kept until it ends; one block more for a cut edge. */
		seen = least(kind->window - 1 + rules->max_batched_tokens, tokens);
		return divide_up(seen, rules->block) + 1;
	case POOL_STATE:
		return state_blocks(tokens, rules);
	}
	return divide_up(tokens, rules->block);
}
