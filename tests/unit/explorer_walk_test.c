/* The walk and the way from a figure to what it rests on, and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/walk.h"
#include "close.h"
#include "explorer_fixture.h"

static struct explorer_fixture f;

static int open_default(void **state)
{
	(void)state;
	explorer_open(&f, "deepseek-v3-h200-fp8-tp8", 24, 80);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	explorer_release(&f);
	return 0;
}

static void a_try_given_up_leaves_the_entry_open(void **state)
{
	const struct walk_item *item = NULL;

	(void)state;
	explorer_keys(&f, "w t");
	assert_int_equal(f.app.prompt.kind, PROMPT_WHATIF);
	assert_string_equal(f.app.prompt.initial, "3.2");
	assert_int_equal(app_prompt_done(&f.app, NULL), APP_REDRAW);
	item = &f.app.walk->items[0];
	assert_int_equal(item->verdict, WALK_OPEN);
	explorer_keys(&f, "t");
	explorer_type(&f, "2.4");
	assert_int_equal(item->verdict, WALK_TRIED);
	explorer_keys(&f, "t");
	explorer_type(&f, "");
	assert_int_equal(item->verdict, WALK_OPEN);
	assert_int_equal(f.app.draft.whatif_count, 0);
}

/* The kernel's own, which moves nothing here, is behind the four that move something. */
static void what_is_taken_back_is_open_again(void **state)
{
	const struct walk_item *items = NULL;

	(void)state;
	explorer_keys(&f, "w ] ] ] ] s");
	items = f.app.walk->items;
	assert_string_equal(items[4].name, "max_cudagraph_capture_size");
	assert_int_equal(items[4].verdict, WALK_STATED);
	explorer_keys(&f, "u");
	assert_int_equal(items[4].verdict, WALK_OPEN);
	/* The setting and the word of it are one edit. */
	assert_int_equal(f.app.history.position, 0);
	explorer_keys(&f, "[ [ [ [ t");
	explorer_type(&f, "2.4");
	assert_int_equal(items[0].verdict, WALK_TRIED);
	explorer_keys(&f, "u");
	assert_int_equal(items[0].verdict, WALK_OPEN);
}

/* A note after an entry was accepted is on that entry, a value too. */
static void what_follows_an_acceptance_is_of_its_entry(void **state)
{
	const struct ss_review_entry *said = NULL;

	(void)state;
	snprintf(f.app.reviewer, sizeof(f.app.reviewer), "ann");
	snprintf(f.app.now, sizeof(f.app.now), "2026-11-30T23:50:15Z");
	explorer_keys(&f, "w a '");
	explorer_type(&f, "two runs");
	said = ss_review_find(f.app.review, "host_launch_per_kernel");
	assert_non_null(said);
	assert_int_equal(said->verdict, SS_JUDGEMENT_ACCEPTED);
	assert_close(said->value, 3.2, 1e-12);
	assert_string_equal(said->note, "two runs");
	assert_string_equal(said->reviewer, "ann");
	assert_string_equal(said->date, "2026-11-30T23:50:15Z");
	assert_int_equal(strlen(said->scenario_sha256), 64);
	assert_true(explorer_shows(&f, "accepted at 3.2 us_per_transfer by ann, 2026-11-30"));
	explorer_keys(&f, "t");
	explorer_type(&f, "2.4");
	assert_non_null(draft_whatif(&f.app.draft, "host_launch_per_kernel"));
	assert_int_equal(f.app.walk->items[0].verdict, WALK_CHANGED);
	assert_string_equal(f.app.walk->items[0].value, "2.4 us");
	assert_true(explorer_shows(&f, "by ann, 2026-11-30; changed since"));
	explorer_keys(&f, "u");
	assert_int_equal(f.app.walk->items[0].verdict, WALK_REVIEWED);
	/* Once more goes on; what was said outlives the walk. */
	explorer_keys(&f, "a");
	assert_int_equal(f.app.walk->at, 1);
	explorer_keys(&f, "<Esc> w");
	assert_int_equal(f.app.walk->items[0].verdict, WALK_REVIEWED);
	explorer_keys(&f, "<Esc> u u");
	assert_int_equal(f.app.review->count, 0);
}

/* The release is chosen from the packs there are: no other is taken, none in silence. */
static void a_release_is_stated_from_the_packs_there_are(void **state)
{
	const struct ss_value *version = NULL;

	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "set engine_version 0.30.5");
	explorer_keys(&f, "w");
	assert_int_not_equal(walk_to(&f.app, "engine_version"), 0);
	explorer_keys(&f, "s");
	assert_int_equal(f.app.prompt.kind, PROMPT_VALUE);
	assert_non_null(strstr(f.app.prompt.label, "0.29.0 0.31.0 sm70"));
	explorer_type(&f, "0.30.6");
	assert_non_null(strstr(f.app.message, "there are: 0.29.0, 0.31.0, sm70"));
	version = ss_scenario_value(f.app.draft.scenario, 0, SS_F_ENGINE_VERSION);
	assert_string_equal(version->text, "0.30.5");
	explorer_keys(&f, "s");
	explorer_type(&f, "0.29.0");
	version = ss_scenario_value(f.app.draft.scenario, 0, SS_F_ENGINE_VERSION);
	assert_string_equal(version->text, "0.29.0");
}

