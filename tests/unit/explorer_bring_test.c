/*
 * Bringing in what others wrote: a launch command, a log, a scenario; offered with what
 * became of its flags, before it takes the place of what is open.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/bring.h"
#include "app/colon.h"
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

static bool paste(const char *text)
{
	bool is_offered = bring_text(&f.app, "paste", text, strlen(text));

	explorer_keys(&f, "");
	return is_offered;
}

static void colon(const char *line)
{
	app_refresh(&f.app, colon_run(&f.app, line));
	explorer_keys(&f, "");
}

static const char command[] = "vllm serve deepseek-ai/DeepSeek-V3 --quantization fp8 \\\n"
			      "  --tensor-parallel-size 4 --max-model-len 16k --port 8000 "
			      "--no-such-flag 7\n";

static void a_pasted_command_is_offered_with_what_became_of_its_flags(void **state)
{
	(void)state;
	assert_true(paste(command));
	assert_true(explorer_shows(&f, "--tensor-parallel-size"));
	assert_true(explorer_shows(&f, "taken"));
	assert_true(explorer_shows(&f, "unknown     --no-such-flag"));
	assert_true(explorer_shows(&f, "no effect   --port"));
	/* it is only offered */
	assert_int_equal(value(SS_F_TP)->integer, 8);
	explorer_keys(&f, "<Enter>");
	assert_int_equal(value(SS_F_TP)->integer, 4);
	assert_int_equal(value(SS_F_MAX_MODEL_LEN)->integer, 16000);
	assert_string_equal(value(SS_F_HARDWARE)->text, "h200");
	assert_string_equal(f.app.saved_as, "");
}

static void escape_leaves_all_as_it_is(void **state)
{
	(void)state;
	assert_true(paste(command));
	explorer_keys(&f, "<Esc>");
	assert_int_equal(value(SS_F_TP)->integer, 8);
	assert_int_equal(f.app.overlay, OVERLAY_NONE);
}

static void edits_that_were_not_saved_are_asked_for_first(void **state)
{
	(void)state;
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "-");
	assert_true(paste("vllm serve deepseek-ai/DeepSeek-V3 -tp 2"));
	explorer_keys(&f, "<Enter>");
	assert_int_equal(value(SS_F_TP)->integer, 4);
	assert_true(explorer_shows(&f, "not saved"));
	explorer_keys(&f, "y");
	assert_int_equal(value(SS_F_TP)->integer, 2);
}

static void what_is_no_command_is_said_in_one_line(void **state)
{
	(void)state;
	assert_false(paste("make me a sandwich"));
	assert_true(f.app.is_message_error);
	assert_non_null(strstr(f.app.message, "paste"));
	assert_null(strchr(f.app.message, '\n'));
	assert_int_equal(f.app.overlay, OVERLAY_NONE);
	assert_false(paste("{ \"model_type\": \"llama\" }"));
	assert_non_null(strstr(f.app.message, "config.json"));
	assert_false(paste("{ not json"));
	assert_int_equal(value(SS_F_TP)->integer, 8);
}

static void a_start_up_log_is_offered_and_a_missing_file_said(void **state)
{
	(void)state;
	assert_true(bring_is_for(TEST_SRCDIR "/tests/data/start-up-log.txt"));
	assert_false(bring_is_for(TEST_SRCDIR "/scenarios/" DEFAULT ".json"));
	assert_true(bring_file(&f.app, TEST_SRCDIR "/tests/data/start-up-log.txt"));
	explorer_keys(&f, "<Enter>");
	assert_string_equal(value(SS_F_MODEL)->text, "qwen3-14b");
	assert_int_equal(value(SS_F_TP)->integer, 2);
	assert_false(bring_file(&f.app, "/nowhere/at/all.sh"));
	assert_non_null(strstr(f.app.message, "/nowhere/at/all.sh"));
	assert_false(bring_file(&f.app, "/dev/zero"));
	assert_non_null(strstr(f.app.message, "plain file"));
}

static void a_scenario_can_be_brought_in_too(void **state)
{
	(void)state;
	assert_true(bring_file(&f.app, TEST_SRCDIR "/scenarios/qwen3-30b-a3b-h100-tp2.json"));
	explorer_keys(&f, "");
	assert_true(explorer_shows(&f, "qwen3-30b-a3b | 2x h100 | "));
	explorer_keys(&f, "<Enter>");
	assert_string_equal(value(SS_F_MODEL)->text, "qwen3-30b-a3b");
}

static void set_takes_flags_as_the_engine_does_and_one_undo_takes_them_back(void **state)
{
	(void)state;
	colon("set -tp 4 --max-model-len 16k --port 80");
	assert_int_equal(value(SS_F_TP)->integer, 4);
	assert_int_equal(value(SS_F_MAX_MODEL_LEN)->integer, 16000);
	assert_non_null(strstr(f.app.message, "--port no effect"));
	explorer_keys(&f, "u");
	assert_int_equal(value(SS_F_TP)->integer, 8);
	assert_int_equal(value(SS_F_MAX_MODEL_LEN)->integer, 32768);
}

static void open_takes_a_log_as_import_does(void **state)
{
	(void)state;
	assert_true(colon_run(&f.app, "open " TEST_SRCDIR "/tests/data/start-up-log.txt") &
		    APP_IMPORT);
	assert_true(colon_run(&f.app, "import x.sh") & APP_IMPORT);
	assert_string_equal(f.app.wanted, "x.sh");
	colon("import");
	assert_true(f.app.is_message_error);
}

static void the_offer_shows_at_every_size(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 2, 9 }, { 10, 40 }, { 40, 120 }, { 100, 400 } };

	(void)state;
	assert_true(paste(command));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		explorer_resize(&f, sizes[i][0], sizes[i][1]);
		explorer_keys(&f, "j k G g");
	}
	assert_true(explorer_shows(&f, "Import paste"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_default, close_it)
	const struct CMUnitTest tests[] = {
		CASE(a_pasted_command_is_offered_with_what_became_of_its_flags),
		CASE(escape_leaves_all_as_it_is),
		CASE(edits_that_were_not_saved_are_asked_for_first),
		CASE(what_is_no_command_is_said_in_one_line),
		CASE(a_start_up_log_is_offered_and_a_missing_file_said),
		CASE(a_scenario_can_be_brought_in_too),
		CASE(set_takes_flags_as_the_engine_does_and_one_undo_takes_them_back),
		CASE(open_takes_a_log_as_import_does),
		CASE(the_offer_shows_at_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
