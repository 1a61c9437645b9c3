#include "import/import_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import/import_blis.h"
#include "stepscope/registry.h"

const char *import_fate_name(enum import_fate fate)
{
	switch (fate) {
	case IMPORT_TAKEN:
		return "taken";
	case IMPORT_NO_EFFECT:
		return "no effect";
	case IMPORT_NOT_PRICED:
		return "not priced";
	case IMPORT_NOTED:
		return "noted";
	case IMPORT_UNKNOWN:
		return "unknown";
	case IMPORT_CHOSEN:
		return "chosen";
	case IMPORT_LEFT:
		return "left";
	}
	return "";
}

cJSON *import_read_config(void *context, const char *path, struct ss_error *err)
{
	const char *beside = context;
	struct tree_documents documents = { 0 };
	const char *slash = strrchr(beside, '/');
	char near[4096];
	struct stat info;
	size_t length = 0;
	char *text;
	cJSON *out = NULL;

	if (*path != '/' && slash && stat(path, &info)) {
		int n = snprintf(near, sizeof(near), "%.*s%s", (int)(slash - beside) + 1, beside,
				 path);

		path = n > 0 && (size_t)n < sizeof(near) ? near : path;
	}
	text = source_read(path, &length, err);
	if (text && !tree_parse(&documents, text, length, err)) {
		if (documents.count == 1 && documents.items[0].kind == TREE_MAP)
			out = tree_to_json(&documents.items[0]);
		if (!out)
			ss_fail(err, SS_EDOCUMENT, path, "holds no map of flags");
	}
	tree_release(&documents);
	free(text);
	return out;
}

/** The release, less what a build adds to it. */
static void version_of(char *out, size_t size, const struct serve_log *log)
{
	const struct log_figure *figure = serve_log_find(log, LOG_VERSION);
	size_t n = figure ? strspn(figure->text, "0123456789.") : 0;

	while (n && figure->text[n - 1] == '.')
		n--;
	(void)snprintf(out, size, "%.*s", (int)n, figure ? figure->text : "");
}

enum ss_status log_scenario(struct ss_scenario **out, struct import_rows *rows,
			    const struct serve_log *log, const struct vllm_import_options *options,
			    struct ss_problems *problems, struct ss_error *err)
{
	struct vllm_import_options own = *options;
	cJSON *flags = log->arguments ? cJSON_Duplicate(log->arguments, 1) : cJSON_CreateObject();
	char version[64];
	enum ss_status rc;

	if (!flags)
		return ss_fail(err, SS_ENOMEM, options->file, "out of memory");
	version_of(version, sizeof(version), log);
	own.is_lenient = true;
	if (!own.engine_version && *version)
		own.engine_version = version;
	if (!flags->child && !own.model)
		rc = ss_fail(err, SS_EUSAGE, options->file,
			     "the log prints no arguments: give its --model, and what else it "
			     "ran with by --set");
	else
		rc = vllm_import_object(out, rows, flags, log->arguments_line, &own, problems);
	cJSON_Delete(flags);
	return rc;
}

static enum ss_status scenario_of_log(struct ss_scenario **out, struct import_rows *rows,
				      const char *text, size_t length,
				      const struct vllm_import_options *options,
				      struct ss_problems *problems, struct ss_error *err)
{
	struct serve_log log;
	enum ss_status rc = serve_log_parse(&log, text, length, err);

	if (rc)
		return rc;
	rc = log_scenario(out, rows, &log, options, problems, err);
	serve_log_release(&log);
	return rc;
}

/** The first scenario among the documents of a catalogue's YAML. */
static enum ss_status scenario_of_yaml(struct ss_scenario **out, const char *text, size_t length,
				       const char *file, struct ss_problems *problems,
				       struct ss_error *err)
{
	struct tree_documents trees = { 0 };
	struct blis_import import = { 0 };
	char *json = NULL;
	enum ss_status rc = tree_parse(&trees, text, length, err);

	if (!rc)
		rc = blis_convert(&import, &trees, file, "scenario", problems);
	if (!rc)
		rc = blis_finish(&import, problems);
	for (size_t i = 0; i < import.count && !rc && !json; i++)
		if (import.items[i].kind == SS_DOCUMENT_SCENARIO)
			json = cJSON_Print(import.items[i].json);
	if (!rc && !json)
		rc = ss_fail(err, SS_EDOCUMENT, file,
			     "holds no scenario; stepscope import %s makes documents of it", file);
	if (!rc) {
		*out = ss_scenario_parse(json, strlen(json), file, problems);
		rc = *out ? SS_OK : SS_EDOCUMENT;
	}
	free(json);
	blis_release(&import);
	tree_release(&trees);
	return rc;
}

/** A scenario as it stands, or words on what the JSON is instead. */
static enum ss_status scenario_of_json(struct ss_scenario **out, const char *text, size_t length,
				       const char *file, struct ss_problems *problems,
				       struct ss_error *err)
{
	cJSON *json = cJSON_ParseWithLength(text, length);
	bool is_ours = json && cJSON_GetObjectItemCaseSensitive(json, "deployment");

	cJSON_Delete(json);
	if (!is_ours)
		return ss_fail(err, SS_EDOCUMENT, file,
			       "JSON without a deployment; for a model's config.json: stepscope "
			       "import config.json -o FOLDER makes its graph");
	*out = ss_scenario_parse(text, length, file, problems);
	return *out ? SS_OK : SS_EDOCUMENT;
}

enum ss_status import_scenario(struct ss_scenario **out, struct import_rows *rows,
			       enum source_kind kind, const char *text, size_t length,
			       const struct vllm_import_options *options,
			       struct ss_problems *problems, struct ss_error *err)
{
	switch (kind) {
	case SOURCE_COMMAND:
		return vllm_import(out, rows, text, length, options, problems);
	case SOURCE_LOG:
		return scenario_of_log(out, rows, text, length, options, problems, err);
	case SOURCE_YAML:
		return scenario_of_yaml(out, text, length, options->file, problems, err);
	case SOURCE_JSON:
		return scenario_of_json(out, text, length, options->file, problems, err);
	}
	return SS_EDOCUMENT;
}
