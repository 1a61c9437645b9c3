#include "cli/engine_cmd.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/engine_args.h"
#include "cli/engine_words.h"
#include "files/out.h"
#include "text/shown.h"

enum { MOST_BYTES = 64 << 20, PATH_BYTES = 4096 };

/* The object that stands on the output beside the lines of the errors. */
static cJSON *error_json(const char *kind, cJSON **list)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *error = cJSON_AddObjectToObject(root, "error");

	cJSON_AddStringToObject(error, "kind", kind);
	*list = cJSON_AddArrayToObject(error, "problems");
	cJSON_AddNumberToObject(root, "format", 1);
	return root;
}

static void add_problem(cJSON *list, const char *code, const char *pointer, const char *message)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "code", code);
	cJSON_AddArrayToObject(item, "fixes");
	cJSON_AddStringToObject(item, "message", message);
	cJSON_AddStringToObject(item, "pointer", pointer);
	cJSON_AddItemToArray(list, item);
}

static void print_error(struct engine_run *run, cJSON *root)
{
	FILE *answer = run->out;

	run->out = run->console; /* an error is no answer: it stays out of the file */
	engine_print_json(run, root);
	run->out = answer;
}

int engine_usage(struct engine_run *run, const char *format, ...)
{
	char message[512];
	va_list args;
	cJSON *root;
	cJSON *list;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(run->err, "stepscope engine: %s\n", message);
	if (run->is_json) {
		root = error_json("usage", &list);
		add_problem(list, "usage", "", message);
		print_error(run, root);
	}
	return EXIT_USAGE;
}

void engine_problems(struct engine_run *run, struct ss_problems *problems)
{
	cJSON *list = NULL;
	cJSON *root = run->is_json && problems->count > 0 ? error_json("document", &list) : NULL;

	for (size_t i = 0; i < problems->count; i++) {
		const struct ss_problem *p = &problems->items[i];

		fprintf(run->err, "%s%s%s: %s\n", p->file, p->pointer[0] ? ":" : "", p->pointer,
			p->message);
		run->has_bad_form |= strcmp(p->code, "syntax") == 0;
		if (root)
			add_problem(list, p->code, p->pointer[0] ? p->pointer : p->file,
				    p->message);
	}
	if (root)
		print_error(run, root);
	ss_problems_release(problems);
}

int engine_status(enum ss_status status)
{
	switch (status) {
	case SS_OK:
		return EXIT_FINE;
	case SS_EREFUSED:
		return EXIT_REFUSED;
	case SS_EUSAGE:
		return EXIT_USAGE;
	case SS_EDOCUMENT:
		return EXIT_DOCUMENT;
	case SS_ENOMEM:
	case SS_EIO:
		break;
	}
	return EXIT_SYSTEM;
}

static int no_memory(struct engine_run *run)
{
	fprintf(run->err, "stepscope engine: out of memory\n");
	return EXIT_SYSTEM;
}

static int cannot_write(struct engine_run *run, const struct ss_error *err)
{
	fprintf(run->err, "stepscope engine: %s: %s\n", err->where, err->message);
	return EXIT_SYSTEM;
}

static unsigned file_how(const struct engine_run *run)
{
	return run->is_forced ? FILE_REPLACE : 0;
}

int engine_write(struct engine_run *run, const char *text, size_t length)
{
	struct ss_error err = { 0 };

	if (fwrite(text, 1, length, run->out) == length)
		return EXIT_FINE;
	(void)ss_fail(&err, SS_EIO, "standard output", "cannot be written: %s", strerror(errno));
	return cannot_write(run, &err);
}

int engine_print_json(struct engine_run *run, cJSON *root)
{
	char *text = root ? cJSON_Print(root) : NULL;
	struct xbuf line = { 0 };
	int status;

	cJSON_Delete(root);
	if (!text)
		return no_memory(run);
	shown_add(&line, text, strlen(text), SHOWN_JSON);
	xbuf_putc(&line, '\n');
	cJSON_free(text);
	status = engine_write(run, line.data, line.len);
	xbuf_release(&line);
	return status;
}

