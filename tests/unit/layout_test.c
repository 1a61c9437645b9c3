#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "view/layout.h"

static unsigned char cover[100][400];

/* Every cell of the rectangle is on the screen and nobody else's. */
static void claim(struct rect r, int rows, int cols)
{
	int i, j;

	assert_true(r.rows >= 0 && r.cols >= 0);
	if (r.rows == 0 || r.cols == 0)
		return;
	assert_true(r.row >= 0 && r.col >= 0 && r.row + r.rows <= rows && r.col + r.cols <= cols);
	for (i = r.row; i < r.row + r.rows; i++) {
		for (j = r.col; j < r.col + r.cols; j++) {
			if (cover[i][j])
				fail_msg("cell %d,%d of %dx%d is covered twice", i, j, cols, rows);
			cover[i][j] = 1;
		}
	}
}

static void check(const struct layout_want *want)
{
	struct layout layout;
	size_t sum = 0;
	int i, j;

	layout_split(&layout, want);
	for (i = 0; i < want->rows; i++)
		memset(cover[i], 0, (size_t)want->cols);
	claim(layout.header, want->rows, want->cols);
	claim(layout.footer, want->rows, want->cols);
	claim(layout.caption, want->rows, want->cols);
	assert_in_range(layout.pane_count, 1, LAYOUT_MAX_PANES);
	assert_int_equal(layout.divider_count, layout.pane_count - 1);
	for (i = 0; i < layout.pane_count; i++) {
		claim(layout.panes[i].title, want->rows, want->cols);
		claim(layout.panes[i].body, want->rows, want->cols);
		assert_true(layout.panes[i].body.rows >= 1);
		assert_true(layout.panes[i].body.cols >= 1);
		assert_true(i == 0 || !layout.panes[i].is_deployment);
	}
	for (i = 0; i < layout.divider_count; i++)
		claim(layout.dividers[i], want->rows, want->cols);
	for (i = 0; i < want->rows; i++)
		for (j = 0; j < want->cols; j++)
			sum += cover[i][j];
	assert_int_equal(sum, (size_t)want->rows * (size_t)want->cols);
}

static void every_size_is_covered_once(void **state)
{
	struct layout_want want = { 0 };
	unsigned bits;

	(void)state;
	for (want.rows = 1; want.rows <= 100; want.rows += want.rows < 12 ? 1 : 8)
		for (want.cols = 1; want.cols <= 400; want.cols += want.cols < 256 ? 1 : 7)
			for (bits = 0; bits < 16; bits += want.rows < 4 ? 1 : 5) {
				want.has_focus_on_deployment = bits & 1;
				want.is_zoomed = bits & 2;
				want.is_wide_pane = bits & 4;
				want.caption_lines = bits & 8 ? 3 : 0;
				check(&want);
			}
	for (want.rows = 1; want.rows <= 100; want.rows++)
		for (want.cols = 1; want.cols <= 400; want.cols += 79)
			check(&want);
}

static void eighty_columns_stand_as_drawn(void **state)
{
	struct layout_want want = { .rows = 24, .cols = 80 };
	struct layout layout;

	(void)state;
	layout_split(&layout, &want);
	assert_int_equal(layout.header.rows, 3);
	assert_int_equal(layout.footer.rows, 2);
	assert_int_equal(layout.pane_count, 2);
	assert_true(layout.panes[0].is_deployment);
	assert_int_equal(layout.panes[0].body.cols, 32);
	assert_int_equal(layout.dividers[0].col, 32);
	assert_int_equal(layout.panes[1].body.cols, 47);
	assert_int_equal(layout.panes[1].body.rows, 18);
	want.is_wide_pane = true;
	layout_split(&layout, &want);
	assert_int_equal(layout.pane_count, 1);
	assert_int_equal(layout.panes[0].body.cols, 80);
}

static void narrow_screens_show_the_focused_pane(void **state)
{
	struct layout_want want = { .rows = 10, .cols = 40, .has_focus_on_deployment = true };
	struct layout layout;

	(void)state;
	layout_split(&layout, &want);
	assert_int_equal(layout.pane_count, 1);
	assert_true(layout.panes[0].is_deployment);
	assert_int_equal(layout.panes[0].body.rows, 4);
	want.has_focus_on_deployment = false;
	layout_split(&layout, &want);
	assert_false(layout.panes[0].is_deployment);
}

static void wide_screens_show_more(void **state)
{
	struct layout_want want = { .rows = 60, .cols = 200 };
	struct layout layout;

	(void)state;
	layout_split(&layout, &want);
	assert_int_equal(layout.pane_count, 3);
	want.is_zoomed = true;
	layout_split(&layout, &want);
	assert_int_equal(layout.pane_count, 1);
	assert_int_equal(layout_right_panes(80), 1);
	assert_int_equal(layout_right_panes(400), 3);
}

static void captions_take_lines_from_the_panes(void **state)
{
	struct layout_want want = { .rows = 24, .cols = 80, .caption_lines = 3 };
	struct layout layout;

	(void)state;
	layout_split(&layout, &want);
	assert_int_equal(layout.caption.rows, 3);
	assert_int_equal(layout.caption.row, 19);
	assert_int_equal(layout.panes[1].body.rows, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_is_covered_once),
		cmocka_unit_test(eighty_columns_stand_as_drawn),
		cmocka_unit_test(narrow_screens_show_the_focused_pane),
		cmocka_unit_test(wide_screens_show_more),
		cmocka_unit_test(captions_take_lines_from_the_panes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
