/* Loads as documents, flags and traces state them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/load.h"
#include "stepscope/registry.h"

#define SCENARIO TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json"

static struct ss_scenario *open_scenario(void)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *s = ss_scenario_load(SCENARIO, &problems);

	assert_non_null(s);
	ss_problems_release(&problems);
	return s;
}

static struct ss_load load_of(const struct ss_scenario *s)
{
	struct ss_load load;

	assert_int_equal(ss_load_resolve(&load, s, NULL, 32, NULL), SS_OK);
	return load;
}

static void set(struct ss_scenario *s, const char *path, const char *text)
{
	assert_int_equal(ss_scenario_set(s, 0, path, text, NULL), SS_OK);
}

static void nothing_stated_is_two_hundred_at_the_batchs_concurrency(void **state)
{
	struct ss_scenario *s = open_scenario();
	struct ss_load load = load_of(s);

	(void)state;
	assert_int_equal(load.requests, 200);
	assert_int_equal(load.arrival, SS_ARRIVAL_CONCURRENCY);
	assert_int_equal(load.concurrency, 32);
	assert_int_equal(load.prompt.high, 1024);
	assert_int_equal(load.prompt.low, 819); /* 0.8 of it */
	assert_int_equal(load.output.high, 512);
	ss_scenario_free(s);
}

static void short_forms_are_read(void **state)
{
	struct ss_scenario *s = open_scenario();
	struct ss_error err = { 0 };
	struct ss_load load;

	(void)state;
	assert_int_equal(ss_load_set(s, NULL, "1024/512@64", NULL), SS_OK);
	load = load_of(s);
	assert_int_equal(load.concurrency, 64);
	assert_int_equal(load.prompt.form, SS_LENGTH_FIXED);
	assert_int_equal(load.output.low, 512);
	assert_int_equal(ss_load_set(s, NULL, "8k/1k@20/s", NULL), SS_OK);
	load = load_of(s);
	assert_int_equal(load.arrival, SS_ARRIVAL_RATE);
	assert_true(load.rate == 20);
	assert_int_equal(load.prompt.low, 8000);
	assert_int_equal(ss_load_set(s, NULL, "100..200/50", NULL), SS_OK);
	load = load_of(s);
	assert_int_equal(load.arrival, SS_ARRIVAL_AT_ONCE);
	assert_int_equal(load.prompt.form, SS_LENGTH_UNIFORM);
	assert_int_equal(load.prompt.low, 100);
	assert_int_equal(load.prompt.high, 200);
	assert_int_equal(ss_load_set(s, NULL, "1024/512@fast", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "10/24/5", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "1024/", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "/512@8", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "1024/512@", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "1024/512@/s", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "800../512", &err), SS_EUSAGE);
	assert_int_equal(ss_load_set(s, NULL, "..800/512", &err), SS_EUSAGE);
	ss_scenario_free(s);
}

static void one_way_to_arrive_takes_the_place_of_another(void **state)
{
	struct ss_scenario *s = open_scenario();

	(void)state;
	set(s, "workload.concurrency", "8");
	set(s, "rate", "2.5");
	assert_false(s->values[SS_F_LOAD_CONCURRENCY].is_stated);
	assert_true(load_of(s).rate == 2.5);
	set(s, "workload.prompt.low", "10");
	set(s, "workload.prompt.high", "20");
	set(s, "workload.prompt.tokens", "15");
	assert_int_equal(load_of(s).prompt.form, SS_LENGTH_FIXED);
	ss_scenario_free(s);
}

static void a_shape_gives_what_the_scenario_leaves_open(void **state)
{
	const char *root = TEST_SRCDIR "/registry";
	struct ss_scenario *s = open_scenario();
	const struct ss_workload_shape *shape;
	struct ss_registry *registry = NULL;
	struct ss_load load;

	(void)state;
	assert_int_equal(ss_registry_new(&registry, &root, 1, NULL), SS_OK);
	shape = ss_registry_workload(registry, "random-8k-1k", NULL);
	assert_non_null(shape);
	assert_int_equal(ss_load_resolve(&load, s, shape, 16, NULL), SS_OK);
	assert_int_equal(load.requests, 160);
	assert_int_equal(load.concurrency, 16);
	set(s, "workload.rate", "3");
	assert_int_equal(ss_load_resolve(&load, s, shape, 16, NULL), SS_OK);
	assert_int_equal(load.arrival, SS_ARRIVAL_RATE);
	assert_int_equal(load.requests, 200);
	assert_int_equal(load.prompt.low, 6553);
	ss_registry_free(registry);
	ss_scenario_free(s);
}

static void expect_fault(const char *workload, const char *pointer, const char *part)
{
	static const char json[] = "{\"kind\":\"Workload\",\"name\":\"x\",%s\"comment\":\"\"}";
	char path[] = "/tmp/stepscope-load-XXXXXX", text[512];
	struct ss_problems problems = { 0 };
	struct ss_problem *first;
	int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	assert_non_null(f);
	(void)snprintf(text, sizeof(text), json, workload);
	assert_true(fputs(text, f) >= 0 && !fclose(f));
	(void)ss_document_validate(path, &problems);
	(void)remove(path);
	assert_true(problems.count > 0);
	first = &problems.items[0];
	assert_string_equal(first->pointer, pointer);
	if (!strstr(first->message, part))
		fail_msg("%s: %s", first->pointer, first->message);
	ss_problems_release(&problems);
}

