/* A scenario that loads is written and read back equal, and can be checked. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stepscope/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_problems problems = { 0 };
	struct ss_scenario *s =
		ss_scenario_parse(size ? (const char *)data : "", size, "fuzz", &problems);
	struct ss_scenario *back = NULL;
	char *json = NULL;

	if (s) {
		(void)ss_scenario_check(s, &problems);
		json = ss_scenario_to_json(s);
		back = json ? ss_scenario_parse(json, strlen(json), "back", NULL) : NULL;
		if (json && (!back || !ss_scenario_equal(s, back)))
			abort();
	}
	free(json);
	ss_scenario_free(back);
	ss_scenario_free(s);
	ss_problems_release(&problems);
	return 0;
}
