#include "view/braille.h"

#include <stdlib.h>
#include <string.h>

#include "view/text.h"

#define BRAILLE_BASE 0x2800u

int canvas_init(struct canvas *canvas, int rows, int cols, enum canvas_kind kind)
{
	memset(canvas, 0, sizeof(*canvas));
	canvas->rows = rows < 1 ? 1 : rows > PAGE_MAX_ROWS ? PAGE_MAX_ROWS : rows;
	canvas->cols = cols < 1 ? 1 : cols > PAGE_MAX_COLS ? PAGE_MAX_COLS : cols;
	canvas->kind = kind;
	canvas->dots_x = canvas->cols * (kind == CANVAS_BRAILLE ? 2 : 1);
	canvas->dots_y = canvas->rows * (kind == CANVAS_BRAILLE  ? 4
					 : kind == CANVAS_HALVES ? 2
								 : 1);
	canvas->dots = calloc((size_t)canvas->rows * (size_t)canvas->cols, 2);
	if (!canvas->dots)
		return -1;
	canvas->role = canvas->dots + (size_t)canvas->rows * (size_t)canvas->cols;
	return 0;
}

void canvas_release(struct canvas *canvas)
{
	if (!canvas)
		return;
	free(canvas->dots);
	memset(canvas, 0, sizeof(*canvas));
}

void canvas_dot(struct canvas *canvas, int x, int y, enum style_role style)
{
	/* the bits of U+2800: two columns of three, then the bottom row */
	static const unsigned char bits[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};
	size_t cell;

	if (x < 0 || y < 0 || x >= canvas->dots_x || y >= canvas->dots_y)
		return;
	if (canvas->kind == CANVAS_ASCII) {
		cell = (size_t)y * (size_t)canvas->cols + (size_t)x;
		canvas->dots[cell] = 1;
	} else if (canvas->kind == CANVAS_HALVES) {
		cell = (size_t)(y / 2) * (size_t)canvas->cols + (size_t)x;
		canvas->dots[cell] |= (unsigned char)(1 + y % 2);
	} else {
		cell = (size_t)(y / 4) * (size_t)canvas->cols + (size_t)(x / 2);
		canvas->dots[cell] |= bits[y % 4][x % 2];
	}
	canvas->role[cell] = (unsigned char)style;
}

/* Which side of the canvas a dot lies beyond, as bits; 0 is inside. */
static int beyond(const struct canvas *canvas, double x, double y)
{
	return (x < 0) | (x > canvas->dots_x - 1) << 1 | (y < 0) << 2 |
	       (y > canvas->dots_y - 1) << 3;
}

/* Cut the line to the canvas first, so that a far end costs no time. */
static bool clip(const struct canvas *canvas, double *ax, double *ay, double *bx, double *by)
{
	for (;;) {
		int a = beyond(canvas, *ax, *ay), b = beyond(canvas, *bx, *by);
		int out = a ? a : b;
		double x, y, dx = *bx - *ax, dy = *by - *ay;

		if (!(a | b))
			return true;
		if (a & b)
			return false;
		if (out & 12) {
			y = out & 4 ? 0 : canvas->dots_y - 1;
			x = *ax + dx * (y - *ay) / dy;
		} else {
			x = out & 1 ? 0 : canvas->dots_x - 1;
			y = *ay + dy * (x - *ax) / dx;
		}
		if (a) {
			*ax = x;
			*ay = y;
		} else {
			*bx = x;
			*by = y;
		}
	}
}

static int nearest(double v)
{
	return (int)(v < 0 ? v - 0.5 : v + 0.5);
}

void canvas_line(struct canvas *canvas, int x0, int y0, int x1, int y1, enum style_role style)
{
	double ax = x0, ay = y0, bx = x1, by = y1;
	int dx, dy, steps, i;

	if (!clip(canvas, &ax, &ay, &bx, &by))
		return;
	x0 = nearest(ax);
	y0 = nearest(ay);
	dx = nearest(bx) - x0;
	dy = nearest(by) - y0;
	steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
	for (i = 0; i <= steps; i++) {
		double part = steps ? (double)i / steps : 0;

		canvas_dot(canvas, x0 + nearest(dx * part), y0 + nearest(dy * part), style);
	}
}

void canvas_draw(const struct canvas *canvas, const struct area *area, int row, int col)
{
	int i, j;

	for (i = 0; i < canvas->rows; i++) {
		for (j = 0; j < canvas->cols; j++) {
			size_t cell = (size_t)i * (size_t)canvas->cols + (size_t)j;
			enum style_role style = (enum style_role)canvas->role[cell];
			char text[5] = "";

			if (!canvas->dots[cell])
				continue;
			if (canvas->kind == CANVAS_HALVES) {
				/* upper half, lower half, full block */
				static const uint32_t halves[] = { 0, 0x2580, 0x2584, 0x2588 };

				text[text_encode(text, halves[canvas->dots[cell] & 3])] = '\0';
			} else if (canvas->kind == CANVAS_ASCII) {
				text[0] = style_row(style)->mark;
				if (!text[0])
					text[0] = '*';
			} else {
				text[text_encode(text, BRAILLE_BASE + canvas->dots[cell])] = '\0';
			}
			area_put(area, row + i, col + j, style, text);
		}
	}
}
