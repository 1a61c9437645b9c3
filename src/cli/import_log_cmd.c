/* `import` of a start-up log: its scenario, and its figures beside ours. */
#include <stdlib.h>
#include <string.h>

#include "cli/import_job.h"
#include "import/import_scenario.h"
#include "cli/log_table.h"

static const struct column figure_columns[] = {
	{ "figure", "figure", false },   { "line", "line", true },
	{ "rank", "rank", false },       { "logged", "logged", true },
	{ "ours", "ours", true },        { "difference", "difference", true },
	{ "comes from", "term", false },
};

static cJSON *row_json(const struct log_row *row)
{
	cJSON *o = json_object();

	json_put_text(o, "figure", log_label(row->id));
	json_put_text_or_null(o, "unit", log_unit(row->id));
	json_put_text_or_null(o, "rank", row->rank);
	json_put_text_or_null(o, "term", row->term);
	if (row->line)
		json_put_count(o, "line", (int64_t)row->line);
	else
		json_put_null(o, "line");
	if (!row->has_numbers) {
		json_put_text_or_null(o, "logged", row->line ? row->logged : "");
		json_put_text_or_null(o, "ours", row->ours);
		json_put_null(o, "difference");
		return o;
	}
	json_put_number(o, "logged", row->logged_value);
	if (*row->ours) {
		json_put_number(o, "ours", row->ours_value);
		json_put_number(o, "difference", row->difference_value);
	} else {
		json_put_null(o, "ours");
		json_put_null(o, "difference");
	}
	return o;
}

static void print_figures(struct import_job *job, const struct serve_log *log,
			  const struct ss_kernel *kernel)
{
	struct log_row *rows = xcalloc(LOG_ROWS_MAX, sizeof(*rows));
	size_t count = log_compare(rows, log, kernel), remark_count;
	char remarks[LOG_REMARKS_MAX][LOG_REMARK_SIZE];

	doc_heading(job->doc, "The log and ours");
	doc_table(job->doc, figure_columns, 7, true);
	for (size_t i = 0; i < count; i++) {
		const struct log_row *row = &rows[i];
		enum mark mark = row->differs ? MARK_DIFFERS : MARK_NONE;

		doc_cell(job->doc, mark, log_label(row->id));
		if (row->line)
			doc_count(job->doc, MARK_DIM, (long long)row->line);
		else
			doc_cell(job->doc, MARK_DIM, "");
		doc_cell(job->doc, MARK_DIM, row->rank);
		doc_cell(job->doc, row->line ? MARK_NONE : MARK_DIM, row->logged);
		doc_cell(job->doc, MARK_NONE, row->ours);
		doc_cell(job->doc, mark, row->difference);
		doc_cell(job->doc, MARK_DIM, row->term);
		json_put(job->figures, NULL, row_json(row));
	}
	free(rows);
	remark_count = log_remarks(remarks, log, kernel);
	for (size_t i = 0; i < remark_count; i++) {
		doc_line(job->doc, MARK_DIFFERS, "%s", remarks[i]);
		json_put(job->differences, NULL, cJSON_CreateString(remarks[i]));
	}
}

static enum ss_status make_scenario(struct import_job *job, const struct serve_log *log,
				    const struct source *source, struct ss_scenario **out)
{
	struct vllm_import_options options;
	struct import_rows rows = { 0 };
	enum ss_status rc = job_options(job, &options, source->path);

	if (!rc)
		rc = log_scenario(out, &rows, log, &options, &job->problems, &job->err);
	job_list_flags(job, &rows);
	import_rows_release(&rows);
	job_options_release(&options);
	return rc;
}

/** Ours for the same deployment; a refusal leaves the column empty and is said. */
static struct ss_kernel *open_kernel(struct import_job *job, const struct ss_scenario *scenario,
				     struct ss_basis **basis)
{
	struct ss_kernel *kernel = NULL;
	struct ss_problems problems = { 0 };

	if (ss_basis_open(basis, job->session.registry, scenario, NULL, 0, &problems) ||
	    ss_kernel_new(&kernel, *basis, scenario, 0, SS_CORRECTIONS_DEFAULT, &problems)) {
		batch_say_problems(&problems, SS_ERROR);
		batch_say_problems(&problems, SS_REFUSAL);
		doc_line(job->doc, MARK_REFUSED,
			 "this deployment is refused here, so nothing of ours "
			 "stands beside the log");
		kernel = NULL;
	}
	ss_problems_release(&problems);
	return kernel;
}

enum ss_status job_log(struct import_job *job, const struct source *source)
{
	struct serve_log log;
	struct ss_scenario *scenario = NULL;
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;
	struct ss_error err = { 0 };
	enum ss_status rc = serve_log_parse(&log, source->text, source->length, &err);

	if (rc) {
		if (rc == SS_EDOCUMENT)
			(void)ss_problems_add(&job->problems, SS_ERROR, "syntax", source->path,
					      err.where, "%s", err.message);
		job->err = err;
		return rc;
	}
	if (!log.count && !log.arguments) {
		serve_log_release(&log);
		return ss_fail(&job->err, SS_EDOCUMENT, source->path,
			       "no figure of a start-up in the log's %zu lines", log.line_count);
	}
	rc = make_scenario(job, &log, source, &scenario);
	if (!rc)
		rc = job_keep_scenario(job, scenario);
	if (!rc)
		kernel = open_kernel(job, scenario, &basis);
	print_figures(job, &log, kernel);
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_scenario_free(scenario);
	serve_log_release(&log);
	return rc;
}
