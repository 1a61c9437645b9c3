/* Curves of the sweep, the cursor's reading above them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "app/sweep.h"
#include "view/plot.h"
#include "view/screen.h"

/* x and y of one curve as drawn; what is not drawn is NaN. */
struct curve {
	double x[SWEEP_POINTS], y[SWEEP_POINTS];
};

static void fill(const struct sweep *sweep, size_t s, struct curve *curve)
{
	for (size_t i = 0; i < sweep->x.count; i++) {
		const struct sweep_point *point = &sweep->points[s][i];
		bool is_drawn = point->is_priced && (point->fits || sweep->shows_unfit);

		curve->x[i] = sweep->is_pareto ? point->figures.itl_s * 1e3 : point->x;
		curve->y[i] = !is_drawn          ? NAN
			      : sweep->is_pareto ? point->figures.tokens_per_s_per_gpu
						 : point->y;
		if (sweep->is_pareto && !is_drawn)
			curve->x[i] = NAN;
	}
}

static void draw_reading(const struct area *area, const struct sweep *sweep)
{
	const struct sweep_point *point = &sweep->points[sweep->series_at][sweep->at];
	char text[480], series[80] = "";

	if (sweep->series.count)
		snprintf(series, sizeof(series), ", %s %s", sweep_axis_name(&sweep->series),
			 sweep->series.values[sweep->series_at]);
	if (point->is_priced)
		snprintf(text, sizeof(text), "%s %s%s: %s %s %s  ITL %s  %s tok/s/GPU  %s%s%s",
			 sweep_axis_name(&sweep->x), sweep->x.values[sweep->at], series,
			 sweep_figure_name(sweep->figure), number_fixed(point->y, 2).text,
			 sweep_figure_unit(sweep->figure), number_time(point->figures.itl_s).text,
			 number_count(point->figures.tokens_per_s_per_gpu).text,
			 ss_resource_name(point->bottleneck), point->fits ? "" : "  x ",
			 point->why);
	else
		snprintf(text, sizeof(text), "%s %s%s: x %s", sweep_axis_name(&sweep->x),
			 sweep->x.values[sweep->at], series, point->why);
	area_text(area, 0, 1, area_cols(area) - 2,
		  point->is_priced && point->fits ? STYLE_HEADER : STYLE_REFUSED, text);
}

/* How many points are left out, so that a gap is not a riddle. */
static void draw_gaps(const struct area *area, const struct sweep *sweep)
{
	size_t all = sweep->series_count * sweep->x.count;
	int refused = 0, unfit = 0;
	char text[80];

	if (sweep->done < all) {
		snprintf(text, sizeof(text), "priced %zu of %zu", sweep->done, all);
		area_right(area, 1, area_cols(area) - 42, 41, STYLE_WARN, text);
		return;
	}
	for (size_t s = 0; s < sweep->series_count; s++) {
		for (size_t i = 0; i < sweep->x.count; i++) {
			refused += !sweep->points[s][i].is_priced;
			unfit += sweep->points[s][i].is_priced && !sweep->points[s][i].fits;
		}
	}
	if (sweep->shows_unfit)
		unfit = 0;
	if (!refused && !unfit)
		return;
	if (!unfit)
		snprintf(text, sizeof(text), "left out: %d refused", refused);
	else if (!refused)
		snprintf(text, sizeof(text), "left out: %d not fitting (a)", unfit);
	else
		snprintf(text, sizeof(text), "left out: %d refused, %d not fitting (a)", refused,
			 unfit);
	area_right(area, 1, area_cols(area) - 42, 41, STYLE_WARN, text);
}

static void draw_legend(const struct area *area, const struct sweep *sweep)
{
	int col = 1;

	for (size_t s = 0; s < sweep->series.count; s++) {
		enum style_role style = style_series((int)s);

		col = area_printf(area, 1, col, style, "%c%c %s  ",
				  s == sweep->series_at ? '>' : ' ',
				  style_row(style)->mark ? style_row(style)->mark : '-',
				  sweep->series.values[s]);
	}
	if (!sweep->series.count)
		area_printf(area, 1, col, STYLE_FAINT, "%s over %s%s%s",
			    sweep_figure_name(sweep->figure), sweep_axis_name(&sweep->x),
			    sweep->is_log_x && sweep_is_numeric(&sweep->x) ? ", log x" : "",
			    sweep->is_log_y ? ", log y" : "");
}

void sweep_pane_draw(struct screen *screen, const struct area *area, const struct app *app)
{
	const struct sweep *sweep = app->sweep;
	struct plot_series series[SWEEP_SERIES];
	struct curve *curves = NULL;
	struct sweep_knee knees[SWEEP_KNEES];
	struct plot_mark marks[SWEEP_KNEES];
	struct plot plot = { .series = series };
	struct area rest;
	char x_title[64], y_title[64];
	bool is_named = sweep && !sweep->is_pareto && !sweep_is_numeric(&sweep->x);

	(void)screen;
	if (!sweep || !sweep->series_count || !sweep->x.count || !app->quote)
		return;
	curves = calloc(sweep->series_count, sizeof(*curves));
	if (!curves)
		return;
	memset(series, 0, sizeof(series));
	for (size_t s = 0; s < sweep->series_count; s++) {
		fill(sweep, s, &curves[s]);
		series[s] =
			(struct plot_series){ .x = curves[s].x,
					      .y = curves[s].y,
					      .count = sweep->x.count,
					      .style = style_series((int)s),
					      .is_points = is_named || sweep->is_pareto,
					      .is_stems = is_named && sweep->series_count == 1 };
		if (!s) {
			plot.x = axis_over(curves[s].x, sweep->x.count,
					   sweep->is_log_x && !sweep->is_pareto);
			plot.y = axis_over(curves[s].y, sweep->x.count, sweep->is_log_y);
		} else {
			axis_include(&plot.x, curves[s].x, sweep->x.count);
			axis_include(&plot.y, curves[s].y, sweep->x.count);
		}
	}
	plot.series_count = sweep->series_count;
	if (is_named) {
		plot.x_names = (const char *const *)sweep->x.values;
		plot.x_name_count = sweep->x.count;
		/* The length of a stem counts. */
		if (!plot.y.is_log && plot.y.low > 0)
			plot.y.low = 0;
	}
	snprintf(x_title, sizeof(x_title), "%s",
		 sweep->is_pareto ? "ITL, ms" : sweep_axis_name(&sweep->x));
	snprintf(y_title, sizeof(y_title), "%s%s%s",
		 sweep->is_pareto ? "tok/s/GPU" : sweep_figure_name(sweep->figure),
		 sweep->is_pareto || !*sweep_figure_unit(sweep->figure) ? "" : ", ",
		 sweep->is_pareto ? "" : sweep_figure_unit(sweep->figure));
	plot.x_title = x_title;
	plot.y_title = y_title;
	if (!sweep->is_pareto) {
		plot.marks = marks;
		plot.mark_count = sweep_knees(sweep, knees);
	}
	for (size_t i = 0; i < plot.mark_count; i++)
		marks[i] = (struct plot_mark){ knees[i].x, knees[i].text };
	plot.cursor_x = curves[sweep->series_at].x[sweep->at];
	plot.cursor_y = curves[sweep->series_at].y[sweep->at];
	draw_reading(area, sweep);
	draw_legend(area, sweep);
	draw_gaps(area, sweep);
	rest = area_part(area, 2, 0, area_rows(area) - 2, area_cols(area));
	(void)plot_draw(&rest, &plot);
	free(curves);
}
