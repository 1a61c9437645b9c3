/*
 * Prices that no shipped model or registry entry reaches, as closed forms over the
 * figures of the sets in tests/data: hyper-connections, lookup tables, DeepEP
 * dispatch, measured prefill families, recurrent prefill, per-request host work and
 * sparse reads under speculation. h100: 3.35 TB/s of which 0.8 is reached, a host
 * link of 64 GB/s.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"

#include "close.h"

#define SETS                                                                              \
	"cost-model-primitives,cost-model-collectives,cost-model-memory,cost-model-host-" \
	"overheads,cost-model-attention,cost-model-recurrent"
#define WITH(set) "coefficients=" SETS "," set

#define US 1e-6
#define HBM (3.35e12 * 0.8)

struct charge {
	double floor_s, slope_s, count;
	size_t rows;
};

/** All rows of a term (and detail, unless NULL) on one resource. */
static struct charge charge_of(const struct ss_kernel *k, const struct ss_group *groups,
			       size_t count, enum ss_term_id term, enum ss_resource resource,
			       const char *detail)
{
	const struct ss_batch batch = { .groups = groups, .group_count = count };
	struct ss_breakdown b = { 0 };
	struct charge out = { 0 };

	assert_non_null(k);
	assert_int_equal(ss_kernel_breakdown(k, &batch, SS_FIGURE_SERIAL, &b), SS_OK);
	for (size_t i = 0; i < b.term_count; i++) {
		const struct ss_term *t = &b.terms[i];

		if (t->term != term || t->resource != resource || t->is_draft ||
		    (detail && strcmp(t->detail, detail) != 0))
			continue;
		out.floor_s += t->floor_s;
		out.slope_s += t->slope_s;
		out.count += t->count;
		out.rows++;
	}
	ss_breakdown_release(&b);
	return out;
}

static int64_t kernels_of(const struct kernel_fixture *f)
{
	const struct ss_group group = { 1, 1, 0, 1 };
	const struct ss_batch batch = { .groups = &group, .group_count = 1 };
	struct ss_step step;

	ss_kernel_step(f->kernel, &batch, &step);
	return step.kernels;
}

/* -- hyper-connections ------------------------------------------------------------------------ */

static const struct ss_group chunk = { 1, 64, 0, 64 };

/** 3 us and 50 tokens a us, at each of 4 layers, for each of two forms. */
static void hyper_connections_take_their_measured_forms(void **state)
{
	struct kernel_fixture f;
	struct charge c;

	(void)state;
	fixture_make(&f, "small-mhc", "h100", FIXTURE_NODE, WITH("small-mhc-whole"));
	for (int i = 0; i < 2; i++) {
		c = charge_of(f.kernel, &chunk, 1, SS_TERM_MHC, SS_RESOURCE_HBM,
			      i ? "post" : "pre");
		assert_close(c.floor_s, 4 * 3 * US, 1e-9);
		assert_close(c.slope_s, 4 * 64 / 50.0 * US, 1e-9);
	}
	/* the product of the first form is inside it: no time, no launch */
	c = charge_of(f.kernel, &chunk, 1, SS_TERM_DENSE, SS_RESOURCE_SM, "fp32");
	assert_int_equal(c.rows, 0);
	fixture_release(&f);
}

/** 16384 bytes a token and node, not divided by tp. */
static void hyper_connections_else_move_their_bytes(void **state)
{
	struct kernel_fixture half, none;
	struct charge c;

	(void)state;
	fixture_make(&none, "small-mhc", "h100", FIXTURE_NODE, "tp=2");
	fixture_make(&half, "small-mhc", "h100", FIXTURE_NODE, "tp=2 " WITH("small-mhc-half"));
	c = charge_of(none.kernel, &chunk, 1, SS_TERM_MHC, SS_RESOURCE_HBM, NULL);
	assert_close(c.slope_s, 2 * 4 * 64 * 16384 / HBM, 1e-9);
	c = charge_of(half.kernel, &chunk, 1, SS_TERM_MHC, SS_RESOURCE_HBM, NULL);
	assert_close(c.floor_s + c.slope_s, 2 * 4 * 64 * 16384 / HBM, 1e-9);
	assert_int_equal(
		charge_of(half.kernel, &chunk, 1, SS_TERM_DENSE, SS_RESOURCE_SM, "fp32").rows, 1);
	fixture_release(&half);
	fixture_make(&half, "small-mhc", "h100", FIXTURE_NODE, "tp=2 " WITH("small-mhc-whole"));
	assert_int_equal(kernels_of(&none) - kernels_of(&half), 4);
	fixture_release(&half);
	fixture_release(&none);
}

