/* The walk: one assumed entry whole, the list of them below. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/number.h"
#include "app/rows.h"
#include "app/walk.h"
#include "case/review.h"
#include "view/popup.h"
#include "view/screen.h"
#include "view/text.h"

struct pen {
	const struct area *area;
	int row, last; /* rows from `last` on belong to the list */
};

static void line(struct pen *pen, const char *name, const char *text)
{
	const char *start = NULL;
	size_t pos = 0, len = 0;
	int cols = area_cols(pen->area) - 12;
	bool is_first = true;

	if (!text || !*text)
		return;
	while (cols > 0 && pen->row < pen->last && text_wrap(text, &pos, cols, &start, &len)) {
		char copy[512];

		text_clean(copy, sizeof(copy), start, len);
		if (is_first)
			area_put(pen->area, pen->row, 3, STYLE_COLUMN, name);
		area_put(pen->area, pen->row++, 11, STYLE_TEXT, copy);
		is_first = false;
	}
}

static void draw_tries(struct pen *pen, const struct walk *walk, const struct ss_entry *entry)
{
	const struct ss_walk_page *page = &walk->page;
	bool is_memory = !walk->items[walk->at].influence.is_read;
	int col = 11;

	if (!entry || !page->point_count || pen->row + 1 >= pen->last)
		return;
	area_put(pen->area, pen->row, 3, STYLE_COLUMN, "value");
	area_put(pen->area, pen->row + 1, 3, STYLE_COLUMN, is_memory ? "KV room" : "step");
	for (size_t i = 0; i < page->point_count; i++) {
		char value[72], number[64];

		if (entry->has_value)
			rows_entry_value_unit(entry, page->points[i].value, number, sizeof(number));
		else
			snprintf(number, sizeof(number), "x %s",
				 number_plain(page->points[i].value).text);
		snprintf(value, sizeof(value), i == page->point_count / 2 ? "[%s]" : "%s", number);
		area_right(pen->area, pen->row, col, 12, STYLE_TEXT, value);
		if (is_memory)
			snprintf(number, sizeof(number), "%s",
				 number_bytes_binary((double)page->points[i].room_bytes).text);
		else
			snprintf(number, sizeof(number), "%s",
				 number_time_in(page->points[i].figure_s, NUMBER_MS, 2).text);
		area_right(pen->area, pen->row + 1, col, 12, STYLE_TEXT, number);
		col += 13;
	}
	if (!is_memory)
		area_put(pen->area, pen->row + 1, col, STYLE_TEXT, " ms");
	pen->row += 2;
}

static void draw_moves(struct pen *pen, const struct app *app, const struct walk_item *item)
{
	const struct ss_influence *influence = &item->influence;
	double lead = quote_lead(app->quote, app->figure);
	char text[200];

	if (!influence->is_value && item->is_own)
		snprintf(text, sizeof(text),
			 "a choice: what else it could be is priced in the deployment pane");
	else if (!influence->is_read && !influence->is_memory)
		snprintf(text, sizeof(text), "nothing in this step");
	else if (!influence->is_read)
		snprintf(text, sizeof(text),
			 "memory alone: %s per cent of the room for KV for each per cent of it",
			 number_signed(influence->room_elasticity, 3).text);
	else
		snprintf(text, sizeof(text), "%s of %s, %s   elasticity %s",
			 number_time(item->moves_s).text, number_time(lead).text,
			 number_percent(lead > 0 ? item->moves_s / lead : 0, 1).text,
			 number_signed(influence->elasticity, 3).text);
	line(pen, "moves", text);
}

/* The note, and of a judgement that holds no more what it was about. */
static void draw_said(struct pen *pen, const struct app *app, const struct walk_item *item)
{
	const struct ss_review_entry *said = walk_said(app, item);
	char value[200], text[400];

	if (!said)
		return;
	line(pen, "note", said->note);
	if (said->verdict == SS_JUDGEMENT_OPEN)
		return;
	review_value_text(said, value, sizeof(value));
	snprintf(text, sizeof(text), "%s at %s%s%s%s%.10s%s", ss_judgement_name(said->verdict),
		 value, *said->reviewer ? " by " : "", said->reviewer, *said->date ? ", " : "",
		 said->date, item->verdict == WALK_CHANGED ? "; changed since" : "");
	line(pen, "review", text);
}

