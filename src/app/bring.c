#include "app/bring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/glance.h"
#include "case/session.h"
#include "import/import_scenario.h"

/** An import under way. */
struct bringing {
	struct vllm_import_options options;
	struct adhoc_defaults defaults;
	char **models, **fabrics;
	size_t model_count, fabric_count;
	struct ss_scenario *scenario;
	struct import_rows rows;
	struct ss_problems problems;
	struct ss_error err;
	bool is_part_ours; /**< the text names no GPU: that of the open scenario */
};

static const char *own_text(const struct app *app, enum ss_field_id id)
{
	return session_text(app->draft.scenario, 0, id);
}

/* Text that names no GPU is for the part that is open, with the sets that part has. */
static enum ss_status with_own_part(struct bringing *b, const struct app *app)
{
	struct adhoc words = { .part = own_text(app, SS_F_HARDWARE) };
	enum ss_status rc;

	if (!*words.part || !b->model_count)
		return SS_EDOCUMENT;
	words.model = b->models[0];
	rc = adhoc_defaults(&b->defaults, app->registry, &words, &b->problems, &b->err);
	b->options.part = words.part;
	b->options.coefficients = (const char *const *)b->defaults.coefficients;
	b->options.coefficient_count = b->defaults.coefficient_count;
	b->options.default_version = b->defaults.version;
	b->options.part_gpus_per_node = b->defaults.gpus_per_node;
	b->is_part_ours = true;
	return rc;
}

static enum ss_status names(struct bringing *b, const struct app *app)
{
	enum ss_status rc =
		ss_registry_names(app->registry, SS_DOCUMENT_MODEL, &b->models, &b->model_count);

	return rc ? rc
		  : ss_registry_names(app->registry, SS_DOCUMENT_NETWORK, &b->fabrics,
				      &b->fabric_count);
}

static enum ss_status make(struct bringing *b, const struct app *app, const char *file,
			   const char *text, size_t length)
{
	enum source_kind kind = source_kind_of(file, text, length);
	enum ss_status rc = names(b, app);

	b->options.file = file;
	b->options.models = (const char *const *)b->models;
	b->options.model_count = b->model_count;
	b->options.names = ss_registry_model_names(app->registry, NULL);
	b->options.default_fabric = b->fabric_count ? b->fabrics[0] : NULL;
	b->options.read_config = import_read_config;
	b->options.context = xstrdup(file);
	if (rc)
		return rc;
	rc = import_scenario(&b->scenario, &b->rows, kind, text, length, &b->options, &b->problems,
			     &b->err);
	if (!rc || kind == SOURCE_YAML || kind == SOURCE_JSON)
		return rc;
	import_rows_release(&b->rows);
	ss_problems_release(&b->problems);
	b->rows = (struct import_rows){ 0 };
	b->problems = (struct ss_problems){ 0 };
	b->err = (struct ss_error){ 0 };
	rc = with_own_part(b, app);
	return rc ? rc
		  : import_scenario(&b->scenario, &b->rows, kind, text, length, &b->options,
				    &b->problems, &b->err);
}

static void release(struct bringing *b)
{
	ss_scenario_free(b->scenario);
	import_rows_release(&b->rows);
	ss_problems_release(&b->problems);
	ss_names_free(b->models, b->model_count);
	ss_names_free(b->fabrics, b->fabric_count);
	adhoc_defaults_release(&b->defaults);
	free(b->options.context);
}

/* The first thing that stood in the way. */
static void say_why(struct app *app, const struct bringing *b, const char *file)
{
	const struct ss_problem *found = NULL;

	for (size_t i = 0; i < b->problems.count && !found; i++)
		if (b->problems.items[i].severity != SS_WARNING)
			found = &b->problems.items[i];
	if (found)
		app_say(app, true, "%s%s%s: %s", found->file ? found->file : file,
			found->pointer && *found->pointer ? " " : "",
			found->pointer ? found->pointer : "", found->message);
	else
		app_say(app, true, "%s: %s", *b->err.where ? b->err.where : file, b->err.message);
}

