/*
 * Every case of laws.json is run by the laws alone, or stands by name in the list
 * of those that need a resolved kernel. None is left out in silence.
 */
#include "law_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/** Cases that ask for a model on a part: no law alone answers them. */
static const char *const need_a_kernel[] = {
	"kv-dsv3-bf16",
	"kv-minimax-tp16",
	"kv-minimax-tp4-bf16",
	"kv-gptoss-layers",
	"kv-nemotron",
	"cache-width-float16",
	"experts-too-wide",
	"experts-imbalance",
	"experts-epoff-glm5",
	"pcp-rejected-models",
	"sparse-backend-h200-tp8-pcp1-dcp2-fp8_e4m3",
	"sparse-backend-h200-tp8-pcp1-dcp1-nvfp4_ds_mla",
	"sparse-backend-b200-tp8-pcp1-dcp1-nvfp4_ds_mla",
	"sparse-backend-b200-tp2-pcp4-dcp4-fp8",
	"sparse-backend-b200-tp2-pcp1-dcp2-fp8",
	"sparse-direct-16-dcp4",
	"sparse-direct-16-pcp2-dcp8",
	"sparse-direct-16-pcp2-dcp2",
	"sparse-direct-8-a2a",
	"sparse-direct-8-e5m2",
	"host-fap-decode",
	"host-fdo-mixed",
	"host-over-ceiling",
	"host-tp1",
};
enum { PENDING_COUNT = sizeof(need_a_kernel) / sizeof(need_a_kernel[0]) };

static bool needs_a_kernel(const char *id)
{
	for (size_t i = 0; i < PENDING_COUNT; i++)
		if (!strcmp(need_a_kernel[i], id))
			return true;
	return false;
}

static const struct law_row *find_row(const struct law_row *rows, const char *area,
				      const char *figure)
{
	for (; rows->area; rows++)
		if (!strcmp(rows->area, area) && !strcmp(rows->figure, figure))
			return rows;
	return NULL;
}

static void run_relation(struct law_case *c, const char *words)
{
	const struct law_relation *r = law_relations;

	while (r->words && strcmp(r->words, words) != 0)
		r++;
	c->words = words;
	want_true(c, r->words != NULL, words);
	if (r->check)
		r->check(c);
}

/** The law that gives a figure, from the tables of all families. */
static const struct law_row *law_of(const char *area, const char *figure)
{
	static const struct law_row *const tables[] = { law_step_rows, law_context_rows,
							law_memory_rows, law_kernel_rows };
	const struct law_row *row = NULL;

	for (size_t i = 0; !row && i < sizeof(tables) / sizeof(tables[0]); i++)
		row = find_row(tables[i], area, figure);
	return row;
}

static void run_figure(struct law_case *c, const char *area)
{
	const struct law_row *row;
	const cJSON *relation;

	if (!strcmp(c->want_name, "meaning") || !strcmp(c->want_name, "fault"))
		return; /* words for the reader */
	if (!strcmp(c->want_name, "relations")) {
		cJSON_ArrayForEach(relation, c->want) run_relation(c, relation->valuestring);
		return;
	}
	row = law_of(area, c->want_name);
	want_true(c, row != NULL, "a law that gives it");
	if (row)
		row->run(c);
}

/** Run one case; returns how many of its figures failed. */
static int run_case(const cJSON *item)
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
		run_figure(&c, area);
	}
	return c.failures;
}

static void every_case_holds_or_is_named_as_pending(void **state)
{
	cJSON *document = read_document(TEST_SRCDIR "/tests/oracle/laws.json");
	const cJSON *cases = cJSON_GetObjectItemCaseSensitive(document, "cases");
	size_t run = 0;
	size_t pending = 0;
	int failures = 0;
	const cJSON *item;

	(void)state;
	cJSON_ArrayForEach(item, cases)
	{
		const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id"));

		assert_non_null(id);
		if (needs_a_kernel(id)) {
			pending++;
			continue;
		}
		failures += run_case(item);
		run++;
	}
	printf("# laws: %zu cases run, %zu pending on a resolved kernel\n", run, pending);
	for (size_t i = 0; i < PENDING_COUNT; i++)
		printf("# pending: %s\n", need_a_kernel[i]);
	assert_int_equal(pending, PENDING_COUNT);
	assert_int_equal(run + pending, cJSON_GetArraySize(cases));
	cJSON_Delete(document);
	assert_int_equal(failures, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_holds_or_is_named_as_pending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
