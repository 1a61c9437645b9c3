/* Points of a sweep: each is the draft with a value or two put in, priced by the kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/verdict_text.h"
#include "text/number.h"
#include "app/rows.h"
#include "app/sweep.h"

/* Figures before the terms, which follow in their order. */
enum figure {
	FIGURE_LEAD,
	FIGURE_RATE,
	FIGURE_ITL,
	FIGURE_KV_TOKENS,
	FIGURE_ROOM,
	FIGURE_FIT,
};

static const struct {
	const char *name, *unit;
} figures[SWEEP_FIGURE_TERMS] = {
	{ "step", "ms" },          { "tok/s/GPU", "tok/s" }, { "ITL", "ms" },
	{ "KV tokens", "tokens" }, { "KV room", "GiB" },     { "requests that fit", "" },
};

const char *sweep_figure_name(int figure)
{
	return figure < SWEEP_FIGURE_TERMS
		       ? figures[figure].name
		       : ss_term_label((enum ss_term_id)(figure - SWEEP_FIGURE_TERMS));
}

const char *sweep_figure_unit(int figure)
{
	return figure < SWEEP_FIGURE_TERMS ? figures[figure].unit : "ms";
}

double sweep_coefficient_now(const struct app *app, const char *name)
{
	const double *tried = draft_whatif(&app->draft, name);
	size_t count = app->quote ? ss_kernel_entry_count(app->quote->kernel) : 0;

	if (tried)
		return *tried;
	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(app->quote->kernel, i);

		if (!strcmp(entry->name, name) && entry->has_value && !entry->is_shadowed)
			return entry->value;
	}
	return NAN;
}

bool sweep_put(struct draft *draft, size_t pool, const struct sweep_axis *axis, size_t at,
	       char *why, size_t size)
{
	struct ss_workload *workload = &draft->scenario->workload;
	const char *text = axis->values[at];
	struct ss_error err = { 0 };
	double number = 0;

	if (axis->target == SWEEP_FIELD) {
		if (!ss_scenario_set(draft->scenario, pool, ss_field(axis->field)->path, text,
				     &err))
			return true;
		snprintf(why, size, "%s", err.message);
		return false;
	}
	if (axis->target == SWEEP_COEFFICIENT) {
		if (number_parse(&number, text) == NUMBER_OK && number >= 0) {
			draft_set_whatif(draft, axis->coefficient, &number);
			return true;
		}
		snprintf(why, size, "%s: a number of 0 or more, got %s", axis->coefficient, text);
		return false;
	}
	if (!workload->group_count || number_parse(&number, text) != NUMBER_OK || number < 1) {
		snprintf(why, size, "the batch has no group to vary");
		return false;
	}
	if (axis->target == SWEEP_BATCH) {
		workload->groups[0].count = llround(number);
	} else {
		int64_t computed = llround(number) - workload->groups[0].scheduled;

		workload->groups[0].computed = computed > 0 ? computed : 0;
	}
	return true;
}

/* What the basis rests on: documents named by the scenario, the cluster, values tried. */
static bool has_own_basis(const struct sweep_axis *axis)
{
	if (!axis->count)
		return false;
	return axis->target == SWEEP_COEFFICIENT ||
	       (axis->target == SWEEP_FIELD && ss_field(axis->field)->owner == SS_OWNER_SCENARIO);
}

static double term_ms(const struct app *app, const struct ss_kernel *kernel,
		      const struct ss_batch *batch, enum ss_term_id id)
{
	struct ss_breakdown breakdown = { 0 };
	double seconds = 0;

	if (ss_kernel_breakdown(kernel, batch, app->figure, &breakdown))
		out_of_memory();
	for (size_t i = 0; i < breakdown.term_count; i++) {
		if (breakdown.terms[i].term == id)
			seconds += ss_term_figure(&breakdown.terms[i], app->figure);
	}
	ss_breakdown_release(&breakdown);
	return seconds * 1e3;
}

