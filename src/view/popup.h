/*
 * Boxes over the panes: a message with choices, and pages of text that scroll.
 */
#ifndef VIEW_POPUP_H
#define VIEW_POPUP_H

#include <stdbool.h>

#include "view/page.h"

/** One line to choose, as a fix of a refusal. Arrays end with a NULL text. */
struct popup_choice {
	char letter; /**< the key that takes it; 0 for a plain line */
	const char *text;
	const char *note; /**< shown after the text; may be NULL */
};

struct popup {
	const char *title;
	const char *body;                   /**< wrapped; newlines are kept; may be NULL */
	const struct popup_choice *choices; /**< may be NULL */
	const char *footer;                 /**< keys, on the lower edge; may be NULL */
	enum style_role style;              /**< of the title and the edge */
	int selected;                       /**< choice shown as selected; -1 for none */
	int top;                            /**< lines of the body scrolled away */
};

/**
 * Draw in the middle of the area, as large as the content needs and the area
 * allows; without room for an edge, the content alone.
 *
 * @param height how many rows the box takes at most; 0: as the area allows.
 * @return how far the body can be scrolled: the lines of it that do not fit.
 */
int popup_draw(const struct area *area, const struct popup *popup, int height);

/** A line of edge with a title at its left and a note at its right; either may be NULL. */
void popup_title(const struct area *area, int row, enum style_role line, enum style_role style,
		 const char *title, const char *note);

/**
 * Draw wrapped text from line `top` on.
 *
 * @return how many lines the whole text has at this width.
 */
int popup_text(const struct area *area, enum style_role style, const char *text, int top);

#endif
