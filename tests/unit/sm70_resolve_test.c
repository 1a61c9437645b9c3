/* What the SM70 build's reference settles: refusals with fixes, GDN prefill, dtype, codec. */
#include "kernel_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/sm70.h"

#define TP4 "qwen3.6-27b-awq-v100-tp4"
#define ORIGINAL "engine.sm70.kernel_config.gdn.original_prefill"
#define NEW_NAME "cluster.host.env.VLLM_SM70_FLASHQLA_ORIGINAL_PREFILL"
#define OLD_NAME "cluster.host.env.FLASH_QLA_SM70_USE_ORIGINAL_TILELANG"

static const struct ss_entry *entry(const struct kernel_fixture *f, const char *name)
{
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f->kernel, i);

		if (e->is_own && strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}

static const struct ss_override * override(const struct kernel_fixture *f, const char *field)
{
	for (size_t i = 0; i < ss_kernel_override_count(f->kernel); i++)
		if (!strcmp(ss_kernel_override(f->kernel, i)->field, field))
			return ss_kernel_override(f->kernel, i);
	return NULL;
}

/** Every fix that a refusal offers must resolve by itself. */
static void assert_fixes_work(const struct kernel_fixture *f, const struct ss_problem *problem)
{
	assert_true(problem->fix_count > 0);
	for (size_t i = 0; i < problem->fix_count; i++) {
		struct ss_scenario *fixed = NULL;
		struct ss_kernel *kernel = NULL;

		assert_int_equal(ss_scenario_clone(&fixed, f->scenario), SS_OK);
		assert_int_equal(ss_scenario_set(fixed, 0, problem->fixes[i].path,
						 problem->fixes[i].value, NULL),
				 SS_OK);
		assert_int_equal(ss_kernel_new(&kernel, f->basis, fixed, 0, f->corrections, NULL),
				 SS_OK);
		ss_kernel_free(kernel);
		ss_scenario_free(fixed);
	}
}

/** The first refusal of a code. */
static const struct ss_problem *refusal(const struct kernel_fixture *f, const char *code)
{
	assert_null(f->kernel);
	for (size_t i = 0; i < f->problems.count; i++)
		if (f->problems.items[i].severity == SS_REFUSAL &&
		    strcmp(f->problems.items[i].code, code) == 0)
			return &f->problems.items[i];
	fail_msg("no refusal %s", code);
	return NULL;
}

static bool offers(const struct ss_problem *problem, const char *path, const char *value)
{
	for (size_t i = 0; i < problem->fix_count; i++)
		if (strcmp(problem->fixes[i].path, path) == 0 &&
		    strcmp(problem->fixes[i].value, value) == 0)
			return true;
	return false;
}

/* -- E14 ------------------------------------------------------------------------------------ */

static void what_the_build_would_not_start_is_refused_with_fixes(void **state)
{
	static const struct {
		const char *settings, *pointer, *says, *path, *value;
	} cases[] = {
		{ "quantization=gptq", "/deployment/pools/0/engine/quantization", "gptq",
		  "engine.quantization", "awq" },
		{ "cache_dtype=bfloat16", "/deployment/pools/0/engine/cache_dtype",
		  "no decode route is left", "engine.cache_dtype", "" },
		{ "engine.sm70.attention_config.flash_v100.options.decode_use_scalar_paged=false",
		  "/deployment/pools/0/engine/sm70", "would raise",
		  "cluster.host.env.VLLM_FLASH_V100_ALLOW_TRITON_FALLBACK", "1" },
		{ "max_num_batched_tokens=783 max_num_seqs=16",
		  "/deployment/pools/0/engine/max_num_batched_tokens",
		  "below the attention block of 784", "engine.max_num_batched_tokens", "784" },
		{ "engine.sm70.kernel_config.gdn.orignal_prefill=false",
		  "/deployment/pools/0/engine/sm70",
		  "did you mean "
		  "kernel_config.gdn.original_prefill",
		  "engine.sm70.kernel_config.gdn.orignal_prefill", "" },
		{ ORIGINAL "=maybe", "/deployment/pools/0/engine/sm70", "must be true or false",
		  ORIGINAL, "" },
		{ "engine.sm70.optimization_level=O9", "/deployment/pools/0/engine/sm70",
		  "must be one of O0;O1;O2;O3", "engine.sm70.optimization_level", "O0" },
	};
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ss_problem *p;

		fixture_open(&f, TP4, cases[i].settings);
		p = refusal(&f, "E14");
		assert_string_equal(p->pointer, cases[i].pointer);
		assert_non_null(strstr(p->message, cases[i].says));
		assert_true(offers(p, cases[i].path, cases[i].value));
		assert_fixes_work(&f, p);
		fixture_release(&f);
	}
}