static double figure_value(const struct app *app, int figure, const struct ss_kernel *kernel,
			   const struct ss_batch *batch, const struct figures *of)
{
	int64_t context =
		batch->group_count ? batch->groups[0].computed + batch->groups[0].scheduled : 0;

	switch (figure) {
	case FIGURE_LEAD:
		return of->lead_s * 1e3;
	case FIGURE_RATE:
		return of->tokens_per_s_per_gpu;
	case FIGURE_ITL:
		return of->itl_s * 1e3;
	case FIGURE_KV_TOKENS:
		return (double)ss_kernel_kv_pool(kernel)->reported_tokens;
	case FIGURE_ROOM:
		return (double)ss_kernel_memory(kernel)->budget_bytes / (1 << 30);
	case FIGURE_FIT:
		return (double)ss_kernel_requests_that_fit(kernel, context);
	default:
		return term_ms(app, kernel, batch, (enum ss_term_id)(figure - SWEEP_FIGURE_TERMS));
	}
}

static void price_point(struct app *app, struct sweep_point *point, const struct draft *trial,
			int figure)
{
	struct ss_problems problems = { 0 };
	struct ss_batch batch = draft_batch(trial);
	const struct ss_basis *basis = app->quote->basis;
	struct ss_step step = { 0 };
	struct ss_verdict verdict;
	enum ss_status rc = SS_OK;

	if (has_own_basis(&app->sweep->x) || has_own_basis(&app->sweep->series))
		basis = quote_basis_open(&app->sweep->basis, app->registry, trial, &problems);
	if (basis)
		rc = ss_kernel_renew(&app->scratch, basis, trial->scenario, app->pool,
				     trial->corrections, &problems);
	if (rc == SS_ENOMEM || problems.is_out_of_memory)
		out_of_memory();
	if (!basis || rc) {
		for (size_t i = 0; i < problems.count; i++) {
			if (problems.items[i].severity == SS_WARNING)
				continue;
			snprintf(point->why, sizeof(point->why), "%s: %s", problems.items[i].code,
				 problems.items[i].message);
			break;
		}
	} else if (!ss_kernel_has_price(app->scratch)) {
		snprintf(point->why, sizeof(point->why), "a coefficient of the step is missing");
	} else {
		ss_kernel_step(app->scratch, &batch, &step);
		if (!ss_step_is_price(&step)) {
			snprintf(point->why, sizeof(point->why),
				 "a value that the step reads makes no time");
			ss_problems_release(&problems);
			return;
		}
		figures_of_step(&point->figures, app->scratch, &step, app->figure, app->acceptance);
		point->is_priced = true;
		point->bottleneck = ss_step_bottleneck(&step, app->figure);
		ss_kernel_verdict(app->scratch, &batch, &verdict);
		point->fits = verdict.holds;
		verdict_word(point->why, sizeof(point->why), &verdict);
		point->y = figure_value(app, figure, app->scratch, &batch, &point->figures);
	}
	ss_problems_release(&problems);
}

static void run_point(struct app *app, size_t s, size_t i)
{
	struct sweep *sweep = app->sweep;
	struct sweep_point *point = &sweep->points[s][i];
	struct draft trial;

	point->is_waiting = false;
	point->why[0] = '\0';
	draft_copy(&trial, &app->draft);
	if (sweep_put(&trial, app->pool, &sweep->x, i, point->why, sizeof(point->why)) &&
	    (!sweep->series.count ||
	     sweep_put(&trial, app->pool, &sweep->series, s, point->why, sizeof(point->why))))
		price_point(app, point, &trial, sweep->figure);
	draft_release(&trial);
}

static double now_on_axis(const struct app *app, const struct sweep *sweep)
{
	const struct ss_workload *workload = &app->draft.scenario->workload;
	char text[160];
	double number = NAN;

	if (sweep->x.target == SWEEP_BATCH)
		return workload->group_count ? (double)workload->groups[0].count : NAN;
	if (sweep->x.target == SWEEP_CONTEXT)
		return (double)app_context(app);
	if (sweep->x.target == SWEEP_COEFFICIENT)
		return sweep_coefficient_now(app, sweep->x.coefficient);
	rows_value(app, sweep->x.field, text, sizeof(text));
	if (sweep_is_numeric(&sweep->x))
		return number_parse(&number, text) == NUMBER_OK ? number : NAN;
	for (size_t i = 0; i < sweep->x.count; i++) {
		if (!strcmp(sweep->x.values[i], text))
			return (double)i;
	}
	return NAN;
}