/* -- tables ---------------------------------------------------------------------------------------
 */

/** Two rows of 512 bytes a token at each of 4 layers. */
static void a_table_is_read_where_it_lives(void **state)
{
	struct kernel_fixture f;
	struct charge c;

	(void)state;
	fixture_make(&f, "small-table", "h100", FIXTURE_NODE, "tp=2");
	c = charge_of(f.kernel, &chunk, 1, SS_TERM_TABLE, SS_RESOURCE_HBM, NULL);
	assert_close(c.slope_s, 4 * 64 * 1024 / 2.0 / HBM, 1e-9);
	fixture_set(&f, "engram.cpu_offload=true");
	assert_int_equal(charge_of(f.kernel, &chunk, 1, SS_TERM_TABLE, SS_RESOURCE_HBM, NULL).rows,
			 0);
	c = charge_of(f.kernel, &chunk, 1, SS_TERM_TABLE, SS_RESOURCE_PCIE, NULL);
	assert_close(c.slope_s, 4 * 64 * 1024 / 2.0 / 64000 * US, 1e-9);
	fixture_whatif(&f, "host_gather_rate_uva", 12000);
	c = charge_of(f.kernel, &chunk, 1, SS_TERM_TABLE, SS_RESOURCE_PCIE, NULL);
	assert_close(c.slope_s, 4 * 64 * 1024 / 2.0 / 12000 * US, 1e-9);
	fixture_release(&f);
}

/** 4 tables of 1 GiB: on the GPU, in the host once a replica, or once for all of a node. */
static void a_table_takes_room_where_it_lives(void **state)
{
	const double gib = 1073741824.0;
	struct kernel_fixture f;
	int64_t on_gpu;

	(void)state;
	fixture_make(&f, "small-table", "h100", FIXTURE_NODE, "dp=2 engram.cpu_offload=false");
	on_gpu = ss_kernel_memory(f.kernel)->total_bytes;
	assert_close((double)ss_kernel_memory(f.kernel)->tables_bytes, 4 * gib, 1e-12);
	assert_true(ss_kernel_memory(f.kernel)->host_tables_bytes == 0);
	fixture_set(&f, "engram.cpu_offload=true engram.dp_shared_memory=false");
	assert_close((double)(on_gpu - ss_kernel_memory(f.kernel)->total_bytes), 4 * gib, 1e-12);
	assert_close((double)ss_kernel_memory(f.kernel)->host_tables_bytes, 2 * 4 * gib, 1e-12);
	fixture_set(&f, "engram.dp_shared_memory=true");
	assert_close((double)ss_kernel_memory(f.kernel)->host_tables_bytes, 4 * gib, 1e-12);
	fixture_release(&f);
}

/* -- dispatch
 * ----------------------------------------------------------------------------------------- */

