/*
 * A canvas of dots: two by four to a cell in braille, two above each other as half
 * blocks where a font has no braille, one to a cell in ASCII.
 */
#ifndef VIEW_BRAILLE_H
#define VIEW_BRAILLE_H

#include <stdbool.h>

#include "view/page.h"

enum canvas_kind { CANVAS_BRAILLE, CANVAS_HALVES, CANVAS_ASCII };

struct canvas {
	int rows, cols;     /**< cells */
	int dots_x, dots_y; /**< dots across and down; x grows right, y down */
	enum canvas_kind kind;
	unsigned char *dots; /**< per cell: the braille bits; of halves 1 above, 2 below */
	unsigned char *role; /**< per cell: the style drawn last */
};

/** Start blank; 0, or -1 when out of memory. Sizes below 1 become 1. */
int canvas_init(struct canvas *canvas, int rows, int cols, enum canvas_kind kind);

/** NULL is fine. */
void canvas_release(struct canvas *canvas);

/** Set one dot; outside is clipped. */
void canvas_dot(struct canvas *canvas, int x, int y, enum style_role style);

/** A straight line between two dots, ends included; clipped. */
void canvas_line(struct canvas *canvas, int x0, int y0, int x1, int y1, enum style_role style);

/**
 * Put the dots on an area; cells without dots are left alone. In ASCII a cell
 * shows the mark of its style, '*' when it has none.
 */
void canvas_draw(const struct canvas *canvas, const struct area *area, int row, int col);

#endif
