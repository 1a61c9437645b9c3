#include "import/python_literal.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32

struct scanner {
	const char *text;
	size_t length, at;
	unsigned depth;
	enum ss_status rc;
};

static cJSON *read_value(struct scanner *s);

static cJSON *fail(struct scanner *s, enum ss_status rc)
{
	if (!s->rc)
		s->rc = rc;
	return NULL;
}

/** The next byte, or 0 at the end. */
static char peek(const struct scanner *s)
{
	return s->at < s->length ? s->text[s->at] : '\0';
}

static void skip_blanks(struct scanner *s)
{
	while (s->at < s->length && (peek(s) == ' ' || peek(s) == '\t'))
		s->at++;
}

/** At the end of the text: what is open stays so. */
static bool is_at_end(const struct scanner *s)
{
	return s->at >= s->length;
}

static cJSON *made(struct scanner *s, cJSON *item)
{
	return item ? item : fail(s, SS_ENOMEM);
}

static cJSON *string_of(struct scanner *s, const char *text, size_t length)
{
	char *copy = strndup(text, length);
	cJSON *item = copy ? cJSON_CreateString(copy) : NULL;

	free(copy);
	return made(s, item);
}

/** A quoted string; of the escapes only those that a repr of plain text has. */
static cJSON *read_string(struct scanner *s)
{
	char quote = s->text[s->at++];
	size_t start = s->at, length = 0;
	char *copy = malloc(s->length - start + 1);
	cJSON *item;

	if (!copy)
		return fail(s, SS_ENOMEM);
	while (!is_at_end(s) && peek(s) != quote) {
		char c = s->text[s->at++];

		if (c == '\\' && !is_at_end(s)) {
			c = s->text[s->at++];
			if (c == 'n')
				c = '\n';
			else if (c == 't')
				c = '\t';
			else if (c != '\\' && c != '\'' && c != '"')
				copy[length++] = '\\';
		}
		copy[length++] = c ? c : '?';
	}
	if (is_at_end(s)) {
		free(copy);
		return fail(s, SS_EDOCUMENT);
	}
	s->at++;
	copy[length] = '\0';
	item = cJSON_CreateString(copy);
	free(copy);
	return made(s, item);
}

static char closer_of(char c)
{
	switch (c) {
	case '(':
		return ')';
	case '[':
		return ']';
	case '{':
		return '}';
	case '<':
		return '>';
	default:
		return '\0';
	}
}

/** Text that is no literal, to the comma or bracket that ends it. */
static cJSON *read_bare(struct scanner *s)
{
	char closers[DEPTH_MAX];
	size_t open = 0, start = s->at;

	while (!is_at_end(s)) {
		char c = peek(s);

		if (open && c == closers[open - 1]) {
			open--;
		} else if (!open && strchr(",)]}:", c)) {
			break;
		} else if (open < DEPTH_MAX && closer_of(c) && (c != '<' || s->at == start)) {
			closers[open++] = closer_of(c);
		} else if (c == '\'' || c == '"') {
			size_t end = s->at + 1;

			while (end < s->length && s->text[end] != c)
				end += s->text[end] == '\\' ? 2 : 1;
			s->at = end < s->length ? end : s->length - 1;
		}
		s->at++;
	}
	if (open)
		return fail(s, SS_EDOCUMENT);
	if (s->at == start)
		return fail(s, is_at_end(s) ? SS_EDOCUMENT : SS_EUSAGE);
	return string_of(s, s->text + start, s->at - start);
}

/** A word, a number, or what starts like one. */
static cJSON *read_atom(struct scanner *s)
{
	cJSON *item = read_bare(s);
	char *end = NULL;
	double number;

	if (!item)
		return NULL;
	if (!strcmp(item->valuestring, "True") || !strcmp(item->valuestring, "False")) {
		bool is_true = item->valuestring[0] == 'T';

		cJSON_Delete(item);
		return made(s, cJSON_CreateBool(is_true));
	}
	if (!strcmp(item->valuestring, "None")) {
		cJSON_Delete(item);
		return made(s, cJSON_CreateNull());
	}
	if (strspn(item->valuestring, "0123456789.-+eE") != strlen(item->valuestring))
		return item;
	number = strtod(item->valuestring, &end);
	if (end == item->valuestring || *end)
		return item;
	cJSON_Delete(item);
	return made(s, cJSON_CreateNumber(number));
}

