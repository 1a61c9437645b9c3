#include "view/screen.h"

#include <stdio.h>
#include <string.h>

#include "app/rows.h"
#include "app/sweep.h"
#include "app/tour.h"
#include "app/walk.h"
#include "view/popup.h"
#include "view/text.h"

enum style_role screen_mark_style(char mark)
{
	switch (mark) {
	case '~':
		return STYLE_ASSUMED;
	case '!':
		return STYLE_OVERRIDDEN;
	case '*':
		return STYLE_CHANGED;
	case 'x':
		return STYLE_REFUSED;
	case '+':
		return STYLE_WORSE;
	case '-':
		return STYLE_BETTER;
	default:
		return STYLE_TEXT;
	}
}

/* What a tour says takes this many lines above the footer. */
#define CAPTION_LINES 3

/* What list_draw() asks for, of one table. */
struct source {
	const struct table *table;
	const struct app_list *list;
	int mark_column;                    /* where the marks stand among the columns shown */
	int columns[TABLE_MAX_COLUMNS + 2]; /* the table's behind each shown */
};

static void source_row(void *context, int row, struct list_row *out)
{
	const struct source *source = context;
	const struct table_row *from = table_at(source->table, (size_t)row);

	out->is_heading = from->is_heading;
	out->is_marked = !from->is_heading && app_is_marked(source->list, from->id);
	if (from->is_heading)
		snprintf(out->heading, sizeof(out->heading), "%.150s",
			 table_text(source->table, (size_t)row, 0));
}

static void source_cell(void *context, int row, int column, struct list_cell *out)
{
	const struct source *source = context;
	const struct table_row *from = table_at(source->table, (size_t)row);

	if (column == source->mark_column) {
		if (from->mark != ' ')
			snprintf(out->text, sizeof(out->text), "%c", from->mark);
		out->style = screen_mark_style(from->mark);
		return;
	}
	snprintf(out->text, sizeof(out->text), "%.150s",
		 table_text(source->table, (size_t)row, source->columns[column]));
}

/* Columns of text that the longest cell of a column takes; 0: all are empty. */
static int longest_cell(const struct table *table, int column)
{
	int longest = 0;

	for (size_t i = 0; i < table->shown; i++) {
		int width = 0;

		if (!table_at(table, i)->is_heading)
			width = text_width(table_text(table, i, column));
		if (width > longest)
			longest = width;
	}
	return longest;
}

void table_pane_draw(struct screen *screen, const struct area *area, const struct app *app,
		     enum pane_id pane)
{
	const struct table *table = &app->tables[pane];
	const struct app_list *from = &app->lists[pane];
	struct list *list = &screen->lists[pane];
	struct list_column columns[TABLE_MAX_COLUMNS + 2];
	struct source source = { .table = table, .list = from };
	struct list_view view = { .columns = columns, .row = source_row, .cell = source_cell };
	int count = 0;

	view.sort_column = -1;
	memset(columns, 0, sizeof(columns));
	/* The deployment's marks stand after its values, all others after the name. */
	source.mark_column = pane == PANE_DEPLOYMENT ? 2 : 1;
	for (int c = 0; c < table->column_count; c++) {
		const struct table_column *column = &table->columns[c];
		int width = column->width, least = column->min_width;

		/*
		 * Text asks for what its cells need, so that none is cut beside free
		 * room; a figure cut short says nothing, so it is served before. The
		 * columns of Compare are equals and hold names and figures alike.
		 */
		if (pane != PANE_DEPLOYMENT && pane != PANE_COMPARE) {
			int longest = longest_cell(table, c);
			int title = text_width(column->title);

			/* What may be left out for room is, when nothing stands in it. */
			if (!longest && column->rank > 0 && from->sort != c)
				continue;
			longest = longest > title ? longest : title;
			if (column->is_right) {
				longest = longest < width ? longest : width;
				least = longest > least ? longest : least;
			} else {
				int share = width * area_cols(area) / 80;

				width = column->is_shared && longest > share ? share : longest;
				least = longest < least ? longest : least;
			}
		}
		if (count == source.mark_column)
			columns[count++] = (struct list_column){ .title = " ", .width = 1 };
		if (from->sort == c)
			view.sort_column = count;
		source.columns[count] = c;
		columns[count++] = (struct list_column){
			.title = column->title,
			.width = width,
			.min_width = least,
			.is_right = column->is_right,
			.grows = column->grows,
			.rank = column->rank,
		};
	}
	if (count == source.mark_column)
		columns[count++] = (struct list_column){ .title = " ", .width = 1 };
	view.context = &source;
	view.has_header = pane != PANE_DEPLOYMENT;
	view.is_descending = from->is_descending;
	view.is_focused = app_focus(app) == pane;
	view.search = view.is_focused ? app->search : NULL;
	list_set_count(list, (int)table->shown);
	list_select(list, from->selected);
	/* A heading just above the first row stays in sight. */
	if (list->selected == 1)
		list->top = 0;
	if (table->shown)
		list_draw(area, list, &view);
}

