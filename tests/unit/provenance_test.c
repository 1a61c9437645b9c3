/*
 * What a kernel says it rests on: order, scope text, shadowed entries, evidence.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_fixture.h"

#define SETS                                                                              \
	"cost-model-primitives,cost-model-collectives,cost-model-memory,cost-model-host-" \
	"overheads,cost-model-attention,cost-model-recurrent"

static const struct ss_entry *entry_of(const struct ss_kernel *k, const char *name,
				       const char *scope)
{
	for (size_t i = 0; i < ss_kernel_entry_count(k); i++) {
		const struct ss_entry *e = ss_kernel_entry(k, i);

		if (!strcmp(e->name, name) && (!scope || strstr(e->scope, scope)))
			return e;
	}
	return NULL;
}

/**
 * deepseek-v3 on h200 under 0.29.0 with only the capture size unstated: 147 entries of
 * the registry (93 measured, 17 of vendors, 36 assumed, 1 not charged), the kernel's
 * two and one missing coefficient. The published 110 of 149 is older than that one.
 */
static void the_published_deployment_rests_on_110_of_150(void **state)
{
	struct kernel_fixture f;
	struct ss_evidence e;

	(void)state;
	fixture_open(&f, "deepseek-v3-h200-fp8-tp8", "engine_version=0.29.0");
	assert_non_null(f.kernel);
	ss_kernel_evidence(f.kernel, SS_FIGURE_SERIAL, &e);
	assert_int_equal(e.evidenced, 110);
	assert_int_equal(e.total, 150);
	assert_int_equal(e.assumed, 39);
	assert_int_equal(e.by_method[SS_METHOD_MEASURED], 93);
	assert_int_equal(e.by_method[SS_METHOD_VENDOR_SPEC], 17);
	assert_int_equal(e.by_method[SS_METHOD_NOT_CHARGED], 1);
	assert_non_null(entry_of(f.kernel, "max_cudagraph_capture_size", "512: "));
	assert_non_null(entry_of(f.kernel, "engine_version", "0.31.0: "));
	assert_non_null(entry_of(f.kernel, "host_step_per_request", "absent: "));
	fixture_release(&f);
}

static void entries_go_by_name_then_assumptions_then_what_is_missing_then_times(void **state)
{
	struct kernel_fixture f;
	int stage = 0;

	(void)state;
	fixture_make(&f, "deepseek-v3", "h200", FIXTURE_NODE, "tp=8");
	for (size_t i = 0; i < ss_kernel_entry_count(f.kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f.kernel, i);
		int own = e->times ? 3 : e->is_absent ? 2 : e->is_own;

		assert_true(own >= stage);
		stage = own;
		if (i > 0 && own == 0)
			assert_true(strcmp(ss_kernel_entry(f.kernel, i - 1)->name, e->name) <= 0);
	}
	assert_int_equal(stage, 3);
	fixture_release(&f);
}

static void scope_names_the_part_and_what_else_an_entry_states(void **state)
{
	struct kernel_fixture f;
	const struct ss_entry *e;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE,
		     "tp=2 coefficients=" SETS ",small-scopes");
	assert_non_null(f.kernel);
	assert_string_equal(entry_of(f.kernel, "hbm_derate", NULL)->scope, "hardware: h100");
	e = entry_of(f.kernel, "host_launch_eager_per_layer", "model");
	assert_non_null(e);
	assert_string_equal(e->scope, "hardware: h100, model: llama-3.1-8b-instruct; copied from "
				      "hardware=h200,model=llama-3.1-8b-instruct");
	assert_int_equal(e->method, SS_METHOD_COPIED);
	assert_string_equal(e->set, "small-scopes");
	assert_string_equal(entry_of(f.kernel, "host_output_token", "tp")->scope,
			    "hardware: h100, tp: 2");
	fixture_release(&f);
}

/** One eager launch of every kernel, in seconds. */
static double eager_launch_s(const struct kernel_fixture *f)
{
	const struct ss_batch batch = { 0 };
	struct ss_step step;

	ss_kernel_step(f->kernel, &batch, &step);
	assert_int_equal(step.graph, SS_GRAPH_EAGER);
	return step.no_overlap_s / (double)step.kernels;
}