static cJSON *read_list(struct scanner *s, char closer)
{
	cJSON *list = made(s, cJSON_CreateArray());

	s->at++;
	while (list && !s->rc) {
		cJSON *item;

		skip_blanks(s);
		if (peek(s) == closer)
			break;
		item = read_value(s);
		if (!item)
			break;
		cJSON_AddItemToArray(list, item);
		skip_blanks(s);
		if (peek(s) == ',')
			s->at++;
		else if (peek(s) != closer)
			fail(s, is_at_end(s) ? SS_EDOCUMENT : SS_EUSAGE);
	}
	if (s->rc) {
		cJSON_Delete(list);
		return NULL;
	}
	s->at++;
	return list;
}

/** Name of a dict's key; the caller frees it. */
static char *read_key(struct scanner *s, char separator)
{
	cJSON *key;
	char *name = NULL;
	size_t start;

	skip_blanks(s);
	if (separator == '=') {
		start = s->at;
		while (!is_at_end(s) && !strchr("=,)}] \n", peek(s)))
			s->at++;
		if (s->at > start && peek(s) == '=')
			name = strndup(s->text + start, s->at - start);
		else
			fail(s, is_at_end(s) ? SS_EDOCUMENT : SS_EUSAGE);
		return name;
	}
	key = read_value(s);
	if (key && cJSON_IsString(key))
		name = strdup(key->valuestring);
	else if (key && cJSON_IsNumber(key))
		name = cJSON_PrintUnformatted(key);
	else if (key)
		fail(s, SS_EUSAGE);
	cJSON_Delete(key);
	if (!name)
		fail(s, SS_ENOMEM);
	skip_blanks(s);
	return name;
}

/** Does `name=` stand here? Pairs without brackets end where none does. */
static bool is_name_ahead(const struct scanner *s)
{
	size_t end = s->at;

	while (end < s->length && (s->text[end] == '_' || isalnum((unsigned char)s->text[end])))
		end++;
	return end > s->at && end < s->length && s->text[end] == '=';
}

/** Pairs up to `closer` (0: to the end of what looks like pairs). */
static cJSON *read_pairs(struct scanner *s, char separator, char closer)
{
	cJSON *object = made(s, cJSON_CreateObject());

	while (object && !s->rc) {
		char *key;
		cJSON *item;

		skip_blanks(s);
		if (closer ? peek(s) == closer : !is_name_ahead(s))
			break;
		key = read_key(s, separator);
		if (!key)
			break;
		if (peek(s) != separator) {
			free(key);
			fail(s, is_at_end(s) ? SS_EDOCUMENT : SS_EUSAGE);
			break;
		}
		s->at++;
		item = read_value(s);
		cJSON_DeleteItemFromObjectCaseSensitive(object, key);
		if (item && !cJSON_AddItemToObject(object, key, item)) {
			cJSON_Delete(item);
			fail(s, SS_ENOMEM);
		}
		free(key);
		skip_blanks(s);
		if (!s->rc && peek(s) == ',')
			s->at++;
		else if (!s->rc && !closer)
			break;
		else if (!s->rc && peek(s) != closer)
			fail(s, is_at_end(s) ? SS_EDOCUMENT : SS_EUSAGE);
	}
	if (s->rc) {
		cJSON_Delete(object);
		return NULL;
	}
	if (closer)
		s->at++;
	return object;
}

static cJSON *read_value(struct scanner *s)
{
	cJSON *item = NULL;

	skip_blanks(s);
	if (is_at_end(s))
		return fail(s, SS_EDOCUMENT);
	if (++s->depth > DEPTH_MAX)
		return fail(s, SS_EUSAGE);
	switch (peek(s)) {
	case '{':
		s->at++;
		item = read_pairs(s, ':', '}');
		break;
	case '[':
		item = read_list(s, ']');
		break;
	case '(':
		item = read_list(s, ')');
		break;
	case '\'':
	case '"':
		item = read_string(s);
		break;
	default:
		item = read_atom(s);
		break;
	}
	s->depth--;
	return item;
}

enum ss_status python_object_read(cJSON **out, size_t *used, const char *text, size_t length)
{
	static const char call[] = "Namespace(";
	struct scanner s = { .text = text, .length = length };
	cJSON *object;

	if (length >= sizeof(call) - 1 && !memcmp(text, call, sizeof(call) - 1)) {
		s.at = sizeof(call) - 1;
		object = read_pairs(&s, '=', ')');
	} else if (peek(&s) == '{') {
		s.at = 1;
		object = read_pairs(&s, ':', '}');
	} else {
		object = read_pairs(&s, '=', '\0');
	}
	if (!object)
		return s.rc ? s.rc : SS_EUSAGE;
	*out = object;
	*used = s.at;
	return SS_OK;
}