/** qwen3-30b-a3b: 48 layers, hidden 2048, 8 of 128 experts a token. */
static void deepep_takes_its_measured_price(void **state)
{
	static const struct {
		const char *settings;
		double floor_us, rate;
	} cases[] = {
		{ "all2all_backend=deepep_high_throughput", 30, 2e5 },
		{ "all2all_backend=deepep_low_latency", 12, 1e5 },
		{ "all2all_backend=deepep_v2 cudagraph_mode=NONE", 25, 1.5e5 },
		{ "all2all_backend=deepep_v2", 15, 1.6e5 },
	};
	const struct ss_group decodes = { 32, 1, 1000, 1001 };
	struct kernel_fixture f;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct charge c;

		fixture_make(&f, "qwen3-30b-a3b", "h100", FIXTURE_NODE,
			     "dp=8 enable_expert_parallel=true " WITH("small-dispatch"));
		fixture_set(&f, cases[i].settings);
		c = charge_of(f.kernel, &decodes, 1, SS_TERM_ALL2ALL, SS_RESOURCE_NVLINK, NULL);
		assert_close(c.floor_s, 48 * cases[i].floor_us * US, 1e-9);
		assert_close(c.slope_s, 48 * 32 * 2048 * 2 * 8 / cases[i].rate * US, 1e-9);
		fixture_release(&f);
	}
}

/** Without expert parallelism tokens are gathered once, whatever backend is named. */
static void a_named_backend_prices_only_where_it_runs(void **state)
{
	const struct ss_group decodes = { 32, 1, 1000, 1001 };
	struct kernel_fixture f;
	struct charge named, plain;

	(void)state;
	fixture_make(&f, "qwen3-30b-a3b", "h100", FIXTURE_NODE,
		     "dp=8 all2all_backend=deepep_low_latency " WITH("small-dispatch"));
	named = charge_of(f.kernel, &decodes, 1, SS_TERM_ALL2ALL, SS_RESOURCE_NVLINK, NULL);
	fixture_set(&f, "all2all_backend=");
	plain = charge_of(f.kernel, &decodes, 1, SS_TERM_ALL2ALL, SS_RESOURCE_NVLINK, NULL);
	assert_true(named.rows > 0);
	assert_close(named.floor_s + named.slope_s, plain.floor_s + plain.slope_s, 0);
	fixture_release(&f);
}

/* -- measured prefill
 * -------------------------------------------------------------------------------------- */

/**
 * glm-5 at tp 8: 78 layers; a prefill of 1024 tokens, below the top-k of 2048, selects
 * 1024 x 1024 / 2 pairs. Its cache holds 1152 bytes a token, its scorer's keys 132.
 */
static void a_measured_prefill_replaces_the_ramp(void **state)
{
	const struct ss_group prefill = { 1, 1024, 0, 1024 };
	const double pairs = 1024.0 * 1024 / 2;
	struct kernel_fixture f;
	struct charge c;

	(void)state;
	fixture_make(&f, "glm-5", "h100", FIXTURE_NODE, "tp=8 " WITH("small-family-whole"));
	c = charge_of(f.kernel, &prefill, 1, SS_TERM_ATTENTION_PREFILL, SS_RESOURCE_SM,
		      "sparse_mla");
	assert_close(c.floor_s, 78 * 20 * US, 1e-9);
	assert_close(
		c.slope_s,
		78 * US * (4 + 1024 * 0.02 + 4 * pairs * 64 * 576 / 8 / 2e8 + 1024 * 1152 / 1.5e6),
		1e-9);
	c = charge_of(f.kernel, &prefill, 1, SS_TERM_SCORER_PREFILL, SS_RESOURCE_SM,
		      "block_index_scores");
	assert_close(c.floor_s, 78 * 20 * US, 1e-9);
	assert_true(c.slope_s > 78 * US * (4 + 1024 * 0.02 + 2 * pairs * 32 * 128 / 2e8));
	fixture_release(&f);
}

