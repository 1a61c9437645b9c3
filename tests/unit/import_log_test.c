#include "import/import_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/python_literal.h"

#define FOLDER TEST_SRCDIR "/tests/data/logs/"

static char *read_log(const char *name, size_t *length)
{
	char path[512];
	FILE *f;
	char *text;

	snprintf(path, sizeof(path), FOLDER "%s.log", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	text = malloc(65536);
	assert_non_null(text);
	*length = fread(text, 1, 65536, f);
	fclose(f);
	return text;
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* What each log says, read off by eye. `at` picks one of several. */
/* clang-format off */
static const struct {
	const char *file;
	enum log_id id;
	size_t count, at;
	double value, second;
	const char *rank, *text;
} expected[] = {
	{ "v0.8.3-llama-8b", LOG_VERSION, 2, 0, 0, 0, "", "0.8.3" },
	{ "v0.8.3-llama-8b", LOG_LOADING, 1, 0, 14.9889, 0, "", "" },
	{ "v0.8.3-llama-8b", LOG_BUDGET, 1, 0, 2048, 0, "", "" },
	{ "v0.8.3-llama-8b", LOG_KV_TOKENS, 1, 0, 435232, 0, "", "" },
	{ "v0.8.3-llama-8b", LOG_CONCURRENCY, 1, 0, 26.56, 16384, "", "" },
	{ "v0.8.3-llama-8b", LOG_GRAPHS, 1, 0, 0.51, 0, "", "" },
	{ "v0.8.3-llama-8b", LOG_CAPTURE_SIZES, 1, 0, 6, 512, "", "512,504,8,4,2,1" },
	{ "v0.8.3-llama-8b", LOG_ATTENTION, 1, 0, 0, 0, "", "Flash Attention" },
	{ "v0.8.3-llama-8b", LOG_AVAILABLE, 0, 0, 0, 0, "", "" },
	{ "v0.8.1-older-engine", LOG_VERSION, 1, 0, 0, 0, "", "0.8.1" },
	{ "v0.8.1-older-engine", LOG_AVAILABLE, 1, 0, 12.82, 0, "", "" },
	{ "v0.8.1-older-engine", LOG_BLOCKS, 1, 0, 15005, 0, "", "" },
	{ "v0.8.1-older-engine", LOG_CONCURRENCY, 1, 0, 29.31, 8192, "", "" },
	{ "v0.9.2-two-ranks-colours", LOG_LOADING, 2, 1, 65.7431, 0, "VllmWorker rank=1", "" },
	{ "v0.9.2-two-ranks-colours", LOG_AVAILABLE, 2, 0, 7.81, 0, "VllmWorker rank=0", "" },
	{ "v0.9.2-two-ranks-colours", LOG_AVAILABLE, 2, 1, 7.68, 0, "VllmWorker rank=1", "" },
	{ "v0.9.2-two-ranks-colours", LOG_KV_TOKENS, 2, 1, 50320, 0, "", "" },
	{ "v0.9.2-two-ranks-colours", LOG_GRAPHS, 2, 0, 0.79, 0, "VllmWorker rank=1", "" },
	{ "v0.10.1-too-long", LOG_NEEDED, 1, 0, 20.0, 11.62, "EngineCore_0", "" },
	{ "v0.10.1-too-long", LOG_MAX_LENGTH, 1, 0, 76128, 0, "EngineCore_0", "" },
	{ "v0.10.1-too-long", LOG_VERSION, 2, 0, 0, 0, "APIServer", "0.10.1.1" },
	{ "v0.10.2-moe-graph-mode", LOG_ATTENTION, 2, 0, 0, 0, "Worker_TP0_EP0", "FlashInfer" },
	{ "v0.10.2-moe-graph-mode", LOG_MOE, 1, 0, 0, 0, "Worker_TP0_EP0", "Triton" },
	{ "v0.10.2-moe-graph-mode", LOG_GRAPH_MODE, 1, 0, 0, 0, "Worker_TP0_EP0", "FULL_AND_PIECEWISE -> PIECEWISE" },
	{ "v0.10.2-moe-graph-mode", LOG_KV_TOKENS, 1, 0, 1199232, 0, "EngineCore_DP0", "" },
	{ "v0.11.0-hybrid-compose", LOG_BLOCK_SIZE, 1, 0, 544, 0, "APIServer", "" },
	{ "v0.11.0-hybrid-compose", LOG_MAMBA_PADDING, 1, 0, 1.49, 0, "APIServer", "" },
	{ "v0.11.0-hybrid-compose", LOG_LOADING, 1, 0, 37.3011, 0, "Worker_TP2", "" },
	{ "v0.11.0-hybrid-compose", LOG_CONCURRENCY, 1, 0, 154.61, 32768, "EngineCore_DP0", "" },
	{ "v0.12.0-gpt-oss", LOG_ATTENTION, 1, 0, 0, 0, "EngineCore_DP0", "FLASH_ATTN" },
	{ "v0.12.0-gpt-oss", LOG_MOE, 1, 0, 0, 0, "EngineCore_DP0", "'MARLIN' Mxfp4" },
	{ "v0.12.0-gpt-oss", LOG_CAPTURE_SIZES, 1, 0, 7, 32, "EngineCore_DP0", "1, 2, 4, 8, 16, 24, 32" },
	{ "v0.12.0-gpt-oss", LOG_LOADING, 1, 0, 64.3842, 0, "EngineCore_DP0", "" },
	{ "v0.14.0-eight-ranks", LOG_AVAILABLE, 8, 7, 40.31, 0, "Worker_TP7", "" },
	{ "v0.14.0-eight-ranks", LOG_LOADING, 8, 0, 79.43, 0, "Worker_TP3", "" },
	{ "v0.14.0-eight-ranks", LOG_ATTENTION, 8, 0, 0, 0, "Worker_TP3", "FLASHMLA" },
	{ "v0.16.0-ray", LOG_LOADING, 2, 1, 8.4375, 0, "RayWorkerWrapper pid=1202", "" },
	{ "v0.19.0-state-blocks", LOG_STATE_BLOCKS, 1, 0, 447, 1024, "EngineCore", "" },
	{ "v0.23.0-no-memory", LOG_FREE, 1, 0, 11.2, 79.19, "Worker_TP0", "" },
	{ "v0.23.0-no-memory", LOG_OUT_OF_MEMORY, 1, 0, 0.21875, 0, "Worker_TP1", "" },
	{ "v0.23.0-no-memory", LOG_NO_BLOCKS, 1, 0, 0, 0, "EngineCore", "" },
	{ "v0.27.0-moe-choice", LOG_ATTENTION, 1, 0, 0, 0, "Worker_TP0", "FLASH_ATTN" },
	{ "v0.27.0-moe-choice", LOG_MOE, 1, 0, 0, 0, "Worker_TP0", "DEEPGEMM Fp8" },
	{ "v0.27.0-moe-choice", LOG_CAPTURE_SIZES, 1, 0, 4, 8, "APIServer", "1, 2, 4, 8" },
	{ "v0.31.0-hybrid-64", LOG_KV_TOKENS, 1, 0, 215401, 0, "EngineCore", "" },
	{ "v0.31.0-hybrid-64", LOG_CONCURRENCY, 1, 0, 26.29, 8192, "EngineCore", "" },
	{ "v0.31.0-hybrid-64", LOG_BLOCK_SIZE, 1, 0, 784, 0, "APIServer", "" },
	{ "v0.31.0-hybrid-64", LOG_MAMBA_PADDING, 1, 0, 0.13, 0, "APIServer", "" },
	{ "v0.31.0-hybrid-64", LOG_BUDGET, 1, 0, 8192, 0, "APIServer", "" },
	{ "v0.6.3-two-workers", LOG_LOADING, 2, 1, 13.7822, 0, "VllmWorkerProcess pid=811", "" },
	{ "v0.6.3-two-workers", LOG_TOTAL, 1, 0, 44.42, 0, "VllmWorkerProcess pid=811", "" },
	{ "v0.6.3-two-workers", LOG_PEAK, 1, 0, 14.95, 0, "VllmWorkerProcess pid=811", "" },
	{ "v0.6.3-two-workers", LOG_NON_TORCH, 1, 0, 0.52, 0, "VllmWorkerProcess pid=811", "" },
	{ "v0.6.3-two-workers", LOG_AVAILABLE, 1, 0, 24.51, 0, "VllmWorkerProcess pid=811", "" },
	{ "v0.6.3-two-workers", LOG_BLOCKS, 1, 0, 19980, 0, "", "" },
	{ "v0.6.3-two-workers", LOG_CPU_BLOCKS, 1, 0, 3276, 0, "", "" },
	{ "v0.6.3-two-workers", LOG_CAPTURE_TIME, 1, 0, 31, 0, "", "" },
	{ "v0.6.3-two-workers", LOG_GRAPHS, 0, 0, 0, 0, "", "" },
	{ "v0.6.5-table", LOG_TOTAL, 1, 0, 79.22, 0, "", "" },
	{ "v0.6.5-table", LOG_REQUESTED, 1, 0, 71.29, 0, "", "" },
	{ "v0.6.5-table", LOG_WEIGHTS, 1, 0, 14.96, 0, "", "" },
	{ "v0.6.5-table", LOG_NON_TORCH, 1, 0, 1.79, 0, "", "" },
	{ "v0.6.5-table", LOG_ACTIVATION, 1, 0, 1.26, 0, "", "" },
	{ "v0.6.5-table", LOG_AVAILABLE, 1, 0, 53.28, 0, "", "" },
	{ "v0.7.3-four-workers", LOG_TOTAL, 1, 0, 47.40, 0, "VllmWorkerProcess pid=521", "" },
	{ "v0.7.3-four-workers", LOG_UTILIZATION, 1, 0, 0.95, 0, "VllmWorkerProcess pid=521", "" },
	{ "v0.7.3-four-workers", LOG_REQUESTED, 1, 0, 45.03, 0, "VllmWorkerProcess pid=521", "" },
	{ "v0.7.3-four-workers", LOG_NON_TORCH, 2, 1, 0.66, 0, "VllmWorkerProcess pid=507", "" },
	{ "v0.7.3-four-workers", LOG_AVAILABLE, 2, 1, 22.79, 0, "VllmWorkerProcess pid=507", "" },
	{ "v0.7.3-four-workers", LOG_PROFILE_TIME, 1, 0, 17.59, 0, "", "" },
	{ "v0.7.3-four-workers", LOG_NATURAL, 1, 0, 9331, 0, "", "" },
	{ "v0.7.3-four-workers", LOG_OVERRIDE, 1, 0, 4096, 0, "", "" },
	{ "v0.10.2-usage", LOG_READ_TIME, 1, 0, 2.31, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_LOAD_TIME, 1, 0, 3.113421, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_COMPILE_TIME, 1, 0, 17.44, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_START_TIME, 1, 0, 17.82, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_REQUESTED, 1, 0, 71.27, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_UTILIZATION, 1, 0, 0.9, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_WEIGHTS, 1, 0, 14.08, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_ACTIVATION, 1, 0, 1.97, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_NON_TORCH, 1, 0, 0.07, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_GRAPHS, 1, 0, 0.67, 0, "EngineCore_DP0", "" },
	/* bytes over 2^30 */
	{ "v0.10.2-usage", LOG_TO_FIT, 1, 0, 58333988249 / 1073741824.0, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_TO_FILL, 1, 0, 66273897472 / 1073741824.0, 0, "EngineCore_DP0", "" },
	{ "v0.10.2-usage", LOG_IN_USE, 1, 0, 59212694937 / 1073741824.0, 0, "EngineCore_DP0", "" },
	{ "v0.17.0-estimate", LOG_ESTIMATED, 1, 0, 0.26, 0, "EngineCore_DP0", "" },
	{ "v0.17.0-estimate", LOG_CAPPED, 1, 0, 352, 0, "EngineCore_DP0", "" },
	{ "v0.17.0-estimate", LOG_PADDING, 1, 0, 2, 6.67, "EngineCore_DP0", "" },
	{ "v0.21.0-equivalent", LOG_EQUIVALENT, 1, 0, 0.8859, 0, "EngineCore", "" },
	{ "v0.21.0-equivalent", LOG_GRAPHS, 1, 0, 0.94, 0, "EngineCore", "" },
	{ "v0.21.0-equivalent", LOG_ESTIMATED, 1, 0, 1.94, 0, "EngineCore", "" },
	{ "v0.29.0-reserved", LOG_LOADING, 1, 0, 30.8, 0, "EngineCore", "" },
	{ "v0.29.0-reserved", LOG_LOAD_TIME, 1, 0, 205.25371, 0, "EngineCore", "" },
	{ "v0.29.0-reserved", LOG_INITIAL_FREE, 1, 0, 111.7, 0, "EngineCore", "" },
	{ "v0.29.0-reserved", LOG_RESERVED, 1, 0, 37.11, 0, "EngineCore", "" },
	{ "v0.29.0-reserved", LOG_KV_TOKENS, 1, 0, 661808, 0, "EngineCore", "" },
	{ "v0.29.0-reserved", LOG_CONCURRENCY, 1, 0, 20.20, 32768, "EngineCore", "" },
	{ "v0.31.0-consumed", LOG_MODEL_LENGTH, 1, 0, 131072, 0, "EngineCore", "" },
	{ "v0.31.0-consumed", LOG_CONSUMED, 1, 0, 15.26, 0, "EngineCore", "" },
	{ "v0.31.0-consumed", LOG_ACTIVATION, 1, 0, 1.44, 0, "EngineCore", "" },
	{ "v0.31.0-consumed", LOG_GRAPHS, 1, 0, 0.23, 0, "EngineCore", "" },
	{ "v0.31.0-consumed", LOG_IN_USE, 1, 0, 56.21, 0, "EngineCore", "" },
	{ "v0.13.0-too-little-free", LOG_FREE, 1, 0, 20.5, 79.1, "EngineCore_DP0", "" },
	{ "v0.13.0-too-little-free", LOG_REQUESTED, 1, 0, 71.19, 0, "EngineCore_DP0", "" },
	{ "v0.9.0-out-of-memory", LOG_OUT_OF_MEMORY, 1, 0, 0.5, 0, "VllmWorker rank=2", "" },
	{ "v0.9.0-out-of-memory", LOG_TOTAL, 1, 0, 14.62, 0, "VllmWorker rank=2", "" },
	{ "v0.9.0-out-of-memory", LOG_LEFT, 1, 0, 0.25, 0, "VllmWorker rank=2", "" },
	{ "v0.10.1-too-long", LOG_AVAILABLE, 2, 1, 11.62, 0, "EngineCore_0", "" },
};
/* clang-format on */

static void every_log_gives_its_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct serve_log log;
		struct ss_error err = { 0 };
		size_t length, count = 0;
		char *text = read_log(expected[i].file, &length);
		const struct log_figure *figure = NULL;

		if (serve_log_parse(&log, text, length, &err))
			fail_msg("%s: %s: %s", expected[i].file, err.where, err.message);
		for (size_t k = 0; k < log.count; k++) {
			if (log.items[k].id != expected[i].id)
				continue;
			if (count++ == expected[i].at)
				figure = &log.items[k];
		}
		if (count != expected[i].count)
			fail_msg("%s: %s: %zu found, %zu expected", expected[i].file,
				 log_label(expected[i].id), count, expected[i].count);
		if (figure) {
			assert_true(is_near(figure->value, expected[i].value));
			assert_true(is_near(figure->second, expected[i].second));
			assert_string_equal(figure->rank, expected[i].rank);
			assert_string_equal(figure->text, expected[i].text);
		}
		serve_log_release(&log);
		free(text);
	}
}

