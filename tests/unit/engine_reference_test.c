/* A pack's own checks: each fault told with its pointer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_testing.h"
#include "stepscope/registry.h"

static char *text;
static size_t length;

static int read_pack(void **state)
{
	(void)state;
	text = engine_read(ENGINE_PACK, &length);
	return text ? 0 : -1;
}

static int free_text(void **state)
{
	(void)state;
	free(text);
	return 0;
}

/* Change the shipped pack once; a problem at `pointer` must hold `word`. */
static void changed(const char *old, const char *with, const char *pointer, const char *word)
{
	char *bad = engine_replaced(text, old, with);
	struct ss_reference *made = NULL;
	struct ss_problems problems = { 0 };
	bool is_found = false;

	assert_non_null(bad);
	assert_int_equal(ss_reference_parse(&made, bad, strlen(bad), "t.json", &problems),
			 SS_EDOCUMENT);
	assert_null(made);
	for (size_t i = 0; i < problems.count; i++)
		is_found |= strcmp(problems.items[i].pointer, pointer) == 0 &&
			    strstr(problems.items[i].message, word);
	for (size_t i = 0; !is_found && i < problems.count && i < 5; i++)
		print_message("# %s: %s\n", problems.items[i].pointer, problems.items[i].message);
	assert_true(is_found);
	ss_problems_release(&problems);
	free(bad);
}

static void the_shipped_pack_loads(void **state)
{
	struct ss_reference *pack = engine_pack();

	(void)state;
	assert_non_null(pack);
	assert_string_equal(pack->name, "vllm");
	assert_string_equal(pack->version, "sm70");
	assert_int_equal(pack->owner_count, 81);
	assert_int_equal(pack->field_count, 534);
	assert_int_equal(pack->xqa_rule_count, 10);
	assert_true(pack->has_order);
	assert_true(pack->has_gdn);
	assert_true(pack->has_moe_rules);
	for (size_t i = 0; i < SS_NOTICE_COUNT; i++)
		assert_true(pack->notices[i].count > 0);
	ss_reference_free(pack);
}

/* The same file carries the lists and defaults that resolving reads. */
static void the_shipped_pack_is_also_an_ordinary_one(void **state)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };
	struct ss_registry *registry = NULL;
	struct ss_problems problems = { 0 };
	const struct ss_pack *lists;
	bool is_fallback = true;

	(void)state;
	assert_int_equal(ss_registry_new(&registry, roots, 1, NULL), SS_OK);
	lists = ss_registry_pack(registry, "vllm", "sm70", &is_fallback, &problems);
	assert_int_equal(problems.count, 0);
	assert_non_null(lists);
	assert_false(is_fallback);
	assert_true(lists->is_sm70);
	assert_true(ss_list_has(&lists->lists[SS_LIST_CACHE_DTYPES], "fp8_e5m2"));
	assert_false(ss_list_has(&lists->lists[SS_LIST_CACHE_DTYPES], "nvfp4"));
	assert_true(ss_list_has(&lists->lists[SS_LIST_QUANTIZATIONS], "awq"));
	assert_false(ss_list_has(&lists->lists[SS_LIST_QUANTIZATIONS], "gptq"));
	ss_registry_free(registry);
	ss_problems_release(&problems);
}

