/*
 * Model graphs that are not right, each by one rule. Rule numbers are those of
 * the public schema's table of graph (G) and node (N) checks.
 */
#include "stepscope/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GLOBAL "{\"hidden_size\":64,\"vocab_size\":100,\"weight_dtype\":\"bf16\"}"
#define GEMM "{\"op\":\"GEMM\",\"n\":8,\"k\":8}"
#define KIND_A "{\"id\":\"a\",\"nodes\":[" GEMM "]}"
#define STACK "\"stack\":{\"pattern\":[\"a\"],\"repeat\":2}"

static void validate(const char *json, struct ss_problems *problems)
{
	FILE *file = fopen("docs_model_test.json", "w");

	assert_non_null(file);
	assert_true(fputs(json, file) >= 0);
	assert_int_equal(fclose(file), 0);
	(void)ss_document_validate("docs_model_test.json", problems);
	(void)unlink("docs_model_test.json");
}

/* Exactly one problem (beside a name that is not the file's), with this code and pointer. */
static void expect(const char *json, const char *code, const char *pointer)
{
	struct ss_problems problems = { 0 };
	size_t others = 0, hits = 0;

	validate(json, &problems);
	for (size_t i = 0; i < problems.count; i++) {
		const struct ss_problem *p = &problems.items[i];

		if (code && strcmp(p->code, code) == 0 && strcmp(p->pointer, pointer) == 0)
			hits++;
		else if (strcmp(p->code, "name") != 0) {
			print_error("%s: %s: %s\n", p->code, p->pointer, p->message);
			others++;
		}
	}
	if (hits != (code ? 1u : 0u) || others)
		fail_msg("%s at %s: %zu times, and %zu others\n%s", code ? code : "nothing",
			 pointer, hits, others, json);
	ss_problems_release(&problems);
}

static void expect_graph(const char *code, const char *pointer, const char *global,
			 const char *kinds, const char *rest)
{
	char json[2048];

	(void)snprintf(
		json, sizeof(json),
		"{\"kind\":\"ModelGraph\",\"name\":\"m\",\"global\":%s,\"layer_kinds\":[%s],%s}",
		global, kinds, rest);
	expect(json, code, pointer);
}

/* A graph of one layer kind with one node, `{"op":...}`. */
static void expect_node(const char *code, const char *key, const char *node)
{
	char kinds[1024], pointer[128];

	(void)snprintf(kinds, sizeof(kinds), "{\"id\":\"a\",\"nodes\":[{%s}]}", node);
	(void)snprintf(pointer, sizeof(pointer), "/layer_kinds/0/nodes/0/%s", key);
	expect_graph(code, pointer, GLOBAL, kinds, STACK);
}

