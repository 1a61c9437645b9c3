#include "view/popup.h"

#include <stdio.h>
#include <string.h>

#include "view/text.h"

static int max(int a, int b)
{
	return a > b ? a : b;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static int widest_line(const char *text)
{
	int width = 0;

	while (text && *text) {
		size_t n = strcspn(text, "\n");

		width = max(width, text_width_n(text, n));
		text += n + (text[n] == '\n');
	}
	return width;
}

static int choice_text(char *out, size_t size, const struct popup_choice *choice)
{
	char letter[8] = "";

	if (choice->letter)
		(void)snprintf(letter, sizeof(letter), "%c  ", choice->letter);
	(void)snprintf(out, size, "%s%s%s%s", letter, choice->text, choice->note ? "  " : "",
		       choice->note ? choice->note : "");
	return text_width(out);
}

void popup_title(const struct area *area, int row, enum style_role line, enum style_role style,
		 const char *title, const char *note)
{
	int cols = area_cols(area), room = cols - 3, width;
	char text[256];

	area_hline(area, row, 0, cols, line);
	if (note && text_width(note) + 4 <= room) {
		width = text_width(note) + 2;
		(void)snprintf(text, sizeof(text), " %s ", note);
		area_put(area, row, cols - 1 - width, line, text);
		room -= width + 1;
	}
	if (title && title[0] && room >= 4) {
		char cut[200];

		text_cut(cut, sizeof(cut), title, room - 2);
		(void)snprintf(text, sizeof(text), " %s ", cut);
		area_put(area, row, 2, style, text);
	}
}

/*
 * Where lines after the first of a paragraph start: under the text that follows
 * a name and blanks, as in "law    host = ...".
 */
static int hanging(const char *paragraph, int cols)
{
	int at = 0;

	while (paragraph[at] && paragraph[at] != '\n' && at < cols / 2) {
		int blanks = (int)strspn(paragraph + at, " ");

		at += blanks;
		if (blanks >= 2)
			return at < cols / 2 && paragraph[at] != '\n' && paragraph[at] ? at : 0;
		at += (int)strcspn(paragraph + at, " \n");
	}
	return 0;
}

/* Draw the text from line `top` on, where there is an area; returns its lines. */
static int set_text(const struct area *area, int cols, enum style_role style, const char *text,
		    int top)
{
	size_t pos = 0;
	int line = 0, indent = 0;

	while (text) {
		bool is_first = !pos || text[pos - 1] == '\n';
		const char *start;
		size_t len;

		if (is_first)
			indent = hanging(text + pos, cols);
		if (!text_wrap(text, &pos, is_first ? cols : cols - indent, &start, &len))
			break;
		if (area && line >= top && line - top < area_rows(area)) {
			char copy[1024];

			text_clean(copy, sizeof(copy), start, len);
			area_put(area, line - top, is_first ? 0 : indent, style, copy);
		}
		line++;
	}
	return line;
}

int popup_text(const struct area *area, enum style_role style, const char *text, int top)
{
	return set_text(area, area_cols(area), style, text, top);
}

/* What the inside wants, before the area limits it. */
static int content_width(const struct popup *popup)
{
	const struct popup_choice *choice;
	char line[512];
	int width = max(text_width(popup->title) + 4, text_width(popup->footer) + 4);

	width = max(width, widest_line(popup->body));
	for (choice = popup->choices; choice && choice->text; choice++)
		width = max(width, choice_text(line, sizeof(line), choice));
	return width;
}

static void draw_choices(const struct area *inside, const struct popup *popup, int row)
{
	const struct popup_choice *choice = popup->choices;
	char line[512];
	int i;

	for (i = 0; choice && choice[i].text; i++) {
		bool is_here = i == popup->selected;

		choice_text(line, sizeof(line), &choice[i]);
		area_text(inside, row + i, 0, area_cols(inside),
			  is_here ? STYLE_SELECTED : STYLE_TEXT, line);
		if (choice[i].letter && !is_here)
			area_restyle(inside, row + i, 0, 1, STYLE_KEY);
	}
}

int popup_draw(const struct area *area, const struct popup *popup, int height)
{
	int rows = area_rows(area), cols = area_cols(area);
	bool has_edge = rows >= 5 && cols >= 5;
	int edge = has_edge ? 2 : 0, side = has_edge ? 4 : 0;
	int width, lines, choices = 0, tall, body_rows, gap;
	struct area box, inside, body;

	while (popup->choices && popup->choices[choices].text)
		choices++;
	width = min(max(content_width(popup), 1), max(cols - side, 1));
	lines = set_text(NULL, width, STYLE_TEXT, popup->body, 0);
	tall = lines + choices + (lines > 0 && choices > 0);
	tall = min(max(tall, 1) + edge, rows);
	if (height > 0)
		tall = min(tall, height);
	box = area_part(area, (rows - tall) / 2, (cols - width - side) / 2, tall, width + side);
	area_clear(&box, STYLE_TEXT);
	if (has_edge) {
		area_box(&box, 0, 0, tall, width + side, popup->style);
		inside = area_part(&box, 0, 1, 1, width + side - 2);
		popup_title(&inside, 0, popup->style, popup->style, popup->title, NULL);
		inside = area_part(&box, tall - 1, 1, 1, width + side - 2);
		popup_title(&inside, 0, popup->style, popup->style, popup->footer, NULL);
	}
	inside = area_part(&box, has_edge, has_edge * 2, tall - edge, width);
	/* the choices are what is acted on: a long reason gives way to them */
	body_rows = min(lines, max(tall - edge - choices, min(lines, 1)));
	body = area_part(&inside, 0, 0, body_rows, width);
	popup_text(&body, STYLE_TEXT, popup->body, popup->top);
	gap = body_rows > 0 && body_rows + 1 + choices <= tall - edge;
	draw_choices(&inside, popup, body_rows + gap);
	return lines - body_rows;
}
