#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "documents/buf.h"

static void what_is_added_stands_in_order(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	buf_text(&buf, "a");
	buf_char(&buf, 'b');
	buf_printf(&buf, "%d-%s", 12, "c");
	buf_add(&buf, "\0d", 2);
	assert_int_equal(buf.length, 8);
	assert_memory_equal(buf.data, "ab12-c\0d", 9);
	buf_clear(&buf);
	buf_text(&buf, "z");
	assert_string_equal(buf.data, "z");
	buf_release(&buf);
	assert_null(buf.data);
}

static void it_grows_past_any_first_size(void **state)
{
	struct buf buf = { 0 };
	char *text;
	size_t length;

	(void)state;
	for (int i = 0; i < 10000; i++)
		buf_printf(&buf, "%04d", i);
	text = buf_take(&buf, &length);
	assert_non_null(text);
	assert_int_equal(length, 40000);
	assert_int_equal(strlen(text), 40000);
	assert_memory_equal(text + 39996, "9999", 5);
	assert_null(buf.data);
	free(text);
}

static void an_empty_one_gives_an_empty_text(void **state)
{
	struct buf buf = { 0 };
	char *text = buf_take(&buf, NULL);

	(void)state;
	assert_non_null(text);
	assert_string_equal(text, "");
	free(text);
}

static void a_size_no_memory_has_is_remembered(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	buf_text(&buf, "a");
	buf_add(&buf, "b", SIZE_MAX - 1);
	assert_true(buf.is_out_of_memory);
	buf_text(&buf, "c");
	assert_string_equal(buf.data, "a");
	assert_null(buf_take(&buf, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_stands_in_order),
		cmocka_unit_test(it_grows_past_any_first_size),
		cmocka_unit_test(an_empty_one_gives_an_empty_text),
		cmocka_unit_test(a_size_no_memory_has_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
