#include "import/import_hf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stepscope/registry.h"

static cJSON *read_json(const char *folder, const char *name)
{
	char path[512];
	char *text = malloc(1048576);
	size_t length;
	FILE *f;
	cJSON *json;

	snprintf(path, sizeof(path), TEST_SRCDIR "%s/%s.json", folder, name);
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

/*
 * Public values of config.json files, beside the graphs that were made from them or
 * from the catalogue's pages; where those state less (the window of the nemotrons) the
 * configuration here leaves it out too.
 */

/* Embedding and head, which the engine leaves at 16 bits and older graphs do not. */
#define PLAIN_ENDS                                                \
	"/global/embedding_dtype: \"bf16\" here, nothing there\n" \
	"/head/1/weight_dtype: \"bf16\" here, nothing there\n"

/* clang-format off */
static const struct {
	const char *name, *differences;
} shipped[] = {
	{ "codellama-34b-instruct-hf", "" },
	{ "deepseek-v2-lite", "" },
	{ "deepseek-v3", PLAIN_ENDS },
	{ "glm-5", PLAIN_ENDS },
	{ "gpt-oss-120b", "" },
	{ "kimi-k2.5", "/global/group_size: 32 here, nothing there\n"
	  "/global/embedding_dtype: \"bf16\" here, nothing there\n"
	  "/layer_kinds/attn_dense/10/weight_dtype: \"bf16\" here, nothing there\n"
	  "/layer_kinds/attn_dense/11/weight_dtype: \"bf16\" here, nothing there\n"
	  "/layer_kinds/attn_moe/10/shared_weight_dtype: \"bf16\" here, nothing there\n"
	  "/head/1/weight_dtype: \"bf16\" here, nothing there\n" },
	{ "llama-2-70b-hf", "" },
	{ "llama-2-7b-hf", "" },
	{ "llama-3.1-70b-instruct", "" },
	{ "llama-3.1-8b-instruct", "" },
	{ "minimax-m2.5", PLAIN_ENDS },
	{ "mistral-nemo-instruct-2407", "" },
	{ "mixtral-8x22b-v0.1", "" },
	{ "mixtral-8x7b-v0.1", "" },
	{ "nemotron-3-ultra-550b-a55b-bf16", "" },
	{ "nemotron-3.5-lightning-30b-a3b-bf16", "" },
	{ "qwen2.5-7b-instruct", "" },
	{ "qwen3-14b", "" },
	{ "qwen3-30b-a3b", "" },
	{ "qwen3.5-397b-a17b", "" },
	{ "qwen3.6-27b", "" },
	{ "qwen3.6-27b-awq", "/global/zero_points: true here, nothing there\n" },
	{ "yi-34b", "" },
};
/* clang-format on */

static void public_configurations_give_the_shipped_graphs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		cJSON *config = read_json("/tests/data/config", shipped[i].name), *graph = NULL;
		cJSON *theirs = read_json("/registry/models", shipped[i].name);
		struct ss_problems problems = { 0 };
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_true(hf_is_config(config));
		if (hf_import(&graph, config, NULL, shipped[i].name, "config.json", &problems))
			fail_msg("%s: %s %s", shipped[i].name, problems.items[0].pointer,
				 problems.items[0].message);
		(void)graph_compare(out, graph, theirs);
		fclose(out);
		if (strcmp(text, shipped[i].differences) != 0)
			fail_msg("%s:\n%s", shipped[i].name, text);
		free(text);
		cJSON_Delete(graph);
		cJSON_Delete(theirs);
		cJSON_Delete(config);
		ss_problems_release(&problems);
	}
}

static void an_imported_graph_loads(void **state)
{
	char folder[] = "/tmp/stepscope-hf-XXXXXX", path[256];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/graph.json", folder);
	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		cJSON *config = read_json("/tests/data/config", shipped[i].name), *graph = NULL;
		struct ss_problems problems = { 0 };
		char *text;
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_int_equal(hf_import(&graph, config, NULL, "graph", "config.json", &problems),
				 SS_OK);
		text = cJSON_Print(graph);
		fputs(text, f);
		fclose(f);
		assert_int_equal(ss_document_validate(path, &problems), SS_DOCUMENT_MODEL);
		if (ss_problems_count(&problems, SS_ERROR))
			fail_msg("%s: %s %s", shipped[i].name, problems.items[0].pointer,
				 problems.items[0].message);
		free(text);
		cJSON_Delete(graph);
		cJSON_Delete(config);
		ss_problems_release(&problems);
	}
	unlink(path);
	rmdir(folder);
}

static void an_unknown_architecture_names_the_nearest_known(void **state)
{
	cJSON *config = read_json("/tests/data/config", "unknown-architecture"), *graph = NULL;
	struct ss_problems problems = { 0 };

	(void)state;
	assert_int_equal(hf_import(&graph, config, NULL, "x", "config.json", &problems),
			 SS_EDOCUMENT);
	assert_null(graph);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].pointer, "/architectures");
	assert_non_null(strstr(problems.items[0].message, "'Qwen9ForCausalLM' is none of"));
	assert_non_null(strstr(problems.items[0].message, "nearest is Qwen2ForCausalLM"));
	cJSON_Delete(config);
	ss_problems_release(&problems);
}

static void everything_missing_is_said_at_once(void **state)
{
	static const char *const pointers[] = { "/torch_dtype", "/num_hidden_layers" };
	cJSON *config = read_json("/tests/data/config", "incomplete"), *graph = NULL;
	struct ss_problems problems = { 0 };

	(void)state;
	assert_int_equal(hf_import(&graph, config, NULL, "x", "config.json", &problems),
			 SS_EDOCUMENT);
	assert_null(graph);
	assert_int_equal(problems.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(problems.items[i].pointer, pointers[i]);
	cJSON_Delete(config);
	ss_problems_release(&problems);
}

/* F: a layer with its own indexer, S: one that shares the picks of an earlier layer. */
static void shared_picks_follow_the_stated_pattern(void **state)
{
	cJSON *config = read_json("/tests/data/config", "glm-5"), *graph = NULL;
	struct ss_problems problems = { 0 };
	char *text;

	(void)state;
	cJSON_ReplaceItemInObject(config, "num_hidden_layers", cJSON_CreateNumber(7));
	cJSON_AddStringToObject(config, "index_topk_pattern", "FFFSSSF");
	assert_int_equal(hf_import(&graph, config, NULL, "x", "config.json", &problems), SS_OK);
	text = cJSON_PrintUnformatted(cJSON_GetObjectItem(graph, "stack"));
	assert_string_equal(text, "{\"pattern\":[\"attn_dense_indexed\"],\"repeat\":3,"
				  "\"epilogue\":[\"attn_moe_noindex\",\"attn_moe_noindex\","
				  "\"attn_moe_noindex\",\"attn_moe_indexed\"]}");
	free(text);
	cJSON_Delete(graph);
	cJSON_Delete(config);
	ss_problems_release(&problems);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(public_configurations_give_the_shipped_graphs),
		cmocka_unit_test(an_imported_graph_loads),
		cmocka_unit_test(an_unknown_architecture_names_the_nearest_known),
		cmocka_unit_test(everything_missing_is_said_at_once),
		cmocka_unit_test(shared_picks_follow_the_stated_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
