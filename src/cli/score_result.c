#include "cli/score_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/score.h"
#include "case/serving.h"
#include "cli/progress.h"
#include "import/import_source.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "report/served.h"
#include "text/number.h"
#include "text/shown.h"
#include "text/words.h"

enum { SLICE = 20000 };

bool score_is_result(const char *path)
{
	size_t length = strlen(path);

	return length > 5 && !strcmp(path + length - 5, ".json");
}

/* -- its load ------------------------------------------------------------------------------ */

static double number_of(const cJSON *result, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(result, key);

	return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void set_count(struct arguments *a, const char *side, const char *what, double tokens)
{
	char path[64], text[32];

	(void)snprintf(path, sizeof(path), "workload.%s.%s", side, what);
	(void)snprintf(text, sizeof(text), "%.0f", tokens);
	arguments_add_setting(a, path, text);
}

/** Mean, spread and ends of the lengths that were kept one by one. */
static void set_lengths(struct arguments *a, const char *side, const cJSON *lengths)
{
	double count = 0, sum = 0, squares = 0, low = INFINITY, high = 0, mean, spread;
	const cJSON *item;

	cJSON_ArrayForEach(item, lengths)
	{
		if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1))
			continue;
		count++;
		sum += item->valuedouble;
		squares += item->valuedouble * item->valuedouble;
		low = fmin(low, item->valuedouble);
		high = fmax(high, item->valuedouble);
	}
	if (!(count > 0))
		return;
	mean = sum / count;
	spread = sqrt(fmax(0, squares / count - mean * mean));
	set_count(a, side, "tokens", mean);
	if (!(spread >= 0.5))
		return;
	set_count(a, side, "tokens_stdev", spread);
	set_count(a, side, "tokens_min", low);
	set_count(a, side, "tokens_max", high);
}

static enum ss_status set_length(struct arguments *a, const cJSON *result, const char *side,
				 const char *each, const char *total, struct ss_error *err)
{
	const cJSON *lengths = cJSON_GetObjectItemCaseSensitive(result, each);
	double mean = number_of(result, total) / number_of(result, "completed");

	if (cJSON_GetArraySize(lengths) > 0) {
		set_lengths(a, side, lengths);
		return SS_OK;
	}
	if (!(mean >= 1) || isinf(mean))
		return ss_fail(err, SS_EDOCUMENT, "", "wants %s, or %s and completed", each, total);
	set_count(a, side, "tokens", mean);
	return SS_OK;
}

static enum ss_status set_arrivals(struct arguments *a, const cJSON *result, struct ss_error *err)
{
	double rate = number_of(result, "request_rate");
	double most = number_of(result, "max_concurrency");
	double burstiness = number_of(result, "burstiness");
	char text[40];

	if (rate > 0 && most > 0)
		return ss_fail(err, SS_EDOCUMENT, "",
			       "request_rate and max_concurrency together: a load comes by rate or "
			       "at once");
	arguments_add_setting(a, "workload.rate", rate > 0 ? number_plain(rate).text : "");
	(void)snprintf(text, sizeof(text), "%.0f", most);
	arguments_add_setting(a, "workload.concurrency", most > 0 ? text : "");
	if (rate > 0 && burstiness > 0)
		arguments_add_setting(a, "workload.burstiness", number_plain(burstiness).text);
	return SS_OK;
}

static enum ss_status set_load(struct arguments *a, const cJSON *result, struct ss_error *err)
{
	double requests = number_of(result, "num_prompts");
	char text[32];
	enum ss_status rc;

	if (!(requests >= 1))
		return ss_fail(err, SS_EDOCUMENT, "",
			       "is no result that vllm bench serve saved: wants num_prompts");
	(void)snprintf(text, sizeof(text), "%.0f", requests);
	arguments_add_setting(a, "workload.requests", text);
	rc = set_length(a, result, "prompt", "input_lens", "total_input_tokens", err);
	if (!rc)
		rc = set_length(a, result, "output", "output_lens", "total_output_tokens", err);
	if (!rc)
		rc = set_arrivals(a, result, err);
	a->request.settings = a->settings;
	a->request.setting_count = a->setting_count;
	return rc;
}

