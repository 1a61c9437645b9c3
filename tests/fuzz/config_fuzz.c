/* Any JSON is a configuration that becomes a graph, or is refused. */
#include "fuzz/fuzz.h"

#include "import/import_hf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_problems problems = { 0 };
	const char *text = (const char *)data;
	cJSON *config = cJSON_ParseWithLength(size ? text : "", size), *graph = NULL;

	if (config && hf_is_config(config) && !hf_import(&graph, config, NULL, "fuzz", "fuzz", &problems))
		cJSON_Delete(graph);
	cJSON_Delete(config);
	ss_problems_release(&problems);
	return 0;
}
