/* `import`: sources in, documents out. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/out.h"
#include "cli/import_job.h"
#include "import/import_scenario.h"
#include "import/yaml_tree.h"

/* -- documents ------------------------------------------------------------------------ */

/** `models/NAME.json`, as a registry has it. */
static void document_path(struct xbuf *out, const char *root, enum ss_document_kind kind,
			  const char *name, bool makes_folders)
{
	static const char *const folders[] = {
#define SS_X(id, kind_name, folder) folder,
		SS_DOCUMENT_KINDS(SS_X)
#undef SS_X
	};

	xbuf_printf(out, "%s", root);
	if (makes_folders)
		(void)mkdir(xbuf_text(out), 0777);
	if (*folders[kind]) {
		xbuf_printf(out, "/%s", folders[kind]);
		if (makes_folders)
			(void)mkdir(xbuf_text(out), 0777);
	}
	xbuf_printf(out, "/%s.json", name);
}

/** Problems of our document, said at their place in the source. */
static void move_problems(struct ss_problems *to, struct ss_problems *from,
			  const struct blis_document *origin, const char *file)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct ss_problem *p = &from->items[i];
		char where[64];

		if (origin) {
			const struct tree_node *node = blis_locate(origin, p->pointer);

			(void)snprintf(where, sizeof(where), "line %zu, column %zu", node->line,
				       node->column);
			(void)ss_problems_add(to, p->severity, p->code, file, where, "%s: %s",
					      p->pointer, p->message);
		} else {
			(void)ss_problems_add(to, p->severity, p->code, file, p->pointer, "%s",
					      p->message);
		}
	}
}

/** Read a document as every command would. */
static enum ss_status validate(struct import_job *job, enum ss_document_kind kind, const char *name,
			       const char *json, const struct blis_document *origin,
			       const char *file)
{
	struct ss_problems found = { 0 };
	struct xbuf path = { 0 };
	enum ss_status rc = SS_OK;
	size_t before = ss_problems_count(&job->problems, SS_ERROR);

	xbuf_printf(&path, "%s.json", name);
	if (ss_document_check(json, strlen(json), xbuf_text(&path), &found) != kind &&
	    !ss_problems_count(&found, SS_ERROR))
		rc = ss_fail(&job->err, SS_EDOCUMENT, file, "the document is of no kind of ours");
	move_problems(&job->problems, &found, origin, file);
	job->is_refused |= ss_problems_count(&found, SS_REFUSAL) > 0;
	ss_problems_release(&found);
	xbuf_release(&path);
	if (!rc && ss_problems_count(&job->problems, SS_ERROR) > before)
		rc = SS_EDOCUMENT;
	return rc;
}

enum ss_status job_keep(struct import_job *job, enum ss_document_kind kind, const char *name,
			const char *json, const struct blis_document *origin, const char *file)
{
	enum ss_status rc = validate(job, kind, name, json, origin, file);
	struct xbuf path = { 0 };

	if (rc)
		return rc;
	json_put(job->documents, NULL, cJSON_Parse(json));
	if (!job->folder) {
		xbuf_puts(&job->printed, json);
		if (job->printed.len && job->printed.data[job->printed.len - 1] != '\n')
			xbuf_putc(&job->printed, '\n');
		return SS_OK;
	}
	document_path(&path, job->folder, kind, name, true);
	rc = batch_spares_inputs(job->batch, xbuf_text(&path), &job->err);
	if (!rc)
		rc = file_write(xbuf_text(&path), json, strlen(json), batch_how(job->batch),
				&job->err);
	if (!rc) {
		doc_line(job->doc, MARK_NONE, "wrote %s", xbuf_text(&path));
		json_put(job->written, NULL, cJSON_CreateString(xbuf_text(&path)));
	}
	xbuf_release(&path);
	return rc;
}

/* -- scenarios ------------------------------------------------------------------------ */

static const struct column flag_columns[] = {
	{ "line", "line", true },
	{ "flag", "flag", false },
	{ "", "fate", false },
	{ "", "detail", false },
};

static enum mark fate_mark(enum import_fate fate)
{
	if (fate == IMPORT_NO_EFFECT || fate == IMPORT_LEFT)
		return MARK_DIM;
	if (fate == IMPORT_UNKNOWN)
		return MARK_REFUSED;
	return fate == IMPORT_TAKEN || fate == IMPORT_CHOSEN ? MARK_NONE : MARK_ASSUMED;
}

void job_list_flags(struct import_job *job, const struct import_rows *rows)
{
	bool has_shown = false, is_silent = !job->folder && job->batch->arguments->is_quiet &&
					    !batch_is_json(job->batch);

	for (size_t i = 0; i < rows->count && !is_silent; i++) {
		const struct import_row *row = &rows->items[i];
		enum mark mark = fate_mark(row->fate);
		cJSON *o;

		if (!strcmp(row->flag, "# set")) /* an export's own lines */
			continue;
		if (!has_shown) {
			doc_heading(job->doc, "Flags");
			doc_table(job->doc, flag_columns, 4, true);
			has_shown = true;
		}
		doc_count(job->doc, MARK_DIM, (long long)row->line);
		doc_cell(job->doc, mark, row->flag);
		doc_cell(job->doc, mark, import_fate_name(row->fate));
		doc_cell(job->doc, mark, row->detail);
		if (!batch_is_json(job->batch))
			continue;
		o = json_object();
		json_put_count(o, "line", (int64_t)row->line);
		json_put_count(o, "pool", (int64_t)row->pool);
		json_put_text(o, "flag", row->flag);
		json_put_text(o, "fate", import_fate_name(row->fate));
		json_put_text(o, "detail", row->detail);
		json_put(job->flags, NULL, o);
	}
}

