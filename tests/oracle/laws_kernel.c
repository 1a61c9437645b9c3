/* Cases that need documents: a scenario is made of what the case gives. */
#include "law_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/registry.h"

/** Copy a given value under another object, if it is given. */
static void carry(const struct law_case *c, cJSON *to, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(c->given, name);

	if (item)
		cJSON_AddItemToObject(to, name, cJSON_Duplicate(item, 1));
}

/** The text of a scenario with the case's settings; the caller frees it. */
static char *scenario_text(const struct law_case *c)
{
	static const char frame[] =
		"{\"kind\":\"Scenario\",\"name\":\"case\",\"engine\":\"vllm\","
		"\"engine_version\":\"0.31.0\",\"model\":\"deepseek-v3\",\"coefficients\":[\"c\"],"
		"\"cluster\":{\"hardware\":\"h200\",\"nodes\":1,\"gpus_per_node\":8},"
		"\"deployment\":{\"name\":\"base\",\"pools\":[{\"role\":\"colocated\","
		"\"nodes\":1,\"parallel\":{},\"engine\":{}}]}}";
	static const char *const widths[] = { "tp", "dp", "pcp", "dcp" };
	cJSON *root = cJSON_Parse(frame);
	cJSON *deployment = cJSON_GetObjectItemCaseSensitive(root, "deployment");
	cJSON *pool = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(deployment, "pools"), 0);
	cJSON *parallel = cJSON_GetObjectItemCaseSensitive(pool, "parallel");
	char *text;

	assert_non_null(parallel);
	cJSON_AddNumberToObject(parallel, "pp", 1);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		carry(c, parallel, widths[i]);
	text = cJSON_PrintUnformatted(root);
	assert_non_null(text);
	cJSON_Delete(root);
	return text;
}

/** The name of the width below 1. */
static const char *wrong_width(const struct law_case *c)
{
	return given(c, "tp") < 1 ? "tp" : "dp";
}

/** The document layer must point at that width and find nothing else. */
static void document_error(struct law_case *c)
{
	struct ss_problems problems = { 0 };
	char *text = scenario_text(c);
	struct ss_scenario *scenario =
		ss_scenario_parse(text, strlen(text), "case.json", &problems);
	const char *name;

	want_true(c, scenario == NULL, "refused as a document");
	for (size_t i = 0; i < problems.count; i++) {
		if (problems.items[i].severity != SS_ERROR)
			continue;
		name = strrchr(problems.items[i].pointer, '/');
		want_true(c, name && !strcmp(name + 1, wrong_width(c)), problems.items[i].pointer);
	}
	want_true(c, ss_problems_count(&problems, SS_ERROR) == 1, "one error");
	ss_scenario_free(scenario);
	ss_problems_release(&problems);
	cJSON_free(text);
}

/* clang-format off */
const struct law_row law_kernel_rows[] = {
	{ "layout", "document_error", document_error },
	{ NULL,     NULL,             NULL },
};
/* clang-format on */
