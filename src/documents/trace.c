/*
 * Traces of real traffic: a table with a heading or an object a line. Three sets of
 * names are known, each with its unit of time.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "documents/json.h"
#include "documents/value_text.h"
#include "stepscope/load.h"

enum clock { CLOCK_SECONDS, CLOCK_MS, CLOCK_DATE };

/* clang-format off */
/** Names of a format's columns. */
static const struct format {
	const char *arrival, *prompt, *output, *hashes;
	enum clock clock;
} formats[] = {
	{ "arrival",   "prompt",        "output",          "hash_ids", CLOCK_SECONDS },
	{ "TIMESTAMP", "ContextTokens", "GeneratedTokens", NULL,       CLOCK_DATE },
	{ "timestamp", "input_length",  "output_length",   "hash_ids", CLOCK_MS },
};
/* clang-format on */

#define FORMATS (sizeof(formats) / sizeof(formats[0]))
enum { COLUMNS_MAX = 64, ROWS_MAX = 50000000 };
static const int64_t TOKENS_MAX = 1000000000;
/* Whole numbers up to here are exact, as text and as JSON. */
static const double HASH_MAX = 9007199254740992;
/* More than the dates of four digits: beyond, sums of seconds lose steps. */
static const double SECONDS_MAX = 1e12;

struct parser {
	struct ss_trace *out;
	struct ss_problems *problems;
	const char *file;
	size_t line;
	size_t row_capacity, hash_count, hash_capacity;
	const struct format *format;
	int columns[4]; /* of a table: arrival, prompt, output, hashes; -1: none */
	bool has_failed, is_out_of_memory;
};

static void wrong(struct parser *p, const char *format, ...) SS_PRINTF(2, 3);

/** One line for the first thing wrong: a trace has many lines and mostly one fault. */
static void wrong(struct parser *p, const char *format, ...)
{
	char message[200], place[32];
	va_list args;

	if (p->has_failed)
		return;
	p->has_failed = true;
	va_start(args, format);
	(void)vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	(void)snprintf(place, sizeof(place), "line %zu", p->line);
	(void)ss_problems_add(p->problems, SS_ERROR, "trace", p->file, place, "%s", message);
}

/* -- fields ------------------------------------------------------------------------------- */

/** Days before a date of the Gregorian calendar, from 0000-03-01. */
static double days(int year, int month, int day)
{
	int y = month > 2 ? year : year - 1, m = (month + 9) % 12;

	return 365.0 * y + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1;
}

/** `2023-11-16 18:15:46.6805900`, with a T or a blank, a zone at the end not looked at. */
static bool read_date(const char *text, double *seconds)
{
	int year, month, day, hour, minute, used = 0;
	double second;
	char *end;

	if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d:%n", &year, &month, &day, &hour, &minute,
		   &used) != 5 ||
	    !used)
		return false;
	second = strtod(text + used, &end);
	if (end == text + used || !(second >= 0) || second >= 61)
		return false;
	if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 24 ||
	    minute < 0 || minute > 59)
		return false;
	*seconds = days(year, month, day) * 86400 + hour * 3600.0 + minute * 60.0 + second;
	return true;
}

/** A number of seconds, or of ms, as the format has it. */
static bool take_time(struct parser *p, double number, double *seconds)
{
	*seconds = p->format->clock == CLOCK_MS ? number / 1000 : number;
	if (*seconds >= 0 && *seconds <= SECONDS_MAX)
		return true;
	wrong(p, "%s %.10g wants a time from 0 to %g s", p->format->arrival, number, SECONDS_MAX);
	return false;
}

static bool read_time(struct parser *p, const char *text, double *seconds)
{
	double number;

	if (p->format->clock == CLOCK_DATE && read_date(text, seconds))
		return true;
	if (!parse_number(text, &number)) {
		wrong(p, "%s \"%.40s\" wants %s", p->format->arrival, text,
		      p->format->clock == CLOCK_DATE ? "a date with a time" : "a number from 0");
		return false;
	}
	return take_time(p, number, seconds);
}

static bool check_tokens(struct parser *p, const char *name, double number, int64_t *out)
{
	if (!(number >= 1) || number > (double)TOKENS_MAX || floor(number) < number) {
		wrong(p, "%s %.10g wants a whole number from 1 to %lld", name, number,
		      (long long)TOKENS_MAX);
		return false;
	}
	*out = (int64_t)number;
	return true;
}

static struct ss_trace_row *new_row(struct parser *p)
{
	struct ss_trace *t = p->out;

