/**
 * @file
 * Decode-context parallelism: what each rank keeps of a context, what the ranks
 * exchange, and the gathers of a prefix that latent prefills need.
 */
#ifndef STEPSCOPE_PRICE_DCP_H
#define STEPSCOPE_PRICE_DCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/scenario.h"
#include "stepscope/vocabulary.h"

/** Tokens of a context on one rank; chunks of `interleave` (0: 1) go round the ranks. */
static inline int64_t dcp_rank_share(int64_t context, int64_t dcp, int64_t interleave, int64_t rank)
{
	int64_t base, rest;

	if (context <= 0)
		return 0;
	if (dcp <= 1)
		return context;
	if (interleave < 1)
		interleave = 1;
	base = context / interleave / dcp * interleave;
	rest = context - base * dcp - rank * interleave;
	if (rest < 0)
		rest = 0;
	return base + (rest < interleave ? rest : interleave);
}

/** Tokens of one request's context on the rank that keeps most, the first. */
static inline int64_t dcp_share(int64_t context, int64_t dcp, int64_t interleave)
{
	return dcp_rank_share(context, dcp, interleave, 0);
}

/** Does a layer of this kind share its cache out? A sliding window's does not. */
static inline bool dcp_shards(enum ss_attention_kind kind)
{
	switch (kind) {
	case SS_ATTENTION_GQA:
	case SS_ATTENTION_MLA:
	case SS_ATTENTION_SPARSE_MLA:
		return true;
	case SS_ATTENTION_SWA:
	case SS_ATTENTION_UNKNOWN:
	case SS_ATTENTION_COUNT:
		break;
	}
	return false;
}

/** Bytes of an activation and of a log-sum-exp in an exchange. */
#define DCP_ACTIVATION_BYTES 2
#define DCP_LSE_BYTES 4

/** Payloads of one layer's exchange. Bytes; all 0 when there are no rows. */
struct dcp_exchange {
	double heads;            /**< heads whose partial results meet on one rank */
	int64_t query_width;     /**< ranks of the query's all-gather; 0: none runs */
	double query_bytes;      /**< all-gather over query_width */
	double lse_bytes;        /**< ag_rs: all-gather over dcp */
	double combine_bytes;    /**< ag_rs: reduce-scatter (all-reduce with pcp) over dcp */
	double all_to_all_bytes; /**< a2a: in place of the two */
};

/** Heads of one rank in the exchange. Widths of 0 read as 1. */
static inline double dcp_heads(int64_t q_heads, int64_t tp, int64_t pcp, int64_t dcp)
{
	double per_rank = (double)q_heads / (double)(tp > 1 ? tp : 1);

	if (pcp <= 1)
		return per_rank * (double)dcp;
	return dcp <= pcp ? per_rank : (double)q_heads;
}

/** Rows exchanged: a latent layer's decode tokens; all of them once a request has a past. */
static inline double dcp_rows(bool is_latent, double decode_tokens, double tokens, bool has_past)
{
	if (is_latent)
		return decode_tokens;
	return has_past ? tokens : 0;
}

/**
 * What one layer exchanges.
 *
 * @param output_width latent rank of a latent layer, else its head width.
 */
static inline struct dcp_exchange dcp_exchange(double rows, int64_t q_heads, int64_t query_width,
					       int64_t output_width, int64_t tp, int64_t pcp,
					       int64_t dcp)
{
	struct dcp_exchange x = { 0 };
	double cells;

	if (dcp <= 1 || rows <= 0)
		return x;
	x.heads = dcp_heads(q_heads, tp, pcp, dcp);
	cells = rows * x.heads;
	if (pcp <= 1)
		x.query_width = dcp;
	else if (dcp > pcp)
		x.query_width = tp;
	if (x.query_width > 0)
		x.query_bytes = cells * (double)query_width * DCP_ACTIVATION_BYTES;
	x.lse_bytes = (double)dcp * cells * DCP_LSE_BYTES;
	x.combine_bytes = cells * (double)output_width * DCP_ACTIVATION_BYTES;
	x.all_to_all_bytes = cells * (double)(output_width + 2) * DCP_ACTIVATION_BYTES;
	return x;
}

/** The longest workspace of gathered prefix, tokens. */
#define DCP_CHUNK_MAX 65536

/**
 * Prefix tokens one gather of a latent prefill may hold.
 *
 * @param max_model_len 0: unbounded, the longest workspace.
 */
int64_t dcp_chunk(int64_t max_model_len, int64_t max_num_seqs, int64_t block, int64_t dcp,
		  int64_t interleave);

/** Gathers a run of `prefix` tokens needs: each carries prefix / that many. */
static inline int64_t dcp_gathers(int64_t prefix, int64_t chunk)
{
	return prefix <= 0 ? 0 : (prefix + chunk - 1) / chunk;
}

/**
 * A walk over the runs of prefixes that are gathered together. Prefills go by
 * scheduled tokens, fewest first, equal ones as given; one without a prefix ends a
 * run. Start from zero with the first three set.
 */
struct dcp_runs {
	const struct ss_group *groups;
	size_t count;
	int64_t threshold; /**< more scheduled tokens make a prefill */
	int64_t last_scheduled;
	size_t last_index;
	bool has_started;
};

/** The next run's prefix tokens; 0 at the end. No memory: each step scans the groups. */
int64_t dcp_next_run(struct dcp_runs *walk);

#endif