static void list_rows(struct xbuf *out, const struct bringing *b, enum import_fate fate)
{
	for (size_t i = 0; i < b->rows.count; i++) {
		const struct import_row *row = &b->rows.items[i];

		if (row->fate == fate && strcmp(row->flag, "# set") != 0)
			xbuf_printf(out, "  %-10s  %-24s  %s\n", import_fate_name(fate), row->flag,
				    row->detail);
	}
}

static void describe(struct xbuf *out, const struct app *app, const struct bringing *b)
{
	/* What is to be known first stands first. */
	static const enum import_fate order[] = { IMPORT_CHOSEN,     IMPORT_LEFT,
						  IMPORT_UNKNOWN,    IMPORT_NOTED,
						  IMPORT_NOT_PRICED, IMPORT_TAKEN,
						  IMPORT_NO_EFFECT };
	char subject[200], price[300];

	out->len = 0;
	glance_subject(subject, sizeof(subject), b->scenario);
	glance(price, sizeof(price), app, b->scenario);
	xbuf_printf(out, "%s | %s\n", subject, price);
	if (b->is_part_ours)
		xbuf_printf(out, "The text names no GPU: %s is that of the scenario open.\n",
			    session_text(b->scenario, 0, SS_F_HARDWARE));
	xbuf_puts(out, "Enter opens it   Esc leaves all as it is\n\n");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		list_rows(out, b, order[i]);
	for (size_t i = 0; i < b->problems.count; i++)
		xbuf_printf(out, "  warning     %s\n", b->problems.items[i].message);
}

/* A workload's shape stands for a batch, which is worked out here. */
void app_work_out_batch(struct ss_scenario *scenario, struct ss_registry *registry)
{
	struct session opening = { .registry = registry, .scenario = scenario };

	if (!session_opening_batch(&opening)) {
		free(scenario->workload.groups);
		scenario->workload.groups = opening.workload_groups;
		scenario->workload.group_count = opening.group_count;
		scenario->workload.has_batch = true;
		free(opening.groups);
	}
	ss_problems_release(&opening.problems);
}

/* Longer files are none that someone wrote by hand. */
#define LIKELY_MOST ((off_t)1 << 20)

static bool says_vllm(const char *text)
{
	return strstr(text, "vllm serve") || strstr(text, "vllm.entrypoints") ||
	       strstr(text, "vllm/vllm");
}

static bool is_import(const char *path, bool is_named)
{
	struct ss_error err = { 0 };
	struct stat about;
	size_t length = 0;
	bool is_it;
	char *text;

	if (stat(path, &about) || !S_ISREG(about.st_mode) ||
	    (!is_named && about.st_size > LIKELY_MOST))
		return false;
	text = source_read(path, &length, &err);
	is_it = text && length && source_kind_of(path, text, length) != SOURCE_JSON;
	if (is_it && !is_named)
		is_it = !memchr(text, '\0', length) &&
			(serve_log_is(text, length) || says_vllm(text));
	free(text);
	return is_it;
}

bool bring_is_for(const char *path)
{
	return is_import(path, true);
}

bool bring_is_likely(const char *path)
{
	return is_import(path, false);
}

bool bring_text(struct app *app, const char *file, const char *text, size_t length)
{
	struct bringing b = { .rows = { 0 } };
	bool is_made = !make(&b, app, file, text, length);

	if (is_made) {
		bring_drop(app);
		describe(&app->detail, app, &b);
		/* It comes from a text, and is no file of ours. */
		free(b.scenario->file);
		b.scenario->file = xstrdup("");
		app_work_out_batch(b.scenario, app->registry);
		app->offered = b.scenario;
		b.scenario = NULL;
		snprintf(app->detail_title, sizeof(app->detail_title), "Import %.80s", file);
		snprintf(app->offered_note, sizeof(app->offered_note),
			 "imported; S saves it to a file");
		app->overlay = OVERLAY_OFFER;
		app->overlay_top = 0;
	} else {
		say_why(app, &b, file);
	}
	release(&b);
	return is_made;
}