static void faults_of_tables_are_told_by_pointer(void **state)
{
	(void)state;
	changed("\"kind\": \"EnginePack\"", "\"kind\": \"Pack\"", "", "must be EnginePack");
	changed("\"kv_codecs\": [\n", "\"kv_codec\": [\n", "/kv_codec", "did you mean `kv_codecs`");
	changed("\"symbol\": \"FP16\"", "\"symbol\": 16", "/kv_codecs/0/symbol", "a text");
	changed("\"symbol\": \"BF16\"", "\"symbol\": \"FP16\"", "/kv_codecs/1", "stands twice");
	changed("[\"bfloat16\"]", "[\"auto\"]", "/kv_codecs/1", "alias `auto` stands twice");
	changed("\"stage\": \"decode\"", "\"stage\": \"decoed\"", "/attention_routes/0/stage",
		"did you mean decode");
	changed("\"chunk_alignment\": 1", "\"chunk_alignment\": 0", "/attention_routes/0",
		"1 or more");
	changed("\"chunk_alignment\": 1", "\"chunk_alignment\": 1.5",
		"/attention_routes/0/chunk_alignment", "whole number");
	changed("\"name\": \"decode_dense_reference\"", "\"name\": \"decode_dense_cache\"",
		"/attention_routes/1", "stands twice");
	changed("\"codecs\": [\"FP16\", \"FP8_E4M3\", \"FP8_E5M2\"]", "\"codecs\": [\"FP32\"]",
		"/attention_routes/0", "not in kv_codecs");
	changed("\"stage\": \"w13\"", "\"stage\": \"w14\"", "/moe_bindings/0", "w13 or w2");
	changed("\"mode\": \"active_grouped\"", "\"mode\": \"active_dense\"", "/moe_bindings/1",
		"stands twice");
	changed("\"owner_path\": \"optimization_level\"", "\"owner_path\": \"optimisation_level\"",
		"/config_fields/3", "not in config_owners");
	changed("\"paths\": [\"cache_config\"]", "\"paths\": [\"attention_config\"]",
		"/config_owners/1", "stands twice");
	changed("\"paths\": [\"cache_config\"]", "\"paths\": []", "/config_owners/1",
		"needs a path");
}

static void faults_of_the_order_are_told_by_pointer(void **state)
{
	(void)state;
	changed("{\"backend_serves\": false}", "{\"backend_serve\": false}",
		"/route_order/walks/0/candidates/0/requires/0/backend_serve",
		"did you mean `backend_serves`");
	changed("{\"backend_serves\": false}", "{\"backend_serves\": 0}",
		"/route_order/walks/0/candidates/0/requires/0/backend_serves", "true or false");
	changed("{\"max_q\": 16}", "{\"max_q\": [16]}",
		"/route_order/walks/1/candidates/2/requires/1/max_q", "a whole number");
	changed("{\"page_multiple\": 16}", "{\"page_multiple\": 0}",
		"/route_order/walks/2/candidates/6/requires/3/page_multiple", "1 or more");
	changed("\"route\": \"decode_xqa_paged\"", "\"route\": \"decode_xqa\"",
		"/route_order/walks/2/candidates/5", "not declared");
	changed("\"role\": \"gate\"", "\"role\": \"door\"", "/route_order/walks/0/candidates/1",
		"role must be");
	changed("\"confidence\": \"inferred\"", "\"confidence\": \"guessed\"",
		"/route_order/walks/10/candidates/8", "read or inferred");
	changed("\"delegate\": \"verify_tree\"", "\"delegate\": \"verify_trees\"",
		"/route_order/walks/7/candidates/1", "must stand before");
	changed("{\"hint_below\": 32768}", "{\"xqa_rules\": true}", "/xqa_rules/3/when/0",
		"cannot stand inside");
	changed("options.bfla\"}", "options.bflb\"}",
		"/route_order/walks/8/candidates/0/requires/0/option", "not in config_fields");
}

static void faults_of_the_selections_are_told_by_pointer(void **state)
{
	(void)state;
	changed("\"mode\": \"compact\", \"when\"", "\"mode\": \"compacted\", \"when\"",
		"/moe_selection/rules/0", "no binding");
	changed("{\"max_tokens\": 1, ", "{\"most_tokens\": 1, ",
		"/moe_selection/rules/0/when/most_tokens", "unknown condition");
	changed("\"typed\": \"kernel_config.gdn.original_prefill\"",
		"\"typed\": \"kernel_config.gdm.original_prefill\"",
		"/gdn_prefill/original_prefill", "not in config_fields");
}

