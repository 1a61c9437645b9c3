#include "price/pcp.h"

#include "price/attention.h"
#include "price/integers.h"

static void add_run(struct pcp_split *split, int64_t tokens, int64_t prior)
{
	if (tokens <= 0)
		return;
	split->runs[split->run_count++] = (struct pcp_run){ tokens, prior };
	split->tokens += tokens;
}

/** Chunk `index` of a request, cut at `chunk` tokens. */
static void add_chunk(struct pcp_split *split, int64_t index, int64_t chunk, int64_t scheduled,
		      int64_t computed)
{
	int64_t from = index * chunk;

	add_run(split, least(chunk, scheduled - from), computed + from);
}

struct pcp_split pcp_busiest(int64_t scheduled, int64_t computed, int64_t pcp, int64_t dcp)
{
	struct pcp_split best = { 0 };
	int64_t chunk;

	if (pcp <= 1) {
		add_run(&best, scheduled, computed);
		return best;
	}
	chunk = divide_up(most(scheduled, 0), 2 * pcp);
	if (dcp > 1 && (2 * pcp - 1) * chunk >= scheduled) {
		add_run(&best, scheduled, computed);
		return best;
	}
	for (int64_t rank = 0; rank < pcp; rank++) {
		struct pcp_split split = { .rank = rank };

		add_chunk(&split, rank, chunk, scheduled, computed);
		add_chunk(&split, 2 * pcp - 1 - rank, chunk, scheduled, computed);
		if (split.tokens > best.tokens)
			best = split;
	}
	return best;
}

double pcp_pairs_causal(const struct pcp_split *split)
{
	double pairs = 0;

	for (int i = 0; i < split->run_count; i++)
		pairs += pairs_causal((double)split->runs[i].tokens, (double)split->runs[i].prior);
	return pairs;
}

double pcp_pairs_window(const struct pcp_split *split, double window)
{
	double pairs = 0;

	for (int i = 0; i < split->run_count; i++)
		pairs += pairs_window((double)split->runs[i].tokens, (double)split->runs[i].prior,
				      window);
	return pairs;
}

double pcp_pairs_sparse(const struct pcp_split *split, double window, double top_k, double ratio)
{
	double pairs = 0;

	for (int i = 0; i < split->run_count; i++)
		pairs += pairs_sparse((double)split->runs[i].tokens, (double)split->runs[i].prior,
				      window, top_k, ratio);
	return pairs;
}
