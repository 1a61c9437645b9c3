/*
 * Curves in a rectangle: linear or logarithmic axes with round ticks, series
 * with gaps, marks, and a cross-hair.
 */
#ifndef VIEW_PLOT_H
#define VIEW_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "view/page.h"

struct axis {
	double low, high; /**< finite, low < high; both above 0 when is_log */
	bool is_log;
};

#define PLOT_MAX_TICKS 12

/**
 * An axis over the finite values of an array, widened so that it is never
 * empty. Logarithmic is kept only when every value is above 0.
 */
struct axis axis_over(const double *values, size_t count, bool is_log);

/** Widen to take in more values, as another series. */
void axis_include(struct axis *axis, const double *values, size_t count);

/** Where a value lies: 0 at low, 1 at high; NaN for what has no place. */
double axis_place(const struct axis *axis, double value);

/** The value at a place: the inverse. */
double axis_value(const struct axis *axis, double place);

/**
 * Round values on the axis: 1, 2, 5 times a power of ten.
 *
 * @param wanted about how many, 1 .. PLOT_MAX_TICKS.
 * @return how many were written, ascending.
 */
int axis_ticks(const struct axis *axis, int wanted, double ticks[PLOT_MAX_TICKS]);

/** One curve. A y that is not finite leaves a gap. */
struct plot_series {
	const char *name; /**< for the legend; may be NULL */
	const double *x, *y;
	size_t count;
	enum style_role style;
	bool is_points; /**< points alone, as a Pareto view draws them */
	bool is_stems;  /**< a line up from the axis to each point, where x has no order */
};

/** A vertical mark at an x, as the capture ceiling. */
struct plot_mark {
	double x;
	const char *text; /**< short; may be NULL */
};

struct plot {
	struct axis x, y;
	const char *x_title, *y_title; /**< may be NULL */
	const char *const *x_names;    /**< of x at 0, 1, ..; NULL: x is a number */
	size_t x_name_count;
	const struct plot_series *series;
	size_t series_count;
	const struct plot_mark *marks;
	size_t mark_count;
	double cursor_x, cursor_y; /**< cross-hair; NaN for none */
};

/**
 * Draw into the whole area: labels at the left and below, then the curves.
 * Where the area is too small for labels they are left out.
 *
 * @return 0, or -1 when out of memory; then nothing was drawn.
 */
int plot_draw(const struct area *area, const struct plot *plot);

#endif
