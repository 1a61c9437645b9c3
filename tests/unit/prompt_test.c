#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/prompt.h"

static void type(const char *text)
{
	for (; *text; text++)
		prompt_key((struct key){ (unsigned char)*text, 0 });
}

static enum prompt_state press(uint32_t code, unsigned mods)
{
	return prompt_key((struct key){ code, mods });
}

static void open_prompt(struct prompt_history *history, const char *initial)
{
	struct prompt_options options = { .label = ":", .initial = initial, .history = history };

	assert_int_equal(prompt_begin(&options), 0);
}

static void a_line_is_typed_edited_and_taken(void **state)
{
	(void)state;
	open_prompt(NULL, NULL);
	type("set tp 8");
	press(KEYCODE_BACKSPACE, 0);
	type("4");
	assert_string_equal(prompt_line(), "set tp 4");
	press(KEYCODE_HOME, 0);
	press(KEYCODE_DELETE, 0);
	press(KEYCODE_RIGHT, 0);
	type("x");
	assert_string_equal(prompt_line(), "ext tp 4");
	press('u', MOD_CTRL);
	assert_string_equal(prompt_line(), "t tp 4");
	assert_int_equal(press(KEYCODE_ENTER, 0), PROMPT_DONE);
	assert_string_equal(prompt_line(), "t tp 4");
	prompt_end();
	assert_false(prompt_is_open());
}

static void esc_cancels_and_the_prompt_opens_again(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		open_prompt(NULL, "8192");
		assert_string_equal(prompt_line(), "8192");
		assert_int_equal(press(KEYCODE_ESC, 0), PROMPT_CANCELLED);
		prompt_end();
	}
	open_prompt(NULL, NULL);
	assert_int_equal(press('d', MOD_CTRL), PROMPT_CANCELLED);
	prompt_end();
}

static void run_line(struct prompt_history *history, const char *line)
{
	open_prompt(history, NULL);
	type(line);
	assert_int_equal(press(KEYCODE_ENTER, 0), PROMPT_DONE);
	prompt_end();
}

static void histories_are_kept_apart_and_saved(void **state)
{
	char file[] = "/tmp/stepscope-prompt-XXXXXX";
	struct prompt_history *commands, *searches;
	int fd = mkstemp(file);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	commands = prompt_history_load(file, 3);
	searches = prompt_history_load(NULL, 10);
	assert_non_null(commands);
	assert_non_null(searches);
	run_line(commands, "one");
	run_line(searches, "hbm");
	run_line(commands, "two");
	run_line(commands, "two");
	run_line(commands, "three");
	run_line(commands, "four");
	run_line(commands, "");
	open_prompt(searches, NULL);
	press(KEYCODE_UP, 0);
	assert_string_equal(prompt_line(), "hbm");
	press(KEYCODE_UP, 0);
	assert_string_equal(prompt_line(), "hbm");
	press(KEYCODE_ESC, 0);
	prompt_end();
	assert_int_equal(prompt_history_save(commands), 0);
	prompt_history_free(commands);
	commands = prompt_history_load(file, 3);
	open_prompt(commands, "draft");
	press(KEYCODE_UP, 0);
	assert_string_equal(prompt_line(), "four");
	press(KEYCODE_UP, 0);
	press(KEYCODE_UP, 0);
	press(KEYCODE_UP, 0);
	assert_string_equal(prompt_line(), "two");
	press(KEYCODE_DOWN, 0);
	press(KEYCODE_DOWN, 0);
	press(KEYCODE_DOWN, 0);
	assert_string_equal(prompt_line(), "draft");
	press(KEYCODE_ESC, 0);
	prompt_end();
	prompt_history_free(commands);
	prompt_history_free(searches);
	assert_int_equal(unlink(file), 0);
}

static void a_search_back_finds_and_esc_leaves_the_search_first(void **state)
{
	struct prompt_history *history = prompt_history_load(NULL, 10);

	(void)state;
	run_line(history, "batch 64x8k");
	run_line(history, "pin eager");
	open_prompt(history, NULL);
	press('r', MOD_CTRL);
	type("64");
	assert_string_equal(prompt_line(), "batch 64x8k");
	assert_int_equal(press(KEYCODE_ESC, 0), PROMPT_EDITING);
	assert_string_equal(prompt_line(), "");
	press('r', MOD_CTRL);
	type("eag");
	assert_int_equal(press(KEYCODE_ENTER, 0), PROMPT_DONE);
	assert_string_equal(prompt_line(), "pin eager");
	prompt_end();
	prompt_history_free(history);
}

