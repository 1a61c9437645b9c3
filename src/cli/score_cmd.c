/* Scoring: published runs priced, and how far off that is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/only.h"
#include "cli/run.h"
#include "report/scored.h"
#include "text/shown.h"
#include "text/words.h"

static const char section_names[] =
#define X(name) #name ","
	SCORED_LIST(X)
#undef X
	;

/** Percent, as errors are printed: `5.8`, `5.8%`. */
static enum ss_status read_limit(const struct arguments *a, double *out, struct ss_error *err)
{
	const char *text = arguments_value(a, OPT_MAX_MEDIAN);

	*out = INFINITY;
	if (!text)
		return SS_OK;
	if (number_parse_unit(out, text, "%") || !(*out >= 0))
		return ss_fail(err, SS_EUSAGE, "max-median",
			       "must be percent, a number from 0, got %s", text);
	return SS_OK;
}

/** The figures asked for; without one, Kernels with Serial beside it. */
static void choose_figures(struct scored_report *r, const struct arguments *a)
{
	static const enum ss_figure usual[] = { SS_FIGURE_KERNELS, SS_FIGURE_SERIAL };
	enum ss_figure asked = a->request.figure;

	if (arguments_has(a, OPT_FIGURE) && asked != SS_FIGURE_LEAD)
		r->figures[r->figure_count++] = asked;
	else
		for (size_t i = 0; i < 2; i++)
			if (score_has(r->score, usual[i]))
				r->figures[r->figure_count++] = usual[i];
	if (!r->figure_count)
		r->figures[r->figure_count++] = SS_FIGURE_SERIAL;
	scored_columns(r);
}

/* -- printing -------------------------------------------------------------------------- */

/**
 * What is printed where nothing is chosen: of CSV, which holds one table, the runs; a
 * person is spared them, and a picture is for text alone.
 */
static bool wants(const struct batch *batch, const char *name)
{
	enum output_format format = batch->arguments->format;

	if (arguments_has(batch->arguments, OPT_ONLY))
		return only_wants(batch, name);
	if (format == FORMAT_CSV && !batch_goes_to_folder(batch))
		return !strcmp(name, "runs");
	if (format == FORMAT_TEXT)
		return strcmp(name, "runs") != 0;
	return format == FORMAT_CSV || (strcmp(name, "runs") && strcmp(name, "plot"));
}

static int print_json(struct batch *batch, const struct scored_report *r)
{
	cJSON *root = json_object(), *o = json_object();

	json_put_count(root, "format", 1);
#define X(name)                       \
	if (only_wants(batch, #name)) \
		json_put(o, #name, json_scored_##name(r));
	SCORED_DATA(X)
#undef X
	json_put(root, "score", o);
	return batch_print_json(batch, root);
}

static int print_text(struct batch *batch, const struct scored_report *r)
{
	struct doc *doc = doc_new();

#define X(name)                          \
	if (wants(batch, #name)) {       \
		doc_section(doc, #name); \
		scored_##name(doc, r);   \
	}
	SCORED_LIST(X)
#undef X
	return batch_print(batch, doc);
}

/* -- the command ------------------------------------------------------------------------- */

static void say_faults(const struct score *score)
{
	for (size_t i = 0; i < score->runs.count; i++)
		if (*score->runs.items[i].fault)
			say("%s: line %zu: %s", score->file, score->runs.items[i].line,
			    score->runs.items[i].fault);
}

static void say_unknown(const struct batch *batch, const struct score *score)
{
	struct xbuf names = { 0 };

	for (size_t i = 0; i < score->runs.unknown_count; i++)
		xbuf_printf(&names, "%s%s", i ? ", " : "", score->runs.unknown[i]);
	if (names.len && !batch->arguments->is_quiet)
		say("%s: columns that are not read: %s", score->file, xbuf_text(&names));
	xbuf_release(&names);
}

/** Over the limit, or rows that cannot be read: said after what could be. */
static int judge(const struct scored_report *r, double limit)
{
	struct score_stat stat;

	score_stat(&stat, r->score, r->figures[0], NULL, NULL);
	if (stat.rows && stat.median > limit) {
		say("the median error of %s, %.1f %%, is above %.4g %%",
		    ss_figure_name(r->figures[0]), stat.median * 100, limit * 100);
		return EXIT_REFUSED;
	}
	if (!stat.rows)
		say("no run could be scored");
	return !stat.rows || r->score->runs.fault_count ? EXIT_REFUSED : EXIT_PRICED;
}

static int score_file(struct batch *batch, struct score *score, double limit)
{
	struct scored_report report = { .score = score };
	struct ss_error err = { 0 };
	enum ss_status rc = SS_OK;
	int status;

	say_unknown(batch, score);
	say_faults(score);
	for (size_t i = 0; i < score->runs.count && !rc; i++)
		rc = score_price(score, i);
	if (rc)
		return batch_fail(batch, rc, NULL, &err);
	choose_figures(&report, batch->arguments);
	status = batch_is_json(batch) ? print_json(batch, &report) : print_text(batch, &report);
	return status ? status : judge(&report, limit);
}

/** The file named, else the runs that come with the registry. */
static char *find_file(const struct batch *batch, const struct ss_registry *registry,
		       struct ss_error *err)
{
	char *shipped = batch->arguments->name_count ? xstrdup(batch->arguments->names[0])
						     : score_shipped(registry);

	if (!shipped)
		(void)ss_fail(err, SS_EUSAGE, "score", "wants a FILE of runs: no registry holds %s",
			      SCORE_SHIPPED);
	return shipped;
}

int run_score(struct batch *batch)
{
	const struct session_request *request = &batch->arguments->request;
	struct ss_problems problems = { 0 };
	struct session session = { 0 };
	struct score score = { 0 };
	struct ss_error err = { 0 };
	double limit;
	char *file = NULL;
	int status = only_check(batch, section_names);
	enum ss_status rc;

	if (status)
		return status;
	rc = read_limit(batch->arguments, &limit, &err);
	if (!rc)
		rc = session_open_registry(&session, request->registry, &err);
	if (!rc)
		file = find_file(batch, session.registry, &err);
	if (!rc && !file)
		rc = SS_EUSAGE;
	if (!rc)
		rc = score_open(&score, session.registry, request, file, &problems);
	status = rc ? batch_fail(batch, rc, &problems, &err) : score_file(batch, &score, limit);
	score_release(&score);
	session_release(&session);
	ss_problems_release(&problems);
	free(file);
	return status;
}
