/* Tours: reading, checking, playing back and forth, recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "app/tour.h"
#include "explorer_fixture.h"

#define DEFAULT "deepseek-v3-h200-fp8-tp8"

/* One figure, enough for the tests: the serial step. */
static bool find_serial(void *context, const struct app *app, const char *path, double *out)
{
	(void)context;
	if (strcmp(path, "price.serial_s") != 0 || !app->quote)
		return false;
	*out = app->quote->breakdown.step.serial_s;
	return true;
}

static const struct tour_figures figures = { .find = find_serial };

static bool parse(struct tour *tour, const char *text, struct ss_problems *problems)
{
	return tour_parse(tour, text, strlen(text), "x.tour", problems);
}

static void mistakes_are_all_named_with_their_lines(void **state)
{
	struct tour tour = { 0 };
	struct ss_problems problems = { 0 };

	(void)state;
	assert_false(parse(&tour,
			   "say hello\nfly north\nset\nexpect price.serial_s ~ 3\npause now\n",
			   &problems));
	assert_int_equal(problems.count, 4);
	assert_string_equal(problems.items[0].file, "x.tour:2");
	assert_string_equal(problems.items[3].file, "x.tour:5");
	ss_problems_release(&problems);
}

static void a_check_fails_on_each_expectation_not_met(void **state)
{
	/* 25.22 ms is the published figure of the case. */
	static const char script[] = "# the published case\n"
				     "expect price.serial_s = 0.02522 within 0.1%\n"
				     "expect price.serial_s > 0.03\n"
				     "set tp=3\n"
				     "expect refused E1\n"
				     "expect refused P1\n"
				     "expect price.no_such_figure = 1\n";
	struct explorer_fixture f;
	struct tour tour = { 0 };
	struct ss_problems problems = { 0 };

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	assert_true(parse(&tour, script, &problems));
	assert_int_equal(tour_check(&f.app, &tour, &figures, "x.tour", &problems), 3);
	assert_string_equal(problems.items[0].file, "x.tour:3");
	assert_string_equal(problems.items[1].file, "x.tour:6");
	assert_string_equal(problems.items[2].file, "x.tour:7");
	ss_problems_release(&problems);
	tour_release(&tour);
	explorer_release(&f);
}

static void playing_goes_on_and_back_by_captions(void **state)
{
	static const char script[] =
		"say one\nsay two\nset tp=4\ngoto Memory\nsay three\nset tp=2\n";
	struct explorer_fixture f;
	struct tour tour = { 0 };
	const struct ss_value *tp = NULL;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	assert_true(parse(&tour, script, NULL));
	tour_start(&f.app, &tour, &figures);
	explorer_keys(&f, "");
	tp = ss_scenario_value(f.app.draft.scenario, 0, SS_F_TP);
	assert_true(explorer_shows(&f, "one"));
	explorer_keys(&f, "<Space>");
	assert_string_equal(f.app.tour->caption, "two");
	assert_int_equal(tp->integer, 4);
	assert_int_equal(f.app.pane, PANE_MEMORY);
	explorer_keys(&f, "<Space>");
	assert_int_equal(tp->integer, 2);
	explorer_keys(&f, "<Backspace>");
	assert_int_equal(tp->integer, 4);
	assert_string_equal(f.app.tour->caption, "two");
	explorer_keys(&f, "<Backspace>");
	assert_int_equal(tp->integer, 8);
	assert_int_equal(f.app.pane, PANE_STEP);
	/* q pauses, and keys are the explorer's again until T. */
	explorer_keys(&f, "q");
	assert_true(f.app.tour->is_free);
	explorer_keys(&f, "T");
	assert_false(f.app.tour->is_free);
	explorer_release(&f);
}

static void what_is_recorded_plays_to_the_same_state(void **state)
{
	struct explorer_fixture f, g;
	struct tour tour = { 0 };
	struct ss_problems problems = { 0 };
	const double tried = 2.4;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_keys(&f, ":");
	explorer_type(&f, "record x.tour");
	explorer_select(&f, SS_F_TP);
	explorer_keys(&f, "-");
	explorer_keys(&f, ":");
	explorer_type(&f, "say half the GPUs");
	explorer_select(&f, SS_F_BLOCK_SIZE);
	explorer_keys(&f, "<Del> 6 +");
	history_set_whatif(&f.app.history, &f.app.draft, "host_launch_per_kernel", &tried);
	explorer_keys(&f, "2");
	explorer_keys(&f, ":");
	explorer_type(&f, "record");
	explorer_open(&g, DEFAULT, 24, 80);
	if (!parse(&tour, xbuf_text(&f.app.clipboard), &problems))
		print_error("%s\n%s\n", problems.items[0].message, xbuf_text(&f.app.clipboard));
	assert_int_equal(tour_check(&g.app, &tour, &figures, "x.tour", &problems), 0);
	assert_true(draft_equal(&f.app.draft, &g.app.draft));
	assert_int_equal(g.app.pane, PANE_PROVENANCE);
	assert_non_null(strstr(xbuf_text(&f.app.clipboard), "say half the GPUs\n"));
	tour_release(&tour);
	explorer_release(&f);
	explorer_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_all_named_with_their_lines),
		cmocka_unit_test(a_check_fails_on_each_expectation_not_met),
		cmocka_unit_test(playing_goes_on_and_back_by_captions),
		cmocka_unit_test(what_is_recorded_plays_to_the_same_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
