/* Commands about documents: list, validate, new, and the table of divergences. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text/number.h"
#include "text/shown.h"
#include "case/about.h"
#include "case/roots.h"
#include "cli/registry_version.h"
#include "cli/run.h"
#include "stepscope/runs.h"
#include "stepscope/kernel.h"
#include "stepscope/load.h"

/* -- list ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct column name_columns[] = {
	{ "name", "name", false }, { "", "about", false },
};
static const struct column field_columns[] = {
	{ "path", "path", false }, { "engine flag", "flag", false },
	{ "unstated", "unstated", false }, { "", "help", false },
};
/* clang-format on */

static void about_scenario(struct xbuf *out, struct session *session, const char *name,
			   struct ss_problems *problems)
{
	char *path = roots_scenario(&session->roots, name);
	struct ss_scenario *s = path ? ss_scenario_load(path, problems) : NULL;

	if (s)
		xbuf_puts(out, session_text(s, 0, SS_F_DESCRIPTION));
	ss_scenario_free(s);
	free(path);
}

struct listing {
	const char *word;
	enum ss_document_kind kind;
};

static const struct listing listings[] = {
	{ "models", SS_DOCUMENT_MODEL },       { "parts", SS_DOCUMENT_HARDWARE },
	{ "scenarios", SS_DOCUMENT_SCENARIO }, { "sets", SS_DOCUMENT_COEFFICIENTS },
	{ "engines", SS_DOCUMENT_PACK },       { "fabrics", SS_DOCUMENT_NETWORK },
	{ "workloads", SS_DOCUMENT_WORKLOAD }, { "times", SS_DOCUMENT_TIMES },
};

#define LISTING_COUNT (sizeof(listings) / sizeof(listings[0]))

static cJSON *list_root(const char *word, cJSON *items)
{
	cJSON *root = json_object();

	json_put_count(root, "format", 1);
	json_put(root, word, items);
	return root;
}

static int list_fields(struct batch *batch)
{
	struct doc *doc = doc_new();
	cJSON *items = json_array();

	doc_table(doc, field_columns, 4, true);
	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		cJSON *o = json_object();
		char flag[80] = "";

		if (field->flag)
			(void)snprintf(flag, sizeof(flag), "--%s", field->flag);
		doc_cell(doc, MARK_NONE, field->path);
		doc_cell(doc, MARK_DIM, flag);
		doc_cell(doc, MARK_NONE, field->is_required ? "must be stated" : field->unstated);
		doc_cell(doc, MARK_DIM, field->help);
		json_put_text(o, "path", field->path);
		json_put_text_or_null(o, "flag", flag);
		json_put_bool(o, "required", field->is_required);
		json_put_text_or_null(o, "unstated", field->unstated);
		json_put_text(o, "help", field->help);
		json_put(items, NULL, o);
	}
	if (batch_is_json(batch)) {
		doc_free(doc);
		return batch_print_json(batch, list_root("fields", items));
	}
	cJSON_Delete(items);
	return batch_print(batch, doc);
}

/** Names of a kind for the caller to free with names_free(). */
static enum ss_status find_names(struct session *session, const struct listing *what, char ***names,
				 size_t *count)
{
	if (what->kind != SS_DOCUMENT_SCENARIO)
		return ss_registry_names(session->registry, what->kind, names, count);
	roots_scenarios(&session->roots, names, count);
	return SS_OK;
}

