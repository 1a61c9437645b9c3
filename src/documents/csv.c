#include "documents/csv.h"

#include <string.h>

void csv_init(struct csv *csv, char *text)
{
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	*csv = (struct csv){ .at = text, .next = 1 };
}

static bool is_end(char c)
{
	return c == '\0' || c == '\n' || c == '\r';
}

/** Past the end of a line, however it is written. */
static void skip_end(struct csv *csv)
{
	if (!*csv->at)
		return;
	csv->at += csv->at[0] == '\r' && csv->at[1] == '\n' ? 2 : 1;
	csv->next++;
}

static bool skip_empty_lines(struct csv *csv)
{
	for (;;) {
		size_t blanks = strspn(csv->at, " \t");

		if (!is_end(csv->at[blanks]))
			return true;
		csv->at += blanks;
		if (!*csv->at)
			return false;
		skip_end(csv);
	}
}

/** What stands in quotes, moved to `to`; leaves `at` behind the closing one. */
static char *read_quoted(struct csv *csv, char *to, bool *is_open)
{
	for (csv->at++; *csv->at; csv->at++) {
		if (*csv->at == '"' && csv->at[1] != '"') {
			csv->at++;
			return to;
		}
		csv->at += *csv->at == '"';
		csv->next += *csv->at == '\n';
		*to++ = *csv->at;
	}
	*is_open = true;
	return to;
}

/** One cell, without the blanks around it, closed with NUL; `ending` is what stood there. */
static char *read_cell(struct csv *csv, char *ending, bool *is_open)
{
	char *cell, *to;

	csv->at += strspn(csv->at, " \t");
	cell = to = csv->at;
	if (*csv->at == '"') {
		to = read_quoted(csv, to, is_open);
		while (!is_end(*csv->at) && *csv->at != ',')
			*to++ = *csv->at++;
	} else {
		while (!is_end(*csv->at) && *csv->at != ',')
			csv->at++;
		to = csv->at;
	}
	while (to > cell && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	*ending = *csv->at;
	if (*ending == ',')
		csv->at++;
	else
		skip_end(csv);
	*to = '\0';
	return cell;
}

size_t csv_next(struct csv *csv, char *cells[CSV_CELLS_MAX], bool *is_open)
{
	size_t count = 0;
	char ending = ',';

	*is_open = false;
	if (!skip_empty_lines(csv))
		return 0;
	csv->line = csv->next;
	while (ending == ',') {
		char *cell = read_cell(csv, &ending, is_open);

		if (count < CSV_CELLS_MAX)
			cells[count] = cell;
		count++;
	}
	return count;
}
