/* The installed schemas against what they describe. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stepscope/fields.h"
#include "testing/schema.h"

#define SCHEMAS TEST_SRCDIR "/src/schemas/"

static const struct {
	const char *kind, *schema;
} kinds[] = {
	{ "Scenario", "scenario" },
	{ "ModelGraph", "model-graph" },
	{ "CoefficientSet", "coefficient-set" },
	{ "EnginePack", "engine-pack" },
	{ "Hardware", "hardware" },
	{ "Network", "network" },
	{ "Storage", "storage" },
	{ "Workload", "workload" },
	{ "KernelTimes", "kernel-times" },
	{ "Review", "review" },
	{ "ModelNames", "model-names" },
};

static cJSON *read_schema(const char *name)
{
	char path[512];
	cJSON *schema;

	(void)snprintf(path, sizeof(path), SCHEMAS "%s.schema.json", name);
	schema = schema_read(path);
	assert_non_null(schema);
	return schema;
}

static void check_document(const char *path)
{
	cJSON *document = schema_read(path);
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(document, "kind");
	char fault[1024] = "";
	size_t i = 0;
	cJSON *schema;

	assert_non_null(document);
	assert_true(cJSON_IsString(kind));
	while (i < sizeof(kinds) / sizeof(kinds[0]) &&
	       strcmp(kinds[i].kind, kind->valuestring) != 0)
		i++;
	assert_true(i < sizeof(kinds) / sizeof(kinds[0]));
	schema = read_schema(kinds[i].schema);
	if (!schema_admits(schema, document, fault, sizeof(fault)))
		fail_msg("%s: %s", path, fault);
	cJSON_Delete(schema);
	cJSON_Delete(document);
}

/** Every JSON file below a folder; returns how many. */
static int check_folder(const char *folder)
{
	DIR *listing = opendir(folder);
	struct dirent *item;
	int count = 0;

	if (!listing)
		return 0;
	while ((item = readdir(listing))) {
		char path[1024];
		size_t len = strlen(item->d_name);

		if (item->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, item->d_name);
		if (len > 5 && !strcmp(item->d_name + len - 5, ".json")) {
			check_document(path);
			count++;
		} else {
			count += check_folder(path);
		}
	}
	(void)closedir(listing);
	return count;
}

static void every_shipped_document_follows_its_schema(void **state)
{
	(void)state;
	assert_true(check_folder(TEST_SRCDIR "/registry") > 60);
	assert_true(check_folder(TEST_SRCDIR "/scenarios") > 13);
}

static void a_key_too_many_and_one_too_few_break_a_schema(void **state)
{
	cJSON *schema = read_schema("network");
	cJSON *document = schema_read(TEST_SRCDIR "/registry/networks/ib-400g.json");
	char fault[256];

	(void)state;
	assert_true(schema_admits(schema, document, fault, sizeof(fault)));
	assert_non_null(cJSON_AddNumberToObject(document, "speed", 1));
	assert_false(schema_admits(schema, document, fault, sizeof(fault)));
	assert_non_null(strstr(fault, "/speed"));
	cJSON_DeleteItemFromObjectCaseSensitive(document, "speed");
	cJSON_DeleteItemFromObjectCaseSensitive(document, "inter_node_gb_s");
	assert_false(schema_admits(schema, document, fault, sizeof(fault)));
	assert_non_null(strstr(fault, "inter_node_gb_s"));
	cJSON_Delete(document);
	cJSON_Delete(schema);
}

/** The rule of a dotted path; NULL when the schema has none. */
static const cJSON *rule_at(const cJSON *schema, const char *path)
{
	while (schema && *path) {
		size_t len = strcspn(path, ".");
		char name[64];

		assert_true(len < sizeof(name));
		memcpy(name, path, len);
		name[len] = '\0';
		schema = cJSON_GetObjectItemCaseSensitive(
			cJSON_GetObjectItemCaseSensitive(schema, "properties"), name);
		path += len + (path[len] == '.');
	}
	return schema;
}