static int list_names(struct batch *batch, struct session *session, const struct listing *what)
{
	struct doc *doc = doc_new();
	cJSON *items = json_array();
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	char **names = NULL;
	size_t count = 0;
	int status = EXIT_PRICED;
	enum ss_status rc = find_names(session, what, &names, &count);

	doc_table(doc, name_columns, 2, false);
	for (size_t i = 0; i < count; i++) {
		struct xbuf about = { 0 };
		cJSON *o = json_object();

		if (what->kind == SS_DOCUMENT_SCENARIO)
			about_scenario(&about, session, names[i], &problems);
		else
			about_document(&about, session->registry, what->kind, names[i], &problems);
		doc_cell(doc, MARK_NONE, names[i]);
		doc_cell(doc, MARK_DIM, xbuf_text(&about));
		json_put_text(o, "name", names[i]);
		json_put_text_or_null(o, "about", xbuf_text(&about));
		json_put(items, NULL, o);
		xbuf_release(&about);
	}
	names_free(names, count);
	if (rc == SS_ENOMEM || problems.is_out_of_memory)
		out_of_memory();
	if (!rc && batch_is_json(batch)) {
		status = batch_print_json(batch, list_root(what->word, items));
		doc_free(doc);
	} else if (!rc) {
		status = batch_print(batch, doc);
		cJSON_Delete(items);
	} else {
		doc_free(doc);
		cJSON_Delete(items);
		status = batch_fail(batch, rc, NULL, &err);
	}
	/* A document that does not load is listed, and said. */
	if (ss_problems_count(&problems, SS_ERROR)) {
		batch_say_problems(&problems, SS_ERROR);
		status = status ? status : batch_is_unread(&problems) ? EXIT_FAILED : EXIT_DOCUMENT;
	}
	ss_problems_release(&problems);
	return status;
}

int run_list(struct batch *batch)
{
	const char *word = batch->arguments->names[0];
	struct session session = { 0 };
	struct ss_error err = { 0 };
	const struct listing *what = NULL;
	int status;

	if (!strcmp(word, "fields"))
		return list_fields(batch);
	for (size_t i = 0; i < LISTING_COUNT; i++)
		if (!strcmp(word, listings[i].word))
			what = &listings[i];
	if (!what && strcmp(word, "registry") != 0) {
		(void)ss_fail(&err, SS_EUSAGE, "list", "nothing called %s; there are: " LIST_WORDS,
			      word);
		return batch_bad_usage(batch->arguments, &err);
	}
	if (session_open_registry(&session, &batch->arguments->request, &err))
		status = batch_fail(batch, err.status, NULL, &err);
	else
		status = what ? list_names(batch, &session, what) : list_registry(batch, &session);
	session_release(&session);
	return status;
}

/* -- validate ------------------------------------------------------------------------- */

struct validation {
	struct doc *doc;
	cJSON *files;
	struct ss_registry *registry;
	int status; /* the worst so far */
};

static const char *kind_name(enum ss_document_kind kind)
{
	static const char *const names[] = {
#define SS_X(id, name, folder) name,
		SS_DOCUMENT_KINDS(SS_X)
#undef SS_X
	};

	return kind < SS_DOCUMENT_COUNT ? names[kind] : "";
}

/** What a scenario names must be in the registry, and load. */
static void validate_names(struct ss_registry *registry, const char *path,
			   struct ss_problems *problems)
{
	struct ss_problems ignored = { 0 }, found = { 0 };
	struct ss_scenario *s = ss_scenario_load(path, &ignored);
	struct ss_basis *basis = NULL;

	if (s && ss_basis_open(&basis, registry, s, NULL, 0, &found) == SS_ENOMEM)
		out_of_memory();
	if (s && s->workload.shape)
		(void)ss_registry_workload(registry, s->workload.shape, &found);
	for (size_t i = 0; i < found.count; i++)
		(void)ss_problems_add(problems, found.items[i].severity, found.items[i].code,
				      *found.items[i].file ? found.items[i].file : path,
				      found.items[i].pointer, "%s", found.items[i].message);
	ss_basis_free(basis);
	ss_scenario_free(s);
	ss_problems_release(&found);
	ss_problems_release(&ignored);
}

static void worsen(struct validation *v, int status)
{
	/* refused, then wrong, then not read */
	if (status > v->status)
		v->status = status;
}

static bool is_table(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && !strcmp(path + len - 4, ".csv");
}

/** A table of published runs: its heading and every row. */
static const char *validate_runs(const char *path, struct ss_problems *problems)
{
	struct ss_runs runs = { 0 };
	char place[32];

	if (ss_runs_load(&runs, path, problems))
		return "";
	for (size_t i = 0; i < runs.count; i++) {
		if (!*runs.items[i].fault)
			continue;
		(void)snprintf(place, sizeof(place), "line %zu", runs.items[i].line);
		(void)ss_problems_add(problems, SS_ERROR, "runs", path, place, "%s",
				      runs.items[i].fault);
	}
	for (size_t i = 0; i < runs.unknown_count; i++)
		(void)ss_problems_add(problems, SS_WARNING, "unknown-key", path, "line 1",
				      "column %s is not read", runs.unknown[i]);
	ss_runs_release(&runs);
	return "Runs";
}

