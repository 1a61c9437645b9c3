#include "case/node_price.h"

/** The op whose nodes a term is charged for; SS_OP_UNKNOWN for the host's. */
static enum ss_op op_of(enum ss_term_id term)
{
	switch (term) {
	case SS_TERM_DENSE:
	case SS_TERM_DENSE_READ:
	case SS_TERM_HEAD:
	case SS_TERM_HEAD_READ:
		return SS_OP_GEMM;
	case SS_TERM_EXPERTS:
	case SS_TERM_EXPERTS_READ:
	case SS_TERM_SHARED:
	case SS_TERM_SHARED_READ:
		return SS_OP_GROUPED_GEMM;
	case SS_TERM_ATTENTION_DECODE:
	case SS_TERM_ATTENTION_PREFILL:
	case SS_TERM_SCORER_DECODE:
	case SS_TERM_SCORER_PREFILL:
	case SS_TERM_FUSED_FLOOR:
	case SS_TERM_DCP:
	case SS_TERM_PCP:
		return SS_OP_ATTENTION;
	case SS_TERM_RECURRENT:
		return SS_OP_RECURRENT;
	case SS_TERM_ELEMENTWISE:
		return SS_OP_ELEMENTWISE;
	case SS_TERM_MHC:
		return SS_OP_MHC;
	case SS_TERM_TABLE:
		return SS_OP_TABLE_LOOKUP;
	case SS_TERM_ALL_REDUCE:
		return SS_OP_ALL_REDUCE;
	case SS_TERM_ALL_GATHER:
		return SS_OP_ALL_GATHER;
	case SS_TERM_REDUCE_SCATTER:
		return SS_OP_REDUCE_SCATTER;
	case SS_TERM_ALL2ALL:
		return SS_OP_ALL2ALL;
	case SS_TERM_SMALL:
		return SS_OP_ELEMENTWISE;
	case SS_TERM_PREFILL_HOST:
	case SS_TERM_SYNC:
	case SS_TERM_LAUNCH:
	case SS_TERM_GRAPH:
	case SS_TERM_REQUESTS:
	case SS_TERM_COUNT:
		break;
	}
	return SS_OP_UNKNOWN;
}

static bool is_scorer_term(enum ss_term_id term)
{
	return term == SS_TERM_SCORER_DECODE || term == SS_TERM_SCORER_PREFILL;
}

/** Does a term pay for this node (of its kind)? */
static bool pays(const struct ss_term *term, const struct ss_node *node)
{
	if (op_of(term->term) != node->op || term->is_draft)
		return false;
	if (node->op != SS_OP_ATTENTION)
		return true;
	return is_scorer_term(term->term) == (*node->role != '\0');
}

/** A node's part among those a term pays for: by weights where it has any. */
static double weight(const struct ss_node *node)
{
	double inner = (double)(node->latent_size ? node->latent_size : node->k);

	if (node->op == SS_OP_GEMM)
		return (double)node->n * (double)node->k;
	if (node->op == SS_OP_GROUPED_GEMM)
		return (double)node->experts * (double)node->n * inner;
	return 1;
}

double node_seconds(const struct ss_breakdown *breakdown, enum ss_figure figure, int kind,
		    const struct ss_node *nodes, size_t count, size_t index)
{
	double total = 0;

	for (size_t i = 0; i < breakdown->term_count; i++) {
		const struct ss_term *term = &breakdown->terms[i];
		double whole = 0;

		if (term->kind != kind || !pays(term, &nodes[index]))
			continue;
		for (size_t k = 0; k < count; k++)
			if (pays(term, &nodes[k]))
				whole += weight(&nodes[k]);
		if (whole > 0)
			total += ss_term_figure(term, figure) * weight(&nodes[index]) / whole;
	}
	return total;
}

double node_parameters(const struct ss_node *node)
{
	double inner, shared;

	if (node->op == SS_OP_GEMM)
		return (double)node->n * (double)node->k;
	if (node->op != SS_OP_GROUPED_GEMM)
		return 0;
	inner = (double)node->n * (double)(node->latent_size ? node->latent_size : node->k);
	shared = (double)(node->shared_intermediate_size ? node->shared_intermediate_size
							 : node->n) *
		 (double)node->k;
	return (double)node->matrices *
	       ((double)node->experts * inner + (double)node->shared_experts * shared);
}