bool bring_file(struct app *app, const char *path)
{
	struct ss_error err = { 0 };
	struct stat about;
	size_t length = 0;
	char *text = NULL;
	bool is_made = false;

	/* Reading a pipe could take for ever, with nobody to stop it. */
	if (!stat(path, &about) && !S_ISREG(about.st_mode)) {
		app_say(app, true, "%s: is no plain file", path);
		return false;
	}
	text = source_read(path, &length, &err);
	if (text)
		is_made = bring_text(app, path, text, length);
	else
		app_say(app, true, "%s: %s", err.where, err.message);
	free(text);
	return is_made;
}

unsigned bring_ask(struct app *app, const char *file)
{
	if (!*file) {
		app_say(app, true, "import FILE; or paste the command, the log or the YAML");
		return APP_REDRAW;
	}
	snprintf(app->wanted, sizeof(app->wanted), "%s", file);
	return APP_IMPORT | APP_REDRAW;
}

unsigned bring_open(struct app *app, const char *name)
{
	if (bring_is_for(name))
		return bring_ask(app, name);
	snprintf(app->wanted, sizeof(app->wanted), "%s", name);
	if (history_is_dirty(&app->history))
		return app_confirm(app, QUESTION_OPEN,
				   "There are edits that were not saved.\n"
				   "y open the other scenario   n stay");
	return APP_LOAD | APP_REDRAW;
}

void bring_drop(struct app *app)
{
	ss_scenario_free(app->offered);
	app->offered = NULL;
}

unsigned bring_take(struct app *app, bool is_sure)
{
	struct ss_scenario *scenario = app->offered;

	if (!scenario)
		return APP_REDRAW;
	if (!is_sure && history_is_dirty(&app->history))
		return app_confirm(app, QUESTION_IMPORT,
				   "There are edits that were not saved.\n"
				   "y open the other scenario   n stay");
	app->offered = NULL;
	app_open(app, scenario);
	app->stamp = app->review_stamp = (struct store_stamp){ 0 };
	app_say(app, false, "%s", app->offered_note);
	return APP_REDRAW | APP_PRICE;
}

/* Take what a flag sets; `parallel.tp=8` says which setting that is. */
static bool take_row(struct app *app, const struct import_row *row, struct ss_error *err)
{
	size_t eq = strcspn(row->detail, "=");
	char path[160];

	if (row->fate != IMPORT_TAKEN || !row->line || !row->detail[eq])
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)eq, row->detail);
	return history_set_text(&app->history, &app->draft, app->pool, path, row->detail + eq + 1,
				err);
}

unsigned bring_flags(struct app *app, const char *flags)
{
	struct bringing b = { .rows = { 0 } };
	struct xbuf text = { 0 }, rest = { 0 };
	struct ss_error err = { 0 };
	int changed = 0;

	xbuf_printf(&text, "vllm serve %s %s", own_text(app, SS_F_MODEL), flags);
	b.options.model = own_text(app, SS_F_MODEL);
	if (make(&b, app, "set", xbuf_text(&text), text.len)) {
		say_why(app, &b, "set");
	} else {
		for (size_t i = 0; i < b.rows.count && !err.status; i++) {
			const struct import_row *row = &b.rows.items[i];

			if (take_row(app, row, &err)) {
				if (changed++)
					history_join(&app->history);
			} else if (row->flag[0] == '-' && row->fate != IMPORT_TAKEN) {
				xbuf_printf(&rest, "%s%s %s", rest.len ? ", " : "", row->flag,
					    import_fate_name(row->fate));
			}
		}
		if (err.status)
			app_say(app, true, "%s%s%s", err.where, *err.where ? ": " : "",
				err.message);
		else
			app_say(app, false, "%s%s%s",
				changed ? "set; u takes it back" : "that is how it is already",
				rest.len ? "; " : "", xbuf_text(&rest));
	}
	release(&b);
	xbuf_release(&text);
	xbuf_release(&rest);
	return changed ? APP_REDRAW | APP_PRICE : APP_REDRAW;
}
