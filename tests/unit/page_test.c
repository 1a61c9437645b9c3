#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "view/page.h"
#include "view/text.h"

#define KANJI "\xe6\xbc\xa2"

static const char *row_of(const struct page *page, int row)
{
	static char text[4096];

	page_row_text(page, row, text, sizeof(text));
	return text;
}

/* What holds of every page: each row is exactly as wide as the page. */
static void check_page(const struct page *page)
{
	int row, col;

	for (row = 0; row < page->rows; row++) {
		int sum = 0;

		for (col = 0; col < page->cols; col++) {
			const struct cell *cell = page_cell(page, row, col);

			assert_true(cell->style < STYLE_COUNT);
			assert_int_equal(text_width(cell->text), cell->width);
			if (cell->width == 0)
				assert_int_equal(page_cell(page, row, col - 1)->width, 2);
			sum += cell->width;
		}
		assert_int_equal(sum, page->cols);
	}
	assert_true(page->cursor_row >= -1 && page->cursor_row < page->rows);
	assert_true(page->cursor_col >= -1 && page->cursor_col < page->cols);
}

static void draw_everything(struct page *page, int row, int col)
{
	struct area whole = page_area(page);
	struct area part = area_part(&whole, row, col, page->rows - 1, page->cols + 3);

	area_clear(&part, STYLE_TEXT);
	area_box(&part, 0, 0, area_rows(&part), area_cols(&part), STYLE_BORDER);
	area_put(&part, 1, -1, STYLE_LEAD, KANJI "e\xcc\x81" KANJI KANJI "\t\xff");
	area_put(&part, 1, 2, STYLE_TEXT, KANJI);
	area_put(&part, 1, 3, STYLE_TEXT, "x");
	area_text(&part, 2, 1, 7, STYLE_KEY, KANJI KANJI KANJI KANJI);
	area_right(&part, 2, 3, 9, STYLE_KEY, "right" KANJI);
	area_hline(&part, 3, -5, 400, STYLE_BORDER);
	area_vline(&part, -5, 4, 400, STYLE_BORDER);
	area_joint(&part, 3, 4, JOINT_CROSS, STYLE_BORDER);
	area_bar(&part, 4, 1, 20, STYLE_BAR, 0.53);
	area_fill(&part, 5, -2, 3, 8, STYLE_WARN, '.');
	area_restyle(&part, 1, 0, 300, STYLE_SELECTED);
	area_printf(&part, 6, 1, STYLE_GOOD, "%s %d", KANJI, 42);
	area_cursor(&part, row, col);
}

static void nothing_leaves_the_page_at_any_size(void **state)
{
	static const int sizes[] = { 1, 2, 3, 5, 10, 24, 40, 80, 100, 211, 400 };
	size_t i, j;
	int ascii;

	(void)state;
	for (ascii = 0; ascii < 2; ascii++) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
				struct page page;
				int offset;

				if (sizes[i] > 100)
					continue;
				assert_int_equal(page_init(&page, sizes[i], sizes[j], ascii), 0);
				for (offset = -9; offset <= 9; offset += 3)
					draw_everything(&page, offset, -offset / 2);
				check_page(&page);
				page_release(&page);
			}
		}
	}
}

static void an_ascii_page_has_only_ascii(void **state)
{
	struct page page;
	int row, col;

	(void)state;
	assert_int_equal(page_init(&page, 12, 40, true), 0);
	draw_everything(&page, 0, 0);
	for (row = 0; row < page.rows; row++)
		for (col = 0; col < page.cols; col++)
			assert_in_range(page_cell(&page, row, col)->text[0], 0x20, 0x7e);
	page_release(&page);
}

static void lines_have_twins_of_equal_width(void **state)
{
	struct page a, b;
	int row, col;

	(void)state;
	assert_int_equal(page_init(&a, 12, 40, true), 0);
	assert_int_equal(page_init(&b, 12, 40, false), 0);
	for (row = 0; row < 2; row++) {
		struct area area = page_area(row ? &a : &b);

		area_box(&area, 0, 0, 12, 40, STYLE_BORDER);
		area_hline(&area, 4, 1, 38, STYLE_BORDER);
		area_vline(&area, 1, 9, 10, STYLE_BORDER);
	}
	for (row = 0; row < a.rows; row++)
		for (col = 0; col < a.cols; col++)
			assert_int_equal(strcmp(page_cell(&a, row, col)->text, " ") == 0,
					 strcmp(page_cell(&b, row, col)->text, " ") == 0);
	assert_string_equal(row_of(&a, 0), "+--------------------------------------+");
	page_release(&a);
	page_release(&b);
}

static void text_is_cut_padded_and_aligned(void **state)
{
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 4, 30, true), 0);
	area = page_area(&page);
	area_fill(&area, 0, 0, 4, 30, STYLE_TEXT, '#');
	area_text(&area, 0, 1, 18, STYLE_TEXT, "max_num_batched_tokens");
	assert_string_equal(row_of(&page, 0), "#max_num_batched_..###########");
	area_right(&area, 1, 2, 8, STYLE_TEXT, "25.22");
	assert_string_equal(row_of(&page, 1), "##   25.22####################");
	area_text(&area, 2, 0, 28, STYLE_TEXT, NULL);
	assert_string_equal(row_of(&page, 2), "                            ##");
	page_release(&page);
}

