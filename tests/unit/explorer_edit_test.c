/*
 * Edits of the explorer: what keys change, and that everything can be taken
 * back to the first byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/opening_batch.h"
#include "app/tree.h"
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

static void minus_halves_a_width_and_plus_doubles_it(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "-");
	assert_int_equal(value(SS_F_TP)->integer, 4);
	explorer_keys(&f, "- +");
	assert_int_equal(value(SS_F_TP)->integer, 4);
	explorer_keys(&f, "+");
	assert_int_equal(value(SS_F_TP)->integer, 8);
	/* The pool has eight GPUs: no width goes past them. */
	explorer_keys(&f, "+");
	assert_int_equal(value(SS_F_TP)->integer, 8);
}

static void space_goes_round_the_choices_of_the_pack(void **state)
{
	char first[64];
	int steps = 0;

	(void)state;
	explorer_select(&f, SS_F_CUDAGRAPH_MODE);
	snprintf(first, sizeof(first), "%s", value(SS_F_CUDAGRAPH_MODE)->text);
	explorer_keys(&f, "<Space>");
	assert_string_equal(value(SS_F_CUDAGRAPH_MODE)->text, "FULL");
	do {
		explorer_keys(&f, "<Space>");
		steps++;
		assert_true(steps < 20);
	} while (!value(SS_F_CUDAGRAPH_MODE)->is_stated ||
		 strcmp(value(SS_F_CUDAGRAPH_MODE)->text, first) != 0);
	/* Five modes and unstated; one of the six steps was taken before. */
	assert_int_equal(steps, 5);
}

static void a_toggle_changes_what_runs_before_it_states_the_default(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_EXPERT_PARALLEL);
	explorer_keys(&f, "<Space>");
	assert_true(value(SS_F_EXPERT_PARALLEL)->is_stated);
	assert_int_equal(value(SS_F_EXPERT_PARALLEL)->integer, 1);
	explorer_keys(&f, "<Space> <Space>");
	assert_false(value(SS_F_EXPERT_PARALLEL)->is_stated);
	explorer_select(&f, SS_F_ENABLE_PREFIX_CACHING);
	explorer_keys(&f, "<Space>");
	assert_true(value(SS_F_ENABLE_PREFIX_CACHING)->is_stated);
	assert_int_equal(value(SS_F_ENABLE_PREFIX_CACHING)->integer, 0);
}

static void delete_unstates_what_need_not_be_stated(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_BLOCK_SIZE);
	explorer_keys(&f, "<Del>");
	assert_false(value(SS_F_BLOCK_SIZE)->is_stated);
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "<Del>");
	assert_true(value(SS_F_TP)->is_stated);
	assert_true(f.app.is_message_error);
}

static void a_typed_value_is_taken_and_a_wrong_one_says_why(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_MAX_NUM_SEQS);
	explorer_keys(&f, "e");
	assert_string_equal(f.app.prompt.initial, "256");
	explorer_type(&f, "1k");
	assert_int_equal(value(SS_F_MAX_NUM_SEQS)->integer, 1000);
	explorer_keys(&f, "e");
	explorer_type(&f, "many");
	assert_int_equal(value(SS_F_MAX_NUM_SEQS)->integer, 1000);
	assert_true(f.app.is_message_error);
}

static bool has_box(void)
{
	char *text = explorer_text(&f);
	bool is_there = strstr(text, "Esc puts this away") != NULL;

	free(text);
	return is_there;
}

static void a_refusal_put_away_can_be_opened_again(void **state)
{
	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "set tp 3");
	assert_true(explorer_shows(&f, "! brings it back"));
	explorer_keys(&f, "<Esc>");
	assert_false(has_box());
	assert_true(explorer_shows(&f, "! why it is refused"));
	explorer_keys(&f, "!");
	assert_true(has_box());
	explorer_keys(&f, "<Esc> :");
	explorer_type(&f, "refusal");
	assert_true(has_box());
	/* and its ways out are keys again */
	explorer_keys(&f, "a");
	assert_false(f.app.is_refused);
	explorer_keys(&f, "!");
	assert_string_equal(f.app.message, "nothing is refused");
}