static void what_does_not_go_together_is_said(void **state)
{
	(void)state;
	expect_fault("\"output\":{\"tokens\":5},", "/prompt", "missing");
	expect_fault("\"prompt\":{\"low\":9,\"high\":3},\"output\":{\"tokens\":5},", "/prompt/low",
		     "must not exceed high (3)");
	expect_fault("\"prompt\":{\"tokens\":9,\"high\":3},\"output\":{\"tokens\":5},", "/prompt",
		     "must state one");
	expect_fault("\"prompt\":{\"tokens\":9},\"output\":{\"tokens\":5},\"rate\":2,"
		     "\"concurrency\":3,",
		     "", "by concurrency, by rate or by trace");
	expect_fault("\"prompt\":{\"tokens\":9},\"output\":{\"tokens\":5},\"slo\":\"ttft\",",
		     "/slo", "wants the form");
}

static struct ss_trace trace_of(const char *text)
{
	struct ss_problems problems = { 0 };
	struct ss_trace trace = { 0 };

	if (ss_trace_parse(&trace, text, strlen(text), "t", &problems))
		fail_msg("%s", problems.count ? problems.items[0].message : "?");
	ss_problems_release(&problems);
	return trace;
}

static void near(double found, double expected)
{
	assert_true(fabs(found - expected) < 1e-6);
}

/* Columns as the Azure and Mooncake traces name them. */
static void traces_of_three_makes_are_read(void **state)
{
	struct ss_trace t = trace_of("arrival,prompt,output\n0.5,10,3\n0.25,20,4\r\n");

	(void)state;
	assert_int_equal(t.count, 2);
	assert_int_equal(t.rows[0].prompt, 20); /* in order of arrival */
	near(t.rows[1].arrival_s, 0.5);
	ss_trace_release(&t);
	t = trace_of("TIMESTAMP,ContextTokens,GeneratedTokens\n"
		     "2023-11-16 23:59:59.5000000,374,44\n2023-11-17 00:00:01.0000000,396,109\n");
	near(t.rows[0].arrival_s, 0);
	near(t.rows[1].arrival_s, 1.5);
	ss_trace_release(&t);
	t = trace_of("{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500, "
		     "\"hash_ids\": [0, 1, 2]}\n"
		     "{\"timestamp\": 3052, \"input_length\": 7319, \"output_length\": 490, "
		     "\"hash_ids\": [0, 14]}\n");
	near(t.rows[1].arrival_s, 3.052);
	assert_int_equal(t.rows[0].hash_count, 3);
	assert_int_equal(t.rows[1].hashes[1], 14);
	ss_trace_release(&t);
}

static void a_fault_of_a_trace_names_its_line(void **state)
{
	static const char *const texts[] = {
		"arrival,prompt,output\n0,10,3\n1,x,4\n",
		"arrival,prompt\n0,10\n",
		"{\"arrival\": 1, \"prompt\": 0, \"output\": 4}\n",
		"arrival,prompt,output\n",
		"arrival,prompt,output\n1,5\n",
		/* pieces that no integer holds, times that no clock shows */
		"{\"arrival\":1,\"prompt\":9,\"output\":4,\"hash_ids\":[1e300]}\n",
		"{\"arrival\":1,\"prompt\":9,\"output\":4,\"hash_ids\":[0.5]}\n",
		"arrival,prompt,output,hash_ids\n0,9,4,[99999999999999999999]\n",
		"{\"arrival\":1e999,\"prompt\":9,\"output\":4}\n",
		"timestamp,input_length,output_length\n1e16,5,5\n",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-99-16 18:15:46,5,5\n",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 -9:15:46,5,5\n",
	};
	static const char *const places[] = { "line 3", "line 1", "line 1", "line 2",
					      "line 2", "line 1", "line 1", "line 2",
					      "line 1", "line 2", "line 2", "line 2" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ss_problems problems = { 0 };
		struct ss_trace trace = { 0 };

		assert_int_equal(ss_trace_parse(&trace, texts[i], strlen(texts[i]), "t", &problems),
				 SS_EDOCUMENT);
		assert_int_equal(problems.count, 1);
		assert_string_equal(problems.items[0].pointer, places[i]);
		ss_problems_release(&problems);
	}
}

static void a_load_is_described_in_a_line(void **state)
{
	struct ss_scenario *s = open_scenario();
	struct ss_load load;
	char text[128];

	(void)state;
	assert_int_equal(ss_load_set(s, NULL, "1024/512@20/s", NULL), SS_OK);
	load = load_of(s);
	(void)ss_load_describe(&load, text, sizeof(text));
	assert_string_equal(text, "200 requests of 1,024 in, 512 out, 20/s");
	ss_scenario_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_stated_is_two_hundred_at_the_batchs_concurrency),
		cmocka_unit_test(short_forms_are_read),
		cmocka_unit_test(one_way_to_arrive_takes_the_place_of_another),
		cmocka_unit_test(a_shape_gives_what_the_scenario_leaves_open),
		cmocka_unit_test(what_does_not_go_together_is_said),
		cmocka_unit_test(traces_of_three_makes_are_read),
		cmocka_unit_test(a_fault_of_a_trace_names_its_line),
		cmocka_unit_test(a_load_is_described_in_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
