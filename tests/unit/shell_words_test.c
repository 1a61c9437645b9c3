#include "import/shell_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Words as `[a][b];`, comments `{text}`, here-documents `<file:text>`, notes `!line:text!`. The
 * caller frees. */
static char *show(const char *text)
{
	struct shell_words words;
	struct ss_error err = { 0 };
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	if (shell_words_split(&words, text, strlen(text), NULL, &err)) {
		fprintf(f, "%s: %s", err.where, err.message);
		fclose(f);
		return out;
	}
	for (size_t i = 0; i < words.count; i++) {
		if (words.items[i].kind == SHELL_WORD)
			fprintf(f, "[%s]", words.items[i].text);
		else if (words.items[i].kind == SHELL_END)
			fputs(";", f);
		else if (words.items[i].kind == SHELL_HERE)
			fprintf(f, "<%s:%s>", words.items[i].file ? words.items[i].file : "",
				words.items[i].text);
		else if (words.items[i].kind == SHELL_NOTE)
			fprintf(f, "!%zu:%s!", words.items[i].line, words.items[i].text);
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
	check("a#b #c", "[a#b]{c};");
	check("a 'it'\\''s'", "[a][it's];");
}

static void lines_continue_after_a_backslash_alone(void **state)
{
	(void)state;
	check("vllm serve x \\\n  --tp 4\nls", "[vllm][serve][x][--tp][4];[ls];");
	check("vllm serve x \\\r\n  --tp 4\r\n", "[vllm][serve][x][--tp][4];");
	check("--long\\\nflag", "[--longflag];");
	check("serve \\\n> --tp 4", "[serve][--tp][4];");
	check("serve `\n --tp 4 ^\n --pp 2", "[serve][--tp][4][--pp][2];");
}

#define BLANK "a blank follows the last backslash: a shell would end the command here"
#define COMMENT "a comment follows the last backslash: a shell would end the command here"
#define INSIDE "a comment stands inside the command: a shell would end it here"

static void slips_are_read_as_they_were_meant_and_noted(void **state)
{
	(void)state;
	check("serve x \\ \n --tp 4", "[serve][x]!1:" BLANK "![--tp][4];");
	check("serve x \\  # width\n --tp 4", "[serve][x]!1:" COMMENT "![--tp][4];");
	check("serve x \\\n # --a \\\n # --b\n --tp 4", "[serve][x]!2:" INSIDE "![--tp][4];");
	check("serve x \\\n # the end\nls", "[serve][x]{ the end};[ls];");
}

static void arrays_give_a_word_each(void **state)
{
	(void)state;
	check("A=(--tp 4 # width\n 'a b')\nserve \"${A[@]}\" ${A[0]}",
	      "[serve][--tp][4][a b][--tp];");
	check("A=()\nA+=(x)\nA+=(\"y z\")\nserve \"${A[@]}\" end", "[serve][x][y z][end];");
	check("A=()\nserve \"${A[@]}\" end", "[serve][end];");
	check("serve \"${GONE[@]}\"", "[serve][${GONE[@]}];");
}

static void defaults_sums_and_cuts_are_worked_out(void **state)
{
	(void)state;
	check("x ${A:-${B:-8}} ${1:-4} \"${C:-a b}\" ${D:-\"e f\"}", "[x][8][4][a b][e][f];");
	check(": ${T:=2}\nx $T ${T:+on} ${U:+on}", "[:][2];[x][2][on];");
	check("N=4\nx $((N * 2 + 1)) $(( ${N} / 2 )) $((M + 1))", "[N=4];[x][9][2][$((M + 1))];");
	check("P=/m/org/name.gguf\nx ${P##*/} ${P%.gguf} ${P%%/org*} ${P#/m/}",
	      "[P=/m/org/name.gguf];[x][name.gguf][/m/org/name][/m][org/name.gguf];");
	check("local -r A=1\ndeclare B=2\nA+=0\nx $A $B",
	      "[local][-r][A=1];[declare][B=2];[A+=0];[x][10][2];");
	check("NAME=v\nx $(NAME) $(other)", "[NAME=v];[x][v][$(other)];");
}

static void the_first_value_of_a_loop_stands_for_all(void **state)
{
	(void)state;
	check("for tp in 4 8; do serve $tp; done",
	      "[for][tp][in][4][8]!1:of the loop's values the first is taken!;[do][serve][4];"
	      "[done];");
	check("for tp in 4; do serve $tp; done", "[for][tp][in][4];[do][serve][4];[done];");
}

static void here_documents_are_kept_with_the_file_they_go_to(void **state)
{
	(void)state;
	check("cat > c.yaml <<'EOF'\na: $B\nEOF\nls", "[cat];<c.yaml:a: $B\n>[ls];");
	check("B=1\nsh <<-EOF\n\tx $B\n\tEOF\n", "[B=1];[sh];<:\tx 1\n>");
	check("a <<EOF", "[a];");
}

static void blanks_to_fill_in_are_words(void **state)
{
	(void)state;
	check("serve <MODEL> --tp <number of GPUs>", "[serve][<MODEL>][--tp][<number of GPUs>];");
	check("serve < in > out", "[serve];");
}

static void variables_that_double_are_stopped(void **state)
{
	static const char once[] = "A=$A$A\n";
	char text[1024];
	size_t used = (size_t)snprintf(text, sizeof(text), "A=xxxxxxxxxxxxxxxx\n");

	(void)state;
	for (int i = 0; i < 64; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", once);
	check(text, "line 22: the variables of the text grow past 32 MiB");
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
	check("ls\nvllm 'b", "line 2: a single quote is not closed");
	check("a\n\nvllm \"b\nc", "line 3: a double quote is not closed");
	check("it isn't so\nvllm x", "[it][isn't][so];[vllm][x];");
	check("vllm a $(b", "[vllm][a][$];[b];");
	assert_int_equal(shell_words_split(&words, "a\0b", 3, NULL, &err), SS_EUSAGE);
	assert_string_equal(err.message, "a NUL byte: this is not text");
	assert_int_equal(words.count, 0);
}

static void lines_are_counted_through_quotes_and_continuations(void **state)
{
	struct shell_words words;
	const char *text = "a \\\n'b\nc' d\ne";

	(void)state;
	assert_int_equal(shell_words_split(&words, text, strlen(text), NULL, NULL), SS_OK);
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
		assert_int_equal(shell_words_split(&words, out, size, NULL, NULL), SS_OK);
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
		cmocka_unit_test(slips_are_read_as_they_were_meant_and_noted),
		cmocka_unit_test(arrays_give_a_word_each),
		cmocka_unit_test(defaults_sums_and_cuts_are_worked_out),
		cmocka_unit_test(the_first_value_of_a_loop_stands_for_all),
		cmocka_unit_test(here_documents_are_kept_with_the_file_they_go_to),
		cmocka_unit_test(blanks_to_fill_in_are_words),
		cmocka_unit_test(variables_that_double_are_stopped),
		cmocka_unit_test(variables_of_the_text_are_filled_in_and_others_stay),
		cmocka_unit_test(operators_end_commands_and_redirections_are_dropped),
		cmocka_unit_test(broken_text_is_one_error_with_its_line),
		cmocka_unit_test(lines_are_counted_through_quotes_and_continuations),
		cmocka_unit_test(what_is_quoted_splits_back_into_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
