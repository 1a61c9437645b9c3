/* Documents that are not right: what is said about each, and where. */
#include "stepscope/registry.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Is there a problem of that code, there, whose message has the words? */
static bool has_problem(const struct ss_problems *problems, const char *code, const char *pointer,
			const char *words)
{
	for (size_t i = 0; i < problems->count; i++)
		if (strcmp(problems->items[i].code, code) == 0 &&
		    strcmp(problems->items[i].pointer, pointer) == 0 &&
		    strcmp(problems->items[i].file, "x.json") == 0 &&
		    strstr(problems->items[i].message, words))
			return true;
	return false;
}

static void expect_problem(const char *json, size_t length, const char *code, const char *pointer,
			   const char *words)
{
	struct ss_problems problems = { 0 };

	assert_null(ss_scenario_parse(json, length, "x.json", &problems));
	if (!has_problem(&problems, code, pointer, words)) {
		for (size_t i = 0; i < problems.count; i++)
			print_error("%s %s %s\n", problems.items[i].code, problems.items[i].pointer,
				    problems.items[i].message);
		fail_msg("no %s at \"%s\" that says \"%s\"", code, pointer, words);
	}
	ss_problems_release(&problems);
}

static void expect_text(const char *json, const char *code, const char *pointer, const char *words)
{
	expect_problem(json, strlen(json), code, pointer, words);
}

static void broken_json_is_told_with_line_and_column(void **state)
{
	(void)state;
	expect_text("", "syntax", "", "line 1, column 1: found the end of the text");
	expect_text("{", "syntax", "", "line 1, column 2");
	expect_text("{\n  \"a\": 1,\n}", "syntax", "", "line 3, column 1: found '}', wants a key");
	expect_text("{\"a\" 1}", "syntax", "", "wants ':' after a key");
	expect_text("[1 2]", "syntax", "", "wants ',' or ']'");
	expect_text("{\"a\":\"b", "syntax", "", "closing quote");
	expect_text("{} x", "syntax", "", "nothing after the document");
	expect_text("{}{}", "syntax", "", "column 3: found '{', wants nothing after");
	expect_text("'a'", "syntax", "", "found '''");
}

static void numbers_must_be_those_of_json(void **state)
{
	static const char *const wrong[] = { "NaN", "Infinity", "-Infinity", "+1",  "01", "1.",
					     ".5",  "1e",       "0x10",      "1_0", "-" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char json[64];

		(void)snprintf(json, sizeof(json), "{\"a\":%s}", wrong[i]);
		expect_text(json, "syntax", "", "line 1");
	}
	expect_text("{\"kind\":\"Scenario\",\"cluster\":{\"nodes\":1e999}}", "range",
		    "/cluster/nodes", "too large to hold");
}

static void texts_must_be_utf8_without_control_characters(void **state)
{
	(void)state;
	expect_text("{\"a\":\"\xff\"}", "syntax", "", "found byte 0xff, wants valid UTF-8");
	expect_text("{\"a\":\"\xc0\x80\"}", "syntax", "", "UTF-8");
	expect_text("{\"a\":\"\xed\xa0\x80\"}", "syntax", "", "UTF-8");
	expect_text("{\"a\":\"\xe2\x82\"}", "syntax", "", "UTF-8");
	expect_text("{\"a\":\"\t\"}", "syntax", "", "an escape for a control character");
	expect_text("{\"a\":\"\\u0000\"}", "syntax", "", "no NUL");
	expect_text("{\"a\":\"\\ud800\"}", "syntax", "", "second half");
	expect_text("{\"a\":\"\\udc00\"}", "syntax", "", "first half");
	expect_text("{\"a\":\"\\q\"}", "syntax", "", "an escape of JSON");
	expect_text("\xef\xbb\xbf{}", "syntax", "", "found byte 0xef");
	expect_problem("{}\0", 3, "syntax", "", "found byte 0x00");
}

static void deep_nesting_is_a_limit(void **state)
{
	size_t depth = 100000;
	char *json = malloc(depth);

	(void)state;
	assert_non_null(json);
	memset(json, '[', depth);
	expect_problem(json, depth, "limit", "", "nested more than 64 deep");
	for (size_t i = 0; i + 5 <= depth; i += 5)
		memcpy(json + i, "{\"a\":", 5);
	expect_problem(json, depth, "limit", "", "nested more than 64 deep");
	free(json);
}

static void more_than_64_mib_is_a_limit(void **state)
{
	size_t size = (size_t)64 * 1024 * 1024 + 1;
	char *json = malloc(size);

	(void)state;
	assert_non_null(json);
	memset(json, ' ', size);
	expect_problem(json, size, "limit", "", "64 MiB");
	expect_problem(json, size - 1, "syntax", "", "the end of the text");
	free(json);
}

static void too_many_values_are_a_limit(void **state)
{
	size_t count = 2000001;
	char *json = malloc(2 * count + 2);

	(void)state;
	assert_non_null(json);
	json[0] = '[';
	for (size_t i = 0; i < count; i++)
		memcpy(json + 1 + 2 * i, "1,", 2);
	json[2 * count] = ']';
	expect_problem(json, 2 * count + 1, "limit", "", "2000000 values");
	free(json);
}