static void arguments_become_flags(void **state)
{
	/* clang-format off */
	static const struct {
		const char *file, *json;
		size_t line;
	} rows[] = {
		{ "v0.8.3-llama-8b", "{\"subparser\":\"serve\",\"model_tag\":\"meta-llama/Llama-3.1-8B-Instruct\","
		  "\"port\":8000,\"uvicorn_log_level\":\"info\",\"allowed_origins\":[\"*\"],"
		  "\"model\":\"meta-llama/Llama-3.1-8B-Instruct\",\"max_model_len\":16384,"
		  "\"tensor_parallel_size\":1,\"pipeline_parallel_size\":1,\"gpu_memory_utilization\":0.9,"
		  "\"dispatch_function\":\"<function ServeSubcommand.cmd at 0x7f3c1c0a2b60>\"}", 3 },
		{ "v0.8.1-older-engine", "{\"model\":\"Qwen/Qwen2.5-7B-Instruct\",\"max_model_len\":8192,"
		  "\"tensor_parallel_size\":1}", 1 },
		{ "v0.10.1-too-long", "{\"model_tag\":\"Qwen/Qwen3-14B\",\"model\":\"Qwen/Qwen3-14B\","
		  "\"max_model_len\":131072,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4}}", 3 },
		{ "v0.12.0-gpt-oss", "{\"model_tag\":\"openai/gpt-oss-120b\",\"model\":\"openai/gpt-oss-120b\","
		  "\"tensor_parallel_size\":1,\"async_scheduling\":true,"
		  "\"compilation_config\":{\"cudagraph_mode\":\"FULL_AND_PIECEWISE\"}}", 2 },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct serve_log log;
		size_t length;
		char *text = read_log(rows[i].file, &length), *json;

		assert_int_equal(serve_log_parse(&log, text, length, NULL), SS_OK);
		assert_non_null(log.arguments);
		json = cJSON_PrintUnformatted(log.arguments);
		assert_string_equal(json, rows[i].json);
		assert_int_equal(log.arguments_line, rows[i].line);
		free(json);
		serve_log_release(&log);
		free(text);
	}
}

