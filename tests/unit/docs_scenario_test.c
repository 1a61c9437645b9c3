/* Scenarios: what loads, what is refused by rules D and X, what is written back. */
#include "stepscope/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/kernel.h"
#include "stepscope/registry.h"

#define SCENARIOS TEST_SRCDIR "/scenarios"

/* Two nodes of eight GPUs, one pool; tests set what they are about. */
static const char base_json[] =
	"{\"kind\":\"Scenario\",\"name\":\"s\",\"model\":\"m\",\"engine\":\"vllm\","
	"\"engine_version\":\"0.31.0\",\"coefficients\":[\"c\"],\"cluster\":{\"hardware\":\"h200\","
	"\"nodes\":2,\"gpus_per_node\":8,\"fabric\":\"ib\"},\"deployment\":{\"name\":\"base\","
	"\"pools\":[{\"role\":\"colocated\",\"nodes\":2,\"parallel\":{\"tp\":4,\"pp\":1,\"dp\":4},"
	"\"engine\":{}}]}}";

static struct ss_scenario *base(void)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *s = ss_scenario_parse(base_json, strlen(base_json), "base", &problems);

	for (size_t i = 0; i < problems.count; i++)
		print_error("%s %s\n", problems.items[i].pointer, problems.items[i].message);
	assert_non_null(s);
	assert_int_equal(problems.count, 0);
	return s;
}

static void set(struct ss_scenario *s, const char *path, const char *text)
{
	struct ss_error err = { 0 };

	if (ss_scenario_set(s, 0, path, text, &err) != SS_OK)
		fail_msg("%s=%s: %s", path, text, err.message);
}

/* The problem of that code, which must be the only one; NULL code: none at all. */
static void expect(struct ss_scenario *s, enum ss_severity severity, const char *code,
		   const char *pointer, const char *fix)
{
	struct ss_problems problems = { 0 };
	size_t refusals = ss_scenario_check(s, &problems);
	const struct ss_problem *p = problems.items;
	bool has_fix = !fix;

	assert_int_equal(refusals, ss_problems_count(&problems, SS_REFUSAL));
	for (size_t i = 0; i < problems.count; i++)
		if (!code || i)
			print_error("%s %s %s\n", p[i].code, p[i].pointer, p[i].message);
	assert_int_equal(problems.count, code ? 1 : 0);
	if (code) {
		assert_string_equal(p->code, code);
		assert_string_equal(p->pointer, pointer);
		assert_int_equal(p->severity, severity);
		for (size_t i = 0; i < p->fix_count; i++) {
			char text[128];

			(void)snprintf(text, sizeof(text), "%s=%s", p->fixes[i].path,
				       p->fixes[i].value);
			has_fix |= fix && strcmp(text, fix) == 0;
		}
		if (!has_fix)
			fail_msg("%s has no fix %s", code, fix);
	}
	ss_problems_release(&problems);
	ss_scenario_free(s);
}

#define POOL "/deployment/pools/0/"

static void context_widths_must_divide(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	expect(s, SS_REFUSAL, NULL, "", NULL);
	s = base();
	set(s, "dcp", "3");
	expect(s, SS_REFUSAL, "D1", POOL "parallel/dcp", "parallel.dcp=2");
	s = base();
	set(s, "dcp", "3");
	expect(s, SS_REFUSAL, "D1", POOL "parallel/dcp", "parallel.dcp=4");
	for (int dcp = 1; dcp <= 8; dcp *= 2) {
		char text[8];

		s = base();
		set(s, "pcp", "2");
		set(s, "dp", "2");
		(void)snprintf(text, sizeof(text), "%d", dcp);
		set(s, "dcp", text);
		/* 1, pcp and tp x pcp are admitted, 4 is none of them. */
		if (dcp == 4)
			expect(s, SS_REFUSAL, "D2", POOL "parallel/dcp", "parallel.dcp=8");
		else
			expect(s, SS_REFUSAL, NULL, "", NULL);
	}
}

