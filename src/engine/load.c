/* A reference from text and from a file. */
#include <stdlib.h>

#include "documents/json.h"
#include "stepscope/engine.h"

enum ss_status ss_reference_parse(struct ss_reference **out, const char *text, size_t length,
				  const char *file, struct ss_problems *problems)
{
	cJSON *root = json_parse(text, length, file, problems);

	return root ? ss_reference_from_json(out, root, file, problems) : SS_EDOCUMENT;
}

enum ss_status ss_reference_load(struct ss_reference **out, const char *path,
				 struct ss_problems *problems)
{
	size_t length = 0;
	char *text = json_read_file(path, &length, problems);
	enum ss_status rc;

	if (!text)
		return SS_EIO;
	rc = ss_reference_parse(out, text, length, path, problems);
	free(text);
	return rc;
}
