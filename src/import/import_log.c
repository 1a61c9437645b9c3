#include "import/import_log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/log_forms.h"
#include "import/python_literal.h"

/* The longest lines dump a configuration; past this it is no log line. */
#define LINE_MAX_LENGTH 65536

/* clang-format off */
static const struct {
	const char *label, *unit;
} figures[LOG_COUNT] = {
#define ROW(id, label, unit) { label, unit },
	LOG_FIGURES(ROW)
#undef ROW
};
/* clang-format on */

const char *log_label(enum log_id id)
{
	return figures[id].label;
}

const char *log_unit(enum log_id id)
{
	return figures[id].unit;
}

/* -- one line ------------------------------------------------------------------------- */

struct reader {
	struct serve_log *out;
	/** Forms by their first two characters, 1 + index, chained by `next`. */
	unsigned char first[65536], next[LOG_FORM_MAX];
	size_t line;
	bool is_last; /**< the file ends with this line, without a newline */
	struct ss_error *err;
};

static enum ss_status no_memory(struct reader *r)
{
	return ss_fail(r->err, SS_ENOMEM, "", "out of memory");
}

static enum ss_status is_truncated(struct reader *r, const char *inside)
{
	char where[32];

	snprintf(where, sizeof(where), "line %zu", r->line);
	return ss_fail(r->err, SS_EDOCUMENT, where, "the log ends inside %s; it is truncated",
		       inside);
}

/** A worker's name without a number of its own. */
static bool has_worker(const char *start, const char *end)
{
	bool is_worker = false;

	for (const char *at = start; at < end; at++) {
		if (isdigit((unsigned char)*at))
			return false;
		is_worker |= !strncmp(at, "Worker", 6);
	}
	return is_worker;
}

/** `VllmWorker rank=3` of the last `(VllmWorker rank=3 pid=...)` before `at`. */
static char *rank_of(const char *line, const char *at)
{
	const char *pid = NULL, *start, *end;

	for (const char *p = strstr(line, "pid="); p && p < at; p = strstr(p + 1, "pid="))
		pid = p;
	if (!pid)
		return strdup("");
	for (start = pid; start > line && *start != '('; start--) {
		if (*start == ')')
			return strdup("");
	}
	if (*start != '(')
		return strdup("");
	start++;
	for (end = pid; end > start && end[-1] == ' '; end--)
		;
	/* Workers of one name are told apart by what follows it. */
	if (has_worker(start, end)) {
		end = pid;
		while (*end && !strchr("),", *end))
			end++;
	}
	return strndup(start, (size_t)(end - start));
}

static enum ss_status add_figure(struct reader *r, struct log_figure *figure, const char *text)
{
	struct serve_log *log = r->out;

	if (log->count == log->capacity) {
		size_t capacity = log->capacity ? log->capacity * 2 : 32;
		struct log_figure *grown = realloc(log->items, capacity * sizeof(*grown));

		if (!grown) {
			free(figure->rank);
			return no_memory(r);
		}
		log->items = grown;
		log->capacity = capacity;
	}
	figure->line = r->line;
	figure->text = strdup(text);
	if (!figure->text || !figure->rank) {
		free(figure->text);
		free(figure->rank);
		return no_memory(r);
	}
	log->items[log->count++] = *figure;
	return SS_OK;
}

static enum ss_status take(struct reader *r, enum log_id id, const struct log_captured *c,
			   const char *line, const char *at)
{
	struct log_figure figure = { .id = id, .rank = rank_of(line, at) };
	char text[2 * LOG_TEXT_MAX + 8];

	figure.value = c->numbers[0];
	figure.second = c->numbers[1];
	if (id == LOG_CONCURRENCY || id == LOG_STATE_BLOCKS) {
		figure.value = c->numbers[1];
		figure.second = c->numbers[0];
	}
	snprintf(text, sizeof(text), "%s%s%s", c->texts[0], c->text_count > 1 ? " -> " : "",
		 c->texts[1]);
	return add_figure(r, &figure, text);
}

static size_t pair_at(const char *text)
{
	return (size_t)(unsigned char)text[0] << 8 | (unsigned char)text[1];
}

static void index_forms(struct reader *r)
{
	for (size_t i = log_form_count(); i-- > 0;) {
		size_t pair = pair_at(log_form_text(i));

		r->next[i] = r->first[pair];
		r->first[pair] = (unsigned char)(i + 1);
	}
}

/** Try a form at a place of the line. */
static enum ss_status read_form(struct reader *r, size_t form, const char *line, const char *at)
{
	struct log_captured c;
	enum log_fit fit = log_form_match(&c, form, at);

