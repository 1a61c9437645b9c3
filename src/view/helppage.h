/*
 * The help of a pane: every action that applies there with its keys, from the
 * table of actions, and whatever text the caller puts before it.
 */
#ifndef VIEW_HELPPAGE_H
#define VIEW_HELPPAGE_H

#include "app/action.h"
#include "view/page.h"

/**
 * Draw from line `top` on: introduction, then the keys of `where`, then
 * those that work everywhere.
 *
 * @param title of the page; may be NULL.
 * @param intro wrapped text; may be NULL.
 * @param where one context of enum action_where, or ACTION_ANYWHERE alone.
 * @return how many lines the page has at this width, to bound the scrolling.
 */
int helppage_draw(const struct area *area, const char *title, const char *intro, unsigned where,
		  int top);

#endif
