/* What the panes of the explorer say, row by row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/sweep.h"
#include "explorer_fixture.h"

#define DEFAULT "deepseek-v3-h200-fp8-tp8"

/* Milliseconds of all nodes of one op in the Model pane. */
static double op_ms(const struct explorer_fixture *f, const char *op)
{
	const struct table *table = &f->app.tables[PANE_MODEL];
	double total = 0;

	for (size_t i = 0; i < table->shown; i++)
		if (!strcmp(table_text(table, i, 0), op))
			total += strtod(table_text(table, i, 4), NULL);
	return total;
}

/* Attention over 61 layers and 122 all-reduces of the published case: 2.40 and 1.11 ms. */
static void nodes_of_the_model_have_their_price(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_keys(&f, "0");
	assert_true(fabs(op_ms(&f, "Attention") - 2.40) < 0.01);
	assert_true(fabs(op_ms(&f, "AllReduce") - 1.11) < 0.01);
	explorer_keys(&f, "/");
	explorer_type(&f, "o_proj");
	explorer_keys(&f, "<Enter>");
	assert_true(explorer_shows(&f, "7168 x 16384"));
	assert_true(explorer_shows(&f, "117,440,512 a layer"));
	assert_true(explorer_shows(&f, "of 25.22 ms"));
	explorer_release(&f);
}

static void command(struct explorer_fixture *f, const char *text)
{
	explorer_keys(f, ":");
	explorer_type(f, text);
}

/* The launch cost from 1.6 to 4.8 us: 23.67 to 26.78 ms of the published case. */
static void a_coefficient_is_swept(void **state)
{
	static const double ms[] = { 23.67, 24.45, 25.22, 26.00, 26.78 };
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	command(&f, "sweep host_launch_per_kernel 1.6,2.4,3.2,4,4.8");
	assert_int_equal(f.app.sweep->x.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(fabs(f.app.sweep->points[0][i].y - ms[i]) < 0.006);
	/* The cross-hair stands at the present value; the next one is taken. */
	assert_int_equal(f.app.sweep->at, 2);
	explorer_keys(&f, "<Right> <Enter>");
	assert_true(explorer_shows(&f, "26.00 ms ("));
	explorer_keys(&f, "u");
	assert_true(explorer_shows(&f, "25.22 ms ("));
	command(&f, "sweep no_such_entry 1,2");
	assert_true(explorer_shows(&f, "no_such_entry"));
	explorer_release(&f);
}

/* A part has a name, no number, and no place between others. */
static void an_axis_of_names_shows_them(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	command(&f, "sweep hardware h100,h200,b200,b300");
	assert_true(explorer_shows(&f, " step over hardware  "));
	assert_true(explorer_shows(&f, "b200"));
	assert_true(explorer_shows(&f, "b300"));
	assert_true(explorer_shows(&f, "      0+"));
	explorer_release(&f);
}

/* Points that open documents are priced between keys, not within one. */
static void a_sweep_over_the_part_opens_its_documents(void **state)
{
	struct explorer_fixture f;
	struct sweep *sweep = NULL;
	double b200_ms = 0;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	(void)explorer_key(&f, (struct key){ .code = '7' });
	app_refresh(&f.app, sweep_command(&f.app, false, "hardware h200,b200,no-such-part"));
	sweep = f.app.sweep;
	assert_true(sweep->points[0][0].is_waiting);
	while (app_think(&f.app))
		;
	assert_true(fabs(sweep->points[0][0].y - 25.22) < 0.006);
	assert_true(sweep->points[0][1].is_priced);
	assert_false(sweep->points[0][2].is_priced);
	assert_non_null(strstr(sweep->points[0][2].why, "no-such-part"));
	b200_ms = sweep->points[0][1].y;
	explorer_keys(&f, "<Right> <Enter>");
	assert_true(explorer_shows(&f, "8x b200"));
	assert_true(fabs(quote_lead(f.app.quote, f.app.figure) * 1e3 - b200_ms) < 1e-9);
	explorer_keys(&f, "u");
	command(&f, "sweep engine_version");
	assert_true(sweep->x.count > 1);
	assert_int_equal(sweep->done, sweep->x.count);
	explorer_release(&f);
}

static const struct sweep_knee *find_knee(const struct sweep_knee *knees, size_t count,
					  const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(knees[i].text, text))
			return &knees[i];
	fail_msg("no knee \"%s\"", text);
	return NULL;
}

