/* Looking things up in a reference, and reading settings through it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/condition.h"
#include "stepscope/engine.h"

const struct ss_config_owner *ss_reference_owner(const struct ss_reference *reference,
						 const char *path)
{
	for (size_t i = 0; i < reference->owner_count; i++)
		if (names_have(&reference->owners[i].paths, path))
			return &reference->owners[i];
	return NULL;
}

const struct ss_attention_route *ss_reference_route(const struct ss_reference *reference,
						    const char *name)
{
	for (size_t i = 0; i < reference->route_count; i++)
		if (reference->routes[i].name && strcmp(reference->routes[i].name, name) == 0)
			return &reference->routes[i];
	return NULL;
}

const struct ss_kv_codec *ss_codec_by_symbol(const struct ss_reference *reference,
					     const char *symbol)
{
	for (size_t i = 0; i < reference->codec_count; i++)
		if (reference->codecs[i].symbol && strcmp(reference->codecs[i].symbol, symbol) == 0)
			return &reference->codecs[i];
	return NULL;
}

const struct ss_kv_codec *ss_codec_resolve(const struct ss_reference *reference,
					   const char *cache_dtype)
{
	const char *wanted = cache_dtype ? cache_dtype : "auto";

	for (size_t i = 0; i < reference->codec_count; i++)
		if (names_have(&reference->codecs[i].aliases, wanted))
			return &reference->codecs[i];
	return NULL;
}

const struct ss_weight_format *ss_weight_format_find(const struct ss_reference *reference,
						     const char *name)
{
	for (size_t i = 0; i < reference->format_count; i++)
		if (strcmp(reference->formats[i].name, name) == 0 ||
		    names_have(&reference->formats[i].aliases, name))
			return &reference->formats[i];
	return NULL;
}

/* The row of `field` under `owner`, where both are given as lengths of a path. */
static const struct ss_config_field *field_of(const struct ss_reference *r, const char *owner,
					      size_t owner_length, const char *field)
{
	const struct ss_config_field *open = NULL;

	for (size_t i = 0; i < r->field_count; i++) {
		const struct ss_config_field *row = &r->fields[i];

		/* most rows differ here, and paths share long beginnings */
		if (row->field[0] != field[0] && row->field[0] != '*')
			continue;
		if (!row->owner_path || strncmp(row->owner_path, owner, owner_length) != 0 ||
		    row->owner_path[owner_length] != '\0')
			continue;
		if (strcmp(row->field, field) == 0)
			return row;
		if (strcmp(row->field, "*") == 0)
			open = row;
	}
	return open;
}

const struct ss_config_field *ss_reference_field(const struct ss_reference *reference,
						 const char *path)
{
	static const char root[] = "(root)";
	const char *dot = strrchr(path, '.');
	const struct ss_config_field *row;

	row = dot ? field_of(reference, path, (size_t)(dot - path), dot + 1)
		  : field_of(reference, root, sizeof(root) - 1, path);
	/* a chain of owners that stand for each other cannot be longer than the table */
	for (size_t i = 0; row && strcmp(row->type, "same_as") == 0 && i < reference->field_count;
	     i++)
		row = field_of(reference, row->default_value, strlen(row->default_value),
			       dot ? dot + 1 : path);
	return row;
}

const char *ss_setting_text(const struct ss_reference *reference,
			    const struct ss_settings *settings, const char *name)
{
	bool is_path = strchr(name, '.') != NULL;
	const struct ss_config_field *field;
	const char *stated = NULL;

	if (settings && is_path && settings->option)
		stated = settings->option(settings->context, name);
	if (settings && !is_path && settings->variable)
		stated = settings->variable(settings->context, name);
	if (stated && is_path && strcasecmp(stated, "none") == 0)
		stated = NULL;
	if (stated || !is_path)
		return stated;
	field = ss_reference_field(reference, name);
	if (!field || strcmp(field->field, "*") == 0)
		return NULL;
	return field->default_value ? field->default_value : field->unset_means;
}

static bool is_word(const char *text, size_t length, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == length && strncasecmp(text, *words, length) == 0)
			return true;
	return false;
}

int ss_setting_state(const struct ss_reference *reference, const struct ss_settings *settings,
		     const char *name)
{
	static const char *const off_words[] = { "", "0", "false", "no", "off", NULL };
	const char *text = ss_setting_text(reference, settings, name);
	size_t length;

	if (!text)
		return strchr(name, '.') ? -1 : 0; /* a variable that is not set is off */
	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	return !is_word(text, length, off_words);
}

static bool is_integer(const char *text)
{
	size_t digits = strspn(text + (*text == '-'), "0123456789");

	return digits > 0 && digits < 19 && text[(*text == '-') + digits] == '\0';
}

static bool is_decimal(const char *text)
{
	const char *at = text + (*text == '-');
	size_t whole = strspn(at, "0123456789");
	size_t part = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
	const char *end = at + whole + (at[whole] == '.' ? 1 + part : 0);

	return whole + part > 0 && *end == '\0';
}

/* Is `value` one of the terms that ";" separates? Terms in angle or round
 * brackets and those that hold a space are remarks, not values. */
static bool is_listed(const char *allowed, const char *value)
{
	size_t length = strlen(value);

	while (*allowed) {
		size_t n = strcspn(allowed, ";");

		if (n >= length && strncmp(allowed, value, length) == 0 &&
		    (n == length || allowed[length] == ' ' || allowed[length] == '='))
			return true;
		allowed += n + (allowed[n] == ';');
	}
	return false;
}

/* A list of words and nothing else can be checked; a sentence cannot. */
static bool is_closed_list(const struct ss_config_field *field)
{
	return strcmp(field->type, "enum") == 0 && field->allowed && strchr(field->allowed, ';') &&
	       !strstr(field->allowed, "any ");
}

enum ss_status ss_config_field_check(const struct ss_config_field *field, const char *value,
				     struct ss_error *err)
{
	static const char *const bools[] = { "true", "false", "1",  "0", "on",
					     "off",  "yes",   "no", NULL };

	if (strcasecmp(value, "none") == 0)
		return SS_OK;
	if (strcmp(field->type, "bool") == 0 && !is_word(value, strlen(value), bools))
		return ss_fail(err, SS_EUSAGE, field->field, "must be true or false, got %s",
			       value);
	if (strcmp(field->type, "int") == 0 && !is_integer(value))
		return ss_fail(err, SS_EUSAGE, field->field, "must be a whole number, got %s",
			       value);
	if (strcmp(field->type, "float") == 0 && !is_decimal(value))
		return ss_fail(err, SS_EUSAGE, field->field, "must be a number, got %s", value);
	if (is_closed_list(field) && !is_listed(field->allowed, value))
		return ss_fail(err, SS_EUSAGE, field->field, "must be one of %s, got %s",
			       field->allowed, value);
	return SS_OK;
}
