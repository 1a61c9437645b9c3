/* GDN prefill and MoE modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_testing.h"

#define TYPED "kernel_config.gdn.original_prefill="
#define VARIABLE "VLLM_SM70_FLASHQLA_ORIGINAL_PREFILL="
#define ALIAS "FLASH_QLA_SM70_USE_ORIGINAL_TILELANG="

static struct ss_reference *pack;

static int load_pack(void **state)
{
	(void)state;
	pack = engine_pack();
	return pack ? 0 : -1;
}

static int free_pack(void **state)
{
	(void)state;
	ss_reference_free(pack);
	return 0;
}

/* Precedence as the selectors' digest states it: the typed field, the
 * variable, the older name, then on unless there is no nvcc. */
static void original_prefill_follows_its_precedence(void **state)
{
	enum { NOTHING, OVERRIDE, ASSUMES, WARNS };
	/* clang-format off */
	static const struct {
		const char *pairs[4];
		enum ss_fact nvcc;
		const char *inner;
		enum ss_gdn_source source;
		int mark;
	} rows[] = {
		{ { NULL }, SS_UNSTATED, "original", SS_GDN_DEFAULT, ASSUMES },
		{ { NULL }, SS_YES, "original", SS_GDN_DEFAULT, NOTHING },
		{ { NULL }, SS_NO, "prebuilt", SS_GDN_DEFAULT, OVERRIDE },
		{ { TYPED "True" }, SS_YES, "original", SS_GDN_TYPED, NOTHING },
		{ { TYPED "True" }, SS_NO, "original", SS_GDN_TYPED, WARNS },
		{ { TYPED "true" }, SS_UNSTATED, "original", SS_GDN_TYPED, ASSUMES },
		{ { TYPED "False" }, SS_YES, "prebuilt", SS_GDN_TYPED, NOTHING },
		{ { TYPED "False" }, SS_NO, "prebuilt", SS_GDN_TYPED, NOTHING },
		{ { TYPED "None" }, SS_NO, "prebuilt", SS_GDN_DEFAULT, OVERRIDE },
		{ { TYPED "True", VARIABLE "0", ALIAS "0" }, SS_YES, "original", SS_GDN_TYPED, NOTHING },
		{ { TYPED "False", VARIABLE "1", ALIAS "1" }, SS_YES, "prebuilt", SS_GDN_TYPED, NOTHING },
		{ { VARIABLE "1" }, SS_NO, "original", SS_GDN_VARIABLE, WARNS },
		{ { VARIABLE "0" }, SS_NO, "prebuilt", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "0", ALIAS "1" }, SS_YES, "prebuilt", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "1", ALIAS "0" }, SS_YES, "original", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "" }, SS_YES, "prebuilt", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "  FALSE " }, SS_YES, "prebuilt", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "No" }, SS_YES, "prebuilt", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "oFF" }, SS_YES, "prebuilt", SS_GDN_VARIABLE, NOTHING },
		{ { VARIABLE "yes" }, SS_UNSTATED, "original", SS_GDN_VARIABLE, ASSUMES },
		{ { ALIAS "1" }, SS_NO, "original", SS_GDN_VARIABLE, WARNS },
		{ { ALIAS "off" }, SS_UNSTATED, "prebuilt", SS_GDN_VARIABLE, NOTHING },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct engine_settings pairs = { rows[i].pairs };
		const struct ss_settings settings = engine_settings(&pairs);
		const struct ss_gdn_request q = { "sm70", 128, "float16", rows[i].nvcc, &settings };
		struct ss_gdn_choice c;

		ss_gdn_select(&c, pack, &q);
		assert_string_equal(c.backend, "flashqla_sm70");
		assert_string_equal(c.inner, rows[i].inner);
		assert_int_equal(c.source, rows[i].source);
		assert_int_equal(c.is_override, rows[i].mark == OVERRIDE);
		assert_int_equal(c.assumes_nvcc, rows[i].mark == ASSUMES);
		assert_int_equal(c.warns_no_nvcc, rows[i].mark == WARNS);
		assert_string_not_equal(c.reason, "");
	}
}

static void an_answer_names_the_variable_it_came_from(void **state)
{
	static const char *const set[] = { ALIAS "1", NULL };
	const struct engine_settings pairs = { set };
	const struct ss_settings settings = engine_settings(&pairs);
	const struct ss_gdn_request q = { "7.0", 128, "half", SS_YES, &settings };
	struct ss_gdn_choice c;

	(void)state;
	ss_gdn_select(&c, pack, &q);
	assert_string_equal(c.source_name, "FLASH_QLA_SM70_USE_ORIGINAL_TILELANG");
}

