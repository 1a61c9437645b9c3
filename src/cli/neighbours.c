/* Commands that hand on: the engine reference, and exports. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/engine_cmd.h"
#include "text/shown.h"
#include "import/export_vllm.h"
#include "import/import_source.h"
#include "cli/run.h"

/** Where packs lie: the first root that has any. */
static char *pack_folder(const struct roots *roots)
{
	for (size_t i = 0; i < roots->count; i++) {
		struct xbuf path = { 0 };
		struct stat info;

		xbuf_printf(&path, "%s/engines", roots->items[i]);
		if (!stat(path.data, &info))
			return path.data;
		xbuf_release(&path);
	}
	return NULL;
}

int run_engine(struct batch *batch)
{
	struct arguments *a = batch->arguments;
	char **words = xcalloc(a->name_count + 1, sizeof(*words));
	struct roots roots;
	char *folder;
	int status;

	for (size_t i = 0; i < a->name_count; i++)
		words[i] = xstrdup(a->names[i]);
	roots_find(&roots, a->request.registry);
	folder = pack_folder(&roots);
	status = engine_command((int)a->name_count, words, folder, stdout, stderr);
	if (status != EXIT_FAILED && batch_flush())
		status = EXIT_FAILED;
	roots_release(&roots);
	free(folder);
	for (size_t i = 0; i < a->name_count; i++)
		free(words[i]);
	free(words);
	return status;
}

void batch_repository(struct xbuf *out, const struct session *session)
{
	const char *name = session_text(session->scenario, 0, SS_F_MODEL);

	for (size_t i = 0; i < session->roots.count && !out->len; i++) {
		struct xbuf path = { 0 };
		struct ss_error err = { 0 };
		size_t length = 0;
		char *text;
		cJSON *graph;
		const cJSON *source, *repository;

		xbuf_printf(&path, "%s/models/%s.json", session->roots.items[i], name);
		text = source_read(xbuf_text(&path), &length, &err);
		xbuf_release(&path);
		graph = text ? cJSON_ParseWithLength(text, length) : NULL;
		free(text);
		source = cJSON_GetObjectItemCaseSensitive(graph, "source");
		repository = cJSON_GetObjectItemCaseSensitive(source, "vendor_repo");
		if (cJSON_IsString(repository))
			xbuf_puts(out, repository->valuestring);
		cJSON_Delete(graph);
	}
	/* A name that the graph stands for is where its own checkpoint is. */
	if (!out->len && strchr(name, '/'))
		xbuf_puts(out, name);
}

/** Options of the reading: no command of the engine has them, nor a scenario. */
static void say_what_stays(const struct batch *batch)
{
	static const enum option_id left[] = { OPT_SM_BUDGET, OPT_FIGURE, OPT_SPREAD, OPT_TTFT,
					       OPT_ACCEPTANCE };
	struct xbuf names = { 0 };

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (arguments_has(batch->arguments, left[i]))
			xbuf_printf(&names, "%s--%s", names.len ? ", " : "",
				    option_row(left[i])->name);
	if (names.len && !batch->arguments->is_quiet)
		say("not in the commands: %s", xbuf_text(&names));
	xbuf_release(&names);
}

static int export_commands(struct batch *batch)
{
	struct session session = { 0 };
	struct ss_error err = { 0 };
	struct xbuf repository = { 0 };
	int status = batch_open_unresolved(batch, &session, batch_scenario(batch));

	if (status)
		return status;
	session_keep_batch(&session, &batch->arguments->request);
	say_what_stays(batch);
	batch_repository(&repository, &session);
	if (!batch_out(batch))
		status = batch_write(batch, &(struct xbuf){ 0 });
	else if (vllm_export(batch->out, session.scenario, xbuf_text(&repository)))
		status = batch_fail(batch, SS_ENOMEM, NULL, &err);
	else
		status = batch_write(batch, &(struct xbuf){ 0 });
	xbuf_release(&repository);
	session_release(&session);
	return status;
}

int run_export(struct batch *batch)
{
	const char *to = arguments_value(batch->arguments, OPT_TO);
	struct ss_error err = { 0 };

	if (!to) {
		(void)ss_fail(&err, SS_EUSAGE, "export", "needs --to vllm, json or markdown");
		return batch_bad_usage(batch->arguments, &err);
	}
	if (!strcmp(to, "vllm"))
		return export_commands(batch);
	batch->arguments->format = !strcmp(to, "json") ? FORMAT_JSON : FORMAT_MARKDOWN;
	return run_report(batch);
}
