#include "engine/import.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "documents/clean.h"
#include "documents/json.h"

enum { NO_SECTION = MARKDOWN_SECTIONS };

/* Where the lines have led so far. */
struct scan {
	struct importer *importer;
	bool has_header;    /* of the section's table */
	size_t section;     /* table, or NO_SECTION */
	size_t line;        /* of the text, from 1 */
	struct buf current; /* the line, cells cut in place */
	struct buf first;   /* first cell of a row that broke after it */
	size_t first_line;  /* 0: no such cell waits */
	struct buf slugs;   /* anchors of headings, each ending in a newline */
	struct buf anchors; /* `line slug` of links within the file */
};

const char import_form[] = "syntax";
const char import_value[] = "range";

void import_fault(struct importer *importer, const char *code, size_t line, const char *format, ...)
{
	char message[512];
	char where[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	importer->errors++;
	if (line > 0)
		snprintf(where, sizeof(where), "%s:%zu", importer->file, line);
	else
		snprintf(where, sizeof(where), "%s", importer->file);
	ss_problems_add(importer->problems, SS_ERROR, code, where, "", "%s", message);
}

static char *trim(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* The text of `[text](target)`; an anchor within the file is noted. */
static const char *link_text(struct scan *scan, const char *from, char **to)
{
	const char *middle = strstr(from, "](");
	const char *end = middle ? strchr(middle, ')') : NULL;

	if (!end || memchr(from + 1, '[', (size_t)(middle - from) - 1))
		return NULL;
	memmove(*to, from + 1, (size_t)(middle - from) - 1);
	*to += middle - from - 1;
	if (middle[2] == '#')
		buf_printf(&scan->anchors, "%zu %.*s\n", scan->line, (int)(end - middle - 3),
			   middle + 3);
	return end + 1;
}

/* Take links, code marks and escapes off, in place. */
static char *plain(struct scan *scan, char *cell)
{
	const char *from = trim(cell);
	char *to = cell;

	while (*from) {
		const char *after = *from == '[' ? link_text(scan, from, &to) : NULL;

		if (after) {
			from = after;
			continue;
		}
		if (*from == '\\' && ispunct((unsigned char)from[1]))
			from++;
		else if (*from == '`') {
			from++;
			continue;
		}
		*to++ = *from++;
	}
	*to = '\0';
	return trim(cell);
}

/* Cut the line at its pipes. False when there are more cells than any row has. */
static bool split_cells(char *text, struct import_row *row)
{
	char *start = text;

	row->count = 0;
	for (char *at = text;; at++) {
		bool is_end = *at == '\0';

		if (*at == '\\' && at[1]) {
			at++;
			continue;
		}
		if (!is_end && *at != '|')
			continue;
		if (is_end && !trim(start)[0])
			return true; /* what follows the last pipe */
		if (row->count == IMPORT_CELLS_MAX)
			return false;
		*at = '\0';
		row->cells[row->count++] = start;
		if (is_end)
			return true;
		start = at + 1;
	}
}

static void drop_first(struct scan *scan)
{
	if (scan->first_line > 0)
		import_fault(scan->importer, import_form, scan->first_line,
			     "row `%.80s` has no cells after its first", scan->first.data);
	scan->first_line = 0;
}

static bool is_separator(const struct import_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (row->cells[i][strspn(row->cells[i], "-: ")] || !strchr(row->cells[i], '-'))
			return false;
	return row->count > 0;
}

static void check_header(struct scan *scan, const struct import_row *row)
{
	enum ss_table table = (enum ss_table)scan->section;

	scan->has_header = true;
	for (size_t i = 0; i < markdown_columns(table); i++) {
		if (i < row->count && strcmp(row->cells[i], markdown_column(table, i)) == 0)
			continue;
		import_fault(scan->importer, import_form, scan->line,
			     "column %zu of the heading must be `%s`", i + 1,
			     markdown_column(table, i));
		return;
	}
}

static void wrong_count(struct scan *scan, size_t line, size_t has, size_t wants)
{
	if (has < wants)
		import_fault(scan->importer, import_form, line,
			     "row has %zu cells of %zu: a cell is missing", has, wants);
	else
		import_fault(scan->importer, import_form, line,
			     "row has %zu cells, not %zu: are two rows on one line?", has, wants);
}

static void whole_row(struct scan *scan, struct import_row *row)
{
	enum ss_table table = (enum ss_table)scan->section;
	size_t wants = markdown_columns(table);

	for (size_t i = 0; i < row->count; i++)
		row->cells[i] = plain(scan, row->cells[i]);
	if (!scan->has_header)
		check_header(scan, row);
	else if (is_separator(row))
		return;
	else if (row->count != wants)
		wrong_count(scan, scan->line, row->count, wants);
	else
		import_row(scan->importer, table, row);
}

/* In flattened text an empty lifecycle cell is left out, or its place is
 * taken by the source and an empty cell follows. */
static void restore_lifecycle(struct import_row *row)
{
	bool is_dropped = row->count == 3;
	bool is_shifted = row->count == 4 && !row->cells[3][0];

	if ((is_dropped || is_shifted) && !strstr(row->cells[2], ": ")) {
		row->cells[3] = row->cells[2];
		row->cells[2] += strlen(row->cells[2]);
		row->count = 4;
	}
}

static void broken_row(struct scan *scan, struct import_row *row)
{
	enum ss_table table = (enum ss_table)scan->section;
	size_t wants = markdown_columns(table);
	size_t line = scan->first_line;

	scan->first_line = 0;
	if (row->count + 1 > IMPORT_CELLS_MAX) {
		wrong_count(scan, scan->line, row->count + 1, wants);
		return;
	}
	memmove(row->cells + 1, row->cells, row->count * sizeof(row->cells[0]));
	row->cells[0] = scan->first.data;
	row->count++;
	for (size_t i = 0; i < row->count; i++)
		row->cells[i] = plain(scan, row->cells[i]);
	if (table == SS_TABLE_OWNERS)
		restore_lifecycle(row);
	row->line = row->count < wants ? line : scan->line;
	if (row->count != wants)
		wrong_count(scan, row->line, row->count, wants);
	else
		import_row(scan->importer, table, row);
}

/* The text after the last pipe is cut off by split_cells() when it is empty,
 * so a shifted row still has its empty last cell. */
static void table_line(struct scan *scan, char *text)
{
	struct import_row row = { .line = scan->line };
	bool is_whole = *text == '|';

	if (!split_cells(text + is_whole, &row)) {
		import_fault(scan->importer, import_form, scan->line, "line has more than %d cells",
			     IMPORT_CELLS_MAX);
		scan->first_line = 0;
		return;
	}
	if (is_whole) {
		drop_first(scan);
		whole_row(scan, &row);
	} else if (scan->first_line > 0) {
		broken_row(scan, &row);
	} else if (row.count == 1 && trim(row.cells[0])[0]) {
		buf_clear(&scan->first);
		buf_text(&scan->first, trim(row.cells[0]));
		scan->first_line = scan->line;
	} else {
		import_fault(scan->importer, import_form, scan->line,
			     "row does not start with a pipe and follows no first cell: are two "
			     "lines merged?");
	}
}

static size_t section_of(const char *title)
{
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++)
		if (strcasecmp(title, ss_table_title((enum ss_table)i)) == 0)
			return i;
	return NO_SECTION;
}

static void enter_section(struct scan *scan, size_t section)
{
	size_t *line = &scan->importer->heading_line[section];

	if (*line > 0)
		import_fault(scan->importer, import_form, scan->line,
			     "section `%s` stands twice, first on line %zu",
			     ss_table_title((enum ss_table)section), *line);
	else
		*line = scan->line;
	scan->section = section;
	scan->has_header = false;
}

/* Links of a line that is no table row. */
static void prose_line(struct scan *scan, char *text)
{
	drop_first(scan);
	plain(scan, text);
}

static void heading_line(struct scan *scan, char *title, bool is_marked)
{
	size_t section = section_of(title);

	drop_first(scan);
	markdown_slug(&scan->slugs, title, strlen(title));
	buf_char(&scan->slugs, '\n');
	if (section != NO_SECTION)
		enter_section(scan, section);
	else if (is_marked)
		scan->section = NO_SECTION;
}

static void one_line(struct scan *scan, char *text)
{
	bool is_marked;

	text = trim(text);
	is_marked = *text == '#';
	if (is_marked)
		text = trim(text + strspn(text, "#"));
	if (!*text)
		drop_first(scan);
	else if (is_marked || section_of(text) != NO_SECTION)
		heading_line(scan, text, is_marked);
	else if (strchr(text, '|') && scan->section != NO_SECTION)
		table_line(scan, text);
	else if (*text == '|')
		import_fault(scan->importer, import_form, scan->line,
			     "table row outside the four sections");
	else
		prose_line(scan, text);
}

/* Control bytes and what is no UTF-8 become question marks, so that neither
 * reaches a screen or a document. */
static void take_line(struct scan *scan, const char *text, size_t length)
{
	char *at;
	char *end;

	buf_clear(&scan->current);
	buf_add(&scan->current, text, length);
	if (scan->current.is_out_of_memory)
		return;
	at = scan->current.data;
	end = at + length;
	while (at < end) {
		size_t n = utf8_length(at, end);

		if (*at == '\t' || *at == '\r')
			*at = ' ';
		else if (n == 0 || *at == '\0')
			*at = '?';
		at += n > 0 ? n : 1;
	}
	clean_text(scan->current.data);
}

static void counted_line(struct scan *scan)
{
	size_t before = scan->importer->errors;
	size_t section = scan->section;

	one_line(scan, scan->current.data);
	if (section != NO_SECTION)
		scan->importer->errors_in[section] += scan->importer->errors - before;
}

static void check_anchors(struct scan *scan)
{
	char *at = scan->anchors.data;

	while (at && *at) {
		char *end = strchr(at, '\n');
		char *slug = strchr(at, ' ');
		size_t length = (size_t)(end - slug - 1);
		const char *known = scan->slugs.data;
		bool is_found = false;

		while (known && *known && !is_found) {
			size_t n = strcspn(known, "\n");

			is_found = n == length && strncmp(known, slug + 1, n) == 0;
			known += n + (known[n] == '\n');
		}
		if (!is_found)
			import_fault(scan->importer, import_value, (size_t)strtoull(at, NULL, 10),
				     "link to `#%.*s` leads to no heading", (int)length, slug + 1);
		at = end + 1;
	}
}

static void scan_lines(struct importer *importer, const char *text, size_t length)
{
	struct scan scan = { .importer = importer, .section = NO_SECTION };
	const char *end = text + length;

	while (text < end && importer->errors < SS_PROBLEMS_MAX && !importer->is_out_of_memory) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop ? stop : end) - text);

		scan.line++;
		take_line(&scan, text, n);
		if (!scan.current.is_out_of_memory)
			counted_line(&scan);
		text += n + (stop != NULL);
		importer->is_out_of_memory |=
			scan.current.is_out_of_memory || scan.first.is_out_of_memory ||
			scan.slugs.is_out_of_memory || scan.anchors.is_out_of_memory;
	}
	drop_first(&scan);
	check_anchors(&scan);
	buf_release(&scan.current);
	buf_release(&scan.first);
	buf_release(&scan.slugs);
	buf_release(&scan.anchors);
}