static void replicas_of_a_node_must_fit_it(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	/* The schema's example: the last of four would start at device 12. */
	set(s, "dp_local", "4");
	expect(s, SS_REFUSAL, "X4", POOL "parallel/dp_local", "parallel.dp_local=2");
	s = base();
	set(s, "dp_local", "2");
	expect(s, SS_REFUSAL, NULL, "", NULL);
	s = base();
	set(s, "dp_local", "8");
	expect(s, SS_REFUSAL, "D5", POOL "parallel/dp_local", "parallel.dp_local=4");
	s = base();
	set(s, "dp_local", "3");
	{
		struct ss_problems problems = { 0 };

		/* Three neither divides eight GPUs nor fits them. */
		assert_int_equal(ss_scenario_check(s, &problems), 2);
		assert_string_equal(problems.items[0].code, "X2");
		assert_string_equal(problems.items[1].code, "X4");
		ss_problems_release(&problems);
		ss_scenario_free(s);
	}
}

static void a_replica_larger_than_the_room_is_cut_over_nodes(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	/* One replica of 16 on two nodes: two parts of 8. */
	set(s, "tp", "16");
	set(s, "dp", "1");
	set(s, "dp_local", "1");
	expect(s, SS_REFUSAL, NULL, "", NULL);
	/* Two replicas of 9 on three nodes: one node each, and it has 8 GPUs. */
	s = base();
	set(s, "cluster.nodes", "3");
	set(s, "nodes", "3");
	set(s, "tp", "9");
	set(s, "dp", "2");
	set(s, "dp_local", "1");
	expect(s, SS_REFUSAL, "X4", POOL "parallel/tp", NULL);
}

static void ranks_must_fit_the_pool(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	set(s, "tp", "8");
	expect(s, SS_REFUSAL, "X3", POOL "parallel/tp", "parallel.tp=4");
	s = base();
	set(s, "tp", "8");
	expect(s, SS_REFUSAL, "X3", POOL "parallel/tp", "parallel.dp=2");
	/* tp 16 on 8 GPUs. */
	s = base();
	set(s, "cluster.nodes", "1");
	set(s, "nodes", "1");
	set(s, "dp", "1");
	set(s, "tp", "16");
	expect(s, SS_REFUSAL, "X3", POOL "parallel/tp", "parallel.tp=8");
	s = base();
	set(s, "tp", "100000");
	set(s, "pp", "100000");
	set(s, "dp", "100000");
	set(s, "pcp", "100000");
	expect(s, SS_REFUSAL, "X3", POOL "parallel/tp", NULL);
}

static void pools_fill_the_cluster_exactly(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	set(s, "cluster.nodes", "3");
	expect(s, SS_REFUSAL, "X1", "/deployment/pools", "nodes=3");
	s = base();
	set(s, "cluster.nodes", "3");
	expect(s, SS_REFUSAL, "X1", "/deployment/pools", "cluster.nodes=2");
	s = base();
	set(s, "cluster.fabric", "");
	expect(s, SS_REFUSAL, "missing", "/cluster/fabric", NULL);
	s = base();
	set(s, "gpus_per_rack", "12");
	expect(s, SS_REFUSAL, "range", "/cluster/gpus_per_rack", "cluster.gpus_per_rack=16");
}

static void offload_tiers_are_storage_of_the_cluster(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	set(s, "offload.tiers", "cpu_dram=1G,s3=1T");
	expect(s, SS_REFUSAL, NULL, "", NULL);
	s = base();
	set(s, "offload.tiers", "cpu_dram=1G,s3=1T");
	set(s, "storage", "cpu_dram");
	expect(s, SS_REFUSAL, "X5", "/deployment/offload/tiers/1/tier",
	       "cluster.storage=cpu_dram,s3");
	s = base();
	set(s, "offload.spec", "CPUOffloadingSpec");
	expect(s, SS_REFUSAL, "missing", "/deployment/offload/tiers", "deployment.offload.spec=");
}

static void roles_go_together(void **state)
{
	struct ss_scenario *s = base();
	struct ss_problems problems = { 0 };

	(void)state;
	set(s, "role", "decode");
	expect(s, SS_REFUSAL, "D6", "/deployment/pools", "role=colocated");
	s = base();
	set(s, "role", "prefill");
	assert_int_equal(ss_scenario_check(s, &problems), 2);
	assert_string_equal(problems.items[0].code, "D6");
	assert_string_equal(problems.items[1].code, "D7");
	ss_problems_release(&problems);
	set(s, "pd_transfer.connector", "NixlConnector");
	expect(s, SS_REFUSAL, "D6", "/deployment/pools", NULL);
}

