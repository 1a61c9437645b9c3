#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "view/helppage.h"
#include "view/list.h"
#include "view/popup.h"
#include "view/text.h"

static struct page page;

static void start(int rows, int cols)
{
	assert_int_equal(page_init(&page, rows, cols, true), 0);
}

static const char *row_of(int row)
{
	static char text[2048];

	page_row_text(&page, row, text, sizeof(text));
	return text;
}

static int row_with(const char *needle)
{
	int row;

	for (row = 0; row < page.rows; row++)
		if (strstr(row_of(row), needle))
			return row;
	return -1;
}

static const char *const names[] = { "experts, weight reads", "experts, compute", "launches",
				     "attention", "all-reduce" };
static const double shares[] = { 0.538, 0.161, 0.123, 0.095, 0.044 };

static void term_cell(void *context, int row, int column, struct list_cell *out)
{
	(void)context;
	if (column == 0)
		(void)snprintf(out->text, sizeof(out->text), "%s", names[row % 5]);
	else if (column == 1)
		(void)snprintf(out->text, sizeof(out->text), "%.1f", shares[row % 5] * 100);
	else
		out->bar = shares[row % 5];
}

static const struct list_column columns[] = {
	{ .title = "term", .width = 24, .min_width = 6, .grows = true },
	{ .title = "%", .width = 5, .is_right = true, .rank = 1 },
	{ .title = "bar", .width = 10, .rank = 2 },
	{ .title = NULL },
};

static const struct list_view view = { .columns = columns,
				       .cell = term_cell,
				       .has_header = true,
				       .sort_column = 1,
				       .is_descending = true,
				       .is_focused = true };

static void a_list_shows_its_columns_and_selection(void **state)
{
	struct list list = { .count = 5, .selected = 1 };
	struct area area;
	char line[64];

	(void)state;
	start(6, 44);
	area = page_area(&page);
	list_draw(&area, &list, &view);
	(void)snprintf(line, sizeof(line), " %-26s %5s %s", "term", "%v", "bar");
	assert_string_equal(row_of(0), line);
	(void)snprintf(line, sizeof(line), " %-26s %5s %s", "experts, weight reads", "53.8",
		       "#####");
	assert_string_equal(row_of(1), line);
	(void)snprintf(line, sizeof(line), ">%-26s %5s %s", "experts, compute", "16.1", "##");
	assert_string_equal(row_of(2), line);
	assert_int_equal(page_cell(&page, 2, 3)->style, STYLE_SELECTED);
	page_release(&page);
}

static void columns_leave_by_rank_when_it_is_narrow(void **state)
{
	struct list_place places[LIST_MAX_COLUMNS];

	(void)state;
	assert_int_equal(list_place_columns(places, columns, 44), 3);
	assert_int_equal(list_place_columns(places, columns, 20), 2);
	assert_int_equal(places[2].width, 0);
	assert_int_equal(list_place_columns(places, columns, 10), 1);
	assert_int_equal(places[0].width, 9);
}

static void columns_never_overlap_at_any_width(void **state)
{
	int cols, i;

	(void)state;
	for (cols = 1; cols <= 400; cols++) {
		struct list_place places[LIST_MAX_COLUMNS];
		int end = 0;

		list_place_columns(places, columns, cols);
		for (i = 0; columns[i].title; i++) {
			if (places[i].width == 0)
				continue;
			assert_true(places[i].col > end || (end == 0 && places[i].col == 1));
			end = places[i].col + places[i].width;
		}
		assert_true(end <= cols || cols < 7);
	}
}

static void the_selection_stays_inside_and_in_sight(void **state)
{
	struct list list = { .count = 12 };
	char text[16];
	int i;

	(void)state;
	for (i = 0; i < 30; i++) {
		list_move(&list, i % 3 == 0 ? -2 : 3);
		list_scroll(&list, 4);
		assert_in_range(list.selected, 0, 11);
		assert_in_range(list.selected - list.top, 0, 3);
	}
	list_select(&list, 6);
	assert_string_equal(list_position(&list, text, sizeof(text)), "7/12");
	assert_false(list_move(&list, 0));
	list_move(&list, 2000000000);
	assert_int_equal(list.selected, 11);
	list_set_count(&list, 3);
	assert_int_equal(list.selected, 2);
	list_scroll(&list, 4);
	assert_int_equal(list.top, 0);
	list_set_count(&list, 0);
	assert_string_equal(list_position(&list, text, sizeof(text)), "0/0");
	assert_false(list_move(&list, 1));
}

static void row_text(void *context, int row, char *out, size_t size)
{
	(void)context;
	(void)snprintf(out, size, "%s", names[row]);
}

static void searching_goes_round_both_ways(void **state)
{
	(void)state;
	assert_int_equal(list_search(5, 0, 1, "EXPERTS", row_text, NULL), 0);
	assert_int_equal(list_search(5, 2, 1, "experts", row_text, NULL), 0);
	assert_int_equal(list_search(5, 4, -1, "experts", row_text, NULL), 1);
	assert_int_equal(list_search(5, -1, -1, "all-reduce", row_text, NULL), 4);
	assert_int_equal(list_search(5, 0, 1, "nowhere", row_text, NULL), -1);
	assert_int_equal(list_search(0, 0, 1, "x", row_text, NULL), -1);
}

