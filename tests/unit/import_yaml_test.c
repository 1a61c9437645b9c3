#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import_blis.h"
#include "import/yaml_tree.h"

#ifdef HAVE_YAML

#define FOLDER TEST_SRCDIR "/tests/data/yaml/"

static char *read_text(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(1048576);

	assert_non_null(f);
	assert_non_null(text);
	*length = fread(text, 1, 1048576, f);
	fclose(f);
	return text;
}

static cJSON *read_json(const char *path)
{
	size_t length;
	char *text = read_text(path, &length);
	cJSON *json = cJSON_ParseWithLength(text, length);

	assert_non_null(json);
	free(text);
	return json;
}

/** What ours adds to the catalogue's words, which no YAML states. */
static void drop_added(cJSON *json)
{
	static const char *const added[] = { "comment",
					     "sources",
					     "source",
					     "visible_gib",
					     "compute_capability",
					     "compute_capability_source",
					     "current",
					     "provenance",
					     "description" };

	for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(json, added[i]);
}

static void check_document(const char *yaml, const char *stem, const char *shipped,
			   enum ss_document_kind kind)
{
	char path[512];
	size_t length;
	struct tree_documents documents;
	struct blis_import import = { 0 };
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	char *text;
	cJSON *theirs;

	snprintf(path, sizeof(path), FOLDER "%s.yaml", yaml);
	text = read_text(path, &length);
	if (tree_parse(&documents, text, length, &err))
		fail_msg("%s: %s: %s", yaml, err.where, err.message);
	if (blis_convert(&import, &documents, yaml, stem, &problems))
		fail_msg("%s: %s: %s", yaml, problems.items[0].pointer, problems.items[0].message);
	assert_int_equal(blis_finish(&import, &problems), SS_OK);
	assert_int_equal(import.count, 1);
	assert_int_equal(import.items[0].kind, kind);
	snprintf(path, sizeof(path), TEST_SRCDIR "/%s.json", shipped);
	theirs = read_json(path);
	drop_added(theirs);
	drop_added(import.items[0].json);
	if (!cJSON_Compare(import.items[0].json, theirs, 1))
		fail_msg("%s:\n%s\nis not\n%s", yaml, cJSON_Print(import.items[0].json),
			 cJSON_Print(theirs));
	cJSON_Delete(theirs);
	blis_release(&import);
	tree_release(&documents);
	ss_problems_release(&problems);
	free(text);
}

static void every_kind_of_document_gives_the_shipped_one(void **state)
{
	(void)state;
	check_document("h200", "h200", "registry/hardware/h200", SS_DOCUMENT_HARDWARE);
	check_document("gb200-nvl72", "gb200-nvl72", "registry/hardware/gb200-nvl72",
		       SS_DOCUMENT_HARDWARE);
	check_document("ib-400g", "ib-400g", "registry/networks/ib-400g", SS_DOCUMENT_NETWORK);
	check_document("storage", "storage", "registry/storage", SS_DOCUMENT_STORAGE);
	check_document("chatbot", "chatbot", "registry/workloads/chatbot", SS_DOCUMENT_WORKLOAD);
	check_document("deepseek-v3", "graph", "registry/models/deepseek-v3", SS_DOCUMENT_MODEL);
	check_document("cost-model-host-overheads", "x",
		       "registry/coefficients/cost-model-host-overheads", SS_DOCUMENT_COEFFICIENTS);
	check_document("mixtral-both", "x", "scenarios/mixtral-8x7b-h100-tp2-dp2",
		       SS_DOCUMENT_SCENARIO);
}