static void a_budget_of_one_block_is_enough(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, TP4, "max_num_batched_tokens=784");
	assert_non_null(f.kernel);
	/* without alignment there is no least budget */
	fixture_set(&f, "max_num_batched_tokens=64 mamba_cache_mode=all");
	assert_non_null(f.kernel);
	fixture_release(&f);
}

static void triton_lets_a_gate_pass(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(
		&f, TP4,
		"engine.sm70.attention_config.flash_v100.options.decode_use_scalar_paged=false "
		"cluster.host.env.VLLM_FLASH_V100_ALLOW_TRITON_FALLBACK=1");
	assert_non_null(f.kernel);
	fixture_set(&f, "cluster.host.env.VLLM_FLASH_V100_ALLOW_TRITON_FALLBACK=0");
	(void)refusal(&f, "E14");
	fixture_release(&f);
}

static void a_gptq_checkpoint_is_refused(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "small-gptq", "v100-sxm2-32", FIXTURE_NODE, "engine_version=sm70");
	assert_string_equal(refusal(&f, "E14")->pointer, "/model");
	assert_non_null(strstr(refusal(&f, "E14")->message, "gptq"));
	fixture_release(&f);
	/* another release takes it */
	fixture_make(&f, "small-gptq", "v100-sxm2-32", FIXTURE_NODE, "");
	assert_non_null(f.kernel);
	fixture_release(&f);
}

static void a_head_width_the_backend_does_not_serve_is_refused(void **state)
{
	struct kernel_fixture f;
	const struct ss_problem *p;

	(void)state;
	fixture_make(&f, "deepseek-v2-lite", "v100-sxm2-32", FIXTURE_NODE,
		     "engine_version=sm70 tp=4");
	p = refusal(&f, "E14");
	assert_string_equal(p->pointer, "/model");
	assert_true(offers(p, "cluster.host.env.VLLM_FLASH_V100_ALLOW_TRITON_FALLBACK", "1"));
	assert_fixes_work(&f, p);
	fixture_release(&f);
}

static void settings_of_another_build_are_only_warned_about(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "llama-3.1-8b-a100-tp2", "engine.sm70.optimization_level=O1");
	assert_non_null(f.kernel);
	assert_int_equal(ss_problems_count(&f.problems, SS_WARNING), 1);
	assert_non_null(strstr(f.problems.items[0].message, "no effect"));
	fixture_release(&f);
}

/* -- codec and dtype ------------------------------------------------------------------------ */

static void an_alias_of_a_codec_is_noted(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, TP4, "cache_dtype=fp8");
	assert_string_equal(ss_kernel_kv_codec(f.kernel)->symbol, "FP8_E4M3");
	assert_string_equal(entry(&f, "kv_codec_alias")->value_text, "fp8_e4m3");
	fixture_set(&f, "cache_dtype=fp8_e4m3");
	assert_null(entry(&f, "kv_codec_alias"));
	fixture_set(&f, "cache_dtype=fp8_e5m2");
	assert_string_equal(ss_kernel_kv_codec(f.kernel)->symbol, "FP8_E5M2");
	fixture_set(&f, "cache_dtype=");
	assert_string_equal(ss_kernel_kv_codec(f.kernel)->symbol, "FP16");
	assert_null(entry(&f, "kv_codec_alias"));
	assert_non_null(entry(&f, "native_route_abi"));
	/* exact, and case matters */
	fixture_set(&f, "cache_dtype=FP8");
	(void)refusal(&f, "E8");
	fixture_release(&f);
}

static void a_bfloat16_model_runs_half_precision(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "qwen3.6-27b-fp8-v100-tp4", "");
	assert_string_equal(override(&f, "dtype")->requested, "bfloat16");
	assert_string_equal(override(&f, "dtype")->resolved, "float16");
	assert_string_equal(ss_kernel_compute_dtype(f.kernel), "float16");
	fixture_set(&f, "engine.sm70.model_config.dtype=half");
	assert_null(override(&f, "dtype"));
	fixture_release(&f);
	fixture_open(&f, TP4, "");
	assert_null(override(&f, "dtype"));
	fixture_set(&f, "engine.sm70.model_config.dtype=bfloat16");
	assert_non_null(override(&f, "dtype"));
	fixture_release(&f);
}