/* Offers the names that begin like the word. */
static char **complete_names(void *context, const char *line, size_t start, size_t end)
{
	const char *const *names = context;
	char **found = calloc(10, sizeof(*found));
	size_t n = 0;

	for (; found && *names; names++)
		if (strncmp(*names, line + start, end - start) == 0)
			found[n++] = strdup(*names);
	return found;
}

static void tab_completes_or_offers(void **state)
{
	static const char *names[] = { "max_num_seqs", "max_num_batched_tokens", "max_model_len",
				       "block_size", NULL };
	struct prompt_options options = { .label = ":", .complete = complete_names };
	const char *const *offered;
	size_t count;

	(void)state;
	options.context = names;
	assert_int_equal(prompt_begin(&options), 0);
	type("set bl");
	press(KEYCODE_TAB, 0);
	assert_string_equal(prompt_line(), "set block_size ");
	prompt_candidates(&count);
	assert_int_equal(count, 0);
	press('u', MOD_CTRL);
	type("set max_n");
	press(KEYCODE_TAB, 0);
	assert_string_equal(prompt_line(), "set max_num_");
	offered = prompt_candidates(&count);
	assert_int_equal(count, 2);
	assert_true(strcmp(offered[0], "max_num_seqs") == 0 ||
		    strcmp(offered[1], "max_num_seqs") == 0);
	type("zz");
	press(KEYCODE_TAB, 0);
	assert_string_equal(prompt_line(), "set max_num_zz");
	prompt_candidates(&count);
	assert_int_equal(count, 0);
	press(KEYCODE_ESC, 0);
	prompt_end();
}

static void the_cursor_shows_at_any_width(void **state)
{
	char row[512];
	int cols;

	(void)state;
	open_prompt(NULL, NULL);
	type("export a-rather-long-name.json");
	for (cols = 1; cols < 60; cols++) {
		struct page page;
		struct area area;

		assert_int_equal(page_init(&page, 2, cols, true), 0);
		area = page_area(&page);
		prompt_draw(&area);
		assert_int_equal(page.cursor_row, 0);
		assert_in_range(page.cursor_col, 0, cols - 1);
		page_row_text(&page, 0, row, sizeof(row));
		if (cols > 35)
			assert_string_equal(row, ":export a-rather-long-name.json");
		page_release(&page);
	}
	press(KEYCODE_ESC, 0);
	prompt_end();
}

/* As the terminal module decodes a control byte. */
static struct key control_key(unsigned byte)
{
	if (byte == 0x1b)
		return (struct key){ KEYCODE_ESC, 0 };
	return (struct key){ byte >= 1 && byte <= 26 ? byte + 'a' - 1 : byte + '@', MOD_CTRL };
}

static void keys_out_of_the_blue_do_no_harm(void **state)
{
	unsigned seed = 1;
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		struct key key = { 0, 0 };

		seed = seed * 1103515245u + 12345u;
		key.code = seed >> 16 & 0x7f;
		if (key.code < 27)
			key = (struct key){ KEYCODE_NAMED + 1 + key.code, 0 };
		else if (seed >> 24 & 1)
			key = control_key(seed >> 16 & 31);
		if (!prompt_is_open() || prompt_key(key) != PROMPT_EDITING)
			open_prompt(NULL, "ab");
	}
	prompt_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_typed_edited_and_taken),
		cmocka_unit_test(esc_cancels_and_the_prompt_opens_again),
		cmocka_unit_test(histories_are_kept_apart_and_saved),
		cmocka_unit_test(a_search_back_finds_and_esc_leaves_the_search_first),
		cmocka_unit_test(tab_completes_or_offers),
		cmocka_unit_test(the_cursor_shows_at_any_width),
		cmocka_unit_test(keys_out_of_the_blue_do_no_harm),
	};

	/* the user's own bindings would make this another test */
	setenv("INPUTRC", "/dev/null", 1);
	setlocale(LC_CTYPE, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