/** nemotron 3.5 lightning has 23 mixers: tokens at 60 a us, and a floor when it is measured. */
static void a_measured_scan_replaces_its_flops(void **state)
{
	const struct ss_group prefill = { 1, 600, 0, 600 };
	struct kernel_fixture f;
	struct charge c;
	double mixers = 0;
	const struct ss_model *m;

	(void)state;
	fixture_make(&f, "nemotron-3.5-lightning-30b-a3b-bf16", "h100", FIXTURE_NODE,
		     WITH("small-scan"));
	m = ss_basis_inputs(f.basis)->model;
	for (size_t i = 0; i < m->kind_count; i++)
		for (size_t n = 0; n < m->kinds[i].node_count; n++)
			if (m->kinds[i].nodes[n].op == SS_OP_RECURRENT)
				mixers += (double)m->kinds[i].count;
	c = charge_of(f.kernel, &prefill, 1, SS_TERM_RECURRENT, SS_RESOURCE_SM, "mamba2");
	assert_close(c.floor_s + c.slope_s, mixers * 600 / 60 * US, 1e-9);
	fixture_whatif(&f, "recurrent_prefill_floor_mamba2", 25);
	c = charge_of(f.kernel, &prefill, 1, SS_TERM_RECURRENT, SS_RESOURCE_SM, "mamba2");
	assert_close(c.floor_s, mixers * 25 * US, 1e-9);
	fixture_release(&f);
}

/* -- the host
 * -------------------------------------------------------------------------------------------------
 */

/** 2 ms of each request in series; with asynchronous scheduling only what the device outlasts. */
static void requests_show_what_the_device_does_not_hide(void **state)
{
	const struct ss_group few = { 2, 1, 1000, 1001 }, many = { 64, 1, 1000, 1001 };
	struct kernel_fixture f;
	struct ss_batch batch = { .groups = &many, .group_count = 1 };
	struct ss_step step;
	double device_s = 0;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE,
		     "async_scheduling=false " WITH("small-host"));
	assert_close(charge_of(f.kernel, &few, 1, SS_TERM_REQUESTS, SS_RESOURCE_HOST, NULL).slope_s,
		     2 * 2000 * US, 1e-9);
	fixture_set(&f, "async_scheduling=true");
	assert_true(
		charge_of(f.kernel, &few, 1, SS_TERM_REQUESTS, SS_RESOURCE_HOST, NULL).slope_s <=
		0);
	ss_kernel_step(f.kernel, &batch, &step);
	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		device_s += r == SS_RESOURCE_HOST ? 0 : step.resource_s[r];
	assert_close(
		charge_of(f.kernel, &many, 1, SS_TERM_REQUESTS, SS_RESOURCE_HOST, NULL).slope_s,
		64 * 2000 * US - device_s, 1e-6);
	fixture_release(&f);
}

/* -- speculation
 * -------------------------------------------------------------------------------------------------
 */

/** Each of two verify tokens reads its own 2048 of 5000 tokens. */
static void verify_tokens_of_a_sparse_model_read_each_their_own(void **state)
{
	const struct ss_group plain = { 4, 1, 4999, 5000 }, verify = { 4, 2, 4998, 5000 };
	struct kernel_fixture f;
	struct charge one, two;

	(void)state;
	fixture_make(&f, "glm-5", "h100", FIXTURE_NODE, "tp=8");
	one = charge_of(f.kernel, &plain, 1, SS_TERM_ATTENTION_DECODE, SS_RESOURCE_HBM,
			"sparse_mla");
	fixture_set(&f, "speculative.method=deepseek_mtp num_spec_tokens=1");
	two = charge_of(f.kernel, &verify, 1, SS_TERM_ATTENTION_DECODE, SS_RESOURCE_HBM,
			"sparse_mla");
	assert_close(two.slope_s, 2 * one.slope_s, 1e-9);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hyper_connections_take_their_measured_forms),
		cmocka_unit_test(hyper_connections_else_move_their_bytes),
		cmocka_unit_test(a_table_is_read_where_it_lives),
		cmocka_unit_test(a_table_takes_room_where_it_lives),
		cmocka_unit_test(deepep_takes_its_measured_price),
		cmocka_unit_test(a_named_backend_prices_only_where_it_runs),
		cmocka_unit_test(a_measured_prefill_replaces_the_ramp),
		cmocka_unit_test(a_measured_scan_replaces_its_flops),
		cmocka_unit_test(requests_show_what_the_device_does_not_hide),
		cmocka_unit_test(verify_tokens_of_a_sparse_model_read_each_their_own),
	};

	return cmocka_run_group_tests_name("step nodes", tests, NULL, NULL);
}