static void the_scenario_schema_has_every_field_of_the_table(void **state)
{
	cJSON *schema = read_schema("scenario");
	const cJSON *deployment = rule_at(schema, "deployment");
	const cJSON *load = rule_at(schema, "workload");
	const cJSON *pool =
		cJSON_GetObjectItemCaseSensitive(rule_at(schema, "deployment.pools"), "items");

	(void)state;
	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		const cJSON *owner = field->owner == SS_OWNER_SCENARIO     ? schema
				     : field->owner == SS_OWNER_DEPLOYMENT ? deployment
				     : field->owner == SS_OWNER_WORKLOAD   ? load
									   : pool;
		const cJSON *rule = rule_at(owner, field->path);

		if (!rule)
			fail_msg("%s is not in the schema", field->path);
		assert_string_equal(
			cJSON_GetObjectItemCaseSensitive(rule, "description")->valuestring,
			field->help);
		if (field->type == SS_TYPE_INT) {
			assert_true((int64_t)cJSON_GetObjectItemCaseSensitive(rule, "minimum")
					    ->valuedouble == (int64_t)field->min);
			assert_true((int64_t)cJSON_GetObjectItemCaseSensitive(rule, "maximum")
					    ->valuedouble == (int64_t)field->max);
		}
	}
	cJSON_Delete(schema);
}

/* -- output --------------------------------------------------------------------------- */

static cJSON *run(const char *arguments)
{
	const char *program = getenv("STEPSCOPE");
	char command[2048];
	char *text = malloc(16u << 20);
	size_t len;
	FILE *pipe;
	cJSON *root;

	assert_non_null(program);
	assert_non_null(text);
	(void)snprintf(command, sizeof(command), "'%s' %s --json 2>/dev/null", program, arguments);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	len = fread(text, 1, 16u << 20, pipe);
	(void)pclose(pipe);
	root = cJSON_ParseWithLength(text, len);
	free(text);
	if (!root)
		fail_msg("%s: not JSON", command);
	return root;
}

static void what_is_printed_follows_the_output_schema(void **state)
{
	static const char base[] = TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json";
	static const char *const lines[] = {
		"report",
		"price --ttft 4096",
		"resolve",
		"provenance",
		"evidence",
		"walk",
		"memory",
		"layers",
		"model",
		"sensitivity",
		"kernels",
		"fit",
		"price -tp 3",
		"compare -tp 4",
		"compare --figure serial,kernels",
		"price -tp 4",
		"validate",
		"price --bad",
		"audit",
		"serve",
		"serve --slo ttft=1s,tpot=30ms",
		"serve --load 1k/64 --slo ttft=9s --find rate",
		"fit --load 1k/64@9/s --slo ttft=9s,tpot=40ms",
		"plan --load 1k/64@9/s --slo ttft=9s -tp 4,8",
	};
	static const char *const plain[] = {
		"divergences",
		"list models",
		"list parts",
		"list sets",
		"list fields",
		"list engines",
		"list fabrics",
		"list workloads",
		"list scenarios",
		"score",
		"score " TEST_SRCDIR
		"/tests/data/bench-serve-result.json --model gpt-oss-120b --part h100 -tp 4",
		"score --serve --where tp=8 --where part=h100 --where concurrency=4",
		"import --part h100 " TEST_SRCDIR "/tests/data/start-up-log.txt",
		"import " TEST_SRCDIR "/tests/data/config/minimax-m2.5.json",
		"engine list",
		"engine list kv_codecs",
		"engine list route_order",
		"engine list attention_routes",
		"engine show FP16",
		"engine show nothing",
		("engine admit --stage prefill --codec FP16 --heads 6/1 --head-dim 256 --page 784 "
		 "--chunk 7840"),
		"engine admit --stage decode --codec FP16 --heads 6/1 --head-dim 256 --page 784",
		"engine diff vllm-sm70 vllm-sm70",
	};
	cJSON *schema = read_schema("output");
	char fault[1024];

	(void)state;
	if (!getenv("STEPSCOPE"))
		skip();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[1024];
		cJSON *root;

		(void)snprintf(line, sizeof(line), "%s %s", lines[i], base);
		root = run(line);
		if (!schema_admits(schema, root, fault, sizeof(fault)))
			fail_msg("%s: %s", lines[i], fault);
		cJSON_Delete(root);
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		cJSON *root = run(plain[i]);

		if (!schema_admits(schema, root, fault, sizeof(fault)))
			fail_msg("%s: %s", plain[i], fault);
		cJSON_Delete(root);
	}
	cJSON_Delete(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shipped_document_follows_its_schema),
		cmocka_unit_test(a_key_too_many_and_one_too_few_break_a_schema),
		cmocka_unit_test(the_scenario_schema_has_every_field_of_the_table),
		cmocka_unit_test(what_is_printed_follows_the_output_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
