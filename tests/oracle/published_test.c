/*
 * Figures the reference system publishes for deepseek-v3 in fp8 on eight H200s,
 * engine 0.29.0: read off its documentation, in published.json beside this file.
 * Chart points were read to 0.03 ms.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "stepscope/kernel.h"
#include "stepscope/registry.h"

static struct ss_registry *registry;
static struct ss_scenario *scenario;
static struct ss_basis *basis;
static struct ss_kernel *kernel;
static cJSON *published;

static const double MS = 1e3;
static const double GIB = 1024.0 * 1024 * 1024;

static cJSON *read_json(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return cJSON_Parse(text);
}

static int open_published(void **state)
{
	const char *roots[] = { TEST_SRCDIR "/registry" };
	struct ss_problems problems = { 0 };

	(void)state;
	published = read_json(TEST_SRCDIR "/tests/oracle/published.json");
	scenario =
		ss_scenario_load(TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json", &problems);
	if (!published || !scenario || ss_registry_new(&registry, roots, 1, NULL) != SS_OK)
		return -1;
	if (ss_scenario_set(scenario, 0, "engine_version", "0.29.0", NULL) != SS_OK ||
	    ss_basis_open(&basis, registry, scenario, NULL, 0, &problems) != SS_OK ||
	    ss_kernel_new(&kernel, basis, scenario, 0, SS_CORRECTIONS_DEFAULT, &problems) != SS_OK)
		return -1;
	ss_problems_release(&problems);
	return 0;
}

static int close_published(void **state)
{
	(void)state;
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_registry_free(registry);
	ss_scenario_free(scenario);
	cJSON_Delete(published);
	return 0;
}

static double number(const char *object, const char *name)
{
	const cJSON *o = cJSON_GetObjectItemCaseSensitive(published, object);
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, name);

	assert_true(cJSON_IsNumber(v));
	return v->valuedouble;
}

static struct ss_step price(int64_t requests)
{
	struct ss_group group = { requests, 1, 4095, 0 };
	struct ss_batch batch = { .groups = &group, .group_count = 1, .decode_threshold = 8 };
	struct ss_step step;

	ss_kernel_step(kernel, &batch, &step);
	return step;
}

/** Equal to the digits published: half a unit of the last one. */
static void assert_published(double got, double want, double unit)
{
	if (fabs(got - want) > unit / 2 + 1e-9)
		fail_msg("got %.6g, published %.6g", got, want);
}

static void step_of_32_requests_is_as_published(void **state)
{
	struct ss_step s = price(32);

	(void)state;
	assert_published(s.overlap_s * MS, number("at_32", "overlap_ms"), 0.1);
	assert_published(s.no_overlap_s * MS, number("at_32", "nooverlap_ms"), 0.1);
	assert_published(s.resource_s[SS_RESOURCE_SM] * MS, number("at_32", "sm_ms"), 0.1);
	assert_published(s.resource_s[SS_RESOURCE_HBM] * MS, number("at_32", "hbm_ms"), 0.1);
	assert_published(s.resource_s[SS_RESOURCE_NVLINK] * MS, number("at_32", "nvlink_ms"), 0.1);
	assert_published(s.resource_s[SS_RESOURCE_HOST] * MS, number("at_32", "host_ms"), 0.1);
	assert_int_equal(s.bottleneck, SS_RESOURCE_HBM);
}

