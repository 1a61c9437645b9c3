/*
 * A prefill pool and a decode pool, each with a kernel of its own, and what stands
 * around a step: hand-over of KV, offload tiers, admission, output, completion.
 * Figures are closed forms over the catalogue: h200 450 GB/s within a node, ib-400g
 * 50 GB/s, KV of deepseek-v3 at fp8 61 layers x 576 bytes, storage and host figures
 * of the public registry.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>

#include "kernel_fixture.h"

#include "close.h"

#define KV_BYTES (61 * 576.0)

static struct ss_kernel *second_pool(const struct kernel_fixture *f)
{
	struct ss_kernel *k = NULL;

	assert_int_equal(ss_kernel_new(&k, f->basis, f->scenario, 1, f->corrections, NULL), SS_OK);
	return k;
}

static void each_pool_resolves_its_own_settings(void **state)
{
	struct kernel_fixture f;
	struct ss_kernel *decode;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "pools[1].parallel.tp=4 pools[1].parallel.dp=2");
	assert_non_null(f.kernel);
	decode = second_pool(&f);
	assert_int_equal(ss_kernel_resolution(f.kernel)->tensor_parallel, 8);
	assert_int_equal(ss_kernel_resolution(decode)->tensor_parallel, 4);
	assert_int_equal(ss_kernel_resolution(decode)->data_parallel, 2);
	assert_string_equal(ss_kernel_resolution(f.kernel)->cudagraph_mode, "PIECEWISE");
	assert_string_equal(ss_kernel_resolution(decode)->cudagraph_mode, "FULL_AND_PIECEWISE");
	ss_kernel_free(decode);
	fixture_release(&f);
}

/** The decode pool alone captures full graphs, so its decode step replays one. */
static void the_same_batch_costs_each_pool_its_own(void **state)
{
	const struct ss_group group = { 8, 1, 4095, 4096 };
	const struct ss_batch batch = { .groups = &group, .group_count = 1 };
	struct kernel_fixture f;
	struct ss_kernel *decode;
	struct ss_step a, b;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "");
	decode = second_pool(&f);
	ss_kernel_step(f.kernel, &batch, &a);
	ss_kernel_step(decode, &batch, &b);
	assert_int_equal(a.graph, SS_GRAPH_PIECEWISE);
	assert_int_equal(b.graph, SS_GRAPH_FULL);
	/* 62 replays of 7 us against one: 61 layers with attention and what follows */
	assert_close(a.no_overlap_s - b.no_overlap_s, 61 * 7e-6, 1e-6);
	ss_kernel_free(decode);
	fixture_release(&f);
}

static void a_refusal_names_the_pool_it_stands_in(void **state)
{
	struct kernel_fixture f;
	bool is_found = false;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "pools[1].parallel.dcp=3");
	assert_null(f.kernel);
	for (size_t i = 0; i < f.problems.count; i++) {
		const struct ss_problem *p = &f.problems.items[i];

		if (p->severity != SS_REFUSAL)
			continue;
		is_found = true;
		assert_string_equal(p->pointer, "/deployment/pools/1/parallel/dcp");
		assert_true(p->fix_count > 0);
		assert_string_equal(p->fixes[0].path, "pools[1].parallel.dcp");
		assert_string_equal(p->fixes[0].value, "2");
	}
	assert_true(is_found);
	fixture_release(&f);
}

/** 128 heads share 16 ranks and 4, but the node has 8: the pool itself must price. */
static void a_way_out_lets_the_pool_at_fault_price_too(void **state)
{
	struct kernel_fixture f;
	struct ss_problems problems = { 0 };
	struct ss_kernel *decode = NULL;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "pools[0].parallel.tp=16");
	assert_null(f.kernel);
	assert_int_equal(ss_kernel_new(&decode, f.basis, f.scenario, 1, f.corrections, &problems),
			 SS_EREFUSED);
	assert_string_equal(problems.items[0].pointer, "/deployment/pools/0/parallel/tp");
	assert_int_equal(problems.items[0].fix_count, 2);
	assert_string_equal(problems.items[0].fixes[0].path, "pools[0].parallel.tp");
	assert_string_equal(problems.items[0].fixes[0].value, "8");
	/* or as many GPUs as the width takes: a second node */
	assert_non_null(strstr(problems.items[0].fixes[1].path, "nodes"));
	assert_string_equal(problems.items[0].fixes[1].value, "2");
	ss_problems_release(&problems);
	fixture_release(&f);
}

static void a_hand_over_needs_a_connector(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "pd_transfer.connector=");
	assert_null(f.kernel);
	assert_string_equal(f.problems.items[0].code, "D7");
	assert_string_equal(f.problems.items[0].fixes[0].path, "deployment.pd_transfer.connector");
	assert_string_equal(f.problems.items[0].fixes[0].value, "NixlConnector");
	fixture_release(&f);
}

static void kv_is_handed_over_at_the_link_between(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "");
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 4096, SS_PLACE_SAME_NODE),
		     4096 * KV_BYTES / 450e9, 1e-9);
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 4096, SS_PLACE_FABRIC),
		     4096 * KV_BYTES / 50e9, 1e-9);
	/* this part's rack is no NVLink domain: its racks talk through the fabric */
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 4096, SS_PLACE_SAME_RACK),
		     4096 * KV_BYTES / 50e9, 1e-9);
	/* pages are not filled up, and nothing is nothing */
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 4001, SS_PLACE_FABRIC),
		     4001 * KV_BYTES / 50e9, 1e-9);
	assert_true(ss_kernel_pd_transfer_s(f.kernel, 0, SS_PLACE_FABRIC) <= 0);
	fixture_release(&f);
}