/* -- metric by metric -------------------------------------------------------------------------- */

/** What was asked for is no finding. */
static bool is_asked(const char *key)
{
	static const char *const asked[] = { "num_prompts", "request_rate", "burstiness",
					     "max_concurrency", "total_input_tokens" };

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if (!strcmp(asked[i], key))
			return true;
	return false;
}

/** What was found; numbers of our JSON are kept as they are written. */
static double predicted(const cJSON *metric)
{
	double number;

	if (cJSON_IsNumber(metric))
		return metric->valuedouble;
	return cJSON_IsRaw(metric) && word_number(metric->valuestring, &number) ? number : NAN;
}

/** The next metric that both have; NULL at the end. */
static const cJSON *next_metric(const cJSON *at, const cJSON *result)
{
	for (; at; at = at->next)
		if (!isnan(predicted(at)) && !is_asked(at->string) &&
		    !isnan(number_of(result, at->string)))
			return at;
	return NULL;
}

static double error_of(const cJSON *metric, const cJSON *result)
{
	double measured = number_of(result, metric->string);

	return fabs(measured) > 0 ? predicted(metric) / measured - 1 : NAN;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_error(const cJSON *bench, const cJSON *result)
{
	double *sizes = xcalloc((size_t)cJSON_GetArraySize(bench) + 1, sizeof(*sizes));
	size_t count = 0;
	double median;

	for (const cJSON *m = next_metric(bench->child, result); m;
	     m = next_metric(m->next, result))
		if (!isnan(error_of(m, result)))
			sizes[count++] = fabs(error_of(m, result));
	qsort(sizes, count, sizeof(*sizes), compare_numbers);
	median = !count      ? NAN
		 : count % 2 ? sizes[count / 2]
			     : (sizes[count / 2 - 1] + sizes[count / 2]) / 2;
	free(sizes);
	return median;
}

static int print_json(struct batch *batch, const struct findings *f, const char *path,
		      const cJSON *bench, const cJSON *result)
{
	cJSON *root = json_object(), *score = json_object(), *o = json_object();
	cJSON *metrics = json_array();

	json_put_count(root, "format", 1);
	json_put(root, "engine", json_engine(f));
	json_put(root, "scenario", json_scenario(f));
	json_put(root, "warnings", json_warnings(f));
	for (const cJSON *m = next_metric(bench->child, result); m;
	     m = next_metric(m->next, result)) {
		cJSON *metric = json_object();

		json_put_text(metric, "metric", m->string);
		json_put_number(metric, "measured", number_of(result, m->string));
		json_put_number(metric, "predicted", predicted(m));
		json_put_number(metric, "error", error_of(m, result));
		json_put(metrics, NULL, metric);
	}
	json_put_text(o, "file", path);
	json_put_number(o, "median", median_error(bench, result));
	json_put(o, "metrics", metrics);
	json_put(score, "result", o);
	json_put(root, "score", score);
	return batch_print_json(batch, root);
}

static void put_error(struct doc *doc, double error)
{
	char text[48];

	(void)snprintf(text, sizeof(text), "%s %%", number_signed(error * 100, 1).text);
	if (isnan(error))
		doc_figure(doc, MARK_NONE, "-", "");
	else
		doc_number(doc, MARK_NONE, text, error);
}

static int print_text(struct batch *batch, const struct findings *f, const char *path,
		      const struct ss_load *load, const cJSON *bench, const cJSON *result)
{
	static const struct column columns[] = {
		{ "metric", "metric", false },
		{ "measured", "measured", true },
		{ "predicted", "predicted", true },
		{ "error", "error", true },
	};
	struct doc *doc = doc_new();
	char text[256];

	section_scenario(doc, f);
	doc_section(doc, "result");
	doc_heading(doc, "Score");
	(void)ss_load_describe(load, text, sizeof(text));
	doc_line(doc, MARK_NONE, "%s against %s played", path, text);
	doc_table(doc, columns, sizeof(columns) / sizeof(columns[0]), true);
	for (const cJSON *m = next_metric(bench->child, result); m;
	     m = next_metric(m->next, result)) {
		doc_cell(doc, MARK_NONE, m->string);
		doc_number(doc, MARK_NONE, number_fixed(number_of(result, m->string), 2).text,
			   number_of(result, m->string));
		doc_number(doc, MARK_NONE, number_fixed(predicted(m), 2).text, predicted(m));
		put_error(doc, error_of(m, result));
	}
	section_warnings(doc, f);
	return batch_print(batch, doc);
}

/* -- the command ----------------------------------------------------------------------------------
 */

/** The load played to its end, as the keys of a saved result have it. */
static enum ss_status play(cJSON **bench, struct serving *serving, const struct batch *batch,
			   struct ss_error *err)
{
	struct progress progress;
	struct serving_run run;
	enum ss_status rc = serving_start(&run, serving, NULL, SS_SERVE_FIGURE, false, err);

	progress_start(&progress, batch);
	progress.what = "requests served";
	while (!rc && ss_serve_run(run.serve, SLICE))
		progress_show(&progress, ss_serve_progress(run.serve));
	progress_end(&progress);
	if (!rc) {
		struct served served = { .serving = serving, .run = &run, .load = &serving->load };
		struct served_report report = { .served = &served };

		rc = ss_serve_result(run.serve, &served.result);
		if (!rc)
			*bench = json_served_bench(&report);
	}
	serving_run_release(&run);
	return rc;
}

static int score_session(struct batch *batch, struct session *session, const char *path,
			 const cJSON *result, double limit)
{
	struct serving_request request = serving_of_session(session);
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	struct serving serving;
	struct findings f = { 0 };
	cJSON *bench = NULL;
	enum ss_status rc = serving_open(&serving, &request, NULL, &problems, &err);
	int status = EXIT_PRICED;

	if (!rc)
		rc = play(&bench, &serving, batch, &err);
	if (rc)
		status = batch_fail(batch, rc, &problems, &err);
	if (!status)
		status = batch_findings(batch, &f, session);
	if (!status)
		status = batch_is_json(batch)
				 ? print_json(batch, &f, path, bench, result)
				 : print_text(batch, &f, path, &serving.load, bench, result);
	if (!status && median_error(bench, result) > limit) {
		say("the median error, %.1f %%, is above %.4g %%",
		    median_error(bench, result) * 100, limit * 100);
		status = EXIT_REFUSED;
	}
	findings_release(&f);
	cJSON_Delete(bench);
	serving_release(&serving);
	ss_problems_release(&problems);
	return status;
}

int score_result(struct batch *batch, const char *path, double limit)
{
	struct session session = { 0 };
	struct ss_error err = { 0 };
	size_t length = 0;
	char *text = source_read(path, &length, &err);
	cJSON *result = text ? cJSON_ParseWithLength(text, length) : NULL;
	int status = EXIT_PRICED;
	enum ss_status rc = text ? SS_OK : err.status;

	if (!rc && !cJSON_IsObject(result))
		rc = ss_fail(&err, SS_EDOCUMENT, "", "is no JSON object");
	if (!rc)
		rc = set_load(batch->arguments, result, &err);
	if (rc) {
		if (!*err.where)
			(void)snprintf(err.where, sizeof(err.where), "%s", path);
		status = batch_fail(batch, rc, NULL, &err);
	}
	if (!status)
		status = batch_open(batch, &session,
				    batch->arguments->name_count > 1 ? batch->arguments->names[1]
								     : NULL);
	if (!status)
		status = score_session(batch, &session, path, result, limit);
	session_release(&session);
	cJSON_Delete(result);
	free(text);
	return status;
}
