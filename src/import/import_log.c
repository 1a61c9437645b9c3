#include "import/import_log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/python_literal.h"

/* The longest lines dump a configuration; past this it is no log line. */
#define LINE_MAX_LENGTH 65536
#define TEXT_MAX 63

/* clang-format off */
/*
 * What the releases print. `%n` a number, `%u` GiB, GB or MiB (the number before it
 * is turned into GiB), `%w` a word, `%t` some text, `%*` anything, `%i` a number of
 * no interest. First number is the value, the next the second.
 */
static const struct {
	enum log_id id;
	const char *form;
} forms[] = {
	{ LOG_VERSION,       "vLLM API server version %w" },
	{ LOG_VERSION,       "LLM engine (v%w with config" },
	{ LOG_VERSION,       "LLM engine (v%w)" },
	{ LOG_LOADING,       "Model loading took %n %u" },
	{ LOG_LOADING,       "Loading model weights took %n %u" },
	{ LOG_AVAILABLE,     "Available KV cache memory: %n %u" },
	{ LOG_AVAILABLE,     "the rest of the memory reserved for KV Cache is %n%u" },
	{ LOG_KV_TOKENS,     "GPU KV cache size: %n tokens" },
	{ LOG_BLOCKS,        "# GPU blocks: %n," },
	{ LOG_BLOCKS,        "# cuda blocks: %n," },
	{ LOG_CONCURRENCY,   "Maximum concurrency for %n tokens per request: %nx" },
	{ LOG_BLOCK_SIZE,    "Setting attention block size to %n tokens" },
	{ LOG_MAMBA_PADDING, "Padding mamba page size by %n%" },
	{ LOG_BUDGET,        "Chunked prefill is enabled with max_num_batched_tokens=%n" },
	{ LOG_GRAPHS,        "Graph capturing finished in %i secs, took %n %u" },
	{ LOG_ATTENTION,     "Using %w attention backend" },
	{ LOG_ATTENTION,     "Using AttentionBackendEnum.%w backend" },
	{ LOG_ATTENTION,     "Using %t backend on V1 engine" },
	{ LOG_MOE,           "Using %t MoE backend" },
	{ LOG_MOE,           "Using %t backend for%*MoE" },
	{ LOG_GRAPH_MODE,    "CUDAGraphMode.%w is not supported%*setting cudagraph_mode=%w" },
	{ LOG_NEEDED,        "(%n %u KV cache is needed%*available KV cache memory (%n %u)" },
	{ LOG_MAX_LENGTH,    "estimated maximum model length is %n" },
	{ LOG_MAX_LENGTH,    "maximum number of tokens that can be stored in KV cache (%n)" },
	{ LOG_FREE,          "Free memory on device (%n/%n %u)" },
	{ LOG_FREE,          "Free memory on device cuda:%i (%n/%n %u)" },
	{ LOG_OUT_OF_MEMORY, "Tried to allocate %n %u" },
	{ LOG_NO_BLOCKS,     "No available memory for the cache blocks" },
	{ LOG_STATE_BLOCKS,  "max_num_seqs (%n) exceeds available Mamba cache blocks (%n)" },
};

static const struct {
	const char *label, *unit;
} figures[LOG_COUNT] = {
#define ROW(id, label, unit) { label, unit },
	LOG_FIGURES(ROW)
#undef ROW
};
/* clang-format on */

#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

const char *log_label(enum log_id id)
{
	return figures[id].label;
}

const char *log_unit(enum log_id id)
{
	return figures[id].unit;
}

/** How a line fits a form. */
enum fit {
	FIT_NONE,
	FIT_CUT, /**< it fits as far as the line goes */
	FIT_WHOLE,
};

struct captured {
	double numbers[2];
	char texts[2][TEXT_MAX + 1];
	size_t number_count, text_count;
	size_t scaled_count; /**< numbers whose unit was read */
};

/** A number with thousands apart by commas; a full stop at its end is not part of it. */
static size_t number_length(const char *text, double *value)
{
	char digits[48];
	size_t at = 0, n = 0;

	while (n < sizeof(digits) - 1) {
		char c = text[at];
		bool has_next = c && isdigit((unsigned char)text[at + 1]);

		if (isdigit((unsigned char)c) || (c == '.' && n && has_next) ||
		    (c == '-' && !at && has_next))
			digits[n++] = c;
		else if (c != ',' || !n || !has_next)
			break;
		at++;
	}
	digits[n] = '\0';
	if (!n)
		return 0;
	*value = strtod(digits, NULL);
	return at;
}

static size_t unit_length(const char *text, double *scale)
{
	*scale = 1;
	if (!strncmp(text, "GiB", 3))
		return 3;
	if (!strncmp(text, "MiB", 3)) {
		*scale = 1.0 / 1024;
		return 3;
	}
	/* Older releases divide by 2^30 and call it GB. */
	return strncmp(text, "GB", 2) ? 0 : 2;
}

