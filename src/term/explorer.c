#include "term/explorer_files.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text/shown.h"
#include "app/app.h"
#include "app/bring.h"
#include "app/colon.h"
#include "app/store.h"
#include "app/tour.h"
#include "files/out.h"
#include "term/prompt.h"
#include "view/screen.h"
#include "view/text.h"

#define HISTORY_LINES 500

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
	case PROMPT_LOAD:
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
		asked |= explorer_open_scenario(e);
	if ((asked & APP_IMPORT) && bring_file(&e->app, e->app.wanted))
		asked |= APP_REDRAW;
	if (asked & APP_RELOAD)
		asked |= explorer_reload(e);
	if (asked & APP_RECOVER)
		asked |= explorer_recover(e, true);
	if (asked & APP_FORGET)
		asked |= explorer_recover(e, false);
	if (asked & APP_OPEN)
		explorer_list_scenarios(e);
	if (asked & APP_SAVE)
		explorer_save(e);
	if (asked & APP_EXPORT)
		explorer_export(e);
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
		app_refresh(&e->app, app_prompt_changed(&e->app, prompt_line()));
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

/* Into a prompt as words, else as something to import. */
static void paste(struct explorer *e, const char *text, size_t len)
{
	if (!prompt_is_open()) {
		if (e->app.overlay == OVERLAY_CONFIRM || e->app.tour)
			return;
		e->app.message[0] = '\0';
		(void)bring_text(&e->app, "paste", text, len);
		app_refresh(&e->app, APP_REDRAW);
		return;
	}
	for (size_t at = 0; at < len && prompt_is_open();) {
		uint32_t c;

		at += text_decode(text + at, len - at, &c);
		if (c < 0x20)
			c = ' ';
		(void)prompt_key((struct key){ c, 0 });
	}
}

static void tell_time(struct app *app)
{
	time_t now = time(NULL);
	struct tm utc;

	if (gmtime_r(&now, &utc))
		(void)strftime(app->now, sizeof(app->now), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void handle(struct explorer *e, const struct term_event *event)
{
	tell_time(&e->app);
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
	case TERM_PASTE:
		paste(e, event->text, event->text_len);
		return;
	case TERM_TIMEOUT:
		serve(e, tour_apply(&e->app, ACT_TOUR_NEXT));
		return;
	case TERM_FD:
	case TERM_LEAVE:
		return;
	}
}

/* Who judges entries: as git does, by the environment first. */
static void name_reviewer(struct explorer *e)
{
	static const char *const names[] = { "STEPSCOPE_REVIEWER", "LOGNAME", "USER" };
	const struct passwd *user = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !e->app.reviewer[0]; i++) {
		const char *name = getenv(names[i]);

		if (name)
			text_clean(e->app.reviewer, sizeof(e->app.reviewer), name, strlen(name));
	}
	user = e->app.reviewer[0] ? NULL : getpwuid(getuid());
	if (user)
		snprintf(e->app.reviewer, sizeof(e->app.reviewer), "%s", user->pw_name);
}

/* What the file says, under what the command line says; an error is said, and the rest holds. */
static void read_own_options(struct explorer *e, struct explorer_options *options)
{
	struct own_options asked = options->own;
	struct ss_error err = { 0 };
	struct xbuf text = { 0 };
	char *file = store_config_file();
	const char *home = getenv("HOME");
	size_t len = home ? strlen(home) : 0;
	bool is_below = file && len > 1 && !strncmp(file, home, len) && file[len] == '/';
	struct stat about;

	if (!file)
		return;
	snprintf(e->own_file, sizeof(e->own_file), "%s%s", is_below ? "~" : "",
		 file + (is_below ? len : 0));
	options->own = (struct own_options){ 0 };
	if (!stat(file, &about) && S_ISREG(about.st_mode) &&
	    (store_read(file, &text, &err) ||
	     own_options_read(&options->own, xbuf_text(&text), e->own_file, &err)))
		snprintf(e->own_error, sizeof(e->own_error), "%s %s", err.where, err.message);
	xbuf_release(&text);
	free(file);
	for (int i = 0; i < OWN_COUNT; i++)
		if (asked.lines[i]) {
			options->own.values[i] = asked.values[i];
			options->own.lines[i] = asked.lines[i];
		}
}