/** The sets and the release that a scenario made by --model and --part would have. */
static enum ss_status part_defaults(struct import_job *job)
{
	struct adhoc words = job->batch->arguments->request.adhoc;

	if (!job->model_count)
		return ss_fail(&job->err, SS_EDOCUMENT, "registry",
			       "no model graph is found; give its folder with --registry");
	words.model = job->models[0];
	return adhoc_defaults(&job->defaults, job->session.registry, &words, &job->problems,
			      &job->err);
}

/** What joins nodes when nothing says so: the network most clusters of the catalogue have. */
static const char *default_fabric(const struct import_job *job)
{
	static const char usual[] = "ib-400g";

	for (size_t i = 0; i < job->fabric_count; i++) {
		if (!strcmp(job->fabrics[i], usual))
			return usual;
	}
	return job->fabric_count ? job->fabrics[0] : NULL;
}

enum ss_status job_options(struct import_job *job, struct vllm_import_options *out,
			   const char *file)
{
	const struct adhoc *words = &job->batch->arguments->request.adhoc;

	*out = (struct vllm_import_options){
		.file = file,
		.part = words->part,
		.is_strict = arguments_has(job->batch->arguments, OPT_STRICT),
		.container = arguments_value(job->batch->arguments, OPT_CONTAINER),
		.default_fabric = default_fabric(job),
		.model = words->model,
		.fabric = words->fabric,
		.engine_version = words->engine_version,
		.nodes = words->nodes,
		.gpus_per_node = words->gpus_per_node,
		.gpus_per_rack = words->gpus_per_rack,
		.models = (const char *const *)job->models,
		.model_count = job->model_count,
		.names = ss_registry_model_names(job->session.registry, NULL),
		.read_config = import_read_config,
	};
	out->context = xstrdup(file);
	adhoc_defaults_release(&job->defaults);
	if (words->part) {
		enum ss_status rc = part_defaults(job);

		if (rc)
			return rc;
	}
	out->coefficients = (const char *const *)job->defaults.coefficients;
	out->coefficient_count = job->defaults.coefficient_count;
	out->default_version = job->defaults.version;
	out->part_gpus_per_node = job->defaults.gpus_per_node;
	return SS_OK;
}

void job_options_release(struct vllm_import_options *options)
{
	free(options->context);
}

enum ss_status job_keep_scenario(struct import_job *job, struct ss_scenario *scenario)
{
	const struct session_request *request = &job->batch->arguments->request;
	enum ss_status rc = SS_OK;
	char *json;

	for (size_t i = 0; i < request->setting_count && !rc; i++)
		rc = ss_scenario_set(scenario, 0, request->settings[i].path,
				     request->settings[i].text, &job->err);
	if (rc)
		return rc;
	json = ss_scenario_to_json(scenario);
	if (!json)
		out_of_memory();
	rc = job_keep(job, SS_DOCUMENT_SCENARIO, session_text(scenario, 0, SS_F_NAME), json, NULL,
		      session_text(scenario, 0, SS_F_NAME));
	free(json);
	return rc;
}

enum ss_status job_command(struct import_job *job, const struct source *source)
{
	struct vllm_import_options options;
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	enum ss_status rc = job_options(job, &options, source->path);

	if (!rc)
		rc = vllm_import(&scenario, &rows, source->text, source->length, &options,
				 &job->problems);
	job_list_flags(job, &rows);
	if (!rc)
		rc = job_keep_scenario(job, scenario);
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	job_options_release(&options);
	return rc;
}

/* -- YAML ----------------------------------------------------------------------------- */

static enum ss_status keep_documents(struct import_job *job, const struct blis_import *import)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < import->count && !rc; i++) {
		const struct blis_document *document = &import->items[i];
		char *json = cJSON_Print(document->json);

		if (!json)
			out_of_memory();
		rc = job_keep(job, document->kind, document->name, json, document, document->name);
		free(json);
	}
	return rc;
}

/** All YAML at once: a scenario and its deployment may stand in two files. */
enum ss_status job_yaml(struct import_job *job, const struct sources *sources)
{
	struct tree_documents *trees = xcalloc(sources->count + 1, sizeof(*trees));
	struct blis_import import = { 0 };
	enum ss_status rc = SS_OK, one;

