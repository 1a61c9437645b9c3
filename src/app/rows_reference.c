#include "app/rows_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids are the table times this and the row. */
enum { STRIDE = 10000 };

/* Columns a notice may take: what is left of 80 beside its margin. */
enum { NOTICE_WIDTH = 74 };

int rows_reference_id(enum ss_table table, size_t row)
{
	return (int)table * STRIDE + (int)row;
}

void rows_notice(struct table *table, const char *text)
{
	while (*text) {
		size_t n = strlen(text);
		char line[NOTICE_WIDTH + 4];

		if (n > NOTICE_WIDTH) {
			n = NOTICE_WIDTH;
			while (n > 0 && text[n] != ' ')
				n--;
			if (!n)
				n = NOTICE_WIDTH;
		}
		snprintf(line, sizeof(line), "  %.*s", (int)n, text);
		table_heading(table, line);
		text += n;
		text += strspn(text, " ");
	}
}

static void add_heading(struct table *table, const struct ss_reference *reference, enum ss_table id)
{
	struct ss_names notices = ss_table_notices(reference, id);

	table_heading(table, ss_table_title(id));
	for (size_t i = 0; i < notices.count; i++)
		rows_notice(table, notices.items[i]);
}

static char *cell_of(const struct ss_reference *reference, enum ss_table id, size_t row,
		     size_t column)
{
	size_t length = ss_table_cell(NULL, 0, reference, id, row, column);
	char *text = xmalloc(length + 1);

	ss_table_cell(text, length + 1, reference, id, row, column);
	return text;
}

/* The cells from `column` on that say something, each after its name. */
static void put_rest(struct table *table, const struct ss_reference *reference, enum ss_table id,
		     size_t row, size_t column, struct xbuf *more)
{
	for (size_t c = column; c < ss_table_columns(id); c++) {
		char *cell = cell_of(reference, id, row, c);

		if (*cell)
			xbuf_printf(more, "%s%s: %s", more->len ? "; " : "", ss_table_column(id, c),
				    cell);
		free(cell);
	}
	table_put(table, 2, xbuf_text(more));
	xbuf_release(more);
}

static void add_table(struct table *table, const struct ss_reference *reference, enum ss_table id)
{
	size_t rows = ss_table_rows(reference, id);

	if (!rows)
		return;
	add_heading(table, reference, id);
	for (size_t r = 0; r < rows; r++) {
		struct xbuf more = { 0 };

		table_row(table, rows_reference_id(id, r), ' ');
		for (size_t c = 0; c < 2; c++) {
			char *cell = cell_of(reference, id, r, c);

			table_put(table, (int)c, cell);
			free(cell);
		}
		put_rest(table, reference, id, r, 2, &more);
	}
}

/* -- the tree of owners ----------------------------------------------------------------- */

/* One path of the tree, and the owner it leads to. */
struct branch {
	const char *path;
	size_t owner;
};

/* The root first; then a path before what is under it, and that before its neighbours. */
static int by_path(const void *a, const void *b)
{
	const char *x = ((const struct branch *)a)->path;
	const char *y = ((const struct branch *)b)->path;
	size_t i = 0;

	while (x[i] && x[i] == y[i])
		i++;
	if (x[i] == y[i])
		return 0;
	if (*x == '(' || *y == '(')
		return *x == '(' ? -1 : 1;
	if (!x[i] || !y[i])
		return x[i] ? 1 : -1;
	if (x[i] == '.' || y[i] == '.')
		return x[i] == '.' ? -1 : 1;
	return (unsigned char)x[i] < (unsigned char)y[i] ? -1 : 1;
}

/* The last part of a path, under as many blanks as it has parts before. */
static void put_name(struct table *table, const char *path, int deeper, const char *name)
{
	char text[160];
	int depth = *path == '(' ? 0 : 1;

	for (const char *c = path; *c; c++)
		depth += *c == '.';
	snprintf(text, sizeof(text), "%*s%s", depth + deeper, "", name);
	table_put(table, 0, text);
}

