/* What becomes of the text someone typed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/act.h"
#include "app/app.h"
#include "app/batch_edit.h"
#include "app/colon.h"
#include "app/export.h"
#include "text/number.h"
#include "app/opening_batch.h"
#include "app/rows.h"
#include "app/serve.h"
#include "app/sweep.h"
#include "app/tree.h"
#include "app/walk.h"

static unsigned done(struct app *app, bool is_changed, const struct ss_error *err)
{
	if (is_changed)
		return APP_REDRAW | APP_PRICE;
	if (err->status)
		app_say(app, true, "%s%s%s", err->where, *err->where ? ": " : "", err->message);
	return APP_REDRAW;
}

/* Is the text one of the values there are? Says so when not. */
static bool is_offered(struct app *app, enum ss_field_id field, const char *text)
{
	struct choices_context context = app_choices(app);
	struct xbuf known = { 0 };
	char scratch[128];
	const char *word = NULL;
	bool is_known = false;

	for (size_t n = 0; (word = choices_word(&context, field, n, scratch, sizeof(scratch)));
	     n++) {
		is_known |= !strcmp(word, text);
		xbuf_printf(&known, "%s%s", n ? ", " : "", word);
	}
	if (!is_known)
		app_say(app, true, "no %s %s; there are: %s", rows_name(field), text,
			xbuf_text(&known));
	xbuf_release(&known);
	return is_known;
}

static unsigned put_value(struct app *app, const char *text)
{
	const struct ss_field *row = ss_field(app->prompt.field);
	struct ss_value value = { 0 };
	struct ss_error err = { 0 };

	if (!*text && row->is_required) {
		app_say(app, true, "%s must be stated", rows_name(row->id));
		return APP_REDRAW;
	}
	if (app->prompt.is_listed && !is_offered(app, row->id, text))
		return APP_REDRAW;
	if (ss_value_parse(&value, row, text, &err))
		return done(app, false, &err);
	return done(app, history_set_field(&app->history, &app->draft, app->pool, row->id, &value),
		    &err);
}

static unsigned put_whatif(struct app *app, const char *text)
{
	struct ss_error err = { 0 };
	double value = 0;

	if (!*text)
		return done(app,
			    history_set_whatif(&app->history, &app->draft, app->prompt.name, NULL),
			    &err);
	if (number_parse(&value, text) != NUMBER_OK || value <= 0) {
		app_say(app, true, "%s: a number above 0, got %s", app->prompt.name, text);
		return APP_REDRAW;
	}
	return done(app, history_set_whatif(&app->history, &app->draft, app->prompt.name, &value),
		    &err);
}

static unsigned put_search(struct app *app, const char *text)
{
	unsigned asked = 0;

	snprintf(app->search, sizeof(app->search), "%s", text);
	app_list(app)->selected = app->prompt.selected;
	if (!*text)
		return APP_REDRAW;
	asked = app_apply(app, ACT_SEARCH_NEXT);
	return asked | APP_REDRAW;
}

static unsigned put_tokens(struct app *app, const char *text)
{
	int64_t tokens = 0;

	if (number_parse_whole(&tokens, text) != NUMBER_OK || tokens < 0)
		app_say(app, true, "a whole number of tokens, got \"%s\"", text);
	else
		app->fit_tokens = tokens;
	return APP_REDRAW;
}

unsigned act_ask_save(struct app *app)
{
	const struct ss_value *name = &app->draft.scenario->values[SS_F_NAME];
	char file[160];

	/* What came from no file, or from one that others keep, gets one of the user's own. */
	if (app->saved_as[0] && !access(app->saved_as, W_OK))
		return app_ask(app, PROMPT_SAVE, "save as", app->saved_as);
	snprintf(file, sizeof(file), "%.140s.json", name->is_stated ? name->text : "scenario");
	return app_ask(app, PROMPT_SAVE, "save as", file);
}

unsigned app_save(struct app *app, const char *file)
{
	char *json = NULL;

	if (!*file)
		return APP_REDRAW;
	json = app_scenario_json(app);
	app->clipboard.len = 0;
	xbuf_puts(&app->clipboard, json);
	free(json);
	snprintf(app->wanted, sizeof(app->wanted), "%s", file);
	return APP_SAVE | APP_REDRAW;
}