static void a_refusal_keeps_the_last_price_and_its_first_fix_works(void **state)
{
	struct quote *before = f.app.quote;

	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, ":");
	explorer_type(&f, "set tp 3");
	assert_true(f.app.is_refused);
	assert_ptr_equal(f.app.quote, before);
	assert_true(explorer_shows(&f, "REFUSED"));
	assert_true(explorer_shows(&f, "last valid: tp 8"));
	assert_non_null(app_fix(&f.app, 1));
	explorer_keys(&f, "a");
	assert_false(f.app.is_refused);
	assert_int_equal(value(SS_F_TP)->integer, 2);
}

static void undo_and_redo_swap_exactly(void **state)
{
	char *start = ss_scenario_to_json(f.app.draft.scenario);
	char *end = NULL, *text = NULL;
	const double tried = 2.4;

	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "-");
	explorer_select(&f, SS_F_CACHE_DTYPE);
	explorer_keys(&f, "<Space> <Space>");
	explorer_keys(&f, "6 + l l l + a D d p p");
	history_set_whatif(&f.app.history, &f.app.draft, "host_launch_per_kernel", &tried);
	explorer_keys(&f, ":");
	explorer_type(&f, "set block_size=128 max_model_len=auto");
	explorer_keys(&f, ":");
	explorer_type(&f, "correct all");
	end = ss_scenario_to_json(f.app.draft.scenario);
	assert_string_not_equal(start, end);
	while (f.app.history.position)
		explorer_keys(&f, "u");
	text = ss_scenario_to_json(f.app.draft.scenario);
	assert_string_equal(text, start);
	assert_true(draft_equal(&f.app.draft, &f.app.opened));
	assert_false(history_is_dirty(&f.app.history));
	free(text);
	while (f.app.history.position < f.app.history.count)
		explorer_keys(&f, "^R");
	text = ss_scenario_to_json(f.app.draft.scenario);
	assert_string_equal(text, end);
	assert_non_null(draft_whatif(&f.app.draft, "host_launch_per_kernel"));
	free(text);
	free(start);
	free(end);
}

static void an_edit_after_undo_forgets_what_was_taken_back(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "- - u -");
	assert_int_equal(f.app.history.count, 2);
	assert_null(history_redo(&f.app.history, &f.app.draft));
}

static void back_to_the_baseline_is_one_edit(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "b - - B");
	assert_int_equal(value(SS_F_TP)->integer, 8);
	explorer_keys(&f, "u");
	assert_int_equal(value(SS_F_TP)->integer, 2);
}

static void commands_do_what_keys_do_and_name_what_they_miss(void **state)
{
	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "batch 64x8k");
	assert_int_equal(f.app.draft.scenario->workload.groups[0].count, 64);
	explorer_keys(&f, ":");
	explorer_type(&f, "coef host_launch_per_kernel 2.4");
	assert_true(*draft_whatif(&f.app.draft, "host_launch_per_kernel") > 2.39);
	explorer_keys(&f, ":");
	explorer_type(&f, "coef no_such_thing 2.4");
	assert_true(f.app.is_message_error);
	explorer_keys(&f, ":");
	explorer_type(&f, "frobnicate");
	assert_true(f.app.is_message_error);
	explorer_keys(&f, ":");
	explorer_type(&f, "goto memory");
	assert_int_equal(f.app.pane, PANE_MEMORY);
}

static void q_asks_before_edits_are_lost(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_TP);
	assert_int_equal(app_apply(&f.app, ACT_QUIT) & APP_QUIT, APP_QUIT);
	explorer_keys(&f, "-");
	assert_int_equal(app_apply(&f.app, ACT_QUIT) & APP_QUIT, 0);
	assert_int_equal(f.app.overlay, OVERLAY_CONFIRM);
	explorer_keys(&f, "n");
	assert_int_equal(f.app.overlay, OVERLAY_NONE);
	(void)app_apply(&f.app, ACT_QUIT);
	assert_int_equal(app_key(&f.app, (struct key){ .code = 'y' }) & APP_QUIT, APP_QUIT);
}

static void the_copied_command_names_every_difference(void **state)
{
	struct xbuf line = { 0 };

	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "set tp 4");
	explorer_keys(&f, ":");
	explorer_type(&f, "unset block_size");
	explorer_keys(&f, ":");
	explorer_type(&f, "batch 64x8192");
	app_command_line(&f.app, &line);
	assert_non_null(strstr(xbuf_text(&line), "--set parallel.tp=4"));
	assert_non_null(strstr(xbuf_text(&line), "--set engine.block_size= "));
	assert_non_null(strstr(xbuf_text(&line), "--batch 64x8192"));
	xbuf_release(&line);
}

