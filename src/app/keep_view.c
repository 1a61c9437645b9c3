#include "app/keep_view.h"

#include <string.h>

#include "app/sweep.h"
#include "app/tour.h"
#include "app/walk.h"
#include "case/kept.h"

static cJSON *made(cJSON *item)
{
	if (!item)
		out_of_memory();
	return item;
}

static void put(cJSON *object, const char *key, cJSON *item)
{
	if (!(key ? cJSON_AddItemToObject(object, key, made(item))
		  : cJSON_AddItemToArray(object, made(item))))
		out_of_memory();
}

static void put_number(cJSON *object, const char *key, double number)
{
	put(object, key, cJSON_CreateNumber(number));
}

static void put_text(cJSON *object, const char *key, const char *text)
{
	put(object, key, cJSON_CreateString(text));
}

static void put_bool(cJSON *object, const char *key, bool is_true)
{
	put(object, key, cJSON_CreateBool(is_true));
}

static const cJSON *item_of(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static bool is_true(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(item_of(object, key));
}

/* -- the sweep ------------------------------------------------------------------------ */

static cJSON *axis_json(const struct sweep_axis *axis)
{
	cJSON *object = made(cJSON_CreateObject()), *values = made(cJSON_CreateArray());

	put_text(object, "name",
		 axis->target == SWEEP_FIELD ? ss_field(axis->field)->path : sweep_axis_name(axis));
	for (size_t i = 0; i < axis->count; i++)
		put_text(values, NULL, axis->values[i]);
	put(object, "values", values);
	return object;
}

static cJSON *sweep_json(const struct sweep *sweep)
{
	cJSON *object = made(cJSON_CreateObject());

	put(object, "x", axis_json(&sweep->x));
	if (sweep->series.count)
		put(object, "series", axis_json(&sweep->series));
	put_number(object, "figure", sweep->figure);
	put_bool(object, "is_log_x", sweep->is_log_x);
	put_bool(object, "is_log_y", sweep->is_log_y);
	put_bool(object, "is_pareto", sweep->is_pareto);
	put_bool(object, "shows_unfit", sweep->shows_unfit);
	return object;
}

static void take_axis(struct app *app, bool is_series, const cJSON *axis)
{
	const cJSON *values = item_of(axis, "values"), *one;
	const char *texts[SWEEP_POINTS];
	size_t count = 0;

	cJSON_ArrayForEach(one, values) if (cJSON_IsString(one) && count < SWEEP_POINTS)
		texts[count++] = one->valuestring;
	if (count)
		sweep_restore(app, is_series, kept_text(axis, "name"), texts, count);
}

static void take_sweep(struct app *app, const cJSON *item)
{
	struct sweep *sweep;

	if (!cJSON_IsObject(item))
		return;
	if (!app->sweep)
		app->sweep = sweep_new(app);
	sweep = app->sweep;
	take_axis(app, false, item_of(item, "x"));
	take_axis(app, true, item_of(item, "series"));
	sweep->figure = (int)kept_integer(item, "figure", 0, SWEEP_FIGURES - 1, 0);
	sweep->is_log_x = is_true(item, "is_log_x");
	sweep->is_log_y = is_true(item, "is_log_y");
	sweep->is_pareto = is_true(item, "is_pareto");
	sweep->shows_unfit = is_true(item, "shows_unfit");
}

/* -- the view ------------------------------------------------------------------------- */

cJSON *kept_view(const struct app *app)
{
	cJSON *object = made(cJSON_CreateObject()), *spread = made(cJSON_CreateArray());

	put_number(object, "pool", (double)app->pool);
	put_text(object, "figure", ss_figure_name(app->figure));
	put_number(object, "pane", app->pane);
	put_bool(object, "is_on_deployment", app->is_on_deployment);
	put_number(object, "acceptance", app->acceptance);
	put_number(object, "ttft_tokens", (double)app->ttft_tokens);
	put_number(object, "fit_tokens", (double)app->fit_tokens);
	for (int m = 0; m < SS_METHOD_COUNT; m++)
		put_number(spread, NULL, app->spread.share[m]);
	put(object, "spread", spread);
	if (app->sweep)
		put(object, "sweep", sweep_json(app->sweep));
	if (!app->walk)
		return object;
	put_text(object, "walk", app->walk->count ? app->walk->items[app->walk->at].name : "");
	put_bool(object, "walks_rest", app->walk->has_rest);
	return object;
}

static double number_of(const cJSON *object, const char *key, double least, double most)
{
	const cJSON *item = item_of(object, key);
	double number = cJSON_IsNumber(item) ? item->valuedouble : least;

	return number >= least && number <= most ? number : least;
}

void kept_take_view(struct app *app, const cJSON *view)
{
	const cJSON *spread = item_of(view, "spread"), *walk = item_of(view, "walk");
	const int64_t most = (int64_t)1 << 50;

	for (int i = 0; i < SS_FIGURE_COUNT; i++)
		if (!strcmp(ss_figure_name((enum ss_figure)i), kept_text(view, "figure")))
			app->figure = (enum ss_figure)i;
	app->pool = (size_t)kept_integer(view, "pool", 0,
					 (int64_t)app->draft.scenario->pool_count - 1, 0);
	app->acceptance = number_of(view, "acceptance", 0, 1);
	app->ttft_tokens = kept_integer(view, "ttft_tokens", 0, most, 0);
	app->fit_tokens = kept_integer(view, "fit_tokens", 0, most, 0);
	for (int m = 0; m < SS_METHOD_COUNT; m++) {
		const cJSON *share = cJSON_GetArrayItem(spread, m);

		if (cJSON_IsNumber(share) && share->valuedouble >= 0 && share->valuedouble < 1)
			app->spread.share[m] = share->valuedouble;
	}
	(void)app_goto(app, (enum pane_id)kept_integer(view, "pane", 0, PANE_ALL - 1, app->pane));
	app->is_on_deployment = is_true(view, "is_on_deployment");
	app_refresh(app, APP_PRICE);
	/* which coefficients there are is known from here on */
	take_sweep(app, item_of(view, "sweep"));
	app_refresh(app, 0);
	if (!walk || !app->quote)
		return;
	(void)walk_to(app, cJSON_IsString(walk) ? walk->valuestring : "");
	if (app->walk)
		app->walk->has_rest |= is_true(view, "walks_rest");
}

/* -- a recording ---------------------------------------------------------------------- */

cJSON *kept_recording(const struct tour_record *record)
{
	cJSON *object = made(cJSON_CreateObject());

	put_text(object, "file", tour_record_file(record));
	put_text(object, "text", tour_record_text(record));
	return object;
}

void kept_take_recording(struct app *app, const cJSON *recording)
{
	if (cJSON_IsObject(recording))
		tour_record_restore(app, kept_text(recording, "file"),
				    kept_text(recording, "text"));
}
