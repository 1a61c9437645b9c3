/*
 * The whole explorer on a page: header, panes, footer and what lies over them.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "app/app.h"
#include "view/layout.h"
#include "view/list.h"
#include "view/page.h"

/** How far each list is scrolled, and the last layout: all of the view's memory. */
struct screen {
	struct list lists[PANE_ALL];
	struct list chooser, walk;
	struct layout layout;
	int memory_top;    /**< how far the Memory pane can scroll */
	int overlay_lines; /**< lines of the help or detail shown, to bound its scrolling */
};

/** Draw everything; the page is cleared first. */
void screen_draw(struct screen *screen, struct page *page, const struct app *app);

/** Tell the state what was drawn, for the keys that scroll. */
void screen_measured(const struct screen *screen, struct app *app);

/* -- the parts, each in a file of its own ---------------------------------------------- */

void header_draw(const struct area *area, const struct app *app);
void footer_draw(const struct area *area, const struct app *app);

/** A pane's list with its marks; `rows` from the top are left to the caller. */
void table_pane_draw(struct screen *screen, const struct area *area, const struct app *app,
		     enum pane_id pane);
void step_pane_draw(struct screen *screen, const struct area *area, const struct app *app);
void evidence_pane_draw(struct screen *screen, const struct area *area, const struct app *app);
void memory_pane_draw(struct screen *screen, const struct area *area, const struct app *app);
void batch_pane_draw(struct screen *screen, const struct area *area, const struct app *app);
void sweep_pane_draw(struct screen *screen, const struct area *area, const struct app *app);
void serve_pane_draw(struct screen *screen, const struct area *area, const struct app *app);
void walk_draw(struct screen *screen, const struct area *area, const struct app *app);

/** The box of a refusal, over the right pane. */
void refused_draw(const struct area *area, const struct app *app);
/** Help, detail, chooser or question. */
void overlay_draw(struct screen *screen, const struct area *area, const struct app *app);

/** Style that carries a mark. */
enum style_role screen_mark_style(char mark);

#endif
