#include "view/helppage.h"

#include <stdbool.h>
#include <stdio.h>

#include "view/popup.h"
#include "view/text.h"

/* Where the next line goes; lines above `top` and below the area are clipped. */
struct pen {
	const struct area *area;
	int line, top;
};

static void heading(struct pen *pen, const char *text)
{
	if (pen->line > 0)
		pen->line++;
	if (pen->line >= pen->top)
		area_put(pen->area, pen->line - pen->top, 0, STYLE_SECTION, text);
	pen->line++;
}

static void wrapped(struct pen *pen, int col, enum style_role style, const char *text)
{
	int cols = area_cols(pen->area) - col;
	const char *start;
	size_t pos = 0, len;

	while (text_wrap(text, &pos, cols, &start, &len)) {
		char copy[512];

		text_clean(copy, sizeof(copy), start, len);
		if (pen->line >= pen->top)
			area_put(pen->area, pen->line - pen->top, col, style, copy);
		pen->line++;
	}
}

static void keys_of(struct pen *pen, unsigned where)
{
	int keys_cols = area_cols(pen->area) < 36 ? 9 : 18;
	size_t i;

	for (i = 0; i < ACT_COUNT; i++) {
		const struct action_row *row = action_row((enum action_id)i);
		char keys[64];

		if (!(row->where & where) || !row->keys[0])
			continue;
		text_cut(keys, sizeof(keys), row->keys, keys_cols - 1);
		if (pen->line >= pen->top)
			area_put(pen->area, pen->line - pen->top, 1, STYLE_KEY, keys);
		wrapped(pen, keys_cols + 1, STYLE_TEXT, row->help);
	}
}

static bool has_keys(unsigned where)
{
	for (size_t i = 0; i < ACT_COUNT; i++) {
		const struct action_row *row = action_row((enum action_id)i);

		if ((row->where & where) && row->keys[0])
			return true;
	}
	return false;
}

int helppage_draw(const struct area *area, const char *title, const char *intro, unsigned where,
		  int top)
{
	struct pen pen = { area, 0, top };

	area_clear(area, STYLE_TEXT);
	if (title)
		heading(&pen, title);
	if (intro)
		wrapped(&pen, 0, STYLE_TEXT, intro);
	where &= ~(unsigned)ACTION_ANYWHERE;
	if (has_keys(where)) {
		heading(&pen, "KEYS HERE");
		keys_of(&pen, where);
	}
	heading(&pen, "KEYS EVERYWHERE");
	keys_of(&pen, ACTION_ANYWHERE);
	return pen.line;
}
