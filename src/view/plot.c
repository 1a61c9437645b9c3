#include "view/plot.h"

#include <math.h>
#include <stdio.h>

#include "text/number.h"
#include "view/braille.h"
#include "view/text.h"

static double to_scale(const struct axis *axis, double value)
{
	return axis->is_log ? log(value) : value;
}

static bool has_place(const struct axis *axis, double value)
{
	return isfinite(value) && (!axis->is_log || value > 0);
}

/* A range of one value gets some room around it. */
static void widen(struct axis *axis)
{
	if (axis->high > axis->low)
		return;
	if (axis->is_log) {
		axis->low /= 2;
		axis->high *= 2;
	} else {
		double room = axis->low == 0 ? 1 : fabs(axis->low) / 2;

		axis->low -= room;
		axis->high += room;
	}
}

struct axis axis_over(const double *values, size_t count, bool is_log)
{
	struct axis axis = { .low = INFINITY, .high = -INFINITY, .is_log = is_log };
	size_t i;

	for (i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		axis.low = fmin(axis.low, values[i]);
		axis.high = fmax(axis.high, values[i]);
		axis.is_log = axis.is_log && values[i] > 0;
	}
	if (axis.low > axis.high) {
		axis.low = axis.is_log ? 1 : 0;
		axis.high = axis.low;
	}
	widen(&axis);
	return axis;
}

void axis_include(struct axis *axis, const double *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		axis->low = fmin(axis->low, values[i]);
		axis->high = fmax(axis->high, values[i]);
	}
	if (axis->low <= 0)
		axis->is_log = false;
}

double axis_place(const struct axis *axis, double value)
{
	double low = to_scale(axis, axis->low), high = to_scale(axis, axis->high);

	return has_place(axis, value) ? (to_scale(axis, value) - low) / (high - low) : NAN;
}

double axis_value(const struct axis *axis, double place)
{
	double low = to_scale(axis, axis->low), high = to_scale(axis, axis->high);
	double value = low + place * (high - low);

	return axis->is_log ? exp(value) : value;
}

/* The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
static double round_step(double least)
{
	double power = pow(10, floor(log10(least)));
	double ratio = least / power;

	return power * (ratio <= 1.0000001 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static int linear_ticks(const struct axis *axis, int wanted, double ticks[PLOT_MAX_TICKS])
{
	double step = round_step((axis->high - axis->low) / wanted);
	double slack = step * 1e-9, value = ceil(axis->low / step - 1e-9) * step;
	int n = 0;

	/* zero has no place on a logarithmic axis */
	if (axis->is_log && value < slack)
		value += step;
	for (; value <= axis->high + slack && n < PLOT_MAX_TICKS; value += step)
		ticks[n++] = fabs(value) < slack ? 0 : value;
	return n;
}

static int log_ticks(const struct axis *axis, int wanted, double ticks[PLOT_MAX_TICKS])
{
	static const double in_decade[] = { 1, 2, 5 };
	int first = (int)floor(log10(axis->low)), last = (int)floor(log10(axis->high));
	int decades = last - first + 1, per_decade = decades * 3 <= wanted + 2 ? 3 : 1;
	int stride = per_decade == 3 ? 1 : (decades + wanted - 1) / wanted, n = 0, d, i;

	for (d = first; d <= last; d += stride) {
		for (i = 0; i < per_decade && n < PLOT_MAX_TICKS; i++) {
			double value = in_decade[i] * pow(10, d);

			if (value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9))
				ticks[n++] = value;
		}
	}
	return n;
}

int axis_ticks(const struct axis *axis, int wanted, double ticks[PLOT_MAX_TICKS])
{
	int n;

	wanted = wanted < 1 ? 1 : wanted > PLOT_MAX_TICKS ? PLOT_MAX_TICKS : wanted;
	if (!axis->is_log)
		return linear_ticks(axis, wanted, ticks);
	n = log_ticks(axis, wanted, ticks);
	/* within one decade the logarithm is nearly straight */
	return n >= 2 ? n : linear_ticks(axis, wanted, ticks);
}

/* Where the curves go inside the area. */
struct frame {
	struct area inside;
	int label_cols; /* at the left, 0 without labels */
	int rows, cols;
};

