/* Any bytes are a log with figures or without, or are refused. */
#include "fuzz/fuzz.h"

#include "import/import_log.h"
#include "cli/log_table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct serve_log log;
	struct ss_error err;
	struct log_row *rows = calloc(LOG_ROWS_MAX, sizeof(*rows));
	const char *text = (const char *)data;

	if (!rows)
		return 0;
	if (!serve_log_parse(&log, size ? text : "", size, &err)) {
		(void)log_compare(rows, &log, NULL);
		(void)serve_log_is(size ? text : "", size);
		serve_log_release(&log);
	}
	free(rows);
	return 0;
}
