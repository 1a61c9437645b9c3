/* The engine commands over words and streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "cli/engine_cmd.h"
#include "engine_testing.h"

#define PACKS TEST_SRCDIR "/registry/engines"

/* One run: what it printed, and its status. */
struct run {
	char *out;
	char *err;
	size_t out_length;
	size_t err_length;
	int status;
};

/* Words in one text, cut at single spaces. */
static struct run run(const char *words)
{
	struct run r = { 0 };
	char text[1024];
	char *argv[64];
	int argc = 0;
	FILE *out = open_memstream(&r.out, &r.out_length);
	FILE *err = open_memstream(&r.err, &r.err_length);

	assert_non_null(out);
	assert_non_null(err);
	assert_true(snprintf(text, sizeof(text), "%s", words) < (int)sizeof(text));
	for (char *at = text; at && argc < 64; argc++) {
		char *space = strchr(at, ' ');

		argv[argc] = at;
		if (space)
			*space++ = '\0';
		at = space;
	}
	r.status = engine_command(argc, argv, PACKS, out, err);
	fclose(out);
	fclose(err);
	return r;
}

static void end(struct run *r)
{
	free(r->out);
	free(r->err);
}

static void expect(const char *words, int status, const char *out, const char *err)
{
	struct run r = run(words);

	if (r.status != status)
		print_message("# %s: %d %s\n", words, r.status, r.err);
	assert_int_equal(r.status, status);
	if (out && !strstr(r.out, out))
		print_message("# %s: %s\n", words, r.out);
	if (out)
		assert_non_null(strstr(r.out, out));
	if (err && !strstr(r.err, err))
		print_message("# %s: %s\n", words, r.err);
	if (err)
		assert_non_null(strstr(r.err, err));
	end(&r);
}

/* A file of the test's own, in the folder it runs in. */
static void write_file(const char *path, const char *text, size_t length)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
}

static void check_passes_on_the_catalogue_and_exact_does_not(void **state)
{
	(void)state;
	expect("check " ENGINE_SEED, 0, NULL, NULL);
	expect("check --exact " ENGINE_SEED, 1, NULL, "differs from what would be rendered");
}

static void check_passes_on_the_rendered_text_even_exactly(void **state)
{
	static const char path[] = "engine_cmd_test.md";
	struct run r = run("render");

	(void)state;
	assert_int_equal(r.status, 0);
	write_file(path, r.out, r.out_length);
	expect("check engine_cmd_test.md", 0, NULL, NULL);
	expect("check --exact engine_cmd_test.md", 0, NULL, NULL);
	end(&r);
	remove(path);
}

static void check_fails_on_a_changed_cell_and_says_which(void **state)
{
	static const char path[] = "engine_cmd_changed.md";
	struct run r = run("render");
	char *text = engine_replaced(r.out, "\"page_sizes\": [784]", "\"page_sizes\": [800]");

	(void)state;
	assert_non_null(text);
	write_file(path, text, strlen(text));
	expect("check engine_cmd_changed.md", 1, "+  page_sizes: 800", NULL);
	expect("check engine_cmd_changed.md", 1, "1 changed", NULL);
	expect("check engine_cmd_changed.md --json", 1, "\"changed\":\t1", NULL);
	expect("diff vllm-sm70 engine_cmd_changed.md", 0, "+  page_sizes: 800", NULL);
	free(text);
	end(&r);
	remove(path);
}