static void check_sections(struct importer *importer)
{
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++) {
		const char *title = ss_table_title((enum ss_table)i);

		if (importer->heading_line[i] == 0)
			import_fault(importer, import_form, 0, "section `%s` is missing", title);
		else if (importer->rows[i] == 0 && importer->errors_in[i] == 0)
			import_fault(importer, import_form, importer->heading_line[i],
				     "section `%s` has no rows", title);
	}
}

/* A pointer `/table/row/key` of the pack is a line of the text, and a key of its row ("" without).
 */
static size_t line_of_pointer(const struct importer *importer, const char *pointer,
			      const char **key)
{
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++) {
		const char *name = ss_table_name((enum ss_table)i);
		size_t n = strlen(name);
		char *end = NULL;
		size_t row;

		if (pointer[0] != '/' || strncmp(pointer + 1, name, n) != 0 ||
		    pointer[n + 1] != '/')
			continue;
		row = (size_t)strtoull(pointer + n + 2, &end, 10);
		*key = end + (*end == '/');
		if (row < importer->rows[i])
			return importer->lines[i][row];
	}
	*key = "";
	return 0;
}

static cJSON *make_root(struct importer *importer, const char *name, const char *version)
{
	static const char *const absent[] = { "config_fields", "defaults", "gdn_prefill",
					      "lists",         "notices",  "moe_selection",
					      "route_order",   "tables",   "weight_formats",
					      "xqa_rules" };
	cJSON *root = cJSON_CreateObject();
	bool is_made = root && cJSON_AddStringToObject(root, "kind", "EnginePack") &&
		       cJSON_AddStringToObject(root, "name", name) &&
		       cJSON_AddStringToObject(root, "version", version);

	for (size_t i = 0; is_made && i < sizeof(absent) / sizeof(absent[0]); i++)
		is_made = cJSON_AddNullToObject(root, absent[i]) != NULL;
	for (size_t i = 0; is_made && i < MARKDOWN_SECTIONS; i++) {
		is_made = cJSON_AddItemToObject(root, ss_table_name((enum ss_table)i),
						importer->lists[i]);
		if (is_made)
			importer->lists[i] = NULL;
	}
	if (is_made)
		return root;
	cJSON_Delete(root);
	importer->is_out_of_memory = true;
	return NULL;
}

