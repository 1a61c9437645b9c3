/* What keys and actions do. */
#include "app/act.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/batch_edit.h"
#include "app/bring.h"
#include "app/picker.h"
#include "app/rows.h"
#include "app/rows_reference.h"
#include "app/serve.h"
#include "app/sweep.h"
#include "app/tour.h"
#include "app/tree.h"
#include "app/walk.h"

unsigned app_where(const struct app *app)
{
	unsigned where = ACTION_ANYWHERE;

	if (app->overlay != OVERLAY_NONE)
		return where;
	if (app->tour)
		where |= app->tour->is_free ? ACTION_TOUR_FREE : ACTION_TOUR;
	if (app->walk)
		return where | ACTION_WALK;
	where |= pane_row(app_focus(app))->where;
	if (app->is_refused && !app->is_box_hidden)
		where |= ACTION_REFUSED;
	return where;
}

/* -- moving --------------------------------------------------------------------------- */

static void select_row(struct app *app, struct app_list *list, int row, int direction)
{
	const struct table *table = &app->tables[app_focus(app)];

	if (list->count <= 0)
		return;
	row = row < 0 ? 0 : row >= list->count ? list->count - 1 : row;
	/* Headings are passed over; at an end, turn back to the last row there is. */
	for (int tries = 0; tries < 2 * list->count; tries++) {
		if ((size_t)row >= table->shown || !table_at(table, (size_t)row)->is_heading)
			break;
		if (row + direction < 0 || row + direction >= list->count)
			direction = -direction;
		row += direction;
	}
	list->selected = row;
}

static unsigned move(struct app *app, int by)
{
	struct app_list *list = app_list(app);

	if (app->overlay == OVERLAY_HELP || app->overlay == OVERLAY_DETAIL ||
	    app->overlay == OVERLAY_OFFER) {
		int last = app->overlay_lines > app->page_rows ? app->overlay_lines - app->page_rows
							       : 0;
		int top = app->overlay_top + by;

		app->overlay_top = top > last ? last : top < 0 ? 0 : top;
		return APP_REDRAW;
	}
	if (app->overlay == OVERLAY_CHOOSER)
		return picker_move(app, by);
	if (app->walk)
		return walk_move(app, by);
	if (app_focus(app) == PANE_SWEEP && app->sweep)
		return sweep_move(app, 0, by);
	if (app_focus(app) == PANE_SERVE && app->serve)
		return serve_move(app, -by);
	if (app_focus(app) == PANE_MEMORY) {
		/* No list there: the text scrolls. */
		list->selected += by;
		if (list->selected > app->memory_top)
			list->selected = app->memory_top;
		if (list->selected < 0)
			list->selected = 0;
		return APP_REDRAW;
	}
	select_row(app, list, list->selected + by, by < 0 ? -1 : 1);
	return APP_REDRAW;
}

static unsigned move_aside(struct app *app, int by)
{
	if (app->overlay != OVERLAY_NONE || app->walk)
		return 0;
	if (app_focus(app) == PANE_SWEEP && app->sweep)
		return sweep_move(app, by, 0);
	if (app_focus(app) == PANE_SERVE && app->serve)
		return serve_move(app, by);
	if (app_focus(app) == PANE_BATCH) {
		struct app_list *list = &app->lists[PANE_BATCH];

		list->column = (list->column + by + BATCH_CELLS) % BATCH_CELLS;
		return APP_REDRAW;
	}
	/* Between the deployment and the pane beside it. */
	app->is_on_deployment = by < 0;
	return APP_REDRAW;
}

static unsigned next_pane(struct app *app, int by)
{
	int at = app->is_on_deployment ? 0 : 1;

	if (app->overlay != OVERLAY_NONE)
		return 0;
	for (int i = 0; !app->is_on_deployment && i < app->slot_count; i++) {
		if (app->slots[i] == app->pane)
			at = i + 1;
	}
	at = (at + by + app->slot_count + 1) % (app->slot_count + 1);
	return app_goto(app, at ? app->slots[at - 1] : PANE_DEPLOYMENT);
}