/* A cell that says what cannot be fails the check; a text out of form does not load. */
static void check_tells_a_wrong_cell_from_a_wrong_form(void **state)
{
	static const char path[] = "engine_cmd_wrong.md";
	static const struct {
		const char *old, *with, *says;
		int status, import_status;
	} rows[] = {
		{ "| decode_xqa_paged | decode |", "| decode_xqa_paged | decoding |",
		  "unknown stage", 1, 3 },
		{ "| torch.float16 / None | False |", "| torch.float16 / None | No |",
		  "True or False", 1, 3 },
		{ "| FP16 | auto / auto, float16 |", "| FP17 | auto / auto, float16 |",
		  "`FP16` is not in kv_codecs", 1, 3 },
		{ "| decode_xqa_paged | decode |", "| decode_xqa_paged |  |",
		  "cell `Stage` is empty", 1, 3 },
		{ "\"gqa_ratios\": [4, 6, 8]", "\"gqa_ratios\": [4, -6, 8]",
		  "gqa_ratios/1: must be a whole number from 0, found -6", 1, 3 },
		{ "(#kv-codecs)", "(#kv-codec)", "leads to no heading", 1, 3 },
		{ "| decode_xqa_paged | decode |", "| decode_xqa_paged |", "a cell is missing", 3,
		  3 },
	};
	struct run r = run("render");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = engine_replaced(r.out, rows[i].old, rows[i].with);

		assert_non_null(text);
		write_file(path, text, strlen(text));
		expect("check engine_cmd_wrong.md", rows[i].status, NULL, rows[i].says);
		expect("import engine_cmd_wrong.md", rows[i].import_status, NULL, rows[i].says);
		expect("import engine_cmd_wrong.md --json", rows[i].import_status,
		       "\"kind\":\t\"document\"", rows[i].says);
		free(text);
	}
	end(&r);
	remove(path);
}

static void import_writes_a_pack_that_compares_equal(void **state)
{
	static const char path[] = "engine_cmd_pack.json";

	(void)state;
	expect("import " ENGINE_SEED " -o engine_cmd_pack.json", 0, NULL, NULL);
	expect("check engine_cmd_pack.json", 0, NULL, NULL);
	expect("list --pack ./engine_cmd_pack.json", 0, "attention_routes     60", NULL);
	expect("list --pack ./engine_cmd_pack.json", 0, "config_fields         0", NULL);
	expect("admit --pack ./engine_cmd_pack.json --stage decode --heads 6/1 --head-dim 256", 0,
	       "decode_xqa_paged", NULL);
	remove(path);
}

static void admit_prints_every_candidate_with_its_verdict(void **state)
{
	(void)state;
	expect("admit --stage prefill --codec FP16 --heads 24/4 --head-dim 256 --page 784 "
	       "--chunk 4096",
	       0, "result: prefill_no_prefix_dense_flash / prefill_dense_splitd_d256", NULL);
	expect("admit --stage prefill --codec auto --heads 6/1 --head-dim 256 --page 784 "
	       "--chunk 7840",
	       0, "prefill_dense_d256_gqa_79t_fp32 needs chunk 8000-8192, has 7840", NULL);
	expect("admit --stage prefill --heads=6/1 --head-dim=256 --page=800 --chunk=8K --json", 0,
	       "\"inner\":\t\"prefill_dense_d256_gqa_79t_fp32_q8192\"", NULL);
	expect("admit --stage decode --codec FP16 --heads 5/1 --head-dim 256", 0,
	       "gqa: gqa 5, needs 4 or 6 or 8", NULL);
	expect("admit --stage decode --codec FP16 --heads 6/1 --head-dim 256 --option "
	       "sm70.attention_config.flash_v100.options.decode_use_scalar_paged=false",
	       1, "raises", "the engine would raise");
	expect("admit --stage decode --codec fp8_inc --heads 6/1 --head-dim 256", 1,
	       "codec: codec none", "no decode route is left");
	expect("admit --stage metadata", 0, "records only", NULL);
}

static void bad_usage_says_what_would_be_right(void **state)
{
	(void)state;
	expect("lists", 2, NULL, "must be list, show, admit");
	expect("list tables", 2, NULL, "no table `tables`");
	expect("list routes --where stages=x", 2, NULL, "no column `stages`; it has name, stage,");
	expect("list routes --format yaml", 2, NULL, "text, json, csv or markdown");
	expect("show FP16 --format csv", 2, NULL, "no rows for --format csv");
	expect("list --colour", 2, NULL, "unknown option");
	expect("admit", 2, NULL, "needs --stage");
	expect("admit --stage decoding", 2, NULL, "must be decode");
	expect("admit --stage decode --heads 24", 2, NULL, "Q/KV");
	expect("admit --stage decode --heads 24/0", 2, NULL, "each from 1");
	expect("admit --stage decode --page many", 2, NULL, "whole number");
	expect("admit --stage decode --page -1", 2, NULL, "whole number from 0");
	expect("admit --stage decode --option bfla=true", 2, NULL, "no field `bfla`");
	expect("admit --stage decode --disable decode_xqa_page", 2, NULL,
	       "did you mean `decode_xqa_paged`?");
	expect("admit --stage decode --unavailable nothing", 2, NULL, "no route `nothing`");
	expect("admit --stage decode --page", 2, NULL, "needs a value");
	expect("admit --stage decode --option attention_config.bfla=1", 2, NULL, "no field");
	expect("admit --stage decode --option attention_config.flash_v100.options.bfla=maybe", 2,
	       NULL, "true or false");
	expect("show nothing_like_it", 2, NULL, "is called");
	expect("show decode_xqa_page", 2, NULL, "did you mean `decode_xqa_paged`?");
	expect("check", 2, NULL, "one file");
	expect("check --json", 2, "\"kind\":\t\"usage\"", "one file");
	expect("diff a", 2, NULL, "two packs");
	expect("check no/such/file", 4, NULL, "cannot be read");
	expect("import " PACKS "/vllm-0.31.0.json", 3, NULL, "attention_routes");
}