static void graphs_are_checked_by_every_rule(void **state)
{
	(void)state;
	expect_graph(NULL, "", GLOBAL, KIND_A, STACK);
	expect("{\"kind\":\"ModelGraph\",\"name\":\"\",\"global\":" GLOBAL
	       ",\"layer_kinds\":[" KIND_A "]," STACK "}",
	       "G2", "/name");
	expect_graph("G3", "/modality", GLOBAL, KIND_A, STACK ",\"modality\":\"speech\"");
	expect_graph("G6", "/derived_from/sha256", GLOBAL, KIND_A,
		     STACK ",\"derived_from\":{\"format\":\"f\",\"path\":\"p\",\"sha256\":\"0\","
			   "\"deriver_version\":1}");
	expect_graph("G8", "/global/hidden_size",
		     "{\"hidden_size\":0,\"vocab_size\":1,\"weight_dtype\":\"bf16\"}", KIND_A,
		     STACK);
	expect_graph("G9", "/global/vocab_size", "{\"hidden_size\":1,\"weight_dtype\":\"bf16\"}",
		     KIND_A, STACK);
	expect_graph("G10", "/global/weight_dtype",
		     "{\"hidden_size\":1,\"vocab_size\":1,\"weight_dtype\":\"bf17\"}", KIND_A,
		     STACK);
	expect_graph("G11", "/layer_kinds", GLOBAL, "", STACK);
	expect_graph("G12", "/layer_kinds/1/id", GLOBAL,
		     KIND_A ",{\"id\":\"\",\"nodes\":[" GEMM "]}", STACK);
	expect_graph("G13", "/layer_kinds/1/id", GLOBAL, KIND_A "," KIND_A, STACK);
	expect_graph("G14", "/layer_kinds/1/nodes", GLOBAL, KIND_A ",{\"id\":\"b\",\"nodes\":[]}",
		     STACK);
	expect_graph("G19", "/stack", GLOBAL, KIND_A, "\"stack\":{}");
	expect_graph("G20", "/stack/repeat", GLOBAL, KIND_A,
		     "\"stack\":{\"prologue\":[\"a\"],\"repeat\":-1}");
	expect_graph("G21", "/stack/repeat", GLOBAL, KIND_A, "\"stack\":{\"pattern\":[\"a\"]}");
	expect_graph("G22", "/stack/pattern", GLOBAL, KIND_A,
		     "\"stack\":{\"prologue\":[\"a\"],\"repeat\":2}");
	expect_graph("G23", "/stack/prologue/0", GLOBAL, KIND_A,
		     "\"stack\":{\"prologue\":[\"b\"],\"pattern\":[\"a\"],\"repeat\":1}");
	expect_graph("G24", "/stack/pattern/1", GLOBAL, KIND_A,
		     "\"stack\":{\"pattern\":[\"a\",\"b\"],\"repeat\":1}");
	expect_graph("G25", "/stack/epilogue/0", GLOBAL, KIND_A,
		     "\"stack\":{\"pattern\":[\"a\"],\"repeat\":1,\"epilogue\":[\"b\"]}");
	expect_graph("G26", "/layer_kinds/1", GLOBAL, KIND_A ",{\"id\":\"b\",\"nodes\":[" GEMM "]}",
		     STACK);
	expect_graph("G27", "/speculator/method", GLOBAL, KIND_A,
		     STACK ",\"speculator\":{\"method\":\"\",\"num_spec_tokens\":1,\"stack\":"
			   "{\"pattern\":[\"a\"],\"repeat\":1}}");
	expect_graph("G28", "/speculator/num_spec_tokens", GLOBAL, KIND_A,
		     STACK ",\"speculator\":{\"method\":\"x\",\"num_spec_tokens\":0,\"stack\":"
			   "{\"pattern\":[\"a\"],\"repeat\":1}}");
	expect_graph("G29", "/speculator/stack/pattern", GLOBAL, KIND_A,
		     STACK ",\"speculator\":{\"method\":\"x\",\"num_spec_tokens\":1,\"stack\":"
			   "{\"pattern\":[],\"repeat\":1}}");
	expect_graph("G30", "/speculator/stack/repeat", GLOBAL, KIND_A,
		     STACK ",\"speculator\":{\"method\":\"x\",\"num_spec_tokens\":1,\"stack\":"
			   "{\"pattern\":[\"a\"],\"repeat\":0}}");
}

static void edges_are_checked(void **state)
{
#define TWO "{\"id\":\"a\",\"nodes\":[" GEMM "," GEMM "],\"edges\":"
	(void)state;
	expect_graph(NULL, "", GLOBAL, TWO "[[0,1]]}", STACK);
	expect_graph("G15", "/layer_kinds/0/edges/0", GLOBAL, TWO "[[2,1]]}", STACK);
	expect_graph("G16", "/layer_kinds/0/edges/1", GLOBAL, TWO "[[0,1],[0,2]]}", STACK);
	expect_graph("G17", "/layer_kinds/0/edges/0", GLOBAL, TWO "[[1,1]]}", STACK);
	expect_graph("G18", "/layer_kinds/0/edges", GLOBAL, TWO "[[0,1],[1,0]]}", STACK);
	expect_graph("type", "/layer_kinds/0/edges/0", GLOBAL, TWO "[[0]]}", STACK);
}

