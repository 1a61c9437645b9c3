/* The table of settings, names as people type them, values as text, batches. */
#include "stepscope/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/scenario.h"

static void every_path_and_flag_is_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);

		assert_int_equal(f->id, i);
		assert_true(f->help[0]);
		assert_true(f->min <= f->max);
		assert_true(ss_section_name(f->section)[0]);
		/* What must be stated has no value it would else take. */
		assert_true(!f->is_required || !f->unstated[0]);
		for (size_t j = 0; j < i; j++) {
			const struct ss_field *g = ss_field((enum ss_field_id)j);

			if (f->owner == g->owner)
				assert_string_not_equal(f->path, g->path);
			if (f->flag && g->flag)
				assert_string_not_equal(f->flag, g->flag);
		}
	}
}

static void every_field_is_found_by_its_own_path(void **state)
{
	(void)state;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);
		char path[256];

		(void)snprintf(path, sizeof(path), "%s%s",
			       f->owner == SS_OWNER_SCENARIO     ? ""
			       : f->owner == SS_OWNER_DEPLOYMENT ? "deployment."
								 : "deployment.pools[0].",
			       f->path);
		assert_int_equal(ss_field_find(path, NULL), i);
		ss_scenario_pointer(path, sizeof(path), 2, f->id);
		assert_int_equal(ss_field_find(path, NULL), i);
		if (f->flag)
			assert_int_equal(ss_field_find(f->flag, NULL), i);
	}
}

