#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/shown.h"
#include "text/words.h"
#include "cli/help.h"

static int status_of(enum ss_status rc)
{
	switch (rc) {
	case SS_OK:
		return EXIT_PRICED;
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
	return EXIT_FAILED;
}

bool batch_is_json(const struct batch *batch)
{
	return batch->arguments->format == FORMAT_JSON;
}

const char *batch_scenario(const struct batch *batch)
{
	return batch->arguments->name_count ? batch->arguments->names[0] : NULL;
}

/* -- printing ------------------------------------------------------------------------- */

/* What was written by then is dropped: the file stays what it was. */
static int write_failed(struct batch *batch)
{
	say("%s: cannot be written: %s", batch->out_name ? batch->out_name : "standard output",
	    strerror(errno));
	if (batch->file.stream)
		file_out_drop(&batch->file);
	batch->out = NULL;
	return EXIT_FAILED;
}

int batch_flush(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return EXIT_PRICED;
	return write_failed(&(struct batch){ 0 });
}

int batch_print_text(const struct xbuf *text)
{
	(void)fputs(xbuf_text(text), stdout);
	return batch_flush();
}

unsigned batch_how(const struct batch *batch)
{
	return arguments_has(batch->arguments, OPT_FORCE) ? FILE_REPLACE : 0;
}

enum ss_status batch_spares_inputs(const struct batch *batch, const char *path,
				   struct ss_error *err)
{
	const struct arguments *a = batch->arguments;
	enum ss_status rc = SS_OK;
	struct roots roots;

	roots_find(&roots, a->request.registry);
	for (size_t i = 0; i < a->name_count && !rc; i++) {
		char *scenario = roots_scenario(&roots, a->names[i]);

		rc = file_out_spares(path, a->names[i], err);
		if (!rc && scenario)
			rc = file_out_spares(path, scenario, err);
		free(scenario);
	}
	roots_release(&roots);
	return rc;
}

/** Is the place of -o a folder, or one to be? */
static bool is_folder(const char *name)
{
	struct stat info;

	return (*name && name[strlen(name) - 1] == '/') ||
	       (!stat(name, &info) && S_ISDIR(info.st_mode));
}

bool batch_goes_to_folder(const struct batch *batch)
{
	return batch->arguments->format == FORMAT_CSV && batch->out_name &&
	       is_folder(batch->out_name);
}

/** What stands against the file is said before anything is worked out. */
static enum ss_status check_output(const struct batch *batch, struct ss_error *err)
{
	const struct command *command = batch->arguments->command;
	enum ss_status rc;

	/* what makes files in a folder looks at each; a script only names its file */
	if (!batch->out_name || batch_goes_to_folder(batch) ||
	    arguments_has(batch->arguments, OPT_PLAN) ||
	    (command && command->id == COMMAND_IMPORT))
		return SS_OK;
	rc = batch_spares_inputs(batch, batch->out_name, err);
	return rc ? rc : file_out_check(batch->out_name, batch_how(batch), err);
}

/** The file is opened when there is something to put in it: a refusal leaves it alone. */
FILE *batch_out(struct batch *batch)
{
	if (batch->out)
		return batch->out;
	if (!batch->out_name)
		return batch->out = stdout;
	if (file_out_open(&batch->file, batch->out_name, batch_how(batch), NULL))
		return NULL;
	return batch->out = batch->file.stream;
}

int batch_write(struct batch *batch, const struct xbuf *text)
{
	if (!batch_out(batch))
		return write_failed(batch);
	if (fwrite(xbuf_text(text), 1, text->len, batch->out) != text->len || fflush(batch->out))
		return write_failed(batch);
	return EXIT_PRICED;
}

/* -- CSV: one table a file -------------------------------------------------------------- */

/** Every table into a file of its name. */
static int write_tables(struct batch *batch, const struct doc *doc)
{
	enum ss_status rc = SS_OK;
	struct ss_error err = { 0 };
	struct xbuf path = { 0 }, text = { 0 };

	if (mkdir(batch->out_name, 0777) && errno != EEXIST)
		return write_failed(batch);
	for (size_t i = 0; i < doc_tables(doc) && !rc; i++) {
		char *name = doc_table_name(doc, i);

		path.len = text.len = 0;
		xbuf_printf(&path, "%s/%s.csv", batch->out_name, *name ? name : "table");
		doc_render_csv(&text, doc, i);
		rc = batch_spares_inputs(batch, xbuf_text(&path), &err);
		if (!rc)
			rc = file_write(xbuf_text(&path), xbuf_text(&text), text.len,
					batch_how(batch), &err);
		free(name);
	}
	xbuf_release(&path);
	xbuf_release(&text);
	return rc ? batch_fail(batch, rc, NULL, &err) : EXIT_PRICED;
}

/** The own table of the only section; else what there is to choose from. */
static int write_table(struct batch *batch, const struct doc *doc)
{
	const char *section = doc_tables(doc) ? doc_table_section(doc, 0) : "";
	struct ss_error err = { 0 };
	struct xbuf text = { 0 };
	size_t sections = 0;
	int status;

	for (size_t i = 0; i < doc_tables(doc); i++) {
		if (i && !strcmp(doc_table_section(doc, i), section))
			continue;
		section = doc_table_section(doc, i);
		xbuf_printf(&text, "%s%s", sections++ ? ", " : "", section);
	}
	if (sections > 1) {
		(void)ss_fail(&err, SS_EUSAGE, "format",
			      "csv holds one table, and here are %s: choose one by --only, or "
			      "write each into a folder by -o FOLDER/",
			      xbuf_text(&text));
		status = batch_bad_usage(batch->arguments, &err);
	} else {
		text.len = 0;
		if (sections)
			doc_render_csv(&text, doc, doc_own_table(doc));
		status = batch_write(batch, &text);
	}
	xbuf_release(&text);
	return status;
}

int batch_print(struct batch *batch, struct doc *doc)
{
	struct xbuf text = { 0 };
	int status;

	switch (batch->arguments->format) {
	case FORMAT_CSV:
		status = batch_goes_to_folder(batch) ? write_tables(batch, doc)
						     : write_table(batch, doc);
		doc_free(doc);
		return status;
	case FORMAT_MARKDOWN:
		doc_render_markdown(&text, doc);
		break;
	case FORMAT_TEXT:
	case FORMAT_JSON:
	case FORMAT_SQLITE:
		doc_render_text(&text, doc, batch->use_color);
		break;
	}
	doc_free(doc);
	status = batch_write(batch, &text);
	xbuf_release(&text);
	return status;
}

int batch_print_json(struct batch *batch, cJSON *root)
{
	struct xbuf text = { 0 };
	int status;

	json_print(&text, root);
	cJSON_Delete(root);
	status = batch_write(batch, &text);
	xbuf_release(&text);
	return status;
}

/* -- what went wrong ------------------------------------------------------------------ */

static void say_fixes(struct xbuf *line, const struct ss_problem *p)
{
	for (size_t i = 0; i < p->fix_count; i++) {
		const struct ss_fix *fix = &p->fixes[i];

		xbuf_printf(line, "%s%s=%s", i ? ", " : "; try ", fix->path, fix->value);
		if (*fix->note)
			xbuf_printf(line, " (%s)", fix->note);
	}
}

static void say_problem(const struct ss_problem *p, bool has_file)
{
	struct xbuf line = { 0 };

	if (*p->file && has_file)
		xbuf_printf(&line, "%s: ", p->file);
	if (*p->pointer)
		xbuf_printf(&line, "%s: ", p->pointer);
	xbuf_puts(&line, p->message);
	if (*p->code)
		xbuf_printf(&line, " [%s]", p->code);
	say_fixes(&line, p);
	say("%s", xbuf_text(&line));
	xbuf_release(&line);
}

static cJSON *problem_json(const char *pointer, const char *code, const char *message)
{
	cJSON *item = json_object();

	json_put_text(item, "pointer", pointer);
	json_put_text(item, "code", code);
	json_put_text(item, "message", message);
	return item;
}

static cJSON *error_of(const char *kind, cJSON *problems)
{
	cJSON *error = json_object();

	json_put_text(error, "kind", kind);
	json_put(error, "problems", problems);
	return error;
}

static cJSON *error_json(cJSON *error)
{
	cJSON *root = json_object();

	json_put_count(root, "format", 1);
	json_put(root, "error", error);
	return root;
}

/* Settings that a way out takes besides its own. */
static cJSON *also_json(const struct ss_fix *also)
{
	cJSON *list = json_array();

	for (; also; also = also->also) {
		cJSON *fix = json_object();

		json_put_text(fix, "path", also->path);
		json_put_text(fix, "value", also->value);
		json_put(list, NULL, fix);
	}
	return list;
}

static cJSON *with_fixes(const struct ss_problem *p)
{
	cJSON *item = problem_json(p->pointer, p->code, p->message);
	cJSON *fixes = json_array();

	for (size_t k = 0; k < p->fix_count; k++) {
		cJSON *fix = json_object();

		json_put_text(fix, "path", p->fixes[k].path);
		json_put_text(fix, "value", p->fixes[k].value);
		json_put_text(fix, "note", p->fixes[k].note);
		if (p->fixes[k].also)
			json_put(fix, "also", also_json(p->fixes[k].also));
		json_put(fixes, NULL, fix);
	}
	json_put(item, "fixes", fixes);
	return item;
}

/** Was the same said already? Several laws may ask for one missing thing. */
static bool is_repeat(const struct ss_problems *problems, size_t index)
{
	const struct ss_problem *p = &problems->items[index];

	for (size_t i = 0; i < index; i++) {
		const struct ss_problem *q = &problems->items[i];

		if (q->severity == p->severity && !strcmp(q->message, p->message) &&
		    !strcmp(q->pointer, p->pointer) && !strcmp(q->file, p->file))
			return true;
	}
	return false;
}

static cJSON *problems_json(const struct ss_problems *problems, enum ss_severity severity)
{
	cJSON *list = json_array();

	for (size_t i = 0; i < problems->count; i++)
		if (problems->items[i].severity == severity && !is_repeat(problems, i))
			json_put(list, NULL, with_fixes(&problems->items[i]));
	return list;
}

cJSON *batch_problems_json(const struct ss_problems *problems)
{
	static const char *const names[] = { "error", "refusal", "warning" };
	cJSON *list = json_array();

	for (size_t i = 0; i < problems->count; i++) {
		cJSON *item = with_fixes(&problems->items[i]);

		json_put_text(item, "severity", names[problems->items[i].severity]);
		json_put(list, NULL, item);
	}
	return list;
}

cJSON *batch_error_json(const char *kind, const struct ss_problems *problems)
{
	return error_of(kind,
			problems_json(problems, strcmp(kind, "refused") ? SS_ERROR : SS_REFUSAL));
}

void batch_say_problems(const struct ss_problems *problems, enum ss_severity severity)
{
	/* A refusal is of the deployment as changed on the line, not of the file. */
	for (size_t i = 0; i < problems->count; i++)
		if (problems->items[i].severity == severity && !is_repeat(problems, i))
			say_problem(&problems->items[i], severity != SS_REFUSAL);
}

void batch_say_document(const struct ss_problems *problems)
{
	for (enum ss_severity severity = SS_ERROR; severity <= SS_WARNING; severity++)
		for (size_t i = 0; i < problems->count; i++)
			if (problems->items[i].severity == severity && !is_repeat(problems, i))
				say_problem(&problems->items[i], true);
}

int batch_findings(struct batch *batch, struct findings *findings, const struct session *session)
{
	struct ss_error err = { 0 };
	enum ss_status rc = findings_new(findings, session);

	return rc ? batch_fail(batch, rc, NULL, &err) : EXIT_PRICED;
}

static void say_error(const struct ss_error *err)
{
	if (*err->where)
		say("%s: %s", err->where, err->message);
	else
		say("%s", err->message);
}

/** An error is no answer: it stays out of the file. */
static int print_error_json(cJSON *root)
{
	struct xbuf text = { 0 };
	int status;

	json_print(&text, root);
	cJSON_Delete(root);
	status = batch_print_text(&text);
	xbuf_release(&text);
	return status;
}

static int error_to_json(const char *kind, const struct ss_error *err)
{
	cJSON *list = json_array();
	cJSON *item = problem_json(err->where, kind, err->message);

	json_put(item, "fixes", json_array());
	json_put(list, NULL, item);
	return print_error_json(error_json(error_of(kind, list)));
}

int batch_bad_usage(const struct arguments *arguments, const struct ss_error *err)
{
	say_error(err);
	if (arguments->format == FORMAT_JSON && error_to_json("usage", err))
		return EXIT_FAILED;
	return EXIT_USAGE;
}

bool batch_is_unread(const struct ss_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		if (!strcmp(problems->items[i].code, "io"))
			return true;
	return false;
}

int batch_fail(struct batch *batch, enum ss_status rc, const struct ss_problems *problems,
	       const struct ss_error *err)
{
	enum ss_severity severity = rc == SS_EREFUSED ? SS_REFUSAL : SS_ERROR;
	int status = problems && batch_is_unread(problems) ? EXIT_FAILED : status_of(rc);
	const char *kind = rc == SS_EREFUSED ? "refused" : rc == SS_EUSAGE ? "usage" : "document";

	if (rc == SS_ENOMEM || (problems && problems->is_out_of_memory))
		out_of_memory();
	if (rc == SS_EUSAGE || !problems || !ss_problems_count(problems, severity)) {
		say_error(err);
		if (batch_is_json(batch) && error_to_json(kind, err))
			return EXIT_FAILED;
		return status_of(rc);
	}
	batch_say_problems(problems, severity);
	if (batch_is_json(batch) && print_error_json(error_json(batch_error_json(kind, problems))))
		return EXIT_FAILED;
	return status;
}

/* -- running -------------------------------------------------------------------------- */

static int open_case(struct batch *batch, struct session *session, const char *name,
		     bool skips_resolution)
{
	struct session_request request = batch->arguments->request;
	struct ss_error err = { 0 };
	enum ss_status rc;

	request.scenario = name;
	request.skips_resolution = skips_resolution;
	rc = session_open(session, &request, &err);
	if (rc) {
		int status = batch_fail(batch, rc, &session->problems, &err);

		session_release(session);
		return status;
	}
	return EXIT_PRICED;
}

int batch_open(struct batch *batch, struct session *session, const char *name)
{
	return open_case(batch, session, name, false);
}

int batch_open_unresolved(struct batch *batch, struct session *session, const char *name)
{
	return open_case(batch, session, name, true);
}

/** A word that is neither a command nor a scenario, but near a command. */
static bool is_misspelt_command(const struct arguments *arguments, struct ss_error *err)
{
	const char *word, *nearest;
	struct roots roots;
	char *path;

	if (arguments->command || !arguments->name_count)
		return false;
	word = arguments->names[0];
	nearest = command_nearest(word);
	if (!nearest || !strcmp(word, "-"))
		return false;
	roots_find(&roots, arguments->request.registry);
	path = roots_scenario(&roots, word);
	roots_release(&roots);
	free(path);
	if (path)
		return false;
	(void)ss_fail(err, SS_EUSAGE, word, "no such command or scenario; did you mean %s?",
		      nearest);
	return true;
}

static bool wants_color(const struct batch *batch)
{
	const char *when = arguments_value(batch->arguments, OPT_COLOR);
	const char *no_color = getenv("NO_COLOR");

	if (when && !strcmp(when, "always"))
		return true;
	if (when && !strcmp(when, "never"))
		return false;
	return !(no_color && *no_color) && !batch->out_name && isatty(STDOUT_FILENO);
}

static int run_command(struct batch *batch)
{
	const struct command *command = batch->arguments->command;

	return command ? command->run(batch) : run_report(batch);
}

/** Put the file in its place; what a sweep went on with is there already. */
static int finish(struct batch *batch, int status)
{
	struct ss_error err = { 0 };

	if (!batch->out || batch->out == stdout)
		return status;
	if (!batch->file.stream)
		return fclose(batch->out) ? write_failed(batch) : status;
	if (status >= EXIT_USAGE) {
		file_out_drop(&batch->file);
		return status;
	}
	if (!file_out_close(&batch->file, &err))
		return status;
	say_error(&err);
	return EXIT_FAILED;
}

int batch_run(struct arguments *arguments)
{
	struct batch batch = { .arguments = arguments };
	struct ss_error err = { 0 };
	const char *folder = arguments_value(arguments, OPT_DIRECTORY);

	if (folder && chdir(folder)) {
		(void)ss_fail(&err, SS_EUSAGE, "directory", "%s: %s", folder, strerror(errno));
		return batch_bad_usage(arguments, &err);
	}
	if (is_misspelt_command(arguments, &err))
		return batch_bad_usage(arguments, &err);
	batch.out_name = arguments_value(arguments, OPT_OUTPUT);
	if (batch.out_name && !strcmp(batch.out_name, "-"))
		batch.out_name = NULL;
	batch.use_color = wants_color(&batch);
	if (check_output(&batch, &err)) {
		batch.out_name = NULL;
		return batch_fail(&batch, SS_EIO, NULL, &err);
	}
	return finish(&batch, run_command(&batch));
}