static void draw_entry(struct pen *pen, const struct app *app, const struct walk_item *item)
{
	const struct ss_entry *entry =
		item->entry >= 0 ? ss_kernel_entry(app->quote->kernel, (size_t)item->entry) : NULL;
	const struct ss_coefficient *coefficient = entry ? entry->coefficient : NULL;
	struct ss_batch batch = draft_batch(&app->draft);
	char text[512], law[1024];
	const char *mark = !entry                             ? "no longer assumed"
			   : coefficient && !entry->is_whatif ? "ASSUMED"
			   : coefficient                      ? "TRIED"
							      : "ASSUMED";
	int value_col = 40, mark_col = area_cols(pen->area) - 1 - text_width(mark);

	area_put(pen->area, pen->row, 1, STYLE_ASSUMED, "~");
	area_text(pen->area, pen->row, 3, area_cols(pen->area) - 3, STYLE_ASSUMED, item->name);
	/* A long name pushes the value on: both are short of the mark at the end. */
	if (text_width(item->name) + 5 > value_col)
		value_col = text_width(item->name) + 5;
	snprintf(text, sizeof(text), "%s", item->value);
	if (entry)
		rows_entry_value(entry, text, sizeof(text));
	area_text(pen->area, pen->row, value_col, mark_col - value_col - 1, STYLE_TEXT, text);
	area_put(pen->area, pen->row++, mark_col, STYLE_HEADER, mark);
	if (item->is_own)
		snprintf(text, sizeof(text), "%s", item->set);
	else
		snprintf(text, sizeof(text), "%s   scope %s   fitted %s", item->set, item->scope,
			 !coefficient                ? "no"
			 : coefficient->is_remainder ? "remainder"
			 : coefficient->is_fitted    ? "yes"
						     : "no");
	line(pen, "set", text);
	if (entry && app->quote->has_price && !app->is_refused) {
		if (item->influence.is_read || item->influence.is_memory)
			line(pen, "law", entry->law);
		ss_kernel_entry_law(app->quote->kernel, &batch, &app->quote->breakdown, item->entry,
				    law, sizeof(law));
		line(pen, item->influence.is_read || item->influence.is_memory ? "" : "law", law);
	}
	draw_moves(pen, app, item);
	draw_tries(pen, app->walk, entry);
	if (entry) {
		line(pen, "why", ss_kernel_entry_why(app->quote->kernel, item->entry));
		ss_kernel_entry_instead(app->quote->kernel, item->entry, law, sizeof(law));
		line(pen, "instead", law);
	}
	draw_said(pen, app, item);
}

static void item_cell(void *context, int row, int column, struct list_cell *out)
{
	const struct walk *walk = context;
	const struct walk_item *item = &walk->items[row];

	switch (column) {
	case 0:
		snprintf(out->text, sizeof(out->text), "%d %s", row + 1, item->name);
		break;
	case 1:
		snprintf(out->text, sizeof(out->text), "%s", item->value);
		break;
	case 2:
		snprintf(out->text, sizeof(out->text), "%s", item->is_own ? "kernel" : item->set);
		break;
	case 3:
		if (fabs(item->influence.elasticity) > 1e-6)
			snprintf(out->text, sizeof(out->text), "%s",
				 number_signed(item->influence.elasticity, 3).text);
		else if (fabs(item->influence.room_elasticity) > 1e-6)
			snprintf(out->text, sizeof(out->text), "KV %s",
				 number_signed(item->influence.room_elasticity, 3).text);
		else
			snprintf(out->text, sizeof(out->text), "0");
		break;
	default:
		snprintf(out->text, sizeof(out->text), "%s", walk_verdict_name(item->verdict));
		break;
	}
}

static bool is_judged(const struct walk_item *item)
{
	return item->verdict == WALK_REVIEWED || item->verdict == WALK_STATED;
}

static void draw_progress(const struct area *area, const struct app *app, int row)
{
	const struct walk *walk = app->walk;
	double lead = quote_lead(app->quote, app->figure), accepted = 0, open = 0;
	size_t reviewed = 0;

	for (size_t i = 0; i < walk->count; i++) {
		const struct walk_item *item = &walk->items[i];

		if (i < walk_length(walk))
			reviewed += is_judged(item);
		if (!is_judged(item))
			open += item->moves_s;
		else
			accepted += item->moves_s;
	}
	if (lead > 0)
		area_printf(area, row, 1, STYLE_HEADER,
			    "reviewed %zu of %zu | accepted so far %s, open %s of the price",
			    reviewed, walk_length(walk), number_percent(accepted / lead, 1).text,
			    number_percent(open / lead, 1).text);
}

void walk_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	static const struct list_column columns[] = {
		{ .title = "entry", .width = 32, .min_width = 16, .grows = true },
		{ .title = "value", .width = 14, .min_width = 8, .is_right = true },
		{ .title = "set", .width = 18, .min_width = 7, .rank = 1 },
		{ .title = "moves", .width = 10, .min_width = 10, .is_right = true },
		{ .title = "review", .width = 9, .min_width = 8 },
		{ .title = NULL },
	};
	const struct walk *walk = app->walk;
	struct list_view view = { .columns = columns,
				  .cell = item_cell,
				  .sort_column = -1,
				  .is_focused = true,
				  .context = app->walk };
	int rows = area_rows(area), length = (int)walk_length(walk);
	int list_rows = length < rows / 3 ? length : rows / 3;
	int least_rows = list_rows < 3 ? list_rows : 3, rule = rows - list_rows - 2;
	/* A long reason takes rows of the list, so that none of it is lost. */
	struct pen pen = { area, 1, rows - least_rows - 2 };
	struct area list;
	char title[160];

	snprintf(title, sizeof(title),
		 "WALK %zu of %d: %zu that move price or memory, then kernel's %zu (Tab: %s%zu)",
		 length ? walk->at + 1 : 0, length, walk->moving_count, walk->own_count,
		 walk->has_rest ? "hide " : "other ",
		 walk->count - walk->own_count - walk->moving_count);
	popup_title(area, 0, STYLE_BORDER, STYLE_TITLE_FOCUS, title, NULL);
	if (!length || !app->quote) {
		area_put(area, 1, 1, STYLE_TEXT, "nothing is assumed");
		return;
	}
	draw_entry(&pen, app, &walk->items[walk->at]);
	rule = pen.row > rule ? pen.row : rule;
	area_hline(area, rule, 0, area_cols(area), STYLE_BORDER);
	list = area_part(area, rule + 1, 0, rows - rule - 2, area_cols(area));
	list_set_count(&screen->walk, length);
	list_select(&screen->walk, (int)walk->at);
	list_draw(&list, &screen->walk, &view);
	draw_progress(area, app, rows - 1);
}
