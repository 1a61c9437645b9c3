#include "app/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/number.h"
#include "app/rows.h"

/* Figures before the terms, which follow in their order. */
enum figure {
	FIGURE_LEAD,
	FIGURE_RATE,
	FIGURE_ITL,
	FIGURE_KV_TOKENS,
	FIGURE_ROOM,
	FIGURE_FIT,
	FIGURE_TERMS
};

static const struct {
	const char *name, *unit;
} figures[FIGURE_TERMS] = {
	{ "step", "ms" },          { "tok/s/GPU", "tok/s" }, { "ITL", "ms" },
	{ "KV tokens", "tokens" }, { "KV room", "GiB" },     { "requests that fit", "" },
};

#define FIGURE_COUNT (FIGURE_TERMS + SS_TERM_COUNT)

const char *sweep_figure_name(int figure)
{
	return figure < FIGURE_TERMS ? figures[figure].name
				     : ss_term_label((enum ss_term_id)(figure - FIGURE_TERMS));
}

const char *sweep_figure_unit(int figure)
{
	return figure < FIGURE_TERMS ? figures[figure].unit : "ms";
}

const char *sweep_axis_name(const struct sweep_axis *axis)
{
	if (axis->target == SWEEP_BATCH)
		return "batch";
	if (axis->target == SWEEP_CONTEXT)
		return "context";
	return rows_name(axis->field);
}

static void release_axis(struct sweep_axis *axis)
{
	for (size_t i = 0; i < axis->count; i++)
		free(axis->values[i]);
	free(axis->values);
	*axis = (struct sweep_axis){ 0 };
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	release_axis(&sweep->x);
	release_axis(&sweep->series);
	free(sweep);
}

/* -- values --------------------------------------------------------------------------- */

static void add_value(struct sweep_axis *axis, const char *text, size_t limit)
{
	if (axis->count >= limit)
		return;
	axis->values = xrealloc(axis->values, axis->count + 1, sizeof(*axis->values));
	axis->values[axis->count++] = xstrdup(text);
}

static void add_number(struct sweep_axis *axis, double value, size_t limit)
{
	char text[40];
	bool is_whole = axis->target != SWEEP_FIELD || ss_field(axis->field)->type != SS_TYPE_FLOAT;

	/* A factor between whole numbers need not give one. */
	if (is_whole)
		value = round(value);

	if (fabs(value - round(value)) < 1e-9)
		snprintf(text, sizeof(text), "%.0f", value);
	else
		snprintf(text, sizeof(text), "%.6g", value);
	if (axis->count && !strcmp(axis->values[axis->count - 1], text))
		return;
	add_value(axis, text, limit);
}

/* `1..256`, `1..256:x2`, `8..64:+8`; false when it is not a range. */
static bool add_range(struct sweep_axis *axis, const char *text, size_t limit)
{
	const char *dots = strstr(text, "..");
	char low_text[40], high_text[40];
	double low = 0, high = 0, by = 2;
	bool is_factor = true;
	const char *colon = NULL;

	if (!dots)
		return false;
	colon = strchr(dots, ':');
	snprintf(low_text, sizeof(low_text), "%.*s", (int)(dots - text), text);
	snprintf(high_text, sizeof(high_text), "%.*s",
		 (int)(colon ? colon - dots - 2 : (long)strlen(dots + 2)), dots + 2);
	if (number_parse(&low, low_text) != NUMBER_OK ||
	    number_parse(&high, high_text) != NUMBER_OK || high < low)
		return false;
	if (colon) {
		is_factor = colon[1] == 'x';
		if ((colon[1] != 'x' && colon[1] != '+') ||
		    number_parse(&by, colon + 2) != NUMBER_OK || !(by > (is_factor ? 1 : 0)))
			return false;
	}
	if (is_factor && !(low > 0))
		return false;
	for (double v = low; v <= high * (1 + 1e-12) && axis->count < limit;
	     v = is_factor ? v * by : v + by)
		add_number(axis, v, limit);
	return true;
}

