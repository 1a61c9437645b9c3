/**
 * @file
 * Prefill-context parallelism: a prompt is cut into two chunks per rank, rank r
 * takes chunks r and 2 pcp - 1 - r, and the rank with most tokens is priced.
 */
#ifndef STEPSCOPE_PRICE_PCP_H
#define STEPSCOPE_PRICE_PCP_H

#include <stdint.h>

/** Consecutive new tokens on a rank, with all that stand before them. */
struct pcp_run {
	int64_t tokens;
	int64_t prior;
};

/** What one rank computes of one request. */
struct pcp_split {
	struct pcp_run runs[2];
	int run_count;
	int64_t tokens; /**< of all runs */
	int64_t rank;
};

/**
 * The busiest rank's part of a prefill, the lowest-numbered of equals. The whole
 * request with pcp at most 1, or when chunks would run short under dcp.
 */
struct pcp_split pcp_busiest(int64_t scheduled, int64_t computed, int64_t pcp, int64_t dcp);

/** Query-key pairs of a split: causal. */
double pcp_pairs_causal(const struct pcp_split *split);
/** With a window. */
double pcp_pairs_window(const struct pcp_split *split, double window);
/** On a sparse layer; see pairs_sparse(). */
double pcp_pairs_sparse(const struct pcp_split *split, double window, double top_k, double ratio);

/** Rows of a gather over all ranks. */
static inline double pcp_gather_rows(double local_tokens, int64_t pcp)
{
	return local_tokens * (double)pcp;
}

#endif
