#include "stepscope/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_failure_fills_the_error_and_is_returned(void **state)
{
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(ss_fail(&err, SS_EUSAGE, "tp", "must be above 0, got %d", -3), SS_EUSAGE);
	assert_int_equal(err.status, SS_EUSAGE);
	assert_string_equal(err.where, "tp");
	assert_string_equal(err.message, "must be above 0, got -3");
}

static void a_caller_may_not_care_why(void **state)
{
	(void)state;
	assert_int_equal(ss_fail(NULL, SS_EIO, "x", "gone"), SS_EIO);
}

static void text_past_the_end_is_cut(void **state)
{
	struct ss_error err = { 0 };
	char text[1000];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(ss_fail(&err, SS_EIO, text, "%s", text), SS_EIO);
	assert_int_equal(strlen(err.where), sizeof(err.where) - 1);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_fills_the_error_and_is_returned),
		cmocka_unit_test(a_caller_may_not_care_why),
		cmocka_unit_test(text_past_the_end_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
