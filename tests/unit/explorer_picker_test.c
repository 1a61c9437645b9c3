/*
 * Lists to choose from that narrow as one types: the values of a setting, the model and
 * the part of a new scenario.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/colon.h"
#include "app/picker.h"
#include "explorer_fixture.h"

#define DEFAULT "deepseek-v3-h200-fp8-tp8"

static struct explorer_fixture f;

static int open_default(void **state)
{
	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	explorer_release(&f);
	return 0;
}

static const struct ss_value *value(enum ss_field_id field)
{
	return ss_scenario_value(f.app.draft.scenario, 0, field);
}

/* As if typed: every letter a key. */
static void type(const char *text)
{
	for (; *text; text++)
		(void)explorer_key(&f, (struct key){ (unsigned char)*text, 0 });
	explorer_keys(&f, "");
}

static void think(void)
{
	while (app_think(&f.app))
		;
	explorer_keys(&f, "");
}

static void colon(const char *line)
{
	app_refresh(&f.app, colon_run(&f.app, line));
	explorer_keys(&f, "");
}

static void editing_the_part_lists_them_and_letters_narrow_the_list(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_HARDWARE);
	explorer_keys(&f, "e");
	assert_int_equal(f.app.overlay, OVERLAY_CHOOSER);
	assert_string_equal(picker_selected(f.app.picker)->name, "h200");
	type("b300");
	assert_string_equal(picker_selected(f.app.picker)->name, "b300");
	explorer_keys(&f, "<Backspace> <Backspace> <Backspace> <Backspace>");
	assert_int_equal(f.app.picker->shown_count, f.app.picker->count);
	type("h10");
	explorer_keys(&f, "<Enter>");
	assert_string_equal(value(SS_F_HARDWARE)->text, "h100");
	explorer_keys(&f, "u");
	assert_string_equal(value(SS_F_HARDWARE)->text, "h200");
}

static void each_row_says_what_it_would_cost(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_HARDWARE);
	explorer_keys(&f, "e");
	think();
	/* the scenario's own part costs what the header says */
	assert_true(explorer_shows(&f, "25.22 ms | FITS 313"));
	for (int i = 0; i < f.app.picker->count; i++)
		assert_non_null(f.app.picker->items[i].price);
}

static void words_match_in_any_order_and_what_none_has_is_said(void **state)
{
	(void)state;
	colon("new");
	type("235b qwen3");
	assert_int_equal(f.app.picker->shown_count, 1);
	type("zzz");
	assert_int_equal(f.app.picker->shown_count, 0);
	explorer_keys(&f, "<Enter>");
	assert_true(f.app.is_message_error);
	assert_int_equal(f.app.overlay, OVERLAY_CHOOSER);
	explorer_keys(&f, "<Esc>");
	assert_int_equal(f.app.overlay, OVERLAY_NONE);
	assert_int_equal(value(SS_F_TP)->integer, 8);
}

static void a_new_scenario_takes_the_fewest_gpus_that_hold_it(void **state)
{
	(void)state;
	colon("new llama-3.1-70b-instruct h100");
	assert_string_equal(value(SS_F_MODEL)->text, "llama-3.1-70b-instruct");
	assert_string_equal(value(SS_F_HARDWARE)->text, "h100");
	/* 70.6 B parameters of two bytes fill two GPUs of 80 GB to 0.92 without room for KV */
	assert_int_equal(value(SS_F_TP)->integer, 4);
	assert_int_equal(value(SS_F_GPUS_PER_NODE)->integer, 4);
	/* nothing of the other scenario stays */
	assert_false(value(SS_F_BLOCK_SIZE)->is_stated);
	assert_string_equal(f.app.saved_as, "");
	assert_false(f.app.is_refused);
}

static void a_new_scenario_is_chosen_in_a_few_keys(void **state)
{
	(void)state;
	explorer_keys(&f, "^N");
	type("70b-in");
	explorer_keys(&f, "<Enter>");
	assert_true(explorer_shows(&f, "on which part?"));
	type("b200");
	explorer_keys(&f, "<Enter>");
	assert_string_equal(value(SS_F_HARDWARE)->text, "b200");
	/* one has room for the weights, not for 131,072 tokens of 327,680 bytes beside them */
	assert_int_equal(value(SS_F_TP)->integer, 2);
}

static void a_new_scenario_asks_for_unsaved_edits(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "-");
	colon("new llama-3.1-8b-instruct l40s");
	assert_true(explorer_shows(&f, "not saved"));
	explorer_keys(&f, "n");
	assert_int_equal(value(SS_F_TP)->integer, 4);
	colon("new llama-3.1-8b-instruct l40s");
	explorer_keys(&f, "y");
	assert_string_equal(value(SS_F_HARDWARE)->text, "l40s");
}

static const char *selected_text(enum pane_id pane, int column)
{
	return table_text(&f.app.tables[pane], (size_t)f.app.lists[pane].selected, column);
}

