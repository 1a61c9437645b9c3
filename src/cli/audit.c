/* The audit, and a review checked against what is assumed now. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "case/review.h"
#include "cli/run.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "text/shown.h"

/* The scenario a review is of: the one named, else the file it lies beside, else by its name. */
static char *scenario_of(const struct batch *batch, const char *path,
			 const struct ss_review *review)
{
	const char *named = batch_scenario(batch);
	struct stat info;
	char *beside;

	if (named || batch->arguments->request.adhoc.model)
		return named ? xstrdup(named) : NULL;
	beside = review_scenario_path(path);
	if (!stat(beside, &info))
		return beside;
	free(beside);
	return xstrdup(review->scenario);
}

static int print_check(struct batch *batch, const struct findings *f)
{
	struct doc *doc;
	cJSON *root;

	if (batch_is_json(batch)) {
		root = json_object();
		json_put_count(root, "format", 1);
		json_put(root, "engine", json_engine(f));
		json_put(root, "scenario", json_scenario(f));
		json_put(root, "review", json_review(f));
		return batch_print_json(batch, root);
	}
	doc = doc_new();
	section_review(doc, f);
	return batch_print(batch, doc);
}

static int check_case(struct batch *batch, struct session *session, const struct ss_review *review)
{
	struct review_count n;
	struct findings f = { 0 };
	int status;

	session->review = review;
	status = batch_findings(batch, &f, session);
	if (!status)
		status = print_check(batch, &f);
	n = review_count(review, session->kernel, session->figure);
	if (!status && (n.open || n.changed)) {
		say("of %zu assumed entries %zu are open and %zu have changed since they were "
		    "accepted",
		    n.assumed, n.open, n.changed);
		status = EXIT_REFUSED;
	}
	findings_release(&f);
	return status;
}

static int check(struct batch *batch, const char *path)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	struct ss_review *review = ss_review_load(path, &problems);
	struct session session = { 0 };
	char *name = NULL;
	int status;

	if (!review) {
		status = batch_fail(batch, SS_EDOCUMENT, &problems, &err);
		ss_problems_release(&problems);
		return status;
	}
	name = scenario_of(batch, path, review);
	status = batch_open(batch, &session, name);
	if (!status) {
		status = check_case(batch, &session, review);
		session_release(&session);
	}
	free(name);
	ss_review_free(review);
	ss_problems_release(&problems);
	return status;
}

int run_audit(struct batch *batch)
{
	const char *path = arguments_value(batch->arguments, OPT_CHECK_REVIEW);

	if (path)
		return check(batch, path);
	if (!arguments_has(batch->arguments, OPT_FORMAT) && !batch_is_json(batch))
		batch->arguments->format = FORMAT_MARKDOWN;
	return run_report(batch);
}
