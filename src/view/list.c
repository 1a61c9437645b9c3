#include "view/list.h"

#include <stdio.h>
#include <string.h>

#include "view/text.h"

void list_set_count(struct list *list, int count)
{
	list->count = count < 0 ? 0 : count;
	list_select(list, list->selected);
}

void list_select(struct list *list, int row)
{
	if (row >= list->count)
		row = list->count - 1;
	list->selected = row < 0 ? 0 : row;
}

bool list_move(struct list *list, int by)
{
	int before = list->selected;
	long to = (long)before + by;

	list_select(list, to < 0 ? 0 : to >= list->count ? list->count - 1 : (int)to);
	return list->selected != before;
}

void list_scroll(struct list *list, int visible)
{
	if (visible < 1)
		visible = 1;
	if (list->top > list->selected)
		list->top = list->selected;
	if (list->selected - list->top >= visible)
		list->top = list->selected - visible + 1;
	if (list->top > list->count - visible)
		list->top = list->count - visible;
	if (list->top < 0)
		list->top = 0;
}

const char *list_position(const struct list *list, char *out, size_t size)
{
	(void)snprintf(out, size, "%d/%d", list->count ? list->selected + 1 : 0, list->count);
	return out;
}

static int least_width(const struct list_column *column)
{
	return column->min_width > 0 ? column->min_width : column->width;
}

/* The shown column of the highest rank, or -1 when only rank 0 is left. */
static int column_to_drop(const struct list_place *places, const struct list_column *columns, int n)
{
	int worst = -1, i;

	for (i = 0; i < n; i++)
		if (places[i].width > 0 && columns[i].rank > 0 &&
		    (worst < 0 || columns[i].rank >= columns[worst].rank))
			worst = i;
	return worst;
}

int list_place_columns(struct list_place places[LIST_MAX_COLUMNS],
		       const struct list_column *columns, int cols)
{
	int n = 0, shown = 0, need = 1, spare, growing = 0, col = 1, i;

	while (n < LIST_MAX_COLUMNS && columns[n].title) {
		places[n].width = least_width(&columns[n]);
		need += places[n].width + (n > 0);
		n++;
	}
	while (need > cols) {
		int drop = column_to_drop(places, columns, n);

		if (drop < 0)
			break;
		need -= places[drop].width + 1;
		places[drop].width = 0;
	}
	spare = cols - need;
	for (i = 0; i < n && spare > 0; i++) {
		int more = columns[i].width - places[i].width;

		if (places[i].width == 0 || more <= 0)
			continue;
		more = more < spare ? more : spare;
		places[i].width += more;
		spare -= more;
	}
	for (i = 0; i < n; i++)
		growing += places[i].width > 0 && columns[i].grows;
	for (i = 0; i < n; i++) {
		if (places[i].width == 0)
			continue;
		if (columns[i].grows && spare > 0) {
			int share = spare / growing--;

			places[i].width += share;
			spare -= share;
		}
		places[i].col = col;
		col += places[i].width + 1;
		shown++;
	}
	return shown;
}

int list_visible_rows(const struct list_view *view, int rows)
{
	/* with two rows or fewer the titles give way to the list */
	if (view->has_header && rows > 2)
		rows--;
	return rows < 0 ? 0 : rows;
}

void list_text_matched(const struct area *area, int row, int col, int cols, enum style_role style,
		       const char *text, const char *needle)
{
	char cut[256];
	size_t at = 0;
	long found;

	area_text(area, row, col, cols, style, text);
	if (!needle || !needle[0])
		return;
	text_cut(cut, sizeof(cut), text, cols);
	while ((found = text_find(cut + at, needle)) >= 0) {
		size_t start = at + (size_t)found;

		area_restyle(area, row, col + text_width_n(cut, start),
			     text_width_n(cut + start, strlen(needle)), STYLE_MATCH);
		at = start + strlen(needle);
	}
}

