/* The registry of the source tree: all of it loads, and holds what it should. */
#include "stepscope/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		print_error("%s: %s: %s: %s\n", problems->items[i].file, problems->items[i].pointer,
			    problems->items[i].code, problems->items[i].message);
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

static void every_table_of_kernel_times_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_TIMES, "kernel-times", 70);
}

static void every_workload_validates_clean(void **state)
{
	(void)state;
	validate_folder(SS_DOCUMENT_WORKLOAD, "workloads", 9);
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

/* Entries of a set, by method. */
struct tally {
	const char *set;
	size_t count;
};

static void the_cost_model_holds_what_was_published(void **state)
{
	/* Counts of the public coefficient tables the sets were built from. */
	static const struct tally sets[] = {
		{ "cost-model-attention", 60 },     { "cost-model-collectives", 864 },
		{ "cost-model-host-overheads", 7 }, { "cost-model-memory", 14 },
		{ "cost-model-primitives", 140 },   { "cost-model-recurrent", 36 },
	};
	struct ss_registry *registry = open_registry();
	size_t methods[SS_METHOD_COUNT] = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		const struct ss_coefficient_set *set =
			ss_registry_coefficients(registry, sets[i].set, NULL);

		assert_non_null(set);
		assert_int_equal(set->count, sets[i].count);
		for (size_t j = 0; j < set->count; j++)
			methods[set->entries[j].method]++;
	}
	assert_int_equal(methods[SS_METHOD_MEASURED], 816);
	assert_int_equal(methods[SS_METHOD_VENDOR_SPEC], 81);
	assert_int_equal(methods[SS_METHOD_ASSUMED], 223);
	assert_int_equal(methods[SS_METHOD_NOT_CHARGED], 1);
	ss_registry_free(registry);
}

static void the_sm70_set_holds_mostly_assumptions(void **state)
{
	struct ss_registry *registry = open_registry();
	const struct ss_coefficient_set *set =
		ss_registry_coefficients(registry, "cost-model-sm70", NULL);
	size_t methods[SS_METHOD_COUNT] = { 0 };

	(void)state;
	assert_non_null(set);
	for (size_t j = 0; j < set->count; j++)
		methods[set->entries[j].method]++;
	assert_int_equal(methods[SS_METHOD_ASSUMED], 84);
	assert_int_equal(methods[SS_METHOD_LITERATURE], 8);
	assert_int_equal(methods[SS_METHOD_COPIED], 5);
	assert_int_equal(set->count, 97);
	ss_registry_free(registry);
}

/* The index gives, for each part, the entries a walk of them all gives. */
static void entries_are_indexed_by_part(void **state)
{
	struct ss_registry *registry = open_registry();
	const struct ss_coefficient_set *set =
		ss_registry_coefficients(registry, "cost-model-host-overheads", NULL);

	(void)state;
	assert_non_null(set);
	for (size_t h = 0; h < set->hardware_count; h++) {
		const struct ss_hardware_entries *list = &set->by_hardware[h];
		size_t at = 0;

		assert_true(!h || strcmp(set->by_hardware[h - 1].hardware, list->hardware) < 0);
		for (size_t i = 0; i < set->count; i++) {
			if (!ss_scope_has_hardware(&set->entries[i].scope, list->hardware))
				continue;
			assert_true(at < list->count);
			assert_int_equal(list->entries[at++], i);
		}
		assert_int_equal(at, list->count);
	}
	for (size_t i = 0; i < set->everywhere_count; i++)
		assert_int_equal(set->entries[set->everywhere[i]].scope.hardware_count, 0);
	ss_registry_free(registry);
}

static void a_document_is_loaded_once(void **state)
{
	struct ss_registry *registry = open_registry();
	const struct ss_part *part = ss_registry_part(registry, "h200", NULL);

	(void)state;
	assert_non_null(part);
	assert_ptr_equal(ss_registry_part(registry, "h200", NULL), part);
	assert_string_equal(part->name, "h200");
	ss_registry_forget(registry);
	assert_non_null(ss_registry_part(registry, "h200", NULL));
	ss_registry_free(registry);
}

static void a_missing_name_lists_the_nearest_and_the_rest(void **state)
{
	struct ss_registry *registry = open_registry();
	struct ss_problems problems = { 0 };

	(void)state;
	assert_null(ss_registry_part(registry, "h20", &problems));
	assert_null(ss_registry_model(registry, "deepsek-v3", &problems));
	assert_null(ss_registry_network(registry, "../hardware/h200", &problems));
	assert_null(ss_registry_workload(registry, "..", &problems));
	assert_null(ss_registry_model(registry, "llama-3.1-80b", &problems));
	assert_int_equal(problems.count, 5);
	assert_non_null(
		strstr(problems.items[4].message, "size: llama-3.1-70b-instruct, llama-2-70b-hf"));
	assert_string_equal(problems.items[0].pointer, "/cluster/hardware");
	assert_non_null(strstr(problems.items[0].message, "did you mean \"h200\""));
	assert_non_null(strstr(problems.items[0].message, "gb200-nvl72"));
	assert_non_null(strstr(problems.items[1].message, "did you mean \"deepseek-v3\""));
	assert_non_null(strstr(problems.items[2].message, "must be plain"));
	assert_non_null(strstr(problems.items[3].message, "must be plain"));
	ss_problems_release(&problems);
	ss_registry_free(registry);
}