static void names_are_found_however_they_are_typed(void **state)
{
	static const struct {
		const char *name;
		enum ss_field_id id;
	} cases[] = {
		{ "tp", SS_F_TP },
		{ "-tp", SS_F_TP },
		{ "--tensor-parallel-size", SS_F_TP },
		{ "tensor_parallel_size", SS_F_TP },
		{ "parallel.tp", SS_F_TP },
		{ "pools.1.parallel.tp", SS_F_TP },
		{ "-dcp", SS_F_DCP },
		{ "-pcp", SS_F_PCP },
		{ "max-model-len", SS_F_MAX_MODEL_LEN },
		{ "--max-model-len", SS_F_MAX_MODEL_LEN },
		{ "max_model_len", SS_F_MAX_MODEL_LEN },
		{ "engine.block_size", SS_F_BLOCK_SIZE },
		{ "kv-cache-dtype", SS_F_CACHE_DTYPE },
		{ "hardware", SS_F_HARDWARE },
		{ "nodes", SS_F_NODES },
		{ "cluster.nodes", SS_F_CLUSTER_NODES },
		{ "name", SS_F_NAME },
		{ "deployment.name", SS_F_DEPLOYMENT_NAME },
		{ "pd_transfer.connector", SS_F_PD_CONNECTOR },
		{ "offload.spec", SS_F_OFFLOAD_SPEC },
		{ "speculative.method", SS_F_SPEC_METHOD },
		{ "engine.sm70.cache_config.block_size", SS_F_SM70 },
		{ "env.VLLM_USE-X", SS_F_HOST_ENV },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (ss_field_find(cases[i].name, NULL) != cases[i].id)
			fail_msg("%s", cases[i].name);
}

static void names_that_are_none_get_the_nearest(void **state)
{
	struct ss_error err = { 0 };

	(void)state;
	assert_int_equal(ss_field_find("blocksize", &err), SS_FIELD_COUNT);
	assert_int_equal(err.status, SS_EUSAGE);
	assert_non_null(strstr(err.message, "engine.block_size"));
	assert_int_equal(ss_field_find("connector", &err), SS_FIELD_COUNT);
	assert_non_null(strstr(err.message, "offload.connector"));
	assert_non_null(strstr(err.message, "pd_transfer.connector"));
	assert_int_equal(ss_field_find("", &err), SS_FIELD_COUNT);
	assert_int_equal(ss_field_find("deployment.pools[0].", &err), SS_FIELD_COUNT);
	assert_int_equal(ss_field_find("qqqqqqqqqqqq", &err), SS_FIELD_COUNT);
	assert_string_equal(err.message, "no such setting; they are named as parallel.tp, or tp");
}

static void expect_round_trip(enum ss_field_id id, const char *text, const char *back)
{
	struct ss_value v = { 0 }, again = { 0 }, copy = { 0 };
	char out[256];

	if (ss_value_parse(&v, ss_field(id), text, NULL) != SS_OK)
		fail_msg("%s is refused", text);
	assert_int_equal(ss_value_format(out, sizeof(out), ss_field(id), &v), strlen(back));
	assert_string_equal(out, back);
	assert_int_equal(ss_value_parse(&again, ss_field(id), out, NULL), SS_OK);
	assert_true(ss_value_equal(&v, &again));
	assert_int_equal(ss_value_copy(&copy, &v), SS_OK);
	assert_true(ss_value_equal(&v, &copy));
	ss_value_release(&v);
	ss_value_release(&again);
	ss_value_release(&copy);
}

static void values_read_back_as_they_are_written(void **state)
{
	(void)state;
	expect_round_trip(SS_F_TP, "8", "8");
	expect_round_trip(SS_F_MAX_NUM_SEQS, "32k", "32000");
	expect_round_trip(SS_F_MAX_NUM_SEQS, "32K", "32768");
	expect_round_trip(SS_F_KV_CACHE_MEMORY_BYTES, "1.5G", "1610612736");
	expect_round_trip(SS_F_KV_CACHE_MEMORY_BYTES, "2g", "2000000000");
	expect_round_trip(SS_F_MAX_MODEL_LEN, "auto", "auto");
	expect_round_trip(SS_F_MAX_MODEL_LEN, "4096", "4096");
	expect_round_trip(SS_F_GPU_MEMORY_UTILIZATION, "0.9", "0.9");
	expect_round_trip(SS_F_EXPERT_PARALLEL, "on", "true");
	expect_round_trip(SS_F_EXPERT_PARALLEL, "No", "false");
	expect_round_trip(SS_F_EXPERT_PARALLEL, "1", "true");
	expect_round_trip(SS_F_CAPTURE_SIZES, "1,2, 4", "1,2,4");
	expect_round_trip(SS_F_CAPTURE_SIZES, "[1, 2, 4]", "1,2,4");
	expect_round_trip(SS_F_COEFFICIENTS, "a, b", "a,b");
	expect_round_trip(SS_F_HOST_ENV, "B=2,A=x\\,y", "A=x\\,y,B=2");
	expect_round_trip(SS_F_OFFLOAD_TIERS, "cpu_dram=64G,nvme_gen4:1T",
			  "cpu_dram=68719476736,nvme_gen4=1099511627776");
	expect_round_trip(SS_F_TP, "", "");
	expect_round_trip(SS_F_CUDAGRAPH_MODE, "piecewise", "piecewise");
}

static void values_that_make_no_sense_are_refused(void **state)
{
	static const struct {
		enum ss_field_id id;
		const char *text, *words;
	} cases[] = {
		{ SS_F_TP, "0", "must be 1 or more" },
		{ SS_F_TP, "-1", "must be 1 or more" },
		{ SS_F_TP, "1.5", "wants an integer" },
		{ SS_F_TP, "eight", "wants an integer" },
		{ SS_F_TP, "8x", "wants an integer" },
		{ SS_F_TP, "0x10", "wants an integer" },
		{ SS_F_TP, "nan", "wants an integer" },
		{ SS_F_TP, "1e999", "wants an integer" },
		{ SS_F_GPUS_PER_NODE, "2000", "from 1 to 1024" },
		{ SS_F_GPU_MEMORY_UTILIZATION, "1.1", "from 0 to 1" },
		{ SS_F_GPU_MEMORY_UTILIZATION, "inf", "wants a number" },
		{ SS_F_EXPERT_PARALLEL, "maybe", "wants on or off" },
		{ SS_F_ROLE, "decoder", "one of colocated prefill decode" },
		{ SS_F_HARDWARE, "../x", "plain name" },
		{ SS_F_HARDWARE, "..", "plain name" },
		{ SS_F_CAPTURE_SIZES, "1,,2", "integers apart by commas" },
		{ SS_F_CAPTURE_SIZES, "[1,2", "a ] at the end" },
		{ SS_F_CAPTURE_SIZES, "1,2]", "integers apart by commas" },
		{ SS_F_CAPTURE_SIZES, "0", "must be 1 or more" },
		{ SS_F_STORAGE, "a,a", "stands twice" },
		{ SS_F_HOST_ENV, "A", "NAME=VALUE" },
		{ SS_F_OFFLOAD_TIERS, "cpu_dram", "NAME=BYTES" },
		{ SS_F_OFFLOAD_TIERS, "cpu_dram=0", "must be 1 or more" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ss_value v = { 0 };
		struct ss_error err = { 0 };

		assert_int_equal(ss_value_parse(&v, ss_field(cases[i].id), cases[i].text, &err),
				 SS_EUSAGE);
		assert_false(v.is_stated);
		assert_string_equal(err.where, ss_field(cases[i].id)->path);
		if (!strstr(err.message, cases[i].words))
			fail_msg("\"%s\" does not say \"%s\"", err.message, cases[i].words);
	}
}

static void a_short_array_cuts_the_text_but_tells_the_length(void **state)
{
	struct ss_value v = { 0 };
	char out[4];

	(void)state;
	assert_int_equal(ss_value_parse(&v, ss_field(SS_F_CAPTURE_SIZES), "10,20,30", NULL), SS_OK);
	assert_int_equal(ss_value_format(out, sizeof(out), ss_field(SS_F_CAPTURE_SIZES), &v), 8);
	assert_string_equal(out, "10,");
	assert_int_equal(ss_value_format(NULL, 0, ss_field(SS_F_CAPTURE_SIZES), &v), 8);
	ss_value_release(&v);
}

static void batches_read_as_their_forms_say(void **state)
{
	/* The forms are those of the manual's --batch. */
	static const struct {
		const char *text;
		struct ss_group group;
		const char *back;
	} cases[] = {
		{ "32x4096", { 32, 1, 4095, 4096 }, "32x4096" },
		{ "32x4k", { 32, 1, 3999, 4000 }, "32x4000" },
		{ "1x8K", { 1, 1, 8191, 8192 }, "1x8192" },
		{ "1x8192p", { 1, 8192, 0, 8192 }, "1x8192p" },
		{ "1x8192p+4096", { 1, 8192, 4096, 12288 }, "1x8192p+4096" },
		{ "8x2s+4094", { 8, 2, 4094, 0 }, "8x2s+4094" },
		{ "8x2s", { 8, 2, 0, 0 }, "8x2s+0" },
		{ "1x1", { 1, 1, 0, 1 }, "1x1p" },
		{ "0x4096", { 0, 1, 4095, 4096 }, "0x4096" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ss_group *groups = NULL;
		size_t count = 0;
		char out[64];

		assert_int_equal(ss_batch_parse(&groups, &count, cases[i].text, NULL), SS_OK);
		assert_int_equal(count, 1);
		assert_int_equal(groups->count, cases[i].group.count);
		assert_int_equal(groups->scheduled, cases[i].group.scheduled);
		assert_int_equal(groups->computed, cases[i].group.computed);
		assert_int_equal(groups->prompt_len, cases[i].group.prompt_len);
		assert_int_equal(ss_batch_format(out, sizeof(out), groups, count),
				 strlen(cases[i].back));
		assert_string_equal(out, cases[i].back);
		free(groups);
	}
}

static void a_batch_may_hold_many_groups_or_none(void **state)
{
	struct ss_group *groups = NULL;
	size_t count = 0;
	char out[64];

	(void)state;
	assert_int_equal(ss_batch_parse(&groups, &count, "32x4096, 1x8192p,8x2s+4094", NULL),
			 SS_OK);
	assert_int_equal(count, 3);
	(void)ss_batch_format(out, sizeof(out), groups, count);
	assert_string_equal(out, "32x4096,1x8192p,8x2s+4094");
	assert_int_equal(ss_batch_format(out, 5, groups, count),
			 strlen("32x4096,1x8192p,8x2s+4094"));
	assert_string_equal(out, "32x4");
	free(groups);
	assert_int_equal(ss_batch_parse(&groups, &count, "empty", NULL), SS_OK);
	assert_int_equal(count, 0);
	assert_int_equal(ss_batch_format(out, sizeof(out), groups, count), 5);
	assert_string_equal(out, "empty");
	free(groups);
}

static void batches_of_another_form_are_refused(void **state)
{
	static const char *const wrong[] = { "",      "x",        "32",      "32x",     "x4096",
					     "1x0",   "1x2+3",    "1x-5",    "-1x4",    "1x4q",
					     "1x4p+", "1x4p+1+2", "1x4096,", "1x1e300", "1x1.5" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ss_group *groups = NULL;
		size_t count = 7;
		struct ss_error err = { 0 };

		if (ss_batch_parse(&groups, &count, wrong[i], &err) != SS_EUSAGE)
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_null(groups);
		assert_int_equal(count, 7);
		assert_string_equal(err.where, "batch");
		assert_non_null(strstr(err.message, "32x4096"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_and_flag_is_unique),
		cmocka_unit_test(every_field_is_found_by_its_own_path),
		cmocka_unit_test(names_are_found_however_they_are_typed),
		cmocka_unit_test(names_that_are_none_get_the_nearest),
		cmocka_unit_test(values_read_back_as_they_are_written),
		cmocka_unit_test(values_that_make_no_sense_are_refused),
		cmocka_unit_test(a_short_array_cuts_the_text_but_tells_the_length),
		cmocka_unit_test(batches_read_as_their_forms_say),
		cmocka_unit_test(a_batch_may_hold_many_groups_or_none),
		cmocka_unit_test(batches_of_another_form_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
