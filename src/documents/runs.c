/* Tables of published runs: the heading says what each column is. */
#include "stepscope/runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/csv.h"
#include "documents/json.h"
#include "documents/value_text.h"
#include "stepscope/nearest.h"

enum { FAULT_SIZE = 160, ROWS_MAX = 1000000 };
static const int64_t TOKENS_MAX = 1000000000;
static const double MS = 1e-3;

/** What a column is: one of ours, a setting, or nothing known. */
struct heading {
	enum ss_run_column own; /* SS_RUN_COLUMN_COUNT: a setting */
	const char *path;       /* of a setting; NULL */
};

struct reader {
	struct ss_runs *out;
	struct ss_problems *problems;
	const char *file;
	size_t line;
	struct heading columns[CSV_CELLS_MAX];
	size_t column_count, setting_columns;
	int at[SS_RUN_COLUMN_COUNT]; /* the column of ours; -1 */
	size_t capacity;
	bool has_failed, is_out_of_memory;
};

const char *ss_run_column_name(enum ss_run_column column)
{
	static const char *const names[] = {
#define SS_X(id, name, what) name,
		SS_RUN_COLUMNS(SS_X)
#undef SS_X
	};

	return names[column];
}

const char *ss_run_column_what(enum ss_run_column column)
{
	static const char *const what[] = {
#define SS_X(id, name, what) what,
		SS_RUN_COLUMNS(SS_X)
#undef SS_X
	};

	return what[column];
}

static void wrong(struct reader *r, const char *format, ...) SS_PRINTF(2, 3);

/** The table as a whole cannot be read. */
static void wrong(struct reader *r, const char *format, ...)
{
	char message[400], place[32];
	va_list args;

	r->has_failed = true;
	va_start(args, format);
	(void)vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	(void)snprintf(place, sizeof(place), "line %zu", r->line);
	(void)ss_problems_add(r->problems, SS_ERROR, "runs", r->file, place, "%s", message);
}

/* -- the heading ------------------------------------------------------------------------ */

static enum ss_run_column own_column(const char *name)
{
	enum ss_run_column c = (enum ss_run_column)0;

	while (c < SS_RUN_COLUMN_COUNT && strcmp(ss_run_column_name(c), name) != 0)
		c++;
	return c;
}

static void read_column(struct reader *r, size_t index, const char *name)
{
	struct heading *column = &r->columns[index];
	enum ss_field_id field;
	struct ss_error err = { 0 };

	column->own = own_column(name);
	if (column->own < SS_RUN_COLUMN_COUNT) {
		if (r->at[column->own] >= 0)
			wrong(r, "column %s is there twice", name);
		r->at[column->own] = (int)index;
		return;
	}
	field = ss_field_find(name, &err);
	if (field < SS_FIELD_COUNT && ss_field(field)->owner != SS_OWNER_WORKLOAD) {
		column->path = name;
		r->setting_columns++;
		return;
	}
	r->out->unknown[r->out->unknown_count++] = name;
}

/** The name of a column that is not there, and of the one that may be meant. */
static void wants(struct reader *r, const char *what, const char *name)
{
	const char *near = ss_closest_word(name, r->out->unknown, r->out->unknown_count);

	wrong(r, "the heading wants %s%s%s%s", what, near ? "; is " : "", near ? near : "",
	      near ? " meant for it?" : "");
}

static bool has(const struct reader *r, enum ss_run_column column)
{
	return r->at[column] >= 0;
}

static void check_heading(struct reader *r)
{
	if (!has(r, SS_RUN_MODEL))
		wants(r, "a column model", "model");
	else if (!has(r, SS_RUN_PART))
		wants(r, "a column part", "part");
	else if (!has(r, SS_RUN_TPOT_MS) && !has(r, SS_RUN_TTFT_MS))
		wants(r, "a column tpot_ms or ttft_ms: what was measured", "tpot_ms");
	else if (has(r, SS_RUN_CONCURRENCY) && has(r, SS_RUN_BATCH))
		wrong(r, "concurrency and batch are the same thing: one of them is enough");
	else if (!has(r, SS_RUN_CONCURRENCY) && !has(r, SS_RUN_BATCH))
		wants(r, "a column concurrency (or batch): requests at once", "concurrency");
	else if (!has(r, SS_RUN_PROMPT) && !has(r, SS_RUN_PROMPT_LOW) &&
		 !has(r, SS_RUN_PROMPT_HIGH))
		wants(r, "a column prompt, or prompt_low and prompt_high: tokens in", "prompt");
	else if (!has(r, SS_RUN_OUTPUT) && !has(r, SS_RUN_OUTPUT_LOW) &&
		 !has(r, SS_RUN_OUTPUT_HIGH))
		wants(r, "a column output, or output_low and output_high: tokens out", "output");
}