static void ranks_that_differ_give_a_range(void **state)
{
	struct serve_log log;
	size_t length;
	char *text = read_log("v0.14.0-eight-ranks", &length);
	double low, high;

	(void)state;
	assert_int_equal(serve_log_parse(&log, text, length, NULL), SS_OK);
	assert_true(serve_log_range(&log, LOG_AVAILABLE, &low, &high));
	assert_true(is_near(low, 40.31));
	assert_true(is_near(high, 41.02));
	assert_false(serve_log_range(&log, LOG_NEEDED, &low, &high));
	serve_log_release(&log);
	free(text);
}

static void a_broken_log_is_one_error(void **state)
{
	/* clang-format off */
	static const struct {
		const char *file, *where, *message;
	} rows[] = {
		{ "truncated-figure", "line 2", "the log ends inside a figure; it is truncated" },
		{ "truncated-arguments", "line 2", "the log ends inside the arguments; it is truncated" },
		{ "binary", "line 1", "a NUL byte: this is a binary file, not a log" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct serve_log log;
		struct ss_error err = { 0 };
		size_t length;
		char *text = read_log(rows[i].file, &length);

		assert_int_equal(serve_log_parse(&log, text, length, &err), SS_EDOCUMENT);
		assert_string_equal(err.where, rows[i].where);
		assert_string_equal(err.message, rows[i].message);
		assert_int_equal(log.count, 0);
		free(text);
	}
}

static void a_log_without_figures_has_none(void **state)
{
	struct serve_log log;
	size_t length;
	char *text = read_log("without-figures", &length);

	(void)state;
	assert_int_equal(serve_log_parse(&log, text, length, NULL), SS_OK);
	assert_int_equal(log.count, 0);
	assert_null(log.arguments);
	assert_true(serve_log_is(text, length));
	serve_log_release(&log);
	free(text);
}

static void a_log_is_told_from_a_command(void **state)
{
	static const char command[] = "vllm serve Qwen/Qwen3-14B --tp 4\n";
	size_t length;
	char *text = read_log("v0.9.2-two-ranks-colours", &length);

	(void)state;
	assert_true(serve_log_is(text, length));
	assert_false(serve_log_is(command, strlen(command)));
	free(text);
}

static void python_values_become_json(void **state)
{
	/* clang-format off */
	static const struct {
		const char *python, *json;
	} rows[] = {
		{ "{'a': 1, 'b': [True, None, -2.5e3], \"c\": ('x', \"it's\")}", "{\"a\":1,\"b\":[true,null,-2500],\"c\":[\"x\",\"it's\"]}" },
		{ "Namespace(a='x', b=torch.bfloat16, c=f(1, 'q)'))", "{\"a\":\"x\",\"b\":\"torch.bfloat16\",\"c\":\"f(1, 'q)')\"}" },
		{ "a=1, b={'x': <E.F: (1, 2)>}, rest of line", "{\"a\":1,\"b\":{\"x\":\"<E.F: (1, 2)>\"}}" },
		{ "{}", "{}" },
		{ "{'a': 1, 'a': 2,}", "{\"a\":2}" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cJSON *object = NULL;
		size_t used;
		char *json;
		enum ss_status rc =
			python_object_read(&object, &used, rows[i].python, strlen(rows[i].python));

		assert_int_equal(rc, SS_OK);
		json = cJSON_PrintUnformatted(object);
		assert_string_equal(json, rows[i].json);
		free(json);
		cJSON_Delete(object);
	}
}

static void python_that_ends_early_is_told_from_other_text(void **state)
{
	cJSON *object = NULL;
	size_t used;

	(void)state;
	assert_int_equal(python_object_read(&object, &used, "{'a': 'b", 8), SS_EDOCUMENT);
	assert_int_equal(python_object_read(&object, &used, "{'a': [1, 2", 11), SS_EDOCUMENT);
	assert_int_equal(python_object_read(&object, &used, "{'a' 1}", 7), SS_EUSAGE);
	assert_null(object);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_log_gives_its_figures),
		cmocka_unit_test(arguments_become_flags),
		cmocka_unit_test(ranks_that_differ_give_a_range),
		cmocka_unit_test(a_broken_log_is_one_error),
		cmocka_unit_test(a_log_without_figures_has_none),
		cmocka_unit_test(a_log_is_told_from_a_command),
		cmocka_unit_test(python_values_become_json),
		cmocka_unit_test(python_that_ends_early_is_told_from_other_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
