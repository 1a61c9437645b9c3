/*
 * A published run priced in closed form. Between two tokens of a request lies a decode
 * step; and while it gives all its tokens, each of the others that run beside it begins
 * once, and a step with a whole prompt in it takes the place of a plain one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/score_impl.h"
#include "case/verdict_text.h"
#include "text/xbuf.h"

static char *text_of(const char *format, ...) SS_PRINTF(1, 2);

static char *text_of(const char *format, ...)
{
	struct xbuf text = { 0 };
	va_list args;

	va_start(args, format);
	xbuf_vprintf(&text, format, args);
	va_end(args);
	return text.data;
}

/* -- bases ------------------------------------------------------------------------------------ */

void score_basis_release(struct score_basis *basis)
{
	ss_basis_free(basis->basis);
	ss_scenario_free(basis->scenario);
	free(basis->reason);
}

static bool names_the_same(const struct ss_scenario *a, const struct ss_scenario *b)
{
	for (int id = 0; id < SS_FIELD_COUNT; id++)
		if (session_field_is_of_basis((enum ss_field_id)id) &&
		    !ss_value_equal(ss_scenario_value(a, 0, (enum ss_field_id)id),
				    ss_scenario_value(b, 0, (enum ss_field_id)id)))
			return false;
	return true;
}

/** The basis of a scenario, made when first asked for. */
static enum ss_status find_basis(const struct score_basis **out, struct score *score,
				 const struct ss_scenario *scenario, struct ss_problems *problems)
{
	struct score_basis *made;
	enum ss_status rc;

	for (size_t i = 0; i < score->basis_count; i++)
		if (names_the_same(score->bases[i].scenario, scenario)) {
			*out = &score->bases[i];
			return SS_OK;
		}
	score->bases = xrealloc(score->bases, score->basis_count + 1, sizeof(*score->bases));
	made = &score->bases[score->basis_count++];
	*made = (struct score_basis){ 0 };
	*out = made;
	rc = ss_scenario_clone(&made->scenario, scenario);
	if (rc)
		return rc;
	rc = ss_basis_open(&made->basis, score->registry, made->scenario, score->request->whatifs,
			   score->request->whatif_count, problems);
	if (rc)
		rc = score_refuse(&made->reason, rc, problems, "its documents do not load");
	return rc == SS_EREFUSED ? SS_OK : rc;
}

/* -- one row ----------------------------------------------------------------------------------- */

/** What a run asks of one rank, lengths at their means. */
struct asked {
	int64_t prompt, context, requests, longest;
	double output;
};

static struct asked ask(const struct ss_run *run, int64_t ranks)
{
	double prompt = (double)(run->prompt_low + run->prompt_high) / 2;
	double output = (double)(run->output_low + run->output_high) / 2;

	return (struct asked){ llround(prompt), llround(prompt + output / 2),
			       (run->concurrency + ranks - 1) / ranks,
			       run->prompt_high + run->output_high, output };
}

unsigned score_corrections(const struct score *score, const struct ss_scenario *scenario)
{
	return (ss_scenario_corrections(scenario) & ~score->request->corrections_dropped) |
	       score->request->corrections_added;
}

static enum ss_status make_kernel(struct score *score, const struct ss_basis *basis,
				  struct score_row *row, struct ss_problems *problems)
{
	unsigned corrections = score_corrections(score, score->scenario);
	enum ss_status rc =
		ss_kernel_renew(&score->kernel, basis, score->scenario, 0, corrections, problems);

	if (!rc && ss_kernel_has_price(score->kernel))
		return problems->is_out_of_memory ? SS_ENOMEM : SS_OK;
	return score_refuse(&row->refusal, rc, problems, "a value that the step reads is missing");
}

static char *unfit(const struct ss_kernel *kernel)
{
	struct ss_verdict verdict;
	char text[160];

	ss_kernel_verdict(kernel, NULL, &verdict);
	verdict_mark(text, sizeof(text), &verdict, SS_VERDICT_DEPLOYMENT, "");
	return xstrdup(text);
}