	/* A head as short as a bracket or one word starts other lines too. */
	if (fit == LOG_FIT_CUT && r->is_last && log_form_head(form) > 12 &&
	    !strncmp(at, log_form_text(form), log_form_head(form)))
		return is_truncated(r, "a figure");
	return fit == LOG_FIT_WHOLE ? take(r, log_form_id(form), &c, line, at) : SS_OK;
}

static enum ss_status read_forms(struct reader *r, const char *line)
{
	enum ss_status rc = SS_OK;

	for (const char *at = line; at[0] && at[1] && !rc; at++) {
		for (unsigned form = r->first[pair_at(at)]; form && !rc; form = r->next[form - 1])
			rc = read_form(r, form - 1, line, at);
	}
	return rc;
}

/** `cudagraph_capture_sizes` of the configuration: the list in brackets after it. */
static enum ss_status read_sizes(struct reader *r, const char *line)
{
	static const char name[] = "cudagraph_capture_sizes";
	const char *at = strstr(line, name), *end;
	struct log_figure figure = { .id = LOG_CAPTURE_SIZES };
	char *list;
	enum ss_status rc;

	if (!at)
		return SS_OK;
	at += sizeof(name) - 1;
	at += strspn(at, "'\": =");
	if (*at != '[')
		return SS_OK;
	end = strchr(at, ']');
	if (!end)
		return r->is_last ? is_truncated(r, "the capture sizes") : SS_OK;
	list = strndup(at + 1, (size_t)(end - at) - 1);
	if (!list)
		return no_memory(r);
	for (const char *p = list; *p;) {
		double size;
		size_t n;

		p += strspn(p, ", ");
		n = strspn(p, "0123456789");
		if (!n)
			break;
		size = strtod(p, NULL);
		figure.value++;
		figure.second = size > figure.second ? size : figure.second;
		p += n;
	}
	figure.rank = rank_of(line, at);
	rc = add_figure(r, &figure, list);
	free(list);
	return rc;
}

/** Keys of the engine's configuration line that are flags, with the flag's name. */
static const struct {
	const char *key, *flag;
} config_keys[] = {
	{ "model", "model" },
	{ "max_seq_len", "max_model_len" },
	{ "tensor_parallel_size", "tensor_parallel_size" },
	{ "pipeline_parallel_size", "pipeline_parallel_size" },
	{ "data_parallel_size", "data_parallel_size" },
	{ "decode_context_parallel_size", "decode_context_parallel_size" },
	{ "quantization", "quantization" },
	{ "kv_cache_dtype", "kv_cache_dtype" },
	{ "enforce_eager", "enforce_eager" },
};

/** Drop what a dump of every argument says by default. */
static void drop_defaults(cJSON *object)
{
	for (cJSON *item = object->child, *next; item; item = next) {
		bool is_empty = cJSON_IsArray(item) && !item->child;

		next = item->next;
		if (cJSON_IsNull(item) || cJSON_IsFalse(item) || is_empty ||
		    (cJSON_IsString(item) &&
		     (!*item->valuestring || !strcmp(item->valuestring, "auto"))))
			cJSON_Delete(cJSON_DetachItemViaPointer(object, item));
	}
}

static cJSON *pick_config(cJSON *config)
{
	cJSON *flags = cJSON_CreateObject();

	for (size_t i = 0; flags && i < sizeof(config_keys) / sizeof(config_keys[0]); i++) {
		cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(config, config_keys[i].key);

		if (item)
			cJSON_AddItemToObject(flags, config_keys[i].flag, item);
	}
	cJSON_Delete(config);
	if (flags)
		drop_defaults(flags);
	return flags;
}

enum source {
	SOURCE_NON_DEFAULT,
	SOURCE_ALL,
	SOURCE_CONFIG,
};

static enum ss_status read_object(struct reader *r, const char *line, const char *head,
				  enum source source)
{
	const char *at = strstr(line, head);
	cJSON *object = NULL;
	size_t used;
	enum ss_status rc;

	if (!at || (source == SOURCE_CONFIG && r->out->arguments))
		return SS_OK;
	at += strlen(head);
	if (source == SOURCE_CONFIG && strncmp(at, "model=", 6) != 0)
		return SS_OK;
	if (source == SOURCE_ALL) /* its brackets are part of the value */
		at -= strlen("Namespace(");
	rc = python_object_read(&object, &used, at, strlen(at));
	if (rc == SS_ENOMEM)
		return no_memory(r);
	if (rc == SS_EDOCUMENT && r->is_last)
		return is_truncated(r, "the arguments");
	if (rc)
		return SS_OK;
	if (source == SOURCE_ALL)
		drop_defaults(object);
	if (source == SOURCE_CONFIG)
		object = pick_config(object);
	if (!object)
		return no_memory(r);
	cJSON_Delete(r->out->arguments);
	r->out->arguments = object;
	r->out->arguments_line = r->line;
	return SS_OK;
}