static bool add_values(struct sweep_axis *axis, const char *text, size_t limit)
{
	while (*text) {
		char one[96];
		size_t len = strcspn(text, ",");

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		if (*one && !add_range(axis, one, limit)) {
			double number = 0;

			/* 8k is eight thousand wherever a number goes. */
			if (axis->target != SWEEP_FIELD && number_parse(&number, one) == NUMBER_OK)
				add_number(axis, number, limit);
			else
				add_value(axis, one, limit);
		}
		text += len + (text[len] == ',');
	}
	return axis->count > 0;
}

/* The present state is a point of the curve, wherever it stands. */
static void add_now(struct sweep_axis *axis, double now, double above, double below, size_t limit)
{
	if (now > above && now < below)
		add_number(axis, now, limit);
}

/* Telling values where none were given. */
static void usual_values(const struct app *app, struct sweep_axis *axis, size_t limit)
{
	struct choices_context context = app_choices(app);
	char scratch[96];
	const char *word = NULL;

	if (axis->target == SWEEP_BATCH) {
		const struct ss_workload *workload = &app->draft.scenario->workload;
		double now = workload->group_count ? (double)workload->groups[0].count : 1;

		/* Closer than doubling, so that a knee shows. */
		for (double v = 1, last = 1; v <= 1024; v = v < 8 ? v + 1 : floor(v * 1.125 + 0.5)) {
			add_now(axis, now, last, v, limit);
			add_number(axis, v, limit);
			last = v;
		}
		return;
	}
	if (axis->target == SWEEP_CONTEXT) {
		for (double v = 512, last = 512; v <= 131072; v *= 2) {
			add_now(axis, (double)app_context(app), last, v, limit);
			add_number(axis, v, limit);
			last = v;
		}
		return;
	}
	for (size_t n = 0;
	     (word = choices_word(&context, axis->field, n, scratch, sizeof(scratch))); n++)
		add_value(axis, word, limit);
	if (axis->count)
		return;
	if (axis->field == SS_F_GPU_MEMORY_UTILIZATION)
		(void)add_range(axis, "0.7..0.98:+0.02", limit);
	else if (ss_field(axis->field)->section == SS_SECTION_PARALLEL)
		(void)add_range(axis, "1..64:x2", limit);
	else if (axis->field == SS_F_BLOCK_SIZE)
		(void)add_range(axis, "16..256:x2", limit);
	else
		(void)add_range(axis, "1..65536:x2", limit);
}

static bool is_numeric_axis(const struct sweep_axis *axis)
{
	double number = 0;

	for (size_t i = 0; i < axis->count; i++) {
		if (number_parse(&number, axis->values[i]) != NUMBER_OK)
			return false;
	}
	return true;
}

struct sweep *sweep_new(struct app *app)
{
	struct sweep *sweep = xcalloc(1, sizeof(*sweep));

	sweep->is_log_x = true;
	usual_values(app, &sweep->x, SWEEP_POINTS);
	sweep->is_stale = true;
	return sweep;
}

/* -- pricing -------------------------------------------------------------------------- */

struct trial {
	struct ss_scenario *scenario;
	struct ss_group *groups;
	size_t group_count;
};

static bool apply(const struct app *app, struct trial *trial, const struct sweep_axis *axis,
		  const char *text, char *why, size_t size)
{
	struct ss_error err = { 0 };
	double number = 0;
	struct ss_group *group = NULL;

	if (axis->target == SWEEP_FIELD) {
		if (!ss_scenario_set(trial->scenario, app->pool, ss_field(axis->field)->path, text,
				     &err))
			return true;
		snprintf(why, size, "%s", err.message);
		return false;
	}
	if (!trial->group_count || number_parse(&number, text) != NUMBER_OK || number < 1) {
		snprintf(why, size, "the batch has no group to vary");
		return false;
	}
	group = &trial->groups[0];
	if (axis->target == SWEEP_BATCH) {
		group->count = llround(number);
	} else {
		group->computed = llround(number) - group->scheduled;
		if (group->computed < 0)
			group->computed = 0;
	}
	return true;
}