/** Requests of the run that one rank holds at once; a refusal where it holds none. */
static int64_t hold(const struct ss_kernel *kernel, const struct asked *asked, char **refusal)
{
	const struct ss_resolution *r = ss_kernel_resolution(kernel);
	int64_t held = asked->requests;
	int64_t room = ss_kernel_requests_that_fit(kernel, asked->context);

	if (!ss_kernel_fits(kernel)) {
		*refusal = unfit(kernel);
		return 0;
	}
	if (r->max_model_len > 0 && asked->longest > r->max_model_len) {
		*refusal = text_of("requests of %lld tokens, max_model_len is %lld",
				   (long long)asked->longest, (long long)r->max_model_len);
		return 0;
	}
	if (ss_kernel_kv_pool(kernel)->is_grouped && room < held)
		held = room;
	if (r->max_num_seqs > 0 && r->max_num_seqs < held)
		held = r->max_num_seqs;
	if (held < 1)
		*refusal = text_of("the KV pool holds no request of %lld tokens",
				   (long long)asked->context);
	return held;
}

static void price_held(struct score_row *row, const struct ss_kernel *kernel,
		       const struct asked *asked)
{
	const struct ss_group groups[] = {
		{ row->held, 1, asked->context > 1 ? asked->context - 1 : 0, asked->prompt },
		{ 1, asked->prompt, 0, asked->prompt },
	};
	const struct ss_batch decode = { groups, 1, 0, 0 }, mixed = { groups, 2, 0, 0 };
	double others = (double)(row->held - 1) / asked->output;
	struct ss_step plain, with_prompt;

	ss_kernel_step(kernel, &decode, &plain);
	ss_kernel_step(kernel, &mixed, &with_prompt);
	if (!ss_step_is_price(&plain) || !ss_step_is_price(&with_prompt)) {
		row->refusal = xstrdup("a value that the step reads makes no time");
		return;
	}
	for (int f = SS_FIGURE_SERIAL; f < SS_FIGURE_COUNT; f++) {
		double d = ss_step_figure(&plain, (enum ss_figure)f);

		if (f == SS_FIGURE_KERNELS && !ss_kernel_has_kernels(kernel))
			continue;
		row->seconds[score_view_of((enum ss_figure)f)] =
			d + others * (ss_step_figure(&with_prompt, (enum ss_figure)f) - d);
	}
}

static enum ss_status price_with(struct score *score, struct score_row *row,
				 const struct ss_basis *basis, struct ss_problems *problems)
{
	enum ss_status rc = make_kernel(score, basis, row, problems);
	struct asked asked;

	if (rc)
		return rc;
	asked = ask(row->run, ss_kernel_resolution(score->kernel)->data_parallel);
	row->held = hold(score->kernel, &asked, &row->refusal);
	row->admission_s = ss_kernel_admission_s(score->kernel, asked.prompt);
	if (!row->refusal)
		price_held(row, score->kernel, &asked);
	return SS_OK;
}

/** The kernel borrows from its scenario until it is renewed: the last one's goes then. */
static enum ss_status price_scenario(struct score *score, struct score_row *row,
				     struct ss_scenario *scenario, struct ss_problems *problems)
{
	struct ss_scenario *last = score->scenario;
	const struct score_basis *basis;
	enum ss_status rc = find_basis(&basis, score, scenario, problems);

	if (!rc && !basis->basis)
		row->refusal = xstrdup(basis->reason);
	if (rc || row->refusal) {
		ss_scenario_free(scenario);
		return rc;
	}
	score->scenario = scenario;
	rc = price_with(score, row, basis->basis, problems);
	ss_scenario_free(last);
	if (!rc && !row->refusal && score->is_played) {
		row->basis = basis->basis;
		rc = ss_scenario_clone(&row->scenario, scenario);
	}
	return rc;
}

enum ss_status score_price(struct score *score, size_t index, struct ss_problems *problems)
{
	struct score_row *row = &score->rows[index];
	struct ss_scenario *scenario = NULL;
	enum ss_status rc;

	if (row->is_done)
		return SS_OK;
	rc = score_scenario(&scenario, score, row->run, row->release, &row->refusal, problems);
	if (!rc)
		rc = price_scenario(score, row, scenario, problems);
	else
		ss_scenario_free(scenario);
	if (rc == SS_EREFUSED)
		rc = SS_OK;
	/* of a row's problems the first is its refusal; those of a failure are the caller's */
	if (!rc)
		ss_problems_release(problems);
	row->is_done = !rc;
	return rc;
}
