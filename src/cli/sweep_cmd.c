/*
 * Running a sweep. Workers take blocks of rows in order and fill buffers of a
 * ring; the main thread writes the buffers in order. A worker that is a ring ahead
 * waits, so memory does not grow with the number of rows.
 */
#include "sweep/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text/shown.h"
#include "text/number.h"
#include "text/words.h"
#include "cli/run.h"
#include "files/out.h"
#include "cli/sweep_jobs.h"
#include "sweep/sweep_database.h"
#include "sweep/sweep_script.h"

#define BLOCK_ROWS 256
#define JOBS_MAX 256
#define RING_PER_JOB 4

/** A row among the best: enough to order it and to make it again. */
struct ranked {
	double value;
	uint64_t index;
};

struct block {
	struct xbuf text;
	bool is_done;
	uint64_t priced; /* rows not refused, shown or not */
	struct ranked *best;
	size_t best_count;
};

struct sweep {
	const struct sweep_plan *plan;
	uint64_t first, last; /* rows of this run: [first, last) */
	uint64_t block_count;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct block *ring;
	size_t ring_size;
	uint64_t next;                   /* block to be taken */
	uint64_t written;                /* blocks written */
	bool is_stopped;                 /* nothing more is wanted: writing failed */
	struct sweep_database *database; /* NULL: rows go out as text */
	struct file_out over;            /* the database until it is whole, over another file */
};

/* -- the best rows -------------------------------------------------------------------- */

/** Better comes first; the earlier row of equals. */
static bool is_better(const struct sweep_plan *plan, const struct ranked *a, const struct ranked *b)
{
	bool wants_less = sweep_column_goal(plan->best) == GOAL_LESS;

	if (a->value < b->value || a->value > b->value)
		return (a->value < b->value) == wants_less;
	return a->index < b->index;
}

static void sift_up(const struct sweep_plan *plan, struct ranked *heap, size_t at)
{
	while (at && is_better(plan, &heap[(at - 1) / 2], &heap[at])) {
		struct ranked swap = heap[at];

		heap[at] = heap[(at - 1) / 2];
		heap[(at - 1) / 2] = swap;
		at = (at - 1) / 2;
	}
}

static void sift_down(const struct sweep_plan *plan, struct ranked *heap, size_t count)
{
	size_t at = 0;

	for (;;) {
		size_t worst = at;
		struct ranked swap;

		for (size_t k = 2 * at + 1; k <= 2 * at + 2 && k < count; k++)
			if (is_better(plan, &heap[worst], &heap[k]))
				worst = k;
		if (worst == at)
			return;
		swap = heap[at];
		heap[at] = heap[worst];
		heap[worst] = swap;
		at = worst;
	}
}

/** Keep the best `top` in a heap whose root is the worst of them. */
static void keep_best(const struct sweep_plan *plan, struct ranked *heap, size_t *count,
		      struct ranked row)
{
	if (*count < plan->top) {
		heap[*count] = row;
		sift_up(plan, heap, (*count)++);
	} else if (is_better(plan, &row, &heap[0])) {
		heap[0] = row;
		sift_down(plan, heap, *count);
	}
}

/** Empty the heap into order, best first. */
static void sort_best(const struct sweep_plan *plan, struct ranked *heap, size_t count)
{
	for (size_t left = count; left > 1; left--) {
		struct ranked worst = heap[0];

		heap[0] = heap[left - 1];
		heap[left - 1] = worst;
		sift_down(plan, heap, left - 1);
	}
}

/* -- workers -------------------------------------------------------------------------- */

/** Values and names as they may stand on a terminal. */
static void spell_out(const struct sweep_plan *plan, struct xbuf *rows)
{
	if (plan->format == FORMAT_JSON)
		shown_buffer(rows, SHOWN_JSON);
	else if (plan->format == FORMAT_TEXT || plan->format == FORMAT_MARKDOWN)
		shown_buffer(rows, SHOWN_LINES);
}