static int dot_x(const struct canvas *canvas, const struct axis *axis, double value)
{
	return (int)lround(axis_place(axis, value) * (canvas->dots_x - 1));
}

static int dot_y(const struct canvas *canvas, const struct axis *axis, double value)
{
	return (int)lround((1 - axis_place(axis, value)) * (canvas->dots_y - 1));
}

/* Far outside a dot's position would overflow an int; the curve has left anyway. */
static bool is_near(double place)
{
	return place >= -100 && place <= 100;
}

static void draw_series(struct canvas *canvas, const struct plot *plot,
			const struct plot_series *series)
{
	bool has_before = false;
	int before_x = 0, before_y = 0;
	size_t i;

	for (i = 0; i < series->count; i++) {
		int x, y;

		if (!is_near(axis_place(&plot->x, series->x[i])) ||
		    !is_near(axis_place(&plot->y, series->y[i]))) {
			has_before = false;
			continue;
		}
		x = dot_x(canvas, &plot->x, series->x[i]);
		y = dot_y(canvas, &plot->y, series->y[i]);
		if (series->is_stems)
			canvas_line(canvas, x, canvas->dots_y - 1, x, y, series->style);
		else if (has_before && !series->is_points)
			canvas_line(canvas, before_x, before_y, x, y, series->style);
		else
			canvas_dot(canvas, x, y, series->style);
		before_x = x;
		before_y = y;
		has_before = true;
	}
}

static int cell_col(const struct frame *frame, const struct axis *axis, double value)
{
	return (int)lround(axis_place(axis, value) * (frame->cols - 1));
}

static int cell_row(const struct frame *frame, const struct axis *axis, double value)
{
	return (int)lround((1 - axis_place(axis, value)) * (frame->rows - 1));
}

static bool is_on(const struct axis *axis, double value)
{
	double place = axis_place(axis, value);

	return place >= 0 && place <= 1;
}

static void draw_y_labels(const struct area *area, const struct frame *frame,
			  const struct plot *plot)
{
	double ticks[PLOT_MAX_TICKS];
	int n = axis_ticks(&plot->y, frame->rows / 3 + 1, ticks), i;

	for (i = 0; i < n; i++) {
		int row = cell_row(frame, &plot->y, ticks[i]);

		area_right(area, row, 0, frame->label_cols - 1, STYLE_TEXT,
			   number_short(ticks[i]).text);
		area_joint(area, row, frame->label_cols - 1, JOINT_LEFT, STYLE_BORDER);
	}
}

/* A tick with its label below, which is left out where the one before it stands. */
static void draw_x_label(const struct area *area, const struct frame *frame,
			 const struct axis *axis, double value, const char *text, int *free_from)
{
	int width = text_width(text);
	int at = frame->label_cols + cell_col(frame, axis, value);
	int col = at - width / 2;

	area_joint(area, frame->rows, at, JOINT_UP, STYLE_BORDER);
	if (col + width > area_cols(area))
		col = area_cols(area) - width;
	if (col < *free_from)
		return;
	area_put(area, frame->rows + 1, col, STYLE_TEXT, text);
	*free_from = col + width + 1;
}

static void draw_x_labels(const struct area *area, const struct frame *frame,
			  const struct plot *plot)
{
	double ticks[PLOT_MAX_TICKS];
	int n = axis_ticks(&plot->x, frame->cols / 9 + 1, ticks), free_from = 0, i;
	int room = frame->cols / (int)(plot->x_name_count > 1 ? plot->x_name_count - 1 : 1) - 1;

	if (!plot->x_names) {
		for (i = 0; i < n; i++)
			draw_x_label(area, frame, &plot->x, ticks[i], number_short(ticks[i]).text,
				     &free_from);
		return;
	}
	for (i = 0; i < (int)plot->x_name_count; i++) {
		char name[64];

		text_cut(name, sizeof(name), plot->x_names[i], room > 6 ? room : 6);
		draw_x_label(area, frame, &plot->x, i, name, &free_from);
	}
}

static int legend_rows(const struct plot *plot)
{
	return plot->series_count < 2 ? 0 : (int)plot->series_count;
}