static double term_ms(const struct app *app, const struct ss_kernel *kernel,
		      const struct ss_batch *batch, enum ss_term_id id)
{
	struct ss_breakdown breakdown = { 0 };
	double seconds = 0;

	if (ss_kernel_breakdown(kernel, batch, &breakdown))
		out_of_memory();
	for (size_t i = 0; i < breakdown.term_count; i++) {
		if (breakdown.terms[i].term == id)
			seconds += ss_term_figure(&breakdown.terms[i], app->figure);
	}
	ss_breakdown_release(&breakdown);
	return seconds * 1e3;
}

static double figure_value(const struct app *app, int figure, const struct ss_kernel *kernel,
			   const struct ss_batch *batch, double lead_s,
			   const struct sweep_point *point)
{
	int64_t context =
		batch->group_count ? batch->groups[0].computed + batch->groups[0].scheduled : 0;

	switch (figure) {
	case FIGURE_LEAD:
		return lead_s * 1e3;
	case FIGURE_RATE:
		return point->tokens_per_s_per_gpu;
	case FIGURE_ITL:
		return point->itl_s * 1e3;
	case FIGURE_KV_TOKENS:
		return (double)ss_kernel_kv_pool(kernel)->reported_tokens;
	case FIGURE_ROOM:
		return (double)ss_kernel_memory(kernel)->budget_bytes / (1 << 30);
	case FIGURE_FIT:
		return (double)ss_kernel_requests_that_fit(kernel, context);
	default:
		return term_ms(app, kernel, batch, (enum ss_term_id)(figure - FIGURE_TERMS));
	}
}

static void price_point(struct app *app, struct sweep_point *point, const struct trial *trial,
			int figure)
{
	struct ss_problems problems = { 0 };
	struct ss_batch batch = draft_batch(&app->draft);
	struct ss_step step = { 0 };
	double lead_s = 0;

	batch.groups = trial->groups;
	batch.group_count = trial->group_count;
	if (ss_kernel_renew(&app->scratch, app->quote->basis, trial->scenario, app->pool,
			    app->draft.corrections, &problems)) {
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
		const struct ss_resolution *r = ss_kernel_resolution(app->scratch);
		double ranks = (double)r->ranks;

		ss_kernel_step(app->scratch, &batch, &step);
		lead_s = ss_step_figure(&step, app->figure);
		point->is_priced = true;
		point->fits = ss_kernel_fits(app->scratch);
		if (point->fits && batch.group_count) {
			int64_t room = ss_kernel_memory(app->scratch)->budget_bytes;

			if (ss_kernel_batch_bytes(app->scratch, &batch) > room) {
				point->fits = false;
				snprintf(point->why, sizeof(point->why),
					 "the batch's KV does not fit");
			}
		} else if (!point->fits) {
			snprintf(point->why, sizeof(point->why), "does not fit");
		}
		point->itl_s = ss_kernel_itl_s(app->scratch, lead_s);
		point->tokens_per_s_per_gpu =
			ss_kernel_tokens_per_s(app->scratch, &step, lead_s, 0) /
			(ranks > 0 ? ranks : 1);
		point->y = figure_value(app, figure, app->scratch, &batch, lead_s, point);
	}
	ss_problems_release(&problems);
}

