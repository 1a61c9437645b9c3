#include "app/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/range.h"
#include "app/rows.h"

const char *sweep_axis_name(const struct sweep_axis *axis)
{
	if (axis->target == SWEEP_BATCH)
		return "batch";
	if (axis->target == SWEEP_CONTEXT)
		return "context";
	if (axis->target == SWEEP_COEFFICIENT)
		return axis->coefficient;
	return rows_name(axis->field);
}

static void release_axis(struct sweep_axis *axis)
{
	for (size_t i = 0; i < axis->count; i++)
		free(axis->values[i]);
	free(axis->values);
	free(axis->coefficient);
	*axis = (struct sweep_axis){ 0 };
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	release_axis(&sweep->x);
	release_axis(&sweep->series);
	quote_basis_drop(&sweep->basis);
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

static bool has_value(const struct sweep_axis *axis, const char *text)
{
	for (size_t i = 0; i < axis->count; i++)
		if (!strcmp(axis->values[i], text))
			return true;
	return false;
}

static void add_number(struct sweep_axis *axis, double value, size_t limit)
{
	char text[40];
	bool is_whole =
		axis->target != SWEEP_COEFFICIENT &&
		(axis->target != SWEEP_FIELD || ss_field(axis->field)->type != SS_TYPE_FLOAT);

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

static void add_range(struct sweep_axis *axis, const struct range *range, size_t limit)
{
	double value;

	for (double i = 0; axis->count < limit && range_at(range, i, &value); i++)
		add_number(axis, value, limit);
}

/** How many there are, kept or not; 0: one is no range. */
static double add_values(struct sweep_axis *axis, const char *text, size_t limit)
{
	double count = 0;

	while (*text) {
		char one[96];
		size_t len = strcspn(text, ",");
		struct range range;
		double number = 0;

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		switch (range_parse(&range, one)) {
		case RANGE_BAD:
			return 0;
		case RANGE_OK:
			count += floor(range_count(&range));
			add_range(axis, &range, limit);
			break;
		case RANGE_NONE:
			count += *one != '\0';
			/* 8k is eight thousand wherever a number goes. */
			if (axis->target != SWEEP_FIELD && number_parse(&number, one) == NUMBER_OK)
				add_number(axis, number, limit);
			else if (*one)
				add_value(axis, one, limit);
			break;
		}
		text += len + (text[len] == ',');
	}
	return count;
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
		for (double v = 1, last = 1; v <= 1024;
		     v = v < 8 ? v + 1 : floor(v * 1.125 + 0.5)) {
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
	if (axis->target == SWEEP_COEFFICIENT) {
		double now = sweep_coefficient_now(app, axis->coefficient);

		for (int quarter = 2; now > 0 && quarter <= 8; quarter++)
			add_number(axis, now * quarter / 4, limit);
		return;
	}
	/* Packs of several engines may share a version. */
	for (size_t n = 0;
	     (word = choices_word(&context, axis->field, n, scratch, sizeof(scratch))); n++) {
		if (!has_value(axis, word))
			add_value(axis, word, limit);
	}
	if (axis->count)
		return;
	if (axis->field == SS_F_GPU_MEMORY_UTILIZATION)
		(void)add_values(axis, "0.7..0.98:+0.02", limit);
	else if (ss_field(axis->field)->section == SS_SECTION_PARALLEL)
		(void)add_values(axis, "1..64:x2", limit);
	else if (axis->field == SS_F_BLOCK_SIZE)
		(void)add_values(axis, "16..256:x2", limit);
	else if (ss_field(axis->field)->owner == SS_OWNER_SCENARIO)
		(void)add_values(axis, "1..16:x2", limit);
	else
		(void)add_values(axis, "1..65536:x2", limit);
}

bool sweep_is_numeric(const struct sweep_axis *axis)
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
	app->sweep->priced = 0;
	return APP_REDRAW;
}

/* What v goes through: batch, context, then the widths and budgets people vary. */
static const enum ss_field_id varied[] = {
	SS_F_TP,
	SS_F_DP,
	SS_F_BLOCK_SIZE,
	SS_F_CUDAGRAPH_MODE,
	SS_F_MAX_NUM_SEQS,
	SS_F_GPU_MEMORY_UTILIZATION,
	SS_F_QUANTIZATION,
	SS_F_CACHE_DTYPE,
	SS_F_HARDWARE,
	SS_F_NODES,
	SS_F_ENGINE_VERSION,
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
			app->sweep->priced = 0;
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
		for (int i = 0; i < SWEEP_FIGURES; i++) {
			bool any = false;

			sweep->figure = (sweep->figure + 1) % SWEEP_FIGURES;
			if (sweep->figure < SWEEP_FIGURE_TERMS)
				break;
			for (size_t t = 0; app->quote && t < app->quote->breakdown.term_count; t++)
				any |= (int)app->quote->breakdown.terms[t].term ==
				       sweep->figure - SWEEP_FIGURE_TERMS;
			if (any)
				break;
		}
		sweep->priced = 0;
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
	char name[320], why[256] = "";

	if (!sweep->x.count)
		return false;
	draft_copy(&copy, &app->draft);
	snprintf(name, sizeof(name), "sweep: %s = %s%s%s%s%s", sweep_axis_name(&sweep->x),
		 sweep->x.values[sweep->at], sweep->series.count ? ", " : "",
		 sweep->series.count ? sweep_axis_name(&sweep->series) : "",
		 sweep->series.count ? " = " : "",
		 sweep->series.count ? sweep->series.values[sweep->series_at] : "");
	if (!sweep_put(&copy, app->pool, &sweep->x, sweep->at, why, sizeof(why)) ||
	    (sweep->series.count &&
	     !sweep_put(&copy, app->pool, &sweep->series, sweep->series_at, why, sizeof(why)))) {
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

/** What a name says is varied; `axis` holds nothing when it says nothing. */
static bool read_target(struct app *app, struct sweep_axis *axis, const char *name)
{
	const char *plain = strncmp(name, "coef:", 5) ? name : name + 5;
	struct ss_error err = { 0 };

	if (!strcmp(name, "batch") || !strcmp(name, "count")) {
		axis->target = SWEEP_BATCH;
	} else if (!strcmp(name, "context")) {
		axis->target = SWEEP_CONTEXT;
	} else if (plain != name || app_known_coefficient(app, name)) {
		if (!app_known_coefficient(app, plain)) {
			app_say(app, true, "no coefficient in scope is called \"%s\"", plain);
			return false;
		}
		axis->target = SWEEP_COEFFICIENT;
		axis->coefficient = xstrdup(plain);
	} else {
		axis->target = SWEEP_FIELD;
		axis->field = ss_field_find(name, &err);
		if (axis->field == SS_FIELD_COUNT) {
			app_say(app, true, "%s: %s", name, err.message);
			return false;
		}
	}
	return true;
}

/** Taken over. */
static void put_axis(struct sweep *sweep, bool is_series, const struct sweep_axis *axis)
{
	struct sweep_axis *place = is_series ? &sweep->series : &sweep->x;

	release_axis(place);
	*place = *axis;
	sweep->is_stale = true;
	sweep->priced = 0;
}

unsigned sweep_command(struct app *app, bool is_series, const char *text)
{
	struct sweep_axis axis = { 0 };
	size_t limit = is_series ? SWEEP_SERIES : SWEEP_POINTS;
	size_t len = strcspn(text, " =");
	char name[160];
	const char *values = text + len + strspn(text + len, " =");
	double count = 0;

	if (!app->sweep)
		app->sweep = sweep_new(app);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	if (is_series && !*name) {
		release_axis(&app->sweep->series);
		app->sweep->priced = 0;
		return app_goto(app, PANE_SWEEP);
	}
	if (!read_target(app, &axis, name))
		return APP_REDRAW;
	if (*values)
		count = add_values(&axis, values, limit);
	else
		usual_values(app, &axis, limit);
	if (!axis.count || (*values && count < 1)) {
		release_axis(&axis);
		app_say(app, true, "no values in \"%s\"; write 1,2,4,8 or a range: " RANGE_FORM,
			text);
		return APP_REDRAW;
	}
	if (count > (double)limit)
		app_say(app, false, "the first %zu of %s values: :xFACTOR or :+STEP skips some",
			limit, number_count(count).text);
	put_axis(app->sweep, is_series, &axis);
	return app_goto(app, PANE_SWEEP);
}

void sweep_restore(struct app *app, bool is_series, const char *name, const char *const *values,
		   size_t count)
{
	struct sweep_axis axis = { 0 };

	if (!read_target(app, &axis, name))
		return;
	for (size_t i = 0; i < count; i++)
		add_value(&axis, values[i], is_series ? SWEEP_SERIES : SWEEP_POINTS);
	put_axis(app->sweep, is_series, &axis);
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
			double rate = point->figures.tokens_per_s_per_gpu;

			table_row(out, (int)(s * SWEEP_POINTS + i), ' ');
			if (sweep->series.count)
				table_put(out, 0, sweep->series.values[s]);
			table_put(out, 1, sweep->x.values[i]);
			if (point->is_priced) {
				table_put_number(out, 2, point->y, number_plain(point->y).text);
				table_put_number(out, 3, point->figures.itl_s * 1e3,
						 number_plain(point->figures.itl_s * 1e3).text);
				table_put_number(out, 4, rate, number_plain(rate).text);
			}
			table_put(out, 5, !point->is_priced ? "-" : point->fits ? "yes" : "no");
			table_put(out, 6, point->why);
		}
	}
}