static void another_part_head_or_dtype_takes_triton(void **state)
{
	static const struct ss_gdn_request rows[] = {
		{ "sm75", 128, "float16", SS_YES, NULL }, { "7.0", 64, "float16", SS_YES, NULL },
		{ "7.0", 128, "bfloat16", SS_YES, NULL }, { NULL, 128, "float16", SS_YES, NULL },
		{ "7.0", 128, NULL, SS_YES, NULL },
	};
	static const char *const words[] = { "sm75", "64", "bfloat16", "none stated", "unstated" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ss_gdn_choice c;

		ss_gdn_select(&c, pack, &rows[i]);
		assert_string_equal(c.backend, "triton");
		assert_null(c.inner);
		assert_int_equal(c.source, SS_GDN_NONE);
		assert_non_null(strstr(c.reason, words[i]));
	}
}

static void the_backend_asked_for_is_read_whatever_its_case(void **state)
{
	static const struct {
		const char *pairs[3];
		const char *backend;
	} rows[] = {
		{ { "kernel_config.gdn.prefill_backend=FlashQLA_SM70" }, "flashqla_sm70" },
		{ { "kernel_config.gdn.prefill_backend=triton" }, "triton" },
		{ { "kernel_config.gdn.prefill_backend=flashinfer" }, "triton" },
		{ { "additional_config.gdn_prefill_backend=Triton" }, "triton" },
		{ { "kernel_config.gdn.prefill_backend=auto",
		    "additional_config.gdn_prefill_backend=triton" },
		  "flashqla_sm70" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct engine_settings pairs = { rows[i].pairs };
		const struct ss_settings settings = engine_settings(&pairs);
		const struct ss_gdn_request q = { "7.0", 128, "float16", SS_YES, &settings };
		struct ss_gdn_choice c;

		ss_gdn_select(&c, pack, &q);
		assert_string_equal(c.backend, rows[i].backend);
	}
}

static const char *mode_of(const struct ss_moe_request *q, const char *stage)
{
	struct ss_moe_verdict verdicts[64];
	size_t count = ss_moe_select(verdicts, 64, pack, q);
	const char *mode = NULL;

	assert_true(count <= 64);
	for (size_t i = 0; i < count; i++) {
		if (!verdicts[i].is_chosen || strcmp(verdicts[i].binding->stage, stage) != 0)
			continue;
		assert_null(mode); /* one of a stage at most */
		mode = verdicts[i].binding->mode;
	}
	return mode;
}

/* Rows of the selectors' table for AWQ and FP8. */
static void awq_and_fp8_modes_follow_the_selector_rows(void **state)
{
#define AWQ "kernel_config.sm70_moe.awq."
	/* clang-format off */
	static const struct {
		const char *pairs[3];
		int64_t tokens, top_k;
		const char *w13, *w2;
	} rows[] = {
		{ { NULL }, 1, 8, "compact", "indexed" },
		{ { AWQ "single_token_w13=indexed,dense" }, 1, 8, "indexed", "indexed" },
		{ { AWQ "strict_w13=True" }, 1, 8, "compact", "active_dense" },
		{ { AWQ "single_token_w13=indexed", AWQ "strict_w13=True" }, 1, 8, "active_dense", "active_dense" },
		{ { AWQ "single_token_w2=dense" }, 1, 8, "compact", "active_dense" },
		{ { NULL }, 32, 8, "batched", "batched" },
		{ { AWQ "batched=False" }, 32, 8, "dense", "dense" },
		{ { AWQ "strict_w13=True" }, 32, 8, "dense", "dense" },
		{ { AWQ "max_batched_tokens=16" }, 16, 8, "batched", "batched" },
		{ { AWQ "max_batched_tokens=16" }, 17, 8, "dense", "dense" },
		{ { AWQ "max_batched_tokens=0" }, 8192, 8, "batched", "batched" },
		{ { AWQ "active_exact_w2=True" }, 16, 8, "batched", "active_dense" },
		{ { AWQ "active_exact_w2=True" }, 17, 8, "batched", "dense" },
		{ { AWQ "exact_w2=True" }, 16, 8, "batched", "dense" },
		{ { AWQ "w13_per_expert=True" }, 16, 8, "per_expert_dispatch", "batched" },
		{ { AWQ "w2_per_expert=True" }, 16, 8, "batched", "per_expert_dispatch" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct engine_settings pairs = { rows[i].pairs };
		const struct ss_settings settings = engine_settings(&pairs);
		struct ss_moe_request q = { .family = "awq", .settings = &settings };

		q.tokens = rows[i].tokens;
		q.top_k = rows[i].top_k;
		assert_string_equal(mode_of(&q, "w13"), rows[i].w13);
		assert_string_equal(mode_of(&q, "w2"), rows[i].w2);
	}
}

static void fp4_modes_need_the_widths_they_were_built_for(void **state)
{
	struct ss_moe_request q = {
		.family = "nvfp4", .tokens = 1, .top_k = 10, .hidden = 2560, .experts = 512, .tp = 4
	};

	(void)state;
	assert_string_equal(mode_of(&q, "w13"), "qpn");
	assert_string_equal(mode_of(&q, "w2"), "qpn");
	q.tokens = 8;
	assert_string_equal(mode_of(&q, "w13"), "fused_batch_qpn");
	assert_string_equal(mode_of(&q, "w2"), "batch_reduce");
	q.tokens = 5;
	assert_string_equal(mode_of(&q, "w13"), "qpn_mtp");
	q.tokens = 6;
	assert_null(mode_of(&q, "w13"));
	q.tokens = 8;
	q.tp = 8;
	assert_null(mode_of(&q, "w13"));
	q.model_family = "GLM-5";
	assert_string_equal(mode_of(&q, "w13"), "glm_qpn");
}

static void a_mode_that_no_rule_gives_says_so(void **state)
{
	const struct ss_moe_request q = { .family = "mxfp4", .tokens = 1, .top_k = 6 };
	struct ss_moe_verdict verdicts[8];
	size_t count = ss_moe_select(verdicts, 8, pack, &q);

	(void)state;
	assert_int_equal(count, 5);
	assert_string_equal(mode_of(&q, "w13"), "prepare_w13");
	for (size_t i = 0; i < count; i++) {
		bool is_prepare = strcmp(verdicts[i].binding->mode, "prepare_w13") == 0;

		assert_non_null(verdicts[i].binding->native_name);
		if (!is_prepare)
			assert_string_equal(verdicts[i].reason, "no selector rule read");
	}
}

/* Every mode that is not chosen says which of the three it is. */
static void a_mode_not_chosen_says_why(void **state)
{
	const struct ss_moe_request many = { .family = "fp8", .tokens = 200, .top_k = 8 };
	const struct ss_moe_request one = { .family = "fp8", .tokens = 1, .top_k = 8 };
	static const struct {
		const char *mode, *at_200, *at_1;
		bool wants_at_200, wants_at_1;
	} rows[] = {
		{ "compact", "its rule does not hold", "one token: the compact kernel comes first",
		  true, false },
		{ "indexed", "its rule does not hold", "another row matched first", true, false },
		{ "batched", "nothing else asked for", "another row matched first", false, false },
		{ "per_expert_dispatch", "its rule does not hold", "its rule does not hold", true,
		  true },
		{ "active_grouped", "no selector rule read", "no selector rule read", false,
		  false },
	};
	struct ss_moe_verdict at_200[64], at_1[64];
	size_t count = ss_moe_select(at_200, 64, pack, &many);
	size_t found = 0;

	(void)state;
	assert_int_equal(ss_moe_select(at_1, 64, pack, &one), count);
	for (size_t i = 0; i < count && i < 64; i++)
		for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
			if (strcmp(at_1[i].binding->stage, "w13") != 0 ||
			    strcmp(at_1[i].binding->mode, rows[j].mode) != 0)
				continue;
			assert_string_equal(at_200[i].reason, rows[j].at_200);
			assert_string_equal(at_1[i].reason, rows[j].at_1);
			assert_int_equal(at_200[i].wants != NULL, rows[j].wants_at_200);
			assert_int_equal(at_1[i].wants != NULL, rows[j].wants_at_1);
			found++;
		}
	assert_int_equal(found, sizeof(rows) / sizeof(rows[0]));
}

static void weight_formats_outside_the_build_are_not_found(void **state)
{
	(void)state;
	assert_string_equal(ss_weight_format_find(pack, "int4")->moe_family, "awq");
	assert_string_equal(ss_weight_format_find(pack, "nvfp4")->name, "nvfp4");
	assert_null(ss_weight_format_find(pack, "gptq"));
	assert_null(ss_weight_format_find(pack, "mxfp8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(original_prefill_follows_its_precedence),
		cmocka_unit_test(an_answer_names_the_variable_it_came_from),
		cmocka_unit_test(another_part_head_or_dtype_takes_triton),
		cmocka_unit_test(the_backend_asked_for_is_read_whatever_its_case),
		cmocka_unit_test(awq_and_fp8_modes_follow_the_selector_rows),
		cmocka_unit_test(fp4_modes_need_the_widths_they_were_built_for),
		cmocka_unit_test(a_mode_that_no_rule_gives_says_so),
		cmocka_unit_test(a_mode_not_chosen_says_why),
		cmocka_unit_test(weight_formats_outside_the_build_are_not_found),
	};

	return cmocka_run_group_tests(tests, load_pack, free_pack);
}
