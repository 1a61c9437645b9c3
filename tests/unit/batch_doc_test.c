/* Documents as text, CSV and Markdown; numbers and JSON going out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/printout.h"
#include "report/json.h"
#include "sweep/sweep.h"

static const struct column columns[] = {
	{ "name", "key", false },
	{ "value", "value_s", true },
	{ "", "note", false },
};

static struct doc *sample(void)
{
	struct doc *doc = doc_new();

	doc_heading(doc, "A title");
	doc_line(doc, MARK_REFUSED, "a line");
	doc_table(doc, columns, 3, true);
	doc_figure(doc, MARK_ASSUMED, "alpha", "alpha_s");
	doc_number(doc, MARK_NONE, "1.50 ms", 0.0015);
	doc_cell(doc, MARK_DIM, "said, \"so\"");
	doc_cell(doc, MARK_NONE, "b");
	doc_count(doc, MARK_NONE, 1234567);
	doc_cell(doc, MARK_NONE, "");
	return doc;
}

static void text_aligns_columns_and_shows_marks(void **state)
{
	struct doc *doc = sample();
	struct xbuf out = { 0 };

	(void)state;
	doc_render_text(&out, doc, false);
	assert_string_equal(xbuf_text(&out), "A title\n"
					     "x a line\n"
					     "  name         value\n"
					     "  alpha ~    1.50 ms  said, \"so\"\n"
					     "  b        1,234,567\n");
	xbuf_release(&out);
	doc_free(doc);
}

static void csv_has_keys_and_exact_figures_and_quotes_what_it_must(void **state)
{
	struct doc *doc = sample();
	struct xbuf out = { 0 };

	(void)state;
	doc_render_csv(&out, doc, 0);
	assert_string_equal(xbuf_text(&out), "key,value_s,note\n"
					     "alpha_s,0.0015,\"said, \"\"so\"\"\"\n"
					     "b,1234567,\n");
	xbuf_release(&out);
	doc_free(doc);
}

static void csv_has_one_table_a_name(void **state)
{
	static const struct column other[] = { { "", "n", true } };
	struct doc *doc = doc_new();
	struct xbuf out = { 0 };
	char *name;

	(void)state;
	doc_section(doc, "first");
	doc_beside(doc, "extra");
	doc_data(doc, other, 1);
	doc_count(doc, MARK_NONE, 1);
	doc_beside(doc, NULL);
	doc_table(doc, columns, 3, true);
	doc_cell(doc, MARK_NONE, "for people alone");
	doc_table(doc, other, 1, true);
	doc_count(doc, MARK_NONE, 2);
	doc_heading(doc, "The same again");
	doc_table(doc, other, 1, true);
	doc_count(doc, MARK_NONE, 3);
	assert_int_equal(doc_tables(doc), 2);
	assert_int_equal(doc_own_table(doc), 1);
	name = doc_table_name(doc, 0);
	assert_string_equal(name, "first-extra");
	free(name);
	doc_render_csv(&out, doc, 1);
	assert_string_equal(xbuf_text(&out), "n\n2\n3\n");
	xbuf_release(&out);
	doc_free(doc);
}

static void markdown_has_aligned_columns_and_escapes_bars(void **state)
{
	struct doc *doc = doc_new();
	struct xbuf out = { 0 };

	(void)state;
	doc_heading(doc, "T");
	doc_table(doc, columns, 3, false);
	doc_cell(doc, MARK_ASSUMED, "a|b");
	doc_number(doc, MARK_NONE, "2", 2);
	doc_cell(doc, MARK_NONE, "");
	doc_render_markdown(&out, doc);
	assert_string_equal(xbuf_text(&out), "# T\n"
					     "\n"
					     "| name | value |  |\n"
					     "| --- | ---: | --- |\n"
					     "| a\\|b ~ | 2 |  |\n"
					     "\n");
	xbuf_release(&out);
	doc_free(doc);
}

static void a_long_last_cell_goes_on_under_itself(void **state)
{
	struct doc *doc = doc_new();
	struct xbuf out = { 0 };
	char words[400] = "";
	const char *second;

	(void)state;
	for (int i = 0; i < 30; i++)
		(void)strncat(words, "word ", sizeof(words) - strlen(words) - 1);
	doc_table(doc, columns, 3, false);
	doc_cell(doc, MARK_NONE, "n");
	doc_cell(doc, MARK_NONE, "v");
	doc_cell(doc, MARK_NONE, words);
	doc_render_text(&out, doc, false);
	second = strchr(xbuf_text(&out), '\n');
	assert_non_null(second);
	assert_true(second - xbuf_text(&out) <= 100);
	assert_memory_equal(second + 1, "        word", 12);
	xbuf_release(&out);
	doc_free(doc);
}

static void colour_surrounds_text_and_is_undone(void **state)
{
	struct doc *doc = doc_new();
	struct xbuf out = { 0 };

	(void)state;
	doc_heading(doc, "T");
	doc_render_text(&out, doc, true);
	assert_string_equal(xbuf_text(&out), "\033[1mT\033[0m\n");
	xbuf_release(&out);
	doc_free(doc);
}

static void json_sorts_keys_at_every_level_and_keeps_every_digit(void **state)
{
	cJSON *root = json_object();
	cJSON *list = json_array();
	cJSON *inner = json_object();
	struct xbuf out = { 0 };
	cJSON *back;

	(void)state;
	json_put_number(inner, "z", 0.1 + 0.2);
	json_put_null(inner, "a");
	json_put(list, NULL, inner);
	json_put(root, "list", list);
	json_put_count(root, "count", INT64_C(9007199254740993));
	json_put_text(root, "B", "x");
	json_print(&out, root);
	assert_non_null(strstr(xbuf_text(&out), "9007199254740993"));
	assert_non_null(strstr(xbuf_text(&out), "0.30000000000000004"));
	assert_true(strstr(xbuf_text(&out), "\"B\"") < strstr(xbuf_text(&out), "\"count\""));
	assert_true(strstr(xbuf_text(&out), "\"a\"") < strstr(xbuf_text(&out), "\"z\""));
	back = cJSON_Parse(xbuf_text(&out));
	assert_non_null(back);
	cJSON_Delete(back);
	cJSON_Delete(root);
	xbuf_release(&out);
}

static void the_fast_number_brings_every_double_back(void **state)
{
	static const double numbers[] = { 0,
					  1,
					  -1,
					  0.1,
					  0.25,
					  1e-6,
					  123456789012345.0,
					  1e15,
					  4.71e-6,
					  35136,
					  0.30000000000000004,
					  1e-300,
					  1e300,
					  0.0252234567890123456,
					  999999999999999.9 };
	uint64_t seed = 88172645463325252u;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		text[put_double(text, numbers[i])] = '\0';
		assert_true(!(strtod(text, NULL) < numbers[i]) &&
			    !(strtod(text, NULL) > numbers[i]));
	}
	for (int i = 0; i < 200000; i++) {
		double number;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		/* Sizes of seconds and tokens: 2^-18 to 2^42. */
		number = (double)(seed >> 11) / 9007199254740992.0 *
			 (double)(UINT64_C(1) << (seed % 43)) / (double)(1 << (seed % 19));
		text[put_double(text, number)] = '\0';
		if (strtod(text, NULL) < number || strtod(text, NULL) > number)
			fail_msg("%s is not %.17g", text, number);
	}
	text[put_double(text, 0.5)] = '\0';
	assert_string_equal(text, "0.5");
	text[put_double(text, 1200)] = '\0';
	assert_string_equal(text, "1200");
	text[put_double(text, -0.0075)] = '\0';
	assert_string_equal(text, "-0.0075");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_aligns_columns_and_shows_marks),
		cmocka_unit_test(csv_has_keys_and_exact_figures_and_quotes_what_it_must),
		cmocka_unit_test(csv_has_one_table_a_name),
		cmocka_unit_test(markdown_has_aligned_columns_and_escapes_bars),
		cmocka_unit_test(a_long_last_cell_goes_on_under_itself),
		cmocka_unit_test(colour_surrounds_text_and_is_undone),
		cmocka_unit_test(json_sorts_keys_at_every_level_and_keeps_every_digit),
		cmocka_unit_test(the_fast_number_brings_every_double_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