/* -- lists ---------------------------------------------------------------------------- */

static bool line_has(const struct table *table, int row, const char *needle)
{
	char line[512];
	char lower_needle[64];
	size_t n = 0;

	if (table_at(table, (size_t)row)->is_heading)
		return false;
	table_line(table, (size_t)row, line, sizeof(line));
	for (; needle[n] && n + 1 < sizeof(lower_needle); n++)
		lower_needle[n] =
			(char)(needle[n] >= 'A' && needle[n] <= 'Z' ? needle[n] + 32 : needle[n]);
	lower_needle[n] = '\0';
	for (char *c = line; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	return strstr(line, lower_needle) != NULL;
}

static unsigned search(struct app *app, int direction, bool stays)
{
	const struct table *table = &app->tables[app_focus(app)];
	struct app_list *list = app_list(app);

	if (!app->search[0])
		return app_ask(app, PROMPT_SEARCH, "/", "");
	for (int i = stays ? 0 : 1; i <= list->count; i++) {
		int row = (list->selected + direction * i) % (list->count ? list->count : 1);

		row = row < 0 ? row + list->count : row;
		if ((size_t)row < table->shown && line_has(table, row, app->search)) {
			list->selected = row;
			return APP_REDRAW;
		}
	}
	app_say(app, true, "no row here has \"%s\"", app->search);
	return APP_REDRAW;
}

static unsigned sort(struct app *app, bool is_reverse)
{
	enum pane_id pane = app_focus(app);
	struct app_list *list = &app->lists[pane];
	const struct table *table = &app->tables[pane];

	if (pane == PANE_DEPLOYMENT || pane == PANE_BATCH || !table->column_count) {
		app_say(app, false, "this list keeps its order");
		return APP_REDRAW;
	}
	if (is_reverse) {
		list->is_descending = !list->is_descending;
	} else {
		list->sort = list->sort + 1 >= table->column_count ? -1 : list->sort + 1;
		/* Numbers read best from the largest down. */
		list->is_descending = list->sort >= 0 && table->columns[list->sort].is_right;
	}
	if (list->sort >= 0)
		app_say(app, false, "sorted by %s", table->columns[list->sort].title);
	return APP_REDRAW;
}

bool app_is_marked(const struct app_list *list, int id)
{
	for (int i = 0; i < list->marked_count; i++) {
		if (list->marked[i] == id)
			return true;
	}
	return false;
}

static unsigned mark_row(struct app *app)
{
	struct app_list *list = app_list(app);
	const struct table *table = &app->tables[app_focus(app)];
	int id = 0;

	if (app->overlay != OVERLAY_NONE || (size_t)list->selected >= table->shown)
		return 0;
	id = table_at(table, (size_t)list->selected)->id;
	for (int i = 0; i < list->marked_count; i++) {
		if (list->marked[i] == id) {
			list->marked[i] = list->marked[--list->marked_count];
			return APP_REDRAW;
		}
	}
	if (list->marked_count == APP_MARKS) {
		app_say(app, true, "%d rows are marked, and no more can be", APP_MARKS);
		return APP_REDRAW;
	}
	list->marked[list->marked_count++] = id;
	app_say(app, false, "%d marked; an export holds these alone", list->marked_count);
	return APP_REDRAW;
}

/* -- opening and closing -------------------------------------------------------------- */

static unsigned close_one(struct app *app)
{
	if (app->overlay != OVERLAY_NONE) {
		app->overlay = OVERLAY_NONE;
		app->overlay_top = 0;
		app->detail_term = app->detail_entry = -1;
		app->detail_at = 0;
		return APP_REDRAW;
	}
	if (app->walk) {
		walk_free(app->walk);
		app->walk = NULL;
		return APP_REDRAW;
	}
	if (app->is_refused && !app->is_box_hidden) {
		app->is_box_hidden = true;
		return APP_REDRAW;
	}
	if (app_list(app)->filter[0]) {
		app_list(app)->filter[0] = '\0';
		return APP_REDRAW;
	}
	if (app->is_zoomed) {
		app->is_zoomed = false;
		return APP_REDRAW;
	}
	return 0;
}

static unsigned drill(struct app *app, int at);

static unsigned back(struct app *app)
{
	unsigned asked = 0;

	if (app->overlay == OVERLAY_DETAIL && app->detail_term >= 0 && app->detail_at)
		return drill(app, 0);
	asked = close_one(app);

	if (!asked && !app->is_on_deployment)
		return app_goto(app, PANE_DEPLOYMENT);
	return asked ? asked : APP_REDRAW;
}

unsigned app_confirm(struct app *app, enum app_question question, const char *text)
{
	app->overlay = OVERLAY_CONFIRM;
	app->question = question;
	app->detail.len = 0;
	xbuf_puts(&app->detail, text);
	return APP_REDRAW;
}

static unsigned quit(struct app *app)
{
	bool is_modal = app->overlay != OVERLAY_NONE || app->walk || app->is_zoomed;

	if (is_modal)
		return close_one(app);
	if (history_is_dirty(&app->history))
		return app_confirm(app, QUESTION_QUIT,
				   "There are edits that were not saved.\n"
				   "y leave without saving   n stay (S saves)");
	return APP_QUIT;
}

static unsigned go_to_setting(struct app *app, enum ss_field_id field)
{
	const struct table *table = &app->tables[PANE_DEPLOYMENT];

	for (size_t i = 0; i < table->shown; i++) {
		if (!table_at(table, i)->is_heading && table_at(table, i)->id == (int)field)
			app->lists[PANE_DEPLOYMENT].selected = (int)i;
	}
	return app_goto(app, PANE_DEPLOYMENT);
}

/* Show the law of a term (0), or one of the entries it read. */
static unsigned drill(struct app *app, int at)
{
	int reads[2 * SS_READS_MAX];
	size_t count = rows_term_reads(app, (size_t)app->detail_term, reads,
				       sizeof(reads) / sizeof(reads[0]));

	app->overlay_top = 0;
	app->detail_at = (size_t)at > count ? 0 : at;
	app->detail_entry = -1;
	app->detail.len = 0;
	if (!app->detail_at)
		(void)rows_detail(app, PANE_STEP, &app->detail, app->detail_title,
				  sizeof(app->detail_title));
	else {
		app->detail_entry = reads[app->detail_at - 1];
		snprintf(app->detail_title, sizeof(app->detail_title), "%.60s, read by the law",
			 ss_kernel_entry(app->quote->kernel, (size_t)app->detail_entry)->name);
		rows_entry_detail(app, app->detail_entry, &app->detail);
	}
	return APP_REDRAW;
}

static unsigned go_to_owner(struct app *app)
{
	const struct ss_reference *reference = tree_reference(app);
	const struct ss_config_field *field = tree_field(app);
	const struct table *table = &app->tables[PANE_ENGINE];
	struct app_list *list = &app->lists[PANE_ENGINE];
	unsigned asked;
	int id;

	if (!field && app_field(app) != SS_FIELD_COUNT)
		field = tree_declared(reference, app_field(app));
	if (!field) {
		app_say(app, false, "%s",
			reference ? "no owner in the reference declares it"
				  : "this release has no architecture reference");
		return APP_REDRAW;
	}
	id = rows_reference_id(SS_TABLE_FIELDS, (size_t)(field - reference->fields));
	asked = app_goto(app, PANE_ENGINE);
	list->filter[0] = '\0';
	list->sort = -1;
	app_refresh(app, asked);
	for (size_t i = 0; i < table->shown; i++)
		if (!table_at(table, i)->is_heading && table_at(table, i)->id == id)
			list->selected = (int)i;
	return asked;
}

static unsigned open_detail(struct app *app)
{
	if (app->overlay == OVERLAY_CHOOSER)
		return picker_take(app);
	if (app->overlay == OVERLAY_OFFER)
		return bring_take(app, false);
	if (app->overlay == OVERLAY_DETAIL && app->detail_term >= 0)
		return drill(app, app->detail_at + 1);
	if (app->overlay != OVERLAY_NONE)
		return close_one(app);
	if (app->walk)
		return 0;
	if (app_focus(app) == PANE_SWEEP && app->sweep)
		return act_edited(sweep_take(app));
	if (app_focus(app) == PANE_SERVE && app->serve)
		return act_edited(serve_take(app));
	if (app_focus(app) == PANE_MEMORY && app->memory_field)
		return go_to_setting(app, rows_memory_field(app->memory_field));
	app->detail.len = 0;
	app->detail_title[0] = '\0';
	if (!rows_detail(app, app_focus(app), &app->detail, app->detail_title,
			 sizeof(app->detail_title)))
		return 0;
	app->overlay = OVERLAY_DETAIL;
	app->overlay_top = 0;
	app->detail_entry = app_entry(app);
	app->detail_at = 0;
	app->detail_term = -1;
	if (app_focus(app) == PANE_STEP) {
		int id = table_at(&app->tables[PANE_STEP], (size_t)app->lists[PANE_STEP].selected)
				 ->id;

		app->detail_term = id < ROWS_DIVERGENCE ? id : -1;
	}
	return APP_REDRAW;
}

static unsigned answer(struct app *app, bool is_yes)
{
	app->overlay = OVERLAY_NONE;
	switch (app->question) {
	case QUESTION_QUIT:
		return is_yes ? APP_QUIT : APP_REDRAW;
	case QUESTION_OVERWRITE:
		app->may_overwrite = is_yes;
		return is_yes ? app->pending | APP_REDRAW : APP_REDRAW;
	case QUESTION_OPEN:
		return is_yes ? APP_LOAD | APP_REDRAW : APP_REDRAW;
	case QUESTION_IMPORT:
		return is_yes ? bring_take(app, true) : APP_REDRAW;
	case QUESTION_RECOVER:
		return (is_yes ? APP_RECOVER : APP_FORGET) | APP_REDRAW;
	case QUESTION_RELOAD:
		app->keeps_edits = is_yes;
		return APP_RELOAD | APP_REDRAW;
	}
	return APP_REDRAW;
}

static unsigned export_pane(struct app *app)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.csv", pane_row(app_focus(app))->name);
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	return app_ask(app, PROMPT_EXPORT, "export to (.csv .md .json .txt; screen: .html .svg)", name);
}

