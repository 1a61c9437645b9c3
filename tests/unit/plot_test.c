#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "view/braille.h"
#include "view/plot.h"

static const char *cell(const struct page *page, int row, int col)
{
	return page_cell(page, row, col)->text;
}

static void dots_are_the_bits_of_the_braille_block(void **state)
{
	/* Unicode numbers the dots of a pattern 1 2 3 7 down the left, 4 5 6 8 down the right */
	static const char *const patterns[4][2] = { { "\xe2\xa0\x81", "\xe2\xa0\x88" },
						    { "\xe2\xa0\x82", "\xe2\xa0\x90" },
						    { "\xe2\xa0\x84", "\xe2\xa0\xa0" },
						    { "\xe2\xa1\x80", "\xe2\xa2\x80" } };
	int x, y;

	(void)state;
	for (y = 0; y < 4; y++) {
		for (x = 0; x < 2; x++) {
			struct canvas canvas;
			struct page page;
			struct area area;

			assert_int_equal(page_init(&page, 1, 1, false), 0);
			assert_int_equal(canvas_init(&canvas, 1, 1, CANVAS_BRAILLE), 0);
			area = page_area(&page);
			canvas_dot(&canvas, x, y, STYLE_SERIES_1);
			canvas_draw(&canvas, &area, 0, 0);
			assert_string_equal(cell(&page, 0, 0), patterns[y][x]);
			canvas_release(&canvas);
			page_release(&page);
		}
	}
}

static void ascii_shows_the_mark_of_the_series(void **state)
{
	struct canvas canvas;
	struct page page;
	struct area area;
	char row[64];

	(void)state;
	assert_int_equal(page_init(&page, 3, 5, true), 0);
	assert_int_equal(canvas_init(&canvas, 3, 5, CANVAS_ASCII), 0);
	area = page_area(&page);
	canvas_line(&canvas, 0, 2, 4, 0, STYLE_SERIES_2);
	canvas_draw(&canvas, &area, 0, 0);
	page_row_text(&page, 2, row, sizeof(row));
	assert_int_equal(row[0], style_row(STYLE_SERIES_2)->mark);
	assert_string_equal(cell(&page, 0, 4), "o");
	canvas_release(&canvas);
	page_release(&page);
}

/* U+2580 is the upper half, U+2584 the lower one, U+2588 both. */
static void halves_hold_two_dots_above_each_other(void **state)
{
	struct canvas canvas;
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 2, 3, false), 0);
	assert_int_equal(canvas_init(&canvas, 1, 3, CANVAS_HALVES), 0);
	area = page_area(&page);
	canvas_dot(&canvas, 0, 0, STYLE_SERIES_1);
	canvas_dot(&canvas, 1, 1, STYLE_SERIES_1);
	canvas_line(&canvas, 2, 0, 2, 1, STYLE_SERIES_1);
	canvas_draw(&canvas, &area, 0, 0);
	assert_string_equal(cell(&page, 0, 0), "\xe2\x96\x80");
	assert_string_equal(cell(&page, 0, 1), "\xe2\x96\x84");
	assert_string_equal(cell(&page, 0, 2), "\xe2\x96\x88");
	/* a bar ends in a half as well, U+258C */
	page.halves = true;
	area_bar(&area, 1, 0, 3, STYLE_BAR, 0.55);
	assert_string_equal(cell(&page, 1, 0), "\xe2\x96\x88");
	assert_string_equal(cell(&page, 1, 1), "\xe2\x96\x8c");
	canvas_release(&canvas);
	page_release(&page);
}

static void lines_from_far_away_are_clipped(void **state)
{
	struct canvas canvas;
	int i, set = 0;

	(void)state;
	assert_int_equal(canvas_init(&canvas, 4, 8, CANVAS_ASCII), 0);
	canvas_line(&canvas, -1000000, 2, 1000000, 2, STYLE_SERIES_1);
	canvas_line(&canvas, -50, -50, -1, -1, STYLE_SERIES_1);
	canvas_dot(&canvas, 8, 0, STYLE_SERIES_1);
	for (i = 0; i < 32; i++)
		set += canvas.dots[i] != 0;
	assert_int_equal(set, 8);
	canvas_release(&canvas);
	canvas_release(NULL);
}

static void places_and_values_are_inverse(void **state)
{
	static const double values[] = { 1, 7, 64, 512 };
	int is_log, i;

	(void)state;
	for (is_log = 0; is_log < 2; is_log++) {
		struct axis axis = axis_over(values, 4, is_log);

		assert_true(axis.is_log == is_log);
		for (i = 0; i < 4; i++)
			assert_true(
				fabs(axis_value(&axis, axis_place(&axis, values[i])) / values[i] -
				     1) < 1e-12);
		assert_true(fabs(axis_place(&axis, 1)) < 1e-12);
		assert_true(fabs(axis_place(&axis, 512) - 1) < 1e-12);
	}
}

static void an_axis_takes_what_it_is_given(void **state)
{
	static const double one[] = { 5 }, with_zero[] = { 0, 4 }, gaps[] = { NAN, 2, INFINITY, 9 };
	struct axis axis;

	(void)state;
	axis = axis_over(one, 1, false);
	assert_true(axis.low < 5 && axis.high > 5);
	axis = axis_over(one, 1, true);
	assert_true(axis.is_log && axis.low > 0 && axis.low < 5);
	axis = axis_over(with_zero, 2, true);
	assert_false(axis.is_log);
	axis = axis_over(gaps, 4, false);
	assert_true(axis.low == 2 && axis.high == 9);
	axis = axis_over(NULL, 0, true);
	assert_true(axis.low < axis.high);
	assert_true(isnan(axis_place(&axis, -1)));
}

