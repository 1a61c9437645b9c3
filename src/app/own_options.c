#include "app/own_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *words, *help;
} rows[OWN_COUNT] = {
#define OWN_OPTION_ROW(id, name, words, help) [OWN_##id] = { name, words, help },
	OWN_OPTION_LIST(OWN_OPTION_ROW)
#undef OWN_OPTION_ROW
};

/* Which of the words apart by blanks; -1: none. */
static int word_index(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (int n = 0; *words; n++) {
		size_t here = strcspn(words, " ");

		if (here == len && !strncmp(words, word, len))
			return n;
		words += here + strspn(words + here, " ");
	}
	return -1;
}

const char *own_option(const struct own_options *options, enum own_option_id id, char *out,
		       size_t size)
{
	const char *words = rows[id].words;

	for (int n = options->values[id]; n > 0; n--)
		words += strcspn(words, " ") + 1;
	snprintf(out, size, "%.*s", (int)strcspn(words, " "), words);
	return out;
}

bool own_option_is(const struct own_options *options, enum own_option_id id, const char *word)
{
	return word_index(rows[id].words, word) == options->values[id];
}

bool own_option_set(struct own_options *options, enum own_option_id id, const char *word)
{
	int value = word_index(rows[id].words, word);

	if (value < 0)
		return false;
	options->values[id] = value;
	options->lines[id] = -1;
	return true;
}

/* -- the file ------------------------------------------------------------------------- */

/* Cut blanks at both ends. */
static char *trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

static enum ss_status unknown(const char *file, int number, const char *name, struct ss_error *err)
{
	struct xbuf known = { 0 };

	for (int i = 0; i < OWN_COUNT; i++)
		xbuf_printf(&known, "%s%s", i ? ", " : "", rows[i].name);
	ss_fail(err, SS_EDOCUMENT, file, "line %d: no option is called \"%.40s\"; there are %s",
		number, name, xbuf_text(&known));
	xbuf_release(&known);
	return SS_EDOCUMENT;
}

static enum ss_status read_line(struct own_options *options, char *line, int number,
				const char *file, struct ss_error *err)
{
	char *name, *value;
	int id = 0, which;

	line[strcspn(line, "#;")] = '\0';
	name = trim(line);
	if (!*name || !strcmp(name, "[explorer]"))
		return SS_OK;
	value = strchr(name, '=');
	if (!value)
		return ss_fail(err, SS_EDOCUMENT, file,
			       "line %d: NAME = VALUE, as mouse = on; got \"%.40s\"", number, name);
	*value++ = '\0';
	name = trim(name);
	value = trim(value);
	while (id < OWN_COUNT && strcmp(rows[id].name, name) != 0)
		id++;
	if (id == OWN_COUNT)
		return unknown(file, number, name, err);
	which = word_index(rows[id].words, value);
	if (which < 0)
		return ss_fail(err, SS_EDOCUMENT, file, "line %d: %s: one of %s; got \"%.40s\"",
			       number, name, rows[id].words, value);
	options->values[id] = which;
	options->lines[id] = number;
	return SS_OK;
}

enum ss_status own_options_read(struct own_options *options, const char *text, const char *file,
				struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (int number = 1; *text && !rc; number++) {
		size_t len = strcspn(text, "\n");
		char line[256];

		snprintf(line, sizeof(line), "%.*s", len > 255 ? 255 : (int)len, text);
		rc = read_line(options, line, number, file, err);
		text += len + (text[len] == '\n');
	}
	return rc;
}

void own_options_list(struct xbuf *out, const struct own_options *options, const char *file)
{
	xbuf_printf(out, "%s, lines of NAME = VALUE:\n\n", *file ? file : "no file");
	for (int i = 0; i < OWN_COUNT; i++) {
		char word[32], from[32] = "as it comes";

		if (options->lines[i] > 0)
			snprintf(from, sizeof(from), "line %d", options->lines[i]);
		else if (options->lines[i] < 0)
			snprintf(from, sizeof(from), "command line");
		xbuf_printf(out, "%-8s = %-12s %-13s %s\n", rows[i].name,
			    own_option(options, (enum own_option_id)i, word, sizeof(word)), from,
			    rows[i].help);
		xbuf_printf(out, "           one of %s\n", rows[i].words);
	}
}