static void a_deployment_in_another_file_joins_its_scenario(void **state)
{
	static const char *const orders[2][2] = { { "mixtral-scenario", "mixtral-deployment" },
						  { "mixtral-deployment", "mixtral-scenario" } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tree_documents documents[2];
		struct blis_import import = { 0 };
		struct ss_problems problems = { 0 };
		struct ss_scenario *scenario;
		char *texts[2], *json;
		size_t length;

		for (size_t k = 0; k < 2; k++) {
			char path[512];

			snprintf(path, sizeof(path), FOLDER "%s.yaml", orders[i][k]);
			texts[k] = read_text(path, &length);
			assert_int_equal(tree_parse(&documents[k], texts[k], length, NULL), SS_OK);
			assert_int_equal(
				blis_convert(&import, &documents[k], orders[i][k], "x", &problems),
				SS_OK);
		}
		assert_int_equal(blis_finish(&import, &problems), SS_OK);
		assert_int_equal(import.count, 1);
		assert_string_equal(import.items[0].name, "mixtral-8x7b-h100-tp2-dp2");
		json = cJSON_Print(import.items[0].json);
		scenario = ss_scenario_parse(json, strlen(json), "x", &problems);
		assert_non_null(scenario);
		ss_scenario_free(scenario);
		free(json);
		blis_release(&import);
		for (size_t k = 0; k < 2; k++) {
			tree_release(&documents[k]);
			free(texts[k]);
		}
		ss_problems_release(&problems);
	}
}

/* clang-format off */
/* What the reader refuses, and where. */
static const struct {
	const char *text, *where, *message;
} unread[] = {
	{ "a: &x 1\nb: 2\n", "line 1, column 4", "an anchor (&) is not taken; write the value out" },
	{ "a: 1\nb: *a\n", "line 2, column 4", "an alias (*) is not taken; write the value out" },
	{ "a: !str 1\n", "line 1, column 4", "a tag (!) is not taken" },
	{ "a: &x [1]\n", "line 1, column 4", "an anchor (&) is not taken; write the value out" },
	{ "a: !!map {b: 1}\n", "line 1, column 4", "a tag (!) is not taken" },
	{ "a: 1\nb: 2\na: 3\n", "line 3, column 1", "the key \"a\" stands a second time, first in line 1" },
	{ "a:\n\tb: 1\n", "line 2, column 1", "a tab indents; YAML takes blanks alone" },
	{ "[1]: 2\n", "line 1, column 1", "a key must be plain text" },
	{ "a: \"\\0\"\n", "line 1, column 4", "a NUL character is not taken" },
	{ "a: [1, 2\n", "line 2, column 1", "not YAML: did not find expected ',' or ']'" },
};

/* What converts to nothing of ours. */
static const struct {
	const char *text, *where, *message;
} unconverted[] = {
	{ "- 1\n", "line 1, column 1", "a document is a map of keys" },
	{ "x: 1\n", "line 1, column 1", "no chip, fabric, storage, workload, graph, coefficient set, scenario or deployment" },
	{ "kind: EvaluationRun\n", "line 1, column 7", "'EvaluationRun' has no form of ours; Scenario, Deployment, ModelGraph and CoefficientSet do" },
	{ "InterNodeBwGBps: 50\nProvenance: derived\nSpeed: 2\n", "line 3, column 1", "no place for the key \"Speed\"" },
	{ "InterNodeBwGBps: .inf\nProvenance: derived\n", "line 1, column 18", "'.inf' is not finite" },
	{ "InterNodeBwGBps: 50\n", "line 1, column 1", "the key \"Provenance\" is missing" },
	{ "kind: ModelGraph\nname: ../x\nlayer_kinds: []\n", "line 2, column 7", "'../x' is no plain file name" },
	{ "kind: ModelGraph\nname: x\nlayer_kinds:\n- id: a\n  nodes: [{op: GEMM}, {op: GEMM}, {op: GEMM}]\n  edges:\n  - [0, 1]\n  - [0, 2]\n", "line 8, column 5", "an edge joins a node with the next, once; other graphs cannot be carried over" },
	{ "kind: ModelGraph\nname: x\nlayer_kinds:\n- id: a\n  nodes: [{op: GEMM}, {op: GEMM}, {op: GEMM}]\n  edges: [[0, 1]]\n", "line 6, column 10", "1 edges do not chain 3 nodes" },
	{ "kind: CoefficientSet\nname: x\ncoefficients:\n- {a: {}, b: {}}\n", "line 4, column 3", "an entry is a map of one key, its name" },
	{ "kind: Scenario\nname: x\nworkload: {trace: {data: y}}\n---\nkind: Deployment\nname: y\n", "line 3, column 19", "a trace cannot be carried over; name a shape" },
	{ "kind: Scenario\nname: x\n", "line 1, column 1", "the scenario has no deployment; name its file too" },
	{ "kind: Deployment\nname: x\n", "line 1, column 1", "the deployment has no scenario; name its file too" },
	{ "", "", "no document in the text" },
};
/* clang-format on */