/* How the terminal is opened by them. */
static void look_as_asked(struct term_options *term, const struct own_options *own)
{
	term->has_mouse = own_option_is(own, OWN_MOUSE, "on");
	term->is_ascii = own_option_is(own, OWN_DRAW, "ascii");
	term->has_halves = own_option_is(own, OWN_DRAW, "blocks");
	term->colors = own_option_is(own, OWN_COLOR, "never")    ? TERM_COLORS_NONE
		       : own_option_is(own, OWN_COLOR, "always") ? TERM_COLORS_ALWAYS
								 : TERM_COLORS_AUTO;
}

static enum ss_figure figure_named(const char *name)
{
	enum ss_figure figure = SS_FIGURE_LEAD;
	struct ss_error err = { 0 };

	return ss_figure_find(name, &figure, &err) ? SS_FIGURE_LEAD : figure;
}

/* What they say of the first screen. */
static void start_as_asked(struct explorer *e, const struct session *session)
{
	const struct own_options *own = &e->app.own;
	char word[32];

	snprintf(e->app.own_file, sizeof(e->app.own_file), "%s", e->own_file);
	if (session->asked_figure == SS_FIGURE_LEAD && !own_option_is(own, OWN_FIGURE, "auto"))
		e->app.figure = figure_named(own_option(own, OWN_FIGURE, word, sizeof(word)));
	own_option(own, OWN_PANE, word, sizeof(word));
	for (int i = 0; i < PANE_ALL; i++)
		if (!strcasecmp(pane_row((enum pane_id)i)->name, word) && own->lines[OWN_PANE])
			(void)app_goto(&e->app, (enum pane_id)i);
	if (*e->own_error)
		app_say(&e->app, true, "%s", e->own_error);
}

static void start(struct explorer *e, struct session *session,
		  const struct explorer_options *options)
{
	int rows = 24, cols = 80;

	e->session = session;
	app_init_session(&e->app, session);
	e->app.audit = options->audit;
	e->app.own = options->own;
	name_reviewer(e);
	explorer_open_files(e);
	e->state_dir = store_state_dir();
	if (e->state_dir) {
		struct xbuf file = { 0 };

		xbuf_printf(&file, "%s/history", e->state_dir);
		e->commands = prompt_history_load(xbuf_text(&file), HISTORY_LINES);
		xbuf_release(&file);
		e->keeper = keeper_new(e->state_dir);
	} else {
		e->commands = prompt_history_load(NULL, HISTORY_LINES);
		app_say(&e->app, true,
			"nothing is kept against a crash: HOME and XDG_STATE_HOME name no folder "
			"that can be written");
	}
	e->words = prompt_history_load(NULL, HISTORY_LINES);
	term_size(&rows, &cols);
	if (page_init(&e->page, rows, cols, term_is_ascii()))
		out_of_memory();
	e->page.halves = term_has_halves();
	app_set_panes(&e->app, layout_right_panes(cols));
	if (!options->tour)
		start_as_asked(e, session);
	app_refresh(&e->app, APP_PRICE);
	if (options->tour)
		tour_start(&e->app, options->tour, &options->figures);
	if (options->import)
		(void)bring_file(&e->app, options->import);
	else if (!options->tour)
		explorer_offer_session(e);
}

static void finish(struct explorer *e, bool is_signalled)
{
	/* After a signal the session stays, to be offered next time. */
	keeper_free(e->keeper, !is_signalled);
	if (e->commands)
		(void)prompt_history_save(e->commands);
	prompt_end();
	prompt_history_free(e->commands);
	prompt_history_free(e->words);
	page_release(&e->page);
	app_release(&e->app);
	free(e->state_dir);
}

/* A tour that goes on by itself does while it has the screen. */
static int wait_ms(const struct explorer *e, const struct explorer_options *options)
{
	const struct tour_player *tour = e->app.tour;

	if (!tour || tour->is_free || !(options->auto_s > 0) || tour->at >= tour->tour.count)
		return -1;
	return options->auto_s > 86400 ? 86400000 : (int)(options->auto_s * 1000);
}

int explorer_run(struct session *session, struct explorer_options *options)
{
	struct explorer e = { .keeper = NULL };
	struct term_event event;
	char message[160];

	read_own_options(&e, options);
	look_as_asked(&options->term, &options->own);
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
			explorer_keep_session(&e);
			while (!term_has_input() && app_think(&e.app))
				paint(&e);
		}
	}
	explorer_keep_session(&e);
	finish(&e, !e.is_leaving);
	term_close();
	term_raise_pending();
	return 0;
}
