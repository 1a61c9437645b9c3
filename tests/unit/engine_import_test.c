/* Rendering, importing and comparing references; malformed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_testing.h"

static struct ss_reference *pack;
static char *seed;
static size_t seed_length;

static int load_all(void **state)
{
	(void)state;
	pack = engine_pack();
	seed = engine_read(ENGINE_SEED, &seed_length);
	return pack && seed ? 0 : -1;
}

static int free_all(void **state)
{
	(void)state;
	ss_reference_free(pack);
	free(seed);
	return 0;
}

static struct ss_reference *imported(const char *text, size_t length)
{
	struct ss_reference *made = NULL;
	struct ss_problems problems = { 0 };
	enum ss_status rc =
		ss_reference_import(&made, text, length, "vllm", "sm70", "t.md", &problems);

	for (size_t i = 0; i < problems.count; i++)
		print_message("# %s: %s\n", problems.items[i].file, problems.items[i].message);
	ss_problems_release(&problems);
	assert_int_equal(rc, SS_OK);
	return made;
}

/* The text is refused, and one of the problems stands on `line` (0: any) and
 * holds `word`. */
static void refused(const char *text, size_t length, size_t line, const char *word)
{
	struct ss_reference *made = NULL;
	struct ss_problems problems = { 0 };
	bool is_found = false;
	char where[64];

	assert_int_equal(
		ss_reference_import(&made, text, length, "vllm", "sm70", "t.md", &problems),
		SS_EDOCUMENT);
	assert_null(made);
	snprintf(where, sizeof(where), line ? "t.md:%zu" : "t.md", line);
	for (size_t i = 0; i < problems.count; i++)
		is_found |= strcmp(problems.items[i].file, where) == 0 &&
			    strstr(problems.items[i].message, word);
	for (size_t i = 0; !is_found && i < problems.count && i < 5; i++)
		print_message("# %s: %s\n", problems.items[i].file, problems.items[i].message);
	assert_true(is_found);
	ss_problems_release(&problems);
}

static void compare(const struct ss_reference *a, const struct ss_reference *b, size_t added,
		    size_t removed, size_t changed)
{
	struct ss_comparison c;

	assert_int_equal(ss_reference_compare(&c, a, "a", b, "b", SS_COMPARE_TABLES), SS_OK);
	assert_int_equal(c.added, added);
	assert_int_equal(c.removed, removed);
	assert_int_equal(c.changed, changed);
	if (added + removed + changed == 0)
		assert_string_equal(c.text, "");
	free(c.text);
}

static void the_catalogue_imports_to_its_counts(void **state)
{
	static const size_t by_stage[SS_STAGE_COUNT] = {
		[SS_STAGE_PREFILL] = 34, [SS_STAGE_DECODE] = 9,       [SS_STAGE_VERIFY] = 7,
		[SS_STAGE_METADATA] = 5, [SS_STAGE_MIXED_DECODE] = 3, [SS_STAGE_ANY] = 2,
	};
	struct ss_reference *made = imported(seed, seed_length);
	size_t stages[SS_STAGE_COUNT] = { 0 };
	size_t paths = 0;

	(void)state;
	for (size_t i = 0; i < made->owner_count; i++)
		paths += made->owners[i].paths.count;
	for (size_t i = 0; i < made->route_count; i++)
		stages[made->routes[i].stage]++;
	assert_int_equal(made->owner_count, 81);
	assert_int_equal(paths, 142);
	assert_int_equal(made->codec_count, 4);
	assert_int_equal(made->route_count, 60);
	assert_int_equal(made->binding_count, 40);
	for (int i = 0; i < SS_STAGE_COUNT; i++)
		assert_int_equal(stages[i], by_stage[i]);
	ss_reference_free(made);
}