static void allreduce_settings_must_agree(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	set(s, "disable-custom-all-reduce", "on");
	set(s, "allreduce_backend", "custom");
	expect(s, SS_REFUSAL, "D8", POOL "engine/disable_custom_all_reduce",
	       "engine.allreduce_backend=nccl");
	s = base();
	set(s, "disable-custom-all-reduce", "off");
	set(s, "allreduce_backend", "nccl");
	expect(s, SS_WARNING, "D9", POOL "engine/disable_custom_all_reduce", NULL);
}

static void expert_parallelism_over_one_rank_is_a_warning(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	set(s, "tp", "1");
	set(s, "dp", "1");
	set(s, "enable-expert-parallel", "on");
	expect(s, SS_WARNING, "D10", POOL "parallel/enable_expert_parallel", NULL);
}

static void a_draft_needs_its_method_and_its_tokens(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	set(s, "speculative.method", "mtp");
	expect(s, SS_REFUSAL, "missing", POOL "engine/speculative/num_spec_tokens",
	       "engine.speculative.num_spec_tokens=1");
	s = base();
	set(s, "num_spec_tokens", "1");
	expect(s, SS_REFUSAL, "missing", POOL "engine/speculative/method",
	       "engine.speculative.num_spec_tokens=");
}

static void an_empty_scenario_lacks_all_that_is_required(void **state)
{
	struct ss_scenario *s = ss_scenario_new();
	struct ss_problems problems = { 0 };
	size_t required = 0;

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < SS_FIELD_COUNT; i++)
		required += ss_field((enum ss_field_id)i)->is_required &&
			    ss_field((enum ss_field_id)i)->owner != SS_OWNER_POOL;
	/* And it has no pool. */
	assert_int_equal(ss_scenario_check(s, &problems), required + 1);
	ss_problems_release(&problems);
	ss_scenario_free(s);
}

static void settings_name_their_pool_and_their_entry(void **state)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *s = ss_scenario_load(SCENARIOS "/deepseek-v3-h200-pd.json", &problems);
	struct ss_error err = { 0 };

	(void)state;
	assert_non_null(s);
	set(s, "pools[1].parallel.tp", "4");
	assert_int_equal(ss_scenario_value(s, 0, SS_F_TP)->integer, 8);
	assert_int_equal(ss_scenario_value(s, 1, SS_F_TP)->integer, 4);
	set(s, "deployment.pools.1.parallel.tp", "2");
	assert_int_equal(ss_scenario_value(s, 1, SS_F_TP)->integer, 2);
	set(s, "engine.sm70.cache_config.block-size", "16");
	set(s, "engine.sm70.a", "x=y");
	assert_int_equal(ss_scenario_value(s, 0, SS_F_SM70)->count, 2);
	assert_string_equal(ss_scenario_value(s, 0, SS_F_SM70)->texts[0], "a=x=y");
	assert_string_equal(ss_scenario_value(s, 0, SS_F_SM70)->texts[1],
			    "cache_config.block-size=16");
	set(s, "engine.sm70.a", "");
	set(s, "engine.sm70.cache_config.block-size", "");
	assert_false(ss_scenario_value(s, 0, SS_F_SM70)->is_stated);
	assert_int_equal(ss_scenario_set(s, 0, "pools[2].parallel.tp", "4", &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "has 2"));
	assert_int_equal(ss_scenario_set(s, 0, "tp", "", &err), SS_EUSAGE);
	assert_int_equal(ss_scenario_set(s, 0, "tp", "0", &err), SS_EUSAGE);
	assert_int_equal(ss_scenario_value(s, 0, SS_F_TP)->integer, 8);
	ss_scenario_free(s);
	ss_problems_release(&problems);
}

/* Writing and reading give an equal scenario, and the same text again. */
static void expect_round_trip(const struct ss_scenario *s)
{
	char *json = ss_scenario_to_json(s), *again;
	struct ss_problems problems = { 0 };
	struct ss_scenario *back, *copy = NULL;

	assert_non_null(json);
	back = ss_scenario_parse(json, strlen(json), "back", &problems);
	for (size_t i = 0; i < problems.count; i++)
		print_error("%s %s\n", problems.items[i].pointer, problems.items[i].message);
	assert_non_null(back);
	assert_true(ss_scenario_equal(s, back));
	again = ss_scenario_to_json(back);
	assert_string_equal(json, again);
	assert_int_equal(ss_scenario_clone(&copy, back), SS_OK);
	assert_true(ss_scenario_equal(copy, s));
	set(copy, "tp", "13");
	assert_false(ss_scenario_equal(copy, s));
	ss_scenario_free(copy);
	ss_scenario_free(back);
	free(json);
	free(again);
	ss_problems_release(&problems);
}

