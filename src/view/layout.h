/*
 * How a screen is split, whatever its size: header, panes, captions, footer.
 * Pure arithmetic over rows and columns.
 */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>

#include "view/page.h"

#define LAYOUT_MAX_PANES 4

/** What the state asks for. */
struct layout_want {
	int rows, cols; /**< of the screen, 1 or more */
	bool has_focus_on_deployment;
	bool is_zoomed;    /**< the focused pane alone */
	bool is_wide_pane; /**< the pane needs the full width where two would be narrow */
	int caption_lines; /**< of a tour, above the footer; 0 for none */
};

/** One pane; `title` is the row above `body`. Either may have no rows. */
struct layout_pane {
	bool is_deployment;
	struct rect title, body;
};

/** The split. Rectangles lie inside the screen and never overlap. */
struct layout {
	struct rect header;  /**< 3 rows where there is room, the price first */
	struct rect caption; /**< no rows without captions */
	struct rect footer;  /**< 2 rows where there is room */
	int pane_count;      /**< 1 .. LAYOUT_MAX_PANES, left to right */
	struct layout_pane panes[LAYOUT_MAX_PANES];
	int divider_count;                          /**< pane_count - 1 */
	struct rect dividers[LAYOUT_MAX_PANES - 1]; /**< one column each, title row included */
};

/** Split the screen. Never fails. */
void layout_split(struct layout *out, const struct layout_want *want);

/** How many panes beside the deployment the width has room for, 1 .. 3. */
int layout_right_panes(int cols);

#endif
