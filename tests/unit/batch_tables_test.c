/* The tables of commands and options, lines read against them, and axes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/arguments.h"
#include "cli/help.h"
#include "sweep/sweep.h"
#include "stepscope/nearest.h"

static void names_and_letters_are_unique(void **state)
{
	(void)state;
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_row *a = option_row((enum option_id)i);

		assert_true(a->id == (enum option_id)i);
		for (int k = 0; k < i; k++) {
			const struct option_row *b = option_row((enum option_id)k);

			/* Two commands may each have one of a name. */
			for (int c = 0; c < COMMAND_COUNT && !strcmp(a->name, b->name); c++)
				assert_false(command_takes(command_row((enum command_id)c), a) &&
					     command_takes(command_row((enum command_id)c), b));
			assert_true(!a->letter || a->letter != b->letter);
		}
	}
	for (int i = 0; i < COMMAND_COUNT; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(command_row((enum command_id)i)->name,
						command_row((enum command_id)k)->name);
}

static void every_option_is_taken_somewhere_and_has_help(void **state)
{
	(void)state;
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_row *row = option_row((enum option_id)i);
		bool is_taken = command_takes(NULL, row);

		for (int c = 0; c < COMMAND_COUNT; c++)
			is_taken |= command_takes(command_row((enum command_id)c), row);
		assert_true(is_taken);
		assert_true(strlen(row->help) > 5);
		assert_true((row->kind == KIND_NONE) == (row->argument == NULL));
		assert_true((row->kind == KIND_WORDS) == (row->words != NULL));
	}
}

static void the_manual_and_completion_name_every_row(void **state)
{
	struct xbuf texts[3] = { { 0 }, { 0 }, { 0 } };

	(void)state;
	completion_bash(&texts[0]);
	completion_zsh(&texts[1]);
	completion_fish(&texts[2]);
	for (int t = 0; t < 3; t++) {
		for (int i = 0; i < COMMAND_COUNT; i++)
			assert_non_null(strstr(xbuf_text(&texts[t]),
					       command_row((enum command_id)i)->name));
		for (int i = 0; i < OPT_COUNT; i++)
			assert_non_null(
				strstr(xbuf_text(&texts[t]), option_row((enum option_id)i)->name));
		xbuf_release(&texts[t]);
	}
}

static enum ss_status read_line(struct arguments *out, struct ss_error *err, const char *line)
{
	static char text[1024];
	static char *words[32];
	int count = 0;