/* The pack's own checks, told by line. */
static enum ss_status check_pack(struct ss_reference **out, struct importer *importer,
				 const char *name, const char *version)
{
	struct ss_problems found = { 0 };
	enum ss_status rc;
	cJSON *root = make_root(importer, name, version);

	if (!root)
		return SS_ENOMEM;
	rc = ss_reference_from_json(out, root, importer->file, &found);
	for (size_t i = 0; i < found.count; i++) {
		const char *key;
		size_t line = line_of_pointer(importer, found.items[i].pointer, &key);

		import_fault(importer, found.items[i].code, line, "%s%s%s", key, *key ? ": " : "",
			     found.items[i].message);
	}
	ss_problems_release(&found);
	return rc;
}

/* Rows name codecs: with those in doubt the pack's checks would blame them. */
static bool is_worth_checking(const struct importer *importer)
{
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++)
		if (importer->rows[i] == 0)
			return false;
	return importer->errors_in[SS_TABLE_CODECS] == 0;
}

enum ss_status ss_reference_import(struct ss_reference **out, const char *text, size_t length,
				   const char *name, const char *version, const char *file,
				   struct ss_problems *problems)
{
	struct importer importer = { .file = file, .problems = problems };
	struct ss_reference *made = NULL;
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++) {
		importer.lists[i] = cJSON_CreateArray();
		importer.is_out_of_memory |= !importer.lists[i];
	}
	if (!importer.is_out_of_memory) {
		scan_lines(&importer, text, length);
		check_sections(&importer);
	}
	if (!importer.is_out_of_memory && is_worth_checking(&importer))
		rc = check_pack(&made, &importer, name, version);
	if (importer.is_out_of_memory)
		rc = SS_ENOMEM;
	else if (!rc && importer.errors > 0)
		rc = SS_EDOCUMENT;
	for (size_t i = 0; i < MARKDOWN_SECTIONS; i++) {
		cJSON_Delete(importer.lists[i]);
		free(importer.lines[i]);
	}
	if (rc)
		ss_reference_free(made);
	else
		*out = made;
	return rc;
}
