#include "engine/markdown.h"

#include <ctype.h>
#include <string.h>

static const char *const columns[MARKDOWN_SECTIONS][MARKDOWN_COLUMNS_MAX] = {
	[SS_TABLE_OWNERS] = { "Type", "Owner paths", "Lifecycle / hash methods", "Source" },
	[SS_TABLE_CODECS] = { "Symbol", "Canonical / aliases", "Storage / element", "Quantized",
			      "Source" },
	[SS_TABLE_ROUTES] = { "Route", "Stage", "Codecs", "Declared shape / flags", "Source" },
	[SS_TABLE_BINDINGS] = { "Family", "Stage / mode", "Declared binding", "Covers", "Layout",
				"Arithmetic", "Source" },
};

size_t markdown_columns(enum ss_table table)
{
	size_t count = 0;

	while (columns[table][count])
		count++;
	return count;
}

const char *markdown_column(enum ss_table table, size_t column)
{
	return columns[table][column];
}

void markdown_slug(struct buf *out, const char *heading, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)heading[i];

		if (c == ' ')
			buf_char(out, '-');
		else if (isalnum(c) || c == '-' || c == '_' || c >= 0x80)
			buf_char(out, (char)tolower(c));
	}
}
