/* Tables of published runs as people write them, and what is said of those that cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/runs.h"

#define HEAD "model,part,tp,concurrency,prompt,output,tpot_ms\n"

static struct ss_runs read(const char *text)
{
	struct ss_problems problems = { 0 };
	struct ss_runs runs;

	if (ss_runs_parse(&runs, text, strlen(text), "t.csv", &problems))
		fail_msg("%s: %s", problems.items[0].pointer, problems.items[0].message);
	ss_problems_release(&problems);
	return runs;
}

static void refused(const char *text, const char *where, const char *why)
{
	struct ss_problems problems = { 0 };
	struct ss_runs runs;

	assert_int_equal(ss_runs_parse(&runs, text, strlen(text), "t.csv", &problems),
			 SS_EDOCUMENT);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].pointer, where);
	if (!strstr(problems.items[0].message, why))
		fail_msg("\"%s\" does not say \"%s\"", problems.items[0].message, why);
	ss_problems_release(&problems);
}

static void fault(const char *row, const char *why)
{
	char text[512];
	struct ss_runs runs;

	(void)snprintf(text, sizeof(text), "%s%s", HEAD, row);
	runs = read(text);
	assert_int_equal(runs.fault_count, *why ? 1 : 0);
	assert_int_equal(runs.items[0].line, 2);
	if (!strstr(runs.items[0].fault, why))
		fail_msg("\"%s\" does not say \"%s\"", runs.items[0].fault, why);
	ss_runs_release(&runs);
}

static void columns_stand_in_any_order(void **state)
{
	struct ss_runs runs = read("tpot_ms,output_high,batch,ttft_ms,prompt_low,part,model,"
				   "output_low,prompt_high,engine_version,source,precision,ep\n"
				   "7.5,1024,64,116.4,819,h100,m,900,1000,0.18.0,us,fp8,8\n");
	const struct ss_run *r = &runs.items[0];

	(void)state;
	assert_int_equal(runs.count, 1);
	assert_string_equal(r->fault, "");
	assert_string_equal(r->model, "m");
	assert_string_equal(r->part, "h100");
	assert_string_equal(r->precision, "fp8");
	assert_string_equal(r->engine_version, "0.18.0");
	assert_string_equal(r->source, "us");
	assert_int_equal(r->ep, 8);
	assert_int_equal(r->concurrency, 64);
	assert_int_equal(r->prompt_low, 819);
	assert_int_equal(r->prompt_high, 1000);
	assert_int_equal(r->output_low, 900);
	assert_int_equal(r->output_high, 1024);
	assert_true(r->tpot_s > 0.00749 && r->tpot_s < 0.00751);
	assert_true(r->ttft_s > 0.11639 && r->ttft_s < 0.11641);
	ss_runs_release(&runs);
}

static void columns_of_the_deployment_are_settings_where_a_row_states_them(void **state)
{
	struct ss_runs runs = read("model,part,tp,cache_dtype,concurrency,prompt,output,tpot_ms\n"
				   "m,p,4,,1,2,3,4\n"
				   "m,p,8,fp8,1,2,3,4\n");

	(void)state;
	assert_int_equal(runs.items[0].setting_count, 1);
	assert_string_equal(runs.items[0].settings[0].path, "tp");
	assert_string_equal(runs.items[0].settings[0].text, "4");
	assert_int_equal(runs.items[1].setting_count, 2);
	assert_string_equal(runs.items[1].settings[1].path, "cache_dtype");
	assert_string_equal(runs.items[1].settings[1].text, "fp8");
	ss_runs_release(&runs);
}

static void quotes_line_ends_and_a_byte_order_mark_are_no_part_of_a_cell(void **state)
{
	struct ss_runs runs = read("\xef\xbb\xbf\"model\",part , tp,concurrency,prompt,output,"
				   "source,tpot_ms\r\n"
				   "\r\n"
				   "m,\"p\",\"4\",1,2,3,\"a, \"\"b\"\"\r\nc\",4\r\n"
				   "m,p,4,1,2,3,,\"5\"");

	(void)state;
	assert_int_equal(runs.count, 2);
	assert_int_equal(runs.fault_count, 0);
	assert_string_equal(runs.items[0].part, "p");
	assert_string_equal(runs.items[0].source, "a, \"b\"\r\nc");
	assert_int_equal(runs.items[0].line, 3);
	assert_int_equal(runs.items[1].line, 5);
	assert_string_equal(runs.items[1].source, "");
	ss_runs_release(&runs);
}

static void unknown_columns_are_named(void **state)
{
	struct ss_runs runs = read("gpu_hours,model,part,concurrency,prompt,output,tpot_ms,e2e_ms\n"
				   "1,m,p,1,2,3,4,5\n");

	(void)state;
	assert_int_equal(runs.unknown_count, 2);
	assert_string_equal(runs.unknown[0], "gpu_hours");
	assert_string_equal(runs.unknown[1], "e2e_ms");
	assert_int_equal(runs.fault_count, 0);
	ss_runs_release(&runs);
}

static void one_end_of_a_length_is_both(void **state)
{
	struct ss_runs runs = read("model,part,concurrency,prompt_high,output_low,ttft_ms\n"
				   "m,p,1,20,30,4\n");

	(void)state;
	assert_int_equal(runs.items[0].prompt_low, 20);
	assert_int_equal(runs.items[0].output_high, 30);
	ss_runs_release(&runs);
}

static void a_faulty_row_says_the_column_and_what_would_be_right(void **state)
{
	(void)state;
	fault("m,p,4,1,2,3,4\n", "");
	fault("m,p,4,1,2,3,9;7\n", "column tpot_ms: \"9;7\" wants milliseconds");
	fault("m,p,4,1,2,3,-1\n", "column tpot_ms: \"-1\" wants milliseconds");
	fault("m,p,4,1,2,3,nan\n", "column tpot_ms");
	fault("m,p,4,1,2,3,\n", "column tpot_ms: nothing was measured");
	fault("m,p,4,1.5,2,3,4\n", "column concurrency: \"1.5\" wants a whole number from 1");
	fault("m,p,4,,2,3,4\n", "column concurrency: no number of requests");
	fault("m,p,4,1,0,3,4\n", "column prompt: \"0\" wants a whole number from 1");
	fault("m,p,4,1,2,,4\n", "column output: no tokens");
	fault("m,,4,1,2,3,4\n", "column part is empty");
	fault(",p,4,1,2,3,4\n", "column model is empty");
	fault("m,p,4,1,2,3\n", "has 6 columns where the heading has 7");
	fault("m,p,4,1,2,3,4,\n", "has 8 columns where the heading has 7");
}

static void a_range_upside_down_is_a_fault(void **state)
{
	struct ss_runs runs = read("model,part,concurrency,prompt_low,prompt_high,output,tpot_ms\n"
				   "m,p,1,20,10,30,4\n");

	(void)state;
	assert_non_null(strstr(runs.items[0].fault, "prompt_low: 20 is above prompt_high 10"));
	ss_runs_release(&runs);
}

static void a_heading_that_lacks_a_column_says_which(void **state)
{
	(void)state;
	refused("", "line 1", "is empty");
	refused(HEAD, "line 1", "no run below it");
	refused("part,concurrency,prompt,output,tpot_ms\n1,2\n", "line 1", "a column model");
	refused("modell,part,concurrency,prompt,output,tpot_ms\n1\n", "line 1",
		"is modell meant for it?");
	refused("model,concurrency,prompt,output,tpot_ms\n1\n", "line 1", "a column part");
	refused("model,part,prompt,output,tpot_ms\n1\n", "line 1", "a column concurrency");
	refused("model,part,concurrency,output,tpot_ms\n1\n", "line 1", "a column prompt");
	refused("model,part,concurrency,prompt,tpot_ms\n1\n", "line 1", "a column output");
	refused("model,part,concurrency,prompt,output\n1\n", "line 1", "tpot_ms or ttft_ms");
	refused("model,model,part,concurrency,prompt,output,tpot_ms\n1\n", "line 1",
		"column model is there twice");
	refused("model,part,batch,concurrency,prompt,output,tpot_ms\n1\n", "line 1",
		"one of them is enough");
	refused(HEAD "m,p,4,1,2,3,\"4\n", "line 2", "never closed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_stand_in_any_order),
		cmocka_unit_test(columns_of_the_deployment_are_settings_where_a_row_states_them),
		cmocka_unit_test(quotes_line_ends_and_a_byte_order_mark_are_no_part_of_a_cell),
		cmocka_unit_test(unknown_columns_are_named),
		cmocka_unit_test(one_end_of_a_length_is_both),
		cmocka_unit_test(a_faulty_row_says_the_column_and_what_would_be_right),
		cmocka_unit_test(a_range_upside_down_is_a_fault),
		cmocka_unit_test(a_heading_that_lacks_a_column_says_which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