/* NULL with errno set. A file past the limit is cut there; loading refuses it. */
static char *read_stream(FILE *f, size_t *length)
{
	char *text = NULL;
	size_t capacity = 0;
	size_t n = 0;

	do {
		if (n == capacity) {
			size_t more = capacity ? capacity * 2 : 1 << 16;
			char *grown = realloc(text, more);

			if (!grown)
				break;
			text = grown;
			capacity = more;
		}
		n += fread(text + n, 1, capacity - n, f);
	} while (!feof(f) && !ferror(f) && n <= MOST_BYTES);
	if (ferror(f) || (!feof(f) && n <= MOST_BYTES)) {
		free(text);
		return NULL;
	}
	*length = n;
	return text;
}

static char *read_file(struct engine_run *run, const char *path, size_t *length)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	char *text = f ? read_stream(f, length) : NULL;

	if (!text)
		fprintf(run->err, "%s: cannot be read: %s\n", path, strerror(errno));
	if (f && f != stdin)
		fclose(f);
	return text;
}

static bool is_pack_text(const char *text, size_t length)
{
	size_t i = 0;

	while (i < length && strchr(" \t\r\n", text[i]))
		i++;
	return i < length && text[i] == '{';
}

int engine_load_any(struct engine_run *run, const char *path, struct ss_reference **out,
		    char **text, size_t *length)
{
	struct ss_problems problems = { 0 };
	size_t n = 0;
	char *read = read_file(run, path, &n);
	enum ss_status rc;

	if (!read)
		return EXIT_SYSTEM;
	if (n > MOST_BYTES)
		rc = ss_reference_parse(out, read, n, path, &problems);
	else if (is_pack_text(read, n))
		rc = ss_reference_parse(out, read, n, path, &problems);
	else
		rc = ss_reference_import(out, read, n, run->name, run->version, path, &problems);
	if (problems.is_out_of_memory)
		rc = SS_ENOMEM;
	if (rc != SS_ENOMEM)
		engine_problems(run, &problems);
	ss_problems_release(&problems);
	if (rc == SS_ENOMEM)
		no_memory(run);
	if (rc || !text) {
		free(read);
		return engine_status(rc);
	}
	*text = read;
	*length = n;
	return EXIT_FINE;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t a = strlen(name);
	size_t b = strlen(suffix);

	return a > b && strcmp(name + a - b, suffix) == 0;
}

/* Does the file hold a reference, and not only the lists of a release? */
static bool carries_reference(struct engine_run *run, const char *path)
{
	struct stat about;
	size_t length = 0;
	char *text;
	cJSON *root;
	bool carries;

	/* A pipe among the packs is none, and would be waited for. */
	if (!stat(path, &about) && !S_ISREG(about.st_mode))
		return false;
	text = read_file(run, path, &length);
	run->has_unread |= !text;
	root = text ? cJSON_ParseWithLength(text, length) : NULL;
	carries = cJSON_GetObjectItemCaseSensitive(root, "attention_routes") != NULL;
	cJSON_Delete(root);
	free(text);
	return carries;
}

/* The first pack by name that carries a reference; false when there is none. */
static bool find_pack(struct engine_run *run, char *path, size_t size)
{
	struct dirent **entries = NULL;
	int count = scandir(run->folder, &entries, NULL, alphasort);
	bool is_found = false;

	for (int i = 0; i < count; i++) {
		if (!is_found && !run->has_unread && has_suffix(entries[i]->d_name, ".json")) {
			snprintf(path, size, "%s/%s", run->folder, entries[i]->d_name);
			is_found = carries_reference(run, path);
		}
		free(entries[i]);
	}
	free(entries);
	return is_found;
}

/* A name is looked up in the folder: `vllm-sm70`. A path is a path. */
static bool pack_path(struct engine_run *run, char *path, size_t size)
{
	const char *pack = run->pack;

	if (!pack)
		return run->folder && find_pack(run, path, size);
	if (run->folder && !strchr(pack, '/') && !has_suffix(pack, ".json"))
		snprintf(path, size, "%s/%s.json", run->folder, pack);
	else
		snprintf(path, size, "%s", pack);
	return true;
}

int engine_load_pack(struct engine_run *run, struct ss_reference **out)
{
	char path[PATH_BYTES];

	if (!pack_path(run, path, sizeof(path))) {
		if (run->has_unread)
			return EXIT_SYSTEM;
		fprintf(run->err, "stepscope engine: no pack with a reference in %s\n",
			run->folder ? run->folder : "the registry");
		return EXIT_DOCUMENT;
	}
	return engine_load_any(run, path, out, NULL, NULL);
}