static void read_heading(struct reader *r, char *const *cells, size_t count)
{
	for (int c = 0; c < SS_RUN_COLUMN_COUNT; c++)
		r->at[c] = -1;
	if (count > CSV_CELLS_MAX) {
		wrong(r, "%zu columns, at most %d are read", count, CSV_CELLS_MAX);
		return;
	}
	r->out->unknown = calloc(count, sizeof(*r->out->unknown));
	r->is_out_of_memory = !r->out->unknown;
	r->column_count = count;
	for (size_t i = 0; i < count && !r->has_failed && !r->is_out_of_memory; i++)
		read_column(r, i, cells[i]);
	if (!r->has_failed && !r->is_out_of_memory)
		check_heading(r);
}

/* -- a row ------------------------------------------------------------------------------- */

/** A row's cells, and room to say what is wrong with them. */
struct row {
	struct reader *r;
	char *const *cells;
	char fault[FAULT_SIZE]; /* "": nothing */
};

static void bad(struct row *row, const char *format, ...) SS_PRINTF(2, 3);

/** The first fault of a row is said. */
static void bad(struct row *row, const char *format, ...)
{
	va_list args;

	if (*row->fault)
		return;
	va_start(args, format);
	(void)vsnprintf(row->fault, sizeof(row->fault), format, args);
	va_end(args);
}

static const char *cell(const struct row *row, enum ss_run_column column)
{
	return has(row->r, column) ? row->cells[row->r->at[column]] : "";
}

static int64_t read_whole(struct row *row, enum ss_run_column column, int64_t least)
{
	const char *text = cell(row, column);
	int64_t number = 0;

	if (!*text)
		return 0;
	if (!parse_integer(text, &number) || number < least || number > TOKENS_MAX)
		bad(row, "column %s: \"%.40s\" wants a whole number from %lld to %lld",
		    ss_run_column_name(column), text, (long long)least, (long long)TOKENS_MAX);
	return number;
}

static double read_ms(struct row *row, enum ss_run_column column)
{
	const char *text = cell(row, column);
	double number = 0;

	if (!*text)
		return 0;
	if (!parse_number(text, &number) || !(number > 0))
		bad(row, "column %s: \"%.40s\" wants milliseconds, a number above 0",
		    ss_run_column_name(column), text);
	return number * MS;
}

/** Both ends of a length: stated as one number, or either end alone, or both. */
static void read_length(struct row *row, enum ss_run_column one, enum ss_run_column from,
			enum ss_run_column to, int64_t *low, int64_t *high)
{
	int64_t number = read_whole(row, one, 1);

	*low = read_whole(row, from, 1);
	*high = read_whole(row, to, 1);
	if (!*low)
		*low = number ? number : *high;
	if (!*high)
		*high = number ? number : *low;
	if (!*low)
		bad(row, "column %s: no tokens are stated",
		    ss_run_column_name(has(row->r, one) ? one : from));
	else if (*low > *high)
		bad(row, "column %s: %lld is above %s %lld", ss_run_column_name(from),
		    (long long)*low, ss_run_column_name(to), (long long)*high);
}

static void read_settings(struct row *row, struct ss_run *run)
{
	struct reader *r = row->r;

	run->settings = r->out->settings + r->out->count * r->setting_columns;
	for (size_t i = 0; i < r->column_count; i++)
		if (r->columns[i].path && *row->cells[i])
			run->settings[run->setting_count++] =
				(struct ss_run_setting){ r->columns[i].path, row->cells[i] };
}

static void read_run(struct row *row, struct ss_run *run)
{
	enum ss_run_column requests = has(row->r, SS_RUN_BATCH) ? SS_RUN_BATCH : SS_RUN_CONCURRENCY;

	run->model = cell(row, SS_RUN_MODEL);
	run->part = cell(row, SS_RUN_PART);
	run->precision = cell(row, SS_RUN_PRECISION);
	run->engine_version = cell(row, SS_RUN_ENGINE_VERSION);
	run->source = cell(row, SS_RUN_SOURCE);
	if (!*run->model || !*run->part)
		bad(row, "column %s is empty", *run->model ? "part" : "model");
	run->ep = read_whole(row, SS_RUN_EP, 0);
	run->concurrency = read_whole(row, requests, 1);
	if (!run->concurrency)
		bad(row, "column %s: no number of requests is stated",
		    ss_run_column_name(requests));
	read_length(row, SS_RUN_PROMPT, SS_RUN_PROMPT_LOW, SS_RUN_PROMPT_HIGH, &run->prompt_low,
		    &run->prompt_high);
	read_length(row, SS_RUN_OUTPUT, SS_RUN_OUTPUT_LOW, SS_RUN_OUTPUT_HIGH, &run->output_low,
		    &run->output_high);
	run->ttft_s = read_ms(row, SS_RUN_TTFT_MS);
	run->tpot_s = read_ms(row, SS_RUN_TPOT_MS);
	if (!(run->ttft_s > 0) && !(run->tpot_s > 0))
		bad(row, "column %s: nothing was measured",
		    ss_run_column_name(has(row->r, SS_RUN_TPOT_MS) ? SS_RUN_TPOT_MS
								   : SS_RUN_TTFT_MS));
	read_settings(row, run);
}

