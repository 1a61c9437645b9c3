/* A batch that parses is written and read back as the same requests. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stepscope/scenario.h"

static void check_back(const struct ss_group *groups, size_t count)
{
	size_t length = ss_batch_format(NULL, 0, groups, count);
	char *text = malloc(length + 1);
	struct ss_group *back = NULL;
	size_t back_count = 0;

	if (!text)
		return;
	if (ss_batch_format(text, length + 1, groups, count) != length ||
	    ss_batch_parse(&back, &back_count, text, NULL) != SS_OK || back_count != count)
		abort();
	for (size_t i = 0; i < count; i++)
		if (memcmp(&groups[i], &back[i], sizeof(back[i])) != 0)
			abort();
	free(back);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_group *groups = NULL;
	size_t count = 0;
	char *text = malloc(size + 1);
	struct ss_error err;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (ss_batch_parse(&groups, &count, text, &err) == SS_OK)
		check_back(groups, count);
	free(groups);
	free(text);
	return 0;
}