static void what_an_import_has_not_is_null(void **state)
{
	struct ss_reference *made = imported(seed, seed_length);

	(void)state;
	assert_false(made->has_order);
	assert_false(made->has_fields);
	assert_false(made->has_gdn);
	for (size_t i = 0; i < made->binding_count; i++)
		assert_null(made->bindings[i].native_name);
	ss_reference_free(made);
}

static void the_pack_has_the_tables_of_the_catalogue(void **state)
{
	struct ss_reference *made = imported(seed, seed_length);

	(void)state;
	compare(pack, made, 0, 0, 0);
	ss_reference_free(made);
}

static void rendering_and_importing_is_the_identity(void **state)
{
	struct ss_reference *first = imported(seed, seed_length);
	struct ss_reference *second;
	char *text = NULL;
	char *again = NULL;
	char *json = NULL;
	char *json_again = NULL;
	size_t length;

	(void)state;
	assert_int_equal(ss_reference_markdown(&text, &length, first), SS_OK);
	second = imported(text, length);
	compare(first, second, 0, 0, 0);
	assert_int_equal(ss_reference_markdown(&again, NULL, second), SS_OK);
	assert_string_equal(text, again);
	assert_int_equal(ss_reference_json(&json, NULL, first), SS_OK);
	assert_int_equal(ss_reference_json(&json_again, NULL, second), SS_OK);
	assert_string_equal(json, json_again);
	ss_reference_free(first);
	ss_reference_free(second);
	free(text);
	free(again);
	free(json);
	free(json_again);
}

static void the_json_form_loads_again(void **state)
{
	struct ss_reference *again = NULL;
	struct ss_comparison c;
	char *json = NULL;
	size_t length;

	(void)state;
	assert_int_equal(ss_reference_json(&json, &length, pack), SS_OK);
	assert_int_equal(ss_reference_parse(&again, json, length, "t.json", NULL), SS_OK);
	assert_int_equal(ss_reference_compare(&c, pack, "a", again, "b", SS_COMPARE_ALL), SS_OK);
	assert_int_equal(c.added + c.removed + c.changed, 0);
	free(c.text);
	ss_reference_free(again);
	free(json);
}

static void a_changed_cell_is_named(void **state)
{
	static const struct {
		const char *old, *with;
		const char *says[3];
	} rows[] = {
		{ "\"gqa_ratios\": [4, 6, 8]",
		  "\"gqa_ratios\": [6, 8]",
		  { "decode_xqa_paged", "gqa_ratios", "tightened" } },
		{ "\"page_alignment\": 16",
		  "\"page_alignment\": 1",
		  { "decode_e4m3_compact_scalar_tail", "page_alignment", "loosened" } },
		{ "\"page_alignment\": 16",
		  "\"page_alignment\": 32",
		  { "decode_e4m3_compact_scalar_tail", "page_alignment", "32 (tightened)" } },
		{ "\"page_alignment\": 16",
		  "\"page_alignment\": 24",
		  { "decode_e4m3_compact_scalar_tail", "page_alignment", "24 (changed)" } },
		{ "auto / auto, float16",
		  "auto / auto, float16, half",
		  { "FP16", "aliases", "auto, float16, half" } },
		{ "| FP8_E5M2 | fp8_e5m2 / fp8_e5m2 | torch.uint8 / torch.float8_e5m2 | True |",
		  "| FP8_E5M2 | fp8_e5m2 / fp8_e5m2 | torch.uint8 / torch.float8_e5m2 | False |",
		  { "FP8_E5M2", "quantized", "no" } },
		{ "single_token_dense_w13",
		  "single_token_dense_w14",
		  { "awq/fp8 w13 active_dense", "binding", "single_token_dense_w14" } },
		{ "compute_hash: vllm/config/attention.py",
		  "hash: vllm/config/attention.py",
		  { "AttentionConfig", "lifecycle", "hash: " } },
		{ "| attention_config |",
		  "| attention_settings |",
		  { "AttentionConfig", "-  path: attention_config",
		    "+  path: attention_settings" } },
	};
	char *text = NULL;
	size_t length;

	(void)state;
	assert_int_equal(ss_reference_markdown(&text, &length, pack), SS_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *changed = engine_replaced(text, rows[i].old, rows[i].with);
		struct ss_reference *made;
		struct ss_comparison c;

		assert_non_null(changed);
		made = imported(changed, strlen(changed));
		assert_int_equal(
			ss_reference_compare(&c, pack, "pack", made, "t.md", SS_COMPARE_TABLES),
			SS_OK);
		assert_int_equal(c.changed, 1);
		assert_int_equal(c.added + c.removed, 0);
		for (size_t j = 0; j < 3; j++)
			assert_non_null(strstr(c.text, rows[i].says[j]));
		free(c.text);
		ss_reference_free(made);
		free(changed);
	}
	free(text);
}