static void run_point(struct app *app, struct sweep *sweep, size_t s, size_t i)
{
	const struct ss_workload *workload = &app->draft.scenario->workload;
	struct sweep_point *point = &sweep->points[s][i];
	struct trial trial = { 0 };

	*point = (struct sweep_point){ .x = (double)i };
	(void)number_parse(&point->x, sweep->x.values[i]);
	if (ss_scenario_clone(&trial.scenario, app->draft.scenario))
		out_of_memory();
	trial.groups = xcalloc(workload->group_count, sizeof(*trial.groups));
	trial.group_count = workload->group_count;
	if (workload->group_count)
		memcpy(trial.groups, workload->groups,
		       workload->group_count * sizeof(*trial.groups));
	if (apply(app, &trial, &sweep->x, sweep->x.values[i], point->why, sizeof(point->why)) &&
	    (!sweep->series.count || apply(app, &trial, &sweep->series, sweep->series.values[s],
					   point->why, sizeof(point->why))))
		price_point(app, point, &trial, sweep->figure);
	free(trial.groups);
	ss_scenario_free(trial.scenario);
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
	rows_value(app, sweep->x.field, text, sizeof(text));
	if (is_numeric_axis(&sweep->x))
		return number_parse(&number, text) == NUMBER_OK ? number : NAN;
	for (size_t i = 0; i < sweep->x.count; i++) {
		if (!strcmp(sweep->x.values[i], text))
			return (double)i;
	}
	return NAN;
}

