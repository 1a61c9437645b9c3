#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/model_names.h"
#include "stepscope/nearest.h"
#include "stepscope/registry.h"

static const char *const names[] = {
	"deepseek-v3",     "deepseek-v3.2",         "mixtral-8x7b-v0.1",
	"llama-2-7b-hf",   "llama-3.1-8b-instruct", "llama-3.1-70b-instruct",
	"nemotron-x-bf16", "nemotron-x-nvfp4",      "qwen3-14b",
	"qwen3-30b-a3b",   "qwen3.6-27b",           "qwen3.6-27b-awq",
	"glm-5.2",         "glm-5.2-fp8",           "only-as-w4a16",
};

#define COUNT (sizeof(names) / sizeof(names[0]))

static struct ss_registry *registry;

static enum ss_status match_of(struct ss_model_match *out, const char *text, struct ss_error *err)
{
	return ss_model_match(out, text, ss_registry_model_names(registry, NULL), names, COUNT,
			      err);
}

static void a_repository_is_known_without_case_organisation_or_format(void **state)
{
	/* clang-format off */
	static const struct {
		const char *repository, *name, *quantization, *suffix;
	} rows[] = {
		{ "deepseek-ai/DeepSeek-V3",           "deepseek-v3", "", "" },
		{ "Qwen/Qwen3.6-27B-AWQ",              "qwen3.6-27b-awq", "", "" },
		{ "meta-llama/Llama-3.1-8B-Instruct",  "llama-3.1-8b-instruct", "", "" },
		{ "meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct", "", "" },
		{ "meta-llama/Llama-2-7b-hf",          "llama-2-7b-hf", "", "" },
		{ "meta-llama/Llama-2-7b",             "llama-2-7b-hf", "", "" },
		{ "nvidia/NVIDIA-Nemotron-X-NVFP4",    "nemotron-x-nvfp4", "", "" },
		{ "RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "llama-3.1-70b-instruct", "fp8", "-fp8-dynamic" },
		{ "RedHatAI/Llama-3.1-70B-Instruct-FP8-dynamic", "llama-3.1-70b-instruct", "fp8", "-fp8-dynamic" },
		{ "Qwen/Qwen3-30B-A3B-FP8",            "qwen3-30b-a3b", "fp8", "-fp8" },
		{ "Qwen/Qwen3-14B-AWQ",                "qwen3-14b", "awq_marlin", "-awq" },
		{ "Qwen/Qwen3-14B-GPTQ-Int4",          "qwen3-14b", "gptq_marlin", "-gptq-int4" },
		{ "nvidia/Qwen3-14B-NVFP4",            "qwen3-14b", "modelopt_fp4", "-nvfp4" },
		{ "zai-org/GLM-5.2-FP8",               "glm-5.2-fp8", "", "" },
		{ "org/Only-As",                       "only-as-w4a16", "", "" },
		{ "qwen3_14b",                         "qwen3-14b", "", "" },
		{ "/data/models/Qwen3-14B/",           "qwen3-14b", "", "" },
		{ "/hub/models--Qwen--Qwen3-14B/snapshots/40c0", "qwen3-14b", "", "" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_model_match match;
		enum ss_status rc = match_of(&match, rows[i].repository, NULL);

		assert_int_equal(rc, SS_OK);
		assert_string_equal(match.graph, rows[i].name);
		assert_string_equal(match.quantization, rows[i].quantization);
		assert_string_equal(match.suffix, rows[i].suffix);
	}
}

static void an_unknown_model_lists_the_nearest(void **state)
{
	struct ss_model_match match;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(match_of(&match, "Qwen/Qwen3-15B", &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "'Qwen3-15B'"));
	assert_non_null(strstr(err.message, "by family and size: qwen3-14b"));
	/* A name is as near as its beginning. */
	assert_int_equal(match_of(&match, "meta-llama/Llama-9", &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "by family and size: llama-"));
	/* Two differ by format alone: neither is taken unasked. */
	assert_int_equal(match_of(&match, "nvidia/Nemotron-X", &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "nemotron-x-bf16"));
	assert_non_null(strstr(err.message, "nemotron-x-nvfp4"));
}

static void spelling_counts_edits(void **state)
{
	char longest[300];

	(void)state;
	assert_int_equal(ss_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(ss_edit_distance("max_num_seqs", "max-num-seqs"), 0);
	assert_int_equal(ss_edit_distance("ABC", "abd"), 1);
	assert_int_equal(ss_edit_distance("", "abc"), 3);
	assert_int_equal(ss_edit_distance("abc", ""), 3);
	assert_int_equal(ss_edit_distance("abcdef", "uvwxyz"), 6);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_true(ss_edit_distance(longest, "a") > 128);
	assert_true(ss_edit_distance("a", longest) > 128);
}

static void a_name_in_other_words_says_why(void **state)
{
	/* Names as the hub has them; what they share is in their config.json files. */
	static const struct {
		const char *text, *graph, *quantization, *reason;
		int64_t window;
	} rows[] = {
		{ "deepseek-ai/DeepSeek-R1", "deepseek-v3", "", "DeepSeek-V3-Base", 163840 },
		{ "deepseek-ai/DeepSeek-R1-0528", "deepseek-v3", "", "DeepSeek-V3-Base", 163840 },
		{ "deepseek-ai/DeepSeek-V3-0324", "deepseek-v3", "", ": 0324 in a name", 0 },
		{ "deepseek-ai/DeepSeek-V3-Base", "deepseek-v3", "", ": Base in a name", 0 },
		{ "deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek-v3", "", "DeepSeek-V3.1",
		  163840 },
		{ "deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2", "", "Exp", 0 },
		{ "meta-llama/Llama-3.3-70B-Instruct", "llama-3.1-70b-instruct", "", "same shape",
		  131072 },
		{ "casperhansen/llama-3.3-70b-instruct-awq", "llama-3.1-70b-instruct", "awq_marlin",
		  "same shape", 131072 },
		{ "meta-llama/Llama-3.1-8B", "llama-3.1-8b-instruct", "", "same shape", 0 },
		{ "meta-llama/Meta-Llama-3-8B-Instruct", "llama-3.1-8b-instruct", "",
		  "shorter window", 8192 },
		{ "mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b-v0.1", "", "Instruct", 0 },
		{ "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "qwen3-30b-a3b", "fp8", "longer window",
		  262144 },
		{ "Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b", "", "longer window",
		  262144 },
		{ "unsloth/Qwen3-14B-Base-unsloth-bnb-4bit", "qwen3-14b", "bitsandbytes", "Base",
		  0 },
		{ "https://huggingface.co/Qwen/Qwen3-14B/tree/main", "qwen3-14b", "", "", 0 },
		{ "https://www.modelscope.cn/models/Qwen/Qwen3-14B?x=1", "qwen3-14b", "", "", 0 },
		{ "Qwen/Qwen3-14B@main", "qwen3-14b", "", "", 0 },
		{ "/data/Qwen3-14B/config.json", "qwen3-14b", "", "", 0 },
		{ "org/Only-As-Chat", "only-as-w4a16", "", "the one form of it that there is", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_model_match match;
		struct ss_error err = { 0 };

		if (match_of(&match, rows[i].text, &err))
			fail_msg("%s: %s", rows[i].text, err.message);
		assert_string_equal(match.graph, rows[i].graph);
		assert_string_equal(match.quantization, rows[i].quantization);
		assert_int_equal(match.max_model_len, rows[i].window);
		if (*rows[i].reason ? !strstr(match.reason, rows[i].reason) : *match.reason)
			fail_msg("%s: \"%s\"", rows[i].text, match.reason);
	}
}

static void another_model_is_not_taken_for_one_of_its_family(void **state)
{
	static const char *const texts[] = {
		"Qwen/Qwen3-VL-30B-A3B-Instruct", "Qwen/Qwen2.5-14B",
		"deepseek-ai/DeepSeek-V2.5",      "meta-llama/Llama-3.2-3B",
		"Qwen/Qwen3-Next-80B-A3B",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ss_model_match match;

		if (!match_of(&match, texts[i], NULL))
			fail_msg("%s is taken for %s", texts[i], match.graph);
	}
}

static void the_nearest_are_of_the_family_then_of_the_size(void **state)
{
	static const char *const graphs[] = { "llama-2-7b",    "llama-2-70b", "mixtral-8x7b",
					      "qwen3-30b-a3b", "qwen3-8b",    "yi-34b" };
	static const struct {
		const char *text, *nearest;
	} rows[] = {
		{ "qwen3-32b", "qwen3-30b-a3b, qwen3-8b, yi-34b" },
		{ "llama-4-65b", "llama-2-70b, llama-2-7b" },
		{ "lama-3-8b", "llama-2-7b, llama-2-70b" },
		{ "mixtral-8x22b", "mixtral-8x7b" },
		{ "foo-30b", "qwen3-30b-a3b, yi-34b, mixtral-8x7b" },
		{ "smol-360m", "llama-2-7b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char out[200];

		ss_model_nearest(out, sizeof(out), rows[i].text, graphs, 6);
		if (strncmp(out, rows[i].nearest, strlen(rows[i].nearest)) != 0)
			fail_msg("%s: %s", rows[i].text, out);
	}
}

static void every_alias_names_a_graph_that_is_there(void **state)
{
	const struct ss_model_names *table = ss_registry_model_names(registry, NULL);

	(void)state;
	assert_non_null(table);
	assert_true(table->alias_count > 20);
	for (size_t i = 0; i < table->alias_count; i++) {
		const struct ss_model *model =
			ss_registry_model(registry, table->aliases[i].name, NULL);

		if (!model || strcmp(model->name, table->aliases[i].graph) != 0)
			fail_msg("%s is no %s", table->aliases[i].name, table->aliases[i].graph);
		assert_string_equal(model->asked, table->aliases[i].name);
		assert_non_null(strstr(model->reason, table->aliases[i].why));
		if (table->aliases[i].max_model_len)
			assert_int_equal(model->max_model_len, table->aliases[i].max_model_len);
	}
}

static void a_graph_under_another_name_leaves_its_own_alone(void **state)
{
	const struct ss_model *other =
		ss_registry_model(registry, "Qwen/Qwen3-30B-A3B-Thinking-2507-FP8", NULL);
	const struct ss_model *own = ss_registry_model(registry, "qwen3-30b-a3b", NULL);
	const struct ss_model *awq = ss_registry_model(registry, "org/DeepSeek-R1-AWQ", NULL);

	(void)state;
	assert_non_null(other);
	assert_non_null(own);
	assert_string_equal(other->asked_quantization, "fp8");
	assert_string_equal(own->asked_quantization, "");
	assert_string_equal(own->reason, "");
	assert_int_not_equal(other->max_model_len, own->max_model_len);
	/* Weights of 8 bits are no form of which 4 bits are another: said, not guessed. */
	assert_non_null(awq);
	assert_string_equal(awq->asked_quantization, "");
	assert_non_null(strstr(awq->reason, "awq is not what the graph's weights are"));
}

static int open_registry(void **state)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };

	(void)state;
	return ss_registry_new(&registry, roots, 1, NULL);
}

static int close_registry(void **state)
{
	(void)state;
	ss_registry_free(registry);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_repository_is_known_without_case_organisation_or_format),
		cmocka_unit_test(an_unknown_model_lists_the_nearest),
		cmocka_unit_test(a_name_in_other_words_says_why),
		cmocka_unit_test(another_model_is_not_taken_for_one_of_its_family),
		cmocka_unit_test(the_nearest_are_of_the_family_then_of_the_size),
		cmocka_unit_test(every_alias_names_a_graph_that_is_there),
		cmocka_unit_test(a_graph_under_another_name_leaves_its_own_alone),
		cmocka_unit_test(spelling_counts_edits),
	};

	return cmocka_run_group_tests(tests, open_registry, close_registry);
}