/** A launch cost of the model goes before a part-wide one under either name; then per kernel. */
static void the_models_own_launch_cost_is_taken(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE,
		     "cudagraph_mode=NONE coefficients=" SETS ",small-scopes");
	assert_true(fabs(eager_launch_s(&f) - 11e-6) < 1e-12);
	assert_true(entry_of(f.kernel, "host_launch_eager_per_layer", "model")->is_shadowed ==
		    false);
	fixture_release(&f);
	fixture_make(&f, "qwen3-14b", "h100", FIXTURE_NODE,
		     "cudagraph_mode=NONE coefficients=" SETS ",small-scopes");
	assert_true(fabs(eager_launch_s(&f) - 5e-6) < 1e-12);
	assert_null(entry_of(f.kernel, "host_launch_eager_per_layer", "model"));
	fixture_release(&f);
}

/** Entries of tp 2, ep 8 and two nodes are in scope of the part, and win only there. */
static void a_shadowed_entry_is_shown_and_not_counted(void **state)
{
	struct kernel_fixture f;
	struct ss_evidence at_two, at_one;
	const struct ss_entry *e;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE,
		     "tp=2 coefficients=" SETS ",small-scopes");
	e = entry_of(f.kernel, "host_output_token", "tp");
	assert_false(e->is_shadowed);
	assert_true(fabs(ss_kernel_output_token_s(f.kernel) - 50e-6) < 1e-12);
	assert_true(entry_of(f.kernel, "host_completion", "ep")->is_shadowed);
	assert_true(entry_of(f.kernel, "host_admission_per_request", "nodes spanned")->is_shadowed);
	ss_kernel_evidence(f.kernel, SS_FIGURE_SERIAL, &at_two);
	fixture_set(&f, "tp=1");
	e = entry_of(f.kernel, "host_output_token", "tp");
	assert_non_null(e);
	assert_true(e->is_shadowed);
	assert_true(fabs(ss_kernel_output_token_s(f.kernel) - 45.9e-6) < 1e-12);
	/* whichever wins, a name counts once */
	ss_kernel_evidence(f.kernel, SS_FIGURE_SERIAL, &at_one);
	assert_int_equal(at_one.total, at_two.total);
	fixture_release(&f);
}

static void entries_of_a_width_of_experts_or_nodes_apply_there(void **state)
{
	struct kernel_fixture f;

	(void)state;
	fixture_make(&f, "qwen3-30b-a3b", "h100", FIXTURE_NODE,
		     "dp=8 enable_expert_parallel=true coefficients=" SETS ",small-scopes");
	assert_false(entry_of(f.kernel, "host_completion", "ep: 8")->is_shadowed);
	assert_true(fabs(ss_kernel_completion_s(f.kernel) - 800e-6) < 1e-12);
	fixture_release(&f);
	fixture_make(
		&f, "llama-3.1-70b-instruct", "h100",
		&(struct fixture_cluster){ .nodes = 2, .gpus_per_node = 8, .inter_node_gb_s = 50 },
		"tp=16 coefficients=" SETS ",small-scopes");
	assert_false(
		entry_of(f.kernel, "host_admission_per_request", "nodes spanned: 2")->is_shadowed);
	assert_true(fabs(ss_kernel_admission_s(f.kernel, 1) - 30000e-6 - 0.35e-6) < 1e-12);
	fixture_release(&f);
}

static void a_tried_value_replaces_its_entry(void **state)
{
	struct kernel_fixture f;
	struct ss_evidence before, after;
	const struct ss_entry *e;

	(void)state;
	fixture_make(&f, "llama-3.1-8b-instruct", "h100", FIXTURE_NODE, "");
	ss_kernel_evidence(f.kernel, SS_FIGURE_SERIAL, &before);
	fixture_whatif(&f, "host_launch_per_kernel", 2.4);
	ss_kernel_evidence(f.kernel, SS_FIGURE_SERIAL, &after);
	e = entry_of(f.kernel, "host_launch_per_kernel", NULL);
	assert_string_equal(e->set, SS_WHATIF_SET);
	assert_int_equal(e->method, SS_METHOD_ASSUMED);
	assert_true(e->is_whatif && fabs(e->value - 2.4) < 1e-12 &&
		    fabs(e->original - 3.2) < 1e-12);
	assert_int_equal(after.total, before.total);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_deployment_rests_on_110_of_150),
		cmocka_unit_test(entries_go_by_name_then_assumptions_then_what_is_missing_then_times),
		cmocka_unit_test(scope_names_the_part_and_what_else_an_entry_states),
		cmocka_unit_test(the_models_own_launch_cost_is_taken),
		cmocka_unit_test(a_shadowed_entry_is_shown_and_not_counted),
		cmocka_unit_test(entries_of_a_width_of_experts_or_nodes_apply_there),
		cmocka_unit_test(a_tried_value_replaces_its_entry),
	};

	return cmocka_run_group_tests_name("provenance", tests, NULL, NULL);
}
