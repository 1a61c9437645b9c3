#include "app/glance.h"

#include <stdio.h>
#include <string.h>

#include "case/difference.h"
#include "case/session.h"
#include "case/verdict_text.h"
#include "text/number.h"

/* Context length of the first group with requests: what FITS counts. */
static int64_t context_of(const struct ss_workload *workload)
{
	for (size_t i = 0; i < workload->group_count; i++)
		if (workload->groups[i].count > 0 && workload->groups[i].scheduled > 0)
			return workload->groups[i].computed + workload->groups[i].scheduled;
	return 0;
}

static void say_quote(char *out, size_t size, const struct quote *quote, enum ss_figure figure,
		      int64_t context)
{
	enum ss_verdict_id id = verdict_first(&quote->fit.verdict);
	char price[48] = "no price", fit[96];

	if (quote->has_price)
		snprintf(price, sizeof(price), "%s", number_time(quote_lead(quote, figure)).text);
	if (id == SS_VERDICT_COUNT)
		snprintf(fit, sizeof(fit), "FITS %s",
			 number_count((double)ss_kernel_requests_that_fit(quote->kernel, context))
				 .text);
	else
		verdict_mark(fit, sizeof(fit), &quote->fit.verdict, id, quote->fit.term);
	snprintf(out, size, "%s | %s", price, fit);
}

/* NULL with `out` saying why when it is refused. */
static struct quote *quote_of(char *out, size_t size, const struct app *app,
			      struct quote_basis **cache, const struct draft *draft, size_t pool)
{
	struct ss_problems problems = { 0 };
	struct quote *quote = quote_new(cache, app->registry, draft, pool, app->figure, &problems);

	snprintf(out, size, "x does not load");
	for (size_t i = problems.count; i-- && !quote;)
		if (problems.items[i].severity != SS_WARNING)
			snprintf(out, size, "x %s", problems.items[i].message);
	ss_problems_release(&problems);
	return quote;
}

void glance_price(char *out, size_t size, const struct app *app, struct quote_basis **cache,
		  const struct draft *draft, size_t pool)
{
	struct quote *quote = quote_of(out, size, app, cache, draft, pool);

	if (quote)
		say_quote(out, size, quote, app->figure, context_of(&draft->scenario->workload));
	quote_drop(quote);
}

void glance_value(char *out, size_t size, char *why, size_t why_size, const struct app *app,
		  struct quote_basis **cache, const struct draft *draft, enum ss_field_id field)
{
	struct quote *quote = quote_of(out, size, app, cache, draft, app->pool);
	char text[160];

	*why = '\0';
	if (!quote)
		return;
	ss_kernel_choice_reason(quote->kernel, field, why, why_size);
	say_quote(text, sizeof(text), quote, app->figure, context_of(&draft->scenario->workload));
	if (app->quote && app->quote->has_price && quote->has_price) {
		struct ss_batch batch = draft_batch(draft);
		struct difference_side now = { app->quote->kernel, &batch, app->figure };
		struct difference_side then = { quote->kernel, &batch, app->figure };
		struct difference difference;
		char change[120];

		difference_of(&difference, &now, &then);
		difference_text(change, sizeof(change), &difference);
		snprintf(out, size, "%s | %s", text, change);
	} else {
		snprintf(out, size, "%s", text);
	}
	quote_drop(quote);
}

void glance_subject(char *out, size_t size, const struct ss_scenario *scenario)
{
	long long gpus = ss_scenario_value(scenario, 0, SS_F_NODES)->integer *
			 ss_scenario_value(scenario, 0, SS_F_GPUS_PER_NODE)->integer;

	snprintf(out, size, "%s | %lldx %s", session_text(scenario, 0, SS_F_MODEL), gpus,
		 session_text(scenario, 0, SS_F_HARDWARE));
}

void glance(char *out, size_t size, const struct app *app, const struct ss_scenario *scenario)
{
	struct quote_basis *basis = NULL;
	struct ss_scenario *copy = NULL;
	struct draft draft = { 0 };

	if (ss_scenario_clone(&copy, scenario))
		out_of_memory();
	app_work_out_batch(copy, app->registry);
	draft_init(&draft, copy);
	glance_price(out, size, app, &basis, &draft, 0);
	draft_release(&draft);
	quote_basis_drop(&basis);
}