static const char *validate_document(const char *path, struct ss_registry *registry,
				     struct ss_problems *problems)
{
	enum ss_document_kind kind = ss_document_validate(path, problems);

	if (kind == SS_DOCUMENT_SCENARIO && !ss_problems_count(problems, SS_ERROR))
		validate_names(registry, path, problems);
	return kind_name(kind);
}

static void validate_file(struct validation *v, const char *path)
{
	struct ss_problems problems = { 0 };
	const char *kind = is_table(path) ? validate_runs(path, &problems)
					  : validate_document(path, v->registry, &problems);
	size_t errors, refusals, warnings;
	bool is_valid;
	cJSON *o = json_object();

	if (problems.is_out_of_memory)
		out_of_memory();
	char note[80];

	errors = ss_problems_count(&problems, SS_ERROR);
	refusals = ss_problems_count(&problems, SS_REFUSAL);
	warnings = ss_problems_count(&problems, SS_WARNING);
	is_valid = !errors && !refusals;
	batch_say_document(&problems);
	(void)snprintf(note, sizeof(note), "%zu problem%s, %zu warning%s", errors + refusals,
		       errors + refusals == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
	doc_cell(v->doc, is_valid ? MARK_NONE : MARK_REFUSED, path);
	doc_cell(v->doc, MARK_NONE, kind);
	doc_cell(v->doc, MARK_NONE, is_valid && !warnings ? "ok" : note);
	json_put_text(o, "file", path);
	json_put_text_or_null(o, "kind", kind);
	json_put_bool(o, "valid", is_valid);
	json_put(o, "problems", batch_problems_json(&problems));
	json_put(v->files, NULL, o);
	worsen(v, batch_is_unread(&problems) ? EXIT_FAILED
		  : errors                   ? EXIT_DOCUMENT
		  : refusals                 ? EXIT_REFUSED
					     : EXIT_PRICED);
	ss_problems_release(&problems);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void validate_path(struct validation *v, const char *path, int depth);

/** The JSON files of a folder and the folders in it, in order of name. */
static void validate_folder(struct validation *v, const char *path, DIR *listing, int depth)
{
	char **names = NULL;
	size_t count = 0;
	struct dirent *item;

	while ((item = readdir(listing))) {
		struct xbuf full = { 0 };
		struct stat info;
		size_t len = strlen(item->d_name);
		bool is_json = len > 5 && !strcmp(item->d_name + len - 5, ".json");

		if (item->d_name[0] == '.')
			continue;
		xbuf_printf(&full, "%s/%s", path, item->d_name);
		if (stat(full.data, &info))
			info.st_mode = S_IFREG; /* reading it says why */
		if (is_json && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
			say("%s: is no plain file, passed over", full.data);
		if (!S_ISDIR(info.st_mode) && !(is_json && S_ISREG(info.st_mode))) {
			xbuf_release(&full);
			continue;
		}
		names = xrealloc(names, count + 1, sizeof(*names));
		names[count++] = full.data;
	}
	if (count)
		qsort(names, count, sizeof(*names), by_text);
	for (size_t i = 0; i < count; i++)
		validate_path(v, names[i], depth + 1);
	names_free(names, count);
}

/** Folders nest no deeper than this; a link that leads back ends here. */
#define DEPTH_MAX 8

static void validate_path(struct validation *v, const char *path, int depth)
{
	struct stat info;
	DIR *listing;

	if (stat(path, &info) || !S_ISDIR(info.st_mode)) {
		validate_file(v, path);
		return;
	}
	listing = depth < DEPTH_MAX ? opendir(path) : NULL;
	if (!listing) {
		say("%s: cannot be read: %s", path,
		    depth < DEPTH_MAX ? strerror(errno) : "folders nest too deep");
		worsen(v, depth < DEPTH_MAX ? EXIT_FAILED : EXIT_DOCUMENT);
		return;
	}
	validate_folder(v, path, listing, depth);
	(void)closedir(listing);
}

int run_validate(struct batch *batch)
{
	static const struct column columns[] = {
		{ "file", "file", false },
		{ "kind", "kind", false },
		{ "", "result", false },
	};
	struct validation v = { 0 };
	struct session session = { 0 };
	struct ss_error err = { 0 };
	cJSON *root;
	int status;

	if (session_open_registry(&session, &batch->arguments->request, &err)) {
		status = batch_fail(batch, err.status, NULL, &err);
		session_release(&session);
		return status;
	}
	v.registry = session.registry;
	v.doc = doc_new();
	v.files = json_array();
	root = json_object();
	doc_table(v.doc, columns, 3, false);
	for (size_t i = 0; i < batch->arguments->name_count; i++)
		validate_path(&v, batch->arguments->names[i], 0);
	if (batch_is_json(batch)) {
		json_put_count(root, "format", 1);
		json_put(root, "files", v.files);
		status = batch_print_json(batch, root);
		doc_free(v.doc);
	} else {
		cJSON_Delete(root);
		cJSON_Delete(v.files);
		status = batch_print(batch, v.doc);
	}
	session_release(&session);
	return status ? status : v.status;
}

/* -- new ------------------------------------------------------------------------------ */

int run_new(struct batch *batch)
{
	struct session session = { 0 };
	struct ss_error err = { 0 };
	struct xbuf text = { 0 };
	char *json;
	int status;

	if (!batch->arguments->request.adhoc.model) {
		(void)ss_fail(&err, SS_EUSAGE, "new", "needs --model and --part");
		return batch_bad_usage(batch->arguments, &err);
	}
	status = batch_open(batch, &session, NULL);
	if (status)
		return status;
	session_keep_batch(&session, &batch->arguments->request);
	json = ss_scenario_to_json(session.scenario);
	if (!json)
		out_of_memory();
	xbuf_puts(&text, json);
	free(json);
	status = batch_write(batch, &text);
	xbuf_release(&text);
	session_release(&session);
	return status;
}

/* -- divergences ---------------------------------------------------------------------- */

static cJSON *divergence_json(const struct ss_divergence *row)
{
	cJSON *o = json_object();

	json_put_text(o, "name", row->name);
	json_put_text(o, "acts_on", row->target == SS_DIVERGES_STEP ? "step" : "room");
	json_put_text_or_null(o, "direction", ss_divergence_direction(row->id));
	json_put_bool(o, "has_correction", row->has_correction);
	json_put_bool(o, "on_by_default", row->is_on_by_default);
	json_put_text(o, "reason", ss_divergence_reason(row->id));
	return o;
}

int run_divergences(struct batch *batch)
{
	static const struct column columns[] = {
		{ "divergence", "name", false },     { "acts on", "acts_on", false },
		{ "direction", "direction", false }, { "correction", "correction", false },
		{ "why", "reason", false },
	};
	struct doc *doc = doc_new();
	cJSON *items = json_array();

	doc_heading(doc, "Known divergences");
	doc_line(doc, MARK_NONE,
		 "Laws known to differ from the engine; --correct NAME prices without one.");
	doc_line(doc, MARK_NONE, "%s", ss_divergence_caution());
	doc_table(doc, columns, 5, true);
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++) {
		const struct ss_divergence *row = ss_divergence((enum ss_divergence_id)i);

		json_put(items, NULL, divergence_json(row));
		doc_cell(doc, MARK_NONE, row->name);
		doc_cell(doc, MARK_NONE, row->target == SS_DIVERGES_STEP ? "step" : "room");
		doc_cell(doc, MARK_NONE, ss_divergence_direction(row->id));
		doc_cell(doc, MARK_NONE,
			 !row->has_correction    ? "none"
			 : row->is_on_by_default ? "on"
						 : "off");
		doc_cell(doc, MARK_DIM, ss_divergence_reason(row->id));
	}
	if (batch_is_json(batch)) {
		doc_free(doc);
		return batch_print_json(batch, list_root("divergences", items));
	}
	cJSON_Delete(items);
	return batch_print(batch, doc);
}