void sweep_refresh(struct app *app)
{
	struct sweep *sweep = app->sweep;
	bool is_numeric = is_numeric_axis(&sweep->x);

	if (!app->quote)
		return;
	sweep->series_count = sweep->series.count ? sweep->series.count : 1;
	for (size_t s = 0; s < sweep->series_count; s++) {
		for (size_t i = 0; i < sweep->x.count; i++) {
			run_point(app, sweep, s, i);
			if (!is_numeric)
				sweep->points[s][i].x = (double)i;
		}
	}
	sweep->ceiling = 0;
	if (sweep->x.target == SWEEP_BATCH)
		sweep->ceiling = (double)ss_kernel_resolution(app->quote->kernel)
					 ->max_cudagraph_capture_size;
	sweep->now_x = now_on_axis(app, sweep);
	sweep->now_y = NAN;
	if (app->quote->has_price && !app->is_refused) {
		struct ss_batch batch = draft_batch(&app->draft);
		double lead = quote_lead(app->quote, app->figure);
		double ranks = (double)ss_kernel_resolution(app->quote->kernel)->ranks;
		struct sweep_point point = {
			.itl_s = ss_kernel_itl_s(app->quote->kernel, lead),
			.tokens_per_s_per_gpu = quote_tokens_per_s(app->quote, app->figure) / ranks,
		};

		sweep->now_y =
			figure_value(app, sweep->figure, app->quote->kernel, &batch, lead, &point);
	}
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

/* -- keys ----------------------------------------------------------------------------- */

unsigned sweep_move(struct app *app, int by_x, int by_series)
{
	struct sweep *sweep = app->sweep;
	long at = (long)sweep->at + by_x, series = (long)sweep->series_at + by_series;

	if (at >= 0 && at < (long)sweep->x.count)
		sweep->at = (size_t)at;
	if (series >= 0 && series < (long)sweep->series_count)
		sweep->series_at = (size_t)series;
	return APP_REDRAW;
}

static unsigned reset_axis(struct app *app, struct sweep_axis *axis, enum sweep_target target,
			   enum ss_field_id field, size_t limit)
{
	release_axis(axis);
	axis->target = target;
	axis->field = field;
	usual_values(app, axis, limit);
	app->sweep->is_stale = true;
	return APP_REDRAW;
}

/* What v goes through: batch, context, then the widths and budgets people vary. */
static const enum ss_field_id varied[] = {
	SS_F_TP,           SS_F_DP,
	SS_F_BLOCK_SIZE,   SS_F_CUDAGRAPH_MODE,
	SS_F_MAX_NUM_SEQS, SS_F_GPU_MEMORY_UTILIZATION,
	SS_F_QUANTIZATION, SS_F_CACHE_DTYPE,
};
#define VARIED_COUNT ((int)(sizeof(varied) / sizeof(*varied)))

static unsigned next_axis(struct app *app, struct sweep_axis *axis, size_t limit, bool may_be_none)
{
	int at = axis->target == SWEEP_BATCH ? 0 : 1;

	if (may_be_none && !axis->count)
		return reset_axis(app, axis, SWEEP_FIELD, SS_F_TP, limit);
	for (int i = 0; axis->target == SWEEP_FIELD && i < VARIED_COUNT; i++) {
		if (varied[i] == axis->field)
			at = i + 2;
	}
	at++;
	if (at >= VARIED_COUNT + 2) {
		if (may_be_none) {
			release_axis(axis);
			return APP_REDRAW;
		}
		at = 0;
	}
	if (at < 2)
		return reset_axis(app, axis, at ? SWEEP_CONTEXT : SWEEP_BATCH, SS_F_TP, limit);
	return reset_axis(app, axis, SWEEP_FIELD, varied[at - 2], limit);
}

unsigned sweep_apply(struct app *app, enum action_id action)
{
	struct sweep *sweep = app->sweep;

	if (action == ACT_SWEEP_FIGURE) {
		/* A term that no point has is passed over. */
		for (int i = 0; i < FIGURE_COUNT; i++) {
			bool any = false;

			sweep->figure = (sweep->figure + 1) % FIGURE_COUNT;
			if (sweep->figure < FIGURE_TERMS)
				break;
			for (size_t t = 0; app->quote && t < app->quote->breakdown.term_count; t++)
				any |= (int)app->quote->breakdown.terms[t].term ==
				       sweep->figure - FIGURE_TERMS;
			if (any)
				break;
		}
	} else if (action == ACT_SWEEP_FIELD) {
		return next_axis(app, &sweep->x, SWEEP_POINTS, false);
	} else if (action == ACT_SWEEP_SERIES) {
		return next_axis(app, &sweep->series, SWEEP_SERIES, true);
	} else if (action == ACT_SWEEP_LOG) {
		int state = (sweep->is_log_x ? 1 : 0) + (sweep->is_log_y ? 2 : 0);

		state = (state + 1) % 4;
		sweep->is_log_x = state & 1;
		sweep->is_log_y = state & 2;
	} else if (action == ACT_SWEEP_PARETO) {
		sweep->is_pareto = !sweep->is_pareto;
	} else {
		sweep->shows_unfit = !sweep->shows_unfit;
	}
	return APP_REDRAW;
}

bool sweep_take(struct app *app)
{
	struct sweep *sweep = app->sweep;
	struct draft copy = { 0 };
	struct trial trial = { 0 };
	char name[160], why[256] = "";

	if (!sweep->x.count)
		return false;
	draft_copy(&copy, &app->draft);
	trial.scenario = copy.scenario;
	trial.groups = copy.scenario->workload.groups;
	trial.group_count = copy.scenario->workload.group_count;
	snprintf(name, sizeof(name), "sweep: %s = %s%s%s%s%s", sweep_axis_name(&sweep->x),
		 sweep->x.values[sweep->at], sweep->series.count ? ", " : "",
		 sweep->series.count ? sweep_axis_name(&sweep->series) : "",
		 sweep->series.count ? " = " : "",
		 sweep->series.count ? sweep->series.values[sweep->series_at] : "");
	if (!apply(app, &trial, &sweep->x, sweep->x.values[sweep->at], why, sizeof(why)) ||
	    (sweep->series.count &&
	     !apply(app, &trial, &sweep->series, sweep->series.values[sweep->series_at], why,
		    sizeof(why)))) {
		draft_release(&copy);
		app_say(app, true, "%s", why);
		return false;
	}
	app_say(app, false, "taken: %s", name + strlen("sweep: "));
	return history_replace(&app->history, &app->draft, &copy, name);
}

unsigned sweep_ask(struct app *app)
{
	return app_ask(app, PROMPT_SWEEP, "sweep FIELD VALUES", sweep_axis_name(&app->sweep->x));
}

unsigned sweep_command(struct app *app, bool is_series, const char *text)
{
	struct sweep_axis axis = { 0 };
	struct ss_error err = { 0 };
	size_t limit = is_series ? SWEEP_SERIES : SWEEP_POINTS;
	size_t len = strcspn(text, " =");
	char name[96];
	const char *values = text + len + strspn(text + len, " =");

	if (!app->sweep)
		app->sweep = sweep_new(app);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	if (!strcmp(name, "batch") || !strcmp(name, "count")) {
		axis.target = SWEEP_BATCH;
	} else if (!strcmp(name, "context")) {
		axis.target = SWEEP_CONTEXT;
	} else if (is_series && !*name) {
		release_axis(&app->sweep->series);
		return app_goto(app, PANE_SWEEP);
	} else {
		axis.target = SWEEP_FIELD;
		axis.field = ss_field_find(name, &err);
		if (axis.field == SS_FIELD_COUNT) {
			app_say(app, true, "%s", err.message);
			return APP_REDRAW;
		}
		if (ss_field(axis.field)->owner == SS_OWNER_SCENARIO) {
			app_say(app, true,
				"%s is of the problem, not of the deployment: open another "
				"scenario for it",
				name);
			return APP_REDRAW;
		}
	}
	if (*values ? !add_values(&axis, values, limit)
		    : (usual_values(app, &axis, limit), !axis.count)) {
		release_axis(&axis);
		app_say(app, true, "no values in \"%s\"; write 1,2,4,8 or 1..256:x2", text);
		return APP_REDRAW;
	}
	if (is_series) {
		release_axis(&app->sweep->series);
		app->sweep->series = axis;
	} else {
		release_axis(&app->sweep->x);
		app->sweep->x = axis;
	}
	app->sweep->is_stale = true;
	return app_goto(app, PANE_SWEEP);
}

void sweep_table(const struct app *app, struct table *out)
{
	static const struct table_column columns[SWEEP_COLUMNS] = {
		{ .title = "series", .width = 16 },
		{ .title = "value", .width = 12, .is_right = true },
		{ .title = "figure", .width = 14, .is_right = true },
		{ .title = "ITL_ms", .width = 10, .is_right = true },
		{ .title = "tok/s/GPU", .width = 10, .is_right = true },
		{ .title = "fits", .width = 5 },
		{ .title = "why", .width = 40 },
	};
	struct sweep *sweep = app->sweep;

	/* What was varied and drawn, by its name. */
	memcpy(sweep->columns, columns, sizeof(columns));
	if (sweep->series.count)
		sweep->columns[0].title = sweep_axis_name(&sweep->series);
	sweep->columns[1].title = sweep_axis_name(&sweep->x);
	sweep->columns[2].title = sweep_figure_name(sweep->figure);
	table_reset(out, sweep->columns, SWEEP_COLUMNS);
	for (size_t s = 0; s < sweep->series_count; s++) {
		for (size_t i = 0; i < sweep->x.count; i++) {
			const struct sweep_point *point = &sweep->points[s][i];
			double rate = point->tokens_per_s_per_gpu;

			table_row(out, (int)(s * SWEEP_POINTS + i), ' ');
			if (sweep->series.count)
				table_put(out, 0, sweep->series.values[s]);
			table_put(out, 1, sweep->x.values[i]);
			if (point->is_priced) {
				table_put_number(out, 2, point->y, number_plain(point->y).text);
				table_put_number(out, 3, point->itl_s * 1e3,
						 number_plain(point->itl_s * 1e3).text);
				table_put_number(out, 4, rate, number_plain(rate).text);
			}
			table_put(out, 5, !point->is_priced ? "-" : point->fits ? "yes" : "no");
			table_put(out, 6, point->why);
		}
	}
}
