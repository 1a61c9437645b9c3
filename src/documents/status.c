#include "stepscope/status.h"

#include <stdarg.h>
#include <stdio.h>

enum ss_status ss_fail(struct ss_error *err, enum ss_status status, const char *where,
		       const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	err->status = status;
	(void)snprintf(err->where, sizeof(err->where), "%s", where ? where : "");
	va_start(args, format);
	(void)vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return status;
}
