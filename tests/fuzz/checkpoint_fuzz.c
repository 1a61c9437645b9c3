/*
 * Any text is a checkpoint's configuration that becomes a graph, which weighs something
 * and reads as a document, or is refused with a reason.
 */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "documents/documents.h"
#include "import/checkpoint.h"
#include "import/import_hf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct checkpoint checkpoint = { 0 };
	struct ss_problems problems = { 0 }, ignored = { 0 };
	struct ss_error err = { 0 };
	const char *text = size ? (const char *)data : "";
	cJSON *graph = NULL;

	if (!checkpoint_read(&checkpoint, text, size, "-", &err) && checkpoint.config &&
	    hf_is_config(checkpoint.config)) {
		if (!hf_import(&graph, checkpoint.config, NULL, "fuzz", "fuzz", &problems))
			ss_model_free(model_read(graph, "fuzz", "fuzz", &ignored));
		else if (!problems.count)
			abort();
	}
	cJSON_Delete(graph);
	checkpoint_release(&checkpoint);
	ss_problems_release(&problems);
	ss_problems_release(&ignored);
	return 0;
}