/* Put an `x` in front of the pipe at `pipe`; the change must be told, be it as
 * a difference or as a cell that says what cannot be. */
static void change_is_seen(const char *text, const char *pipe)
{
	size_t before = (size_t)(pipe - text);
	size_t length = strlen(text) + 1;
	char *changed = malloc(length + 1);
	struct ss_reference *made = NULL;
	struct ss_problems problems = { 0 };
	enum ss_status rc;

	assert_non_null(changed);
	memcpy(changed, text, before);
	changed[before] = 'x';
	memcpy(changed + before + 1, pipe, length - before);
	rc = ss_reference_import(&made, changed, length, "vllm", "sm70", "t.md", &problems);
	if (rc == SS_OK) {
		struct ss_comparison c;

		assert_int_equal(ss_reference_compare(&c, pack, "a", made, "b", SS_COMPARE_TABLES),
				 SS_OK);
		assert_true(c.added + c.removed + c.changed > 0);
		free(c.text);
		ss_reference_free(made);
	} else {
		assert_int_equal(rc, SS_EDOCUMENT);
		assert_true(problems.count > 0);
	}
	ss_problems_release(&problems);
	free(changed);
}

static void a_change_in_any_cell_is_seen(void **state)
{
	char *text = NULL;
	size_t length;
	size_t row = 0;
	size_t cells = 0;

	(void)state;
	assert_int_equal(ss_reference_markdown(&text, &length, pack), SS_OK);
	for (const char *at = text; at; at = strchr(at, '\n')) {
		const char *end;

		at += *at == '\n';
		end = strchr(at, '\n');
		if (!end)
			break;
		if (strncmp(at, "| ", 2) != 0)
			continue;
		row++;
		for (const char *pipe = at + 1; pipe < end; pipe++) {
			/* the place before ` |` is inside a cell's text */
			if (pipe[0] != ' ' || pipe[1] != '|')
				continue;
			change_is_seen(text, pipe);
			cells++;
		}
	}
	assert_true(row > 185);
	assert_true(cells > 185 * 4);
	free(text);
}

static void rows_that_come_and_go_are_counted(void **state)
{
	char *renamed;
	struct ss_reference *made;

	(void)state;
	renamed = engine_replaced(seed, "decode_scalar_paged |", "decode_scalar_paged_2 |");
	assert_non_null(renamed);
	made = imported(renamed, strlen(renamed));
	compare(pack, made, 1, 1, 0);
	ss_reference_free(made);
	free(renamed);
}

static void a_path_that_moves_tells_between_which_owners(void **state)
{
	char *without = engine_replaced(seed, "kernel_config.sm70_marlin, ", "");
	char *moved = engine_replaced(without, "kernel_config.sm70_ring |",
				      "kernel_config.sm70_ring, kernel_config.sm70_marlin |");
	struct ss_reference *made;
	struct ss_comparison c;

	(void)state;
	assert_non_null(moved);
	made = imported(moved, strlen(moved));
	assert_int_equal(ss_reference_compare(&c, pack, "a", made, "b", SS_COMPARE_ALL), SS_OK);
	assert_int_equal(c.changed, 2);
	assert_non_null(strstr(c.text, "+  path: kernel_config.sm70_marlin (moved from "
				       "vllm.config.sm70_native.Sm70NativeConfig)"));
	free(c.text);
	ss_reference_free(made);
	free(moved);
	free(without);
}