unsigned app_export(struct app *app, const char *file)
{
	enum pane_id pane = app_focus(app);
	char title[160];

	if (!*file)
		return APP_REDRAW;
	snprintf(title, sizeof(title), "%s of %s", pane_row(pane)->name,
		 app->draft.scenario->values[SS_F_NAME].text);
	app->clipboard.len = 0;
	if (export_picture_of(file)) {
		/* of what is on the screen: whoever draws it writes it */
	} else if (app->walk) {
		if (!app->audit || !app->quote || app->is_refused) {
			app_say(app, true, "what is refused has no audit");
			return APP_REDRAW;
		}
		app->audit(&app->clipboard, app);
	} else if ((pane == PANE_SWEEP && app->sweep) || (pane == PANE_SERVE && app->serve)) {
		struct table table = { 0 };
		struct app_list list = { 0 };

		if (pane == PANE_SERVE)
			serve_table(app, &table);
		else
			sweep_table(app, &table);
		table_arrange(&table, NULL, -1, false);
		export_table(&app->clipboard, &table, &list, title, export_format_of(file));
		table_release(&table);
	} else {
		export_table(&app->clipboard, &app->tables[pane], &app->lists[pane], title,
			     export_format_of(file));
	}
	snprintf(app->wanted, sizeof(app->wanted), "%s", file);
	return APP_EXPORT | APP_REDRAW;
}

static unsigned take(struct app *app, enum app_prompt_kind kind, const char *text)
{
	struct ss_error err = { 0 };

	switch (kind) {
	case PROMPT_NONE:
		return 0;
	case PROMPT_COMMAND:
		return colon_run(app, text);
	case PROMPT_VALUE:
		return put_value(app, text);
	case PROMPT_SEARCH:
		return put_search(app, text);
	case PROMPT_FILTER:
		snprintf(app_list(app)->filter, sizeof(app_list(app)->filter), "%s", text);
		return APP_REDRAW;
	case PROMPT_SAVE:
		return app_save(app, text);
	case PROMPT_EXPORT:
		return app_export(app, text);
	case PROMPT_WHATIF:
		return put_whatif(app, text);
	case PROMPT_GROUP:
		return done(app, batch_put(app, app->prompt.row, text, &err), &err);
	case PROMPT_TOKENS:
		return put_tokens(app, text);
	case PROMPT_SWEEP:
		return sweep_command(app, false, text);
	case PROMPT_SERIES:
		return sweep_command(app, true, text);
	case PROMPT_TREE:
		return done(app, tree_put(app, app->prompt.name, text, &err), &err);
	case PROMPT_NOTE:
		return walk_note(app, text);
	case PROMPT_LOAD:
		return *text ? serve_command(app, text) : APP_REDRAW;
	}
	return 0;
}

unsigned app_prompt_changed(struct app *app, const char *text)
{
	if (app->prompt.kind == PROMPT_SEARCH)
		return put_search(app, text);
	if (app->prompt.kind != PROMPT_FILTER)
		return 0;
	snprintf(app_list(app)->filter, sizeof(app_list(app)->filter), "%s", text);
	return APP_REDRAW;
}

/* What was shown while it was typed goes back to what it was. */
static unsigned give_up(struct app *app, enum app_prompt_kind kind)
{
	if (kind == PROMPT_FILTER)
		snprintf(app_list(app)->filter, sizeof(app_list(app)->filter), "%s",
			 app->prompt.filter);
	if (kind == PROMPT_SEARCH || kind == PROMPT_FILTER)
		app_list(app)->selected = app->prompt.selected;
	return APP_REDRAW;
}

unsigned app_prompt_done(struct app *app, const char *text)
{
	enum app_prompt_kind kind = app->prompt.kind;
	unsigned asked = 0;

	app->prompt.kind = PROMPT_NONE;
	if (!text)
		return give_up(app, kind);
	asked = take(app, kind, text);
	if ((asked & APP_PRICE) && (kind == PROMPT_VALUE || kind == PROMPT_WHATIF))
		walk_tried(app, kind == PROMPT_VALUE);
	return asked;
}
