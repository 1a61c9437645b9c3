#include "term/explorer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/shown.h"
#include "app/app.h"
#include "app/colon.h"
#include "app/store.h"
#include "app/tour.h"
#include "files/out.h"
#include "term/prompt.h"
#include "view/screen.h"
#include "view/text.h"

#define HISTORY_LINES 500

struct explorer {
	struct app app;
	struct screen screen;
	struct page page;
	struct session *session;
	char *state_dir;             /* NULL: nothing is kept */
	char *orphan;                /* a session file whose explorer is gone; NULL: none */
	struct store_stamp stamp;    /* of app.saved_as as it was read or written */
	struct store_stamp exported; /* the export written last, of any name */
	struct prompt_history *commands, *words;
	size_t kept; /* history position that was kept last */
	bool is_leaving, needs_repaint;
};

/* -- files ---------------------------------------------------------------------------- */

static void keep_session(struct explorer *e)
{
	struct ss_error err = { 0 };

	if (!e->state_dir || e->kept == e->app.history.position)
		return;
	e->kept = e->app.history.position;
	if (!history_is_dirty(&e->app.history)) {
		store_drop_session(e->state_dir);
	} else if (store_keep_session(e->state_dir, &e->app, &err)) {
		app_say(&e->app, true, "the session is not kept: %s %s", err.where, err.message);
	}
}

/* Whoever was to be asked has been by now. */
static enum ss_status write_clipboard(struct app *app, struct ss_error *err)
{
	return file_write(app->wanted, xbuf_text(&app->clipboard), app->clipboard.len,
			  FILE_REPLACE | FILE_NO_WAIT, err);
}

static void save(struct explorer *e)
{
	struct app *app = &e->app;
	struct ss_error err = { 0 };
	struct store_stamp now = store_stamp(app->wanted);
	bool is_own = !strcmp(app->wanted, app->saved_as);
	char question[640];

	if (now.exists && !app->may_overwrite && (!is_own || !store_stamp_equal(&now, &e->stamp))) {
		snprintf(question, sizeof(question), "%s %s.\ny write over it   n leave it",
			 app->wanted,
			 is_own ? "was changed since it was read" : "is there already");
		app->pending = APP_SAVE;
		app_confirm(app, QUESTION_OVERWRITE, question);
		return;
	}
	app->may_overwrite = false;
	if (write_clipboard(app, &err)) {
		app_say(app, true, "%s %s", err.where, err.message);
		return;
	}
	snprintf(app->saved_as, sizeof(app->saved_as), "%s", app->wanted);
	e->stamp = store_stamp(app->saved_as);
	history_mark_saved(&app->history);
	app_say(app, false, "saved to %s", app->saved_as);
}

static void export(struct explorer *e)
{
	struct app *app = &e->app;
	struct ss_error err = { 0 };
	struct store_stamp now = store_stamp(app->wanted);
	char question[640];

	if (file_out_spares(app->wanted, app->saved_as, &err)) {
		app_say(app, true, "%s is the scenario; choose another file", app->wanted);
		return;
	}
	/* What was made here a moment ago may be made again. */
	if (now.exists && !app->may_overwrite && !store_stamp_equal(&now, &e->exported)) {
		snprintf(question, sizeof(question),
			 "%s is there already.\ny write over it   n leave it", app->wanted);
		app->pending = APP_EXPORT;
		app_confirm(app, QUESTION_OVERWRITE, question);
		return;
	}
	app->may_overwrite = false;
	if (write_clipboard(app, &err))
		app_say(app, true, "%s %s", err.where, err.message);
	else
		app_say(app, false, "written to %s", app->wanted);
	e->exported = store_stamp(app->wanted);
}

/* One line of a scenario file for the chooser. */
static char *describe(const char *path)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *scenario = ss_scenario_load(path, &problems);
	char text[512];

	if (!scenario)
		snprintf(text, sizeof(text), "x %s",
			 problems.count ? problems.items[0].message : "");
	else
		snprintf(text, sizeof(text), "%s",
			 scenario->values[SS_F_DESCRIPTION].is_stated
				 ? scenario->values[SS_F_DESCRIPTION].text
				 : "");
	ss_scenario_free(scenario);
	ss_problems_release(&problems);
	return xstrdup(text);
}