static void every_scenario_reads_back_as_written(void **state)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };
	struct ss_registry *registry = NULL;
	char **names = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(ss_registry_new(&registry, roots, 1, NULL), SS_OK);
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_SCENARIO, &names, &count), SS_OK);
	assert_true(count >= 14);
	for (size_t i = 0; i < count; i++) {
		struct ss_problems problems = { 0 };
		struct ss_scenario *s;
		char path[1024];

		(void)snprintf(path, sizeof(path), SCENARIOS "/%s.json", names[i]);
		s = ss_scenario_load(path, &problems);
		assert_non_null(s);
		assert_string_equal(s->file, path);
		assert_int_equal(ss_scenario_check(s, &problems), 0);
		assert_int_equal(problems.count, 0);
		expect_round_trip(s);
		ss_scenario_free(s);
		ss_problems_release(&problems);
	}
	ss_names_free(names, count);
	ss_registry_free(registry);
}

static void every_field_reads_back_as_written(void **state)
{
	struct ss_scenario *s = base();

	(void)state;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);
		static const char *const texts[] = {
			[SS_TYPE_INT] = "16",           [SS_TYPE_FLOAT] = "0.123456789012345678",
			[SS_TYPE_BOOL] = "off",         [SS_TYPE_TEXT] = "a \"q\" \\ \xc3\xa9",
			[SS_TYPE_NAME] = "some-name",   [SS_TYPE_CHOICE] = NULL,
			[SS_TYPE_INT_OR_AUTO] = "auto", [SS_TYPE_INT_LIST] = "1,2,4",
			[SS_TYPE_NAME_LIST] = "x,y",    [SS_TYPE_TEXT_MAP] = "A=1,B=a\\,b",
			[SS_TYPE_TIERS] = "x=1,y=2",
		};
		char path[128], choice[64];
		const char *text = texts[f->type];

		if (f->type == SS_TYPE_CHOICE) {
			(void)snprintf(choice, sizeof(choice), "%.*s",
				       (int)strcspn(f->choices, " "), f->choices);
			text = choice;
		}
		if (f->type == SS_TYPE_FLOAT && f->min >= 1)
			text = "1.123456789012345678";
		if (f->id == SS_F_LOAD_SLO)
			text = "ttft=500ms,tpot=30ms@p99";
		ss_scenario_pointer(path, sizeof(path), 0, f->id);
		set(s, path, text);
	}
	expect_round_trip(s);
	ss_scenario_free(s);
}

static void a_transfer_may_be_an_empty_block(void **state)
{
	const char *pools = "\"pools\":[";
	char json[2048];
	const char *at = strstr(base_json, pools);
	struct ss_problems problems = { 0 };
	struct ss_scenario *s;

	(void)state;
	(void)snprintf(json, sizeof(json), "%.*s\"pd_transfer\":{},%s", (int)(at - base_json),
		       base_json, at);
	s = ss_scenario_parse(json, strlen(json), "x", &problems);
	assert_non_null(s);
	assert_true(s->has_pd_transfer);
	expect_round_trip(s);
	ss_scenario_free(s);
}

static void expect_error(const char *cut, const char *insert, const char *code, const char *pointer)
{
	const char *at = strstr(base_json, cut);
	char json[2048];
	struct ss_problems problems = { 0 };

	assert_non_null(at);
	(void)snprintf(json, sizeof(json), "%.*s%s%s", (int)(at - base_json), base_json, insert,
		       at + strlen(cut));
	assert_null(ss_scenario_parse(json, strlen(json), "x", &problems));
	if (problems.count != 1 || strcmp(problems.items[0].code, code) != 0 ||
	    strcmp(problems.items[0].pointer, pointer) != 0) {
		for (size_t i = 0; i < problems.count; i++)
			print_error("%s %s %s\n", problems.items[i].code, problems.items[i].pointer,
				    problems.items[i].message);
		fail_msg("%s instead of %s: no single %s at %s", insert, cut, code, pointer);
	}
	ss_problems_release(&problems);
}

