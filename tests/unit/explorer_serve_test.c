/* The Serve pane: a load played between two keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app/serve.h"
#include "explorer_fixture.h"

static struct explorer_fixture f;

static int open_pane(void **state)
{
	(void)state;
	explorer_open(&f, "deepseek-v3-h200-fp8-tp8", 24, 80);
	explorer_keys(&f, "V");
	return 0;
}

static int close_pane(void **state)
{
	(void)state;
	explorer_release(&f);
	return 0;
}

static void think(void)
{
	while (app_think(&f.app)) {
	}
	explorer_keys(&f, "");
}

static void the_usual_load_is_whole_in_its_first_frame(void **state)
{
	(void)state;
	/* no slice was played since it was priced */
	app_refresh(&f.app, APP_PRICE);
	assert_true(f.app.serve->is_over);
	assert_true(explorer_shows(&f, "200 requests of 819..1,024 in, 409..512 out, 32 at once"));
	assert_true(explorer_shows(&f, "ttft"));
	assert_true(explorer_shows(&f, "200 of 200"));
}

static void a_toggle_is_played_again_at_once(void **state)
{
	double before = f.app.serve->served.result.latency[SS_LATENCY_TPOT].p50;

	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "set cudagraph_mode NONE");
	assert_true(f.app.serve->is_over);
	assert_true(f.app.serve->served.result.latency[SS_LATENCY_TPOT].p50 > before);
	explorer_keys(&f, "u");
	assert_true(f.app.serve->served.result.latency[SS_LATENCY_TPOT].p50 == before);
}

static void a_point_of_the_curve_is_taken_as_the_load(void **state)
{
	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "load 512/32@32");
	think();
	assert_true(f.app.serve->done == f.app.serve->point_count);
	assert_true(f.app.serve->knee > 0);
	explorer_keys(&f, "l l <Enter>");
	assert_true(explorer_shows(&f, "64 at once"));
	explorer_keys(&f, "-");
	assert_true(explorer_shows(&f, "32 at once"));
	explorer_keys(&f, "v");
	assert_true(explorer_shows(&f, "rate"));
}

static void what_is_promised_is_judged(void **state)
{
	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "slo ttft=1us");
	assert_true(explorer_shows(&f, "NOT met"));
	explorer_keys(&f, ":");
	explorer_type(&f, "slo ttft=100s");
	assert_true(explorer_shows(&f, "met, 100 % of requests"));
}

static void a_load_is_typed_and_a_wrong_one_told(void **state)
{
	(void)state;
	explorer_keys(&f, "e");
	explorer_type(&f, "1000/8@4/s");
	assert_true(explorer_shows(&f, "1,000 in, 8 out, 4/s"));
	explorer_keys(&f, "e");
	explorer_type(&f, "1000/8@often");
	assert_true(explorer_shows(&f, "often"));
	assert_true(explorer_shows(&f, "1,000 in, 8 out, 4/s"));
}

static void a_long_load_goes_on_between_keys(void **state)
{
	(void)state;
	explorer_keys(&f, "e");
	explorer_type(&f, "1000/3000@2");
	app_refresh(&f.app, APP_PRICE);
	assert_false(f.app.serve->is_over);
	assert_true(app_think(&f.app));
	assert_true(ss_serve_progress(f.app.serve->run.serve) < 1);
	screen_draw(&f.screen, &f.page, &f.app);
	assert_true(explorer_shows(&f, "playing"));
	explorer_keys(&f, "t t t t");
	assert_true(f.app.serve->is_over);
	assert_true(explorer_shows(&f, "waiting"));
}

static void the_band_is_played_after_the_figure(void **state)
{
	const struct serve_view *v = f.app.serve;

	(void)state;
	while (v->sides < 2 && app_think(&f.app)) {
	}
	explorer_keys(&f, "");
	assert_int_equal(v->sides, 2);
	assert_true(v->ends[0].latency[SS_LATENCY_TPOT].p50 <
		    v->served.result.latency[SS_LATENCY_TPOT].p50);
	assert_true(v->ends[1].latency[SS_LATENCY_TPOT].p50 >
		    v->served.result.latency[SS_LATENCY_TPOT].p50);
	assert_true(explorer_shows(&f, "; p50 ttft "));
}

/** From the slowest to the fastest, each that runs once. */
static void walk_frontier(void)
{
	const struct serve_view *v = f.app.serve;
	size_t seen = 1, runs = 0, at;
	double last;

	for (size_t i = 0; i < v->frontier_count; i++)
		runs += v->frontier[i].is_done;
	assert_true(v->frontier[v->frontier_at].is_done);
	for (size_t i = 0; i < runs; i++)
		explorer_keys(&f, "h");
	last = v->frontier[v->frontier_at].per_user;
	for (at = v->frontier_count; seen <= runs && v->frontier_at != at; seen++) {
		at = v->frontier_at;
		assert_true(v->frontier[at].is_done && v->frontier[at].per_user >= last);
		last = v->frontier[at].per_user;
		explorer_keys(&f, "l");
	}
	assert_int_equal(seen, runs + 1);
}

static void a_point_of_the_frontier_is_a_deployment(void **state)
{
	struct serve_view *v = f.app.serve;
	size_t at;

	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "load 200/20@8");
	explorer_keys(&f, "p");
	think();
	assert_true(v->frontier_done == v->frontier_count);
	walk_frontier();
	at = v->frontier_at;
	explorer_keys(&f, "<Enter>");
	assert_int_equal(ss_scenario_value(f.app.draft.scenario, 0, SS_F_TP)->integer,
			 v->frontier[at].tp);
	assert_true(ss_scenario_value(f.app.draft.scenario, 0, SS_F_REPLICAS)->is_stated);
}

static void what_does_not_run_is_told(void **state)
{
	(void)state;
	explorer_keys(&f, ":");
	explorer_type(&f, "set tp 3");
	assert_true(explorer_shows(&f, "serves no one") || f.app.is_refused);
	assert_false(f.app.serve->is_open);
}

#define ON_PANE(test) cmocka_unit_test_setup_teardown(test, open_pane, close_pane)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_PANE(the_usual_load_is_whole_in_its_first_frame),
		ON_PANE(a_toggle_is_played_again_at_once),
		ON_PANE(a_point_of_the_curve_is_taken_as_the_load),
		ON_PANE(what_is_promised_is_judged),
		ON_PANE(a_load_is_typed_and_a_wrong_one_told),
		ON_PANE(a_long_load_goes_on_between_keys),
		ON_PANE(the_band_is_played_after_the_figure),
		ON_PANE(a_point_of_the_frontier_is_a_deployment),
		ON_PANE(what_does_not_run_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