static void list_scenarios(struct explorer *e)
{
	char **names = NULL, **pairs = NULL;
	size_t count = 0;

	roots_scenarios(&e->session->roots, &names, &count);
	if (!count) {
		app_say(&e->app, true, "there are no scenarios beside the registry");
		names_free(names, count);
		return;
	}
	pairs = xcalloc(count * 2, sizeof(*pairs));
	for (size_t i = 0; i < count; i++) {
		char *path = roots_scenario(&e->session->roots, names[i]);

		pairs[2 * i] = xstrdup(names[i]);
		pairs[2 * i + 1] = path ? describe(path) : xstrdup("");
		free(path);
	}
	names_free(names, count);
	app_set_chooser(&e->app, pairs, (int)count);
}

static struct ss_scenario *load(struct explorer *e, const char *name)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *scenario = NULL;
	char *path = roots_scenario(&e->session->roots, name);

	if (path)
		scenario = ss_scenario_load(path, &problems);
	if (!path)
		app_say(&e->app, true, "no scenario is called \"%s\"", name);
	else if (!scenario)
		app_say(&e->app, true, "%s: %s %s", path,
			problems.count ? problems.items[0].pointer : "",
			problems.count ? problems.items[0].message : "does not load");
	free(path);
	ss_problems_release(&problems);
	return scenario;
}

/* A workload's shape stands for a batch, which is worked out here. */
static void work_out_batch(struct ss_scenario *scenario, struct ss_registry *registry)
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

static unsigned open_scenario(struct explorer *e)
{
	struct ss_scenario *scenario = load(e, e->app.wanted);

	if (!scenario)
		return APP_REDRAW;
	work_out_batch(scenario, e->session->registry);
	app_open(&e->app, scenario);
	e->stamp = store_stamp(e->app.saved_as);
	e->kept = SIZE_MAX;
	return APP_REDRAW | APP_PRICE;
}

static unsigned reload(struct explorer *e)
{
	const char *const *roots = (const char *const *)e->session->roots.items;
	struct ss_registry *registry = NULL, *old = e->session->registry;
	struct ss_scenario *scenario = NULL;
	struct ss_error err = { 0 };
	bool is_dirty = history_is_dirty(&e->app.history);

	if (ss_registry_new(&registry, roots, e->session->roots.count, &err)) {
		app_say(&e->app, true, "%s %s", err.where, err.message);
		return APP_REDRAW;
	}
	/* Edits are not thrown away for a file that changed. */
	if (!is_dirty && e->app.saved_as[0]) {
		scenario = load(e, e->app.saved_as);
		if (!scenario) {
			ss_registry_free(registry);
			return APP_REDRAW;
		}
		work_out_batch(scenario, registry);
	}
	if (!app_reload(&e->app, registry, scenario)) {
		ss_registry_free(registry);
		return APP_REDRAW;
	}
	e->stamp = store_stamp(e->app.saved_as);
	e->session->registry = registry;
	/* The session's own kernel and basis borrow from the old one. */
	ss_kernel_free(e->session->kernel);
	e->session->kernel = NULL;
	ss_basis_free(e->session->basis);
	e->session->basis = NULL;
	ss_registry_free(old);
	return APP_REDRAW | APP_PRICE;
}

static unsigned recover(struct explorer *e, bool is_wanted)
{
	struct ss_error err = { 0 };

	if (!e->orphan)
		return 0;
	if (is_wanted && !store_recover(e->orphan, &e->app, &err)) {
		app_say(&e->app, true, "%s %s", err.where, err.message);
		return APP_REDRAW;
	}
	(void)unlink(e->orphan);
	free(e->orphan);
	e->orphan = NULL;
	return APP_REDRAW | APP_PRICE;
}

/* -- prompts -------------------------------------------------------------------------- */

static char **complete_path(const char *line, size_t start, size_t end)
{
	struct xbuf prefix = { 0 };
	char **found = NULL;

	xbuf_add(&prefix, line + start, end - start);
	found = store_complete(xbuf_text(&prefix));
	xbuf_release(&prefix);
	return found;
}

static char **complete(void *context, const char *line, size_t start, size_t end)
{
	const struct app *app = context;

	switch (app->prompt.kind) {
	case PROMPT_COMMAND:
		if (colon_is_path(line, start))
			return complete_path(line, start, end);
		return colon_complete(app, line, start, end);
	case PROMPT_VALUE:
		return colon_complete_value(app, app->prompt.field, line, start, end);
	case PROMPT_SAVE:
	case PROMPT_EXPORT:
		return complete_path(line, start, end);
	case PROMPT_NONE:
	case PROMPT_SEARCH:
	case PROMPT_FILTER:
	case PROMPT_WHATIF:
	case PROMPT_GROUP:
	case PROMPT_TOKENS:
	case PROMPT_SWEEP:
	case PROMPT_SERIES:
	case PROMPT_TREE:
	case PROMPT_NOTE:
		break;
	}
	return NULL;
}

