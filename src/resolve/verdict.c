/* Would the engine run this batch: the deployment starts, the batch has room, no limit is passed.
 */
#include <math.h>
#include <stdio.h>

#include "resolve/fit.h"
#include "resolve/kv_pool.h"

static const struct {
	const char *name;
	enum ss_field_id field; /**< of a limit; SS_FIELD_COUNT: of memory */
	const char *what;       /**< the batch does to it */
} lines[SS_VERDICT_COUNT] = {
	[SS_VERDICT_DEPLOYMENT] = { "deployment", SS_FIELD_COUNT, "" },
	[SS_VERDICT_BATCH] = { "batch", SS_FIELD_COUNT, "" },
	[SS_VERDICT_MAX_NUM_SEQS] = { "max_num_seqs", SS_F_MAX_NUM_SEQS, "has requests:" },
	[SS_VERDICT_BUDGET] = { "budget", SS_F_MAX_BATCHED_TOKENS, "schedules tokens:" },
	[SS_VERDICT_MAX_MODEL_LEN] = { "max_model_len", SS_F_MAX_MODEL_LEN,
				       "has a request of length" },
};

const char *ss_verdict_name(enum ss_verdict_id id)
{
	return lines[id].name;
}

enum ss_field_id ss_verdict_field(enum ss_verdict_id id)
{
	return lines[id].field;
}

/** What the batch asks of each line. */
static void ask(const struct ss_kernel *k, const struct ss_batch *batch,
		struct ss_verdict_line asked[SS_VERDICT_COUNT])
{
	for (size_t i = 0; batch && i < batch->group_count; i++) {
		const struct ss_group *g = &batch->groups[i];
		double count = (double)g->count, scheduled = (double)g->scheduled;
		double length = (double)g->computed + scheduled;

		if (!g->count || !g->scheduled)
			continue;
		asked[SS_VERDICT_BATCH].asked +=
			count * (double)pool_plan_blocks(&k->pool_plan, g->computed + g->scheduled);
		asked[SS_VERDICT_MAX_NUM_SEQS].asked += count;
		asked[SS_VERDICT_BUDGET].asked += count * scheduled;
		if (length > asked[SS_VERDICT_MAX_MODEL_LEN].asked)
			asked[SS_VERDICT_MAX_MODEL_LEN].asked = length;
	}
}

void ss_kernel_verdict(const struct ss_kernel *kernel, const struct ss_batch *batch,
		       struct ss_verdict *out)
{
	const struct settings *set = &kernel->set;
	struct ss_verdict_line *l = out->lines;
	int64_t short_bytes = 0;

	*out = (struct ss_verdict){ .holds = true };
	ask(kernel, batch, l);
	l[SS_VERDICT_BATCH].limit = (double)kernel->pool.blocks;
	l[SS_VERDICT_MAX_NUM_SEQS].limit = (double)set->max_num_seqs;
	l[SS_VERDICT_BUDGET].limit = (double)set->max_batched_tokens;
	l[SS_VERDICT_MAX_MODEL_LEN].limit = (double)set->max_model_len;
	for (int i = 0; i < SS_VERDICT_COUNT; i++) {
		/* A limit of 0 is none, but no blocks hold nothing. */
		l[i].holds =
			l[i].asked <= l[i].limit || (i != SS_VERDICT_BATCH && !(l[i].limit > 0));
	}
	l[SS_VERDICT_DEPLOYMENT].holds = fit_find_fault(kernel, &short_bytes) == FIT_NONE;
	l[SS_VERDICT_DEPLOYMENT].short_bytes = short_bytes;
	if (!l[SS_VERDICT_BATCH].holds)
		l[SS_VERDICT_BATCH].short_bytes =
			fit_missing_bytes(kernel, l[SS_VERDICT_BATCH].asked);
	for (int i = 0; i < SS_VERDICT_COUNT; i++)
		out->holds &= l[i].holds;
}

size_t verdict_why_limit(const struct ss_verdict *verdict, enum ss_verdict_id id, char *out,
			 size_t size)
{
	const struct ss_verdict_line *l = &verdict->lines[id];
	int n = snprintf(out, size, "the batch %s %.0f, above %s %.0f", lines[id].what, l->asked,
			 ss_field(lines[id].field)->path, l->limit);

	return n > 0 ? (size_t)n : 0;
}

bool ss_step_is_price(const struct ss_step *step)
{
	const double seconds[] = { step->overlap_s, step->serial_s, step->no_overlap_s };

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if (!isfinite(seconds[i]) || seconds[i] < 0)
			return false;
	return true;
}

/** Values that make no time at all: refused, with the resource that it shows in. */
static void check_price(const struct ss_kernel *kernel, const struct ss_batch *batch,
			struct ss_problems *problems)
{
	struct ss_step step;
	int worst = 0;

	if (!kernel->has_price)
		return;
	ss_kernel_step(kernel, batch, &step);
	if (ss_step_is_price(&step))
		return;
	while (worst + 1 < SS_RESOURCE_COUNT && isfinite(step.resource_s[worst]) &&
	       step.resource_s[worst] >= 0)
		worst++;
	(void)ss_problems_add(problems, SS_REFUSAL, "range", "", "/coefficients",
			      "the step comes to %g s on %s: a value that it reads there makes no "
			      "time",
			      step.resource_s[worst], ss_resource_name((enum ss_resource)worst));
}

void ss_kernel_check_batch(const struct ss_kernel *kernel, const struct ss_batch *batch,
			   struct ss_problems *problems)
{
	struct ss_verdict verdict;

	check_price(kernel, batch, problems);
	ss_kernel_verdict(kernel, batch, &verdict);
	for (int i = 0; i < SS_VERDICT_COUNT; i++) {
		char pointer[160], why[256];

		if (lines[i].field == SS_FIELD_COUNT || verdict.lines[i].holds)
			continue;
		(void)verdict_why_limit(&verdict, (enum ss_verdict_id)i, why, sizeof(why));
		ss_scenario_pointer(pointer, sizeof(pointer), kernel->pool_index, lines[i].field);
		(void)ss_problems_add(problems, SS_WARNING, "W", "", pointer,
				      "%s; it is priced as given", why);
	}
}