static void fill_block(struct sweep *s, struct worker *worker, struct block *block, uint64_t number)
{
	uint64_t first = s->first + number * BLOCK_ROWS;
	uint64_t last = s->last - first > BLOCK_ROWS ? first + BLOCK_ROWS : s->last;

	block->text.len = 0;
	block->priced = 0;
	block->best_count = 0;
	for (uint64_t i = first; i < last; i++) {
		worker_price(worker, i);
		block->priced += worker->row.is_priced;
		if (!plan_admits(s->plan, &worker->row))
			continue;
		if (!s->plan->has_best)
			plan_row(s->plan, &worker->row, &block->text);
		else if (!isnan(worker->row.numbers[s->plan->best]))
			keep_best(s->plan, block->best, &block->best_count,
				  (struct ranked){ worker->row.numbers[s->plan->best], i });
	}
	spell_out(s->plan, &block->text);
}

static void *work(void *context)
{
	struct sweep *s = context;
	struct worker worker;

	worker_init(&worker, s->plan);
	(void)pthread_mutex_lock(&s->lock);
	while (!s->is_stopped && s->next < s->block_count) {
		uint64_t number = s->next;

		if (number >= s->written + s->ring_size) {
			(void)pthread_cond_wait(&s->moved, &s->lock);
			continue;
		}
		s->next++;
		(void)pthread_mutex_unlock(&s->lock);
		fill_block(s, &worker, &s->ring[number % s->ring_size], number);
		(void)pthread_mutex_lock(&s->lock);
		s->ring[number % s->ring_size].is_done = true;
		(void)pthread_cond_broadcast(&s->moved);
	}
	(void)pthread_mutex_unlock(&s->lock);
	worker_release(&worker);
	return NULL;
}

/* -- progress ------------------------------------------------------------------------- */

struct progress {
	bool is_on;
	uint64_t total;
	double start_s, shown_s;
};

static double now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define BAR_WIDTH 30

static void show_progress(struct progress *p, uint64_t done)
{
	double at = now_s();
	double share = p->total ? (double)done / (double)p->total : 1;
	char bar[BAR_WIDTH + 1];

	if (!p->is_on || (at - p->shown_s < 0.1 && done < p->total))
		return;
	p->shown_s = at;
	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	(void)fprintf(stderr, "\r[%s] %3.0f %%  %s of %s rows, %s/s  ", bar, share * 100,
		      number_count((double)done).text, number_count((double)p->total).text,
		      number_count(at > p->start_s ? (double)done / (at - p->start_s) : 0).text);
	if (done >= p->total)
		(void)fputc('\n', stderr);
}

/* -- writing in order ----------------------------------------------------------------- */

struct outcome {
	uint64_t priced;
	struct ranked *best;
	size_t best_count;
	int status;
};

static int write_rows(struct sweep *s, struct batch *batch, const struct xbuf *rows)
{
	struct ss_error err = { 0 };

	if (!s->database)
		return batch_write(batch, rows);
	if (sweep_database_add(s->database, rows, &err))
		return batch_fail(batch, SS_EIO, NULL, &err);
	return EXIT_PRICED;
}

/** Wait for each block in turn and hand it on. */
static void collect(struct sweep *s, struct batch *batch, struct progress *progress,
		    struct outcome *outcome)
{
	for (uint64_t number = 0; number < s->block_count; number++) {
		struct block *block = &s->ring[number % s->ring_size];
		uint64_t done = (number + 1) * BLOCK_ROWS;

		(void)pthread_mutex_lock(&s->lock);
		while (!block->is_done)
			(void)pthread_cond_wait(&s->moved, &s->lock);
		(void)pthread_mutex_unlock(&s->lock);
		outcome->priced += block->priced;
		for (size_t i = 0; i < block->best_count; i++)
			keep_best(s->plan, outcome->best, &outcome->best_count, block->best[i]);
		if (block->text.len)
			outcome->status = write_rows(s, batch, &block->text);
		(void)pthread_mutex_lock(&s->lock);
		block->is_done = false;
		s->written++;
		s->is_stopped = outcome->status != EXIT_PRICED;
		(void)pthread_cond_broadcast(&s->moved);
		(void)pthread_mutex_unlock(&s->lock);
		if (s->is_stopped)
			break;
		show_progress(progress, done < progress->total ? done : progress->total);
	}
}

static void write_best(struct sweep *s, struct batch *batch, struct outcome *outcome)
{
	const struct sweep_plan *plan = s->plan;
	struct worker worker;
	struct xbuf text = { 0 };

	worker_init(&worker, plan);
	sort_best(plan, outcome->best, outcome->best_count);
	for (size_t i = 0; i < outcome->best_count; i++) {
		worker_price(&worker, outcome->best[i].index);
		plan_row(plan, &worker.row, &text);
	}
	spell_out(plan, &text);
	outcome->status = write_rows(s, batch, &text);
	xbuf_release(&text);
	worker_release(&worker);
}

