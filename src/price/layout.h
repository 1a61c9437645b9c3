/**
 * @file
 * Where ranks stand: widths, groups, the nodes they touch, and which exchanges a
 * layout runs. Ranks count with tp innermost, then pcp, then dp.
 */
#ifndef STEPSCOPE_PRICE_LAYOUT_H
#define STEPSCOPE_PRICE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "stepscope/vocabulary.h"

/** What a deployment and its cluster state. */
struct layout_inputs {
	int tp, pp, dp; /**< at least 1 */
	int pcp, dcp;   /**< 0 reads as 1 */
	bool has_expert_parallel;
	/** The stated all-to-all backend takes sequence-parallel input; false when none is stated.
	 */
	bool backend_is_sequence_parallel;
	/** The stated backend sends each token to its experts' ranks, rather than gathering all. */
	bool backend_is_routed;
	int gpus_per_node;   /**< at least 1 */
	bool is_rack_domain; /**< the rack is one NVLink domain */
	int gpus_per_rack;   /**< 0: not stated */
};

enum layout_group {
	LAYOUT_TENSOR,
	LAYOUT_EXPERT,
	LAYOUT_PREFILL_CONTEXT,
	LAYOUT_DECODE_CONTEXT,
	LAYOUT_DATA, /**< carries no collective of its own */
	LAYOUT_GROUP_COUNT,
};

struct layout_place {
	int width, stride;
	int per_node; /**< members in one node */
	bool crosses; /**< its traffic leaves the node or the rack's domain */
};

struct layout {
	int tp, pp, dp, pcp, dcp; /**< at least 1 */
	int ep;                   /**< expert width: 1 without expert parallelism */
	int moe_group;            /**< ranks that share a layer's experts */
	int ranks;                /**< of the engine, all dp ranks and stages */
	int nodes_spanned;
	struct layout_place groups[LAYOUT_GROUP_COUNT];
	bool is_sequence_parallel_moe;
	bool runs_dispatch; /**< MoE dispatch and combine take place */
	bool is_routed;     /**< the dispatch sends top_k copies, point to point */
};

/** Members of a group of this stride in one node, at least 1. */
static inline int group_per_node(int stride, int gpus_per_node)
{
	int members = gpus_per_node / stride;

	return members > 1 ? members : 1;
}

/** Does a group's traffic leave the node? Inside a one-domain rack it does not. */
static inline bool group_crosses(int width, int stride, int gpus_per_node, bool is_rack_domain,
				 int gpus_per_rack)
{
	if (width <= group_per_node(stride, gpus_per_node))
		return false;
	return !(is_rack_domain && (int64_t)width * stride <= gpus_per_rack);
}

/** Step between neighbours of a decode-context group. */
static inline int layout_dcp_stride(int tp, int pcp, int dcp)
{
	return pcp > 1 && dcp <= pcp ? tp : 1;
}

/** Widths a decode-context group can have: a divisor of tp; with pcp, 1, pcp or tp x pcp. */
static inline bool layout_dcp_is_legal(int tp, int pcp, int dcp)
{
	if (pcp <= 1)
		return dcp >= 1 && tp % dcp == 0;
	return dcp == 1 || dcp == pcp || dcp == (int64_t)tp * pcp;
}

/** Work a layout out. Inputs must be legal. */
struct layout layout_make(const struct layout_inputs *in);

/** Does a collective with this condition run? Not for an unknown one. */
static inline bool layout_emits(const struct layout *layout, enum ss_condition condition)
{
	switch (condition) {
	case SS_CONDITION_ALWAYS:
		return true;
	case SS_CONDITION_TENSOR_PARALLEL:
		return layout->tp > 1;
	case SS_CONDITION_EXPERT_PARALLEL:
		return layout->runs_dispatch;
	case SS_CONDITION_TENSOR_PARALLEL_UNLESS_SP_MOE:
		return layout->tp > 1 && !layout->is_sequence_parallel_moe;
	case SS_CONDITION_COUNT:
		break;
	}
	return false;
}

#endif
