/* Options of one's own: what a file of them says, and where it is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app/own_options.h"

static void lines_state_options_and_the_rest_is_as_it_comes(void **state)
{
	struct own_options own = { 0 };
	struct ss_error err = { 0 };
	char word[32];

	(void)state;
	assert_int_equal(own_options_read(&own,
					  "# mine\n[explorer]\n\tmouse = on ; always\n"
					  "figure=serial\r\n\n",
					  "config", &err),
			 SS_OK);
	assert_true(own_option_is(&own, OWN_MOUSE, "on"));
	assert_string_equal(own_option(&own, OWN_FIGURE, word, sizeof(word)), "serial");
	assert_string_equal(own_option(&own, OWN_DRAW, word, sizeof(word)), "auto");
	assert_int_equal(own.lines[OWN_MOUSE], 3);
	assert_int_equal(own.lines[OWN_FIGURE], 4);
	assert_int_equal(own.lines[OWN_DRAW], 0);
}

static void an_error_names_the_line_and_what_would_be_right(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "mouse = on\nmouse = maybe\n", "line 2: mouse: one of off on" },
		{ "\n\ncolour = never", "line 3: no option is called \"colour\"" },
		{ "mouse on", "line 1: NAME = VALUE" },
		{ "mouse =", "line 1: mouse: one of" },
		{ "= on", "line 1: no option is called \"\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct own_options own = { 0 };
		struct ss_error err = { 0 };

		assert_int_equal(own_options_read(&own, cases[i].text, "config", &err),
				 SS_EDOCUMENT);
		assert_string_equal(err.where, "config");
		assert_non_null(strstr(err.message, cases[i].says));
		/* what stands before the line holds */
		assert_true(own_option_is(&own, OWN_MOUSE, i ? "off" : "on"));
	}
}

static void the_list_says_where_each_came_from(void **state)
{
	struct own_options own = { 0 };
	struct ss_error err = { 0 };
	struct xbuf out = { 0 };

	(void)state;
	assert_int_equal(own_options_read(&own, "pane = memory", "config", &err), SS_OK);
	assert_true(own_option_set(&own, OWN_DRAW, "blocks"));
	assert_false(own_option_set(&own, OWN_DRAW, "crayon"));
	own_options_list(&out, &own, "config");
	assert_non_null(strstr(xbuf_text(&out), "pane     = memory       line 1"));
	assert_non_null(strstr(xbuf_text(&out), "draw     = blocks       command line"));
	assert_non_null(strstr(xbuf_text(&out), "mouse    = off          as it comes"));
	xbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_state_options_and_the_rest_is_as_it_comes),
		cmocka_unit_test(an_error_names_the_line_and_what_would_be_right),
		cmocka_unit_test(the_list_says_where_each_came_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
