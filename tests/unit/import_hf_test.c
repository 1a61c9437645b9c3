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
static const char *const shipped[] = {
	"codellama-34b-instruct-hf",
	"deepseek-v2-lite",
	"deepseek-v3",
	"glm-5",
	"gpt-oss-120b",
	"llama-2-70b-hf",
	"llama-2-7b-hf",
	"llama-3.1-70b-instruct",
	"llama-3.1-8b-instruct",
	"minimax-m2.5",
	"mistral-nemo-instruct-2407",
	"mixtral-8x22b-v0.1",
	"mixtral-8x7b-v0.1",
	"nemotron-3-ultra-550b-a55b-bf16",
	"nemotron-3.5-lightning-30b-a3b-bf16",
	"qwen2.5-7b-instruct",
	"qwen3-14b",
	"qwen3-30b-a3b",
	"qwen3.5-397b-a17b",
	"qwen3.6-27b",
	"qwen3.6-27b-awq",
	"yi-34b",
};

static void public_configurations_give_the_shipped_graphs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		cJSON *config = read_json("/tests/data/config", shipped[i]), *graph = NULL;
		cJSON *theirs = read_json("/registry/models", shipped[i]);
		struct ss_problems problems = { 0 };
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_true(hf_is_config(config));
		if (hf_import(&graph, config, shipped[i], "config.json", &problems))
			fail_msg("%s: %s %s", shipped[i], problems.items[0].pointer,
				 problems.items[0].message);
		if (graph_compare(out, graph, theirs)) {
			fclose(out);
			fail_msg("%s:\n%s", shipped[i], text);
		}
		fclose(out);
		free(text);
		cJSON_Delete(graph);
		cJSON_Delete(theirs);
		cJSON_Delete(config);
		ss_problems_release(&problems);
	}
}

/* The public file leaves more of kimi-k2.5 unquantized than its catalogue page says, and
 * states a group of 32. */
static void a_graph_that_differs_is_listed_node_by_node(void **state)
{
	cJSON *config = read_json("/tests/data/config", "kimi-k2.5"), *graph = NULL;
	cJSON *theirs = read_json("/registry/models", "kimi-k2.5");
	struct ss_problems problems = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(hf_import(&graph, config, "kimi-k2.5", "config.json", &problems), SS_OK);
	assert_int_equal(graph_compare(out, graph, theirs), 5);
	fclose(out);
	assert_string_equal(
		text, "/global/group_size: 32 here, nothing there\n"
		      "/global/embedding_dtype: \"bf16\" here, nothing there\n"
		      "/layer_kinds/attn_dense/10/weight_dtype: \"bf16\" here, nothing there\n"
		      "/layer_kinds/attn_dense/11/weight_dtype: \"bf16\" here, nothing there\n"
		      "/head/1/weight_dtype: \"bf16\" here, nothing there\n");
	free(text);
	cJSON_Delete(graph);
	cJSON_Delete(theirs);
	cJSON_Delete(config);
	ss_problems_release(&problems);
}

static void an_imported_graph_loads(void **state)
{
	char folder[] = "/tmp/stepscope-hf-XXXXXX", path[256];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/graph.json", folder);
	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		cJSON *config = read_json("/tests/data/config", shipped[i]), *graph = NULL;
		struct ss_problems problems = { 0 };
		char *text;
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_int_equal(hf_import(&graph, config, "graph", "config.json", &problems),
				 SS_OK);
		text = cJSON_Print(graph);
		fputs(text, f);
		fclose(f);
		assert_int_equal(ss_document_validate(path, &problems), SS_DOCUMENT_MODEL);
		if (ss_problems_count(&problems, SS_ERROR))
			fail_msg("%s: %s %s", shipped[i], problems.items[0].pointer,
				 problems.items[0].message);
		free(text);
		cJSON_Delete(graph);
		cJSON_Delete(config);
		ss_problems_release(&problems);
	}
	unlink(path);
	rmdir(folder);
}

static void an_unknown_architecture_lists_the_known_ones(void **state)
{
	cJSON *config = read_json("/tests/data/config", "unknown-architecture"), *graph = NULL;
	struct ss_problems problems = { 0 };

	(void)state;
	assert_int_equal(hf_import(&graph, config, "x", "config.json", &problems), SS_EDOCUMENT);
	assert_null(graph);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].pointer, "/architectures");
	assert_non_null(strstr(problems.items[0].message, "'GPT2LMHeadModel' is not known"));
	for (size_t i = 0; hf_architecture(i); i++)
		assert_non_null(strstr(problems.items[0].message, hf_architecture(i)));
	cJSON_Delete(config);
	ss_problems_release(&problems);
}

static void everything_missing_is_said_at_once(void **state)
{
	static const char *const pointers[] = { "/torch_dtype", "/num_hidden_layers" };
	cJSON *config = read_json("/tests/data/config", "incomplete"), *graph = NULL;
	struct ss_problems problems = { 0 };

	(void)state;
	assert_int_equal(hf_import(&graph, config, "x", "config.json", &problems), SS_EDOCUMENT);
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
	assert_int_equal(hf_import(&graph, config, "x", "config.json", &problems), SS_OK);
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
		cmocka_unit_test(a_graph_that_differs_is_listed_node_by_node),
		cmocka_unit_test(an_imported_graph_loads),
		cmocka_unit_test(an_unknown_architecture_lists_the_known_ones),
		cmocka_unit_test(everything_missing_is_said_at_once),
		cmocka_unit_test(shared_picks_follow_the_stated_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