static unsigned copy_row(struct app *app)
{
	const struct table *table = &app->tables[app_focus(app)];
	int selected = app_list(app)->selected;
	char line[512];

	if ((size_t)selected >= table->shown)
		return 0;
	table_line(table, (size_t)selected, line, sizeof(line));
	app->clipboard.len = 0;
	xbuf_puts(&app->clipboard, line);
	app_say(app, false, "copied: %s", line);
	return APP_COPY | APP_REDRAW;
}

static unsigned copy_command(struct app *app)
{
	app->clipboard.len = 0;
	app_command_line(app, &app->clipboard);
	app_say(app, false, "copied: %s", xbuf_text(&app->clipboard));
	return APP_COPY | APP_REDRAW;
}

static unsigned pin(struct app *app)
{
	app_pin(app, "", true);
	return APP_REDRAW;
}

static unsigned start_walk(struct app *app)
{
	if (!app->quote) {
		app_say(app, true, "there is no price to walk");
		return APP_REDRAW;
	}
	walk_start(app);
	return APP_REDRAW;
}

static unsigned show_help(struct app *app)
{
	app->overlay = app->overlay == OVERLAY_HELP ? OVERLAY_NONE : OVERLAY_HELP;
	app->overlay_top = 0;
	return APP_REDRAW;
}