static void the_nearest_release_with_a_pack_is_taken(void **state)
{
	/* packs of 0.29.0, 0.31.0 and sm70, which is no number */
	static const struct {
		const char *asked, *taken;
		int64_t apart;
	} releases[] = {
		{ "0.10.1", "0.29.0", 19 }, { "0.29.3", "0.29.0", 1 },  { "0.30.0", "0.31.0", 1 },
		{ "0.30.5", "0.31.0", 1 },  { "0.99.0", "0.31.0", 68 }, { "nightly", "0.31.0", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		struct ss_registry *registry = open_registry();
		struct ss_problems problems = { 0 };
		bool is_fallback = false;
		const struct ss_pack *pack = ss_registry_pack(registry, "vllm", releases[i].asked,
							      &is_fallback, &problems);

		assert_non_null(pack);
		assert_true(is_fallback);
		assert_string_equal(pack->version, releases[i].taken);
		assert_int_equal(ss_release_distance(releases[i].asked, pack->version),
				 releases[i].apart);
		ss_problems_release(&problems);
		ss_registry_free(registry);
	}
	assert_int_equal(ss_release_distance("0.31.0", "0.31.0"), 0);
}

static void a_release_without_a_pack_runs_as_another_with_its_lists_unknown(void **state)
{
	struct ss_registry *registry = open_registry();
	struct ss_problems problems = { 0 };
	bool is_fallback = true;
	const struct ss_pack *pack, *priced;

	(void)state;
	priced = ss_registry_pack(registry, "vllm", "0.31.0", &is_fallback, &problems);
	assert_non_null(priced);
	assert_false(is_fallback);
	assert_int_equal(problems.count, 0);
	pack = ss_registry_pack(registry, "vllm", "0.99.0", &is_fallback, &problems);
	assert_non_null(pack);
	assert_true(is_fallback);
	assert_int_equal(ss_problems_count(&problems, SS_WARNING), 1);
	for (size_t i = 0; i < SS_LIST_COUNT; i++) {
		assert_false(pack->lists[i].is_known);
		assert_false(ss_list_has(&pack->lists[i], "fp8"));
	}
	assert_int_equal(pack->block_size, priced->block_size);
	assert_true(priced->lists[SS_LIST_CACHE_DTYPES].is_known);
	assert_true(ss_list_has(&priced->lists[SS_LIST_CACHE_DTYPES], "fp8_ds_mla"));
	/* Known to the kernel, but not to the release. */
	assert_false(ss_list_has(&priced->lists[SS_LIST_QUANTIZATIONS], "nvfp4"));
	assert_null(ss_registry_pack(registry, "sglang", "1.0", &is_fallback, &problems));
	assert_null(ss_registry_pack(registry, "vllm", "../x", &is_fallback, &problems));
	ss_problems_release(&problems);
	ss_registry_free(registry);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void the_first_root_that_has_a_name_gives_it(void **state)
{
	char dir[] = "docs_registry_test.XXXXXX", path[128];
	const char *roots[] = { "no-such-root", dir, REGISTRY };
	struct ss_registry *registry = NULL;
	const struct ss_storage *storage;
	char **names = NULL;
	size_t count = 0, own = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/networks", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/networks/ib-400g.json", dir);
	write_file(path, "{\"kind\":\"Network\",\"name\":\"ib-400g\",\"inter_node_gb_s\":7}");
	(void)snprintf(path, sizeof(path), "%s/storage.json", dir);
	write_file(path, "{\"kind\":\"Storage\",\"classes\":{\"tape\":{\"read_mb_s\":1,"
			 "\"write_mb_s\":2,\"base_latency_us\":3}}}");
	assert_int_equal(ss_registry_new(&registry, roots, 3, NULL), SS_OK);
	assert_true(ss_registry_network(registry, "ib-400g", NULL)->inter_node_gb_s < 8);
	assert_non_null(ss_registry_network(registry, "roce-200g", NULL));
	assert_int_equal(ss_registry_names(registry, SS_DOCUMENT_NETWORK, &names, &count), SS_OK);
	for (size_t i = 0; i < count; i++) {
		assert_true(!i || strcmp(names[i - 1], names[i]) < 0);
		own += strcmp(names[i], "ib-400g") == 0;
	}
	assert_int_equal(own, 1);
	ss_names_free(names, count);
	storage = ss_registry_storage(registry, NULL);
	assert_non_null(storage);
	assert_string_equal(storage->classes[0].name, "tape");
	assert_true(storage->count > 1);
	ss_registry_free(registry);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/networks/ib-400g.json", dir);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/networks", dir);
	(void)rmdir(path);
	(void)rmdir(dir);
}

