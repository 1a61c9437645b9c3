#include "cli/sweep_jobs.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/number.h"

/** Answers that may wait while more input is at hand. */
#define ANSWER_BYTES 65536
/** Bases of documents and values tried that are kept open. */
#define BASES_KEPT 64

struct open_basis {
	char *key;
	struct ss_basis *basis;
	char code[16], reason[1024];
};

struct jobs {
	struct batch *batch;
	const struct sweep_plan *plan;
	struct worker worker;
	enum ss_field_id *changed; /* fields that the last job set */
	size_t changed_count;
	struct xbuf settings, settings_before; /* what decides the resolution, as text */
	struct xbuf basis_key;
	struct ss_whatif *tried;
	char **tried_names;
	size_t tried_count;
	struct open_basis bases[BASES_KEPT];
	size_t basis_count;
	struct xbuf out;
	uint64_t line, priced;
};

static void empty(struct xbuf *text)
{
	text->len = 0;
	if (text->data)
		text->data[0] = '\0';
}

static void reset(struct jobs *j)
{
	const struct session *s = j->plan->session;
	struct worker *w = &j->worker;

	for (size_t i = 0; i < j->changed_count; i++) {
		struct ss_value *at = ss_scenario_value_mut(w->scenario, s->pool, j->changed[i]);

		ss_value_release(at);
		if (ss_value_copy(at, ss_scenario_value(s->scenario, s->pool, j->changed[i])))
			out_of_memory();
	}
	for (size_t i = 0; i < j->tried_count; i++)
		free(j->tried_names[i]);
	j->changed_count = j->tried_count = 0;
	free(w->groups);
	w->group_count = s->group_count;
	w->groups = xcalloc(s->group_count + 1, sizeof(*w->groups));
	if (s->group_count)
		memcpy(w->groups, s->groups, s->group_count * sizeof(*w->groups));
	empty(&j->settings);
	empty(&j->basis_key);
}

/** A JSON value as --vary would have it; NULL for what is none. */
static const char *text_of(const cJSON *item, struct number_text *number)
{
	if (cJSON_IsString(item))
		return item->valuestring;
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? "true" : "false";
	if (cJSON_IsNull(item))
		return "";
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return NULL;
	*number = number_plain(item->valuedouble);
	return number->text;
}

static void note(struct xbuf *out, const char *name, const char *text)
{
	/* The lengths keep a name and its value from running into the next. */
	xbuf_printf(out, "%zu:%s=%zu:%s;", strlen(name), name, strlen(text), text);
}

static void keep_tried(struct jobs *j, const struct axis *axis)
{
	j->tried = xrealloc(j->tried, j->tried_count + 1, sizeof(*j->tried));
	j->tried_names = xrealloc(j->tried_names, j->tried_count + 1, sizeof(*j->tried_names));
	j->tried_names[j->tried_count] = xstrdup(axis->name);
	j->tried[j->tried_count] =
		(struct ss_whatif){ j->tried_names[j->tried_count], axis->values[0].number };
	j->tried_count++;
}

static enum ss_status take_axis(struct jobs *j, const cJSON *item, struct ss_error *err)
{
	struct number_text number;
	const char *text = text_of(item, &number);
	struct axis axis;
	enum ss_status rc;

	if (!text)
		return ss_fail(err, SS_EUSAGE, item->string,
			       "must be a number, text, true, false or null");
	rc = axis_read(&axis, item->string, text, err);
	if (rc)
		return rc;
	if (axis.kind == AXIS_FIELD || axis.kind == AXIS_COEFFICIENT)
		note(&j->settings, item->string, text);
	if (axis_has_own_basis(&axis))
		note(&j->basis_key, item->string, text);
	if (axis.kind == AXIS_COEFFICIENT) {
		keep_tried(j, &axis);
	} else {
		(void)worker_take(&j->worker, &axis, &axis.values[0]);
		if (axis.kind == AXIS_FIELD) {
			j->changed =
				xrealloc(j->changed, j->changed_count + 1, sizeof(*j->changed));
			j->changed[j->changed_count++] = axis.field;
		}
	}
	axis_release(&axis);
	return SS_OK;
}

static enum ss_status take_batch(struct jobs *j, const cJSON *item, struct ss_error *err)
{
	struct ss_group *groups = NULL;
	size_t count = 0;
	enum ss_status rc;

	if (!cJSON_IsString(item))
		return ss_fail(err, SS_EUSAGE, "batch", "must be text as --batch takes it");
	rc = ss_batch_parse(&groups, &count, item->valuestring, err);
	if (rc)
		return rc;
	free(j->worker.groups);
	j->worker.groups = groups;
	j->worker.group_count = count;
	return SS_OK;
}

/** A batch stands first wherever it is written, so that count and context change it. */
static enum ss_status take_job(struct jobs *j, const cJSON *job, struct ss_error *err)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(job, "batch");
	enum ss_status rc = item ? take_batch(j, item, err) : SS_OK;

	if (!cJSON_IsObject(job))
		return ss_fail(err, SS_EUSAGE, "", "must be a JSON object");
	cJSON_ArrayForEach(item, job)
	{
		if (!rc && strcmp(item->string, "batch") != 0 && strcmp(item->string, "id") != 0)
			rc = take_axis(j, item, err);
	}
	return rc;
}