	(void)snprintf(text, sizeof(text), "%s", line);
	for (char *at = text; *at;) {
		words[count++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	return arguments_read(out, count, words, err);
}

static void options_may_stand_anywhere_and_in_every_form(void **state)
{
	static const char *const lines[] = {
		"s price x --set tp=4 --format json -o out -q",
		"s --set tp=4 --format=json -oout -q price x",
		"s price -o=out --set=tp=4 x --json -q",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct arguments a;
		struct ss_error err = { 0 };

		assert_int_equal(read_line(&a, &err, lines[i]), SS_OK);
		assert_int_equal(a.command->id, COMMAND_PRICE);
		assert_int_equal(a.name_count, 1);
		assert_string_equal(a.names[0], "x");
		assert_int_equal(a.setting_count, 1);
		assert_string_equal(a.settings[0].path, "tp");
		assert_string_equal(a.settings[0].text, "4");
		assert_int_equal(a.format, FORMAT_JSON);
		assert_string_equal(arguments_value(&a, OPT_OUTPUT), "out");
		assert_true(a.is_quiet);
		arguments_release(&a);
	}
}

static void an_options_argument_is_not_taken_for_a_command(void **state)
{
	struct arguments a;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(read_line(&a, &err, "s -C price memory x"), SS_OK);
	assert_int_equal(a.command->id, COMMAND_MEMORY);
	arguments_release(&a);
	assert_int_equal(read_line(&a, &err, "s -tp 8 --enable-expert-parallel memory x"), SS_OK);
	assert_int_equal(a.command->id, COMMAND_MEMORY);
	assert_int_equal(a.setting_count, 2);
	arguments_release(&a);
}

static void the_engines_flags_are_settings_in_the_order_given(void **state)
{
	struct arguments a;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(read_line(&a, &err,
				   "s price x -tp 8 --enable-expert-parallel "
				   "--no-enable-prefix-caching --max_model_len=32k -dp=2"),
			 SS_OK);
	assert_int_equal(a.setting_count, 5);
	assert_string_equal(a.settings[0].path, "parallel.tp");
	assert_string_equal(a.settings[1].path, "parallel.enable_expert_parallel");
	assert_string_equal(a.settings[1].text, "true");
	assert_string_equal(a.settings[2].path, "engine.enable_prefix_caching");
	assert_string_equal(a.settings[2].text, "false");
	assert_string_equal(a.settings[3].text, "32k");
	assert_string_equal(a.settings[4].path, "parallel.dp");
	arguments_release(&a);
}

static void bad_lines_are_usage_errors_that_say_where(void **state)
{
	static const char *const lines[][2] = {
		{ "s price --frmat json", "frmat" },
		{ "s price --format yaml", "format" },
		{ "s price --set tp", "set" },
		{ "s price --coef x=y", "coef" },
		{ "s price --spread guess=0.1", "spread" },
		{ "s price --spread assumed=1", "spread" },
		{ "s price --ttft 0", "ttft" },
		{ "s price --acceptance 1.5", "acceptance" },
		{ "s price --figure mean", "figure" },
		{ "s price --set", "set" },
		{ "s list", "list" },
		{ "s price a b", "price" },
		{ "s price x --model m --part p", "model" },
		{ "s price --nodes 2 x", "nodes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct arguments a;
		struct ss_error err = { 0 };

		assert_int_equal(read_line(&a, &err, lines[i][0]), SS_EUSAGE);
		if (!strstr(err.where, lines[i][1]))
			fail_msg("%s: the place is %s", lines[i][0], err.where);
		assert_true(*err.message != '\0');
		arguments_release(&a);
	}
}

static void ranges_hold_their_ends(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *last;
	} ranges[] = {
		{ "tp=1..256:x2", 9, "256" },
		{ "count=1..9:+2", 5, "9" },
		{ "count=3..5", 3, "5" },
		{ "coef:x=0.5..0.9:+0.1", 5, "0.9" },
		{ "gpu_memory_utilization=0.8..0.95:+0.05", 4, "0.95" },
		{ "block_size=,16,32", 3, "32" },
		{ "tp=1,2,4..8:x2", 4, "8" },
		{ "cudagraph_capture_sizes=1,2|4,8", 2, "4,8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct axes axes = { 0 };
		struct ss_error err = { 0 };

		if (axes_add(&axes, ranges[i].text, &err))
			fail_msg("%s: %s", ranges[i].text, err.message);
		assert_int_equal(axes.items[0].count, ranges[i].count);
		assert_string_equal(axes.items[0].values[ranges[i].count - 1].text, ranges[i].last);
		assert_int_equal(axes.rows, ranges[i].count);
		axes_release(&axes);
	}
}

static void axes_multiply_and_the_same_one_is_refused(void **state)
{
	struct axes axes = { 0 };
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(axes_add(&axes, "tp=1,2,4", &err), SS_OK);
	assert_int_equal(axes_add(&axes, "count=1..100", &err), SS_OK);
	assert_int_equal(axes.rows, 300);
	assert_int_equal(axes_add(&axes, "parallel.tp=8", &err), SS_EUSAGE);
	axes_release(&axes);
}

static void distances_count_letters(void **state)
{
	static const char *const words[] = { "price", "resolve", "report" };

	(void)state;
	assert_int_equal(ss_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(ss_edit_distance("", "abc"), 3);
	assert_int_equal(ss_edit_distance("Price", "price"), 0);
	assert_string_equal(ss_closest_word("prise", words, 3), "price");
	assert_null(ss_closest_word("xyzzyx", words, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_letters_are_unique),
		cmocka_unit_test(every_option_is_taken_somewhere_and_has_help),
		cmocka_unit_test(the_manual_and_completion_name_every_row),
		cmocka_unit_test(options_may_stand_anywhere_and_in_every_form),
		cmocka_unit_test(an_options_argument_is_not_taken_for_a_command),
		cmocka_unit_test(the_engines_flags_are_settings_in_the_order_given),
		cmocka_unit_test(bad_lines_are_usage_errors_that_say_where),
		cmocka_unit_test(ranges_hold_their_ends),
		cmocka_unit_test(axes_multiply_and_the_same_one_is_refused),
		cmocka_unit_test(distances_count_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
