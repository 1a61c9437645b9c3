#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "view/text.h"

#define KANJI "\xe6\xbc\xa2"
#define E_ACUTE "e\xcc\x81"

static void widths_follow_the_unicode_classes(void **state)
{
	(void)state;
	assert_int_equal(text_width("tp"), 2);
	assert_int_equal(text_width(KANJI KANJI), 4);
	assert_int_equal(text_width(E_ACUTE), 1);
	assert_int_equal(text_width("\xc3\xa9"), 1);
	assert_int_equal(text_cp_width(0x1f600), 2);
	assert_int_equal(text_cp_width(0x200b), 0);
	assert_int_equal(text_cp_width(0x2500), 1);
	assert_int_equal(text_cp_width(0x28ff), 1);
	assert_int_equal(text_cp_width(0xff21), 2);
	assert_int_equal(text_width(NULL), 0);
}

static void malformed_bytes_are_one_replacement_each(void **state)
{
	static const char *const bad[] = { "\xff",         "\x80",         "\xc0\x80",
					   "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
					   "\xe6\xbc" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint32_t cp = 0;

		assert_int_equal(text_decode(bad[i], strlen(bad[i]), &cp), 1);
		assert_int_equal(cp, TEXT_REPLACEMENT);
	}
}

static void every_code_point_survives_a_round_trip(void **state)
{
	uint32_t cp, back;
	char bytes[4];

	(void)state;
	for (cp = 0; cp < 0x110000; cp += cp < 0x3000 ? 1 : 97) {
		size_t n;

		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		n = text_encode(bytes, cp);
		assert_int_equal(text_decode(bytes, n, &back), n);
		assert_int_equal(back, cp);
	}
}

static void cleaning_replaces_control_bytes(void **state)
{
	char out[32];

	(void)state;
	text_clean(out, sizeof(out), "a\033[31mb\tc\x7f\xff", 11);
	assert_string_equal(out, "a?[31mb?c??");
	text_clean(out, 4, KANJI KANJI, 6);
	assert_string_equal(out, KANJI);
	text_clean(out, 3, KANJI, 3);
	assert_string_equal(out, "");
}

static void cutting_marks_what_is_missing(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(text_cut(out, sizeof(out), "max_num_batched_tokens", 18), 18);
	assert_string_equal(out, "max_num_batched_..");
	assert_int_equal(text_cut(out, sizeof(out), "tp", 18), 2);
	assert_string_equal(out, "tp");
	text_cut(out, sizeof(out), "abc", 1);
	assert_string_equal(out, ".");
	assert_int_equal(text_cut(out, sizeof(out), KANJI KANJI KANJI, 5), 4);
	assert_string_equal(out, KANJI "..");
	text_cut(out, sizeof(out), "abc", 0);
	assert_string_equal(out, "");
}

static void no_cut_is_wider_than_asked_or_longer_than_its_buffer(void **state)
{
	static const char text[] = "a" KANJI E_ACUTE " bcd" KANJI "ef" E_ACUTE;
	char out[64];
	size_t size;
	int cols;

	(void)state;
	for (cols = 0; cols < 20; cols++) {
		for (size = 1; size < sizeof(out); size++) {
			int used = text_cut(out, size, text, cols);

			assert_true(used <= cols);
			assert_true(strlen(out) < size);
			assert_int_equal(text_width(out), used);
		}
	}
}

static void wrapped_lines_break_at_blanks(void **state)
{
	static const char text[] = "the engine shards the experts by tp\n\nthis law not";
	static const char *const expected[] = { "the engine", "shards the", "experts by", "tp",
						"",           "this law",   "not" };
	const char *start;
	size_t pos = 0, len, i = 0;

	(void)state;
	while (text_wrap(text, &pos, 10, &start, &len)) {
		assert_true(i < sizeof(expected) / sizeof(expected[0]));
		assert_int_equal(len, strlen(expected[i]));
		assert_memory_equal(start, expected[i], len);
		i++;
	}
	assert_int_equal(i, sizeof(expected) / sizeof(expected[0]));
}

static void wrapping_ends_and_loses_no_word_at_any_width(void **state)
{
	static const char text[] = "  lead " KANJI KANJI KANJI " averyverylongword x\ny  z ";
	int cols;

	(void)state;
	for (cols = 1; cols < 40; cols++) {
		const char *start;
		size_t pos = 0, len, letters = 0, i;
		int lines = 0;

		while (text_wrap(text, &pos, cols, &start, &len)) {
			assert_true(++lines < 100);
			assert_true(cols < 2 || text_width_n(start, len) <= cols);
			for (i = 0; i < len; i++)
				letters += start[i] != ' ';
		}
		assert_int_equal(letters, 4 + 9 + 17 + 3);
	}
}

static void finding_ignores_case(void **state)
{
	(void)state;
	assert_int_equal(text_find("cudagraph_MODE", "mode"), 10);
	assert_int_equal(text_find("tp", "tp "), -1);
	assert_int_equal(text_find("tp", ""), -1);
	assert_int_equal(text_find("", "x"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_follow_the_unicode_classes),
		cmocka_unit_test(malformed_bytes_are_one_replacement_each),
		cmocka_unit_test(every_code_point_survives_a_round_trip),
		cmocka_unit_test(cleaning_replaces_control_bytes),
		cmocka_unit_test(cutting_marks_what_is_missing),
		cmocka_unit_test(no_cut_is_wider_than_asked_or_longer_than_its_buffer),
		cmocka_unit_test(wrapped_lines_break_at_blanks),
		cmocka_unit_test(wrapping_ends_and_loses_no_word_at_any_width),
		cmocka_unit_test(finding_ignores_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