static void the_backend_is_the_builds_own_unless_asked(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	struct ss_batch batch = { 0 };

	(void)state;
	fixture_open(&f, TP4, "");
	assert_string_equal(ss_kernel_resolution(f.kernel)->attention_backend, "FLASH_ATTN_V100");
	fixture_set(&f, "engine.sm70.attention_config.backend=TRITON_ATTN");
	assert_string_equal(ss_kernel_resolution(f.kernel)->attention_backend, "TRITON_ATTN");
	assert_int_equal(ss_kernel_routes(&routes, f.kernel, &batch), SS_OK);
	assert_int_equal(routes.count, 0);
	assert_int_equal(ss_problems_count(&f.problems, SS_WARNING), 1);
	fixture_release(&f);
}

/* -- GDN prefill ---------------------------------------------------------------------------- */

/* Precedence: the typed field, the variable, its older name, then the default, which
 * falls back without nvcc. N: the host has none. */
static void gdn_prefill_follows_its_precedence(void **state)
{
	static const struct {
		const char *settings, *inner;
		bool is_override, is_assumed, is_warned;
	} cases[] = {
		{ "", "original", false, true, false },
		{ "cluster.host.nvcc=true", "original", false, false, false },
		{ "cluster.host.nvcc=false", "prebuilt", true, false, false },
		{ ORIGINAL "=true cluster.host.nvcc=false", "original", false, false, true },
		{ ORIGINAL "=false cluster.host.nvcc=true", "prebuilt", false, false, false },
		{ ORIGINAL "=false " NEW_NAME "=1", "prebuilt", false, false, false },
		{ ORIGINAL "=true " NEW_NAME "=0", "original", false, true, false },
		{ NEW_NAME "=off", "prebuilt", false, false, false },
		{ NEW_NAME "=1 " OLD_NAME "=0", "original", false, true, false },
		{ NEW_NAME "=No " OLD_NAME "=1", "prebuilt", false, false, false },
		{ OLD_NAME "=FALSE cluster.host.nvcc=true", "prebuilt", false, false, false },
		{ OLD_NAME "=1 cluster.host.nvcc=false", "original", false, false, true },
		{ NEW_NAME "=1 cluster.host.nvcc=false", "original", false, false, true },
	};
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ss_gdn_choice *choice;

		fixture_open(&f, TP4, cases[i].settings);
		choice = ss_kernel_gdn_prefill(f.kernel);
		assert_string_equal(choice->backend, "flashqla_sm70");
		assert_string_equal(choice->inner, cases[i].inner);
		assert_int_equal(override(&f, "gdn_prefill") != NULL, cases[i].is_override);
		assert_int_equal(entry(&f, "gdn_prefill_toolkit") != NULL, cases[i].is_assumed);
		assert_int_equal(ss_problems_count(&f.problems, SS_WARNING), cases[i].is_warned);
		fixture_release(&f);
	}
	fixture_open(&f, TP4, "cluster.host.nvcc=false");
	assert_string_equal(override(&f, "gdn_prefill")->requested,
			    "unstated (original by default)");
	assert_string_equal(override(&f, "gdn_prefill")->resolved, "prebuilt");
	fixture_release(&f);
}

static void gdn_prefill_is_triton_where_flashqla_cannot_serve(void **state)
{
	struct kernel_fixture f;
	const struct ss_gdn_choice *choice;

	(void)state;
	fixture_open(&f, TP4, "engine.sm70.kernel_config.gdn.prefill_backend=triton");
	choice = ss_kernel_gdn_prefill(f.kernel);
	assert_string_equal(choice->backend, "triton");
	assert_null(choice->inner);
	assert_null(entry(&f, "gdn_prefill_toolkit"));
	/* the model then runs at float32, which the kernels do not take */
	fixture_set(&f, "engine.sm70.kernel_config.gdn.prefill_backend= "
			"engine.sm70.model_config.dtype=float32");
	choice = ss_kernel_gdn_prefill(f.kernel);
	assert_string_equal(choice->backend, "triton");
	assert_non_null(strstr(choice->reason, "needs float16"));
	fixture_release(&f);
}

/* The pack says 7.0 and nothing else; BF16 runs where the part has it. */
static void another_generation_gets_triton_and_keeps_its_dtype(void **state)
{
	struct kernel_fixture f;
	const struct ss_gdn_choice *choice;

	(void)state;
	fixture_make(&f, "qwen3.6-27b", "h200", FIXTURE_NODE, "engine_version=sm70");
	assert_non_null(f.kernel);
	choice = ss_kernel_gdn_prefill(f.kernel);
	assert_string_equal(choice->backend, "triton");
	assert_non_null(strstr(choice->reason, "needs compute capability 7.0, the part has sm90"));
	assert_null(override(&f, "dtype"));
	assert_string_equal(ss_kernel_compute_dtype(f.kernel), "bfloat16");
	fixture_release(&f);
}