static void capture_text(struct captured *out, const char *text, size_t length)
{
	if (out->text_count == 2)
		return;
	snprintf(out->texts[out->text_count++], TEXT_MAX + 1, "%.*s", (int)length, text);
}

static void scale_numbers(struct captured *out, double scale)
{
	/* `10/79 GiB`: one unit for both. */
	for (; out->scaled_count < out->number_count; out->scaled_count++)
		out->numbers[out->scaled_count] *= scale;
}

/** A form's next run of literal text. */
static size_t literal_length(const char *form)
{
	size_t n = 0;

	while (form[n] && !(form[n] == '%' && form[n + 1] && strchr("nuwt*i", form[n + 1])))
		n++;
	return n;
}

/** Match `form` at the very start of `text`. */
static enum fit match_form(struct captured *out, const char *form, const char *text)
{
	*out = (struct captured){ 0 };
	while (*form) {
		size_t literal = literal_length(form), n = 0;
		double number = 0, scale;

		if (literal) {
			size_t same = 0;

			while (same < literal && text[same] == form[same])
				same++;
			if (same < literal)
				return text[same] ? FIT_NONE : FIT_CUT;
			text += literal;
			form += literal;
			continue;
		}
		if (!*text)
			return FIT_CUT;
		switch (form[1]) {
		case 'n':
		case 'i':
			n = number_length(text, &number);
			if (form[1] == 'n' && out->number_count < 2)
				out->numbers[out->number_count++] = number;
			break;
		case 'u':
			n = unit_length(text, &scale);
			if (!n && strlen(text) < 3)
				return FIT_CUT;
			scale_numbers(out, scale);
			break;
		case 'w':
			n = strcspn(text, " ),;'\"\t");
			if (n > 1 && text[n - 1] == '.')
				n--;
			capture_text(out, text, n);
			break;
		default: { /* text up to the literal that follows */
			size_t next = literal_length(form + 2);
			char *end, wanted[64];

			snprintf(wanted, sizeof(wanted), "%.*s", (int)next, form + 2);
			end = strstr(text, wanted);
			if (!end)
				return FIT_CUT;
			n = (size_t)(end - text);
			if (form[1] == 't') {
				if (!n || n > TEXT_MAX)
					return FIT_NONE;
				capture_text(out, text, n);
			}
			form += 2;
			text += n;
			continue;
		}
		}
		if (!n)
			return FIT_NONE;
		text += n;
		form += 2;
	}
	return FIT_WHOLE;
}

/* -- one line ------------------------------------------------------------------------- */

struct reader {
	struct serve_log *out;
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

static enum ss_status take(struct reader *r, enum log_id id, const struct captured *c,
			   const char *line, const char *at)
{
	struct log_figure figure = { .id = id, .rank = rank_of(line, at) };
	char text[2 * TEXT_MAX + 8];

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

/** Try every place of the line where a form's first words stand. */
static enum ss_status read_form(struct reader *r, size_t form, const char *line)
{
	char head[96];
	const char *at = line;

	snprintf(head, sizeof(head), "%.*s", (int)literal_length(forms[form].form),
		 forms[form].form);
	while ((at = strstr(at, head))) {
		struct captured c;
		enum fit fit = match_form(&c, forms[form].form, at);
		enum ss_status rc = SS_OK;

		/* A head as short as a bracket or one word starts other lines too. */
		if (fit == FIT_CUT && r->is_last && strlen(head) > 12)
			return is_truncated(r, "a figure");
		if (fit == FIT_WHOLE)
			rc = take(r, forms[form].id, &c, line, at);
		if (rc)
			return rc;
		at += strlen(head);
	}
	return SS_OK;
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
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < FORM_COUNT && !rc; i++)
		rc = read_form(r, i, line);
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
		char where[32];

		snprintf(where, sizeof(where), "line %zu", line);
		if (!c)
			return ss_fail(err, SS_EDOCUMENT, where,
				       "a NUL byte: this is a binary file, not a log");
		line += c == '\n';
		odd += c < ' ' && !strchr("\n\r\t\b\x1b", c);
		if (odd > 32 && odd > length / 64)
			return ss_fail(err, SS_EDOCUMENT, where,
				       "control bytes: this is a binary file, not a log");
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
	char *copy = strndup(text, length);
	bool is_log = false;

	for (size_t i = 0; copy && i < sizeof(marks) / sizeof(marks[0]); i++)
		is_log |= strstr(copy, marks[i]) != NULL;
	/* Any other log of the engine: a level and a source line. */
	is_log |= copy && strstr(copy, "INFO ") && strstr(copy, ".py:");
	free(copy);
	return is_log;
}
