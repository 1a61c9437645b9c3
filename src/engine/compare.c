/* What differs between two references, row by row and cell by cell. */
#include <stdlib.h>
#include <string.h>

#include "documents/buf.h"
#include "stepscope/engine.h"

/* One side: rows of a table sorted by their key. */
struct side {
	const struct ss_reference *reference;
	struct keyed {
		char *key;
		size_t row;
	} * rows;
	size_t count;
};

/* One comparison under way. */
struct comparing {
	struct ss_comparison *out;
	struct buf text;
	struct side from;
	struct side to;
	enum ss_table table;
	size_t columns;
};

static void add_cell(struct buf *buf, const struct ss_reference *r, enum ss_table table, size_t row,
		     size_t column)
{
	size_t length = ss_table_cell(NULL, 0, r, table, row, column);
	char *text = malloc(length + 1);

	if (!text) {
		buf->is_out_of_memory = true;
		return;
	}
	ss_table_cell(text, length + 1, r, table, row, column);
	buf_add(buf, text, length);
	free(text);
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;

	return strcmp(x->key, y->key);
}

static void side_release(struct side *side)
{
	for (size_t i = 0; i < side->count; i++)
		free(side->rows[i].key);
	free(side->rows);
	side->rows = NULL;
	side->count = 0;
}

static bool side_fill(struct side *side, enum ss_table table)
{
	size_t count = ss_table_rows(side->reference, table);

	side->count = 0;
	side->rows = calloc(count + 1, sizeof(*side->rows));
	for (size_t i = 0; side->rows && i < count; i++) {
		struct buf key = { 0 };

		for (size_t j = 0; j < ss_table_key_columns(table); j++) {
			buf_text(&key, j ? " " : "");
			add_cell(&key, side->reference, table, i, j);
		}
		side->rows[i] = (struct keyed){ buf_take(&key, NULL), i };
		if (!side->rows[i].key)
			return false;
		side->count++;
	}
	if (side->rows)
		qsort(side->rows, count, sizeof(*side->rows), by_key);
	return side->rows != NULL;
}

/* Is a number list `inner` part of `outer`? An empty list limits nothing. */
static bool is_part(const struct ss_numbers *inner, const struct ss_numbers *outer)
{
	if (outer->count == 0)
		return true;
	for (size_t i = 0; i < inner->count; i++) {
		bool is_in = false;

		for (size_t j = 0; j < outer->count; j++)
			is_in = is_in || inner->items[i] == outer->items[j];
		if (!is_in)
			return false;
	}
	return inner->count > 0;
}

static const char *list_change(const struct ss_numbers *from, const struct ss_numbers *to)
{
	if (is_part(to, from))
		return "tightened";
	return is_part(from, to) ? "loosened" : "changed";
}

static const char *bound_change(bool is_tighter)
{
	return is_tighter ? "tightened" : "loosened";
}

/* A multiple of the old divisor admits less; one of neither is another limit. */
static const char *divisor_change(int64_t from, int64_t to)
{
	if (from > 0 && to % from == 0)
		return "tightened";
	return to > 0 && from % to == 0 ? "loosened" : "changed";
}

/* Does a changed limit admit less or more? NULL for what is no limit. */
static const char *route_change(const struct ss_attention_route *from,
				const struct ss_attention_route *to, const char *column)
{
	if (strcmp(column, "head_dims") == 0)
		return list_change(&from->head_dims, &to->head_dims);
	if (strcmp(column, "gqa_ratios") == 0)
		return list_change(&from->gqa_ratios, &to->gqa_ratios);
	if (strcmp(column, "page_sizes") == 0)
		return list_change(&from->page_sizes, &to->page_sizes);
	if (strcmp(column, "chunk_sizes") == 0)
		return list_change(&from->chunk_sizes, &to->chunk_sizes);
	if (strcmp(column, "min_chunk") == 0)
		return bound_change(to->min_chunk > from->min_chunk);
	if (strcmp(column, "max_chunk") == 0)
		return bound_change(from->max_chunk < 0 ||
				    (to->max_chunk >= 0 && to->max_chunk < from->max_chunk));
	if (strcmp(column, "page_alignment") == 0)
		return divisor_change(from->page_alignment, to->page_alignment);
	if (strcmp(column, "chunk_alignment") == 0)
		return divisor_change(from->chunk_alignment, to->chunk_alignment);
	return NULL;
}

static void note_moved(struct comparing *c, const char *path, const struct ss_reference *other,
		       const char *direction)
{
	const struct ss_config_owner *owner = ss_reference_owner(other, path);

	if (owner)
		buf_printf(&c->text, " (moved %s %s)", direction, owner->type);
}

static bool path_is_in(const struct ss_names *names, const char *path)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], path) == 0)
			return true;
	return false;
}

/* An owner has many paths: only those that came or went are shown. */
static void put_paths(struct comparing *c, size_t from_row, size_t to_row)
{
	const struct ss_names *from = &c->from.reference->owners[from_row].paths;
	const struct ss_names *to = &c->to.reference->owners[to_row].paths;
	size_t shown = 0;

	for (size_t i = 0; i < from->count; i++) {
		if (path_is_in(to, from->items[i]))
			continue;
		buf_printf(&c->text, "-  path: %s", from->items[i]);
		note_moved(c, from->items[i], c->to.reference, "to");
		buf_char(&c->text, '\n');
		shown++;
	}
	for (size_t i = 0; i < to->count; i++) {
		if (path_is_in(from, to->items[i]))
			continue;
		buf_printf(&c->text, "+  path: %s", to->items[i]);
		note_moved(c, to->items[i], c->from.reference, "from");
		buf_char(&c->text, '\n');
		shown++;
	}
	if (shown == 0)
		buf_text(&c->text, "   paths: the same, in another order\n");
}