static void begin_prompt(struct explorer *e)
{
	struct app_prompt *prompt = &e->app.prompt;
	char label[80];
	bool is_bare = prompt->kind == PROMPT_COMMAND || prompt->kind == PROMPT_SEARCH;
	struct prompt_options options = {
		.label = label,
		.initial = prompt->initial,
		.history = prompt->kind == PROMPT_COMMAND ? e->commands : e->words,
		.complete = complete,
		.context = &e->app,
	};

	snprintf(label, sizeof(label), is_bare ? "%s" : "%s: ", prompt->label);
	if (prompt_begin(&options)) {
		prompt->kind = PROMPT_NONE;
		app_say(&e->app, true, "no prompt can be opened");
	}
}

static void draw_prompt(struct explorer *e)
{
	struct area footer = page_part(&e->page, e->screen.layout.footer);
	struct area first = area_part(&footer, 0, 0, 1, area_cols(&footer));
	size_t count = 0;
	const char *const *words = prompt_candidates(&count);
	int col = 1, cols = area_cols(&footer);

	area_clear(&first, STYLE_TEXT);
	prompt_draw(&first);
	if (!count || area_rows(&footer) < 2)
		return;
	area_fill(&footer, 1, 0, 1, area_cols(&footer), STYLE_TEXT, ' ');
	/* Whole words, and a sign that there are more. */
	for (size_t i = 0; i < count; i++) {
		if (col + text_width(words[i]) + (i + 1 < count ? 4 : 0) > cols) {
			area_put(&footer, 1, col, STYLE_KEY, "..");
			return;
		}
		col = area_put(&footer, 1, col, STYLE_KEY, words[i]) + 2;
	}
}

/* -- the loop ------------------------------------------------------------------------- */

/* Do what a change asks for, until it asks for nothing more. */
static void serve(struct explorer *e, unsigned asked)
{
	if (asked & APP_LOAD)
		asked |= open_scenario(e);
	if (asked & APP_RELOAD)
		asked |= reload(e);
	if (asked & APP_RECOVER)
		asked |= recover(e, true);
	if (asked & APP_FORGET)
		asked |= recover(e, false);
	if (asked & APP_OPEN)
		list_scenarios(e);
	if (asked & APP_SAVE)
		save(e);
	if (asked & APP_EXPORT)
		export(e);
	if ((asked & APP_COPY) && !term_copy(xbuf_text(&e->app.clipboard), e->app.clipboard.len))
		app_say(&e->app, true, "too long for the terminal's clipboard");
	if (asked & APP_PROMPT)
		begin_prompt(e);
	if (asked & APP_SUSPEND) {
		term_suspend();
		e->needs_repaint = true;
	}
	if (asked & APP_REPAINT)
		e->needs_repaint = true;
	if (asked & APP_QUIT)
		e->is_leaving = true;
	app_refresh(&e->app, asked);
}

static void paint(struct explorer *e)
{
	screen_draw(&e->screen, &e->page, &e->app);
	screen_measured(&e->screen, &e->app);
	if (prompt_is_open())
		draw_prompt(e);
	if (e->needs_repaint)
		term_repaint();
	e->needs_repaint = false;
	term_paint(&e->page);
}

static void key(struct explorer *e, struct key key)
{
	if (!prompt_is_open()) {
		serve(e, app_key(&e->app, key));
		return;
	}
	switch (prompt_key(key)) {
	case PROMPT_EDITING:
		return;
	case PROMPT_DONE: {
		char *line = xstrdup(prompt_line());

		prompt_end();
		e->app.message[0] = '\0';
		serve(e, app_prompt_done(&e->app, line));
		free(line);
		return;
	}
	case PROMPT_CANCELLED:
		prompt_end();
		serve(e, app_prompt_done(&e->app, NULL));
		return;
	}
}

static bool is_inside(const struct rect *rect, int row, int col)
{
	return row >= rect->row && row < rect->row + rect->rows && col >= rect->col &&
	       col < rect->col + rect->cols;
}

/* A click focuses a pane and, in the deployment, selects its row. */
static void click(struct explorer *e, const struct term_event *event)
{
	const struct layout *layout = &e->screen.layout;
	int slot = 0;

	for (int i = 0; i < layout->pane_count; i++) {
		const struct layout_pane *pane = &layout->panes[i];
		enum pane_id id = PANE_DEPLOYMENT;

		if (!pane->is_deployment)
			id = layout->pane_count <= 2 ? e->app.pane : e->app.slots[slot++];
		if (!is_inside(&pane->body, event->row, event->col) &&
		    !is_inside(&pane->title, event->row, event->col))
			continue;
		serve(e, app_goto(&e->app, id));
		if (pane->is_deployment && event->row >= pane->body.row) {
			e->app.lists[id].selected =
				e->screen.lists[id].top + event->row - pane->body.row;
			app_refresh(&e->app, 0);
		}
		return;
	}
}

