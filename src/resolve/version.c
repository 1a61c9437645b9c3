#include "stepscope/version.h"

#include "config.h"

#include <string.h>

#include "stepscope/kernel.h"
#include "stepscope/serve.h"
#include "stepscope/problems.h"
#include "stepscope/scenario.h"

const char *ss_version(void)
{
	return PACKAGE_VERSION;
}

size_t ss_type_size(const char *name)
{
	static const struct {
		const char *name;
		size_t size;
	} types[] = {
		{ "batch", sizeof(struct ss_batch) },
		{ "error", sizeof(struct ss_error) },
		{ "fix", sizeof(struct ss_fix) },
		{ "group", sizeof(struct ss_group) },
		{ "load", sizeof(struct ss_load) },
		{ "problem", sizeof(struct ss_problem) },
		{ "problems", sizeof(struct ss_problems) },
		{ "serve_engine", sizeof(struct ss_serve_engine) },
		{ "serve_pricing", sizeof(struct ss_serve_pricing) },
		{ "serve_request", sizeof(struct ss_serve_request) },
		{ "serve_result", sizeof(struct ss_serve_result) },
		{ "step", sizeof(struct ss_step) },
		{ "memory", sizeof(struct ss_memory) },
		{ "verdict", sizeof(struct ss_verdict) },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return types[i].size;
	return 0;
}
