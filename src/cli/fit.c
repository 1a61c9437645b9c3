/* What fits: the verdict, and how far settings go. */
#include <math.h>
#include <stdlib.h>

#include "text/number.h"
#include "text/words.h"
#include "report/json_price.h"
#include "case/serving.h"
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
	struct serving serving; /* with a promise: the most of its load that keeps it */
	double carries[2];      /* by enum serving_find */
	bool has_carried, is_carried[2];
};

/** Play the load until the most that keeps the promise is found, of either kind. */
static enum ss_status find_load(struct answer *answer, const struct session *session,
				struct ss_problems *problems, struct ss_error *err)
{
	struct serving_request request = serving_of_session(session);
	enum ss_status rc = serving_open(&answer->serving, &request, NULL, problems, err);

	answer->has_carried = !rc && answer->serving.has_slo;
	for (int what = 0; what < 2 && !rc && answer->has_carried; what++) {
		struct serving_search search;

		serving_search_init(&search, &answer->serving, (enum serving_find)what,
				    SS_SERVE_FIGURE);
		while (!rc && !search.is_done)
			rc = serving_search_run(&search, 100000, err);
		answer->is_carried[what] = search.is_found;
		answer->carries[what] = search.low;
		serving_search_release(&search);
	}
	return rc;
}

static cJSON *carries_json(const struct answer *answer)
{
	const bool *is_carried = answer->is_carried;
	cJSON *o;
	char slo[200];

	if (!answer->has_carried)
		return cJSON_CreateNull();
	o = json_object();
	(void)ss_slo_format(&answer->serving.slo, slo, sizeof(slo));
	json_put_text(o, "slo", slo);
	json_put_number(o, "rate",
			is_carried[SERVING_FIND_RATE] ? answer->carries[SERVING_FIND_RATE] : NAN);
	json_put_number(o, "concurrency",
			is_carried[SERVING_FIND_CONCURRENCY]
				? answer->carries[SERVING_FIND_CONCURRENCY]
				: NAN);
	return o;
}

static void put_carries(struct doc *doc, const struct answer *answer)
{
	char text[200], slo[200];

	if (!answer->has_carried)
		return;
	doc_section(doc, "carries");
	doc_heading(doc, "The load it carries");
	(void)ss_slo_format(&answer->serving.slo, slo, sizeof(slo));
	(void)ss_load_describe(&answer->serving.load, text, sizeof(text));
	doc_line(doc, MARK_NONE, "load: %s; promised: %s", text, slo);
	if (answer->is_carried[SERVING_FIND_RATE])
		doc_line(doc, MARK_STRONG, "kept to %s requests/s",
			 number_fixed(answer->carries[SERVING_FIND_RATE], 3).text);
	else
		doc_line(doc, MARK_REFUSED, "kept at no rate");
	if (answer->is_carried[SERVING_FIND_CONCURRENCY])
		doc_line(doc, MARK_STRONG, "kept to %s at once",
			 number_count(answer->carries[SERVING_FIND_CONCURRENCY]).text);
	else
		doc_line(doc, MARK_REFUSED, "not kept even for one at a time");
}

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
	if (only_wants(batch, "carries"))
		json_put(root, "carries", carries_json(answer));
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
	if (only_wants(batch, "carries"))
		put_carries(doc, answer);
	return batch_print(batch, doc);
}

int run_fit(struct batch *batch)
{
	const char *stated = arguments_value(batch->arguments, OPT_LENGTH);
	struct session session = { 0 };
	struct findings f = { 0 };
	struct answer answer = { 0 };
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc;
	int status = only_check(batch, "fit,limits,carries,");

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
		if (!rc && f.fit.fits)
			rc = find_load(&answer, &session, &problems, &err);
		if (rc)
			status = batch_fail(batch, rc, &problems, &err);
		else
			status = batch_is_json(batch) ? print_json(batch, &f, &answer)
						      : print_text(batch, &f, &answer);
	}
	if (!status && !f.fit.fits)
		status = EXIT_REFUSED;
	serving_release(&answer.serving);
	ss_problems_release(&problems);
	findings_release(&f);
	session_release(&session);
	return status;
}