	if (t->count == ROWS_MAX) {
		wrong(p, "more than %d requests", ROWS_MAX);
		return NULL;
	}
	if (t->count == p->row_capacity) {
		size_t capacity = p->row_capacity ? p->row_capacity * 2 : 256;
		struct ss_trace_row *rows = realloc(t->rows, capacity * sizeof(*rows));

		p->is_out_of_memory |= !rows;
		if (!rows)
			return NULL;
		t->rows = rows;
		p->row_capacity = capacity;
	}
	t->rows[t->count] = (struct ss_trace_row){ 0 };
	return &t->rows[t->count];
}

static void add_hash(struct parser *p, struct ss_trace_row *row, double id)
{
	if (!(fabs(id) <= HASH_MAX) || floor(id) < id) {
		wrong(p, "%s %.17g wants a whole number of at most 53 bits", p->format->hashes, id);
		return;
	}
	if (p->hash_count == p->hash_capacity) {
		size_t capacity = p->hash_capacity ? p->hash_capacity * 2 : 1024;
		int64_t *hashes = realloc(p->out->hashes, capacity * sizeof(*hashes));

		p->is_out_of_memory |= !hashes;
		if (!hashes)
			return;
		p->out->hashes = hashes;
		p->hash_capacity = capacity;
	}
	p->out->hashes[p->hash_count++] = (int64_t)id;
	row->hash_count++;
}

/* -- a table -------------------------------------------------------------------------------- */

/** Cut a line at its commas, outside quotes and brackets; quotes fall. Returns how many. */
static size_t cut(char *line, char **cells)
{
	size_t n = 0;
	int depth = 0;
	bool is_quoted = false;
	char *to = line;

	cells[n++] = to;
	for (char *c = line; *c && *c != '\r'; c++) {
		if (*c == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		depth += (*c == '[') - (*c == ']');
		if (*c == ',' && !is_quoted && depth <= 0 && n < COLUMNS_MAX) {
			*to++ = '\0';
			cells[n++] = to;
			continue;
		}
		*to++ = *c;
	}
	*to = '\0';
	return n;
}

static int column(char *const *cells, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (strcmp(cells[i], name) == 0)
			return (int)i;
	return -1;
}

static void read_heading(struct parser *p, char *const *cells, size_t count)
{
	for (size_t i = 0; i < FORMATS; i++) {
		const struct format *f = &formats[i];

		p->columns[0] = column(cells, count, f->arrival);
		p->columns[1] = column(cells, count, f->prompt);
		p->columns[2] = column(cells, count, f->output);
		p->columns[3] = column(cells, count, f->hashes);
		if (p->columns[0] >= 0 && p->columns[1] >= 0 && p->columns[2] >= 0) {
			p->format = f;
			return;
		}
	}
	wrong(p, "the heading wants arrival, prompt and output, or TIMESTAMP, ContextTokens and "
		 "GeneratedTokens, or timestamp, input_length and output_length");
}

static bool read_tokens(struct parser *p, const char *name, const char *text, int64_t *out)
{
	double number;

	if (!parse_number(text, &number)) {
		wrong(p, "%s \"%.40s\" is no number", name, text);
		return false;
	}
	return check_tokens(p, name, number, out);
}

static void read_cells(struct parser *p, char *const *cells, size_t count)
{
	struct ss_trace_row *row = new_row(p);

	for (int i = 0; i < 3; i++)
		if ((size_t)p->columns[i] >= count) {
			wrong(p, "has %zu columns, wants %d", count, p->columns[i] + 1);
			return;
		}
	if (!row || !read_time(p, cells[p->columns[0]], &row->arrival_s) ||
	    !read_tokens(p, p->format->prompt, cells[p->columns[1]], &row->prompt) ||
	    !read_tokens(p, p->format->output, cells[p->columns[2]], &row->output))
		return;
	if (p->columns[3] >= 0 && (size_t)p->columns[3] < count)
		for (char *c = cells[p->columns[3]], *end; *c; c = end == c ? c + 1 : end) {
			long long id = strtoll(c, &end, 10);

			if (end != c)
				add_hash(p, row, (double)id);
		}
	p->out->count++;
}

/* -- an object a line ------------------------------------------------------------------------- */

static bool find_format(struct parser *p, const cJSON *object)
{
	for (size_t i = 0; i < FORMATS && !p->format; i++)
		if (cJSON_GetObjectItemCaseSensitive(object, formats[i].arrival) &&
		    cJSON_GetObjectItemCaseSensitive(object, formats[i].prompt))
			p->format = &formats[i];
	if (!p->format)
		wrong(p, "wants arrival, prompt and output, or TIMESTAMP, ContextTokens and "
			 "GeneratedTokens, or timestamp, input_length and output_length");
	return p->format != NULL;
}

static bool member(struct parser *p, const cJSON *object, const char *name, int64_t *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	if (!cJSON_IsNumber(item)) {
		wrong(p, "%s is missing or no number", name);
		return false;
	}
	return check_tokens(p, name, item->valuedouble, out);
}

static bool member_time(struct parser *p, const cJSON *object, double *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, p->format->arrival);

	if (cJSON_IsString(item))
		return read_time(p, item->valuestring, out);
	if (!cJSON_IsNumber(item)) {
		wrong(p, "%s is missing or no number", p->format->arrival);
		return false;
	}
	return take_time(p, item->valuedouble, out);
}