	for (size_t i = 0; i < sources->count && (!rc || rc == SS_EDOCUMENT); i++) {
		const struct source *source = &sources->items[i];
		struct ss_error err = { 0 };

		if (source->kind != SOURCE_YAML)
			continue;
		one = tree_parse(&trees[i], source->text, source->length, &err);
		if (one == SS_EDOCUMENT)
			(void)ss_problems_add(&job->problems, SS_ERROR, "syntax", source->path,
					      err.where, "%s", err.message);
		else if (one)
			job->err = err;
		if (!one)
			one = blis_convert(&import, &trees[i], source->path, source->stem,
					   &job->problems);
		rc = one ? one : rc;
	}
	one = rc && rc != SS_EDOCUMENT ? rc : blis_finish(&import, &job->problems);
	rc = rc ? rc : one;
	if (!rc)
		rc = keep_documents(job, &import);
	blis_release(&import);
	for (size_t i = 0; i < sources->count; i++)
		tree_release(&trees[i]);
	free(trees);
	return rc;
}

/* -- the command ---------------------------------------------------------------------- */

static enum ss_status import_all(struct import_job *job, const struct sources *sources)
{
	bool has_yaml = false;
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < sources->count && !rc; i++) {
		const struct source *source = &sources->items[i];

		switch (source->kind) {
		case SOURCE_COMMAND:
			rc = job_command(job, source);
			break;
		case SOURCE_LOG:
			rc = job_log(job, source);
			break;
		case SOURCE_JSON:
			rc = job_config(job, source);
			break;
		case SOURCE_YAML:
			has_yaml = true;
			break;
		}
	}
	return !rc && has_yaml ? job_yaml(job, sources) : rc;
}

static int print_json(struct import_job *job)
{
	cJSON *root = json_object();

	doc_free(job->doc);
	json_put_count(root, "format", 1);
	json_put(root, "documents", job->documents);
	json_put(root, "flags", job->flags);
	json_put(root, "figures", job->figures);
	json_put(root, "differences", job->differences);
	json_put(root, "weights", job->weights);
	json_put(root, "written", job->written);
	return batch_print_json(job->batch, root);
}

/** Documents go to standard output when no folder takes them; then the lists step aside. */
static int print_text(struct import_job *job)
{
	struct batch *batch = job->batch;
	int status = EXIT_PRICED;

	if (!job->folder)
		batch->out = stderr;
	if (job->folder || !batch->arguments->is_quiet)
		status = batch_print(batch, job->doc);
	else
		doc_free(job->doc);
	batch->out = NULL;
	if (!status && job->printed.len)
		status = batch_write(batch, &job->printed);
	cJSON_Delete(job->documents);
	cJSON_Delete(job->flags);
	cJSON_Delete(job->figures);
	cJSON_Delete(job->differences);
	cJSON_Delete(job->written);
	cJSON_Delete(job->weights);
	return status;
}

static int finish(struct import_job *job, enum ss_status rc)
{
	int status = EXIT_PRICED, printed;

	batch_say_problems(&job->problems, SS_WARNING);
	if (rc) {
		status = batch_fail(job->batch, rc, &job->problems, &job->err);
		/* The flags and figures read so far help to see what went wrong. */
		if (batch_is_json(job->batch)) {
			doc_free(job->doc);
			job->doc = NULL;
		}
	} else if (job->is_refused) {
		batch_say_problems(&job->problems, SS_REFUSAL);
		status = EXIT_REFUSED;
	}
	if (job->doc && batch_is_json(job->batch)) {
		printed = print_json(job);
	} else if (job->doc) {
		printed = print_text(job);
	} else {
		cJSON_Delete(job->documents);
		cJSON_Delete(job->flags);
		cJSON_Delete(job->figures);
		cJSON_Delete(job->differences);
		cJSON_Delete(job->written);
		cJSON_Delete(job->weights);
		printed = EXIT_PRICED;
	}
	return status ? status : printed;
}

int run_import(struct batch *batch)
{
	const struct arguments *arguments = batch->arguments;
	struct import_job job = { .batch = batch,
				  .folder = batch->out_name,
				  .doc = doc_new(),
				  .documents = json_array(),
				  .flags = json_array(),
				  .figures = json_array(),
				  .differences = json_array(),
				  .written = json_array(),
				  .weights = json_array() };
	struct sources sources = { 0 };
	enum ss_status rc =
		session_open_registry(&job.session, &arguments->request, &job.err);
	int status;

	batch->out_name = NULL; /* a folder here, not the file output goes to */
	if (!rc)
		rc = ss_registry_names(job.session.registry, SS_DOCUMENT_MODEL, &job.models,
				       &job.model_count);
	if (!rc)
		rc = ss_registry_names(job.session.registry, SS_DOCUMENT_NETWORK, &job.fabrics,
				       &job.fabric_count);
	for (size_t i = 0; i < arguments->name_count && !rc; i++)
		rc = sources_add(&sources, arguments->names[i], &job.err);
	if (!rc)
		rc = import_all(&job, &sources);
	status = finish(&job, rc);
	sources_release(&sources);
	ss_names_free(job.models, job.model_count);
	ss_names_free(job.fabrics, job.fabric_count);
	ss_problems_release(&job.problems);
	xbuf_release(&job.printed);
	adhoc_defaults_release(&job.defaults);
	session_release(&job.session);
	return status;
}
