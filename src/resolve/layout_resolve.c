#include "resolve/kernel_impl.h"

#include <limits.h>
#include <string.h>

static int width(const struct ss_kernel *k, enum ss_field_id id)
{
	int64_t v = stated_count(k, id);

	return v < 1 ? 1 : v > INT_MAX ? INT_MAX : (int)v;
}

/** Backends that gather dense tokens rather than send each to its experts. */
static bool is_routed(const char *backend)
{
	return *backend && strcmp(backend, "naive") != 0 &&
	       strcmp(backend, "allgather_reducescatter") != 0;
}

void resolve_layout(struct ss_kernel *k)
{
	const struct ss_part *part = k->basis->in.part;
	const char *all2all = stated_backend(k, SS_F_ALL2ALL_BACKEND);
	int64_t rack = stated_count(k, SS_F_GPUS_PER_RACK);
	struct layout_inputs in = {
		.tp = width(k, SS_F_TP),
		.pp = width(k, SS_F_PP),
		.dp = width(k, SS_F_DP),
		.pcp = width(k, SS_F_PCP),
		.dcp = width(k, SS_F_DCP),
		.has_expert_parallel = stated_bool(k, SS_F_EXPERT_PARALLEL, false),
		.backend_is_sequence_parallel = ss_list_has(
			&k->basis->in.pack->lists[SS_LIST_SEQUENCE_PARALLEL_ALL2ALL], all2all),
		.backend_is_routed = is_routed(all2all),
		.gpus_per_node = width(k, SS_F_GPUS_PER_NODE),
		.is_rack_domain = part->gpus_per_rack > 0 && part->intra_rack_gb_s > 0,
		.gpus_per_rack = (int)(rack > 0 ? rack : part->gpus_per_rack),
	};

	k->inter_node_gb_s = k->scenario->values[SS_F_INTER_NODE_GB_S].is_stated
				     ? k->scenario->values[SS_F_INTER_NODE_GB_S].number
			     : k->basis->in.network ? k->basis->in.network->inter_node_gb_s
						    : 0;
	/* an illegal width is refused by its own rule; the rest is still checked */
	if (!layout_dcp_is_legal(in.tp, in.pcp, in.dcp))
		in.dcp = 1;
	k->layout = layout_make(&in);
	if (in.pp > 1)
		refuse(k, "P1", SS_F_PP,
		       "pp %d: a step over pipeline stages is not priced; pp must be 1", in.pp);
}