static void the_engines_own_settings_are_rows_too(void **state)
{
	const struct ss_config_field *field = NULL;
	struct explorer_fixture g;
	struct app_list *list = &g.app.lists[PANE_DEPLOYMENT];
	char *start = NULL, *end = NULL;

	(void)state;
	explorer_open(&g, "qwen3.6-27b-awq-v100-tp4", 24, 80);
	start = ss_scenario_to_json(g.app.draft.scenario);
	explorer_keys(&g, "/");
	explorer_type(&g, "use_paged_prefill");
	field = tree_field(&g.app);
	assert_non_null(field);
	assert_string_equal(field->field, "use_paged_prefill");
	assert_null(tree_stated(&g.app, field));
	/* Off by default: the first toggle turns it on. */
	explorer_keys(&g, "<Space>");
	assert_string_equal(tree_stated(&g.app, field), "true");
	explorer_keys(&g, "<Space>");
	assert_string_equal(tree_stated(&g.app, field), "false");
	explorer_keys(&g, "e");
	explorer_type(&g, "true");
	assert_string_equal(tree_stated(&g.app, field), "true");
	explorer_keys(&g, "<Del>");
	assert_null(tree_stated(&g.app, field));
	assert_true(list->selected > 0);
	explorer_keys(&g, "u u u u");
	end = ss_scenario_to_json(g.app.draft.scenario);
	assert_string_equal(start, end);
	free(start);
	free(end);
	explorer_release(&g);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_default, close_it)

static const struct ss_group *group_of(const struct explorer_fixture *g)
{
	assert_int_equal(g->app.draft.scenario->workload.group_count, 1);
	return &g->app.draft.scenario->workload.groups[0];
}

static void each_pool_has_its_batch_and_the_file_keeps_the_workload(void **state)
{
	struct explorer_fixture g;
	char *before, *after;

	(void)state;
	explorer_open(&g, "deepseek-v3-h200-pd", 24, 80);
	before = app_scenario_json(&g.app);
	assert_int_equal(group_of(&g)->scheduled, 4096);
	explorer_keys(&g, "}");
	assert_int_equal(group_of(&g)->scheduled, 1);
	assert_int_equal(group_of(&g)->computed, 4095);
	assert_false(history_is_dirty(&g.app.history));
	after = app_scenario_json(&g.app);
	assert_string_equal(after, before);
	free(after);
	explorer_keys(&g, "{");
	assert_int_equal(group_of(&g)->scheduled, 4096);

	/* A batch that was edited holds for both pools until it is taken back. */
	explorer_keys(&g, ":");
	explorer_type(&g, "batch 2x512s+0");
	assert_int_equal(group_of(&g)->count, 2);
	explorer_keys(&g, "}");
	assert_int_equal(group_of(&g)->scheduled, 512);
	explorer_keys(&g, "u");
	assert_int_equal(group_of(&g)->scheduled, 1);
	assert_int_equal(group_of(&g)->computed, 4095);
	explorer_keys(&g, "{");
	after = app_scenario_json(&g.app);
	assert_string_equal(after, before);
	free(after);
	free(before);
	explorer_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(minus_halves_a_width_and_plus_doubles_it),
		TEST(space_goes_round_the_choices_of_the_pack),
		TEST(a_toggle_changes_what_runs_before_it_states_the_default),
		TEST(delete_unstates_what_need_not_be_stated),
		TEST(a_typed_value_is_taken_and_a_wrong_one_says_why),
		TEST(a_refusal_put_away_can_be_opened_again),
		TEST(a_refusal_keeps_the_last_price_and_its_first_fix_works),
		TEST(undo_and_redo_swap_exactly),
		TEST(an_edit_after_undo_forgets_what_was_taken_back),
		TEST(back_to_the_baseline_is_one_edit),
		TEST(commands_do_what_keys_do_and_name_what_they_miss),
		TEST(q_asks_before_edits_are_lost),
		TEST(the_copied_command_names_every_difference),
		cmocka_unit_test(the_engines_own_settings_are_rows_too),
		cmocka_unit_test(each_pool_has_its_batch_and_the_file_keeps_the_workload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