static void put_change(struct comparing *c, size_t from_row, size_t to_row, size_t column,
		       const char *from, const char *to)
{
	const char *name = ss_table_column(c->table, column);
	const char *change = NULL;

	if (c->table == SS_TABLE_OWNERS && strcmp(name, "paths") == 0) {
		put_paths(c, from_row, to_row);
		return;
	}
	if (c->table == SS_TABLE_ROUTES)
		change = route_change(&c->from.reference->routes[from_row],
				      &c->to.reference->routes[to_row], name);
	buf_printf(&c->text, "-  %s: %s\n+  %s: %s%s%s%s\n", name, from[0] ? from : "(none)", name,
		   to[0] ? to : "(none)", change ? " (" : "", change ? change : "",
		   change ? ")" : "");
}

static void compare_row(struct comparing *c, const struct keyed *from, const struct keyed *to)
{
	bool has_changed = false;

	for (size_t i = ss_table_key_columns(c->table); i < c->columns; i++) {
		struct buf a = { 0 };
		struct buf b = { 0 };

		buf_text(&a, "");
		buf_text(&b, "");
		add_cell(&a, c->from.reference, c->table, from->row, i);
		add_cell(&b, c->to.reference, c->table, to->row, i);
		if (a.is_out_of_memory || b.is_out_of_memory) {
			c->text.is_out_of_memory = true;
		} else if (strcmp(a.data, b.data) != 0) {
			if (!has_changed)
				buf_printf(&c->text, " %s\n", from->key);
			has_changed = true;
			put_change(c, from->row, to->row, i, a.data, b.data);
		}
		buf_release(&a);
		buf_release(&b);
	}
	c->out->changed += has_changed;
}

static void merge_rows(struct comparing *c)
{
	size_t i = 0;
	size_t j = 0;

	while (i < c->from.count || j < c->to.count) {
		const struct keyed *from = i < c->from.count ? &c->from.rows[i] : NULL;
		const struct keyed *to = j < c->to.count ? &c->to.rows[j] : NULL;
		int order = !from ? 1 : !to ? -1 : strcmp(from->key, to->key);

		if (order < 0) {
			buf_printf(&c->text, "-%s\n", from->key);
			c->out->removed++;
			i++;
		} else if (order > 0) {
			buf_printf(&c->text, "+%s\n", to->key);
			c->out->added++;
			j++;
		} else {
			compare_row(c, from, to);
			i++;
			j++;
		}
	}
}

/* Rows of one table; the heading of its part is set in front when any differ. */
static bool compare_table(struct comparing *c)
{
	struct ss_comparison before = *c->out;
	struct buf all = c->text;
	char *rows;

	c->text = (struct buf){ 0 };
	if (side_fill(&c->from, c->table) && side_fill(&c->to, c->table))
		merge_rows(c);
	else
		c->text.is_out_of_memory = true;
	side_release(&c->from);
	side_release(&c->to);
	rows = buf_take(&c->text, NULL);
	c->text = all;
	if (!rows)
		return false;
	if (rows[0]) {
		buf_printf(&c->text, "@@ %s: %zu added, %zu removed, %zu changed @@\n",
			   ss_table_title(c->table), c->out->added - before.added,
			   c->out->removed - before.removed, c->out->changed - before.changed);
		buf_text(&c->text, rows);
	}
	free(rows);
	return true;
}

/* A table that one side does not have is not compared. */
static bool is_compared(const struct comparing *c, enum ss_table table, enum ss_compare_scope scope)
{
	if (table < SS_TABLE_FIELDS)
		return true;
	return scope == SS_COMPARE_ALL && ss_table_rows(c->from.reference, table) > 0 &&
	       ss_table_rows(c->to.reference, table) > 0;
}

static bool has_native_names(const struct ss_reference *r)
{
	for (size_t i = 0; i < r->binding_count; i++)
		if (r->bindings[i].native_name)
			return true;
	return false;
}

/* Native names stand in the last column, which Markdown has not. */
static size_t compared_columns(const struct comparing *c, enum ss_table table,
			       enum ss_compare_scope scope)
{
	size_t count = ss_table_columns(table);

	if (table == SS_TABLE_BINDINGS &&
	    (scope == SS_COMPARE_TABLES || !has_native_names(c->from.reference) ||
	     !has_native_names(c->to.reference)))
		count--;
	return count;
}

enum ss_status ss_reference_compare(struct ss_comparison *out, const struct ss_reference *from,
				    const char *from_name, const struct ss_reference *to,
				    const char *to_name, enum ss_compare_scope scope)
{
	struct comparing c = { .out = out,
			       .from = { .reference = from },
			       .to = { .reference = to } };
	bool is_done = true;

	*out = (struct ss_comparison){ 0 };
	buf_printf(&c.text, "--- %s\n+++ %s\n", from_name, to_name);
	for (int i = 0; is_done && i < SS_TABLE_COUNT; i++) {
		c.table = (enum ss_table)i;
		c.columns = compared_columns(&c, c.table, scope);
		if (is_compared(&c, c.table, scope))
			is_done = compare_table(&c);
	}
	if (out->added + out->removed + out->changed == 0)
		buf_clear(&c.text);
	out->text = is_done ? buf_take(&c.text, NULL) : NULL;
	if (out->text)
		return SS_OK;
	buf_release(&c.text);
	*out = (struct ss_comparison){ 0 };
	return SS_ENOMEM;
}
