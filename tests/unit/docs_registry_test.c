/* The registry of the source tree: all of it loads, and holds what it should. */
#include "stepscope/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REGISTRY TEST_SRCDIR "/registry"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct ss_registry *open_registry(void)
{
	static const char *const roots[] = { REGISTRY };
	struct ss_registry *registry = NULL;

	assert_int_equal(ss_registry_new(&registry, roots, 1, NULL), SS_OK);
	return registry;
}

static void print_all(const struct ss_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		print_error("%s: %s: %s: %s\n", problems->items[i].file,
			    problems->items[i].pointer, problems->items[i].code,
			    problems->items[i].message);
}

static void validate_folder(enum ss_document_kind kind, const char *folder, size_t at_least)
{
	struct ss_registry *registry = open_registry();
	struct ss_problems problems = { 0 };
	char **names = NULL;
	size_t count = 0;

	assert_int_equal(ss_registry_names(registry, kind, &names, &count), SS_OK);
	assert_true(count >= at_least);
	for (size_t i = 0; i < count; i++) {
		char path[1024];

		(void)snprintf(path, sizeof(path), "%s/%s/%s.json", REGISTRY, folder, names[i]);
		assert_int_equal(ss_document_validate(path, &problems), kind);
	}
	print_all(&problems);
	assert_int_equal(problems.count, 0);
	ss_problems_release(&problems);
	ss_names_free(names, count);
	ss_registry_free(registry);
}

static void every_model_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_MODEL, "models", 36);
}

static void every_part_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_HARDWARE, "hardware", 11);
}

static void every_network_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_NETWORK, "networks", 8);
}

static void every_workload_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_WORKLOAD, "workloads", 4);
}

static void every_coefficient_set_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_COEFFICIENTS, "coefficients", 7);
}

static void every_engine_pack_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_PACK, "engines", 2);
}

static void every_scenario_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_SCENARIO, "../scenarios", 14);
}

static void the_storage_classes_validate_clean(void **state)
{
	struct ss_problems problems = { 0 };

	(void)state;
	assert_int_equal(ss_document_validate(REGISTRY "/storage.json", &problems),
			 SS_DOCUMENT_STORAGE);
	assert_int_equal(problems.count, 0);
	ss_problems_release(&problems);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_model_validates_clean),
		cmocka_unit_test(every_part_validates_clean),
		cmocka_unit_test(every_network_validates_clean),
		cmocka_unit_test(every_workload_validates_clean),
		cmocka_unit_test(every_coefficient_set_validates_clean),
		cmocka_unit_test(every_engine_pack_validates_clean),
		cmocka_unit_test(every_scenario_validates_clean),
		cmocka_unit_test(the_storage_classes_validate_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
