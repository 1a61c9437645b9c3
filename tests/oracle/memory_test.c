/* Memory of one rank against figures of another implementation: tests/oracle/memory.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "close.h"
#include "kernel_fixture.h"

static cJSON *read_cases(void)
{
	FILE *file = fopen(TEST_SRCDIR "/tests/oracle/memory.json", "rb");
	char *text = calloc(1, 1 << 18);
	size_t length;
	cJSON *root;

	assert_non_null(file);
	assert_non_null(text);
	length = fread(text, 1, (1 << 18) - 1, file);
	(void)fclose(file);
	root = cJSON_ParseWithLength(text, length);
	free(text);
	assert_non_null(root);
	return root;
}

static double number(const cJSON *object, const char *key)
{
	return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/** One object of the case as settings, its nested objects dotted. */
static void add_settings(char *out, size_t size, const cJSON *object, const char *prefix)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
	{
		size_t used = strlen(out);
		char inner[64];

		(void)snprintf(inner, sizeof(inner), "%s%s.", prefix, item->string);
		if (cJSON_IsObject(item))
			add_settings(out, size, item, inner);
		else if (cJSON_IsString(item))
			(void)snprintf(out + used, size - used, "%s%s%s=%s", used ? " " : "",
				       prefix, item->string, item->valuestring);
		else if (cJSON_IsBool(item))
			(void)snprintf(out + used, size - used, "%s%s%s=%s", used ? " " : "",
				       prefix, item->string, cJSON_IsTrue(item) ? "true" : "false");
		else
			(void)snprintf(out + used, size - used, "%s%s%s=%.10g", used ? " " : "",
				       prefix, item->string, item->valuedouble);
	}
}

static void check_case(const cJSON *item, double share)
{
	const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(item, "cluster");
	const cJSON *expect = cJSON_GetObjectItemCaseSensitive(item, "expect");
	const cJSON *rack = cJSON_GetObjectItemCaseSensitive(cluster, "gpus_per_rack");
	const cJSON *link = cJSON_GetObjectItemCaseSensitive(cluster, "inter_node_gb_s");
	struct fixture_cluster c = { .nodes = (int)number(cluster, "nodes"),
				     .gpus_per_node = (int)number(cluster, "gpus_per_node"),
				     .gpus_per_rack = rack ? (int)rack->valuedouble : 0,
				     .inter_node_gb_s = link ? link->valuedouble : 0 };
	char settings[1024] = "";
	struct kernel_fixture f;
	const struct ss_memory *m;

	print_message("%s\n", cJSON_GetObjectItemCaseSensitive(item, "id")->valuestring);
	add_settings(settings, sizeof(settings), cJSON_GetObjectItemCaseSensitive(item, "parallel"),
		     "parallel.");
	add_settings(settings, sizeof(settings), cJSON_GetObjectItemCaseSensitive(item, "engine"),
		     "engine.");
	fixture_make(&f, cJSON_GetObjectItemCaseSensitive(item, "model")->valuestring,
		     cJSON_GetObjectItemCaseSensitive(item, "part")->valuestring, &c, settings);
	for (size_t i = 0; !f.kernel && i < f.problems.count; i++)
		print_error("%s %s\n", f.problems.items[i].code, f.problems.items[i].message);
	assert_non_null(f.kernel);
	m = ss_kernel_memory(f.kernel);
	assert_close((double)m->weights_bytes, number(expect, "weights_bytes"), share);
	assert_close((double)m->activation_bytes, number(expect, "activation_bytes"), share);
	assert_close((double)m->communicator_bytes, number(expect, "communicator_bytes"), share);
	assert_close((double)m->workspace_bytes, number(expect, "workspace_bytes"), share);
	assert_close((double)m->graphs_bytes, number(expect, "graphs_bytes"), share);
	assert_close(m->kv_bytes_per_token, number(expect, "kv_bytes_per_token"), share);
	assert_close((double)ss_kernel_sequence_bytes(f.kernel, 4096),
		     number(expect, "kv_bytes_4096"), share);
	fixture_release(&f);
}

static void memory_is_what_another_implementation_computes(void **state)
{
	cJSON *root = read_cases();
	const cJSON *item;
	int checked = 0;

	(void)state;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "cases"))
	{
		check_case(item, 1e-9);
		checked++;
	}
	assert_int_equal(checked, 24);
	cJSON_Delete(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_what_another_implementation_computes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