static void typed(const char *text)
{
	app_refresh(&f.app, app_prompt_changed(&f.app, text));
	explorer_keys(&f, "");
}

static void a_search_moves_as_it_is_typed_and_goes_back_when_given_up(void **state)
{
	int from;

	(void)state;
	explorer_keys(&f, "4");
	from = f.app.lists[PANE_STEP].selected;
	(void)explorer_key(&f, (struct key){ '/', 0 });
	typed("all-");
	assert_string_equal(selected_text(PANE_STEP, 0), "all-reduce");
	typed("");
	assert_int_equal(f.app.lists[PANE_STEP].selected, from);
	typed("graph re");
	assert_string_equal(selected_text(PANE_STEP, 0), "graph replay");
	app_refresh(&f.app, app_prompt_done(&f.app, NULL));
	assert_int_equal(f.app.lists[PANE_STEP].selected, from);
}

static void a_filter_takes_a_column_and_goes_back_when_given_up(void **state)
{
	const struct table *table = &f.app.tables[PANE_STEP];
	size_t all;

	(void)state;
	explorer_keys(&f, "4");
	all = table->shown;
	(void)explorer_key(&f, (struct key){ 'f', 0 });
	typed("rests=measured");
	assert_true(table->shown > 0 && table->shown < all);
	for (size_t i = 0; i < table->shown; i++)
		assert_non_null(strstr(table_text(table, i, 3), "measured"));
	app_refresh(&f.app, app_prompt_done(&f.app, NULL));
	assert_int_equal(table->shown, all);
	(void)explorer_key(&f, (struct key){ 'f', 0 });
	explorer_type(&f, "no such=measured");
	assert_int_equal(table->shown, 0);
	explorer_keys(&f, "<Esc>");
	assert_int_equal(table->shown, all);
}

static void a_key_that_does_nothing_says_so(void **state)
{
	(void)state;
	explorer_keys(&f, "^X");
	assert_true(explorer_shows(&f, "^X does nothing here"));
}

static void each_word_of_a_setting_says_what_it_changes(void **state)
{
	const struct picker_item *item;
	char changed[64];

	(void)state;
	explorer_release(&f);
	explorer_open_as(&f, DEFAULT, SS_FIGURE_LEAD, 24, 80);
	explorer_select(&f, SS_F_CUDAGRAPH_MODE);
	explorer_keys(&f, "e");
	think();
	item = picker_selected(f.app.picker);
	assert_string_equal(item->name, "PIECEWISE");
	assert_non_null(strstr(item->price, "| same price"));
	type("none");
	item = picker_selected(f.app.picker);
	assert_string_equal(item->name, "NONE");
	snprintf(changed, sizeof(changed), "%s", strrchr(item->price, '|') + 2);
	assert_int_equal(changed[0], '+');
	/* what the list said is what taking it does */
	explorer_keys(&f, "<Esc> b");
	explorer_select(&f, SS_F_CUDAGRAPH_MODE);
	explorer_keys(&f, "e");
	type("none");
	explorer_keys(&f, "<Enter>");
	assert_string_equal(value(SS_F_CUDAGRAPH_MODE)->text, "NONE");
	assert_true(explorer_shows(&f, changed));
}

static void a_kernel_chosen_says_whose_times_it_takes(void **state)
{
	const struct picker_item *item;

	(void)state;
	explorer_select(&f, SS_F_MOE_BACKEND);
	explorer_keys(&f, "e");
	type("marlin");
	think();
	item = picker_selected(f.app.picker);
	assert_string_equal(item->name, "marlin");
	assert_non_null(strstr(item->why, "no other was measured"));
}

static void a_picker_shows_at_every_size(void **state)
{
	static const int sizes[][2] = {
		{ 1, 1 }, { 3, 12 }, { 10, 40 }, { 40, 120 }, { 100, 400 }
	};

	(void)state;
	colon("new");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		explorer_resize(&f, sizes[i][0], sizes[i][1]);
		explorer_keys(&f, "<Down> <PgDn> <End> <Home> <Up>");
	}
	assert_true(explorer_shows(&f, "New: which model?"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_default, close_it)
	const struct CMUnitTest tests[] = {
		CASE(editing_the_part_lists_them_and_letters_narrow_the_list),
		CASE(each_row_says_what_it_would_cost),
		CASE(words_match_in_any_order_and_what_none_has_is_said),
		CASE(a_new_scenario_takes_the_fewest_gpus_that_hold_it),
		CASE(a_new_scenario_is_chosen_in_a_few_keys),
		CASE(a_new_scenario_asks_for_unsaved_edits),
		CASE(a_search_moves_as_it_is_typed_and_goes_back_when_given_up),
		CASE(a_filter_takes_a_column_and_goes_back_when_given_up),
		CASE(a_key_that_does_nothing_says_so),
		CASE(each_word_of_a_setting_says_what_it_changes),
		CASE(a_kernel_chosen_says_whose_times_it_takes),
		CASE(a_picker_shows_at_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
