/* What lies over the panes: a refusal with its ways out, help, details, questions. */
#include <stdio.h>
#include <string.h>

#include "app/rows.h"
#include "app/walk.h"
#include "view/helppage.h"
#include "view/popup.h"
#include "view/screen.h"

#define FIXES_MAX 4

void refused_draw(const struct area *area, const struct app *app)
{
	struct popup_choice choices[FIXES_MAX + 1];
	char texts[FIXES_MAX][128];
	struct popup popup = { .title = " REFUSED ", .choices = choices, .selected = -1,
			       .style = STYLE_REFUSED, .footer = " Esc puts this away " };
	const struct ss_problem *problem = app_refusal(app);
	struct xbuf body = { 0 };
	size_t others = 0;
	int count = 0;

	if (!problem)
		return;
	for (size_t i = 0; i < app->problems.count; i++)
		others += app->problems.items[i].severity != SS_WARNING;
	xbuf_printf(&body, "%s  %s\n%s", problem->code, problem->pointer, problem->message);
	if (others > 1)
		xbuf_printf(&body, "\nand %zu more (Enter on a setting marked x)", others - 1);
	for (; count < FIXES_MAX; count++) {
		const struct ss_fix *fix = app_fix(app, count);

		if (!fix)
			break;
		snprintf(texts[count], sizeof(texts[count]), "%.60s = %.60s", fix->path,
			 *fix->value ? fix->value : "unstated");
		choices[count] = (struct popup_choice){ (char)('a' + count), texts[count], fix->note };
	}
	choices[count] = (struct popup_choice){ 0 };
	popup.body = xbuf_text(&body);
	popup_draw(area, &popup, 0);
	xbuf_release(&body);
}

static void chooser_cell(void *context, int row, int column, struct list_cell *out)
{
	const struct app *app = context;

	snprintf(out->text, sizeof(out->text), "%.150s", app->chooser[2 * row + column]);
}

static void draw_chooser(struct screen *screen, const struct area *area, const struct app *app)
{
	static const struct list_column columns[] = {
		{ .title = "scenario", .width = 32, .min_width = 16 },
		{ .title = "what it is", .width = 40, .min_width = 10, .grows = true, .rank = 1 },
		{ .title = NULL },
	};
	struct list_view view = { .columns = columns, .cell = chooser_cell, .sort_column = -1,
				  .has_header = true, .is_focused = true };
	struct app *context = NULL;
	struct area list = area_part(area, 1, 0, area_rows(area) - 1, area_cols(area));

	/* The callback only reads; its context is not const. */
	memcpy(&context, &app, sizeof(context));
	view.context = context;
	area_clear(area, STYLE_TEXT);
	popup_title(area, 0, STYLE_BORDER, STYLE_TITLE_FOCUS, "Open a scenario", NULL);
	list_set_count(&screen->chooser, app->chooser_count);
	list_select(&screen->chooser, app->chooser_selected);
	list_draw(&list, &screen->chooser, &view);
}

static const char legend[] =
	"Marks: ~ assumed or not on evidence, ! overridden or divergent, * differs from the baseline "
	"or tried, x refused. The lead figure stands with its bounds: all overlapped, and nothing "
	"overlapped.\n"
	"What binds the step, and why: 4, then Enter on the longest term.\n"
	"Compare: b pins the present as A; change a setting at the left; 8 shows what moved.\n"
	"Export: x in any pane writes it to a file; .csv, .md, .json or text by its name.\n"
	"What it rests on: 3 counts, w walks through what is assumed.";

void overlay_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	struct popup popup = { .title = " Sure? ", .selected = -1, .style = STYLE_WARN };
	struct area inside = area_part(area, 1, 1, area_rows(area) - 1, area_cols(area) - 2);
	unsigned where = app->walk ? ACTION_WALK : pane_row(app_focus(app))->where;
	char title[64];

	switch (app->overlay) {
	case OVERLAY_NONE:
		return;
	case OVERLAY_CONFIRM:
		popup.body = xbuf_text(&app->detail);
		popup_draw(area, &popup, 0);
		return;
	case OVERLAY_CHOOSER:
		draw_chooser(screen, area, app);
		return;
	case OVERLAY_HELP:
		snprintf(title, sizeof(title), "Help: %s",
			 app->walk ? "the walk" : pane_row(app_focus(app))->name);
		area_clear(area, STYLE_TEXT);
		popup_title(area, 0, STYLE_BORDER, STYLE_TITLE_FOCUS, title, NULL);
		screen->overlay_lines =
			helppage_draw(&inside, NULL, legend, where, app->overlay_top);
		return;
	case OVERLAY_DETAIL:
		area_clear(area, STYLE_TEXT);
		popup_title(area, 0, STYLE_BORDER, STYLE_TITLE_FOCUS, app->detail_title, NULL);
		screen->overlay_lines = popup_text(&inside, STYLE_TEXT, xbuf_text(&app->detail),
						   app->overlay_top);
		return;
	}
}