static void nodes_are_checked_by_every_rule(void **state)
{
	static const struct {
		const char *code, *key, *node;
	} cases[] = {
		{ "N3", "emit", "\"op\":\"AllReduce\"" },
		{ "N4", "emit", "\"op\":\"Elementwise\",\"emit\":\"tensor_parallel\"" },
		{ "N5", "weight_dtype", "\"op\":\"GEMM\",\"n\":1,\"k\":1,\"weight_dtype\":\"x\"" },
		{ "N7", "n", "\"op\":\"GEMM\",\"k\":1" },
		{ "N8", "k", "\"op\":\"GEMM\",\"n\":1,\"k\":0" },
		{ "N9", "experts", "\"op\":\"GEMM\",\"n\":1,\"k\":1,\"experts\":2" },
		{ "N9", "state_size", "\"op\":\"GEMM\",\"n\":1,\"k\":1,\"state_size\":2" },
		{ "N10", "n", "\"op\":\"GroupedGEMM\",\"k\":1,\"experts\":2,\"top_k\":1" },
		{ "N11", "k", "\"op\":\"GroupedGEMM\",\"n\":1,\"experts\":2,\"top_k\":1" },
		{ "N12", "experts", "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"top_k\":1" },
		{ "N13", "top_k", "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"experts\":2" },
		{ "N14", "top_k",
		  "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"experts\":2,\"top_k\":3" },
		{ "N15", "shared_experts",
		  "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"experts\":2,"
		  "\"top_k\":1,\"shared_experts\":-1" },
		{ "N17", "latent_size",
		  "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"experts\":2,"
		  "\"top_k\":1,\"latent_size\":-1" },
		{ "N18", "shared_intermediate_size",
		  "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,"
		  "\"experts\":2,\"top_k\":1,"
		  "\"shared_intermediate_size\":4" },
		{ "range", "matrices",
		  "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"experts\":2,"
		  "\"top_k\":1,\"matrices\":4" },
		{ "N19", "n_q",
		  "\"op\":\"GroupedGEMM\",\"n\":1,\"k\":1,\"experts\":2,\"top_k\":1,"
		  "\"n_q\":1" },
		{ "N20", "kind", "\"op\":\"Attention\",\"n_q\":4,\"n_kv\":1,\"d_h\":8" },
		{ "N21", "n_q", "\"op\":\"Attention\",\"kind\":\"gqa\",\"n_kv\":1,\"d_h\":8" },
		{ "N22", "n_kv", "\"op\":\"Attention\",\"kind\":\"gqa\",\"n_q\":4,\"d_h\":8" },
		{ "N23", "d_h", "\"op\":\"Attention\",\"kind\":\"gqa\",\"n_q\":4,\"n_kv\":1" },
		{ "N24", "n_kv",
		  "\"op\":\"Attention\",\"kind\":\"gqa\",\"n_q\":4,\"n_kv\":8,\"d_h\":8" },
		{ "N25", "n_kv",
		  "\"op\":\"Attention\",\"kind\":\"mla\",\"n_q\":4,\"n_kv\":2,\"d_h\":8" },
		{ "N26", "window",
		  "\"op\":\"Attention\",\"kind\":\"swa\",\"n_q\":4,\"n_kv\":2,\"d_h\":8" },
		{ "N27", "index_topk",
		  "\"op\":\"Attention\",\"kind\":\"sparse_mla\",\"n_q\":4,"
		  "\"n_kv\":1,\"d_h\":8" },
		{ "N28", "index_topk",
		  "\"op\":\"Attention\",\"kind\":\"sparse_mla\",\"n_q\":4,"
		  "\"n_kv\":1,\"d_h\":8,\"compress_ratio\":4,\"index_topk\":-1" },
		{ "N30", "index_topk",
		  "\"op\":\"Attention\",\"kind\":\"mla\",\"n_q\":4,\"n_kv\":1,"
		  "\"d_h\":8,\"index_topk\":4" },
		{ "N31", "compress_ratio", "\"op\":\"Elementwise\",\"compress_ratio\":4" },
		{ "N32", "experts",
		  "\"op\":\"Attention\",\"kind\":\"gqa\",\"n_q\":4,\"n_kv\":2,"
		  "\"d_h\":8,\"experts\":2" },
		{ "N33", "recurrent_kind",
		  "\"op\":\"RecurrentUpdate\",\"n_heads\":1,\"state_size\":1" },
		{ "N34", "n_heads",
		  "\"op\":\"RecurrentUpdate\",\"recurrent_kind\":\"kda\","
		  "\"state_size\":1" },
		{ "N35", "state_size",
		  "\"op\":\"RecurrentUpdate\",\"recurrent_kind\":\"gdn\","
		  "\"n_heads\":1" },
		{ "N36", "n_groups",
		  "\"op\":\"RecurrentUpdate\",\"recurrent_kind\":\"mamba2\","
		  "\"n_heads\":1,\"state_size\":1,\"conv_kernel\":4,"
		  "\"intermediate_size\":8" },
		{ "N39", "state_dtype",
		  "\"op\":\"RecurrentUpdate\",\"recurrent_kind\":\"gdn\","
		  "\"n_heads\":1,\"state_size\":1,\"state_dtype\":\"fp31\"" },
		{ "N40", "n_q",
		  "\"op\":\"RecurrentUpdate\",\"recurrent_kind\":\"gdn\",\"n_heads\":1,"
		  "\"state_size\":1,\"n_q\":1" },
		{ "N41", "bytes_per_token", "\"op\":\"Elementwise\",\"bytes_per_token\":-1" },
		{ "N42", "k", "\"op\":\"All2All\",\"emit\":\"expert_parallel\",\"k\":1" },
		{ "range", "component", "\"op\":\"MHC\",\"component\":\"mid\"" },
		{ "missing", "table",
		  "\"op\":\"TableLookup\",\"rows_per_token\":1,\"row_bytes\":1,"
		  "\"table_bytes\":1" },
		{ "range", "row_bytes",
		  "\"op\":\"TableLookup\",\"table\":\"engram\","
		  "\"rows_per_token\":1,\"table_bytes\":1" },
		{ "missing", "op", "\"n\":1" },
		{ "unknown-key", "heads", "\"op\":\"Elementwise\",\"heads\":1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_node(cases[i].code, cases[i].key, cases[i].node);
}

/** It loads, and is refused where it stands, and when it is priced. */
static void what_this_program_does_not_know_is_refused_where_it_stands(void **state)
{
	(void)state;
	expect_node("P5", "op", "\"op\":\"Convolution\",\"n\":4");
	expect_node("P5", "kind",
		    "\"op\":\"Attention\",\"kind\":\"nsa\",\"n_q\":4,\"n_kv\":2,\"d_h\":8,"
		    "\"index_topk\":4");
	expect_node("P5", "recurrent_kind",
		    "\"op\":\"RecurrentUpdate\",\"recurrent_kind\":\"rwkv\",\"n_heads\":1,"
		    "\"state_size\":1");
	expect_node("P5", "emit", "\"op\":\"AllReduce\",\"emit\":\"sometimes\"");
	expect_node("N6", "weight_dtype", "\"op\":\"Elementwise\",\"weight_dtype\":\"fp8\"");
}

static void caches_are_checked(void **state)
{
	(void)state;
	expect_graph(NULL, "", GLOBAL, KIND_A,
		     STACK
		     ",\"caches\":[{\"name\":\"c\",\"layers\":2,\"kind\":\"window\",\"window\":128,"
		     "\"bytes_per_token\":10,\"records\":{\"fp8\":5}}]");
	expect_graph("range", "/caches/0/kind", GLOBAL, KIND_A,
		     STACK ",\"caches\":[{\"name\":\"c\",\"layers\":2,\"kind\":\"ful\","
			   "\"bytes_per_token\":10}]");
	expect_graph("missing", "/caches/0/window", GLOBAL, KIND_A,
		     STACK ",\"caches\":[{\"name\":\"c\",\"layers\":2,\"kind\":\"window\","
			   "\"bytes_per_token\":10}]");
	expect_graph("duplicate-key", "/caches/0/records/a~1b", GLOBAL, KIND_A,
		     STACK ",\"caches\":[{\"name\":\"c\",\"layers\":2,\"kind\":\"full\","
			   "\"bytes_per_token\":10,\"records\":{\"a/b\":1,\"a/b\":2}}]");
}

static void all_problems_are_told_at_once(void **state)
{
	struct ss_problems problems = { 0 };

	(void)state;
	validate("{\"kind\":\"ModelGraph\",\"nam\":\"x\",\"global\":{\"hidden_size\":0,\"vocab_"
		 "size\":"
		 "\"y\"},\"layer_kinds\":[{\"id\":\"a\",\"nodes\":[{\"op\":\"GEMM\"}]}],\"stack\":"
		 "{\"pattern\":[\"b\"],\"repeat\":1}}",
		 &problems);
	/* nam, name, hidden_size, vocab_size, weight_dtype, pattern, n, k */
	assert_int_equal(ss_problems_count(&problems, SS_ERROR), 8);
	ss_problems_release(&problems);
}

static void layers_are_counted_from_the_stacks(void **state)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };
	struct ss_registry *registry = NULL;
	const struct ss_model *m;
	int64_t layers = 0, drafts = 0;

	(void)state;
	assert_int_equal(ss_registry_new(&registry, roots, 1, NULL), SS_OK);
	/* Published: 61 layers, of which 3 dense, and one layer that drafts. */
	m = ss_registry_model(registry, "deepseek-v3", NULL);
	assert_non_null(m);
	for (size_t i = 0; i < m->kind_count; i++) {
		layers += m->kinds[i].count;
		drafts += m->kinds[i].draft_count;
	}
	assert_int_equal(layers, 61);
	assert_int_equal(drafts, m->speculator_method[0] ? 1 : 0);
	ss_registry_free(registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_are_checked_by_every_rule),
		cmocka_unit_test(edges_are_checked),
		cmocka_unit_test(nodes_are_checked_by_every_rule),
		cmocka_unit_test(what_this_program_does_not_know_is_refused_where_it_stands),
		cmocka_unit_test(caches_are_checked),
		cmocka_unit_test(all_problems_are_told_at_once),
		cmocka_unit_test(layers_are_counted_from_the_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