static void an_empty_registry_says_so(void **state)
{
	struct ss_registry *registry = NULL;
	struct ss_problems problems = { 0 };
	bool is_fallback;

	(void)state;
	assert_int_equal(ss_registry_new(&registry, NULL, 0, NULL), SS_OK);
	assert_null(ss_registry_model(registry, "x", &problems));
	assert_null(ss_registry_storage(registry, &problems));
	assert_null(ss_registry_pack(registry, "vllm", "0.31.0", &is_fallback, &problems));
	assert_int_equal(problems.count, 3);
	assert_non_null(strstr(problems.items[0].message, "none"));
	ss_problems_release(&problems);
	ss_registry_free(registry);
}

/* The examples of FIPS 180-4 and, for a million letters, of its test vectors. */
static void hashes_are_those_of_the_standard(void **state)
{
	static const struct {
		const char *text, *sha256;
	} cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	static char letters[1000000];
	char sha256[SS_SHA256_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		ss_sha256(sha256, cases[i].text, strlen(cases[i].text));
		assert_string_equal(sha256, cases[i].sha256);
	}
	memset(letters, 'a', sizeof(letters));
	ss_sha256(sha256, letters, sizeof(letters));
	assert_string_equal(sha256,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void files_read_are_listed_with_their_hashes(void **state)
{
	struct ss_registry *registry = open_registry();
	struct ss_problems problems = { 0 };
	struct ss_document documents[4];
	char path[1024], sha256[SS_SHA256_SIZE];
	static char bytes[1 << 20];
	bool is_fallback = false;
	size_t length;
	FILE *file;

	(void)state;
	assert_int_equal(ss_registry_documents(registry, NULL, 0), 0);
	assert_non_null(ss_registry_storage(registry, &problems));
	assert_non_null(ss_registry_part(registry, "h200", &problems));
	assert_non_null(ss_registry_part(registry, "h100", &problems));
	assert_non_null(ss_registry_part(registry, "h100", &problems));
	assert_non_null(ss_registry_pack(registry, "vllm", "0.31.0", &is_fallback, &problems));
	assert_non_null(ss_registry_pack(registry, "vllm", "9.9.9", &is_fallback, &problems));
	assert_int_equal(ss_registry_documents(registry, documents, COUNT(documents)), 4);
	assert_string_equal(documents[0].name, "vllm-0.31.0");
	assert_string_equal(documents[1].name, "h100");
	assert_string_equal(documents[2].name, "h200");
	assert_int_equal(documents[2].kind, SS_DOCUMENT_HARDWARE);
	assert_string_equal(documents[3].name, "storage");
	(void)snprintf(path, sizeof(path), "%s/hardware/h200.json", REGISTRY);
	file = fopen(path, "rb");
	assert_non_null(file);
	length = fread(bytes, 1, sizeof(bytes), file);
	(void)fclose(file);
	ss_sha256(sha256, bytes, length);
	assert_string_equal(documents[2].sha256, sha256);
	ss_registry_forget(registry);
	assert_int_equal(ss_registry_documents(registry, NULL, 0), 0);
	ss_problems_release(&problems);
	ss_registry_free(registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_model_validates_clean),
		cmocka_unit_test(every_part_validates_clean),
		cmocka_unit_test(every_network_validates_clean),
		cmocka_unit_test(every_workload_validates_clean),
		cmocka_unit_test(every_table_of_kernel_times_validates_clean),
		cmocka_unit_test(every_coefficient_set_validates_clean),
		cmocka_unit_test(every_engine_pack_validates_clean),
		cmocka_unit_test(every_scenario_validates_clean),
		cmocka_unit_test(the_storage_classes_validate_clean),
		cmocka_unit_test(the_cost_model_holds_what_was_published),
		cmocka_unit_test(the_sm70_set_holds_mostly_assumptions),
		cmocka_unit_test(entries_are_indexed_by_part),
		cmocka_unit_test(a_document_is_loaded_once),
		cmocka_unit_test(a_missing_name_lists_the_nearest_and_the_rest),
		cmocka_unit_test(the_nearest_release_with_a_pack_is_taken),
		cmocka_unit_test(a_release_without_a_pack_runs_as_another_with_its_lists_unknown),
		cmocka_unit_test(the_first_root_that_has_a_name_gives_it),
		cmocka_unit_test(an_empty_registry_says_so),
		cmocka_unit_test(hashes_are_those_of_the_standard),
		cmocka_unit_test(files_read_are_listed_with_their_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
