/* Two lines: help for the row or the last message, and the keys of the pane. */
#include <stdio.h>
#include <string.h>

#include "app/rows.h"
#include "app/tour.h"
#include "app/tree.h"
#include "app/walk.h"
#include "view/screen.h"

static const char *keys(const struct app *app)
{
	if (app->overlay == OVERLAY_CHOOSER)
		return "Enter take  Up Down choose  type to narrow  ^U all again  Esc back";
	if (app->overlay == OVERLAY_CONFIRM)
		return "y yes  n no";
	if (app->overlay == OVERLAY_DETAIL && app->detail_term >= 0)
		return app->detail_at
			       ? "Enter next value read  Esc back to the law  e try a value  "
				 "jk scroll"
			       : "Enter the values it reads  jk scroll  Spc page  Esc close";
	if (app->overlay == OVERLAY_DETAIL && app->detail_entry >= 0)
		return "e try a value  Del back to the set  jk scroll  Spc page  Esc close";
	if (app->overlay == OVERLAY_OFFER)
		return "Enter open  jk scroll  Spc page  Esc leave all as it is";
	if (app->overlay != OVERLAY_NONE)
		return "jk scroll  Spc page  Esc close";
	if (app->tour && !app->tour->is_free)
		return "Spc next  Backspace back  q pause the tour and explore";
	if (app->walk)
		return "] next  [ back  a accept  t try value  s state it  ' note  E export  Esc  "
		       "?";
	if (app->is_refused && !app->is_box_hidden)
		return "a b c take a way out  u undo  Esc put the box away  ?";
	if (app->is_refused)
		return "! why it is refused, and ways out  u undo  e edit  Spc next  : cmd  ?";
	switch (app_focus(app)) {
	case PANE_DEPLOYMENT:
		return "Spc next  +- step  e edit  Del unstate  u undo  w walk  b pin  o open  : "
		       "cmd  ?";
	case PANE_RESOLVED:
		return "Enter why  / search  f filter  s sort  y copy  x export  Tab pane  ?";
	case PANE_PROVENANCE:
		return "Enter detail  e try a value  Del back to the set  / search  f filter  s "
		       "sort  w walk  ?";
	case PANE_EVIDENCE:
		return "w walk  Enter detail  e try a value  Del back to the set  / search  f "
		       "filter  s sort  ?";
	case PANE_STEP:
		return "Enter the law  Spc correct a divergence  F figure  s sort  x export  Tab "
		       "pane  ?";
	case PANE_MEMORY:
		return "Tab field  +- step  e edit  Enter what fits, or the setting  Y command  ?";
	case PANE_BATCH:
		return "hl cell  +- change  Spc kind  e edit  a add  d delete  D copy  p preset  ?";
	case PANE_SWEEP:
		return "hl read  jk curve  Enter take  e range  v vary  c curves  t figure  L log  "
		       "p pareto  ?";
	case PANE_SERVE:
		return "hl read  Enter take  +- load  e load  :slo  t figure  v vary  p frontier  "
		       "x "
		       "export  ?";
	case PANE_COMPARE:
		return "b pin A  B back to A  :pin NAME  / search  s sort  x export  ?";
	case PANE_ENGINE:
	case PANE_MODEL:
		return "Enter detail  / search  f filter  s sort  x export  Tab pane  ?";
	case PANE_ALL:
		break;
	}
	return "";
}

static void field_help(const struct app *app, char *out, size_t size)
{
	enum ss_field_id field = app_field(app);
	const struct app_pin *pin = app_baseline(app);
	const struct ss_value *value = NULL;
	const struct ss_entry *entry = NULL;
	char text[96], was[96] = "", path[256];

	if (tree_field(app)) {
		const struct ss_config_field *own = tree_field(app);

		tree_path(own, path, sizeof(path));
		snprintf(out, size, "%s: %s%s%s", path, own->type, own->allowed ? ", " : "",
			 own->allowed ? own->allowed : "");
		return;
	}
	if (field == SS_FIELD_COUNT)
		return;
	value = ss_scenario_value(app->draft.scenario, app->pool, field);
	rows_value(app, field, text, sizeof(text));
	entry = app->quote && !app->is_refused ? quote_assumption(app->quote, rows_name(field))
					       : NULL;
	if (pin &&
	    !ss_value_equal(value, ss_scenario_value(pin->draft.scenario, pin->pool, field))) {
		const struct ss_value *other =
			ss_scenario_value(pin->draft.scenario, pin->pool, field);
		char other_text[64] = "unstated";

		if (other->is_stated)
			ss_value_format(other_text, sizeof(other_text), ss_field(field), other);
		snprintf(was, sizeof(was), "; A has %s", other_text);
	}
	snprintf(out, size, "%s = %s, %s%s. %s", rows_name(field), text,
		 value->is_stated ? "stated"
		 : entry          ? "assumed"
				  : "unstated",
		 was, *app->preview ? app->preview : ss_field(field)->help);
}

static void row_help(const struct app *app, char *out, size_t size)
{
	enum pane_id pane = app_focus(app);
	const struct table *table = &app->tables[pane];
	size_t selected = (size_t)app->lists[pane].selected;

	out[0] = '\0';
	if (pane == PANE_DEPLOYMENT) {
		field_help(app, out, size);
	} else if (pane == PANE_MEMORY) {
		snprintf(
			out, size,
			"The size the engine would log follows from max_model_len: it is no rate.");
	} else if (selected < table->shown && !table_at(table, selected)->is_heading) {
		/* The name whole, where the list had to cut it. */
		table_line(table, selected, out, size);
	}
}

/*
 * As many keys as fit whole, from the left; the last, mostly help, always.
 * Items stand two blanks apart and are ASCII: bytes are columns.
 */
static void draw_keys(const struct area *area, int row, int cols, const char *text)
{
	const char *last = text;
	char part[256];
	int room, fit = 0;

	for (const char *gap = text; (gap = strstr(gap, "  ")); gap += 2)
		last = gap + 2;
	room = cols - (int)strlen(last) - 2;
	for (const char *gap = text; (gap = strstr(gap, "  ")) && gap - text <= room; gap += 2)
		fit = (int)(gap + 2 - text);
	if ((int)strlen(text) <= cols)
		fit = (int)(last - text);
	snprintf(part, sizeof(part), "%.*s%s", fit, text, last);
	area_text(area, row, 1, cols, STYLE_KEY, part);
}

void footer_draw(const struct area *area, const struct app *app)
{
	int rows = area_rows(area), cols = area_cols(area);
	char text[512] = "";
	enum style_role style = STYLE_TEXT;

	if (app->message[0]) {
		snprintf(text, sizeof(text), "%s", app->message);
		style = app->is_message_error ? STYLE_ERROR : STYLE_HEADER;
	} else if (app->overlay == OVERLAY_NONE && !app->walk) {
		row_help(app, text, sizeof(text));
	}
	if (rows == 1) {
		if (text[0])
			area_text(area, 0, 1, cols - 1, style, text);
		else
			draw_keys(area, 0, cols - 1, keys(app));
		return;
	}
	area_text(area, 0, 1, cols - 1, style, text);
	draw_keys(area, 1, cols - 1, keys(app));
}
