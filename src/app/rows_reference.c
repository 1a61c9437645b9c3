#include "app/rows_reference.h"

#include <stdio.h>

void rows_reference(struct table *table, const struct ss_reference *reference)
{
	for (int t = 0; t < SS_TABLE_COUNT; t++) {
		enum ss_table id = (enum ss_table)t;
		size_t rows = ss_table_rows(reference, id), wide = ss_table_columns(id);

		if (!rows)
			continue;
		table_heading(table, ss_table_title(id));
		for (size_t r = 0; r < rows; r++) {
			struct xbuf more = { 0 };
			char cell[256];

			table_row(table, (int)(t * 10000 + (int)r), ' ');
			for (size_t c = 0; c < wide; c++) {
				ss_table_cell(cell, sizeof(cell), reference, id, r, c);
				if (c < 2)
					table_put(table, (int)c, cell);
				else if (*cell)
					xbuf_printf(&more, "%s%s: %s", more.len ? "; " : "",
						    ss_table_column(id, c), cell);
			}
			table_put(table, 2, xbuf_text(&more));
			xbuf_release(&more);
		}
	}
}