static void common_options_may_come_last(void **state)
{
	(void)state;
	expect("list --registry " TEST_SRCDIR "/registry --color never -q", 0, "kv_codecs", NULL);
	expect("list --registry no/such/root", 3, NULL, "no pack with a reference in no/such/root");
	expect("list -C no/such/folder", 4, NULL, "cannot be entered");
}

static void lists_are_filtered_and_sorted(void **state)
{
	(void)state;
	expect("list attention_routes --where stage=verify", 0, ": 7 of 60", NULL);
	expect("list routes --where stage=prefill --where xqa=yes", 0, ": 0 of 60", NULL);
	expect("list codecs --sort storage --json", 0, "\"table\":\t\"kv_codecs\"", NULL);
	expect("list bindings --where family=nvfp4 --where stage=w2", 0, ": 9 of 40", NULL);
	/* 64 stands before 1024 by value, after it by its bytes */
	expect("list routes --sort min_chunk --format csv --where name=gqa_79t_fp32_q", 0,
	       "min_chunk,max_chunk,fallback,observer,xqa,source\n"
	       "prefill_dense_d256_gqa_79t_fp32_q4096,",
	       NULL);
	expect("list codecs --format csv", 0, "\nFP16,auto,\"auto, float16\",", NULL);
	expect("list codecs --format markdown", 0, "| FP16 | auto | auto, float16 |", NULL);
	expect("list --format csv", 0, "attention_routes,60,", NULL);
}

static void a_row_is_shown_with_its_links(void **state)
{
	(void)state;
	expect("show FP16", 0, "decode_xqa_paged", NULL);
	expect("show decode_xqa_paged", 0, "decode 6: decode_xqa_paged, choice, read", NULL);
	expect("show prefill_prefix_gather_splitd_d256", 0,
	       "attention_config.flash_v100.options.gather_dense", NULL);
	expect("list gdn_prefill --where step=original", 0, ": 3 of 9", NULL);
	expect("show kernel_config.gdn.original_prefill", 0, "before any variable", NULL);
	expect("show FLASH_QLA_SM70_USE_ORIGINAL_TILELANG", 0, "nothing, 0, false, no, off", NULL);
	expect("show cudagraph_mode", 0, "compilation_config", NULL);
	expect("show attention_config.flash_v100.options", 0,
	       "attention_config.flash_v100.options.bfla: bool, default False", NULL);
	expect("show attention_config.flash_v100.options.bfla", 0,
	       "vllm.config.flash_v100.FlashV100Options", NULL);
	expect("show nvfp4_glm53_moe_q8_qpn_sm70_out --json", 0, "\"selected_when\"", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_passes_on_the_catalogue_and_exact_does_not),
		cmocka_unit_test(check_passes_on_the_rendered_text_even_exactly),
		cmocka_unit_test(check_fails_on_a_changed_cell_and_says_which),
		cmocka_unit_test(check_tells_a_wrong_cell_from_a_wrong_form),
		cmocka_unit_test(import_writes_a_pack_that_compares_equal),
		cmocka_unit_test(admit_prints_every_candidate_with_its_verdict),
		cmocka_unit_test(bad_usage_says_what_would_be_right),
		cmocka_unit_test(common_options_may_come_last),
		cmocka_unit_test(lists_are_filtered_and_sorted),
		cmocka_unit_test(a_row_is_shown_with_its_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
