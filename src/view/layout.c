#include "view/layout.h"

#include <string.h>

/* Below this there is one pane. */
#define TWO_PANES_FROM 80
/* The narrowest right pane worth standing beside another. */
#define RIGHT_MIN 58
/* A pane that wants the full width is content with this much. */
#define WIDE_MIN 72

/* The deployment by the width of the screen: at 130 columns its names show whole. */
static int deployment_cols(int cols)
{
	return cols < 110 ? 32 : cols < 130 ? 38 : 44;
}

int layout_right_panes(int cols)
{
	/* each right pane brings its own divider */
	int n = (cols - deployment_cols(cols)) / (RIGHT_MIN + 1);

	return n < 1 ? 1 : n > LAYOUT_MAX_PANES - 1 ? LAYOUT_MAX_PANES - 1 : n;
}

static struct rect rows_of(int row, int rows, int cols)
{
	struct rect r = { row, 0, rows, cols };

	return r;
}

/*
 * Rows go first to one of the pane, then to the lead line of the header, the
 * key line of the footer, a title and some lines of the pane, and what is left
 * completes header, footer and captions before the pane grows.
 */
static void split_rows(struct layout *out, int rows, int cols, int captions, int *main_rows)
{
	int header, footer, caption = 0, body;

	if (rows >= 8) {
		header = 3;
		footer = 2;
	} else {
		header = rows >= 7 ? 2 : rows >= 2 ? 1 : 0;
		footer = rows >= 6 ? 2 : rows >= 4 ? 1 : 0;
	}
	body = rows - header - footer;
	if (captions > 0 && body > 2) {
		caption = captions < body - 2 ? captions : body - 2;
		body -= caption;
	}
	out->header = rows_of(0, header, cols);
	out->caption = rows_of(header + body, caption, cols);
	out->footer = rows_of(header + body + caption, footer, cols);
	*main_rows = body;
}

static void add_pane(struct layout *out, int col, int cols, int rows, bool is_deployment)
{
	struct layout_pane *pane = &out->panes[out->pane_count++];
	int top = out->header.rows;
	int title = rows >= 2 ? 1 : 0;

	pane->is_deployment = is_deployment;
	pane->title = (struct rect){ top, col, title, cols };
	pane->body = (struct rect){ top + title, col, rows - title, cols };
}

static void add_divider(struct layout *out, int col, int rows)
{
	out->dividers[out->divider_count++] = (struct rect){ out->header.rows, col, rows, 1 };
}

void layout_split(struct layout *out, const struct layout_want *want)
{
	int rows = want->rows < 1 ? 1 : want->rows;
	int cols = want->cols < 1 ? 1 : want->cols;
	int left = deployment_cols(cols), right = cols - left - 1, n, i, body, col;

	memset(out, 0, sizeof(*out));
	split_rows(out, rows, cols, want->caption_lines, &body);
	if (cols < TWO_PANES_FROM || want->is_zoomed) {
		add_pane(out, 0, cols, body, want->has_focus_on_deployment);
		return;
	}
	if (want->is_wide_pane && !want->has_focus_on_deployment && right < WIDE_MIN) {
		add_pane(out, 0, cols, body, false);
		return;
	}
	add_pane(out, 0, left, body, true);
	n = layout_right_panes(cols);
	if (want->is_wide_pane) {
		/* as many as leave the first one its width */
		while (n > 1 && (right - (n - 1)) / n < WIDE_MIN)
			n--;
	}
	col = left;
	for (i = 0; i < n; i++) {
		int share = (cols - col - (n - i)) / (n - i);

		add_divider(out, col, body);
		add_pane(out, col + 1, share, body, false);
		col += 1 + share;
	}
}
