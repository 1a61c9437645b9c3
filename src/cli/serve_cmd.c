/*
 * Serving a load: it is played in slices, so that progress shows and Ctrl-C leaves what
 * is known so far; then again at either end of the band.
 */
#include <stdio.h>
#include <string.h>

#include "case/serving.h"
#include "cli/only.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/serve_files.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "report/served.h"
#include "text/number.h"

enum { SLICE = 2000 };

/* -- playing -------------------------------------------------------------------------------- */

/** What a command serves and what it found. */
struct job {
	struct batch *batch;
	struct session session;
	struct findings f;
	struct serving serving;
	struct serving_run run;
	struct serving_search search;
	struct ss_load load; /* that is played in the end */
	struct served served;
	struct progress progress;
	bool has_search;
};

static bool play(struct job *job, struct serving_run *run, const char *what)
{
	job->progress.what = what;
	while (!progress_is_stopped() && ss_serve_run(run->serve, SLICE))
		progress_show(&job->progress, ss_serve_progress(run->serve));
	return !progress_is_stopped();
}

/** The same load at one end of the band. */
static enum ss_status play_side(struct job *job, enum ss_serve_side side,
				struct ss_serve_result *out, struct ss_error *err)
{
	struct serving_run run;
	enum ss_status rc = serving_start(&run, &job->serving, &job->load, side, false, err);

	if (!rc) {
		if (play(job, &run,
			 side == SS_SERVE_FAST ? "low end of the band" : "high end of the band"))
			rc = ss_serve_result(run.serve, out);
		else
			job->served.has_band = false;
	}
	serving_run_release(&run);
	return rc;
}

static enum ss_status play_band(struct job *job, struct ss_error *err)
{
	enum ss_status rc;

	job->served.has_band = true;
	rc = play_side(job, SS_SERVE_FAST, &job->served.fast, err);
	if (!rc && job->served.has_band)
		rc = play_side(job, SS_SERVE_SLOW, &job->served.slow, err);
	return rc;
}

static enum ss_status play_load(struct job *job, struct ss_error *err)
{
	bool has_timeline = arguments_has(job->batch->arguments, OPT_TIMELINE);
	enum ss_status rc =
		serving_start(&job->run, &job->serving, &job->load, SS_SERVE_FIGURE, true, err);
	bool is_whole;

	if (!rc && has_timeline)
		rc = ss_serve_keep_timeline(job->run.serve, TIMELINE_POINTS);
	if (rc)
		return rc;
	is_whole = play(job, &job->run, "requests served");
	if (ss_serve_is_incomplete(job->run.serve))
		return SS_ENOMEM;
	rc = served_gather(&job->served, &job->serving, &job->run, &job->load);
	job->served.is_partial = !is_whole;
	return rc || !is_whole ? rc : play_band(job, err);
}

/** The largest load that meets the service level becomes the one played. */
static enum ss_status find_load(struct job *job, const char *what, struct ss_error *err)
{
	struct serving_search *search = &job->search;
	enum ss_status rc = SS_OK;

	if (!job->serving.has_slo)
		return ss_fail(err, SS_EUSAGE, "find", "wants --slo, as ttft=500ms,tpot=30ms");
	job->has_search = true;
	job->progress.what = "searching";
	serving_search_init(search, &job->serving,
			    strcmp(what, "rate") ? SERVING_FIND_CONCURRENCY : SERVING_FIND_RATE,
			    SS_SERVE_FIGURE);
	while (!rc && !search->is_done && !progress_is_stopped()) {
		rc = serving_search_run(search, SLICE, err);
		progress_show(&job->progress, search->probes / (search->probes + 6.0));
	}
	if (search->is_found)
		job->load = search->best_load;
	return rc;
}

/* -- printing ---------------------------------------------------------------------------------- */

static const char section_names[] =
#define X(name) #name ","
	SERVED_LIST(X)
#undef X
	;

static int print_job(struct job *job)
{
	bool is_whole = !arguments_has(job->batch->arguments, OPT_ONLY);
	struct served_report report = { &job->f, &job->served,
					job->has_search ? &job->search : NULL };
	struct doc *doc;

	if (batch_is_json(job->batch)) {
		cJSON *root = json_object();

		json_put_count(root, "format", 1);
		json_put(root, "scenario", json_scenario(&job->f));
		json_put(root, "engine", json_engine(&job->f));
		json_put(root, "warnings", json_warnings(&job->f));
#define X(name)                            \
	if (only_wants(job->batch, #name)) \
		json_put(root, #name, json_served_##name(&report));
		SERVED_LIST(X)
#undef X
		return batch_print_json(job->batch, root);
	}
	doc = doc_new();
	if (is_whole)
		section_scenario(doc, &job->f);
#define X(name)                              \
	if (only_wants(job->batch, #name)) { \
		doc_section(doc, #name);     \
		served_##name(doc, &report); \
	}
	SERVED_LIST(X)
#undef X
	if (is_whole)
		section_warnings(doc, &job->f);
	return batch_print(job->batch, doc);
}

static int serve(struct job *job)
{
	const char *find = arguments_value(job->batch->arguments, OPT_FIND);
	struct serving_request request = serving_of_session(&job->session);
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc = serving_open(&job->serving, &request, NULL, &problems, &err);
	int status;

	job->load = job->serving.load;
	if (!rc && find)
		rc = find_load(job, find, &err);
	if (!rc)
		rc = play_load(job, &err);
	progress_end(&job->progress);
	status = rc ? batch_fail(job->batch, rc, &problems, &err) : print_job(job);
	ss_problems_release(&problems);
	if (!status)
		status = serve_files_write(job->batch, job->run.serve);
	if (!status && progress_is_stopped())
		status = EXIT_INTERRUPTED;
	if (!status && job->has_search && !job->search.is_found)
		status = EXIT_REFUSED;
	return status;
}

int run_serve(struct batch *batch)
{
	struct job job = { .batch = batch };
	int status = only_check(batch, section_names);

	if (!status)
		status = serve_files_check(batch);
	if (!status)
		status = batch_open(batch, &job.session, batch_scenario(batch));
	if (status)
		return status;
	progress_start(&job.progress, batch);
	progress_catch();
	status = batch_findings(batch, &job.f, &job.session);
	if (!status)
		status = serve(&job);
	if (!status && !job.f.fit.fits && arguments_has(batch->arguments, OPT_REQUIRE_FIT))
		status = EXIT_REFUSED;
	serving_search_release(&job.search);
	serving_run_release(&job.run);
	serving_release(&job.serving);
	findings_release(&job.f);
	session_release(&job.session);
	return status;
}
