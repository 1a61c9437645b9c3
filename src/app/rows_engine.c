/*
 * The Engine pane: for a deployment of the build that has one, its architecture
 * reference, table by table; else what the release's pack accepts.
 */
#include <stdio.h>
#include <string.h>

#include "app/rows.h"
#include "app/rows_reference.h"

static const struct table_column columns[] = {
	{ .title = "name", .width = 31, .min_width = 24, .is_shared = true },
	{ .title = "is", .width = 17, .min_width = 12, .is_shared = true, .rank = 1 },
	{ .title = "more", .width = 30, .min_width = 10, .grows = true },
};

static const char *const pack_lists[SS_LIST_COUNT] = {
#define SS_X(id, name) name,
	SS_PACK_LISTS(SS_X)
#undef SS_X
};

static void add_pack(struct table *table, const struct ss_pack *pack)
{
	char title[96];

	snprintf(title, sizeof(title), "%s %s ACCEPTS", pack->name, pack->version);
	table_heading(table, title);
	for (int i = 0; i < SS_LIST_COUNT; i++) {
		const struct ss_list *list = &pack->lists[i];
		struct xbuf all = { 0 };
		char count[32];

		table_row(table, ROWS_PACK + i, list->is_known ? ' ' : '~');
		table_put(table, 0, pack_lists[i]);
		if (!list->is_known) {
			table_put(table, 1, "not known");
			table_put(table, 2,
				  "the pack has no such list: nothing is checked against it");
			continue;
		}
		snprintf(count, sizeof(count), "%zu names", list->count);
		table_put(table, 1, count);
		for (size_t n = 0; n < list->count; n++)
			xbuf_printf(&all, "%s%s", n ? ", " : "", list->items[n]);
		table_put(table, 2, xbuf_text(&all));
		xbuf_release(&all);
	}
}

void rows_engine(struct table *table, const struct app *app)
{
	const struct ss_basis_inputs *inputs = NULL;

	table_reset(table, columns, 3);
	if (!app->quote)
		return;
	inputs = ss_basis_inputs(app->quote->basis);
	rows_selection(table, app);
	if (inputs->reference)
		rows_reference(table, inputs->reference);
	add_pack(table, inputs->pack);
}
