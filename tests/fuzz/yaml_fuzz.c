/* Any bytes are YAML that converts, or are refused with a place. */
#include "fuzz/fuzz.h"

#include "import/import_blis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tree_documents documents;
	struct blis_import import = { 0 };
	struct ss_problems problems = { 0 };
	struct ss_error err;
	const char *text = (const char *)data;

	if (tree_parse(&documents, size ? text : "", size, &err))
		return 0;
	if (!blis_convert(&import, &documents, "fuzz", "fuzz", &problems))
		(void)!blis_finish(&import, &problems);
	blis_release(&import);
	tree_release(&documents);
	ss_problems_release(&problems);
	return 0;
}