static int run_rows(struct sweep *s, struct batch *batch, size_t jobs, struct progress *progress,
		    struct outcome *outcome)
{
	pthread_t threads[JOBS_MAX];
	size_t started = 0;

	s->ring_size = jobs * RING_PER_JOB;
	s->ring = xcalloc(s->ring_size, sizeof(*s->ring));
	if (s->plan->has_best) {
		outcome->best = xcalloc(s->plan->top, sizeof(*outcome->best));
		for (size_t i = 0; i < s->ring_size; i++)
			s->ring[i].best =
				xcalloc(s->plan->top < BLOCK_ROWS ? s->plan->top : BLOCK_ROWS,
					sizeof(struct ranked));
	}
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_cond_init(&s->moved, NULL);
	while (started < jobs && !pthread_create(&threads[started], NULL, work, s))
		started++;
	if (started)
		collect(s, batch, progress, outcome);
	for (size_t i = 0; i < started; i++)
		(void)pthread_join(threads[i], NULL);
	(void)pthread_cond_destroy(&s->moved);
	(void)pthread_mutex_destroy(&s->lock);
	for (size_t i = 0; i < s->ring_size; i++) {
		xbuf_release(&s->ring[i].text);
		free(s->ring[i].best);
	}
	free(s->ring);
	if (!started) {
		say("no thread can be started");
		return EXIT_FAILED;
	}
	if (s->plan->has_best && !outcome->status)
		write_best(s, batch, outcome);
	return outcome->status;
}

/* -- which rows ----------------------------------------------------------------------- */

static enum ss_status read_shard(struct sweep *s, const char *text, struct ss_error *err)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char part[24];
	int64_t shard, shards;
	uint64_t rows = s->last, base;

	if (!text)
		return SS_OK;
	if (!slash || (size_t)(slash - text) >= sizeof(part))
		return ss_fail(err, SS_EUSAGE, "shard", "must read I/N, got %s", text);
	memcpy(part, text, (size_t)(slash - text));
	part[slash - text] = '\0';
	if (!read_count(part, 1000000, &shard) || !read_count(slash + 1, 1000000, &shards) ||
	    shard < 1 || shard > shards)
		return ss_fail(err, SS_EUSAGE, "shard", "must read I/N with I from 1 to N, got %s",
			       text);
	base = rows / (uint64_t)shards;
	/* The first rows % shards parts take one more, so that all rows are covered. */
	s->first = base * (uint64_t)(shard - 1) + ((uint64_t)(shard - 1) < rows % (uint64_t)shards
							   ? (uint64_t)(shard - 1)
							   : rows % (uint64_t)shards);
	s->last = s->first + base + ((uint64_t)(shard - 1) < rows % (uint64_t)shards);
	return SS_OK;
}

static enum ss_status read_jobs(size_t *out, const char *text, struct ss_error *err)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t jobs = cores > 0 ? cores : 1;

	if (text && (!read_count(text, JOBS_MAX, &jobs) || jobs < 1))
		return ss_fail(err, SS_EUSAGE, "jobs", "must be from 1 to %d, got %s", JOBS_MAX,
			       text);
	*out = (size_t)(jobs < JOBS_MAX ? jobs : JOBS_MAX);
	return SS_OK;
}

/* -- resuming ------------------------------------------------------------------------- */

/** Bytes at the end of a file that must hold its last whole row. */
#define TAIL_BYTES 65536

/** The index in the last key of a text's first bytes; false when they hold none of this sweep. */
static bool last_index(const struct sweep_plan *plan, const char *text, size_t len, uint64_t *index)
{
	char mark[16];
	const char *found = NULL, *at = text;

	(void)snprintf(mark, sizeof(mark), "%08" PRIx32 "-", plan->hash);
	while ((at = strstr(at, mark)) && at < text + len) {
		found = at + strlen(mark);
		at = found;
	}
	if (!found || *found < '0' || *found > '9')
		return false;
	*index = strtoull(found, NULL, 10);
	return true;
}

struct resumption {
	bool has_header; /* something was written before */
	size_t kept;     /* bytes of the file's tail that stay */
	uint64_t next;   /* row to go on with */
};

