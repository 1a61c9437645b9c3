#include "import/model_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/nearest.h"

static const char *const names[] = {
	"deepseek-v3",
	"llama-2-7b-hf",
	"llama-3.1-8b-instruct",
	"llama-3.1-70b-instruct",
	"nemotron-x-bf16",
	"nemotron-x-nvfp4",
	"qwen3-14b",
	"qwen3-30b-a3b",
	"qwen3.6-27b",
	"qwen3.6-27b-awq",
	"glm-5.2",
	"glm-5.2-fp8",
	"only-as-w4a16",
};

#define COUNT (sizeof(names) / sizeof(names[0]))

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
		struct model_match match;
		enum ss_status rc = model_match(&match, rows[i].repository, names, COUNT, NULL);

		assert_int_equal(rc, SS_OK);
		assert_string_equal(match.name, rows[i].name);
		assert_string_equal(match.quantization, rows[i].quantization);
		assert_string_equal(match.suffix, rows[i].suffix);
	}
}

static void an_unknown_model_lists_the_nearest(void **state)
{
	struct model_match match;
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(model_match(&match, "Qwen/Qwen3-15B", names, COUNT, &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "'Qwen3-15B'"));
	assert_non_null(strstr(err.message, "nearest: qwen3-14b"));
	/* A name is as near as its beginning. */
	assert_int_equal(model_match(&match, "meta-llama/Llama-9", names, COUNT, &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "nearest: llama-"));
	/* Two differ by format alone: neither is taken unasked. */
	assert_int_equal(model_match(&match, "nvidia/Nemotron-X", names, COUNT, &err), SS_EUSAGE);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_repository_is_known_without_case_organisation_or_format),
		cmocka_unit_test(an_unknown_model_lists_the_nearest),
		cmocka_unit_test(spelling_counts_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
