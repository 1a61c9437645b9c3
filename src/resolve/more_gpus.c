#include "resolve/more_gpus.h"

/** Most GPUs of one pool that are offered, and of a node that is not so large itself. */
enum { GPUS_MOST = 1024, NODE_GPUS = 8 };

static int64_t count_of(const struct ss_scenario *s, size_t pool, enum ss_field_id field)
{
	const struct ss_value *v = ss_scenario_value(s, pool, field);

	return v->is_stated && !v->is_auto && v->integer > 0 ? v->integer : 1;
}

int64_t more_gpus_needed(const struct ss_scenario *scenario, size_t pool, int64_t tp)
{
	const enum ss_field_id others[] = { SS_F_PP, SS_F_PCP, SS_F_DP };
	int64_t needed = tp;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && needed <= GPUS_MOST; i++) {
		int64_t width = count_of(scenario, pool, others[i]);

		needed = width > GPUS_MOST ? width : needed * width;
	}
	return needed <= GPUS_MOST ? needed : 0;
}

static void put(struct more_gpus *out, enum ss_field_id field, int64_t value)
{
	out->fields[out->count] = field;
	out->values[out->count++] = value;
}

void more_gpus_for(const struct ss_scenario *scenario, size_t pool, int64_t needed,
		   struct more_gpus *out)
{
	int64_t per_node = count_of(scenario, 0, SS_F_GPUS_PER_NODE);
	int64_t own = count_of(scenario, pool, SS_F_NODES), all = 0, nodes;

	*out = (struct more_gpus){ .count = 0 };
	if (needed < 1 || needed <= per_node * own)
		return;
	/* a node is filled first: its GPUs need no network */
	if (own == 1 && needed <= NODE_GPUS) {
		put(out, SS_F_GPUS_PER_NODE, needed);
		return;
	}
	nodes = (needed + per_node - 1) / per_node;
	for (size_t p = 0; p < scenario->pool_count; p++)
		all += p == pool ? nodes : count_of(scenario, p, SS_F_NODES);
	put(out, SS_F_NODES, nodes);
	if (all > count_of(scenario, 0, SS_F_CLUSTER_NODES))
		put(out, SS_F_CLUSTER_NODES, all);
}