static double now_figure(const struct app *app)
{
	struct ss_batch batch = draft_batch(&app->draft);
	struct figures now;

	if (app->is_refused || !quote_figures(&now, app->quote, app->figure, app->acceptance))
		return NAN;
	return figure_value(app, app->sweep->figure, app->quote->kernel, &batch, &now);
}

/* All points wait, at their places. */
static void start(struct app *app)
{
	struct sweep *sweep = app->sweep;
	bool is_numeric = sweep_is_numeric(&sweep->x);

	sweep->series_count = sweep->series.count ? sweep->series.count : 1;
	sweep->done = 0;
	sweep->priced = app->prices;
	sweep->priced_figure = app->figure;
	quote_basis_drop(&sweep->basis);
	for (size_t s = 0; s < sweep->series_count; s++) {
		for (size_t i = 0; i < sweep->x.count; i++) {
			struct sweep_point *point = &sweep->points[s][i];

			*point = (struct sweep_point){ .x = (double)i, .is_waiting = true };
			snprintf(point->why, sizeof(point->why), "not priced yet");
			if (is_numeric)
				(void)number_parse(&point->x, sweep->x.values[i]);
		}
	}
	sweep->ceiling = 0;
	if (sweep->x.target == SWEEP_BATCH)
		sweep->ceiling = (double)ss_kernel_resolution(app->quote->kernel)
					 ->max_cudagraph_capture_size;
	sweep->now_x = now_on_axis(app, sweep);
	sweep->now_y = now_figure(app);
	if (sweep->at >= sweep->x.count)
		sweep->at = sweep->x.count ? sweep->x.count - 1 : 0;
	if (sweep->series_at >= sweep->series_count)
		sweep->series_at = 0;
	if (sweep->is_stale) {
		/* A new axis starts at the present state. */
		for (size_t i = 0; i < sweep->x.count; i++) {
			if (sweep->points[0][i].x <= sweep->now_x)
				sweep->at = i;
		}
		sweep->is_stale = false;
	}
}

static bool price_more(struct app *app, size_t most)
{
	struct sweep *sweep = app->sweep;
	size_t all = sweep->series_count * sweep->x.count, end = sweep->done + most;

	if (sweep->done >= all)
		return false;
	for (; sweep->done < all && sweep->done < end; sweep->done++)
		run_point(app, sweep->done / sweep->x.count, sweep->done % sweep->x.count);
	return true;
}

void sweep_refresh(struct app *app)
{
	struct sweep *sweep = app->sweep;

	if (!app->quote || (sweep->priced == app->prices && sweep->priced_figure == app->figure))
		return;
	start(app);
	if (!has_own_basis(&sweep->x) && !has_own_basis(&sweep->series))
		(void)price_more(app, SIZE_MAX / 2);
}

bool sweep_think(struct app *app)
{
	struct sweep *sweep = app->sweep;

	return app->quote && sweep->priced == app->prices && price_more(app, SWEEP_STEP);
}

static void add_knee(struct sweep_knee knees[SWEEP_KNEES], size_t *count, double x,
		     const char *what, const char *does)
{
	struct sweep_knee *knee = NULL;

	if (*count >= SWEEP_KNEES)
		return;
	knee = &knees[(*count)++];
	knee->x = x;
	snprintf(knee->text, sizeof(knee->text), "%s%s", what, does);
}

size_t sweep_knees(const struct sweep *sweep, struct sweep_knee knees[SWEEP_KNEES])
{
	const struct sweep_point *last = NULL;
	size_t count = 0;

	if (sweep->ceiling > 0)
		add_knee(knees, &count, sweep->ceiling, "capture ceiling", "");
	if (!sweep_is_numeric(&sweep->x))
		return count;
	for (size_t i = 0; i < sweep->x.count; i++) {
		const struct sweep_point *point = &sweep->points[sweep->series_at][i];

		if (!point->is_priced)
			continue;
		if (last && point->fits != last->fits)
			add_knee(knees, &count, point->x, "",
				 point->fits                 ? "fits again"
				 : strstr(point->why, "fit") ? "fits no more"
							     : point->why);
		/* What does not fit never runs, whatever would bind it. */
		if (last && point->bottleneck != last->bottleneck &&
		    (point->fits || sweep->shows_unfit))
			add_knee(knees, &count, point->x, ss_resource_name(point->bottleneck),
				 " binds");
		last = point;
	}
	return count;
}
