/* Scoring: published runs priced, and how far off that is. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/only.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/score_result.h"
#include "report/scored.h"
#include "text/shown.h"
#include "text/words.h"

static const char section_names[] =
#define X(name) #name ","
	SCORED_LIST(X)
#undef X
		"result,";

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

/** The figure that loads are played by. */
static enum ss_figure figure_of(const struct arguments *a)
{
	return a->request.figure == SS_FIGURE_LEAD || !arguments_has(a, OPT_FIGURE)
		       ? SS_FIGURE_KERNELS
		       : a->request.figure;
}

static void add_view(struct scored_report *r, enum score_view view)
{
	if (score_has(r->score, view))
		r->views[r->view_count++] = view;
}

/** The closed form by the figure asked for, else by Kernels and by Serial beside it; played. */
static void choose_views(struct scored_report *r, const struct arguments *a)
{
	enum score_view closed = score_view_of(figure_of(a));

	add_view(r, SCORE_SERVE_TPOT);
	add_view(r, closed);
	if (a->has_other_figure)
		add_view(r, score_view_of(a->other_figure));
	else if (!r->score->is_played && !arguments_has(a, OPT_FIGURE))
		add_view(r, SCORE_SERIAL);
	if (r->score->is_played)
		add_view(r, SCORE_SERVE_TTFT);
	if (!r->view_count)
		r->views[r->view_count++] = closed;
	scored_columns(r);
}

/* -- playing --------------------------------------------------------------------------- */

enum { JOBS_MAX = 64 };

/** Runs handed out to threads. */
struct playing {
	struct score *score;
	enum ss_figure figure;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	size_t next, done;
	enum ss_status rc;
};

static void *play_runs(void *context)
{
	struct playing *p = context;
	struct score_player player = { 0 };

	(void)pthread_mutex_lock(&p->lock);
	while (p->next < p->score->runs.count && !p->rc) {
		size_t index = p->next++;
		enum ss_status rc;

		(void)pthread_mutex_unlock(&p->lock);
		rc = score_play(&player, p->score, index, p->figure);
		(void)pthread_mutex_lock(&p->lock);
		p->done++;
		if (rc)
			p->rc = rc;
		(void)pthread_cond_signal(&p->moved);
	}
	(void)pthread_cond_signal(&p->moved);
	(void)pthread_mutex_unlock(&p->lock);
	score_player_release(&player);
	return NULL;
}

static size_t job_count(const struct arguments *a)
{
	const char *text = arguments_value(a, OPT_JOBS);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t jobs = 0;

	/* the table of options took it for a count */
	if (!text || !read_count(text, JOBS_MAX, &jobs) || jobs < 1)
		jobs = cores > 1 ? cores : 1;
	return jobs < JOBS_MAX ? (size_t)jobs : JOBS_MAX;
}

static void wait_for(struct playing *p, const struct batch *batch)
{
	struct progress progress;

	progress_start(&progress, batch);
	progress.what = "runs played";
	(void)pthread_mutex_lock(&p->lock);
	while (p->done < p->score->runs.count && !p->rc) {
		(void)pthread_cond_wait(&p->moved, &p->lock);
		progress_show(&progress, (double)p->done / (double)p->score->runs.count);
	}
	(void)pthread_mutex_unlock(&p->lock);
	progress_end(&progress);
}

static enum ss_status play(const struct batch *batch, struct score *score)
{
	struct playing playing = { .score = score, .figure = figure_of(batch->arguments) };
	pthread_t threads[JOBS_MAX];
	size_t started = 0, jobs = job_count(batch->arguments);