static void draw_body(struct screen *screen, const struct area *area, const struct app *app,
		      enum pane_id pane)
{
	switch (pane) {
	case PANE_STEP:
		step_pane_draw(screen, area, app);
		return;
	case PANE_EVIDENCE:
		evidence_pane_draw(screen, area, app);
		return;
	case PANE_MEMORY:
		memory_pane_draw(screen, area, app);
		return;
	case PANE_BATCH:
		batch_pane_draw(screen, area, app);
		return;
	case PANE_SWEEP:
		sweep_pane_draw(screen, area, app);
		return;
	case PANE_SERVE:
		serve_pane_draw(screen, area, app);
		return;
	case PANE_COMPARE:
		if (!app->pin_count) {
			popup_text(area, STYLE_TEXT,
				   "No baseline yet. b pins the present configuration as A; change "
				   "something, and what it moved stands here term by term. "
				   ":pin NAME keeps further configurations as columns.",
				   0);
			return;
		}
		break;
	case PANE_RESOLVED:
	case PANE_PROVENANCE:
	case PANE_ENGINE:
	case PANE_MODEL:
	case PANE_DEPLOYMENT:
	case PANE_ALL:
		break;
	}
	table_pane_draw(screen, area, app, pane);
}

static void title_text(const struct app *app, enum pane_id pane, char *title, size_t size,
		       char *note, size_t note_size)
{
	const struct app_list *list = &app->lists[pane];
	int stated = 0, total = 0;

	if (pane == PANE_DEPLOYMENT) {
		rows_count_settings(app, &stated, &total);
		snprintf(title, size, "%s", list->filter[0] ? list->filter : "Deployment");
		snprintf(note, note_size, "%d set of %d", stated, total);
		return;
	}
	snprintf(title, size, "%c %s%s%s", pane_row(pane)->key, pane_row(pane)->name,
		 list->filter[0] ? " with " : "", list->filter);
	if (pane == PANE_MEMORY || pane == PANE_SWEEP || !list->count)
		snprintf(note, note_size, "1-9,0 pane  z zoom");
	else
		snprintf(note, note_size, "%d/%d  1-9,0 pane  z zoom", list->selected + 1,
			 list->count);
}

static void draw_pane(struct screen *screen, struct page *page, const struct app *app,
		      const struct layout_pane *at, enum pane_id pane)
{
	struct area title = page_part(page, at->title), body = page_part(page, at->body);
	char text[96], note[64];
	bool is_focused = app_focus(app) == pane;

	title_text(app, pane, text, sizeof(text), note, sizeof(note));
	/* A narrow pane keeps its name and leaves out the keys. */
	if (text_width(text) + text_width(note) + 8 > at->title.cols && strstr(note, "  "))
		*strstr(note, "  ") = '\0';
	popup_title(&title, 0, STYLE_BORDER, is_focused ? STYLE_TITLE_FOCUS : STYLE_TITLE, text,
		    note);
	draw_body(screen, &body, app, pane);
}

/* Which numbered pane each place right of the deployment shows. */
static void draw_panes(struct screen *screen, struct page *page, const struct app *app)
{
	const struct layout *layout = &screen->layout;
	int slot = 0, right = 0;

	for (int i = 0; i < layout->pane_count; i++)
		right += !layout->panes[i].is_deployment;
	for (int i = 0; i < layout->pane_count; i++) {
		const struct layout_pane *at = &layout->panes[i];
		enum pane_id pane = PANE_DEPLOYMENT;

		if (!at->is_deployment)
			pane = right < app->slot_count || right == 1 ? app->pane
								     : app->slots[slot++];
		draw_pane(screen, page, app, at, pane);
		/* Over the right pane, or the only one there is. */
		if (app->is_refused && !app->is_box_hidden &&
		    (at->is_deployment ? !right : right == 1 || pane == app->pane)) {
			struct area over = page_part(page, at->body);

			refused_draw(&over, app);
		}
	}
	for (int i = 0; i < layout->divider_count; i++) {
		struct area line = page_part(page, layout->dividers[i]);

		area_vline(&line, 0, 0, layout->dividers[i].rows, STYLE_BORDER);
	}
}

void screen_draw(struct screen *screen, struct page *page, const struct app *app)
{
	struct layout_want want = {
		.rows = page->rows,
		.cols = page->cols,
		.has_focus_on_deployment = app->is_on_deployment,
		.is_zoomed = app->is_zoomed || app->walk,
		.is_wide_pane = !app->is_on_deployment && pane_row(app->pane)->is_wide,
		.caption_lines = app->tour && !app->tour->is_free ? CAPTION_LINES : 0,
	};
	struct area part;

	page_clear(page);
	layout_split(&screen->layout, &want);
	if (app->walk) {
		struct rect all = screen->layout.panes[0].title;

		all.rows += screen->layout.panes[0].body.rows;
		part = page_part(page, all);
		walk_draw(screen, &part, app);
	} else {
		draw_panes(screen, page, app);
	}
	part = page_part(page, screen->layout.header);
	header_draw(&part, app);
	if (screen->layout.caption.rows) {
		part = page_part(page, screen->layout.caption);
		area_fill(&part, 0, 0, area_rows(&part), area_cols(&part), STYLE_CAPTION, ' ');
		part = area_part(&part, 0, 1, area_rows(&part), area_cols(&part) - 2);
		popup_text(&part, STYLE_CAPTION, app->tour->caption, 0);
	}
	part = page_part(page, screen->layout.footer);
	footer_draw(&part, app);
	if (app->overlay != OVERLAY_NONE) {
		struct rect body = { screen->layout.header.rows, 0,
				     page->rows - screen->layout.header.rows -
					     screen->layout.caption.rows -
					     screen->layout.footer.rows,
				     page->cols };

		part = page_part(page, body);
		overlay_draw(screen, &part, app);
	}
}

void screen_measured(const struct screen *screen, struct app *app)
{
	int rows = screen->layout.pane_count ? screen->layout.panes[0].body.rows : 1;

	app->page_rows = rows > 2 ? rows - 1 : 1;
	app->memory_top = screen->memory_top;
	app->overlay_lines = app->overlay == OVERLAY_NONE ? 0 : screen->overlay_lines;
}