/* What a key answers; leaving without one changes nothing at all. */
static unsigned reply(struct app *app, struct key key)
{
	bool is_reload = app->question == QUESTION_RELOAD;
	uint32_t yes = is_reload ? 'k' : 'y', no = is_reload ? 'd' : 'n';

	if (key.code == yes || key.code == yes - 'a' + 'A')
		return answer(app, true);
	if (key.code == no || key.code == no - 'a' + 'A')
		return answer(app, false);
	if (key.code != 'q' && key.code != KEYCODE_ESC)
		return 0;
	app->overlay = OVERLAY_NONE;
	if (app->question == QUESTION_RECOVER)
		app_say(app, false, "that session is offered again next time");
	return APP_REDRAW;
}

static unsigned ask_reload(struct app *app)
{
	app->keeps_edits = false;
	if (!history_is_dirty(&app->history))
		return APP_RELOAD | APP_REDRAW;
	return app_confirm(app, QUESTION_RELOAD,
			   "There are edits that were not saved.\n"
			   "k keep them over the new file   d drop them   Esc leave all as it is");
}

unsigned app_key(struct app *app, struct key key)
{
	enum action_id action = ACT_NONE;
	unsigned asked = 0;

	app->message[0] = '\0';
	if (app->overlay == OVERLAY_CONFIRM)
		return reply(app, key);
	if (picker_key(app, key, &asked))
		return asked;
	action = action_for_key(key, app_where(app));
	if (action == ACT_NONE) {
		char name[16];

		app_say(app, false, "%s does nothing here; ? lists the keys that do",
			key_text(key, name, sizeof(name)));
		return APP_REDRAW;
	}
	return app_apply(app, action);
}

