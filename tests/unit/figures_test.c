/* A figure shown twice is the same figure: header, panes, exports, JSON. */
#include <dirent.h>
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
#include "case/findings.h"
#include "explorer_fixture.h"
#include "report/json_price.h"

/** Most scenarios that ship. */
#define SCENARIOS_MOST 64

static char *scenarios[SCENARIOS_MOST];
static size_t scenario_count;

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_scenarios(void **state)
{
	DIR *folder = opendir(TEST_SRCDIR "/scenarios");
	struct dirent *item;

	(void)state;
	assert_non_null(folder);
	while ((item = readdir(folder))) {
		char *dot = strrchr(item->d_name, '.');

		if (!dot || strcmp(dot, ".json") != 0)
			continue;
		assert_true(scenario_count < SCENARIOS_MOST);
		*dot = '\0';
		scenarios[scenario_count++] = xstrdup(item->d_name);
	}
	closedir(folder);
	assert_true(scenario_count > 0);
	qsort(scenarios, scenario_count, sizeof(*scenarios), by_name);
	return 0;
}

static int free_scenarios(void **state)
{
	(void)state;
	while (scenario_count)
		free(scenarios[--scenario_count]);
	return 0;
}

/* Do something with each pool of each scenario that ships. */
static void each_pool(void (*check)(struct explorer_fixture *f))
{
	for (size_t i = 0; i < scenario_count; i++) {
		struct explorer_fixture f;
		size_t pools = 0;

		explorer_open(&f, scenarios[i], 40, 160);
		pools = f.app.draft.scenario->pool_count;
		for (size_t pool = 0; pool < pools; pool++) {
			assert_int_equal(f.app.pool, pool);
			check(&f);
			if (pool + 1 < pools)
				explorer_keys(&f, "}");
		}
		explorer_release(&f);
	}
}

/* The word before `after` on the screen; fails the test when it is not there. */
static void word_before(struct explorer_fixture *f, const char *after, char *out, size_t size)
{
	char *screen = explorer_text(f);
	const char *end = strstr(screen, after), *start = end;

	if (!end)
		fail_msg("no \"%s\" on\n%s", after, screen);
	while (start > screen && start[-1] != ' ' && start[-1] != '\n')
		start--;
	snprintf(out, size, "%.*s", (int)(end - start), start);
	free(screen);
}

static void command(struct explorer_fixture *f, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	explorer_keys(f, ":");
	explorer_type(f, text);
}

/* -- the rate of one GPU --------------------------------------------------------------- */

static double json_rate(struct explorer_fixture *f)
{
	struct session session;
	struct ss_whatif whatifs[8];
	struct findings findings;
	cJSON *price = NULL;
	char *text = NULL;
	double rate = 0;

	app_borrow_session(&f->app, &session, whatifs);
	assert_int_equal(findings_new(&findings, &session), SS_OK);
	/* Numbers are written as text of their own: read them as a reader does. */
	price = json_price(&findings);
	text = cJSON_PrintUnformatted(price);
	cJSON_Delete(price);
	price = cJSON_Parse(text);
	free(text);
	rate = cJSON_GetObjectItemCaseSensitive(price, "tokens_per_s_per_gpu")->valuedouble;
	cJSON_Delete(price);
	findings_release(&findings);
	return rate;
}

static void check_rate(struct explorer_fixture *f)
{
	const struct ss_workload *workload = &f->app.draft.scenario->workload;
	const struct sweep_point *point = NULL;
	char header[40], pane[40];

	if (!workload->group_count || !f->app.quote->breakdown.step.decode_requests)
		return;
	word_before(f, "/GPU", header, sizeof(header));
	/* One point: the batch as it is. */
	command(f, "sweep batch %lld", (long long)workload->groups[0].count);
	word_before(f, " tok/s/GPU", pane, sizeof(pane));
	assert_string_equal(pane, header);
	point = &f->app.sweep->points[0][0];
	assert_true(fabs(point->figures.tokens_per_s_per_gpu / json_rate(f) - 1) < 1e-12);
	explorer_keys(f, "<Esc>");
}

static void the_rate_of_a_gpu_is_the_same_everywhere(void **state)
{
	(void)state;
	each_pool(check_rate);
}

/*
 * Of one model, whole on each width: more GPUs share its work, so that each of them makes
 * fewer tokens. 1,269 tokens a second of the published case on 8 GPUs are 159 a GPU.
 */
static void widths_of_tp_are_ranked_by_their_gpus(void **state)
{
	struct explorer_fixture f;

	(void)state;
	explorer_open(&f, "llama-3.1-70b-h100-tp4", 24, 80);
	command(&f, "sweep tp 1,2,4");
	for (size_t i = 1; i < 3; i++) {
		const struct sweep_point *less = &f.app.sweep->points[0][i - 1];
		const struct sweep_point *more = &f.app.sweep->points[0][i];

		assert_true(more->is_priced && less->is_priced);
		assert_true(more->figures.tokens_per_s_per_gpu <
			    less->figures.tokens_per_s_per_gpu);
	}
	explorer_release(&f);
	explorer_open(&f, "deepseek-v3-h200-fp8-tp8", 24, 80);
	command(&f, "sweep batch 32");
	assert_true(explorer_shows(&f, " 159 tok/s/GPU"));
	explorer_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_of_a_gpu_is_the_same_everywhere),
		cmocka_unit_test(widths_of_tp_are_ranked_by_their_gpus),
	};

	return cmocka_run_group_tests(tests, find_scenarios, free_scenarios);
}