/** Nothing is quicker than an all-to-all's floor: 6.35 us over 2 ranks, 7.39 us over 8. */
static void a_short_hand_over_takes_the_floor(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "");
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 1, SS_PLACE_SAME_NODE), 6.35e-6, 1e-9);
	fixture_set(&f, "enable_expert_parallel=true");
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 1, SS_PLACE_SAME_NODE), 7.39e-6, 1e-9);
	fixture_release(&f);
}

static void a_one_domain_rack_is_as_near_as_a_node(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "deepseek-v3", "gb200-nvl72",
		     &(struct fixture_cluster){ .nodes = 1,
						.gpus_per_node = 4,
						.gpus_per_rack = 72,
						.inter_node_gb_s = 50 },
		     "tp=4 quantization=fp8 cache_dtype=fp8");
	assert_non_null(f.kernel);
	/* 900 GB/s of NVLink 5 */
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 65536, SS_PLACE_SAME_RACK),
		     65536 * KV_BYTES / 900e9, 1e-9);
	fixture_release(&f);
}

static void decode_context_parallelism_does_not_shrink_a_hand_over(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "parallel.dcp=2");
	assert_non_null(f.kernel);
	assert_close(ss_kernel_pd_transfer_s(f.kernel, 4096, SS_PLACE_FABRIC),
		     4096 * KV_BYTES / 50e9, 1e-9);
	fixture_release(&f);
}

/** cpu_dram reads 20 GB/s at 1 us, nvme_gen4 writes 5 GB/s at 80 us. */
static void a_tier_takes_its_latency_or_its_rate(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "offload.tiers=cpu_dram:1000000000");
	assert_close(ss_kernel_tier_s(f.kernel, "cpu_dram", false, 1000000000, 1), 0.05, 1e-9);
	assert_close(ss_kernel_tier_s(f.kernel, "cpu_dram", false, 1000, 1), 1e-6, 1e-9);
	assert_close(ss_kernel_tier_s(f.kernel, "nvme_gen4", true, 1000000000, 1), 0.2, 1e-9);
	assert_close(ss_kernel_tier_s(f.kernel, "nvme_gen4", false, 700, 1), 80e-6, 1e-9);
	/* transfers queued share the rate */
	assert_close(ss_kernel_tier_s(f.kernel, "cpu_dram", false, 1000000000, 4), 0.2, 1e-9);
	assert_true(isinf(ss_kernel_tier_s(f.kernel, "tape", false, 1, 1)));
	/* and the host link caps what a faster tier could do */
	fixture_whatif(&f, "host_link_bandwidth", 10000);
	assert_close(ss_kernel_tier_s(f.kernel, "cpu_dram", false, 1000000000, 1), 0.1, 1e-9);
	fixture_release(&f);
}

/** 40 ms and 0.35 us a token to admit, 45.9 us a token out, 777.3 us to finish. */
static void requests_cost_the_host_around_a_step(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "");
	assert_close(ss_kernel_admission_s(f.kernel, 1000), 40000e-6 + 1000 * 0.35e-6, 1e-9);
	assert_true(ss_kernel_admission_s(f.kernel, 0) <= 0);
	assert_close(ss_kernel_output_token_s(f.kernel), 45.9e-6, 1e-9);
	assert_close(ss_kernel_completion_s(f.kernel), 777.3e-6, 1e-9);
	assert_close(ss_kernel_itl_s(f.kernel, 0.02), 0.0200459, 1e-9);
	fixture_release(&f);
}

/** Two chunks of the budget less the decodes beside them, each a step of its own. */
static void a_first_token_waits_for_its_chunks(void **state)
{
	const struct ss_group loaded[] = { { 92, 1, 999, 1000 } };
	const struct ss_batch batch = { .groups = loaded, .group_count = 1 };
	struct kernel_fixture f;
	double expected;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-pd", "");
	expected = ss_kernel_admission_s(f.kernel, 10000) + ss_kernel_output_token_s(f.kernel);
	for (int i = 0; i < 2; i++) {
		const int64_t chunk = i ? 10000 - 8100 : 8100;
		const struct ss_group groups[] = { loaded[0], { 1, chunk, i ? 8100 : 0, 10000 } };
		const struct ss_batch step_batch = { .groups = groups, .group_count = 2 };
		struct ss_step step;

		ss_kernel_step(f.kernel, &step_batch, &step);
		expected += step.serial_s;
	}
	assert_close(ss_kernel_ttft_s(f.kernel, &batch, SS_FIGURE_SERIAL, 10000), expected, 1e-9);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pool_resolves_its_own_settings),
		cmocka_unit_test(the_same_batch_costs_each_pool_its_own),
		cmocka_unit_test(a_refusal_names_the_pool_it_stands_in),
		cmocka_unit_test(a_way_out_lets_the_pool_at_fault_price_too),
		cmocka_unit_test(a_hand_over_needs_a_connector),
		cmocka_unit_test(kv_is_handed_over_at_the_link_between),
		cmocka_unit_test(a_short_hand_over_takes_the_floor),
		cmocka_unit_test(a_one_domain_rack_is_as_near_as_a_node),
		cmocka_unit_test(decode_context_parallelism_does_not_shrink_a_hand_over),
		cmocka_unit_test(a_tier_takes_its_latency_or_its_rate),
		cmocka_unit_test(requests_cost_the_host_around_a_step),
		cmocka_unit_test(a_first_token_waits_for_its_chunks),
	};

	return cmocka_run_group_tests_name("pools", tests, NULL, NULL);
}