/** The basis of what the job asks for, opened once for all jobs that ask the same. */
static const struct open_basis *find_basis(struct jobs *j)
{
	struct open_basis *b;

	for (size_t i = 0; i < j->basis_count; i++)
		if (!strcmp(j->bases[i].key, xbuf_text(&j->basis_key)))
			return &j->bases[i];
	if (j->basis_count == BASES_KEPT) {
		/* The deployment borrows from its basis. */
		ss_kernel_free(j->worker.kernel);
		j->worker.kernel = NULL;
		for (size_t i = 0; i < j->basis_count; i++) {
			ss_basis_free(j->bases[i].basis);
			free(j->bases[i].key);
		}
		j->basis_count = 0;
	}
	b = &j->bases[j->basis_count++];
	*b = (struct open_basis){ .key = xstrdup(xbuf_text(&j->basis_key)) };
	b->basis = plan_open_basis(j->plan, j->worker.scenario, j->tried, j->tried_count, b->code,
				   b->reason);
	return b;
}

static void price(struct jobs *j)
{
	bool is_same =
		j->line > 1 && j->settings.len == j->settings_before.len &&
		!memcmp(xbuf_text(&j->settings), xbuf_text(&j->settings_before), j->settings.len);
	const struct open_basis *basis;

	if (!is_same) {
		basis = find_basis(j);
		if (basis->basis)
			worker_resolve(&j->worker, basis->basis);
		else
			worker_refuse(&j->worker, basis->code, basis->reason);
		empty(&j->settings_before);
		xbuf_add(&j->settings_before, xbuf_text(&j->settings), j->settings.len);
	}
	worker_price_here(&j->worker, j->line - 1);
	j->priced += j->worker.row.is_priced;
	plan_row(j->plan, &j->worker.row, &j->out);
}

/** The answer starts with the job's own id, or the number of its line. */
static void answer_id(struct jobs *j, const cJSON *job)
{
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(job, "id");
	char *text = id ? cJSON_PrintUnformatted(id) : NULL;

	if (text)
		xbuf_printf(&j->out, "{\"id\":%s,", text);
	else
		xbuf_printf(&j->out, "{\"id\":%llu,", (unsigned long long)j->line);
	cJSON_free(text);
}

static void run_job(struct jobs *j, const char *line, size_t length)
{
	cJSON *job = cJSON_ParseWithLength(line, length);
	struct ss_error err = { 0 };
	size_t at;

	j->line++;
	reset(j);
	answer_id(j, job);
	at = j->out.len;
	if (!job)
		(void)ss_fail(&err, SS_EUSAGE, "", "is not JSON");
	else if (!take_job(j, job, &err))
		price(j);
	cJSON_Delete(job);
	if (*err.message) {
		/* What was resolved is not what the next line compares with. */
		empty(&j->settings_before);
		xbuf_puts(&j->settings_before, "?");
		xbuf_puts(&j->out, "\"code\":\"usage\",\"where\":");
		json_quote(&j->out, err.where);
		xbuf_puts(&j->out, ",\"reason\":");
		json_quote(&j->out, err.message);
		xbuf_puts(&j->out, "}\n");
	} else if (j->out.data[at] == '{') {
		/* The row opens an object of its own. */
		memmove(j->out.data + at, j->out.data + at + 1, j->out.len - at - 1);
		j->out.len--;
	}
}

static int flush(struct jobs *j)
{
	int status = j->out.len ? batch_write(j->batch, &j->out) : EXIT_PRICED;

	j->out.len = 0;
	return status;
}

/** Is there nothing more to read now? Then whoever asks waits for an answer. */
static bool is_dry(void)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };

	return poll(&input, 1, 0) == 0;
}

static void release(struct jobs *j)
{
	reset(j);
	worker_release(&j->worker);
	for (size_t i = 0; i < j->basis_count; i++) {
		ss_basis_free(j->bases[i].basis);
		free(j->bases[i].key);
	}
	free(j->changed);
	free(j->tried);
	free(j->tried_names);
	xbuf_release(&j->settings);
	xbuf_release(&j->settings_before);
	xbuf_release(&j->basis_key);
	xbuf_release(&j->out);
}

/** Read what there is into `in`; false at the end of input. */
static bool read_more(struct xbuf *in)
{
	char *at = xbuf_reserve(in, ANSWER_BYTES);
	ssize_t got;

	do
		got = read(STDIN_FILENO, at, ANSWER_BYTES);
	while (got < 0 && errno == EINTR);
	in->len += got > 0 ? (size_t)got : 0;
	return got > 0;
}

/** Run the whole lines of `in` and keep the rest. */
static int run_lines(struct jobs *j, struct xbuf *in, bool is_end)
{
	size_t at = 0;
	int status = EXIT_PRICED;

	while (!status && at < in->len) {
		const char *end = memchr(in->data + at, '\n', in->len - at);
		size_t length = end ? (size_t)(end - in->data) - at : in->len - at;

		if (!end && !is_end)
			break;
		if (strspn(in->data + at, " \t\r") < length)
			run_job(j, in->data + at, length);
		at += length + 1;
		if (j->out.len > ANSWER_BYTES)
			status = flush(j);
	}
	if (at > in->len)
		at = in->len;
	memmove(in->data, in->data + at, in->len - at);
	in->len -= at;
	return status;
}

int sweep_jobs(struct batch *batch, struct sweep_plan *plan)
{
	struct jobs j = { .batch = batch, .plan = plan };
	struct xbuf in = { 0 };
	bool goes_on = true;
	int status = EXIT_PRICED;

	/* Answers are objects, and a basis is opened for those that are asked for. */
	plan->format = FORMAT_JSON;
	worker_init(&j.worker, plan);
	while (!status && goes_on) {
		goes_on = read_more(&in);
		if (in.len)
			status = run_lines(&j, &in, !goes_on);
		if (!status && (!goes_on || is_dry()))
			status = flush(&j);
	}
	if (!status && j.line && !j.priced)
		status = EXIT_REFUSED;
	xbuf_release(&in);
	release(&j);
	return status;
}