static bool make_room(struct reader *r)
{
	size_t capacity = r->capacity ? r->capacity * 2 : 512;
	size_t width = r->setting_columns ? r->setting_columns : 1;
	struct ss_runs *out = r->out;
	struct ss_run_setting *settings;
	struct ss_run *items;
	char *faults;

	if (out->count < r->capacity)
		return true;
	items = realloc(out->items, capacity * sizeof(*items));
	out->items = items ? items : out->items;
	settings = realloc(out->settings, capacity * width * sizeof(*settings));
	out->settings = settings ? settings : out->settings;
	faults = realloc(out->faults, capacity * FAULT_SIZE);
	out->faults = faults ? faults : out->faults;
	if (items && settings && faults)
		r->capacity = capacity;
	r->is_out_of_memory = !items || !settings || !faults;
	return !r->is_out_of_memory;
}

static void add_row(struct reader *r, char *const *cells, size_t count)
{
	struct row row = { .r = r, .cells = cells };
	static const struct ss_run nothing = {
		.model = "", .part = "", .precision = "", .engine_version = "", .source = ""
	};
	struct ss_run run = nothing;

	if (!make_room(r))
		return;
	if (count != r->column_count)
		bad(&row, "has %zu columns where the heading has %zu", count, r->column_count);
	else
		read_run(&row, &run);
	run.line = r->line;
	memcpy(r->out->faults + r->out->count * FAULT_SIZE, row.fault, FAULT_SIZE);
	r->out->fault_count += *row.fault != '\0';
	r->out->items[r->out->count++] = run;
}

/* -- the whole ---------------------------------------------------------------------------- */

static void read_table(struct reader *r, char *text)
{
	char *cells[CSV_CELLS_MAX];
	struct csv csv;
	bool has_heading = false, is_open;
	size_t count;

	csv_init(&csv, text);
	while (!r->has_failed && !r->is_out_of_memory &&
	       (count = csv_next(&csv, cells, &is_open)) > 0) {
		r->line = csv.line;
		if (is_open)
			wrong(r, "a quote is opened here and never closed");
		else if (!has_heading)
			read_heading(r, cells, count);
		else if (r->out->count == ROWS_MAX)
			wrong(r, "more than %d runs", ROWS_MAX);
		else
			add_row(r, cells, count);
		has_heading = true;
	}
	if (!r->has_failed && !r->is_out_of_memory && !r->out->count)
		wrong(r, has_heading ? "a heading and no run below it"
				     : "is empty, wants a heading and a row a run");
}

/** Pointers into what grew are set once it no longer does. */
static void settle(struct ss_runs *runs, size_t setting_columns)
{
	for (size_t i = 0; i < runs->count; i++) {
		runs->items[i].settings = runs->settings + i * setting_columns;
		runs->items[i].fault = runs->faults + i * FAULT_SIZE;
	}
}

enum ss_status ss_runs_parse(struct ss_runs *out, const char *text, size_t length, const char *file,
			     struct ss_problems *problems)
{
	struct ss_runs runs = { .text = malloc(length + 1) };
	struct reader r = { .out = &runs, .problems = problems, .file = file, .line = 1 };

	r.is_out_of_memory = !runs.text;
	if (runs.text) {
		memcpy(runs.text, text, length);
		runs.text[length] = '\0';
		read_table(&r, runs.text);
	}
	if (r.has_failed || r.is_out_of_memory) {
		ss_runs_release(&runs);
		return r.is_out_of_memory ? SS_ENOMEM : SS_EDOCUMENT;
	}
	settle(&runs, r.setting_columns);
	*out = runs;
	return SS_OK;
}

enum ss_status ss_runs_load(struct ss_runs *out, const char *path, struct ss_problems *problems)
{
	size_t length;
	char *text = json_read_file(path, &length, problems);
	enum ss_status rc;

	if (!text)
		return problems->is_out_of_memory ? SS_ENOMEM : SS_EDOCUMENT;
	rc = ss_runs_parse(out, text, length, path, problems);
	free(text);
	return rc;
}

void ss_runs_release(struct ss_runs *runs)
{
	free(runs->items);
	free(runs->settings);
	free(runs->faults);
	free(runs->unknown);
	free(runs->text);
	*runs = (struct ss_runs){ 0 };
}
