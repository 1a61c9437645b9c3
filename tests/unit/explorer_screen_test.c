/* The explorer drawn at every size, whatever is open and whatever was pressed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/walk.h"
#include "explorer_fixture.h"
#include "view/picture.h"

#define DEFAULT "deepseek-v3-h200-fp8-tp8"

/* What opens each pane and overlay. */
static const char *const views[] = { "1",         "2",         "3",           "4", "5",
				     "6",         "7",         "8",           "9", "0",
				     "b 8",       "w",         "w <Tab> ] ]", "?", "<Enter>",
				     "2 <Enter>", "4 <Enter>", "5 <Enter>" };

static void every_pane_draws_at_every_size(void **state)
{
	static const int sizes[][2] = { { 1, 1 },    { 2, 2 },   { 3, 10 },   { 5, 20 },
					{ 10, 40 },  { 24, 80 }, { 40, 120 }, { 60, 200 },
					{ 24, 300 }, { 100, 20 } };

	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(*views); v++) {
		struct explorer_fixture f;

		explorer_open(&f, DEFAULT, 24, 80);
		explorer_keys(&f, views[v]);
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			explorer_resize(&f, sizes[s][0], sizes[s][1]);
		explorer_release(&f);
	}
}

static void the_header_stays_whatever_is_open(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(*views); v++) {
		struct explorer_fixture f;

		explorer_open(&f, DEFAULT, 24, 80);
		explorer_keys(&f, views[v]);
		assert_true(explorer_shows(&f, "deepseek-v3 fp8 | 8x h200"));
		assert_true(explorer_shows(&f, "27% measured 56 vendor 17~"));
		explorer_release(&f);
	}
}

/* The figures of the published case, 25.22 ms within 24.11 and 25.62, to the digit. */
static void the_first_screen_has_the_published_figures(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	assert_true(explorer_shows(&f, "25.22 ms (24.11 .. 25.62) serial, hbm"));
	assert_true(explorer_shows(&f, "FITS 313"));
	explorer_keys(&f, "5");
	assert_true(explorer_shows(&f, "1,284,160 tokens"));
	assert_true(explorer_shows(&f, "78.11"));
	explorer_release(&f);
}

static void the_walk_goes_by_what_moves_the_price(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_keys(&f, "w");
	assert_non_null(f.app.walk);
	assert_int_equal(f.app.walk->own_count, 1);
	assert_string_equal(f.app.walk->items[0].name, "host_launch_per_kernel");
	explorer_keys(&f, "a");
	assert_true(explorer_shows(&f, "reviewed 1 of"));
	/* Half and one and a half times the launch cost, as the entry is linear. */
	assert_true(explorer_shows(&f, "23.67"));
	assert_true(explorer_shows(&f, "26.78"));
	explorer_release(&f);
}

/* What a settled search for a row leaves on the screen. */
static void search_filter_and_sort_work_on_a_list(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_keys(&f, "2 /");
	explorer_type(&f, "launch_per");
	assert_true(explorer_shows(&f, ">host_launch_per_kernel"));
	explorer_keys(&f, "f");
	explorer_type(&f, "assumed");
	assert_int_equal(f.app.lists[PANE_PROVENANCE].count, 38);
	explorer_keys(&f, "<Esc>");
	assert_int_equal(f.app.lists[PANE_PROVENANCE].count, 149);
	explorer_keys(&f, ":");
	explorer_type(&f, "sort in step");
	explorer_keys(&f, "g");
	assert_true(f.app.lists[PANE_PROVENANCE].is_descending);
	explorer_release(&f);
}

/* However far it is scrolled, the end of the help stays on the screen. */
static void help_scrolls_no_further_than_its_end(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_keys(&f, "2 ?");
	assert_true(explorer_shows(&f, "Help: Provenance"));
	for (int i = 0; i < 3; i++)
		explorer_keys(&f, "G <PgDn>");
	assert_true(explorer_shows(&f, "close what is open, then leave"));
	explorer_keys(&f, "g");
	assert_true(explorer_shows(&f, "Every value the price may read"));
	explorer_release(&f);
}

/* On the smallest screen that is of use, what matters most is there. */
static void a_small_screen_says_what_matters(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 10, 40);
	assert_true(explorer_shows(&f, "25.22 ms"));
	explorer_keys(&f, "-");
	assert_true(explorer_shows(&f, "DOES NOT FIT"));
	explorer_keys(&f, ":");
	explorer_type(&f, "set tp 3");
	assert_true(explorer_shows(&f, "E1 tp 3: layer attn_dense has 128"));
	assert_true(explorer_shows(&f, "b  parallel.tp = 4"));
	explorer_keys(&f, "b");
	assert_true(explorer_shows(&f, "39.34 ms"));
	explorer_keys(&f, "1");
	assert_true(explorer_shows(&f, "1 Resolved"));
	explorer_release(&f);
}

/* What the deployment pane calls a setting is what `:` takes. */
static void settings_are_set_by_the_name_shown(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	for (size_t i = 0; i < f.app.tables[PANE_DEPLOYMENT].shown; i++) {
		const struct table_row *row = table_at(&f.app.tables[PANE_DEPLOYMENT], i);

		if (!row->is_heading)
			assert_int_equal(
				ss_field_find(table_text(&f.app.tables[PANE_DEPLOYMENT], i, 0),
					      NULL),
				row->id);
	}
	explorer_keys(&f, ":");
	explorer_type(&f, "set expert_parallel on");
	assert_true(explorer_shows(&f, "[+1]"));
	explorer_release(&f);
}

/* The frames of the two are those of HTML and SVG; each letter stands once. */
static void a_screen_becomes_a_page_and_a_picture(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 24, 80 }, { 100, 400 } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct explorer_fixture f;
		struct xbuf html = { 0 }, svg = { 0 };

		explorer_open(&f, "deepseek-v3-h200-fp8-tp8", sizes[i][0], sizes[i][1]);
		picture_html(&html, &f.page, "a<b");
		picture_svg(&svg, &f.page, "a<b");
		assert_non_null(strstr(xbuf_text(&html), "<title>a&lt;b</title>"));
		assert_non_null(strstr(xbuf_text(&svg), "<title>a&lt;b</title>"));
		assert_non_null(strstr(xbuf_text(&html), "</html>"));
		assert_non_null(strstr(xbuf_text(&svg), "</svg>"));
		if (sizes[i][0] > 1) {
			assert_non_null(strstr(xbuf_text(&html), "25.22 ms"));
			assert_non_null(strstr(xbuf_text(&svg), "25.22 ms"));
			/* the lead figure: colour 32 of 256 is 0087d7, and bold */
			assert_non_null(
				strstr(xbuf_text(&svg), "fill=\"#0087d7\" font-weight=\"bold\""));
			/* the selection mark, escaped */
			assert_non_null(strstr(xbuf_text(&html), "&gt;tp"));
		}
		xbuf_release(&html);
		xbuf_release(&svg);
		explorer_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pane_draws_at_every_size),
		cmocka_unit_test(the_header_stays_whatever_is_open),
		cmocka_unit_test(the_first_screen_has_the_published_figures),
		cmocka_unit_test(the_walk_goes_by_what_moves_the_price),
		cmocka_unit_test(search_filter_and_sort_work_on_a_list),
		cmocka_unit_test(help_scrolls_no_further_than_its_end),
		cmocka_unit_test(a_small_screen_says_what_matters),
		cmocka_unit_test(settings_are_set_by_the_name_shown),
		cmocka_unit_test(a_screen_becomes_a_page_and_a_picture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