static int render_text(struct engine_run *run, const struct ss_reference *r, bool is_json,
		       char **text, size_t *length)
{
	enum ss_status rc = is_json ? ss_reference_json(text, length, r)
				    : ss_reference_markdown(text, length, r);

	return rc ? no_memory(run) : EXIT_FINE;
}

static int engine_render(struct engine_run *run)
{
	char *text = NULL;
	size_t length = 0;
	int status;

	if (run->word_count > 1)
		return engine_usage(run, "render takes one pack, found `%s` too", run->words[1]);
	if (run->word_count == 1)
		run->pack = run->words[0];
	status = engine_load_pack(run, &run->reference);
	if (!status)
		status = render_text(run, run->reference, run->is_json, &text, &length);
	if (!status)
		status = engine_write(run, text, length);
	free(text);
	return status;
}

static cJSON *comparison_json(const struct ss_comparison *c, bool is_equal)
{
	cJSON *root = cJSON_CreateObject();

	cJSON_AddNumberToObject(root, "added", (double)c->added);
	cJSON_AddNumberToObject(root, "changed", (double)c->changed);
	cJSON_AddBoolToObject(root, "equal", is_equal);
	cJSON_AddNumberToObject(root, "format", 1);
	cJSON_AddNumberToObject(root, "removed", (double)c->removed);
	cJSON_AddStringToObject(root, "summary", c->text);
	return root;
}

static int print_comparison(struct engine_run *run, const struct ss_comparison *c)
{
	bool is_equal = c->added + c->removed + c->changed == 0;
	int status = EXIT_FINE;

	if (run->is_json)
		status = engine_print_json(run, comparison_json(c, is_equal));
	else if (!run->is_quiet)
		status = engine_write(run, c->text, strlen(c->text));
	if (status)
		return status;
	return is_equal ? EXIT_FINE : EXIT_REFUSED;
}

/* Where two texts part: the line of the first byte that differs. */
static size_t first_difference(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t line = 1;

	for (size_t i = 0; i < a_length && i < b_length && a[i] == b[i]; i++)
		line += a[i] == '\n';
	return line;
}

static int check_exact(struct engine_run *run, const char *path, const char *text, size_t length)
{
	char *rendered = NULL;
	size_t n = 0;
	int status = render_text(run, run->reference, is_pack_text(text, length), &rendered, &n);

	if (!status && (n != length || memcmp(text, rendered, n) != 0)) {
		fprintf(run->err, "%s:%zu: differs from what would be rendered\n", path,
			first_difference(text, length, rendered, n));
		status = EXIT_REFUSED;
	}
	free(rendered);
	return status;
}

static int engine_check(struct engine_run *run)
{
	struct ss_reference *other = NULL;
	struct ss_comparison c = { 0 };
	char *text = NULL;
	size_t length = 0;
	char name[192];
	int status;

	if (run->word_count != 1)
		return engine_usage(run, "check takes one file");
	status = engine_load_pack(run, &run->reference);
	if (!status) {
		status = engine_load_any(run, run->words[0], &other, &text, &length);
		/* a cell that says what cannot be is a cell that differs */
		if (status == EXIT_DOCUMENT && !run->has_bad_form)
			status = EXIT_REFUSED;
	}
	if (!status) {
		snprintf(name, sizeof(name), "%s-%s", run->reference->name,
			 run->reference->version);
		if (ss_reference_compare(&c, run->reference, name, other, run->words[0],
					 SS_COMPARE_TABLES))
			status = no_memory(run);
	}
	if (!status)
		status = print_comparison(run, &c);
	if (!status && run->is_exact)
		status = check_exact(run, run->words[0], text, length);
	free(c.text);
	free(text);
	ss_reference_free(other);
	return status;
}

static int engine_import(struct engine_run *run)
{
	char *text = NULL;
	size_t length = 0;
	int status;

	if (run->word_count != 1)
		return engine_usage(run, "import takes one file");
	run->is_exact_text = true;
	status = engine_load_any(run, run->words[0], &run->reference, NULL, NULL);
	if (!status)
		status = render_text(run, run->reference, true, &text, &length);
	if (!status)
		status = engine_write(run, text, length);
	free(text);
	return status;
}

/* A side of diff is a file, or a pack's name. */
static int load_side(struct engine_run *run, const char *side, struct ss_reference **out)
{
	FILE *f = fopen(side, "rb");

	if (f || strcmp(side, "-") == 0) {
		if (f)
			fclose(f);
		return engine_load_any(run, side, out, NULL, NULL);
	}
	run->pack = side;
	return engine_load_pack(run, out);
}