static void a_value_tried_moves_what_it_moves_now(void **state)
{
	const struct walk_item *item = NULL;

	(void)state;
	explorer_keys(&f, "w");
	item = &f.app.walk->items[0];
	/* Launches are in series: 972 of them at 3.2 us. */
	assert_close(item->moves_s, 972 * 3.2e-6, 1e-9);
	explorer_keys(&f, "t");
	explorer_type(&f, "1.6");
	assert_close(item->moves_s, 972 * 1.6e-6, 1e-9);
	assert_true(explorer_shows(&f, "1.56 ms of"));
}

static void memory_alone_shows_the_room_for_each_value(void **state)
{
	(void)state;
	explorer_keys(&f, "w ] ] ]");
	assert_string_equal(f.app.walk->items[f.app.walk->at].name,
			    "cudagraph_capture_bytes_piecewise");
	assert_true(explorer_shows(&f, "KV room"));
	assert_true(explorer_shows(&f, "42.02 GiB"));
}

static void the_longest_name_is_shown_whole(void **state)
{
	(void)state;
	explorer_keys(&f, "w <Tab> ] ] ] ] ]");
	assert_true(explorer_shows(&f, "~ collective_floor_all_gather_fp16_16rank_h200 "));
}

static void evidence_lists_in_the_order_of_the_walk(void **state)
{
	const struct table *table = &f.app.tables[PANE_EVIDENCE];

	(void)state;
	explorer_keys(&f, "3");
	assert_true(explorer_shows(&f, "w walk"));
	assert_true(explorer_shows(&f, "KV -0.019"));
	explorer_keys(&f, "w");
	assert_int_equal(table->shown, f.app.walk->count);
	for (size_t i = 0; i < f.app.walk->count; i++)
		assert_int_equal(table_at(table, i)->id, f.app.walk->items[i].entry);
}

static void a_figure_leads_to_its_law_its_values_and_back(void **state)
{
	(void)state;
	explorer_keys(&f, "4 / ");
	explorer_type(&f, "all-reduce");
	explorer_keys(&f, "<Enter>");
	assert_true(explorer_shows(&f, "max(4.71 us + 458752 B / 104250 B/us"));
	explorer_keys(&f, "<Enter>");
	assert_true(explorer_shows(&f, "collective_floor_all_reduce_fp16_8rank_h200, read"));
	assert_true(explorer_shows(&f, "sources"));
	explorer_keys(&f, "<Enter>");
	assert_true(
		explorer_shows(&f, "collective_transition_rate_all_reduce_fp16_8rank_h200, re"));
	explorer_keys(&f, "<Esc>");
	assert_true(explorer_shows(&f, "max(4.71 us + 458752 B / 104250 B/us"));
	explorer_keys(&f, "<Esc>");
	assert_int_equal(f.app.overlay, OVERLAY_NONE);
	assert_int_equal(f.app.pane, PANE_STEP);
}

static void an_open_entry_is_tried_where_it_is_read(void **state)
{
	(void)state;
	explorer_keys(&f, "4 / ");
	explorer_type(&f, "launches");
	explorer_keys(&f, "<Enter> <Enter> e");
	assert_int_equal(f.app.prompt.kind, PROMPT_WHATIF);
	explorer_type(&f, "2.4");
	assert_int_equal(f.app.draft.whatif_count, 1);
	assert_true(explorer_shows(&f, "24.45 ms"));
}

static void memory_leads_to_the_laws_of_its_bytes(void **state)
{
	(void)state;
	explorer_keys(&f, "5 <Enter>");
	assert_true(explorer_shows(&f, "max(10 x 117440512 B, 73400320 B) = 1174405120 B"));
}

static void memory_says_what_it_could_not_group(void **state)
{
	struct explorer_fixture g;

	(void)state;
	explorer_open(&g, "deepseek-v4-pro-b200-fp8-tp8", 24, 80);
	explorer_keys(&g, "5");
	assert_true(explorer_shows(&g, "cache grouping ~"));
	assert_true(explorer_shows(&g, "256 tok, 9,009,152 B"));
	explorer_keys(&g, "<Enter>");
	assert_true(explorer_shows(&g, "~ kv_cache_grouping: own pages: how vLLM"));
	explorer_release(&g);
	explorer_open(&g, "qwen3.6-27b-awq-v100-tp4", 24, 80);
	explorer_keys(&g, "5");
	assert_true(explorer_shows(&g, "784 tok, 12,845,056 B"));
	explorer_keys(&g, ":");
	explorer_type(&g, "set block_size 16");
	explorer_keys(&g, "<Enter>");
	assert_true(explorer_shows(&g, "! block_size 784, asked for 16:"));
	explorer_release(&g);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_default, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_try_given_up_leaves_the_entry_open),
		TEST(what_is_taken_back_is_open_again),
		TEST(what_follows_an_acceptance_is_of_its_entry),
		TEST(a_release_is_stated_from_the_packs_there_are),
		TEST(a_value_tried_moves_what_it_moves_now),
		TEST(memory_alone_shows_the_room_for_each_value),
		TEST(the_longest_name_is_shown_whole),
		TEST(evidence_lists_in_the_order_of_the_walk),
		TEST(a_figure_leads_to_its_law_its_values_and_back),
		TEST(an_open_entry_is_tried_where_it_is_read),
		TEST(memory_leads_to_the_laws_of_its_bytes),
		cmocka_unit_test(memory_says_what_it_could_not_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