static void chart_is_within_its_reading_error(void **state)
{
	const cJSON *chart = cJSON_GetObjectItemCaseSensitive(published, "chart");
	const cJSON *batches = cJSON_GetObjectItemCaseSensitive(chart, "batch");
	const double reading_error = 0.03;

	(void)state;
	assert_int_equal(cJSON_GetArraySize(batches), 9);
	for (int i = 0; i < 9; i++) {
		struct ss_step s = price(cJSON_GetArrayItem(batches, i)->valueint);
		const struct {
			const char *name;
			double got;
		} rows[] = {
			{ "hbm", s.resource_s[SS_RESOURCE_HBM] },
			{ "sm", s.resource_s[SS_RESOURCE_SM] },
			{ "nvlink", s.resource_s[SS_RESOURCE_NVLINK] },
			{ "nooverlap", s.no_overlap_s },
			{ "overlap", s.overlap_s },
		};

		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
			const cJSON *row = cJSON_GetObjectItemCaseSensitive(chart, rows[r].name);
			double want = cJSON_GetArrayItem(row, i)->valuedouble;

			if (fabs(rows[r].got * MS - want) > reading_error + 1e-9)
				fail_msg("%s at point %d: %.3f ms, chart %.3f", rows[r].name, i,
					 rows[r].got * MS, want);
		}
	}
}

static void bottleneck_turns_from_host_to_hbm_at_four_requests(void **state)
{
	(void)state;
	assert_int_equal(price(1).bottleneck, SS_RESOURCE_HOST);
	assert_int_equal(price(2).bottleneck, SS_RESOURCE_HOST);
	for (int64_t n = 4; n <= 256; n *= 2)
		assert_int_equal(price(n).bottleneck, SS_RESOURCE_HBM);
}

static void fixed_memory_is_as_published(void **state)
{
	const struct ss_memory *m = ss_kernel_memory(kernel);

	(void)state;
	assert_published((double)m->weights_bytes / GIB, number("memory_gib", "weights"), 0.1);
	assert_published((double)m->activation_bytes / GIB, number("memory_gib", "activations"),
			 0.1);
	assert_published((double)m->graphs_bytes / GIB, number("memory_gib", "cuda_graphs"), 0.1);
	assert_published((double)(m->communicator_bytes + m->workspace_bytes) / GIB,
			 number("memory_gib", "comm_and_workspace"), 0.1);
	assert_published((double)m->total_bytes / GIB, number("memory_gib", "total"), 0.1);
}

static void kv_bytes_are_as_published(void **state)
{
	(void)state;
	assert_published((double)ss_kernel_sequence_bytes(kernel, 4096) / 1048576.0,
			 number("kv", "request_4096_mib"), 1);
	assert_true(ss_kernel_memory(kernel)->kv_bytes_per_token ==
		    number("kv", "bytes_per_token_fp8"));
}

static void evidence_counts_are_as_published_with_the_newer_name(void **state)
{
	const cJSON *evidence = cJSON_GetObjectItemCaseSensitive(published, "evidence");
	const cJSON *ours = cJSON_GetObjectItemCaseSensitive(evidence, "ours");
	struct ss_evidence e;

	(void)state;
	ss_kernel_evidence(kernel, SS_FIGURE_SERIAL, &e);
	assert_int_equal(e.evidenced,
			 cJSON_GetObjectItemCaseSensitive(ours, "evidenced")->valueint);
	assert_int_equal(e.total, cJSON_GetObjectItemCaseSensitive(ours, "total")->valueint);
	assert_int_equal(e.assumed, cJSON_GetObjectItemCaseSensitive(ours, "assumed")->valueint);
	assert_int_equal(e.by_method[SS_METHOD_MEASURED], (int)number("evidence", "measured"));
	assert_int_equal(e.by_method[SS_METHOD_VENDOR_SPEC],
			 (int)number("evidence", "vendor_spec"));
	assert_int_equal(e.by_method[SS_METHOD_NOT_CHARGED],
			 (int)number("evidence", "not_charged"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(step_of_32_requests_is_as_published),
		cmocka_unit_test(chart_is_within_its_reading_error),
		cmocka_unit_test(bottleneck_turns_from_host_to_hbm_at_four_requests),
		cmocka_unit_test(fixed_memory_is_as_published),
		cmocka_unit_test(kv_bytes_are_as_published),
		cmocka_unit_test(evidence_counts_are_as_published_with_the_newer_name),
	};

	return cmocka_run_group_tests(tests, open_published, close_published);
}
