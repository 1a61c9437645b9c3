/* What lies over the panes: a refusal with its ways out, help, details, questions. */
#include <stdio.h>
#include <string.h>

#include "app/picker.h"
#include "app/rows.h"
#include "app/walk.h"
#include "view/helppage.h"
#include "view/popup.h"
#include "view/screen.h"

#define FIXES_MAX 4
#define SHORT_ROWS 8

void refused_draw(const struct area *area, const struct app *app)
{
	struct popup_choice choices[FIXES_MAX + 1];
	char texts[FIXES_MAX][128];
	struct popup popup = { .title = " REFUSED ",
			       .choices = choices,
			       .selected = -1,
			       .style = STYLE_REFUSED,
			       .footer = " Esc puts this away, ! brings it back " };
	const struct ss_problem *problem = app_refusal(app);
	struct xbuf body = { 0 };
	size_t others = 0;
	int count = 0;

	if (!problem)
		return;
	for (size_t i = 0; i < app->problems.count; i++)
		others += app->problems.items[i].severity != SS_WARNING;
	/* Where there is hardly any room the reason goes first. */
	if (area_rows(area) < SHORT_ROWS)
		xbuf_printf(&body, "%s %s", problem->code, problem->message);
	else
		xbuf_printf(&body, "%s  %s\n%s", problem->code, problem->pointer, problem->message);
	if (others > 1)
		xbuf_printf(&body, "\nand %zu more (Enter on a setting marked x)", others - 1);
	for (; count < FIXES_MAX; count++) {
		const struct ss_fix *fix = app_fix(app, count);

		if (!fix)
			break;
		snprintf(texts[count], sizeof(texts[count]), "%.60s = %.60s", fix->path,
			 *fix->value ? fix->value : "unstated");
		choices[count] =
			(struct popup_choice){ (char)('a' + count), texts[count], fix->note };
	}
	choices[count] = (struct popup_choice){ 0 };
	popup.body = xbuf_text(&body);
	popup_draw(area, &popup, 0);
	xbuf_release(&body);
}

static const char *about_of(const struct picker_item *item)
{
	return *item->about || !item->why ? item->about : item->why;
}

static void picker_cell(void *context, int row, int column, struct list_cell *out)
{
	const struct picker *picker = context;
	const struct picker_item *item = &picker->items[picker->shown[row]];
	bool is_price = column == 1 && picker->kind != PICKER_MODEL;
	const char *text = !column ? item->name : is_price ? item->price : about_of(item);

	snprintf(out->text, sizeof(out->text), "%.150s", text ? text : "..");
	if (is_price && text && text[0] == 'x' && text[1] == ' ')
		out->style = STYLE_WARN;
}

static void draw_typed(const struct area *area, const struct picker *picker)
{
	char line[96];

	snprintf(line, sizeof(line), "> %s_", picker->typed);
	area_put(area, 1, 1, STYLE_KEY, line);
	if (!picker->shown_count)
		area_put(area, 2, 1, STYLE_TEXT,
			 picker->kind == PICKER_SCENARIO
				 ? "None has that; Enter opens a file of this name."
				 : "None has that; Backspace or ^U takes it back.");
	else if (!*picker->typed)
		area_put(area, 1, 5, STYLE_FAINT, "type to narrow");
}

/* The list, and under it all there is to say of what is selected. */
static void draw_picker(struct screen *screen, const struct area *area, struct picker *picker)
{
	static const struct list_column priced[] = {
		{ .title = "name", .width = 30, .min_width = 12 },
		{ .title = "price and fit", .width = 24, .min_width = 12, .rank = 1 },
		{ .title = "what it is", .width = 24, .min_width = 12, .grows = true, .rank = 2 },
		{ .title = NULL },
	};
	/* values that no document is about: the price takes the width */
	static const struct list_column words[] = {
		{ .title = "name", .width = 30, .min_width = 12 },
		{ .title = "price and fit", .width = 32, .min_width = 12, .grows = true },
		{ .title = NULL },
	};
	static const struct list_column plain[] = {
		{ .title = "name", .width = 30, .min_width = 12 },
		{ .title = "what it is", .width = 24, .min_width = 12, .grows = true, .rank = 1 },
		{ .title = NULL },
	};
	bool is_words = picker->kind == PICKER_FIELD && picker->count && !*picker->items[0].about;
	struct list_view view = { .columns = picker->kind == PICKER_MODEL ? plain
					     : is_words                   ? words
									  : priced,
				  .cell = picker_cell,
				  .context = picker,
				  .sort_column = -1,
				  .has_header = true,
				  .is_focused = true,
				  .search = picker->typed };
	const struct picker_item *item = picker_selected(picker);
	int rows = area_rows(area), about = rows > 12 ? 3 : 0;
	struct area list = area_part(area, 2, 0, rows - 2 - about, area_cols(area));
	struct area under = area_part(area, rows - about, 1, about, area_cols(area) - 2);
	char note[32], text[800];

	area_clear(area, STYLE_TEXT);
	snprintf(note, sizeof(note), "%d of %d", picker->shown_count, picker->count);
	popup_title(area, 0, STYLE_BORDER, STYLE_TITLE_FOCUS, picker->title, note);
	draw_typed(area, picker);
	list_set_count(&screen->chooser, picker->shown_count);
	list_select(&screen->chooser, picker->selected);
	if (picker->shown_count)
		list_draw(&list, &screen->chooser, &view);
	if (!item || !about)
		return;
	snprintf(text, sizeof(text), "%s%s%s", item->price ? item->price : "",
		 item->price && *item->price && *about_of(item) ? "\n" : "", about_of(item));
	(void)popup_text(&under, STYLE_TEXT, text, 0);
}