static void ticks_are_round_ascending_and_inside(void **state)
{
	static const struct axis axes[] = {
		{ 0, 1, false },      { 23.67e-3, 26.78e-3, false },
		{ -5, 5, false },     { 1, 512, true },
		{ 1, 1e9, true },     { 20, 30, true },
		{ 1e-6, 1e-3, true }, { 0, 1319808, false },
	};
	size_t i;
	int wanted, k;

	(void)state;
	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		for (wanted = 1; wanted <= PLOT_MAX_TICKS; wanted++) {
			double ticks[PLOT_MAX_TICKS];
			int n = axis_ticks(&axes[i], wanted, ticks);

			assert_in_range(n, 0, PLOT_MAX_TICKS);
			assert_true(wanted < 3 || n >= 2);
			for (k = 0; k < n; k++) {
				double place = axis_place(&axes[i], ticks[k]);
				double power = pow(10, floor(log10(fabs(ticks[k]) * 1.0000001)));

				assert_true(place >= -1e-6 && place <= 1 + 1e-6);
				assert_true(k == 0 || ticks[k] > ticks[k - 1]);
				/* a round number has few digits */
				assert_true(ticks[k] == 0 ||
					    fabs(remainder(ticks[k] / power, 0.01)) < 1e-6);
			}
		}
	}
}

static const double x[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 };
static const double y[] = { 12, 13, 14, 16, 18, 25, NAN, 50, 90, 170 };
static const double y2[] = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };

static struct plot make_plot(void)
{
	static const struct plot_series series[] = {
		{ .name = "tp 8", .x = x, .y = y, .count = 10, .style = STYLE_SERIES_1 },
		{ .name = "tp 4", .x = x, .y = y2, .count = 10, .style = STYLE_SERIES_2 },
	};
	static const struct plot_mark marks[] = { { .x = 512, .text = "capture ceiling" } };
	struct plot plot = { .x_title = "batch",
			     .y_title = "ms",
			     .series = series,
			     .series_count = 2,
			     .marks = marks,
			     .mark_count = 1,
			     .cursor_x = 32,
			     .cursor_y = 25 };

	plot.x = axis_over(x, 10, true);
	plot.y = axis_over(y, 10, false);
	axis_include(&plot.y, y2, 10);
	return plot;
}

static void a_plot_draws_at_every_size(void **state)
{
	struct plot plot = make_plot();
	int rows, cols, ascii;

	(void)state;
	for (ascii = 0; ascii < 2; ascii++) {
		for (rows = 1; rows <= 60; rows += rows < 9 ? 1 : 17) {
			for (cols = 1; cols <= 200; cols += cols < 30 ? 1 : 53) {
				struct page page;
				struct area area;

				assert_int_equal(page_init(&page, rows, cols, ascii), 0);
				area = page_area(&page);
				assert_int_equal(plot_draw(&area, &plot), 0);
				page_release(&page);
			}
		}
	}
}

static bool has_text(const struct page *page, const char *text)
{
	char row[512];
	int i;

	for (i = 0; i < page->rows; i++) {
		page_row_text(page, i, row, sizeof(row));
		if (strstr(row, text))
			return true;
	}
	return false;
}

static void a_plot_names_its_axes_series_and_marks(void **state)
{
	struct plot plot = make_plot();
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 20, 70, true), 0);
	area = page_area(&page);
	assert_int_equal(plot_draw(&area, &plot), 0);
	assert_true(has_text(&page, "ms by batch"));
	assert_true(has_text(&page, "capture ceiling"));
	assert_true(has_text(&page, "* tp 8"));
	assert_true(has_text(&page, "o tp 4"));
	assert_true(has_text(&page, "    100|") || has_text(&page, "    100+"));
	page_release(&page);
}

static void a_gap_breaks_the_curve(void **state)
{
	static const double gx[] = { 0, 1, 2, 3, 4 }, gy[] = { 1, 1, NAN, 1, 1 };
	const struct plot_series series = { .x = gx, .y = gy, .count = 5, .style = STYLE_SERIES_1 };
	struct plot plot = { .x = { 0, 4, false },
			     .y = { 0, 2, false },
			     .series = &series,
			     .series_count = 1,
			     .cursor_x = NAN,
			     .cursor_y = NAN };
	struct page page;
	struct area area;
	char row[64];

	(void)state;
	assert_int_equal(page_init(&page, 3, 17, true), 0);
	area = page_area(&page);
	assert_int_equal(plot_draw(&area, &plot), 0);
	page_row_text(&page, 1, row, sizeof(row));
	assert_string_equal(row, "*****       *****");
	page_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_are_the_bits_of_the_braille_block),
		cmocka_unit_test(ascii_shows_the_mark_of_the_series),
		cmocka_unit_test(halves_hold_two_dots_above_each_other),
		cmocka_unit_test(lines_from_far_away_are_clipped),
		cmocka_unit_test(places_and_values_are_inverse),
		cmocka_unit_test(an_axis_takes_what_it_is_given),
		cmocka_unit_test(ticks_are_round_ascending_and_inside),
		cmocka_unit_test(a_plot_draws_at_every_size),
		cmocka_unit_test(a_plot_names_its_axes_series_and_marks),
		cmocka_unit_test(a_gap_breaks_the_curve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
