#include "import/graph_weights.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import_hf.h"

static cJSON *read_graph(const char *name)
{
	char path[512];
	char *text = malloc(1048576);
	size_t length;
	FILE *f;
	cJSON *json;

	snprintf(path, sizeof(path), TEST_SRCDIR "/registry/models/%s.json", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_non_null(text);
	length = fread(text, 1, 1048576, f);
	fclose(f);
	json = cJSON_ParseWithLength(text, length);
	free(text);
	assert_non_null(json);
	return json;
}

static void shipped_graphs_have_their_public_parameter_counts(void **state)
{
	/* clang-format off */
	/* Billions, of the checkpoint's page or its model card; whole: with towers and drafts. */
	static const struct {
		const char *name;
		double billions, tolerance;
		bool is_whole;
	} rows[] = {
		{ "qwen3-8b",                        8.190735, 0.001, true },
		{ "qwen3-32b",                       32.762123, 0.001, true },
		{ "qwen3-235b-a22b",                 235.093635, 0.001, true },
		{ "qwen3-coder-480b-a35b-instruct",  480.154875, 0.001, true },
		{ "llama-3.1-405b-instruct",         405.853389, 0.001, true },
		{ "gpt-oss-20b",                     20.91, 0.001, true },  /* the model card's table */
		{ "deepseek-v3.2",                   671, 0.005, false },   /* main model, as V3's */
		{ "glm-4.6",                         357, 0.005, true },
		{ "qwen3.5-27b",                     27.8, 0.01, true },
		{ "qwen3.5-122b-a10b",               125, 0.01, true },
		{ "gemma-3-27b-it",                  27.432407, 0.001, true },
		{ "mistral-small-24b-instruct-2501", 23.572403, 0.001, true },
		{ "kimi-k2.6",                       1027, 0.005, true },   /* 1T; as DeepSeek-V3's shape */
		{ "deepseek-v4-flash",               284, 0.005, false },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cJSON *graph = read_graph(rows[i].name);
		struct graph_weights w;
		double all;

		graph_weights_sum(&w, graph);
		all = w.parameters / 1e9;
		if (rows[i].is_whole)
			all += (w.draft_parameters + w.other_parameters) / 1e9;
		if (fabs(all / rows[i].billions - 1) > rows[i].tolerance)
			fail_msg("%s: %.4f, not %.4f", rows[i].name, all, rows[i].billions);
		cJSON_Delete(graph);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_graphs_have_their_public_parameter_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