static int engine_diff(struct engine_run *run)
{
	struct ss_reference *other = NULL;
	struct ss_comparison c = { 0 };
	int status;

	if (run->word_count != 2)
		return engine_usage(run, "diff takes two packs or references");
	status = load_side(run, run->words[0], &run->reference);
	if (!status)
		status = load_side(run, run->words[1], &other);
	if (!status && ss_reference_compare(&c, run->reference, run->words[0], other, run->words[1],
					    SS_COMPARE_ALL))
		status = no_memory(run);
	if (!status)
		status = print_comparison(run, &c);
	free(c.text);
	ss_reference_free(other);
	return status == EXIT_REFUSED ? EXIT_FINE : status;
}

static const struct {
	const char *name;
	int (*run)(struct engine_run *run);
	bool has_own_options;
} commands[] = {
#define X(id, name, arguments, has_own_options, help) { name, engine_##id, has_own_options },
	ENGINE_COMMAND_LIST(X)
#undef X
};

/* The value of an option: after `=`, or the next word. NULL: there is none. */
static const char *option_value(struct engine_run *run, int *at, const char *name)
{
	const char *word = run->argv[*at];
	size_t length = strlen(name);

	if (word[length] == '=')
		return word + length + 1;
	return *at + 1 < run->argc ? run->argv[++*at] : NULL;
}

static bool is_option(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

static int take_format(struct engine_run *run, const char *value)
{
	static const char *const forms[] = {
		[ENGINE_TEXT] = "text", [ENGINE_CSV] = "csv", [ENGINE_MARKDOWN] = "markdown"
	};
	bool is_form = false;

	run->is_json = strcmp(value, "json") == 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(value, forms[i]) == 0) {
			run->form = (enum engine_form)i;
			is_form = true;
		}
	if (is_form || run->is_json)
		return EXIT_FINE;
	return engine_usage(run, "--format must be text, json, csv or markdown, got `%s`", value);
}

static int take_where(struct engine_run *run, const char *value)
{
	if (!strchr(value, '='))
		return engine_usage(run, "--where must be COLUMN=TEXT, got `%s`", value);
	if (run->where_count == ENGINE_WORDS_MAX)
		return engine_usage(run, "too many --where");
	run->wheres[run->where_count++] = value;
	return EXIT_FINE;
}

/* Options that take a text, and where it goes. */
static int take_option(struct engine_run *run, int *at, bool *is_taken)
{
	const struct {
		const char *name;
		const char **into;
	} texts[] = {
		{ "--pack", &run->pack },
		{ "--output", &run->output },
		{ "-o", &run->output },
		{ "--sort", &run->sort },
		{ "--name", &run->name },
		{ "--version", &run->version },
		{ "--registry", &run->registry },
		{ "--color", &run->color },
		{ "-C", &run->directory },
		{ "--where", NULL },
		{ "--format", NULL },
	};
	const char *word = run->argv[*at];

	*is_taken = true;
	if (strcmp(word, "--json") == 0) {
		run->is_json = true;
		return EXIT_FINE;
	}
	if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0) {
		run->is_quiet = true;
		return EXIT_FINE;
	}
	if (strcmp(word, "--force") == 0) {
		run->is_forced = true;
		return EXIT_FINE;
	}
	if (strcmp(word, "--exact") == 0) {
		run->is_exact = true;
		return EXIT_FINE;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *value;

		if (!is_option(word, texts[i].name))
			continue;
		value = option_value(run, at, texts[i].name);
		if (!value)
			return engine_usage(run, "%s needs a value", texts[i].name);
		if (texts[i].into)
			*texts[i].into = value;
		else if (strcmp(texts[i].name, "--where") == 0)
			return take_where(run, value);
		else
			return take_format(run, value);
		return EXIT_FINE;
	}
	*is_taken = false;
	return EXIT_FINE;
}

/* Words of a command that has options of its own are all kept for it. */
static int take_words(struct engine_run *run, bool has_own_options)
{
	for (int i = 1; i < run->argc; i++) {
		bool is_taken = false;
		int status = take_option(run, &i, &is_taken);

		if (status)
			return status;
		if (is_taken)
			continue;
		if (run->argv[i][0] == '-' && run->argv[i][1] && !has_own_options)
			return engine_usage(run, "unknown option `%s`", run->argv[i]);
		if (run->word_count == ENGINE_WORDS_MAX)
			return engine_usage(run, "too many words");
		run->words[run->word_count++] = run->argv[i];
	}
	return EXIT_FINE;
}