static void scenarios_that_do_not_decode_say_where(void **state)
{
	(void)state;
	expect_error("\"tp\":4", "\"tp\":\"4\"", "type", POOL "parallel/tp");
	expect_error("\"tp\":4", "\"tp\":4.5", "type", POOL "parallel/tp");
	expect_error("\"tp\":4", "\"tp\":0", "range", POOL "parallel/tp");
	expect_error("\"tp\":4,", "", "missing", POOL "parallel/tp");
	expect_error("\"tp\":4", "\"tp\":null", "type", POOL "parallel/tp");
	expect_error("\"tp\":4", "\"tp\":1e30", "range", POOL "parallel/tp");
	expect_error("\"name\":\"s\",", "", "missing", "/name");
	expect_error("[\"c\"]", "[]", "range", "/coefficients");
	expect_error("[\"c\"]", "[\"c\",\"c\"]", "range", "/coefficients");
	expect_error("[\"c\"]", "[\"c\",3]", "type", "/coefficients/1");
	expect_error("\"model\":\"m\"", "\"model\":3", "type", "/model");
	expect_error(",\"fabric\":\"ib\"", "", "missing", "/cluster/fabric");
	expect_error("\"fabric\":\"ib\"", "\"fabric\":\"ib\",\"gpus_per_rack\":12", "range",
		     "/cluster/gpus_per_rack");
	expect_error("\"colocated\"", "\"colocate\"", "range", POOL "role");
	expect_error("\"engine\":{}", "\"engine\":{\"max_model_len\":\"most\"}", "type",
		     POOL "engine/max_model_len");
	expect_error("\"engine\":{}", "\"engine\":{\"speculative\":{\"method\":\"mtp\"}}",
		     "missing", POOL "engine/speculative/num_spec_tokens");
	expect_error("\"engine\":{}", "\"engine\":{\"gpu_memory_utilization\":1.5}", "range",
		     POOL "engine/gpu_memory_utilization");
	expect_error("\"engine\":{}", "\"engine\":{\"enable_prefix_caching\":1}", "type",
		     POOL "engine/enable_prefix_caching");
	expect_error("\"engine\":{}", "\"engine\":{\"cudagraph_capture_sizes\":[1,0]}", "range",
		     POOL "engine/cudagraph_capture_sizes");
	expect_error("\"engine\":{}", "\"engine\":{\"dbo\":3}", "type", POOL "engine/dbo");
	expect_error("\"deployment\":", "\"workload\":{},\"deployment\":", "missing", "/workload");
	expect_error("\"deployment\":",
		     "\"workload\":{\"batch\":[],\"shape\":\"x\"},\"deployment\":", "range",
		     "/workload");
	expect_error("\"deployment\":",
		     "\"workload\":{\"batch\":[{\"count\":-1,\"scheduled\":1}]},\"deployment\":",
		     "range", "/workload/batch/0/count");
	expect_error("\"name\":\"base\",", "\"name\":\"base\",\"offload\":{},", "missing",
		     "/deployment/offload/tiers");
	expect_error("\"name\":\"base\",",
		     "\"name\":\"base\",\"offload\":{\"tiers\":[{\"tier\":\"x\",\"bytes\":0}]},",
		     "range", "/deployment/offload/tiers/0/bytes");
	expect_error("\"engine\":{}", "\"engine\":{\"sm70\":{\"a\":{\"b\":[1]}}}", "type",
		     POOL "engine/sm70/a/b");
	expect_error("\"fabric\":\"ib\"", "\"fabric\":\"ib\",\"host\":{\"env\":{\"A\":1}}", "type",
		     "/cluster/host/env/A");
}

static void settings_of_the_sm70_build_may_be_nested(void **state)
{
	const char *cut = "\"engine\":{}";
	const char *at = strstr(base_json, cut);
	char json[2048];
	struct ss_scenario *s;
	const struct ss_value *v;

	(void)state;
	(void)snprintf(json, sizeof(json),
		       "%.*s\"engine\":{\"sm70\":{\"b\":{\"on\":true,\"n\":0.5},\"a.x\":\"t\"}}%s",
		       (int)(at - base_json), base_json, at + strlen(cut));
	s = ss_scenario_parse(json, strlen(json), "x", NULL);
	assert_non_null(s);
	v = ss_scenario_value(s, 0, SS_F_SM70);
	assert_int_equal(v->count, 3);
	assert_string_equal(v->texts[0], "a.x=t");
	assert_string_equal(v->texts[1], "b.n=0.5");
	assert_string_equal(v->texts[2], "b.on=true");
	expect_round_trip(s);
	ss_scenario_free(s);
}

