#include "app/new_scenario.h"

#include <stdio.h>
#include <string.h>

#include "app/bring.h"
#include "app/glance.h"
#include "case/session.h"

/* Nodes tried at most. */
#define NODES_MOST 8

static void set_count(struct ss_scenario *scenario, const char *path, int64_t count)
{
	struct ss_error err = { 0 };
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)count);
	if (ss_scenario_set(scenario, 0, path, text, &err) == SS_ENOMEM)
		out_of_memory();
}

static bool is_good(const struct app *app, struct quote_basis **basis, const struct draft *draft)
{
	struct ss_problems problems = { 0 };
	struct quote *quote = quote_new(basis, app->registry, draft, 0, app->figure, &problems);
	bool is_held = quote && quote->fit.verdict.holds;

	quote_drop(quote);
	ss_problems_release(&problems);
	return is_held;
}

static void set_widths(struct ss_scenario *scenario, int64_t tp, int64_t per_node)
{
	int64_t nodes = tp > per_node ? tp / per_node : 1;

	set_count(scenario, "parallel.tp", tp);
	set_count(scenario, "cluster.nodes", nodes);
	set_count(scenario, "pools[0].nodes", nodes);
	set_count(scenario, "cluster.gpus_per_node", tp / nodes);
}

/* The fewest GPUs, twice as many at a time; past a node, whole nodes. */
static bool find_widths(struct app *app, struct ss_scenario *made, int64_t per_node)
{
	struct quote_basis *basis = NULL;
	struct ss_scenario *copy = NULL;
	struct draft draft;
	bool is_found = false;
	int64_t tp = 1;

	if (ss_scenario_clone(&copy, made))
		out_of_memory();
	app_work_out_batch(copy, app->registry);
	draft_init(&draft, copy);
	while (tp <= per_node * NODES_MOST && !is_found) {
		set_widths(copy, tp, per_node);
		is_found = (tp <= per_node || tp % per_node == 0) && is_good(app, &basis, &draft);
		tp *= is_found ? 1 : 2;
	}
	set_widths(made, is_found ? tp : per_node, per_node);
	draft_release(&draft);
	quote_basis_drop(&basis);
	return is_found;
}

static struct ss_scenario *make(struct app *app, const char *model, const char *part,
				bool *is_found, struct ss_problems *problems, struct ss_error *err)
{
	const struct choices_names *fabrics = &app->names[SS_DOCUMENT_NETWORK];
	struct adhoc words = { .model = model,
			       .part = part,
			       .fabric = fabrics->count ? fabrics->items[0] : NULL };
	struct ss_scenario *scenario = NULL;

	if (adhoc_scenario(&scenario, app->registry, &words, problems, err))
		return NULL;
	*is_found = find_widths(app, scenario,
				ss_scenario_value(scenario, 0, SS_F_GPUS_PER_NODE)->integer);
	app_work_out_batch(scenario, app->registry);
	return scenario;
}

unsigned new_scenario_open(struct app *app, const char *model, const char *part)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	bool is_found = false;
	struct ss_scenario *scenario = make(app, model, part, &is_found, &problems, &err);
	unsigned asked = APP_REDRAW;

	if (!scenario) {
		app_say(app, true, "%s", problems.count ? problems.items[0].message : err.message);
	} else {
		bring_drop(app);
		app->offered = scenario;
		snprintf(app->offered_note, sizeof(app->offered_note), "%s; S saves it",
			 is_found ? "new, on the fewest GPUs that hold it"
				  : "new; no number of GPUs tried holds it");
		asked = bring_take(app, false);
	}
	ss_problems_release(&problems);
	return asked;
}

void new_scenario_price(char *out, size_t size, struct app *app, const char *model,
			const char *part)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	struct quote_basis *basis = NULL;
	struct draft draft;
	char price[240];
	bool is_found = false;
	struct ss_scenario *scenario = make(app, model, part, &is_found, &problems, &err);

	if (!scenario) {
		snprintf(out, size, "x %s",
			 problems.count ? problems.items[0].message : err.message);
	} else {
		draft_init(&draft, scenario);
		glance_price(price, sizeof(price), app, &basis, &draft, 0);
		snprintf(out, size, "%lldx | %s",
			 (long long)ss_scenario_value(scenario, 0, SS_F_TP)->integer, price);
		draft_release(&draft);
		quote_basis_drop(&basis);
	}
	ss_problems_release(&problems);
}
