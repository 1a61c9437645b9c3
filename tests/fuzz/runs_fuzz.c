/* Any bytes are a table of runs, whose rows are whole or have a fault, or are refused. */
#include "fuzz/fuzz.h"

#include "stepscope/runs.h"

#include <string.h>

static void look(const struct ss_run *run)
{
	size_t length = strlen(run->model) + strlen(run->part) + strlen(run->precision) +
			strlen(run->engine_version) + strlen(run->source) + strlen(run->fault);

	for (size_t i = 0; i < run->setting_count; i++)
		length += strlen(run->settings[i].path) + strlen(run->settings[i].text);
	if (!length || (!*run->fault && (run->concurrency < 1 || run->prompt_low < 1 ||
					 run->output_high < run->output_low)))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_problems problems = { 0 };
	struct ss_runs runs;

	if (!ss_runs_parse(&runs, size ? (const char *)data : "", size, "fuzz", &problems)) {
		for (size_t i = 0; i < runs.count; i++)
			look(&runs.items[i]);
		ss_runs_release(&runs);
	}
	ss_problems_release(&problems);
	return 0;
}