static void mouse(struct explorer *e, const struct term_event *event)
{
	if (prompt_is_open())
		return;
	switch (event->button) {
	case TERM_WHEEL_UP:
		serve(e, app_apply(&e->app, ACT_ROW_UP));
		return;
	case TERM_WHEEL_DOWN:
		serve(e, app_apply(&e->app, ACT_ROW_DOWN));
		return;
	case TERM_CLICK:
		if (e->app.overlay == OVERLAY_NONE && !e->app.walk)
			click(e, event);
		return;
	}
}

static void resize(struct explorer *e)
{
	int rows = 24, cols = 80;

	term_size(&rows, &cols);
	if (page_resize(&e->page, rows, cols))
		out_of_memory();
	app_set_panes(&e->app, layout_right_panes(cols));
	app_refresh(&e->app, 0);
	e->needs_repaint = true;
}

static void handle(struct explorer *e, const struct term_event *event)
{
	switch (event->type) {
	case TERM_KEY:
		key(e, event->key);
		return;
	case TERM_RESIZE:
		resize(e);
		return;
	case TERM_RESUMED:
		resize(e);
		return;
	case TERM_MOUSE:
		mouse(e, event);
		return;
	case TERM_TIMEOUT:
		serve(e, tour_apply(&e->app, ACT_TOUR_NEXT));
		return;
	case TERM_FD:
	case TERM_LEAVE:
		return;
	}
}

static void start(struct explorer *e, struct session *session,
		  const struct explorer_options *options)
{
	int rows = 24, cols = 80;

	e->session = session;
	app_init_session(&e->app, session);
	e->app.audit = options->audit;
	e->stamp = store_stamp(e->app.saved_as);
	e->state_dir = store_state_dir();
	if (e->state_dir) {
		struct xbuf file = { 0 };

		xbuf_printf(&file, "%s/history", e->state_dir);
		e->commands = prompt_history_load(xbuf_text(&file), HISTORY_LINES);
		xbuf_release(&file);
		e->orphan = store_find_session(e->state_dir);
	} else {
		e->commands = prompt_history_load(NULL, HISTORY_LINES);
	}
	e->words = prompt_history_load(NULL, HISTORY_LINES);
	term_size(&rows, &cols);
	if (page_init(&e->page, rows, cols, term_is_ascii()))
		out_of_memory();
	app_set_panes(&e->app, layout_right_panes(cols));
	app_refresh(&e->app, APP_PRICE);
	if (options->tour)
		tour_start(&e->app, options->tour, &options->figures);
	if (e->orphan && !options->tour)
		app_confirm(&e->app, QUESTION_RECOVER,
			    "A session with unsaved edits was cut short.\n"
			    "y take it up again   n forget it");
}

static void finish(struct explorer *e, bool is_signalled)
{
	/* After a signal the session stays, to be offered next time. */
	if (e->state_dir && !is_signalled)
		store_drop_session(e->state_dir);
	if (e->commands)
		(void)prompt_history_save(e->commands);
	prompt_end();
	prompt_history_free(e->commands);
	prompt_history_free(e->words);
	page_release(&e->page);
	app_release(&e->app);
	free(e->state_dir);
	free(e->orphan);
}

/* A tour that goes on by itself does while it has the screen. */
static int wait_ms(const struct explorer *e, const struct explorer_options *options)
{
	const struct tour_player *tour = e->app.tour;

	if (!tour || tour->is_free || !(options->auto_s > 0) || tour->at >= tour->tour.count)
		return -1;
	return options->auto_s > 86400 ? 86400000 : (int)(options->auto_s * 1000);
}

int explorer_run(struct session *session, const struct explorer_options *options)
{
	struct explorer e = { .kept = 0 };
	struct term_event event;
	char message[160];

	if (term_open(&options->term, message, sizeof(message))) {
		say("%s", message);
		return 4;
	}
	start(&e, session, options);
	paint(&e);
	if (!term_has_input() && app_think(&e.app))
		paint(&e);
	while (!e.is_leaving && term_wait(&event, wait_ms(&e, options))) {
		handle(&e, &event);
		if (!term_has_input()) {
			paint(&e);
			keep_session(&e);
			while (!term_has_input() && app_think(&e.app))
				paint(&e);
		}
	}
	keep_session(&e);
	finish(&e, !e.is_leaving);
	term_close();
	term_raise_pending();
	return 0;
}