/* Nothing is worked out for a file that could not be written. */
static enum ss_status check_output(struct engine_run *run, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; run->output && i < run->word_count && !rc; i++)
		rc = file_out_spares(run->output, run->words[i], err);
	if (run->output && !rc)
		rc = file_out_check(run->output, file_how(run), err);
	return rc;
}

static int run_command(struct engine_run *run, size_t at)
{
	char folder[PATH_BYTES];
	struct ss_error err = { 0 };

	if (run->directory && chdir(run->directory) != 0) {
		fprintf(run->err, "stepscope engine: %s: cannot be entered: %s\n", run->directory,
			strerror(errno));
		return EXIT_SYSTEM;
	}
	if (run->registry) {
		snprintf(folder, sizeof(folder), "%s/engines", run->registry);
		run->folder = folder;
	}
	if (run->output && strcmp(run->output, "-") == 0)
		run->output = NULL;
	if (check_output(run, &err))
		return cannot_write(run, &err);
	if (run->form == ENGINE_CSV && commands[at].run != engine_list)
		return engine_usage(run, "%s has no rows for --format csv; list has",
				    commands[at].name);
	return commands[at].run(run);
}

/* What was answered, spelt out for a person, into the file or to the caller's stream. */
static int deliver(struct engine_run *run, struct xbuf *answer, struct xbuf *errors, int status)
{
	struct ss_error err = { 0 };
	bool is_text = !run->is_json && run->form != ENGINE_CSV && !run->is_exact_text;

	if (is_text)
		shown_buffer(answer, SHOWN_LINES);
	if (run->output && status < EXIT_USAGE)
		(void)!file_write(run->output, xbuf_text(answer), answer->len, file_how(run), &err);
	else if (fwrite(xbuf_text(answer), 1, answer->len, run->console) != answer->len)
		(void)ss_fail(&err, SS_EIO, "standard output", "cannot be written: %s",
			      strerror(errno));
	if (!err.status)
		return status;
	xbuf_printf(errors, "stepscope engine: %s: %s\n", err.where, err.message);
	return EXIT_SYSTEM;
}

/* A stream's text, which is taken over and freed. */
static void take_text(struct xbuf *out, FILE *stream, char **text, size_t *length)
{
	if (fclose(stream))
		out_of_memory();
	xbuf_add(out, *text, *length);
	free(*text);
}

static int run_named(struct engine_run *run)
{
	const char *name = run->argc > 0 ? run->argv[0] : NULL;

	for (size_t i = 0; name && i < sizeof(commands) / sizeof(commands[0]); i++) {
		int status;

		if (strcmp(name, commands[i].name) != 0)
			continue;
		status = take_words(run, commands[i].has_own_options);
		return status ? status : run_command(run, i);
	}
	return engine_usage(run, "must be list, show, admit, render, check, import or diff%s%s%s",
			    name ? ", found `" : "", name ? name : "", name ? "`" : "");
}

/* Run a command with both its streams held back until what they hold is spelt out. */
static int run_held(struct engine_run *run)
{
	FILE *err = run->err;
	char *texts[2] = { NULL, NULL };
	size_t lengths[2] = { 0, 0 };
	struct xbuf answer = { 0 }, errors = { 0 };
	int status;

	run->console = run->out;
	run->out = open_memstream(&texts[0], &lengths[0]);
	run->err = open_memstream(&texts[1], &lengths[1]);
	if (!run->out || !run->err)
		out_of_memory();
	status = run_named(run);
	take_text(&answer, run->out, &texts[0], &lengths[0]);
	take_text(&errors, run->err, &texts[1], &lengths[1]);
	status = deliver(run, &answer, &errors, status);
	shown_buffer(&errors, SHOWN_LINES);
	fwrite(xbuf_text(&errors), 1, errors.len, err);
	run->err = err;
	xbuf_release(&answer);
	xbuf_release(&errors);
	return status;
}

int engine_command(int argc, char **argv, const char *folder, FILE *out, FILE *err)
{
	struct engine_run run = { .argc = argc,
				  .argv = argv,
				  .folder = folder,
				  .out = out,
				  .err = err,
				  .name = "vllm",
				  .version = "sm70" };
	int status = run_held(&run);

	ss_reference_free(run.reference);
	return status;
}