static void half_a_wide_character_never_stays(void **state)
{
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 1, 6, false), 0);
	area = page_area(&page);
	area_put(&area, 0, 0, STYLE_TEXT, KANJI KANJI KANJI);
	area_put(&area, 0, 3, STYLE_TEXT, "x");
	assert_string_equal(row_of(&page, 0), KANJI " x" KANJI);
	area_put(&area, 0, 5, STYLE_TEXT, KANJI);
	assert_string_equal(row_of(&page, 0), KANJI " x");
	area_put(&area, 0, -1, STYLE_TEXT, KANJI);
	assert_string_equal(row_of(&page, 0), "   x");
	check_page(&page);
	page_release(&page);
}

static void combining_marks_join_their_letter(void **state)
{
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 1, 4, false), 0);
	area = page_area(&page);
	assert_int_equal(area_put(&area, 0, 0, STYLE_TEXT, "e\xcc\x81" KANJI "\xcc\x81"), 3);
	assert_string_equal(page_cell(&page, 0, 0)->text, "e\xcc\x81");
	assert_string_equal(page_cell(&page, 0, 1)->text, KANJI "\xcc\x81");
	page_release(&page);
}

static void bars_are_to_scale(void **state)
{
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 6, 20, true), 0);
	area = page_area(&page);
	area_bar(&area, 0, 0, 20, STYLE_BAR, 0.5);
	area_bar(&area, 1, 0, 20, STYLE_BAR, 7);
	area_bar(&area, 2, 0, 20, STYLE_BAR, 0.0001);
	area_bar(&area, 3, 0, 20, STYLE_BAR, 0);
	area_bar(&area, 4, 0, 20, STYLE_BAR, -1);
	assert_int_equal(strlen(row_of(&page, 0)), 10);
	assert_int_equal(strlen(row_of(&page, 1)), 20);
	assert_string_equal(row_of(&page, 2), "#");
	assert_string_equal(row_of(&page, 3), "");
	assert_string_equal(row_of(&page, 4), "");
	page_release(&page);
}

static void parts_count_from_their_own_corner(void **state)
{
	struct page page;
	struct area whole, part, inner;

	(void)state;
	assert_int_equal(page_init(&page, 4, 10, true), 0);
	whole = page_area(&page);
	part = area_part(&whole, 1, -2, 2, 6);
	assert_int_equal(area_cols(&part), 6);
	assert_int_equal(area_rows(&part), 2);
	area_put(&part, 0, 0, STYLE_TEXT, "abcdefgh");
	assert_string_equal(row_of(&page, 1), "cdef");
	inner = area_part(&part, 0, 3, 9, 9);
	area_put(&inner, 0, 0, STYLE_TEXT, "XY");
	assert_string_equal(row_of(&page, 1), "cXYf");
	area_put(&part, -1, 3, STYLE_TEXT, "no");
	assert_string_equal(row_of(&page, 0), "");
	page_release(&page);
}

static void the_cursor_shows_only_inside(void **state)
{
	struct page page;
	struct area area;

	(void)state;
	assert_int_equal(page_init(&page, 3, 10, true), 0);
	area = page_part(&page, (struct rect){ 1, 2, 1, 5 });
	area_cursor(&area, 0, 3);
	assert_int_equal(page.cursor_row, 1);
	assert_int_equal(page.cursor_col, 5);
	area_cursor(&area, 0, 9);
	assert_int_equal(page.cursor_row, -1);
	page_release(&page);
	page_release(NULL);
}

static void every_role_is_told_apart_without_colours(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i < STYLE_COUNT; i++) {
		const struct style_row *row = style_row((enum style_role)i);

		assert_true(row->name[0]);
		assert_int_equal(row->mono & ATTR_DIM, 0);
		if (i != STYLE_TEXT)
			assert_true(row->mono != 0 || row->mark != 0);
		/* the terminal's own background, so light and dark both do */
		assert_int_equal(row->eight.bg, -1);
		assert_int_equal(row->rich.bg, -1);
		assert_in_range(row->eight.fg + 1, 0, 8);
		assert_in_range(row->rich.fg + 1, 0, 256);
		for (j = 0; j < i; j++)
			assert_string_not_equal(row->name, style_row((enum style_role)j)->name);
	}
	/* curves differ by their mark */
	for (i = 0; i < STYLE_SERIES_COUNT; i++)
		for (j = 0; j < i; j++)
			assert_int_not_equal(style_row(style_series(i))->mark,
					     style_row(style_series(j))->mark);
	assert_int_equal(style_series(STYLE_SERIES_COUNT), STYLE_SERIES_1);
	assert_int_equal(style_series(-1), STYLE_SERIES_6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_leaves_the_page_at_any_size),
		cmocka_unit_test(an_ascii_page_has_only_ascii),
		cmocka_unit_test(lines_have_twins_of_equal_width),
		cmocka_unit_test(text_is_cut_padded_and_aligned),
		cmocka_unit_test(half_a_wide_character_never_stays),
		cmocka_unit_test(combining_marks_join_their_letter),
		cmocka_unit_test(bars_are_to_scale),
		cmocka_unit_test(parts_count_from_their_own_corner),
		cmocka_unit_test(the_cursor_shows_only_inside),
		cmocka_unit_test(every_role_is_told_apart_without_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
