#include "report/scored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- rows --------------------------------------------------------------------------------- */

size_t scored_refusals(const struct score *score)
{
	size_t count = 0;

	for (size_t i = 0; i < score->runs.count; i++)
		count += score->rows[i].refusal != NULL;
	return count;
}

size_t scored_assumed(const struct score *score, const char *release)
{
	size_t count = 0;

	for (size_t i = 0; i < score->runs.count; i++)
		count += score->rows[i].is_release_assumed &&
			 !strcmp(score->rows[i].release, release);
	return count;
}

void scored_releases(const struct score *score, char ***releases, size_t *count)
{
	*releases = xcalloc(score->runs.count, sizeof(**releases));
	*count = 0;
	for (size_t i = 0; i < score->runs.count; i++) {
		size_t k = 0;

		while (k < *count && strcmp((*releases)[k], score->rows[i].release) != 0)
			k++;
		if (k == *count)
			(*releases)[(*count)++] = xstrdup(score->rows[i].release);
	}
}

struct sized {
	double size;
	const struct score_row *row;
};

static int compare_sizes(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->size > y->size || x->size < y->size)
		return x->size > y->size ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

const struct score_row **scored_by_error(const struct scored_report *r, size_t *count)
{
	size_t runs = r->score->runs.count;
	struct sized *sized = xcalloc(runs, sizeof(*sized));
	const struct score_row **rows = xcalloc(runs, sizeof(*rows));

	*count = 0;
	for (size_t i = 0; i < runs; i++) {
		double error = score_error(&r->score->rows[i], r->views[0]);

		if (!isnan(error))
			sized[(*count)++] = (struct sized){ fabs(error), &r->score->rows[i] };
	}
	qsort(sized, *count, sizeof(*sized), compare_sizes);
	for (size_t i = 0; i < *count; i++)
		rows[i] = sized[i].row;
	free(sized);
	return rows;
}

/* -- JSON ------------------------------------------------------------------------------------ */

static cJSON *stat_json(const struct score_stat *stat, enum score_view view)
{
	cJSON *o = json_object();

	json_put_text(o, "figure", score_view_name(view));
	json_put_count(o, "runs", (int64_t)stat->rows);
	json_put_number(o, "median", stat->rows ? stat->median : NAN);
	json_put_number(o, "p90", stat->rows ? stat->p90 : NAN);
	json_put_number(o, "bias", stat->rows ? stat->bias : NAN);
	return o;
}

static cJSON *assumed_json(const struct scored_report *r)
{
	cJSON *list = json_array();
	char **releases;
	size_t count;

	scored_releases(r->score, &releases, &count);
	for (size_t i = 0; i < count; i++) {
		size_t runs = scored_assumed(r->score, releases[i]);
		cJSON *o;

		if (!runs)
			continue;
		o = json_object();
		json_put_text(o, "engine_version", releases[i]);
		json_put_count(o, "runs", (int64_t)runs);
		json_put(list, NULL, o);
	}
	names_free(releases, count);
	return list;
}

cJSON *json_scored_summary(const struct scored_report *r)
{
	const struct score *score = r->score;
	cJSON *o = json_object(), *figures = json_array(), *unknown = json_array();
	size_t refused = scored_refusals(score);

	json_put_text(o, "file", score->file);
	json_put_count(o, "runs", (int64_t)score->runs.count);
	json_put_count(o, "priced", (int64_t)(score->runs.count - refused));
	json_put_count(o, "refused", (int64_t)refused);
	json_put(o, "releases_assumed", assumed_json(r));
	for (size_t i = 0; i < score->runs.unknown_count; i++)
		json_put_text(unknown, NULL, score->runs.unknown[i]);
	json_put(o, "unknown_columns", unknown);
	for (size_t i = 0; i < r->view_count; i++) {
		struct score_stat stat;

		score_stat(&stat, score, r->views[i], NULL, NULL);
		json_put(figures, NULL, stat_json(&stat, r->views[i]));
	}
	json_put(o, "figures", figures);
	return o;
}