static void what_was_searched_is_marked(void **state)
{
	struct area area;

	(void)state;
	start(1, 30);
	area = page_area(&page);
	list_text_matched(&area, 0, 2, 20, STYLE_TEXT, "attention at tp", "at");
	assert_int_equal(page_cell(&page, 0, 2)->style, STYLE_MATCH);
	assert_int_equal(page_cell(&page, 0, 3)->style, STYLE_MATCH);
	assert_int_equal(page_cell(&page, 0, 4)->style, STYLE_TEXT);
	assert_int_equal(page_cell(&page, 0, 12)->style, STYLE_MATCH);
	page_release(&page);
}

static const struct popup_choice fixes[] = {
	{ 'a', "tp 2", "128 heads divide" },
	{ 'b', "tp 4", NULL },
	{ 0, NULL, NULL },
};

static const struct popup refusal = { .title = "refused: D1",
				      .body = "tp 3 does not divide the 128 attention heads",
				      .choices = fixes,
				      .footer = "a b take",
				      .style = STYLE_REFUSED,
				      .selected = -1 };

static void a_box_gives_reason_and_ways_out(void **state)
{
	struct area area;

	(void)state;
	start(12, 60);
	area = page_area(&page);
	assert_int_equal(popup_draw(&area, &refusal, 0), 0);
	assert_true(row_with("+-- refused: D1 -") >= 0);
	assert_true(row_with("tp 3 does not divide the 128 attention heads") >= 0);
	assert_true(row_with("a  tp 2  128 heads divide") >= 0);
	assert_true(row_with("b  tp 4") > row_with("a  tp 2"));
	assert_true(row_with("-- a b take -") >= 0);
	page_release(&page);
}

static void choices_outlive_the_reason_in_a_low_box(void **state)
{
	struct area area;

	(void)state;
	start(5, 24);
	area = page_area(&page);
	assert_true(popup_draw(&area, &refusal, 0) > 0);
	assert_true(row_with("a  tp 2") >= 0);
	assert_true(row_with("b  tp 4") >= 0);
	page_release(&page);
}

static void the_help_has_every_key_of_its_context(void **state)
{
	struct area area;
	char keys[32];
	int i, lines;

	(void)state;
	start(200, 80);
	area = page_area(&page);
	lines = helppage_draw(&area, "BATCH", "What is priced.", ACTION_BATCH, 0);
	assert_true(lines < 200);
	for (i = 0; i < ACT_COUNT; i++) {
		const struct action_row *row = action_row((enum action_id)i);
		char line[160];

		(void)snprintf(line, sizeof(line), " %-18s%s", row->keys, row->help);
		if (row->where & (ACTION_BATCH | ACTION_ANYWHERE)) {
			text_cut(keys, sizeof(keys), row->keys, 17);
			assert_true(row_with(keys) >= 0);
			if (strlen(row->help) < 60)
				assert_true(row_with(row->help) >= 0);
		} else {
			assert_true(row_with(line) < 0);
		}
	}
	/* scrolled, the next line is first */
	helppage_draw(&area, "BATCH", "What is priced.", ACTION_BATCH, 1);
	assert_string_equal(row_of(0), "What is priced.");
	page_release(&page);
}

static void widgets_draw_at_every_size(void **state)
{
	int rows, cols;

	(void)state;
	for (rows = 1; rows <= 100; rows += rows < 8 ? 1 : 23) {
		for (cols = 1; cols <= 400; cols += cols < 50 ? 1 : 70) {
			struct list list = { .count = 40, .selected = 39 };
			struct area area;
			int col, sum = 0;

			start(rows, cols);
			area = page_area(&page);
			list_draw(&area, &list, &view);
			helppage_draw(&area, "t", "some words", ACTION_WALK, 3);
			popup_draw(&area, &refusal, 0);
			popup_draw(&area, &refusal, 3);
			popup_title(&area, 0, STYLE_BORDER, STYLE_TITLE, "Deployment",
				    "9 set of 41");
			for (col = 0; col < cols; col++)
				sum += page_cell(&page, rows - 1, col)->width;
			assert_int_equal(sum, cols);
			page_release(&page);
		}
	}
}

static void a_title_line_keeps_name_and_note_apart(void **state)
{
	struct area area;

	(void)state;
	start(1, 32);
	area = page_area(&page);
	popup_title(&area, 0, STYLE_BORDER, STYLE_TITLE, "Deployment", "9 set of 41");
	assert_string_equal(row_of(0), "-- Deployment ---- 9 set of 41 -");
	page_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_shows_its_columns_and_selection),
		cmocka_unit_test(columns_leave_by_rank_when_it_is_narrow),
		cmocka_unit_test(columns_never_overlap_at_any_width),
		cmocka_unit_test(the_selection_stays_inside_and_in_sight),
		cmocka_unit_test(searching_goes_round_both_ways),
		cmocka_unit_test(what_was_searched_is_marked),
		cmocka_unit_test(a_box_gives_reason_and_ways_out),
		cmocka_unit_test(choices_outlive_the_reason_in_a_low_box),
		cmocka_unit_test(the_help_has_every_key_of_its_context),
		cmocka_unit_test(widgets_draw_at_every_size),
		cmocka_unit_test(a_title_line_keeps_name_and_note_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
