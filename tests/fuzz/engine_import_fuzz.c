/* A Markdown reference: whatever the bytes, it becomes a pack or is reported,
 * and a pack that was made renders to one that imports again. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "stepscope/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	struct ss_reference *made = NULL;
	struct ss_reference *again = NULL;
	struct ss_problems problems = { 0 };
	char *rendered = NULL;
	size_t length = 0;

	if (ss_reference_import(&made, text, size, "a", "b", "fuzz", &problems) == SS_OK &&
	    ss_reference_markdown(&rendered, &length, made) == SS_OK &&
	    ss_reference_import(&again, rendered, length, "a", "b", "fuzz", NULL) != SS_OK)
		again = NULL;
	ss_reference_free(again);
	free(rendered);
	ss_reference_free(made);
	ss_problems_release(&problems);
	return 0;
}