static void draw_header(const struct area *area, const struct list_view *view,
			const struct list_place *places)
{
	int i;

	area_fill(area, 0, 0, 1, area_cols(area), STYLE_COLUMN, ' ');
	for (i = 0; i < LIST_MAX_COLUMNS && view->columns[i].title; i++) {
		const struct list_column *column = &view->columns[i];
		char title[80];

		if (places[i].width == 0)
			continue;
		(void)snprintf(title, sizeof(title), "%s%s", column->title,
			       i != view->sort_column ? ""
			       : view->is_descending  ? "v"
						      : "^");
		/* Where the mark of the order needs it, the title has the gap before it too. */
		if (!column->is_right)
			area_text(area, 0, places[i].col, places[i].width, STYLE_COLUMN, title);
		else if (text_width(title) <= places[i].width)
			area_right(area, 0, places[i].col, places[i].width, STYLE_COLUMN, title);
		else
			area_right(area, 0, places[i].col - 1, places[i].width + 1, STYLE_COLUMN,
				   title);
	}
}

static void draw_cell(const struct area *area, int line, int row, int i,
		      const struct list_view *view, const struct list_place *place,
		      bool is_selected)
{
	struct list_cell cell = { .text = "", .style = STYLE_TEXT, .bar = -1 };
	const struct list_column *column = &view->columns[i];
	enum style_role style;
	int width, pad;

	view->cell(view->context, row, i, &cell);
	style = is_selected ? STYLE_SELECTED : cell.style;
	if (cell.bar >= 0) {
		area_bar(area, line, place->col, place->width, style, cell.bar);
		return;
	}
	width = text_width(cell.text);
	pad = column->is_right && width < place->width ? place->width - width : 0;
	list_text_matched(area, line, place->col + pad, place->width - pad, style, cell.text,
			  view->search);
}

static void draw_row(const struct area *area, int line, int row, const struct list *list,
		     const struct list_view *view, const struct list_place *places)
{
	bool is_here = row == list->selected;
	bool is_selected = is_here && view->is_focused;
	struct list_row about = { 0 };
	int i;

	if (view->row)
		view->row(view->context, row, &about);
	if (is_selected)
		area_fill(area, line, 0, 1, area_cols(area), STYLE_SELECTED, ' ');
	if (about.is_heading)
		list_text_matched(area, line, 1, area_cols(area) - 1,
				  is_selected ? STYLE_SELECTED : STYLE_SECTION, about.heading,
				  view->search);
	for (i = 0; !about.is_heading && i < LIST_MAX_COLUMNS && view->columns[i].title; i++)
		if (places[i].width > 0)
			draw_cell(area, line, row, i, view, &places[i], is_selected);
	if (is_here)
		area_put(area, line, 0, is_selected ? STYLE_SELECTED : STYLE_SELECTED_AWAY, ">");
	else if (about.is_marked)
		area_put(area, line, 0, STYLE_CHANGED, "*");
}

void list_draw(const struct area *area, struct list *list, const struct list_view *view)
{
	struct list_place places[LIST_MAX_COLUMNS] = { { 0, 0 } };
	int visible = list_visible_rows(view, area_rows(area));
	int first = area_rows(area) - visible, i;

	area_clear(area, STYLE_TEXT);
	list_scroll(list, visible);
	list_place_columns(places, view->columns, area_cols(area));
	if (first > 0)
		draw_header(area, view, places);
	for (i = 0; i < visible && list->top + i < list->count; i++)
		draw_row(area, first + i, list->top + i, list, view, places);
}

int list_search(int count, int from, int direction, const char *needle,
		void (*text)(void *context, int row, char *out, size_t size), void *context)
{
	int step, row = from;

	if (count <= 0)
		return -1;
	for (step = 0; step < count; step++) {
		char line[512] = "";

		row = ((row % count) + count) % count;
		text(context, row, line, sizeof(line));
		if (text_find(line, needle) >= 0)
			return row;
		row += direction < 0 ? -1 : 1;
	}
	return -1;
}
