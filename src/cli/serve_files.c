#include "cli/serve_files.h"

#include <stdio.h>
#include <string.h>

#include "files/out.h"
#include "text/number.h"

/** A row in the making: CSV cells, or the members of an object. */
struct row_writer {
	struct xbuf text;
	bool is_lines; /* JSON Lines */
	bool is_first, is_heading;
};

static void put_cell(struct row_writer *w, const char *name, const char *text)
{
	xbuf_puts(&w->text, w->is_first ? (w->is_lines ? "{" : "") : (w->is_lines ? ", " : ","));
	w->is_first = false;
	if (w->is_lines)
		xbuf_printf(&w->text, "\"%s\": ", name);
	xbuf_puts(&w->text, w->is_heading ? name : text);
}

static void put_number(struct row_writer *w, const char *name, double number, bool is_known)
{
	put_cell(w, name, is_known ? number_plain(number).text : w->is_lines ? "null" : "");
}

static void put_count(struct row_writer *w, const char *name, int64_t count)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%lld", (long long)count);
	put_cell(w, name, text);
}

static void put_word(struct row_writer *w, const char *name, const char *word)
{
	char text[48];

	(void)snprintf(text, sizeof(text), w->is_lines ? "\"%s\"" : "%s", word);
	put_cell(w, name, text);
}

static void end_row(struct row_writer *w)
{
	xbuf_puts(&w->text, w->is_lines ? "}\n" : "\n");
	w->is_first = true;
}

static void put_request(struct row_writer *w, size_t index, const struct ss_serve_request *q)
{
	put_count(w, "request", (int64_t)index);
	put_word(w, "state", ss_serve_state_name(q->state));
	put_count(w, "prompt", q->prompt);
	put_count(w, "output", q->output);
	put_count(w, "generated", q->generated);
	put_number(w, "arrival_s", q->arrival_s, q->state != SS_SERVE_AHEAD);
	put_number(w, "first_s", q->first_s, q->first_s >= 0);
	put_number(w, "last_s", q->last_s, q->last_s >= 0);
	put_number(w, "end_s", q->end_s, q->end_s >= 0);
	for (int i = 0; i < SS_LATENCY_COUNT; i++) {
		enum ss_latency_id id = (enum ss_latency_id)i;
		char name[24];
		double seconds = 0;
		bool is_known = ss_serve_request_latency(q, id, &seconds);

		if (id == SS_LATENCY_ITL)
			continue;
		(void)snprintf(name, sizeof(name), "%s_s", ss_latency_name(id));
		put_number(w, name, seconds, is_known);
	}
	put_count(w, "preemptions", q->preemptions);
	put_count(w, "cached_tokens", q->cached);
	end_row(w);
}

static void put_point(struct row_writer *w, const struct ss_serve_point *p)
{
	put_number(w, "time_s", p->time_s, true);
	put_count(w, "running", p->running);
	put_count(w, "waiting", p->waiting);
	put_number(w, "kv", p->kv, true);
	put_count(w, "tokens", p->tokens);
	end_row(w);
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

static struct row_writer writer_for(const char *name)
{
	return (struct row_writer){ .is_lines = ends_in(name, ".jsonl") || ends_in(name, ".json"),
				    .is_first = true };
}

static int write_rows(struct batch *batch, const char *name, struct row_writer *w)
{
	struct ss_error err = { 0 };
	unsigned how = arguments_has(batch->arguments, OPT_FORCE) ? FILE_REPLACE : 0;
	enum ss_status rc = file_write(name, xbuf_text(&w->text), w->text.len, how, &err);

	xbuf_release(&w->text);
	return rc ? batch_fail(batch, rc, NULL, &err) : EXIT_PRICED;
}

static int write_requests(struct batch *batch, const char *name, const struct ss_serve *serve)
{
	struct row_writer w = writer_for(name);
	struct ss_serve_request q = { 0 };

	w.is_heading = !w.is_lines;
	if (w.is_heading)
		put_request(&w, 0, &q);
	w.is_heading = false;
	for (size_t i = 0; i < ss_serve_request_count(serve); i++) {
		ss_serve_request(serve, i, &q);
		put_request(&w, i, &q);
	}
	return write_rows(batch, name, &w);
}

static int write_timeline(struct batch *batch, const char *name, const struct ss_serve *serve)
{
	struct row_writer w = writer_for(name);
	const struct ss_serve_point *points;
	const struct ss_serve_point none = { 0 };
	size_t count = ss_serve_timeline(serve, &points);

	w.is_heading = !w.is_lines;
	if (w.is_heading)
		put_point(&w, &none);
	w.is_heading = false;
	for (size_t i = 0; i < count; i++)
		put_point(&w, &points[i]);
	return write_rows(batch, name, &w);
}

int serve_files_check(struct batch *batch)
{
	static const enum option_id options[] = { OPT_REQUESTS_OUT, OPT_TIMELINE };
	unsigned how = arguments_has(batch->arguments, OPT_FORCE) ? FILE_REPLACE : 0;

	for (size_t i = 0; i < 2; i++) {
		const char *name = arguments_value(batch->arguments, options[i]);
		struct ss_error err = { 0 };
		enum ss_status rc = name ? file_out_check(name, how, &err) : SS_OK;

		if (rc)
			return batch_fail(batch, rc, NULL, &err);
	}
	return EXIT_PRICED;
}

int serve_files_write(struct batch *batch, const struct ss_serve *serve)
{
	const char *requests = arguments_value(batch->arguments, OPT_REQUESTS_OUT);
	const char *timeline = arguments_value(batch->arguments, OPT_TIMELINE);
	int status = EXIT_PRICED;

	if (requests)
		status = write_requests(batch, requests, serve);
	if (timeline && !status)
		status = write_timeline(batch, timeline, serve);
	return status;
}