static void both_spellings_of_a_method_are_one(void **state)
{
	static const char *const with[] = { "__post_init__: vllm/config/device.py",
					    "`__post_init__`: vllm/config/device.py",
					    "\\_\\_post_init\\_\\_: vllm/config/device.py" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *text = engine_replaced(seed, "post_init: vllm/config/device.py", with[i]);
		struct ss_reference *made = imported(text, strlen(text));

		compare(pack, made, 0, 0, 0);
		ss_reference_free(made);
		free(text);
	}
}

static void links_and_code_marks_are_read_as_their_text(void **state)
{
	char *text = engine_replaced(seed,
				     "| FP16 | auto / auto, float16 | torch.float16 / None | "
				     "False | vllm/v1/attention/kv_codecs.py |",
				     "| `FP16` | auto / auto, float16 | `torch.float16` / None | "
				     "False | [vllm/v1/attention/kv_codecs.py](../../x.py) |");
	struct ss_reference *made;

	(void)state;
	assert_non_null(text);
	made = imported(text, strlen(text));
	compare(pack, made, 0, 0, 0);
	ss_reference_free(made);
	free(text);
}

static size_t line_of(const char *text, const char *part)
{
	const char *at = strstr(text, part);
	size_t line = 1;

	assert_non_null(at);
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* Change the catalogue once and expect a problem on the line of `at`. */
static void changed_is_refused(const char *old, const char *with, const char *at, const char *word)
{
	char *text = engine_replaced(seed, old, with);

	assert_non_null(text);
	refused(text, strlen(text), line_of(text, at), word);
	free(text);
}

static void malformed_rows_are_told_by_their_line(void **state)
{
	static const char scalar[] = "decode_scalar_paged |\ndecode | FP16";

	(void)state;
	changed_is_refused("| BF16 | bfloat16 / bfloat16 |", "| BF16 |", "| BF16 |",
			   "a cell is missing");
	changed_is_refused("| BF16 | bfloat16 / bfloat16 |", "| BF16 | bfloat16 |", "| BF16 |",
			   "canonical / aliases");
	changed_is_refused(scalar, "decode_scalar_paged |\ndecoed | FP16", "decoed |",
			   "did you mean decode");
	changed_is_refused(scalar, "decode_paged_prefill |\ndecode | FP16",
			   "decode | FP16, FP8_E4M3, FP8_E5M2 | {\"chunk_alignment\": 1, "
			   "\"chunk_sizes\": [], \"fallback\": true",
			   "stands twice");
	changed_is_refused(scalar, "decode_scalar_paged | decode | FP16", "decode_scalar_paged | d",
			   "lines merged");
	changed_is_refused("decode_scalar_paged |\n", "",
			   "decode | FP16, FP8_E4M3, FP8_E5M2 | "
			   "{\"chunk_alignment\": 1, "
			   "\"chunk_sizes\": [], \"fallback\": true",
			   "lines merged");
	changed_is_refused(scalar, "decode_scalar_paged |\n\ndecode | FP16",
			   "decode_scalar_paged |", "no cells after its first");
	changed_is_refused("| awq/fp8 | w13 / batched |", "| awq/fp8 | w13 batched |",
			   "| awq/fp8 | w13 batched |", "stage / mode");
	changed_is_refused("| False | vllm/v1", "| maybe | vllm/v1", "| FP16 |", "True or False");
	changed_is_refused("\"xqa\": false}", "\"xqa\": 0}", "\"xqa\": 0}", "true or false");
	changed_is_refused("\"xqa\": false}", "\"xqb\": false}", "\"xqb\"", "did you mean `xqa`");
	changed_is_refused("\"xqa\": false}", "\"xqa\": false", "\"xqa\": false |",
			   "not a JSON object");
	changed_is_refused("| Symbol |", "| Name |", "| Name |", "heading must be `Symbol`");
	changed_is_refused("kv_codecs.py |\n| BF16", "kv_codecs.py | | BF16", "| FP16 |",
			   "two rows on one line");
	changed_is_refused("compute_hash: vllm/config/cache.py",
			   "compute_hash vllm/config/cache.py; "
			   "x: y",
			   "compute_hash vllm/config/cache.py", "method: file");
}

static void a_section_must_stand_once_and_hold_rows(void **state)
{
	char *text = engine_replaced(seed, "\nKV codecs\n", "\nCache codecs\n");
	char *marked;

	(void)state;
	assert_non_null(text);
	refused(text, strlen(text), 0, "section `KV codecs` is missing");
	free(text);
	refused("", 0, 0, "is missing");
	marked = engine_replaced(seed, "\nMoE stage bindings\n", "\nKV codecs\n");
	refused(marked, strlen(marked), line_of(marked, "\nKV codecs\nAWQ/FP8") + 1,
		"stands twice");
	free(marked);
}

static void an_anchor_must_lead_to_a_heading(void **state)
{
	char *text = NULL;
	char *broken;
	size_t length;

	(void)state;
	assert_int_equal(ss_reference_markdown(&text, &length, pack), SS_OK);
	broken = engine_replaced(text, "(#kv-codecs)", "(#kv-codec)");
	assert_non_null(broken);
	refused(broken, strlen(broken), line_of(broken, "(#kv-codec)"), "leads to no heading");
	free(broken);
	free(text);
}

static void ten_megabytes_of_pipes_are_refused_by_line(void **state)
{
	static const char heading[] = "Configuration owners\n";
	size_t length = 10 << 20;
	char *text = malloc(length + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '|', length);
	text[length] = '\0';
	memcpy(text, heading, sizeof(heading) - 1);
	refused(text, length, 2, "more than");
	for (size_t i = sizeof(heading); i < length; i += 2)
		text[i] = '\n';
	refused(text, length, 3, "cell is missing");
	free(text);
}

static void bytes_that_are_no_text_do_no_harm(void **state)
{
	size_t step = 997;

	(void)state;
	for (size_t i = 0; i < seed_length; i += step) {
		char *text = malloc(seed_length);
		struct ss_reference *made = NULL;
		enum ss_status rc;

		assert_non_null(text);
		memcpy(text, seed, seed_length);
		text[i] = (char)(i % 256);
		rc = ss_reference_import(&made, text, seed_length, "vllm", "sm70", "t.md", NULL);
		assert_true(rc == SS_OK || rc == SS_EDOCUMENT);
		ss_reference_free(rc ? NULL : made);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_catalogue_imports_to_its_counts),
		cmocka_unit_test(what_an_import_has_not_is_null),
		cmocka_unit_test(the_pack_has_the_tables_of_the_catalogue),
		cmocka_unit_test(rendering_and_importing_is_the_identity),
		cmocka_unit_test(the_json_form_loads_again),
		cmocka_unit_test(a_changed_cell_is_named),
		cmocka_unit_test(a_change_in_any_cell_is_seen),
		cmocka_unit_test(rows_that_come_and_go_are_counted),
		cmocka_unit_test(a_path_that_moves_tells_between_which_owners),
		cmocka_unit_test(both_spellings_of_a_method_are_one),
		cmocka_unit_test(links_and_code_marks_are_read_as_their_text),
		cmocka_unit_test(malformed_rows_are_told_by_their_line),
		cmocka_unit_test(a_section_must_stand_once_and_hold_rows),
		cmocka_unit_test(an_anchor_must_lead_to_a_heading),
		cmocka_unit_test(ten_megabytes_of_pipes_are_refused_by_line),
		cmocka_unit_test(bytes_that_are_no_text_do_no_harm),
	};

	return cmocka_run_group_tests(tests, load_all, free_all);
}
