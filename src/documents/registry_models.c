/* Model graphs of a registry, asked for by any name they go by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "documents/documents.h"
#include "documents/json.h"
#include "documents/nearest.h"
#include "documents/registry_load.h"

const struct ss_model_names *ss_registry_model_names(struct ss_registry *registry,
						     struct ss_problems *problems)
{
	return registry_joined(registry, SS_DOCUMENT_NAMES, "model-names", problems);
}

enum ss_status ss_registry_match(struct ss_model_match *out, char ***graphs, size_t *count,
				 struct ss_registry *registry, const char *name,
				 struct ss_error *err)
{
	const struct ss_model_names *table = ss_registry_model_names(registry, NULL);

	*graphs = NULL;
	*count = 0;
	ss_model_match_none(out);
	if (ss_registry_names(registry, SS_DOCUMENT_MODEL, graphs, count))
		return ss_fail(err, SS_ENOMEM, "", "out of memory");
	return ss_model_match(out, name, table, (const char *const *)*graphs, *count, err);
}

static bool says(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (; length && *text; text++)
		if (!strncasecmp(text, word, length))
			return true;
	return false;
}

/** Does the format the name tells differ from what the graph's own weights are? */
static bool is_other_format(const struct ss_model *model, const char *suffix)
{
	if (!*suffix)
		return false;
	/* `-bf16` and `-fp16` are one to a graph of 16 bit. */
	if (ss_model_is_plain(model))
		return !says(suffix, "-bf16") && !says(suffix, "-fp16");
	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; j < model->kinds[i].node_count; j++)
			if (says(suffix, ss_dtype_name(model->kinds[i].nodes[j].weight_dtype)))
				return false;
	return !says(suffix, ss_dtype_name(model->weight_dtype)) &&
	       !says(suffix, model->quantization);
}

/** The reason as it is shown, with what the name says of the weights. */
static void explain(char *out, size_t size, const struct ss_model *model,
		    const struct ss_model_match *match)
{
	size_t used = (size_t)snprintf(out, size, "%s", match->reason);
	bool has_form = ss_model_is_plain(model) && *match->quantization;

	if (used >= size || !is_other_format(model, match->suffix))
		return;
	if (!used)
		used = (size_t)snprintf(out, size, "same shape as %s", model->name);
	if (has_form)
		(void)snprintf(out + used, size - used, "; weights of %s, as its name's %s says",
			       match->quantization, match->suffix + 1);
	else
		(void)snprintf(out + used, size - used,
			       "; its name's %s is not what the graph's weights are: priced as the "
			       "graph's, name its config.json for its own",
			       match->suffix + 1);
}

static const struct ss_model *load_match(struct ss_registry *registry, const char *asked,
					 const struct ss_model_match *match,
					 struct ss_problems *problems)
{
	struct ss_model *model =
		registry_load_as(registry, SS_DOCUMENT_MODEL, match->graph, asked, problems);
	char reason[SS_MATCH_TEXT * 2];

	/* Asked for before: named then. */
	if (!model || *model->asked)
		return model;
	explain(reason, sizeof(reason), model, match);
	if (!model_name_asked(model, asked, reason,
			      ss_model_is_plain(model) ? match->quantization : "",
			      match->max_model_len))
		return NULL;
	return model;
}

/** A graph made of a file of a checkpoint that lies somewhere; NULL when it is none. */
static const struct ss_model *read_source(struct ss_registry *registry, const char *name,
					  struct ss_problems *problems, bool *is_source)
{
	struct ss_model *model;
	char *json = registry_read_model(registry, name, is_source, problems);
	char reason[SS_MATCH_TEXT];

	if (!json)
		return NULL;
	model = registry_keep_text(registry, SS_DOCUMENT_MODEL, name, json, problems);
	free(json);
	if (!model)
		return NULL;
	(void)snprintf(reason, sizeof(reason), "made of the config.json of %.200s", name);
	return model_name_asked(model, name, reason, "", 0) ? model : NULL;
}

const struct ss_model *ss_registry_model(struct ss_registry *registry, const char *name,
					 struct ss_problems *problems)
{
	struct ss_model_match match;
	struct ss_error err = { 0 };
	const struct ss_model *model;
	bool is_source = false;
	char **graphs;
	size_t count;

	if (registry_has(registry, SS_DOCUMENT_MODEL, name))
		return registry_load(registry, SS_DOCUMENT_MODEL, name, problems);
	model = read_source(registry, name, problems, &is_source);
	if (is_source)
		return model;
	if (ss_registry_match(&match, &graphs, &count, registry, name, &err)) {
		const char *near = ss_closest_word(name, (const char *const *)graphs, count);

		(void)ss_problems_add(problems, SS_ERROR, "unknown-name", "", "/model",
				      "%s; %s%s%stake one of its shape, or name its config.json "
				      "as the model",
				      err.message, near ? "did you mean \"" : "", near ? near : "",
				      near ? "\"? Else " : "");
		model = NULL;
	} else {
		model = load_match(registry, name, &match, problems);
	}
	ss_names_free(graphs, count);
	return model;
}