	(void)pthread_mutex_init(&playing.lock, NULL);
	(void)pthread_cond_init(&playing.moved, NULL);
	while (started < jobs && !pthread_create(&threads[started], NULL, play_runs, &playing))
		started++;
	if (started)
		wait_for(&playing, batch);
	else
		(void)play_runs(&playing);
	for (size_t i = 0; i < started; i++)
		(void)pthread_join(threads[i], NULL);
	(void)pthread_cond_destroy(&playing.moved);
	(void)pthread_mutex_destroy(&playing.lock);
	return playing.rc;
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

static int print_text(struct batch *batch, struct scored_report *r)
{
	struct doc *doc = doc_new();

	r->is_whole = batch->arguments->format == FORMAT_CSV;
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

	score_stat(&stat, r->score, r->views[0], NULL, NULL);
	if (stat.rows && stat.median > limit) {
		say("the median error of %s, %.1f %%, is above %.4g %%",
		    score_view_name(r->views[0]), stat.median * 100, limit * 100);
		return EXIT_REFUSED;
	}
	if (!stat.rows)
		say("no run could be scored");
	return !stat.rows || r->score->runs.fault_count ? EXIT_REFUSED : EXIT_PRICED;
}

static int score_file(struct batch *batch, struct score *score, double limit)
{
	struct scored_report report = { .score = score };
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc = SS_OK;
	int status;

	say_unknown(batch, score);
	say_faults(score);
	for (size_t i = 0; i < score->runs.count && !rc; i++)
		rc = score_price(score, i, &problems);
	if (!rc && score->is_played)
		rc = play(batch, score);
	if (rc) {
		status = batch_fail(batch, rc, &problems, &err);
		ss_problems_release(&problems);
		return status;
	}
	choose_views(&report, batch->arguments);
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

/** The runs that are asked for; none is nothing to score. */
static enum ss_status choose_runs(struct score *score, const struct arguments *a,
				  struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < a->use_count && !rc; i++)
		if (a->uses[i].id == OPT_WHERE)
			rc = score_keep(score, a->uses[i].value, err);
	if (!rc && !score->runs.count)
		rc = ss_fail(err, SS_EUSAGE, "where", "no run of %s passes", score->file);
	return rc;
}

/** A table names what it is of by itself. */
static enum ss_status check_table(const struct arguments *a, struct ss_error *err)
{
	static const enum option_id of_scenario[] = { OPT_MODEL,         OPT_PART,
						      OPT_NODES,         OPT_GPUS_PER_NODE,
						      OPT_GPUS_PER_RACK, OPT_FABRIC,
						      OPT_INTER_NODE,    OPT_POOL };

	for (size_t i = 0; i < sizeof(of_scenario) / sizeof(of_scenario[0]); i++)
		if (arguments_has(a, of_scenario[i]))
			return ss_fail(err, SS_EUSAGE, option_row(of_scenario[i])->name,
				       "goes with a saved result; a table has columns for it");
	if (a->name_count > 1)
		return ss_fail(err, SS_EUSAGE, a->names[1],
			       "a scenario goes with a saved result, RESULT.json");
	return SS_OK;
}

static int score_table(struct batch *batch, double limit)
{
	const struct session_request *request = &batch->arguments->request;
	struct ss_problems problems = { 0 };
	struct session session = { 0 };
	struct score score = { 0 };
	struct ss_error err = { 0 };
	char *file = NULL;
	int status;
	enum ss_status rc = check_table(batch->arguments, &err);

	if (!rc)
		rc = session_open_registry(&session, request, &err);
	if (!rc)
		file = find_file(batch, session.registry, &err);
	if (!rc && !file)
		rc = SS_EUSAGE;
	if (!rc)
		rc = score_open(&score, session.registry, request, file, &problems);
	if (!rc)
		rc = choose_runs(&score, batch->arguments, &err);
	score.is_played = arguments_has(batch->arguments, OPT_SERVED);
	status = rc ? batch_fail(batch, rc, &problems, &err) : score_file(batch, &score, limit);
	score_release(&score);
	session_release(&session);
	ss_problems_release(&problems);
	free(file);
	return status;
}

int run_score(struct batch *batch)
{
	const struct arguments *a = batch->arguments;
	struct ss_error err = { 0 };
	double limit;
	int status = only_check(batch, section_names);

	if (status)
		return status;
	if (read_limit(a, &limit, &err))
		return batch_bad_usage(a, &err);
	return a->name_count && score_is_result(a->names[0])
		       ? score_result(batch, a->names[0], limit)
		       : score_table(batch, limit);
}
