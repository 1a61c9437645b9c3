#include "text/shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_shown(const char *text, enum shown_as as, const char *expected)
{
	struct xbuf out = { 0 };

	shown_add(&out, text, strlen(text), as);
	assert_string_equal(xbuf_text(&out), expected);
	assert_int_equal(shown_is_plain(text, strlen(text), as), !strcmp(text, expected));
	xbuf_release(&out);
}

static void plain_text_of_any_language_stays(void **state)
{
	static const char *const texts[] = { "", "tp=8 ~ \"x\" \\", "größer als 日本語 עברית 🚀",
					     "e\xcc\x81" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int as = SHOWN_LINE; as <= SHOWN_JSON; as++)
			assert_shown(texts[i], (enum shown_as)as, texts[i]);
}

static void controls_are_spelt_out(void **state)
{
	(void)state;
	assert_shown("a\x1b[31mb\a", SHOWN_LINE, "a\\x1b[31mb\\x07");
	assert_shown("\x7f", SHOWN_LINES, "\\x7f");
	assert_shown("a\nb\r\tc", SHOWN_LINE, "a\\nb\\r\\tc");
	assert_shown("a\nb", SHOWN_LINES, "a\nb");
	/* U+009B begins a sequence on terminals of 8 bits, as the bare byte does. */
	assert_shown("\xc2\x9b"
		     "31m",
		     SHOWN_LINE, "\\x9b31m");
	assert_shown("\x9b"
		     "31m",
		     SHOWN_LINE, "\\x9b31m");
	assert_shown("cut \xe2\x80", SHOWN_LINE, "cut \\xe2\\x80");
}

/* The characters are those of UAX #9 and of "Trojan Source", CVE-2021-42574. */
static void what_turns_the_reading_around_is_spelt_out(void **state)
{
	(void)state;
	assert_shown("a\u202eb\u2066c\u2069\u200f\u061c", SHOWN_LINE,
		     "a\\u202eb\\u2066c\\u2069\\u200f\\u061c");
	assert_shown("a\u2028b", SHOWN_LINES, "a\\u2028b");
}

static void json_reads_back_the_same(void **state)
{
	(void)state;
	assert_shown("{\n\t\"a\": \"\u202e\xc2\x9b\x7f\"\n}", SHOWN_JSON,
		     "{\n\t\"a\": \"\\u202e\\u009b\\u007f\"\n}");
	/* Above U+FFFF a pair of surrogates, RFC 8259 section 7. */
	assert_shown("\U000e0041", SHOWN_JSON, "\\udb40\\udc41");
	assert_shown("\"\xff\"", SHOWN_JSON, "\"\\ufffd\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_of_any_language_stays),
		cmocka_unit_test(controls_are_spelt_out),
		cmocka_unit_test(what_turns_the_reading_around_is_spelt_out),
		cmocka_unit_test(json_reads_back_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
