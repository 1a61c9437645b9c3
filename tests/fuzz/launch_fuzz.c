/* Launches found in any text, a script or YAML, are whole or the text is refused. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "import/launches.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct launches launches = { 0 };
	struct ss_error err = { 0 };
	const char *text = size ? (const char *)data : "";

	if (launches_read(&launches, text, size, &err)) {
		if (!*err.message)
			abort();
	} else {
		for (size_t i = 0; i < launches.count; i++)
			if (!launches.items[i].name || !launches.items[i].image ||
			    launches.items[i].gpus < 0 || launches.items[i].nodes < 0)
				abort();
	}
	launches_release(&launches);
	return 0;
}
