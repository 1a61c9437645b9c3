#include "case/merge.h"

#include <stdlib.h>
#include <string.h>

#include "text/xbuf.h"

static void merge_field(struct draft *out, const struct draft *base, const struct draft *mine,
			size_t pool, enum ss_field_id id)
{
	const struct ss_value *now = ss_scenario_value(mine->scenario, pool, id);
	struct ss_value *value = ss_scenario_value_mut(out->scenario, pool, id);

	if (ss_value_equal(ss_scenario_value(base->scenario, pool, id), now))
		return;
	ss_value_release(value);
	if (ss_value_copy(value, now))
		out_of_memory();
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void merge_batch(struct draft *out, const struct draft *mine)
{
	const struct ss_workload *from = &mine->scenario->workload;
	struct ss_group *groups = xcalloc(from->group_count + 1, sizeof(*groups));

	if (from->group_count)
		memcpy(groups, from->groups, from->group_count * sizeof(*groups));
	draft_set_groups(out, groups, from->group_count);
}

static bool differ(const double *a, const double *b)
{
	return !a != !b || (a && b && (*a < *b || *a > *b));
}

void draft_merge(struct draft *out, const struct draft *base, const struct draft *mine,
		 bool keeps_batch)
{
	size_t pools = least(out->scenario->pool_count,
			     least(base->scenario->pool_count, mine->scenario->pool_count));
	unsigned changed = base->corrections ^ mine->corrections;

	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		bool is_pools = ss_field((enum ss_field_id)id)->owner == SS_OWNER_POOL;

		for (size_t p = 0; p < (is_pools ? pools : 1); p++)
			merge_field(out, base, mine, p, (enum ss_field_id)id);
	}
	if (keeps_batch)
		merge_batch(out, mine);
	if (base->scenario->workload.decode_threshold != mine->scenario->workload.decode_threshold)
		out->scenario->workload.decode_threshold =
			mine->scenario->workload.decode_threshold;
	for (size_t i = 0; i < mine->whatif_count; i++)
		if (differ(draft_whatif(base, mine->whatifs[i].name), &mine->whatifs[i].value))
			draft_set_whatif(out, mine->whatifs[i].name, &mine->whatifs[i].value);
	for (size_t i = 0; i < base->whatif_count; i++)
		if (!draft_whatif(mine, base->whatifs[i].name))
			draft_set_whatif(out, base->whatifs[i].name, NULL);
	out->corrections = (out->corrections & ~changed) | (mine->corrections & changed);
	out->sm_budget = mine->sm_budget;
}

void review_merge(struct ss_review *out, const struct ss_review *base, const struct ss_review *mine)
{
	for (size_t i = 0; i < mine->count; i++) {
		const struct ss_review_entry *was = ss_review_find(base, mine->entries[i].name);

		if ((!was || !ss_review_entry_equal(was, &mine->entries[i])) &&
		    ss_review_put(out, &mine->entries[i]))
			out_of_memory();
	}
	for (size_t i = 0; i < base->count; i++)
		if (!ss_review_find(mine, base->entries[i].name))
			ss_review_drop(out, base->entries[i].name);
}