/* -- MoE bindings --------------------------------------------------------------------------- */

static const struct ss_moe_verdict *chosen(const struct ss_moe_verdict *rows, size_t count,
					   const char *stage)
{
	const struct ss_moe_verdict *found = NULL;

	for (size_t i = 0; i < count; i++)
		if (rows[i].is_chosen && strcmp(rows[i].binding->stage, stage) == 0) {
			assert_null(found);
			found = &rows[i];
		}
	return found;
}

/* One token takes the narrow kernels first, more take the batched ones (selector table). */
static void moe_bindings_follow_the_tokens_of_the_batch(void **state)
{
	static const struct ss_group one[] = { { 1, 1, 100, 0 } }, many[] = { { 8, 1, 100, 0 } };
	struct kernel_fixture f;
	struct ss_moe_verdict rows[64];
	struct ss_batch batch = { .groups = one, .group_count = 1 };
	size_t count;

	(void)state;
	fixture_make(&f, "qwen3-30b-a3b", "v100-sxm2-32", FIXTURE_NODE,
		     "engine_version=sm70 tp=4 quantization=fp8 enable_expert_parallel=true");
	assert_non_null(f.kernel);
	count = ss_kernel_moe_bindings(rows, 64, f.kernel, &batch);
	/* 8 modes of w13 and 6 of w2 */
	assert_int_equal(count, 14);
	assert_string_equal(chosen(rows, count, "w13")->binding->mode, "compact");
	assert_string_equal(chosen(rows, count, "w2")->binding->mode, "indexed");
	batch.groups = many;
	count = ss_kernel_moe_bindings(rows, 64, f.kernel, &batch);
	assert_string_equal(chosen(rows, count, "w13")->binding->mode, "batched");
	assert_string_equal(chosen(rows, count, "w2")->binding->mode, "batched");
	fixture_set(&f, "engine.sm70.kernel_config.sm70_moe.fp8.batched=false");
	count = ss_kernel_moe_bindings(rows, 64, f.kernel, &batch);
	assert_string_equal(chosen(rows, count, "w13")->binding->mode, "dense");
	fixture_release(&f);
	fixture_open(&f, TP4, "");
	assert_int_equal(ss_kernel_moe_bindings(rows, 64, f.kernel, &batch), 0);
	fixture_release(&f);
}

/* -- kernels are read after their scenario ---------------------------------------------------- */

static void a_kernel_keeps_what_its_routes_need(void **state)
{
	static const struct ss_group groups[] = { { 1, 8192, 0, 32768 } };
	struct ss_batch batch = { .groups = groups, .group_count = 1 };
	struct kernel_fixture f;
	struct ss_kernel_routes routes;
	bool is_seen = false;

	(void)state;
	fixture_open(&f, TP4,
		     "engine.sm70.attention_config.flash_v100.options.use_paged_prefill=true");
	ss_scenario_free(f.scenario);
	f.scenario = NULL;
	assert_int_equal(ss_kernel_routes(&routes, f.kernel, &batch), SS_OK);
	for (size_t i = 0; i < routes.count; i++)
		is_seen |= routes.items[i].selection.winner &&
			   strcmp(routes.items[i].selection.winner->candidate->name,
				  "prefill_no_prefix_paged_cache_flash") == 0;
	assert_true(is_seen);
	ss_kernel_routes_release(&routes);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_build_would_not_start_is_refused_with_fixes),
		cmocka_unit_test(a_budget_of_one_block_is_enough),
		cmocka_unit_test(triton_lets_a_gate_pass),
		cmocka_unit_test(a_gptq_checkpoint_is_refused),
		cmocka_unit_test(a_head_width_the_backend_does_not_serve_is_refused),
		cmocka_unit_test(settings_of_another_build_are_only_warned_about),
		cmocka_unit_test(an_alias_of_a_codec_is_noted),
		cmocka_unit_test(a_bfloat16_model_runs_half_precision),
		cmocka_unit_test(the_backend_is_the_builds_own_unless_asked),
		cmocka_unit_test(gdn_prefill_follows_its_precedence),
		cmocka_unit_test(gdn_prefill_is_triton_where_flashqla_cannot_serve),
		cmocka_unit_test(another_generation_gets_triton_and_keeps_its_dtype),
		cmocka_unit_test(moe_bindings_follow_the_tokens_of_the_batch),
		cmocka_unit_test(a_kernel_keeps_what_its_routes_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