/** Whether a file's text ends in a row of this run, or is no more than its header. */
static bool is_own(const struct sweep *s, const char *text, size_t len, size_t whole, bool is_all,
		   struct resumption *out)
{
	struct xbuf header = { 0 };
	uint64_t index;
	bool is_begun;

	if (last_index(s->plan, text, whole, &index) && index >= s->first && index < s->last) {
		out->kept = whole;
		out->next = index + 1;
		return true;
	}
	if (s->first == 0)
		plan_header(s->plan, &header);
	is_begun = is_all && len <= header.len && !memcmp(text, xbuf_text(&header), len);
	/* Half a header is written anew, a whole one stays. */
	out->kept = is_begun && len == header.len ? len : 0;
	xbuf_release(&header);
	return is_begun;
}

/** Find the row after the last whole one, and cut off what was written of it. */
static enum ss_status resume_file(struct sweep *s, struct batch *batch, const char *name,
				  struct resumption *out, struct ss_error *err)
{
	char tail[TAIL_BYTES + 1];
	FILE *file = fopen(name, "r+");
	long size, from;
	size_t got, whole;

	if (!file && errno == ENOENT)
		file = fopen(name, "w+");
	if (!file)
		return ss_fail(err, SS_EIO, name, "%s", strerror(errno));
	batch->out = file;
	if (fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		return ss_fail(err, SS_EIO, name, "%s", strerror(errno));
	from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
	if (fseek(file, from, SEEK_SET))
		return ss_fail(err, SS_EIO, name, "%s", strerror(errno));
	got = fread(tail, 1, TAIL_BYTES, file);
	tail[got] = '\0';
	for (whole = got; whole && tail[whole - 1] != '\n'; whole--)
		;
	/* Nothing is cut off a file of something else. */
	if (!is_own(s, tail, got, whole, !from, out))
		return ss_fail(
			err, SS_EUSAGE, "resume",
			"%s: does not end in a row of this sweep or shard; name its file, or a "
			"new one",
			name);
	out->has_header = from || out->kept;
	if (ftruncate(fileno(file), from + (long)out->kept) || fseek(file, 0, SEEK_END))
		return ss_fail(err, SS_EIO, name, "%s", strerror(errno));
	return SS_OK;
}

/** A database over a file that is there, which stays until the new one is whole. */
static enum ss_status open_over(struct sweep *s, const char *name, struct resumption *out,
				struct ss_error *err)
{
	enum ss_status rc = sweep_database_may_replace(name, err);

	if (!rc)
		rc = file_out_open(&s->over, name, FILE_REPLACE, err);
	if (rc)
		return rc;
	if (!s->over.beside)
		rc = ss_fail(err, SS_EIO, name, "is no file that a database could be put into");
	if (!rc)
		rc = sweep_database_open(&s->database, s->plan, s->over.beside, DATABASE_APART,
					 s->first, s->last, &out->next, err);
	if (rc)
		file_out_drop(&s->over);
	return rc;
}

/** End the database: nothing of it takes a file's place that is not whole. */
static enum ss_status close_database(struct sweep *s, bool is_whole, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	if (!is_whole)
		sweep_database_close(s->database);
	else
		rc = sweep_database_finish(s->database, err);
	if (s->over.stream && (rc || !is_whole))
		file_out_drop(&s->over);
	else if (s->over.stream)
		rc = file_out_close(&s->over, err);
	return rc;
}

/** Where the rows go, and which of them are there already. */
static enum ss_status open_rows(struct sweep *s, struct batch *batch, const char *resume,
				struct resumption *out, struct ss_error *err)
{
	const char *name = resume ? resume : batch->out_name;

