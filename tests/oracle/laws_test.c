/*
 * Every case of laws.json is run: by the laws alone, through a resolved kernel
 * where it asks for a model on a part, or both ways.
 */
#include "law_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/** Cases that ask for a model on a part: no law alone answers them. */
static const struct {
	const char *id;
	bool is_lawful; /**< the law answers it too */
} by_kernel[] = {
	{ "kv-dsv3-bf16", false },
	{ "kv-minimax-tp16", false },
	{ "kv-minimax-tp4-bf16", false },
	{ "kv-gptoss-layers", false },
	{ "kv-nemotron", false },
	{ "cache-width-float16", false },
	{ "experts-too-wide", false },
	{ "experts-imbalance", false },
	{ "experts-epoff-glm5", false },
	{ "pcp-rejected-models", false },
	{ "sparse-backend-h200-tp8-pcp1-dcp2-fp8_e4m3", false },
	{ "sparse-backend-h200-tp8-pcp1-dcp1-nvfp4_ds_mla", false },
	{ "sparse-backend-b200-tp8-pcp1-dcp1-nvfp4_ds_mla", false },
	{ "sparse-backend-b200-tp2-pcp4-dcp4-fp8", false },
	{ "sparse-backend-b200-tp2-pcp1-dcp2-fp8", false },
	{ "sparse-direct-16-dcp4", false },
	{ "sparse-direct-16-pcp2-dcp8", false },
	{ "sparse-direct-16-pcp2-dcp2", false },
	{ "sparse-direct-8-a2a", false },
	{ "sparse-direct-8-e5m2", false },
	{ "host-fap-decode", false },
	{ "host-fdo-mixed", false },
	{ "host-over-ceiling", false },
	{ "host-tp1", false },
	{ "kv-minimax-nvfp4", true },
	{ "host-piecewise-dsv3", false },
	{ "host-eager-dsv3", false },
	{ "host-spec-ragged", false },
};
enum { KERNEL_COUNT = sizeof(by_kernel) / sizeof(by_kernel[0]) };

static bool runs_by_kernel(const char *id)
{
	for (size_t i = 0; i < KERNEL_COUNT; i++)
		if (!strcmp(by_kernel[i].id, id))
			return true;
	return false;
}

static bool runs_by_law(const char *id)
{
	for (size_t i = 0; i < KERNEL_COUNT; i++)
		if (!strcmp(by_kernel[i].id, id))
			return by_kernel[i].is_lawful;
	return true;
}

static const struct law_row *find_row(const struct law_row *rows, const char *area,
				      const char *figure)
{
	for (; rows->area; rows++)
		if (!strcmp(rows->area, area) && !strcmp(rows->figure, figure))
			return rows;
	return NULL;
}

static const struct law_relation *find_relation(const struct law_relation *rows, const char *words)
{
	for (; rows->words; rows++)
		if (!strcmp(rows->words, words))
			return rows;
	return NULL;
}

static void run_relation(struct law_case *c, const char *words)
{
	const struct law_relation *r = find_relation(law_relations, words);

	if (!r)
		r = find_relation(law_kernel_relations, words);
	c->words = words;
	want_true(c, r != NULL, words);
	if (r && r->check)
		r->check(c);
}

/** The law that gives a figure, from the tables of all families. */
static const struct law_row *law_of(const char *area, const char *figure)
{
	static const struct law_row *const tables[] = { law_step_rows, law_context_rows,
							law_memory_rows, law_document_rows };
	const struct law_row *row = NULL;

	for (size_t i = 0; !row && i < sizeof(tables) / sizeof(tables[0]); i++)
		row = find_row(tables[i], area, figure);
	return row;
}

static void run_figure(struct law_case *c, const char *area, bool is_by_kernel)
{
	const struct law_row *row;
	const cJSON *relation;

	if (!strcmp(c->want_name, "meaning") || !strcmp(c->want_name, "fault"))
		return; /* words for the reader */
	if (!strcmp(c->want_name, "relations")) {
		cJSON_ArrayForEach(relation, c->want) run_relation(c, relation->valuestring);
		return;
	}
	row = is_by_kernel ? find_row(law_kernel_rows, area, c->want_name)
			   : law_of(area, c->want_name);
	want_true(c, row != NULL, "something that gives it");
	if (row)
		row->run(c);
}

/** Run one case; returns how many of its figures failed. */
static int run_case(const cJSON *item, bool is_by_kernel)
{
	struct law_case c = {
		.id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id")),
		.given = cJSON_GetObjectItemCaseSensitive(item, "given"),
		.expect = cJSON_GetObjectItemCaseSensitive(item, "expect"),
	};
	const char *area = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "area"));

	assert_non_null(c.id);
	assert_non_null(area);
	assert_true(cJSON_GetArraySize(c.expect) > 0);
	cJSON_ArrayForEach(c.want, c.expect)
	{
		c.want_name = c.want->string;
		run_figure(&c, area, is_by_kernel);
	}
	return c.failures;
}

/** Run the cases that go this way. */
static void run_cases(bool is_by_kernel, size_t *run)
{
	cJSON *document = read_document(TEST_SRCDIR "/tests/oracle/laws.json");
	int failures = 0;
	const cJSON *item;

	*run = 0;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(document, "cases"))
	{
		const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id"));

		assert_non_null(id);
		if (is_by_kernel ? !runs_by_kernel(id) : !runs_by_law(id))
			continue;
		failures += run_case(item, is_by_kernel);
		(*run)++;
	}
	cJSON_Delete(document);
	assert_int_equal(failures, 0);
}

static void laws_give_the_published_figures(void **state)
{
	size_t run;

	(void)state;
	run_cases(false, &run);
	printf("# laws: %zu cases run by the laws alone\n", run);
	assert_true(run > 0);
}

static void resolved_deployments_give_the_published_figures(void **state)
{
	size_t run;

	(void)state;
	run_cases(true, &run);
	printf("# laws: %zu cases run through a kernel, none left out\n", run);
	assert_int_equal(run, KERNEL_COUNT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_give_the_published_figures),
		cmocka_unit_test(resolved_deployments_give_the_published_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