static void a_document_must_be_an_object_of_its_kind(void **state)
{
	(void)state;
	expect_text("[]", "type", "", "found a list, wants an object of kind \"Scenario\"");
	expect_text("null", "type", "", "found null");
	expect_text("{}", "missing", "/kind", "must be \"Scenario\"");
	expect_text("{\"kind\":\"Model\"}", "range", "/kind", "found \"Model\"");
	expect_text("{\"kind\":3}", "type", "/kind", "found 3, wants text");
}

static void unknown_keys_name_the_nearest(void **state)
{
	(void)state;
	expect_text("{\"kind\":\"Scenario\",\"modle\":\"x\"}", "unknown-key", "/modle",
		    "did you mean \"model\"?");
	expect_text("{\"kind\":\"Scenario\",\"deployment\":{\"pools\":[{\"engine\":"
		    "{\"blocksize\":16}}]}}",
		    "unknown-key", "/deployment/pools/0/engine/blocksize",
		    "did you mean \"block_size\"?");
}

static void keys_that_stand_twice_are_told_with_their_pointer(void **state)
{
	(void)state;
	expect_text("{\"kind\":\"Scenario\",\"name\":\"a\",\"name\":\"b\"}", "duplicate-key",
		    "/name", "a second time");
	expect_text("{\"kind\":\"Scenario\",\"cluster\":{},\"cluster\":{}}", "duplicate-key",
		    "/cluster", "a second time");
}

static void expect_file(const char *path, const char *words)
{
	struct ss_problems problems = { 0 };

	assert_null(ss_scenario_load(path, &problems));
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].code, "io");
	assert_string_equal(problems.items[0].file, path);
	assert_non_null(strstr(problems.items[0].message, words));
	ss_problems_release(&problems);
	assert_int_equal(ss_document_validate(path, NULL), SS_DOCUMENT_COUNT);
}

static void files_that_cannot_be_read_say_why(void **state)
{
	char path[] = "docs_json_test.XXXXXX";
	int fd;

	(void)state;
	expect_file("/does/not/exist.json", "cannot be read");
	expect_file("/", "it is a folder");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(chmod(path, 0), 0);
	/* Root reads everything, so there is nothing to see as root. */
	if (geteuid() != 0)
		expect_file(path, "cannot be read");
	(void)unlink(path);
}

static void a_file_cut_anywhere_is_reported_not_believed(void **state)
{
	FILE *file = fopen(TEST_SRCDIR "/scenarios/deepseek-v3-h200-pd.json", "r");
	char json[8192];
	size_t length;

	(void)state;
	assert_non_null(file);
	length = fread(json, 1, sizeof(json), file);
	(void)fclose(file);
	while (length && json[length - 1] == '\n')
		length--;
	for (size_t cut = 0; cut < length; cut++) {
		struct ss_problems problems = { 0 };

		assert_null(ss_scenario_parse(json, cut, "cut", &problems));
		assert_int_equal(problems.count, 1);
		assert_string_equal(problems.items[0].code, "syntax");
		ss_problems_release(&problems);
	}
}

static void what_reaches_a_terminal_holds_no_control_characters(void **state)
{
	struct ss_problems problems = { 0 };
	const char *json = "{\"kind\":\"Scenario\",\"a\\u001b[2J\":1}";

	(void)state;
	assert_null(ss_scenario_parse(json, strlen(json), "x", &problems));
	for (size_t i = 0; i < problems.count; i++) {
		assert_null(strchr(problems.items[i].message, 0x1b));
		assert_null(strchr(problems.items[i].pointer, 0x1b));
	}
	ss_problems_release(&problems);
}

static void a_kind_nobody_knows_lists_those_there_are(void **state)
{
	struct ss_problems problems = { 0 };
	char path[] = "docs_json_test.XXXXXX";
	const char json[] = "{\"kind\":\"ModelGrph\"}";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, json, strlen(json)), (ssize_t)strlen(json));
	(void)close(fd);
	assert_int_equal(ss_document_validate(path, &problems), SS_DOCUMENT_COUNT);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].pointer, "/kind");
	assert_non_null(strstr(problems.items[0].message, "did you mean \"ModelGraph\"?"));
	ss_problems_release(&problems);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_json_is_told_with_line_and_column),
		cmocka_unit_test(numbers_must_be_those_of_json),
		cmocka_unit_test(texts_must_be_utf8_without_control_characters),
		cmocka_unit_test(deep_nesting_is_a_limit),
		cmocka_unit_test(more_than_64_mib_is_a_limit),
		cmocka_unit_test(too_many_values_are_a_limit),
		cmocka_unit_test(a_document_must_be_an_object_of_its_kind),
		cmocka_unit_test(unknown_keys_name_the_nearest),
		cmocka_unit_test(keys_that_stand_twice_are_told_with_their_pointer),
		cmocka_unit_test(files_that_cannot_be_read_say_why),
		cmocka_unit_test(a_file_cut_anywhere_is_reported_not_believed),
		cmocka_unit_test(what_reaches_a_terminal_holds_no_control_characters),
		cmocka_unit_test(a_kind_nobody_knows_lists_those_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
