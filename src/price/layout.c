#include "price/layout.h"

#include <stdint.h>

static int at_least_one(int width)
{
	return width > 1 ? width : 1;
}

static int wider(int a, int b)
{
	return a > b ? a : b;
}

/** Ranks of two widths together; far past any cluster the product stands still. */
static int times(int a, int b)
{
	const int64_t most = 1 << 30;
	int64_t product = (int64_t)a * b;

	return (int)(product < most ? product : most);
}

static struct layout_place place(const struct layout_inputs *in, int width, int stride)
{
	return (struct layout_place){
		.width = width,
		.stride = stride,
		.per_node = group_per_node(stride, in->gpus_per_node),
		.crosses = group_crosses(width, stride, in->gpus_per_node, in->is_rack_domain,
					 in->gpus_per_rack),
	};
}

static int nodes_spanned(const struct layout *l, const struct layout_inputs *in)
{
	int group = wider(wider(l->tp, l->moe_group), times(l->tp, l->pcp));

	if (in->is_rack_domain && group <= in->gpus_per_rack)
		return 1;
	return (group + in->gpus_per_node - 1) / in->gpus_per_node;
}

struct layout layout_make(const struct layout_inputs *in)
{
	struct layout l = {
		.tp = at_least_one(in->tp),
		.pp = at_least_one(in->pp),
		.dp = at_least_one(in->dp),
		.pcp = at_least_one(in->pcp),
		.dcp = at_least_one(in->dcp),
	};
	int all = times(times(l.tp, l.pcp), l.dp);

	l.ranks = times(all, l.pp);
	l.ep = in->has_expert_parallel ? all : 1;
	l.moe_group = in->has_expert_parallel || l.dp > 1 ? all : 1;
	l.nodes_spanned = nodes_spanned(&l, in);
	l.groups[LAYOUT_TENSOR] = place(in, l.tp, 1);
	l.groups[LAYOUT_EXPERT] = place(in, l.moe_group, 1);
	l.groups[LAYOUT_PREFILL_CONTEXT] = place(in, l.pcp, l.tp);
	l.groups[LAYOUT_DECODE_CONTEXT] = place(in, l.dcp, layout_dcp_stride(l.tp, l.pcp, l.dcp));
	l.groups[LAYOUT_DATA] = place(in, l.dp, times(l.tp, l.pcp));
	l.is_sequence_parallel_moe =
		in->has_expert_parallel && l.tp > 1 && l.dp > 1 && in->backend_is_sequence_parallel;
	l.runs_dispatch = l.dp > 1 || (in->has_expert_parallel && l.pcp > 1);
	l.is_routed = in->has_expert_parallel && in->backend_is_routed;
	return l;
}
