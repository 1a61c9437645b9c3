#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/registry.h"

/* A release as its pack's file name has it: `vllm-0.31.0`. */
static bool load_pack(struct ss_registry *registry, char *name)
{
	char *dash = name;
	bool is_fallback;

	while (*dash && *dash != '-')
		dash++;
	if (!*dash)
		return false;
	*dash = '\0';
	return ss_registry_pack(registry, name, dash + 1, &is_fallback, NULL) != NULL;
}

static bool load_one(struct ss_registry *registry, enum ss_document_kind kind, char *name)
{
	switch (kind) {
	case SS_DOCUMENT_MODEL:
		return ss_registry_model(registry, name, NULL) != NULL;
	case SS_DOCUMENT_COEFFICIENTS:
		return ss_registry_coefficients(registry, name, NULL) != NULL;
	case SS_DOCUMENT_PACK:
		return load_pack(registry, name);
	case SS_DOCUMENT_HARDWARE:
		return ss_registry_part(registry, name, NULL) != NULL;
	case SS_DOCUMENT_NETWORK:
		return ss_registry_network(registry, name, NULL) != NULL;
	case SS_DOCUMENT_WORKLOAD:
		return ss_registry_workload(registry, name, NULL) != NULL;
	case SS_DOCUMENT_STORAGE:
		return ss_registry_storage(registry, NULL) != NULL;
	case SS_DOCUMENT_SCENARIO:
	case SS_DOCUMENT_TIMES:
	case SS_DOCUMENT_REVIEW:
	case SS_DOCUMENT_NAMES:
	case SS_DOCUMENT_COUNT:
		break;
	}
	return true;
}

/* Everything there is, from the files on; *context turns false when one fails. */
static void load_all(void *context)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };
	struct ss_registry *registry = NULL;
	bool *is_whole = context;

	if (ss_registry_new(&registry, roots, 1, NULL) != SS_OK) {
		*is_whole = false;
		return;
	}
	for (int kind = 0; kind < SS_DOCUMENT_COUNT; kind++) {
		char **names = NULL;
		size_t count = 0;

		if (ss_registry_names(registry, (enum ss_document_kind)kind, &names, &count))
			*is_whole = false;
		for (size_t i = 0; i < count; i++)
			if (!load_one(registry, (enum ss_document_kind)kind, names[i]))
				*is_whole = false;
		ss_names_free(names, count);
	}
	ss_registry_free(registry);
}

double bench_registry_ratio(void)
{
	bool is_whole = true;
	double parse_s = bench_parse_s();
	double seconds = bench_least_s(load_all, &is_whole, 1.0);

	return is_whole && parse_s > 0 ? seconds / parse_s : -1;
}
