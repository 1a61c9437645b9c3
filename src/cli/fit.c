/* What fits: the verdict, and how far settings go. */
#include <math.h>
#include <stdlib.h>

#include "text/number.h"
#include "text/words.h"
#include "report/json_price.h"
#include "cli/only.h"
#include "cli/run.h"
#include "report/sections.h"

/** Length asked about when none is stated: a request of the batch, at its longest. */
static int64_t usual_length(const struct session *session)
{
	int64_t length = 1;

	for (size_t i = 0; i < session->group_count; i++)
		if (session->groups[i].computed + session->groups[i].scheduled > length)
			length = session->groups[i].computed + session->groups[i].scheduled;
	return length;
}

/** Requests asked about: the batch's own. */
static int64_t usual_requests(const struct session *session)
{
	int64_t requests = 0;

	for (size_t i = 0; i < session->group_count; i++)
		requests += session->groups[i].count;
	return requests ? requests : 1;
}

/** What was asked about and what was found. */
struct answer {
	int64_t length, wanted, requests;
	struct ss_fit_limits limits;
};

static void put_limit(cJSON *o, const char *key, int64_t limit)
{
	if (limit)
		json_put_count(o, key, limit);
	else
		json_put_null(o, key);
}

static int print_json(struct batch *batch, const struct findings *f, const struct answer *answer)
{
	const struct ss_fit_limits *limits = &answer->limits;
	cJSON *root = json_object(), *o;

	json_put_count(root, "format", 1);
	json_put(root, "engine", json_engine(f));
	json_put(root, "scenario", json_scenario(f));
	json_put(root, "warnings", json_warnings(f));
	if (only_wants(batch, "fit"))
		json_put(root, "fit", json_fit(f));
	if (!only_wants(batch, "limits"))
		return batch_print_json(batch, root);
	o = json_object();
	json_put_count(root, "length", answer->length);
	json_put_count(root, "requests", answer->requests);
	json_put_count(o, "requests", answer->wanted);
	put_limit(o, "max_model_len", limits->max_model_len);
	put_limit(o, "max_num_seqs", limits->max_num_seqs);
	put_limit(o, "tensor_parallel", limits->tp);
	json_put_number(o, "gpu_memory_utilization",
			limits->gpu_memory_utilization > 0 ? limits->gpu_memory_utilization : NAN);
	json_put(root, "limits", o);
	return batch_print_json(batch, root);
}

static void put_row(struct doc *doc, const char *what, const char *key, int64_t now, int64_t limit)
{
	doc_figure(doc, MARK_NONE, what, key);
	if (now)
		doc_count(doc, MARK_NONE, now);
	else
		doc_figure(doc, MARK_NONE, "unbounded", "");
	if (limit)
		doc_count(doc, MARK_NONE, limit);
	else
		doc_figure(doc, MARK_REFUSED, "none", "");
}

static void put_limits(struct doc *doc, const struct findings *f, const struct answer *answer)
{
	static const struct column columns[] = {
		{ "", "limit", false },
		{ "now", "now", true },
		{ "would do", "fits", true },
	};
	const struct ss_fit_limits *limits = &answer->limits;
	const struct ss_resolution *r = ss_kernel_resolution(f->kernel);

	doc_section(doc, "limits");
	doc_heading(doc, "How far it goes");
	doc_line(doc, MARK_NONE,
		 "%s requests of %s tokens fit at once. For %s of them, one setting "
		 "changed at a time:",
		 number_count((double)answer->requests).text,
		 number_count((double)answer->length).text,
		 number_count((double)answer->wanted).text);
	doc_table(doc, columns, 3, true);
	put_row(doc, "longest request of which as many fit", "max_model_len", r->max_model_len,
		limits->max_model_len);
	put_row(doc, "most requests of that length", "max_num_seqs", r->max_num_seqs,
		limits->max_num_seqs);
	put_row(doc, "smallest tp", "tensor_parallel", r->tensor_parallel, limits->tp);
	doc_figure(doc, MARK_NONE, "smallest gpu_memory_utilization", "gpu_memory_utilization");
	doc_number(doc, MARK_NONE, number_fixed(r->gpu_memory_utilization, 2).text,
		   r->gpu_memory_utilization);
	if (limits->gpu_memory_utilization > 0)
		doc_number(doc, MARK_NONE, number_fixed(limits->gpu_memory_utilization, 2).text,
			   limits->gpu_memory_utilization);
	else
		doc_figure(doc, MARK_REFUSED, "none", "");
}

static int print_text(struct batch *batch, const struct findings *f, const struct answer *answer)
{
	struct doc *doc = doc_new();

	if (!arguments_has(batch->arguments, OPT_ONLY))
		section_scenario(doc, f);
	if (only_wants(batch, "fit")) {
		doc_section(doc, "fit");
		section_fit(doc, f);
	}
	if (only_wants(batch, "limits"))
		put_limits(doc, f, answer);
	return batch_print(batch, doc);
}

int run_fit(struct batch *batch)
{
	const char *stated = arguments_value(batch->arguments, OPT_LENGTH);
	struct session session = { 0 };
	struct findings f = { 0 };
	struct answer answer = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc;
	int status = only_check(batch, "fit,limits,");

	if (status)
		return status;
	if (stated && (number_parse_whole(&answer.length, stated) || answer.length < 1)) {
		(void)ss_fail(&err, SS_EUSAGE, "length", "must be a number of tokens, got %s",
			      stated);
		return batch_bad_usage(batch->arguments, &err);
	}
	status = batch_open(batch, &session, batch_scenario(batch));
	if (status)
		return status;
	if (!stated)
		answer.length = usual_length(&session);
	answer.wanted = usual_requests(&session);
	answer.requests = ss_kernel_requests_that_fit(session.kernel, answer.length);
	status = batch_findings(batch, &f, &session);
	if (!status) {
		rc = ss_fit_limits_find(&answer.limits, session.kernel, session.scenario,
					session.pool, answer.wanted, answer.length);
		if (rc)
			status = batch_fail(batch, rc, NULL, &err);
		else
			status = batch_is_json(batch) ? print_json(batch, &f, &answer)
						      : print_text(batch, &f, &answer);
	}
	if (!status && !f.fit.fits)
		status = EXIT_REFUSED;
	findings_release(&f);
	session_release(&session);
	return status;
}