static enum ss_status read_line(struct reader *r, const char *line)
{
	enum ss_status rc = read_forms(r, line);

	if (!rc)
		rc = read_sizes(r, line);
	if (!rc)
		rc = read_object(r, line, " with config: ", SOURCE_CONFIG);
	if (!rc)
		rc = read_object(r, line, " args: Namespace(", SOURCE_ALL);
	if (!rc)
		rc = read_object(r, line, "non-default args: ", SOURCE_NON_DEFAULT);
	return rc;
}

/* -- the file ------------------------------------------------------------------------- */

/** Take out colours and other terminal sequences; control bytes become blanks. */
static void clean(char *line)
{
	char *to = line;

	for (const char *from = line; *from; from++) {
		if (*from == '\x1b') {
			if (from[1] == '[') {
				from += 2;
				while (*from && !(*from >= '@' && *from <= '~'))
					from++;
				if (!*from)
					break;
			}
			continue;
		}
		*to++ = (unsigned char)*from < ' ' ? ' ' : *from;
	}
	*to = '\0';
}

static enum ss_status check_text(const char *text, size_t length, struct ss_error *err)
{
	size_t odd = 0, line = 1;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= ' ')
			continue;
		line += c == '\n';
		odd += !strchr("\n\r\t\b\x1b", c);
		if (!c || (odd > 32 && odd > length / 64)) {
			char where[32];

			snprintf(where, sizeof(where), "line %zu", line);
			return ss_fail(err, SS_EDOCUMENT, where,
				       "%s: this is a binary file, not a log",
				       c ? "control bytes" : "a NUL byte");
		}
	}
	return SS_OK;
}

static enum ss_status read_span(struct reader *r, const char *start, size_t length)
{
	char *line;
	enum ss_status rc;

	if (!length || length > LINE_MAX_LENGTH)
		return SS_OK;
	line = strndup(start, length);
	if (!line)
		return no_memory(r);
	clean(line);
	rc = read_line(r, line);
	free(line);
	return rc;
}

enum ss_status serve_log_parse(struct serve_log *out, const char *text, size_t length,
			       struct ss_error *err)
{
	struct reader r = { .out = out, .err = err };
	enum ss_status rc = check_text(text, length, err);
	size_t at = 0;

	index_forms(&r);

	*out = (struct serve_log){ 0 };
	while (!rc && at < length) {
		const char *newline = memchr(text + at, '\n', length - at);
		size_t end = newline ? (size_t)(newline - text) : length;

		r.line++;
		/* A progress bar writes its lines over each other. */
		while (!rc && at < end) {
			const char *back = memchr(text + at, '\r', end - at);
			size_t part = back ? (size_t)(back - text) : end;

			r.is_last = part == length;
			rc = read_span(&r, text + at, part - at);
			at = part + 1;
		}
		at = end + 1;
	}
	out->line_count = r.line;
	if (rc)
		serve_log_release(out);
	return rc;
}

void serve_log_release(struct serve_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		free(log->items[i].rank);
		free(log->items[i].text);
	}
	free(log->items);
	cJSON_Delete(log->arguments);
	*log = (struct serve_log){ 0 };
}

const struct log_figure *serve_log_find(const struct serve_log *log, enum log_id id)
{
	for (size_t i = 0; i < log->count; i++) {
		if (log->items[i].id == id)
			return &log->items[i];
	}
	return NULL;
}

bool serve_log_range(const struct serve_log *log, enum log_id id, double *low, double *high)
{
	const struct log_figure *first = serve_log_find(log, id);

	if (!first)
		return false;
	*low = *high = first->value;
	for (size_t i = 0; i < log->count; i++) {
		if (log->items[i].id != id)
			continue;
		*low = log->items[i].value < *low ? log->items[i].value : *low;
		*high = log->items[i].value > *high ? log->items[i].value : *high;
	}
	return true;
}

bool serve_log_is(const char *text, size_t length)
{
	static const char *const marks[] = { "vLLM API server version", "LLM engine (v",
					     "Model loading took",      "Available KV cache memory",
					     "GPU KV cache size",       "non-default args: " };
	static const char *const levels[] = { "INFO ", "WARNING ", "ERROR " };
	char *copy = strndup(text, length);
	bool is_log = false;

	for (size_t i = 0; copy && i < sizeof(marks) / sizeof(marks[0]); i++)
		is_log |= strstr(copy, marks[i]) != NULL;
	/* Any other log of the engine: a level and a source line. */
	for (size_t i = 0; copy && i < sizeof(levels) / sizeof(levels[0]); i++)
		is_log |= strstr(copy, levels[i]) && strstr(copy, ".py:");
	free(copy);
	return is_log;
}