static void what_is_tried_and_corrected_reads_back_as_written(void **state)
{
	static const char both[] =
		"\"what_if\":{\"b\":2.4,\"a\":1e-300},"
		"\"corrections\":{\"head_rows\":true,\"workspace_width\":false},\"cluster\":";
	const char *cut = "\"cluster\":";
	const char *at = strstr(base_json, cut);
	struct ss_scenario *s, *other;
	char json[2048];
	double tried = 2.5;

	(void)state;
	(void)snprintf(json, sizeof(json), "%.*s%s%s", (int)(at - base_json), base_json, both,
		       at + strlen(cut));
	s = ss_scenario_parse(json, strlen(json), "x", NULL);
	assert_non_null(s);
	assert_int_equal(s->what_if_count, 2);
	assert_string_equal(s->what_if[0].name, "b");
	assert_true(s->what_if[0].value > 2.39 && s->what_if[0].value < 2.41);
	/* mxfp4_expert_padding, of which nothing is said, stays on. */
	assert_int_equal(ss_scenario_corrections(s),
			 (SS_CORRECTIONS_DEFAULT & ~(1u << SS_DIVERGENCE_WORKSPACE_WIDTH)) |
				 1u << SS_DIVERGENCE_HEAD_ROWS);
	expect_round_trip(s);
	assert_int_equal(ss_scenario_clone(&other, s), SS_OK);
	assert_true(ss_scenario_equal(s, other));
	assert_int_equal(ss_scenario_set_what_if(other, "b", &tried), SS_OK);
	assert_false(ss_scenario_equal(s, other));
	assert_int_equal(ss_scenario_set_what_if(other, "b", NULL), SS_OK);
	assert_int_equal(other->what_if_count, 1);
	ss_scenario_free(other);
	ss_scenario_free(s);
	expect_error(cut, "\"what_if\":{\"a\":0},\"cluster\":", "range", "/what_if/a");
	expect_error(cut, "\"what_if\":{\"a\":\"1\"},\"cluster\":", "type", "/what_if/a");
	expect_error(cut, "\"what_if\":{\"a\":1,\"a\":2},\"cluster\":", "duplicate-key",
		     "/what_if/a");
	expect_error(cut, "\"corrections\":{\"head_row\":true},\"cluster\":", "unknown-key",
		     "/corrections/head_row");
	expect_error(cut, "\"corrections\":{\"hybrid_dcp\":true},\"cluster\":", "unknown-key",
		     "/corrections/hybrid_dcp");
	expect_error(cut, "\"corrections\":{\"head_rows\":1},\"cluster\":", "type",
		     "/corrections/head_rows");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(context_widths_must_divide),
		cmocka_unit_test(replicas_of_a_node_must_fit_it),
		cmocka_unit_test(a_replica_larger_than_the_room_is_cut_over_nodes),
		cmocka_unit_test(ranks_must_fit_the_pool),
		cmocka_unit_test(pools_fill_the_cluster_exactly),
		cmocka_unit_test(offload_tiers_are_storage_of_the_cluster),
		cmocka_unit_test(roles_go_together),
		cmocka_unit_test(allreduce_settings_must_agree),
		cmocka_unit_test(expert_parallelism_over_one_rank_is_a_warning),
		cmocka_unit_test(a_draft_needs_its_method_and_its_tokens),
		cmocka_unit_test(an_empty_scenario_lacks_all_that_is_required),
		cmocka_unit_test(settings_name_their_pool_and_their_entry),
		cmocka_unit_test(every_scenario_reads_back_as_written),
		cmocka_unit_test(every_field_reads_back_as_written),
		cmocka_unit_test(a_transfer_may_be_an_empty_block),
		cmocka_unit_test(scenarios_that_do_not_decode_say_where),
		cmocka_unit_test(settings_of_the_sm70_build_may_be_nested),
		cmocka_unit_test(what_is_tried_and_corrected_reads_back_as_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