/* What a newcomer reads first of each pane. */
static const char *const about[PANE_ALL] = {
	[PANE_DEPLOYMENT] =
		"What is deployed, setting by setting; each change is priced at once, u takes it "
		"back.\n"
		"Why so long: 4, then Enter on the longest term.\n"
		"Compare: b pins the present as A; change a setting here; 8 shows what moved.\n"
		"Export: x writes the pane to a file; .csv, .md, .json or text by its name.\n"
		"What it rests on: 3 counts, w walks through what is assumed.",
	[PANE_RESOLVED] =
		"What the engine would really run, and what it overrides; Enter says why.",
	[PANE_PROVENANCE] =
		"Every value the price may read: where it is from, how it was got, and how much of "
		"the step rests on it. Enter opens its reason, sources and law.",
	[PANE_EVIDENCE] = "How many values, and how much of the price, rest on evidence; then the "
			  "assumed ones. "
			  "w walks through those.",
	[PANE_STEP] = "The step by resource, the longest of which bounds it, then by term. Enter "
		      "opens the "
		      "law of a term with its numbers filled in.",
	[PANE_MEMORY] = "The memory of one rank, what is left of it for the KV cache, what fits "
			"and what sets "
			"the limit.",
	[PANE_BATCH] = "The requests of one step by groups: how many, of which kind, with how many "
		       "new tokens "
		       "at what context. More new tokens than the threshold make a prefill.",
	[PANE_SWEEP] = "A figure over a range of a setting or of the batch. Gaps are refused or do "
		       "not fit. "
		       "Enter takes the point under the cursor.",
	[PANE_SERVE] =
		"The scenario's load played through the engine's scheduler: latencies, what the "
		"engine does meanwhile, and latency against load with what is promised. + and - "
		"double and halve the load, e states another, Enter takes the point under the "
		"cursor.",
	[PANE_COMPARE] = "A, which b pins, against now: figures, then terms by how far they moved, "
			 "then settings "
			 "and values that differ.",
	[PANE_ENGINE] = "What this release of the engine accepts and chooses by itself.",
	[PANE_MODEL] =
		"The model's graph: each kind of layer with its nodes, shapes and parameters.",
};

static const char about_walk[] =
	"Each assumed value in turn, those that move the price first: accept it, try another, or "
	"state it in the deployment. What is said of it stays when the walk is left, can be taken "
	"back (u), and is saved (S) beside the scenario as NAME.review.json, which `stepscope "
	"audit "
	"--check` checks.";

static const char legend[] =
	"Marks: ~ assumed or not on evidence, ! overridden or divergent, * differs from A or "
	"tried, "
	"x refused. The lead figure's bounds: all overlapped, and nothing overlapped.";

/* The title, with which lines are seen when that is not all of them. */
static void draw_title(const struct screen *screen, const struct area *area, const struct app *app,
		       const char *title)
{
	int rows = area_rows(area) - 1, first = app->overlay_top + 1,
	    last = app->overlay_top + rows;
	char note[64];

	snprintf(note, sizeof(note), "%d-%d of %d", first,
		 last < screen->overlay_lines ? last : screen->overlay_lines,
		 screen->overlay_lines);
	popup_title(area, 0, STYLE_BORDER, STYLE_TITLE_FOCUS, title,
		    screen->overlay_lines > rows ? note : NULL);
}

void overlay_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	struct popup popup = { .title = " Sure? ", .selected = -1, .style = STYLE_WARN };
	struct area inside = area_part(area, 1, 1, area_rows(area) - 1, area_cols(area) - 2);
	unsigned where = app->walk ? ACTION_WALK : pane_row(app_focus(app))->where;
	char title[64], intro[768];

	switch (app->overlay) {
	case OVERLAY_NONE:
		return;
	case OVERLAY_CONFIRM:
		popup.body = xbuf_text(&app->detail);
		popup_draw(area, &popup, 0);
		return;
	case OVERLAY_CHOOSER:
		draw_picker(screen, area, app->picker);
		return;
	case OVERLAY_HELP:
		snprintf(title, sizeof(title), "Help: %s",
			 app->walk ? "the walk" : pane_row(app_focus(app))->name);
		area_clear(area, STYLE_TEXT);
		snprintf(intro, sizeof(intro), "%s\n\n%s",
			 app->walk ? about_walk : about[app_focus(app)], legend);
		screen->overlay_lines =
			helppage_draw(&inside, NULL, intro, where, app->overlay_top);
		draw_title(screen, area, app, title);
		return;
	case OVERLAY_DETAIL:
	case OVERLAY_OFFER:
		area_clear(area, STYLE_TEXT);
		screen->overlay_lines =
			popup_text(&inside, STYLE_TEXT, xbuf_text(&app->detail), app->overlay_top);
		draw_title(screen, area, app, app->detail_title);
		return;
	}
}