static void draw_marks(const struct frame *frame, const struct plot *plot)
{
	size_t i;

	for (i = 0; i < plot->mark_count; i++)
		if (is_on(&plot->x, plot->marks[i].x))
			area_vline(&frame->inside, 0, cell_col(frame, &plot->x, plot->marks[i].x),
				   frame->rows, STYLE_FAINT);
}

/* Over the curves, below the legend, which has the corner. */
static void draw_mark_names(const struct frame *frame, const struct plot *plot)
{
	size_t i;
	int row = 0;

	for (i = 0; i < plot->mark_count; i++) {
		const struct plot_mark *mark = &plot->marks[i];
		int col, width = text_width(mark->text);

		if (!mark->text || !is_on(&plot->x, mark->x))
			continue;
		col = cell_col(frame, &plot->x, mark->x);
		col = col + 1 + width <= frame->cols ? col + 1 : col - width;
		/* One below the other, as marks may stand close together. */
		area_put(&frame->inside, legend_rows(plot) + row++, col, STYLE_TEXT, mark->text);
	}
}

static void draw_legend(const struct frame *frame, const struct plot *plot)
{
	size_t i;
	int row = 0;

	for (i = 0; (int)i < legend_rows(plot) && row < frame->rows; i++) {
		const struct plot_series *series = &plot->series[i];
		char text[64], mark = style_row(series->style)->mark;
		int width;

		if (!series->name)
			continue;
		(void)snprintf(text, sizeof(text), "%c %s", mark ? mark : '*', series->name);
		width = text_width(text);
		if (width <= frame->cols)
			area_put(&frame->inside, row, frame->cols - width, series->style, text);
		row++;
	}
}

static void draw_cursor(const struct frame *frame, const struct plot *plot)
{
	int col, row;

	if (!is_on(&plot->x, plot->cursor_x))
		return;
	col = cell_col(frame, &plot->x, plot->cursor_x);
	if (!is_on(&plot->y, plot->cursor_y)) {
		area_vline(&frame->inside, 0, col, frame->rows, STYLE_CROSSHAIR);
		return;
	}
	row = cell_row(frame, &plot->y, plot->cursor_y);
	area_put(&frame->inside, row, col, STYLE_CROSSHAIR, "+");
}

int plot_draw(const struct area *area, const struct plot *plot)
{
	struct frame frame = { .rows = area_rows(area), .cols = area_cols(area) };
	bool has_title = plot->y_title || plot->x_title;
	struct area body = *area;
	struct canvas canvas;
	size_t i;
	enum canvas_kind kind = area->page->ascii    ? CANVAS_ASCII
				: area->page->halves ? CANVAS_HALVES
						     : CANVAS_BRAILLE;

	if (has_title && frame.rows >= 6) {
		area_printf(area, 0, 0, STYLE_TEXT, "%s%s%s", plot->y_title ? plot->y_title : "",
			    plot->x_title ? " by " : "", plot->x_title ? plot->x_title : "");
		body = area_part(area, 1, 0, frame.rows - 1, frame.cols);
		frame.rows--;
	}
	if (frame.rows >= 5 && frame.cols >= 24) {
		frame.label_cols = 8;
		frame.cols -= 8;
		frame.rows -= 2;
	}
	if (frame.rows < 1 || frame.cols < 1)
		return 0;
	if (canvas_init(&canvas, frame.rows, frame.cols, kind))
		return -1;
	frame.inside = area_part(&body, 0, frame.label_cols, frame.rows, frame.cols);
	if (frame.label_cols) {
		area_vline(&body, 0, frame.label_cols - 1, frame.rows, STYLE_BORDER);
		area_hline(&body, frame.rows, frame.label_cols - 1, frame.cols + 1, STYLE_BORDER);
		area_joint(&body, frame.rows, frame.label_cols - 1, JOINT_RIGHT, STYLE_BORDER);
		draw_y_labels(&body, &frame, plot);
		draw_x_labels(&body, &frame, plot);
	}
	draw_marks(&frame, plot);
	for (i = 0; i < plot->series_count; i++)
		draw_series(&canvas, plot, &plot->series[i]);
	canvas_draw(&canvas, &frame.inside, 0, 0);
	canvas_release(&canvas);
	draw_mark_names(&frame, plot);
	draw_legend(&frame, plot);
	draw_cursor(&frame, plot);
	return 0;
}