/* 313 requests of 4096 tokens fit in the published case; the sampler of 1,024 takes 1.07 GiB, 8 requests; its graphs end at 512. */
static void knees_tell_what_binds_and_what_fits(void **state)
{
	struct explorer_fixture f;
	struct sweep_knee knees[SWEEP_KNEES];
	size_t count = 0;
	double turn = 0;
	char batch[64];

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	command(&f, "sweep batch 255..257:+1");
	count = sweep_knees(f.app.sweep, knees);
	assert_true(fabs(find_knee(knees, count, "above max_num_seqs")->x - 257) < 1e-9);
	command(&f, "set max_num_seqs 1024");
	command(&f, "sweep batch 303..308:+1");
	count = sweep_knees(f.app.sweep, knees);
	assert_true(fabs(find_knee(knees, count, "fits no more")->x - 306) < 1e-9);
	assert_true(fabs(find_knee(knees, count, "capture ceiling")->x - 512) < 1e-9);
	command(&f, "sweep batch 1..128:+1");
	count = sweep_knees(f.app.sweep, knees);
	turn = find_knee(knees, count, "hbm binds")->x;
	assert_true(explorer_shows(&f, "hbm binds"));
	/* The header says so too, on both sides of it. */
	snprintf(batch, sizeof(batch), "batch %.0fx4096", turn);
	command(&f, batch);
	assert_true(explorer_shows(&f, "serial, hbm"));
	snprintf(batch, sizeof(batch), "batch %.0fx4096", turn - 1);
	command(&f, batch);
	assert_true(explorer_shows(&f, "serial, sm"));
	explorer_release(&f);
}

/*
 * As the published case has them: its caches, what fits, the size of its divergence.
 * The share is .837 to three places; the next hundredth that is enough is shown.
 */
static void memory_and_step_say_what_a_reader_asks(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	assert_true(explorer_shows(&f, "TTFT of 4,096"));
	assert_true(explorer_shows(&f, "largest +3.56 ms"));
	explorer_keys(&f, "5");
	assert_true(explorer_shows(&f, "35,136 B mla x 61"));
	assert_true(explorer_shows(&f, "request of 4,096 137.25 MiB  64 blk"));
	assert_true(explorer_shows(&f, "most  limit"));
	assert_true(explorer_shows(&f, "0.85  KV blocks"));
	explorer_release(&f);
}

/* Of gpt-oss's 36 layers every second has a window: two kinds, a line of their own. */
static void caches_of_several_kinds_are_all_named(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, "gpt-oss-120b-h100-mxfp4-tp4", 24, 80);
	explorer_keys(&f, "5");
	assert_true(explorer_shows(&f, "gqa x 18 + swa x 18"));
	explorer_release(&f);
}

/* On, compared with off: the header has the change, not a stump of the baseline's name. */
static void a_switch_is_previewed_and_compared(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, DEFAULT, 24, 80);
	explorer_select(&f, SS_F_EXPERT_PARALLEL);
	assert_true(explorer_shows(&f, "Next on: -3.56 ms"));
	explorer_keys(&f, "b <Space>");
	assert_true(explorer_shows(&f, "vs A -3.56 ms"));
	explorer_release(&f);
}

/* Names stand whole where there is room for them, and figures always. */
static void wide_lists_cut_no_name(void **state)
{
	struct explorer_fixture f;
	char *screen = NULL;

	(void)state;
	explorer_open(&f, DEFAULT, 60, 200);
	explorer_keys(&f, "3 z");
	assert_true(explorer_shows(&f, "collective_peak_rate_all_reduce_fp16_16rank"));
	assert_true(explorer_shows(&f, "cost-model-host-overheads"));
	screen = explorer_text(&f);
	/* A range has blanks before its dots, a cut name none. */
	for (const char *at = strstr(screen, ".."); at; at = strstr(at + 2, ".."))
		assert_true(at[-1] == ' ');
	free(screen);
	explorer_resize(&f, 24, 80);
	explorer_keys(&f, "z");
	assert_true(explorer_shows(&f, "819.00 MiB"));
	explorer_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_of_the_model_have_their_price),
		cmocka_unit_test(a_coefficient_is_swept),
		cmocka_unit_test(an_axis_of_names_shows_them),
		cmocka_unit_test(a_sweep_over_the_part_opens_its_documents),
		cmocka_unit_test(knees_tell_what_binds_and_what_fits),
		cmocka_unit_test(memory_and_step_say_what_a_reader_asks),
		cmocka_unit_test(caches_of_several_kinds_are_all_named),
		cmocka_unit_test(a_switch_is_previewed_and_compared),
		cmocka_unit_test(wide_lists_cut_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
