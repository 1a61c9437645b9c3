/* What fits: the verdict, and how far settings go. */
#include <math.h>
#include <stdlib.h>

#include "app/limits.h"
#include "app/number.h"
#include "app/words.h"
#include "batch/json_price.h"
#include "batch/run.h"
#include "batch/sections.h"

/** Length asked about when none is stated: a request of the batch, at its longest. */
static int64_t usual_length(const struct session *session)
{
	int64_t length = 1;

	for (size_t i = 0; i < session->group_count; i++)
		if (session->groups[i].computed + session->groups[i].scheduled > length)
			length = session->groups[i].computed + session->groups[i].scheduled;
	return length;
}

static void put_limit(cJSON *o, const char *key, int64_t limit)
{
	if (limit)
		json_put_count(o, key, limit);
	else
		json_put_null(o, key);
}

static int print_json(struct batch *batch, const struct findings *f, const struct limits *limits,
		      int64_t length)
{
	cJSON *root = json_object();
	cJSON *o = json_object();

	json_put_count(root, "format", 1);
	json_put(root, "scenario", json_scenario(f));
	json_put(root, "warnings", json_warnings(f));
	json_put(root, "fit", json_fit(f));
	json_put_count(root, "length", length);
	json_put_count(root, "requests", limits->requests);
	put_limit(o, "max_model_len", limits->max_model_len);
	put_limit(o, "max_num_seqs", limits->max_num_seqs);
	put_limit(o, "tensor_parallel", limits->tensor_parallel);
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

static int print_text(struct batch *batch, const struct findings *f, const struct limits *limits,
		      int64_t length)
{
	static const struct column columns[] = {
		{ "", "limit", false },
		{ "now", "now", true },
		{ "that fits", "fits", true },
	};
	const struct ss_resolution *r = ss_kernel_resolution(f->kernel);
	struct doc *doc = doc_new();

	section_scenario(doc, f);
	section_fit(doc, f);
	doc_heading(doc, "Limits");
	doc_line(doc, MARK_NONE, "%s requests of %s tokens fit at once.",
		 number_count(limits->requests).text, number_count(length).text);
	doc_table(doc, columns, 3, true);
	put_row(doc, "largest max_model_len", "max_model_len", r->max_model_len,
		limits->max_model_len);
	put_row(doc, "largest max_num_seqs", "max_num_seqs", r->max_num_seqs, limits->max_num_seqs);
	put_row(doc, "smallest tp", "tensor_parallel", r->tensor_parallel, limits->tensor_parallel);
	return batch_print(batch, doc);
}

int run_fit(struct batch *batch)
{
	const char *stated = arguments_value(batch->arguments, OPT_LENGTH);
	struct session session = { 0 };
	struct findings f = { 0 };
	struct limits limits = { 0 };
	struct ss_error err = { 0 };
	int64_t length = 0;
	enum ss_status rc;
	int status;

	if (stated && (number_parse_whole(&length, stated) || length < 1)) {
		(void)ss_fail(&err, SS_EUSAGE, "length", "must be a number of tokens, got %s", stated);
		return batch_bad_usage(batch->arguments, &err);
	}
	status = batch_open(batch, &session, batch_scenario(batch));
	if (status)
		return status;
	length = stated ? length : usual_length(&session);
	status = batch_findings(batch, &f, &session);
	if (!status) {
		rc = limits_find(&limits, &session, length);
		if (rc)
			status = batch_fail(batch, rc, NULL, &err);
		else
			status = batch_is_json(batch) ? print_json(batch, &f, &limits, length) :
							print_text(batch, &f, &limits, length);
	}
	if (!status && !f.fit.fits)
		status = EXIT_REFUSED;
	findings_release(&f);
	session_release(&session);
	return status;
}