static void what_is_not_taken_is_said_with_line_and_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++) {
		struct tree_documents documents;
		struct ss_error err = { 0 };

		assert_int_equal(
			tree_parse(&documents, unread[i].text, strlen(unread[i].text), &err),
			SS_EDOCUMENT);
		assert_string_equal(err.message, unread[i].message);
		assert_string_equal(err.where, unread[i].where);
		assert_int_equal(documents.count, 0);
	}
}

static void what_cannot_be_carried_over_is_said_with_line_and_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unconverted) / sizeof(unconverted[0]); i++) {
		struct tree_documents documents;
		struct blis_import import = { 0 };
		struct ss_problems problems = { 0 };

		assert_int_equal(tree_parse(&documents, unconverted[i].text,
					    strlen(unconverted[i].text), NULL),
				 SS_OK);
		if (!blis_convert(&import, &documents, "x.yaml", "x", &problems))
			assert_int_equal(blis_finish(&import, &problems), SS_EDOCUMENT);
		assert_int_equal(ss_problems_count(&problems, SS_ERROR), 1);
		for (size_t k = 0; k < problems.count; k++) {
			if (problems.items[k].severity != SS_ERROR)
				continue;
			assert_string_equal(problems.items[k].message, unconverted[i].message);
			assert_string_equal(problems.items[k].pointer, unconverted[i].where);
		}
		blis_release(&import);
		tree_release(&documents);
		ss_problems_release(&problems);
	}
}

static void deep_and_huge_documents_are_refused(void **state)
{
	struct tree_documents documents;
	struct ss_error err = { 0 };
	char deep[512];
	size_t size = 64 * 1024 * 1024 + 1;
	char *huge = malloc(size);

	(void)state;
	memset(deep, '[', 200);
	memset(deep + 200, ']', 200);
	assert_int_equal(tree_parse(&documents, deep, 400, &err), SS_EDOCUMENT);
	assert_string_equal(err.message, "nested deeper than 64 levels");
	assert_string_equal(err.where, "line 1, column 66");
	assert_non_null(huge);
	memset(huge, ' ', size);
	assert_int_equal(tree_parse(&documents, huge, size, &err), SS_EDOCUMENT);
	assert_string_equal(err.message, "larger than 64 MiB");
	free(huge);
}

static void plain_words_take_the_types_of_the_core_rules(void **state)
{
	static const char text[] = "a: ~\nb: True\nc: -0x1F\nd: 0o17\ne: 1e3\nf: .5\ng: 0.31.0\n"
				   "h: 'true'\ni: yes\nj: 1_000\nk:\nm: +7\n";
	struct tree_documents documents;
	cJSON *json;
	char *shown;

	(void)state;
	assert_int_equal(tree_parse(&documents, text, strlen(text), NULL), SS_OK);
	json = tree_to_json(&documents.items[0]);
	shown = cJSON_PrintUnformatted(json);
	assert_string_equal(
		shown, "{\"a\":null,\"b\":true,\"c\":-31,\"d\":15,\"e\":1000,\"f\":0.5,"
		       "\"g\":\"0.31.0\",\"h\":\"true\",\"i\":\"yes\",\"j\":\"1_000\",\"k\":null,"
		       "\"m\":7}");
	free(shown);
	cJSON_Delete(json);
	tree_release(&documents);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_document_gives_the_shipped_one),
		cmocka_unit_test(a_deployment_in_another_file_joins_its_scenario),
		cmocka_unit_test(what_is_not_taken_is_said_with_line_and_column),
		cmocka_unit_test(what_cannot_be_carried_over_is_said_with_line_and_column),
		cmocka_unit_test(deep_and_huge_documents_are_refused),
		cmocka_unit_test(plain_words_take_the_types_of_the_core_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void without_libyaml_it_says_what_is_missing(void **state)
{
	struct tree_documents documents;
	struct ss_error err = { 0 };

	(void)state;
	assert_false(tree_has_yaml());
	assert_int_equal(tree_parse(&documents, "a: 1", 4, &err), SS_EUSAGE);
	assert_non_null(strstr(err.message, "libyaml-dev"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_libyaml_it_says_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
