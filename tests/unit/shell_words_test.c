#include "import/shell_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** The words as `[a] [b];`, comments as `{text}`. The caller frees. */
static char *show(const char *text)
{
	struct shell_words words;
	struct ss_error err = { 0 };
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	if (shell_words_split(&words, text, strlen(text), &err)) {
		fprintf(f, "%s: %s", err.where, err.message);
		fclose(f);
		return out;
	}
	for (size_t i = 0; i < words.count; i++) {
		if (words.items[i].kind == SHELL_WORD)
			fprintf(f, "[%s]", words.items[i].text);
		else if (words.items[i].kind == SHELL_END)
			fputs(";", f);
		else
			fprintf(f, "{%s}", words.items[i].text);
	}
	fclose(f);
	shell_words_release(&words);
	return out;
}

static void check(const char *text, const char *expected)
{
	char *shown = show(text);

	assert_string_equal(shown, expected);
	free(shown);
}

/* Expected words: POSIX.1-2008, Shell Command Language, 2.2 and 2.3. */
static void quotes_part_and_join_words_as_posix_says(void **state)
{
	(void)state;
	check("a b\tc", "[a][b][c];");
	check("a 'b  c'd", "[a][b  cd];");
	check("'a\\b' \"a\\b\" a\\b", "[a\\b][a\\b][ab];");
	check("\"x\\\"y\\\\z\" ''", "[x\"y\\z][];");
	check("'{\"a\": [1, 2]}'", "[{\"a\": [1, 2]}];");
	check("a#b #c", "[a#b]{c}");
	check("a 'it'\\''s'", "[a][it's];");
}

static void lines_continue_after_a_backslash_alone(void **state)
{
	(void)state;
	check("vllm serve x \\\n  --tp 4\nls", "[vllm][serve][x][--tp][4];[ls];");
	check("vllm serve x \\\r\n  --tp 4\r\n", "[vllm][serve][x][--tp][4];");
	check("--long\\\nflag", "[--longflag];");
	check("vllm serve x \\ \n --tp 4",
	      "line 1: a blank follows the last backslash, so a shell ends the command here; "
	      "remove the blank");
}

static void variables_of_the_text_are_filled_in_and_others_stay(void **state)
{
	(void)state;
	check("M=org/name\nserve $M \"${M}x\"", "[M=org/name];[serve][org/name][org/namex];");
	check("export A='--tp 4'; x $A \"$A\"", "[export][A=--tp 4];[x][--tp][4][--tp 4];");
	check("x $KEY ${KEY:-none} '$KEY'", "[x][$KEY][none][$KEY];");
	check("x $(cat key) `a b` y", "[x][$(cat key)][`a b`][y];");
}

static void operators_end_commands_and_redirections_are_dropped(void **state)
{
	(void)state;
	check("cd x && vllm serve m | tee log & wait",
	      "[cd][x];[vllm][serve][m];[tee][log];[wait];");
	check("a > log 2>&1 b", "[a][b];");
	check("a 2> err.txt &>> both", "[a];");
}

static void broken_text_is_one_error_with_its_line(void **state)
{
	struct shell_words words;
	struct ss_error err = { 0 };

	(void)state;
	check("a\n'b", "line 2: a single quote is not closed");
	check("a\n\n\"b\nc", "line 3: a double quote is not closed");
	check("a $(b", "line 1: a command substitution is not closed");
	check("a <<EOF", "line 1: a here-document is not read; put the words on the command line");
	assert_int_equal(shell_words_split(&words, "a\0b", 3, &err), SS_EUSAGE);
	assert_string_equal(err.message, "a NUL byte: this is not text");
	assert_int_equal(words.count, 0);
}

static void lines_are_counted_through_quotes_and_continuations(void **state)
{
	struct shell_words words;
	const char *text = "a \\\n'b\nc' d\ne";

	(void)state;
	assert_int_equal(shell_words_split(&words, text, strlen(text), NULL), SS_OK);
	assert_int_equal(words.items[0].line, 1);
	assert_int_equal(words.items[1].line, 2);
	assert_int_equal(words.items[2].line, 3);
	assert_int_equal(words.items[4].line, 4);
	shell_words_release(&words);
}

static void what_is_quoted_splits_back_into_itself(void **state)
{
	static const char *const texts[] = { "",      "plain", "a b",        "it's", "{\"a\": 1}",
					     "$HOME", "a\nb",  "#x",         "\\",   "~/x",
					     "50%",   "a*b?",  "\xc3\xa9\t", "`ls`", "--a=b c" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *out = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&out, &size);
		struct shell_words words;

		assert_non_null(f);
		shell_quote(f, texts[i]);
		fclose(f);
		assert_int_equal(shell_words_split(&words, out, size, NULL), SS_OK);
		assert_int_equal(words.count, 2);
		assert_string_equal(words.items[0].text, texts[i]);
		shell_words_release(&words);
		free(out);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_part_and_join_words_as_posix_says),
		cmocka_unit_test(lines_continue_after_a_backslash_alone),
		cmocka_unit_test(variables_of_the_text_are_filled_in_and_others_stay),
		cmocka_unit_test(operators_end_commands_and_redirections_are_dropped),
		cmocka_unit_test(broken_text_is_one_error_with_its_line),
		cmocka_unit_test(lines_are_counted_through_quotes_and_continuations),
		cmocka_unit_test(what_is_quoted_splits_back_into_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