unsigned app_apply(struct app *app, enum action_id action)
{
	switch (action) {
	case ACT_ROW_DOWN:
		return move(app, 1);
	case ACT_ROW_UP:
		return move(app, -1);
	case ACT_GO_LEFT:
		return move_aside(app, -1);
	case ACT_GO_RIGHT:
		return move_aside(app, 1);
	case ACT_PAGE_DOWN:
		return move(app, app->page_rows);
	case ACT_PAGE_UP:
		return move(app, -app->page_rows);
	case ACT_FIRST:
		return move(app, -1000000);
	case ACT_LAST:
		return move(app, 1000000);
	case ACT_PANE_NEXT:
		return next_pane(app, 1);
	case ACT_PANE_PREV:
		return next_pane(app, -1);
	case ACT_PANE_RESOLVED:
	case ACT_PANE_PROVENANCE:
	case ACT_PANE_EVIDENCE:
	case ACT_PANE_STEP:
	case ACT_PANE_MEMORY:
	case ACT_PANE_BATCH:
	case ACT_PANE_SWEEP:
	case ACT_PANE_COMPARE:
	case ACT_PANE_ENGINE:
	case ACT_PANE_MODEL:
	case ACT_PANE_SERVE:
		if (app->overlay != OVERLAY_NONE || app->walk)
			close_one(app);
		return app_goto(app, pane_of_action(action));
	case ACT_ZOOM:
		app->is_zoomed = !app->is_zoomed;
		return APP_REDRAW;
	case ACT_VALUE_NEXT:
		return app->overlay == OVERLAY_HELP || app->overlay == OVERLAY_DETAIL ||
				       app->overlay == OVERLAY_OFFER
			       ? move(app, app->page_rows)
			       : act_change(app, 1, true);
	case ACT_VALUE_UP:
		return act_change(app, 1, false);
	case ACT_VALUE_DOWN:
		return act_change(app, -1, false);
	case ACT_EDIT:
		return act_ask_edit(app);
	case ACT_UNSTATE:
		return act_unstate(app);
	case ACT_DETAIL:
		return open_detail(app);
	case ACT_BACK:
		return back(app);
	case ACT_SEARCH:
		return app_ask(app, PROMPT_SEARCH, "/", "");
	case ACT_SEARCH_NEXT:
		return search(app, 1, false);
	case ACT_SEARCH_PREV:
		return search(app, -1, false);
	case ACT_FILTER:
		return app_ask(app, PROMPT_FILTER, "show rows with (or COLUMN=TEXT; empty: all)",
			       app_list(app)->filter);
	case ACT_SORT:
		return sort(app, false);
	case ACT_SORT_REVERSE:
		return sort(app, true);
	case ACT_MARK:
		return mark_row(app);
	case ACT_UNDO:
		return act_undo(app, false);
	case ACT_REDO:
		return act_undo(app, true);
	case ACT_PIN:
		return pin(app);
	case ACT_TO_BASELINE:
		return act_to_baseline(app);
	case ACT_POOL_PREV:
		return act_next_pool(app, -1);
	case ACT_POOL_NEXT:
		return act_next_pool(app, 1);
	case ACT_LEAD_FIGURE:
		return act_next_figure(app);
	case ACT_REFUSAL:
		return act_refusal(app);
	case ACT_WALK:
		return start_walk(app);
	case ACT_NEW:
		return picker_new_scenario(app, "");
	case ACT_OPEN:
		return APP_OPEN | APP_REDRAW;
	case ACT_SAVE_AS:
		return act_ask_save(app);
	case ACT_RELOAD:
		return ask_reload(app);
	case ACT_EXPORT:
		return export_pane(app);
	case ACT_COPY_ROW:
		return copy_row(app);
	case ACT_COPY_COMMAND:
		return copy_command(app);
	case ACT_COMMAND:
		return app_ask(app, PROMPT_COMMAND, ":", "");
	case ACT_HELP:
		return show_help(app);
	case ACT_REPAINT:
		return APP_REPAINT | APP_REDRAW;
	case ACT_SUSPEND:
		return APP_SUSPEND;
	case ACT_QUIT:
		return quit(app);
	case ACT_OWNER:
		return go_to_owner(app);
	case ACT_MEMORY_FIELD:
		app->memory_field = (app->memory_field + 1) % ROWS_MEMORY_FIELDS;
		return APP_REDRAW;
	case ACT_GROUP_ADD:
		return act_edited(batch_add(app));
	case ACT_GROUP_DELETE:
		return act_edited(batch_delete(app));
	case ACT_GROUP_COPY:
		return act_edited(batch_duplicate(app));
	case ACT_BATCH_PRESET:
		return act_edited(batch_preset(app));
	case ACT_SWEEP_FIGURE:
	case ACT_SWEEP_FIELD:
	case ACT_SWEEP_SERIES:
	case ACT_SWEEP_LOG:
	case ACT_SWEEP_PARETO:
	case ACT_SWEEP_UNFIT:
		return app->sweep ? sweep_apply(app, action) : 0;
	case ACT_SERVE_FIGURE:
	case ACT_SERVE_VARY:
	case ACT_SERVE_FRONTIER:
		return app->serve ? serve_apply(app, action) : 0;
	case ACT_WALK_NEXT:
	case ACT_WALK_PREV:
	case ACT_WALK_REST:
	case ACT_WALK_ACCEPT:
	case ACT_WALK_TRY:
	case ACT_WALK_STATE:
	case ACT_WALK_NOTE:
	case ACT_WALK_EXPORT:
		return app->walk ? walk_apply(app, action) : 0;
	case ACT_FIX_A:
	case ACT_FIX_B:
	case ACT_FIX_C:
	case ACT_FIX_D:
		return act_take_fix(app, (int)action - ACT_FIX_A);
	case ACT_TOUR_NEXT:
	case ACT_TOUR_BACK:
	case ACT_TOUR_PAUSE:
	case ACT_TOUR_RETURN:
		return app->tour ? tour_apply(app, action) : 0;
	case ACT_COUNT:
		break;
	}
	return 0;
}
