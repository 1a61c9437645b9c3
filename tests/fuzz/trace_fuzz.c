/* A trace that reads holds requests in the order they come, all of them possible. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "stepscope/load.h"

static void check(const struct ss_trace *trace)
{
	double last = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct ss_trace_row *row = &trace->rows[i];

		FUZZ_CHECK(isfinite(row->arrival_s) && row->arrival_s >= last);
		FUZZ_CHECK(row->prompt >= 1 && row->output >= 1);
		for (size_t k = 0; k < row->hash_count; k++)
			FUZZ_CHECK(row->hashes[k] != INT64_MIN);
		last = row->arrival_s;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_problems problems = { 0 };
	struct ss_trace trace = { 0 };

	if (!ss_trace_parse(&trace, size ? (const char *)data : "", size, "fuzz", &problems)) {
		check(&trace);
		ss_trace_release(&trace);
	} else {
		FUZZ_CHECK(problems.count);
	}
	ss_problems_release(&problems);
	return 0;
}
