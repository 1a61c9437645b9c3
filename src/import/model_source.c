#include "import/model_source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "import/import_hf.h"
#include "import/import_source.h"

enum { PATH_SIZE = 4096 };

/** The file that a path means: itself, or the `config.json` in a folder. */
static bool find_file(char out[PATH_SIZE], const char *name)
{
	struct stat info;
	size_t length = strlen(name);
	int n;

	if (!length || stat(name, &info))
		return false;
	if (!S_ISDIR(info.st_mode)) {
		n = snprintf(out, PATH_SIZE, "%s", name);
		return S_ISREG(info.st_mode) && n < PATH_SIZE;
	}
	n = snprintf(out, PATH_SIZE, "%s%sconfig.json", name, name[length - 1] == '/' ? "" : "/");
	return n < PATH_SIZE && !stat(out, &info) && S_ISREG(info.st_mode);
}

static bool is_graph(const cJSON *document)
{
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(document, "kind");

	return cJSON_IsString(kind) && !strcmp(kind->valuestring, "ModelGraph");
}

/** Does the configuration say how its weights are quantised? */
static bool is_quantised(const cJSON *config)
{
	static const char *const keys[] = { "quantization_config", "compression_config" };
	static const char *const parts[] = { "", "text_config", "llm_config", "language_config" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const cJSON *part =
			*parts[i] ? cJSON_GetObjectItemCaseSensitive(config, parts[i]) : config;

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(part, keys[k])))
				return true;
	}
	return false;
}

void model_source_check_format(const struct checkpoint *checkpoint, const char *name,
			       const char *file, const struct ss_model_names *table,
			       struct ss_problems *problems)
{
	const struct ss_name_format *said = NULL;
	size_t length = strlen(name);

	if (is_quantised(checkpoint->config) || checkpoint->quantization)
		return;
	for (size_t i = 0; table && i < table->format_count; i++) {
		const struct ss_name_format *row = &table->formats[i];
		size_t n = strlen(row->suffix);

		if (*row->quantization && length > n && !strcasecmp(name + length - n, row->suffix))
			said = row;
	}
	if (said)
		(void)ss_problems_add(
			problems, SS_WARNING, "quantization", file, "",
			"the name ends in %s, but neither quantization_config nor "
			"hf_quant_config.json is there: the configuration is followed, "
			"its weights are of its dtype",
			said->suffix);
}

/** NULL when the text is none of ours; the problems say why. */
static cJSON *graph_of(const struct checkpoint *checkpoint, const char *path,
		       const struct ss_model_names *table, struct ss_problems *problems)
{
	char name[128];
	cJSON *graph = NULL;

	if (is_graph(checkpoint->config))
		return cJSON_Duplicate(checkpoint->config, true);
	if (!hf_is_config(checkpoint->config)) {
		(void)ss_problems_add(problems, SS_ERROR, "type", path, "",
				      "neither a config.json, which names its architectures, nor a "
				      "ModelGraph");
		return NULL;
	}
	source_graph_name(name, sizeof(name), path);
	if (hf_import(&graph, checkpoint->config, checkpoint->quantization, *name ? name : "model",
		      path, problems))
		return NULL;
	model_source_check_format(checkpoint, name, path, table, problems);
	return graph;
}

char *model_source_read(struct ss_registry *registry, const char *name, bool *is_source,
			struct ss_problems *problems)
{
	struct checkpoint checkpoint = { 0 };
	struct ss_error err = { 0 };
	char path[PATH_SIZE], *text, *json = NULL;
	cJSON *graph = NULL;
	size_t length = 0;

	*is_source = find_file(path, name);
	if (!*is_source)
		return NULL;
	text = source_read(path, &length, &err);
	if (text && !checkpoint_read(&checkpoint, text, length, path, &err))
		graph = graph_of(&checkpoint, path, ss_registry_model_names(registry, NULL),
				 problems);
	else
		(void)ss_problems_add(problems, SS_ERROR, "type", path, "", "%s", err.message);
	if (graph)
		json = cJSON_PrintUnformatted(graph);
	cJSON_Delete(graph);
	checkpoint_release(&checkpoint);
	free(text);
	return json;
}
