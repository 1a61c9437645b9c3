/* `import` of a checkpoint's configuration: its graph, what it weighs, what the registry has. */
#include <stdlib.h>
#include <string.h>

#include "cli/import_job.h"
#include "import/checkpoint.h"
#include "import/graph_weights.h"
#include "import/import_hf.h"
#include "import/model_source.h"

#define GIB 1073741824.0

/** The graph of that name in the registry, as its file has it; NULL when there is none. */
static cJSON *shipped_graph(const struct import_job *job, const char *name)
{
	for (size_t i = 0; i < job->session.roots.count; i++) {
		struct xbuf path = { 0 };
		struct ss_error err = { 0 };
		size_t length = 0;
		char *text;
		cJSON *graph;

		xbuf_printf(&path, "%s/models/%s.json", job->session.roots.items[i], name);
		text = source_read(xbuf_text(&path), &length, &err);
		xbuf_release(&path);
		graph = text ? cJSON_ParseWithLength(text, length) : NULL;
		free(text);
		if (graph)
			return graph;
	}
	return NULL;
}

static void compare_graph(struct import_job *job, const cJSON *graph, const char *name)
{
	cJSON *shipped = shipped_graph(job, name);
	char *text = NULL, *line, *end, comment[512];
	const cJSON *note;
	size_t size = 0, count;
	FILE *f;

	if (!shipped)
		return;
	f = open_memstream(&text, &size);
	if (!f)
		out_of_memory();
	count = graph_compare(f, graph, shipped);
	if (fclose(f))
		out_of_memory();
	note = cJSON_GetObjectItemCaseSensitive(shipped, "comment");
	(void)snprintf(comment, sizeof(comment), "%s",
		       cJSON_IsString(note) ? note->valuestring : "");
	cJSON_Delete(shipped);
	doc_heading(job->doc, "Against the registry's %s", name);
	if (!count)
		doc_line(job->doc, MARK_NONE, "the same, node by node");
	else if (*comment)
		doc_line(job->doc, MARK_DIM, "here: this configuration; there: %s", comment);
	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		doc_line(job->doc, MARK_DIFFERS, "%s", line);
		json_put(job->differences, NULL, cJSON_CreateString(line));
	}
	free(text);
}

static void say_part(struct import_job *job, const char *what, double parameters, double bytes)
{
	if (parameters > 0)
		doc_line(job->doc, MARK_NONE, "%-8s %8.2f B parameters  %8.2f GiB", what,
			 parameters / 1e9, bytes / GIB);
}

/** What it weighs, beside what the index of its shards says. */
static void say_weights(struct import_job *job, const cJSON *graph, const char *name,
			int64_t index_bytes)
{
	struct graph_weights w;
	cJSON *o = json_object();

	graph_weights_sum(&w, graph);
	doc_heading(job->doc, "Weights of %s", name);
	say_part(job, "decoder", w.parameters, w.bytes);
	say_part(job, "drafts", w.draft_parameters, w.draft_bytes);
	say_part(job, "other", w.other_parameters, w.other_bytes);
	json_put_text(o, "model", name);
	json_put_count(o, "parameters", (int64_t)w.parameters);
	json_put_count(o, "bytes", (int64_t)w.bytes);
	json_put_count(o, "draft_parameters", (int64_t)w.draft_parameters);
	json_put_count(o, "draft_bytes", (int64_t)w.draft_bytes);
	json_put_count(o, "other_parameters", (int64_t)w.other_parameters);
	json_put_count(o, "other_bytes", (int64_t)w.other_bytes);
	if (index_bytes) {
		double all = w.bytes + w.draft_bytes + w.other_bytes;

		doc_line(job->doc, MARK_NONE,
			 "the index of its shards says %.2f GiB, %+.1f %% from all of these",
			 (double)index_bytes / GIB, 100 * ((double)index_bytes / all - 1));
		json_put_count(o, "index_bytes", index_bytes);
	}
	json_put(job->weights, NULL, o);
}

enum ss_status job_config(struct import_job *job, const struct source *source)
{
	const char *given = job->batch->arguments->request.adhoc.model;
	struct checkpoint checkpoint;
	cJSON *graph = NULL;
	char name[128], *json;
	enum ss_status rc;

	if (given)
		(void)snprintf(name, sizeof(name), "%s", given);
	else
		source_graph_name(name, sizeof(name), source->path);
	rc = checkpoint_read(&checkpoint, source->text, source->length, source->path, &job->err);
	if (!rc && !hf_is_config(checkpoint.config))
		rc = ss_fail(&job->err, SS_EDOCUMENT, source->path,
			     "JSON, but no config.json of a checkpoint: it names no architectures");
	if (!rc && !*name)
		rc = ss_fail(&job->err, SS_EUSAGE, source->path,
			     "nothing names the model: give --model NAME");
	if (!rc)
		rc = hf_import(&graph, checkpoint.config, checkpoint.quantization, name,
			       source->path, &job->problems);
	if (!rc) {
		model_source_check_format(&checkpoint, name, source->path,
					  ss_registry_model_names(job->session.registry, NULL),
					  &job->problems);
		json = cJSON_Print(graph);
		if (!json)
			out_of_memory();
		rc = job_keep(job, SS_DOCUMENT_MODEL, name, json, NULL, source->path);
		free(json);
	}
	if (!rc) {
		say_weights(job, graph, name, checkpoint.index_bytes);
		compare_graph(job, graph, name);
	}
	cJSON_Delete(graph);
	checkpoint_release(&checkpoint);
	return rc;
}