cJSON *json_scored_groups(const struct scored_report *r)
{
	cJSON *list = json_array();

	for (int g = 0; g < SCORE_GROUP_COUNT; g++) {
		char **values;
		size_t count;

		score_group_values(r->score, (enum score_group)g, &values, &count);
		for (size_t v = 0; v < count; v++) {
			cJSON *o = json_object(), *figures = json_array();

			json_put_text(o, "by", score_group_name((enum score_group)g));
			json_put_text(o, "value", values[v]);
			for (size_t i = 0; i < r->view_count; i++) {
				struct score_stat stat;

				score_group_stat(&stat, r->score, r->views[i], (enum score_group)g,
						 values[v]);
				json_put(figures, NULL, stat_json(&stat, r->views[i]));
			}
			json_put(o, "figures", figures);
			json_put(list, NULL, o);
		}
		names_free(values, count);
	}
	return list;
}

static cJSON *run_json(const struct scored_report *r, const struct score_row *row)
{
	const struct ss_run *run = row->run;
	cJSON *o = json_object(), *figures = json_array(), *settings = json_object();

	json_put_count(o, "line", (int64_t)run->line);
	json_put_text(o, "model", run->model);
	json_put_text(o, "part", run->part);
	json_put_text_or_null(o, "precision", run->precision);
	json_put_text_or_null(o, "source", run->source);
	json_put_text(o, "engine_version", row->release);
	json_put_bool(o, "engine_version_assumed", row->is_release_assumed);
	json_put_count(o, "concurrency", run->concurrency);
	json_put_count(o, "held", row->held);
	json_put_count(o, "prompt_low", run->prompt_low);
	json_put_count(o, "prompt_high", run->prompt_high);
	json_put_count(o, "output_low", run->output_low);
	json_put_count(o, "output_high", run->output_high);
	for (size_t i = 0; i < run->setting_count; i++)
		json_put_text(settings, run->settings[i].path, run->settings[i].text);
	json_put(o, "settings", settings);
	json_put_number(o, "tpot_s", run->tpot_s > 0 ? run->tpot_s : NAN);
	json_put_number(o, "ttft_s", run->ttft_s > 0 ? run->ttft_s : NAN);
	for (size_t i = 0; i < r->view_count; i++) {
		cJSON *f = json_object();

		json_put_text(f, "figure", score_view_name(r->views[i]));
		json_put_number(f, "seconds", row->seconds[r->views[i]]);
		json_put_number(f, "error", score_error(row, r->views[i]));
		json_put(figures, NULL, f);
	}
	json_put(o, "figures", figures);
	return o;
}

cJSON *json_scored_worst(const struct scored_report *r)
{
	cJSON *list = json_array();
	size_t count;
	const struct score_row **rows = scored_by_error(r, &count);

	for (size_t i = 0; i < count && i < SCORED_WORST; i++)
		json_put(list, NULL, run_json(r, rows[i]));
	free(rows);
	return list;
}

cJSON *json_scored_runs(const struct scored_report *r)
{
	cJSON *list = json_array();

	for (size_t i = 0; i < r->score->runs.count; i++)
		if (!r->score->rows[i].refusal)
			json_put(list, NULL, run_json(r, &r->score->rows[i]));
	return list;
}

cJSON *json_scored_refused(const struct scored_report *r)
{
	cJSON *list = json_array();

	for (size_t i = 0; i < r->score->runs.count; i++) {
		const struct score_row *row = &r->score->rows[i];
		cJSON *o;

		if (!row->refusal)
			continue;
		o = json_object();
		json_put_count(o, "line", (int64_t)row->run->line);
		json_put_text(o, "model", row->run->model);
		json_put_text(o, "part", row->run->part);
		json_put_text(o, "reason", row->refusal);
		json_put(list, NULL, o);
	}
	return list;
}
