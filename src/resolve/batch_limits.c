/* What a batch asks beyond the limits of its deployment: priced all the same, and said. */
#include "resolve/kernel_impl.h"

static void warn_beyond(const struct ss_kernel *k, struct ss_problems *problems,
			enum ss_field_id field, const char *what, double asked, int64_t limit)
{
	const char *path = ss_field(field)->path;
	char pointer[160];

	/* A limit of 0 is none. */
	if (!limit || asked <= (double)limit)
		return;
	ss_scenario_pointer(pointer, sizeof(pointer), k->pool_index, field);
	(void)ss_problems_add(problems, SS_WARNING, "W", "", pointer,
			      "the batch %s %.0f, above %s %lld; it is priced as given", what,
			      asked, path, (long long)limit);
}

void ss_kernel_check_batch(const struct ss_kernel *kernel, const struct ss_batch *batch,
			   struct ss_problems *problems)
{
	double requests = 0, tokens = 0, longest = 0;

	for (size_t i = 0; i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];
		double context = (double)g->computed + (double)g->scheduled;

		if (!g->count || !g->scheduled)
			continue;
		requests += (double)g->count;
		tokens += (double)g->count * (double)g->scheduled;
		longest = context > longest ? context : longest;
	}
	warn_beyond(kernel, problems, SS_F_MAX_NUM_SEQS, "has requests:", requests,
		    kernel->set.max_num_seqs);
	warn_beyond(kernel, problems, SS_F_MAX_BATCHED_TOKENS, "schedules tokens:", tokens,
		    kernel->set.max_batched_tokens);
	warn_beyond(kernel, problems, SS_F_MAX_MODEL_LEN, "has a request of length", longest,
		    kernel->set.max_model_len);
}