static const char *tail(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static void add_field(struct table *table, const struct ss_reference *reference, size_t row)
{
	const struct ss_config_field *f = &reference->fields[row];
	struct xbuf more = { 0 };
	char text[160];

	table_row(table, rows_reference_id(SS_TABLE_FIELDS, row), ' ');
	put_name(table, f->owner_path, 1, f->field);
	snprintf(text, sizeof(text), "= %s",
		 !f->default_value   ? "none"
		 : *f->default_value ? f->default_value
				     : "\"\"");
	table_put(table, 1, text);
	xbuf_printf(&more, "%s", f->type);
	if (f->allowed)
		xbuf_printf(&more, ", %s", f->allowed);
	if (f->unset_means)
		xbuf_printf(&more, "; unset: %s", f->unset_means);
	xbuf_printf(&more, "; of %s", f->owner_path);
	table_put(table, 2, xbuf_text(&more));
	xbuf_release(&more);
}

static void add_branch(struct table *table, const struct ss_reference *reference,
		       const struct branch *branch)
{
	const struct ss_config_owner *owner = &reference->owners[branch->owner];
	struct xbuf more = { 0 };

	table_row(table, rows_reference_id(SS_TABLE_OWNERS, branch->owner), ' ');
	put_name(table, branch->path, 0, tail(branch->path));
	table_put(table, 1, tail(owner->type));
	xbuf_puts(&more, branch->path);
	if (owner->paths.count > 1)
		xbuf_printf(&more, "; one type on %zu paths", owner->paths.count);
	xbuf_printf(&more, "; type: %s", owner->type);
	put_rest(table, reference, SS_TABLE_OWNERS, branch->owner, 2, &more);
	for (size_t i = 0; i < reference->field_count; i++)
		if (strcmp(reference->fields[i].owner_path, branch->path) == 0)
			add_field(table, reference, i);
}

static void add_tree(struct table *table, const struct ss_reference *reference)
{
	struct ss_names fields = ss_table_notices(reference, SS_TABLE_FIELDS);
	struct branch *branches = NULL;
	size_t count = 0, n = 0;

	for (size_t i = 0; i < reference->owner_count; i++)
		count += reference->owners[i].paths.count;
	if (!count)
		return;
	branches = xcalloc(count, sizeof(*branches));
	for (size_t i = 0; i < reference->owner_count; i++)
		for (size_t j = 0; j < reference->owners[i].paths.count; j++)
			branches[n++] = (struct branch){ reference->owners[i].paths.items[j], i };
	qsort(branches, count, sizeof(*branches), by_path);
	add_heading(table, reference, SS_TABLE_OWNERS);
	for (size_t i = 0; i < fields.count; i++)
		rows_notice(table, fields.items[i]);
	for (size_t i = 0; i < count; i++)
		add_branch(table, reference, &branches[i]);
	free(branches);
}

void rows_reference(struct table *table, const struct ss_reference *reference)
{
	struct ss_names notices = reference->notices[SS_NOTICE_REFERENCE];

	table_heading(table, "THE ARCHITECTURE REFERENCE");
	for (size_t i = 0; i < notices.count; i++)
		rows_notice(table, notices.items[i]);
	add_tree(table, reference);
	for (int t = 0; t < SS_TABLE_COUNT; t++)
		if (t != SS_TABLE_OWNERS && t != SS_TABLE_FIELDS)
			add_table(table, reference, (enum ss_table)t);
}

/* -- detail ------------------------------------------------------------------------------- */

/* Links of one kind stand under its name. */
struct listing {
	struct xbuf *out;
	char kind[32];
};

static void take_link(void *context, const char *kind, const char *text)
{
	struct listing *listing = context;

	if (strcmp(listing->kind, kind) != 0)
		xbuf_printf(listing->out, "\n%s\n", kind);
	snprintf(listing->kind, sizeof(listing->kind), "%s", kind);
	xbuf_printf(listing->out, "  %s\n", text);
}

bool rows_reference_detail(const struct ss_reference *reference, int id, struct xbuf *out)
{
	struct listing listing = { .out = out };
	enum ss_table table;
	size_t row;

	if (id < 0 || id >= SS_TABLE_COUNT * STRIDE)
		return false;
	table = (enum ss_table)(id / STRIDE);
	row = (size_t)(id % STRIDE);
	if (row >= ss_table_rows(reference, table))
		return false;
	for (size_t c = 0; c < ss_table_columns(table); c++) {
		char *cell = cell_of(reference, table, row, c);

		xbuf_printf(out, "%-15s %s\n", ss_table_column(table, c), *cell ? cell : "-");
		free(cell);
	}
	ss_table_links(reference, table, row, take_link, &listing);
	return true;
}