	out->next = s->first;
	if (s->plan->format == FORMAT_SQLITE) {
		if (!name)
			return ss_fail(err, SS_EUSAGE, "format", "sqlite needs a file: -o FILE");
		if (!resume && arguments_has(batch->arguments, OPT_FORCE) && !access(name, F_OK))
			return open_over(s, name, out, err);
		return sweep_database_open(&s->database, s->plan, name,
					   resume ? DATABASE_GOES_ON : DATABASE_NEW, s->first,
					   s->last, &out->next, err);
	}
	if (!resume)
		return SS_OK;
	batch->out_name = resume;
	return resume_file(s, batch, resume, out, err);
}

/* -- the command ---------------------------------------------------------------------- */

static int sweep_session(struct batch *batch, struct sweep_plan *plan)
{
	const struct arguments *a = batch->arguments;
	const char *resume = arguments_value(a, OPT_RESUME);
	struct sweep s = { .plan = plan, .last = plan->axes.rows };
	struct resumption resumption = { 0 };
	struct outcome outcome = { 0 };
	struct progress progress = { .start_s = now_s() };
	struct xbuf header = { 0 };
	struct ss_error err = { 0 };
	size_t jobs = 1;
	enum ss_status rc = read_shard(&s, arguments_value(a, OPT_SHARD), &err);
	bool is_first_shard = s.first == 0;

	if (!rc)
		rc = read_jobs(&jobs, arguments_value(a, OPT_JOBS), &err);
	if (!rc && resume && (plan->has_best || batch->out_name))
		rc = ss_fail(&err, SS_EUSAGE, "resume", "cannot go with %s",
			     plan->has_best ? "--best" : "--output");
	if (!rc)
		rc = open_rows(&s, batch, resume, &resumption, &err);
	if (rc)
		return batch_fail(batch, rc, NULL, &err);
	s.first = resumption.next;
	s.block_count = (s.last - s.first + BLOCK_ROWS - 1) / BLOCK_ROWS;
	progress.total = s.last - s.first;
	progress.is_on = !a->is_quiet && isatty(STDERR_FILENO) &&
			 (batch->out_name || !isatty(STDOUT_FILENO));
	/* One header for all shards, so that they join to the whole. */
	if (!s.database && !resumption.has_header && is_first_shard) {
		plan_header(plan, &header);
		outcome.status = batch_write(batch, &header);
		xbuf_release(&header);
	}
	if (!outcome.status)
		outcome.status = run_rows(&s, batch, jobs, &progress, &outcome);
	free(outcome.best);
	rc = close_database(&s, !outcome.status, &err);
	if (rc)
		return batch_fail(batch, rc, NULL, &err);
	/* Whether all is refused, the other shards may know better. */
	if (!outcome.status && !outcome.priced && s.block_count && !arguments_has(a, OPT_SHARD))
		return EXIT_REFUSED;
	return outcome.status;
}

/** Print the script of --plan. */
static int print_script(struct batch *batch, const struct sweep_plan *plan)
{
	const struct arguments *a = batch->arguments;
	const char *word = arguments_value(a, OPT_PLAN);
	const char *number = arguments_value(a, OPT_SHARDS);
	struct ss_error err = { 0 };
	struct xbuf script = { 0 };
	int64_t shards = 16;
	int site = sweep_site(word), status;

	if (site < 0)
		(void)ss_fail(&err, SS_EUSAGE, "plan", "must be one of " SWEEP_SITES ", got %s",
			      word);
	else if (number && (!read_count(number, 1000000, &shards) || shards < 1))
		(void)ss_fail(&err, SS_EUSAGE, "shards", "must be from 1 to 1000000, got %s",
			      number);
	else if (plan->has_best)
		(void)ss_fail(&err, SS_EUSAGE, "plan", "cannot go with --best: merge first");
	if (*err.message)
		return batch_fail(batch, SS_EUSAGE, NULL, &err);
	sweep_script(&script, site, a, plan->axes.rows, shards);
	/* --output names the file of the whole, not of the script. */
	batch->out_name = NULL;
	status = batch_write(batch, &script);
	xbuf_release(&script);
	return status;
}

int run_sweep(struct batch *batch)
{
	struct session session = { 0 };
	struct sweep_plan plan = { 0 };
	struct ss_error err = { 0 };
	int status = batch_open_unresolved(batch, &session, batch_scenario(batch));
	enum ss_status rc;

	if (status)
		return status;
	rc = plan_init(&plan, &session, batch->arguments, &err);
	if (rc)
		status = batch_fail(batch, rc, NULL, &err);
	else if (arguments_has(batch->arguments, OPT_STDIN_JOBS))
		status = sweep_jobs(batch, &plan);
	else if (arguments_has(batch->arguments, OPT_PLAN))
		status = print_script(batch, &plan);
	else
		status = sweep_session(batch, &plan);
	plan_release(&plan);
	session_release(&session);
	return status;
}