static void every_fault_is_told_at_once(void **state)
{
	char *once = engine_replaced(text, "\"symbol\": \"FP16\"", "\"symbol\": 16");
	char *twice = engine_replaced(once, "\"stage\": \"w13\"", "\"stage\": \"w14\"");
	struct ss_reference *made = NULL;
	struct ss_problems problems = { 0 };
	bool has_codec = false;
	bool has_binding = false;

	(void)state;
	assert_int_equal(ss_reference_parse(&made, twice, strlen(twice), "t.json", &problems),
			 SS_EDOCUMENT);
	for (size_t i = 0; i < problems.count; i++) {
		has_codec |= strstr(problems.items[i].pointer, "/kv_codecs/0") != NULL;
		has_binding |= strstr(problems.items[i].pointer, "/moe_bindings/0") != NULL;
	}
	assert_true(has_codec && has_binding);
	ss_problems_release(&problems);
	free(once);
	free(twice);
}

static void text_that_is_no_json_is_refused(void **state)
{
	struct ss_reference *made = NULL;

	(void)state;
	assert_int_equal(ss_reference_parse(&made, "{", 1, "t.json", NULL), SS_EDOCUMENT);
	assert_int_equal(ss_reference_parse(&made, "", 0, "t.json", NULL), SS_EDOCUMENT);
	assert_int_equal(ss_reference_parse(&made, "[]", 2, "t.json", NULL), SS_EDOCUMENT);
	assert_int_equal(ss_reference_parse(&made, "{}", 2, "t.json", NULL), SS_EDOCUMENT);
	assert_int_equal(ss_reference_load(&made, "no/such/file", NULL), SS_EIO);
	assert_null(made);
}

static void fields_follow_owners_that_stand_for_each_other(void **state)
{
	struct ss_reference *pack = engine_pack();
	const struct ss_config_field *field;

	(void)state;
	field = ss_reference_field(pack, "speculative_config.draft_model_config.seed");
	assert_non_null(field);
	assert_string_equal(field->owner_path, "model_config");
	assert_string_equal(field->default_value, "0");
	assert_non_null(ss_reference_field(pack, "performance_mode"));
	assert_null(ss_reference_field(pack, "attention_config.flash_v100.options.none_such"));
	assert_string_equal(ss_reference_field(pack, "kernel_config.sm70_runtime.any")->field, "*");
	ss_reference_free(pack);
}

static void values_are_checked_against_their_fields(void **state)
{
	static const struct {
		const char *path, *value;
		bool is_fine;
	} rows[] = {
		{ "attention_config.flash_v100.options.bfla", "True", true },
		{ "attention_config.flash_v100.options.bfla", "maybe", false },
		{ "attention_config.flash_v100.options.bfla_min_q", "2048", true },
		{ "attention_config.flash_v100.options.bfla_min_q", "2k", false },
		{ "attention_config.flash_v100.options.bfla_keep_mass", "0.5", true },
		{ "attention_config.flash_v100.options.bfla_keep_mass", "half", false },
		{ "performance_mode", "throughput", true },
		{ "performance_mode", "fast", false },
		{ "kernel_config.gdn.original_prefill", "None", true },
	};
	struct ss_reference *pack = engine_pack();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ss_config_field *field = ss_reference_field(pack, rows[i].path);
		struct ss_error err = { 0 };

		assert_non_null(field);
		assert_int_equal(ss_config_field_check(field, rows[i].value, &err),
				 rows[i].is_fine ? SS_OK : SS_EUSAGE);
		if (!rows[i].is_fine)
			assert_non_null(strstr(err.message, "must be"));
	}
	ss_reference_free(pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_pack_loads),
		cmocka_unit_test(the_shipped_pack_is_also_an_ordinary_one),
		cmocka_unit_test(faults_of_tables_are_told_by_pointer),
		cmocka_unit_test(faults_of_the_order_are_told_by_pointer),
		cmocka_unit_test(faults_of_the_selections_are_told_by_pointer),
		cmocka_unit_test(every_fault_is_told_at_once),
		cmocka_unit_test(text_that_is_no_json_is_refused),
		cmocka_unit_test(fields_follow_owners_that_stand_for_each_other),
		cmocka_unit_test(values_are_checked_against_their_fields),
	};

	return cmocka_run_group_tests(tests, read_pack, free_text);
}