static void read_line_object(struct parser *p, const char *line)
{
	cJSON *object = cJSON_ParseWithOpts(line, NULL, 1);
	struct ss_trace_row *row = NULL;
	const cJSON *hashes, *id;

	if (!cJSON_IsObject(object))
		wrong(p, "is no JSON object");
	else if (find_format(p, object))
		row = new_row(p);
	if (row && member_time(p, object, &row->arrival_s) &&
	    member(p, object, p->format->prompt, &row->prompt) &&
	    member(p, object, p->format->output, &row->output)) {
		hashes = p->format->hashes
				 ? cJSON_GetObjectItemCaseSensitive(object, p->format->hashes)
				 : NULL;
		cJSON_ArrayForEach(id, hashes)
		{
			if (cJSON_IsNumber(id))
				add_hash(p, row, id->valuedouble);
		}
		p->out->count++;
	}
	cJSON_Delete(object);
}

/* -- the whole --------------------------------------------------------------------------------- */

static void read_lines(struct parser *p, char *text)
{
	bool is_table = text[strspn(text, " \t\r\n")] != '{';

	for (char *line = text, *next; line && !p->has_failed && !p->is_out_of_memory;
	     line = next) {
		char *cells[COLUMNS_MAX];
		size_t count;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p->line++;
		if (!line[strspn(line, " \t\r")])
			continue;
		if (!is_table) {
			read_line_object(p, line);
			continue;
		}
		count = cut(line, cells);
		if (p->format)
			read_cells(p, cells, count);
		else
			read_heading(p, cells, count);
	}
}

/** Arrivals in order (the sort keeps equal ones as they stand), dates from the first one. */
static int compare(const void *a, const void *b)
{
	const struct ss_trace_row *x = a, *y = b;

	if (x->arrival_s != y->arrival_s)
		return x->arrival_s < y->arrival_s ? -1 : 1;
	return x->hashes < y->hashes ? -1 : x->hashes > y->hashes;
}

static void finish(struct parser *p)
{
	struct ss_trace *t = p->out;
	const int64_t *at = t->hashes;
	bool is_sorted = true;

	for (size_t i = 0; i < t->count; i++) {
		t->rows[i].hashes = at;
		if (t->rows[i].hash_count)
			at += t->rows[i].hash_count;
		is_sorted &= i == 0 || t->rows[i].arrival_s >= t->rows[i - 1].arrival_s;
	}
	if (!is_sorted)
		qsort(t->rows, t->count, sizeof(*t->rows), compare);
	for (size_t i = t->count; p->format->clock == CLOCK_DATE && i-- > 0;)
		t->rows[i].arrival_s -= t->rows[0].arrival_s;
}

enum ss_status ss_trace_parse(struct ss_trace *out, const char *text, size_t length,
			      const char *file, struct ss_problems *problems)
{
	struct ss_trace trace = { 0 };
	struct parser p = { .out = &trace, .problems = problems, .file = file };
	char *copy = malloc(length + 1);

	p.is_out_of_memory = !copy;
	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
		read_lines(&p, copy);
	}
	free(copy);
	if (!p.has_failed && !p.is_out_of_memory && !trace.count)
		wrong(&p, "holds no request");
	if (p.has_failed || p.is_out_of_memory) {
		ss_trace_release(&trace);
		return p.is_out_of_memory ? SS_ENOMEM : SS_EDOCUMENT;
	}
	finish(&p);
	*out = trace;
	return SS_OK;
}

enum ss_status ss_trace_load(struct ss_trace *out, const char *path, struct ss_problems *problems)
{
	size_t length;
	char *text = json_read_file(path, &length, problems);
	enum ss_status rc;

	if (!text)
		return SS_EDOCUMENT;
	rc = ss_trace_parse(out, text, length, path, problems);
	free(text);
	return rc;
}

void ss_trace_release(struct ss_trace *trace)
{
	free(trace->rows);
	free(trace->hashes);
	*trace = (struct ss_trace){ 0 };
}
