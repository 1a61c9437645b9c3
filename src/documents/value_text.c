/* Values of settings as a person types them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "documents/value.h"
#include "documents/value_text.h"

static double suffix_factor(char c)
{
	switch (c) {
	case 'k':
		return 1e3;
	case 'm':
		return 1e6;
	case 'g':
		return 1e9;
	case 't':
		return 1e12;
	case 'K':
		return 1024.0;
	case 'M':
		return 1024.0 * 1024.0;
	case 'G':
		return 1024.0 * 1024.0 * 1024.0;
	case 'T':
		return 1024.0 * 1024.0 * 1024.0 * 1024.0;
	default:
		return 0.0;
	}
}

bool parse_number(const char *text, double *out)
{
	char *end = NULL;
	const char *at = text + (*text == '-' || *text == '+');
	double number;

	/* strtod() also takes names and hexadecimal, which are no figures here. */
	if (!isdigit((unsigned char)*at) && *at != '.')
		return false;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		return false;
	number = strtod(text, &end);
	if (end == text || !isfinite(number))
		return false;
	if (*end && suffix_factor(*end) > 0) {
		number *= suffix_factor(*end);
		end++;
	}
	*out = number;
	return *end == '\0';
}

bool parse_integer(const char *text, int64_t *out)
{
	double number;

	if (!parse_number(text, &number) || floor(number) < number || fabs(number) > 9e15)
		return false;
	*out = (int64_t)number;
	return true;
}

static bool parse_bool(const char *text, int64_t *out)
{
	static const char *const yes[] = { "true", "on", "yes", "1" };
	static const char *const no[] = { "false", "off", "no", "0" };

	for (size_t i = 0; i < 4; i++) {
		if (strcasecmp(text, yes[i]) != 0 && strcasecmp(text, no[i]) != 0)
			continue;
		*out = strcasecmp(text, yes[i]) == 0;
		return true;
	}
	return false;
}

/* The next element of a comma list into `out`; `\,` is a comma of the element. */
static bool next_element(const char **at, char *out, size_t size)
{
	size_t used = 0;

	if (!**at)
		return false;
	while (**at == ' ')
		(*at)++;
	for (; **at && **at != ','; (*at)++) {
		if (**at == '\\' && (*at)[1])
			(*at)++;
		if (used + 1 < size)
			out[used++] = **at;
	}
	if (**at == ',')
		(*at)++;
	while (used && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
	return true;
}

/* "tier=bytes" or "tier:bytes". */
static bool add_tier(struct ss_value *v, char *element, const char **wanted)
{
	char *mark = element + strcspn(element, "=:");
	int64_t bytes;

	*wanted = "NAME=BYTES of each tier, as cpu_dram=64G";
	if (!*mark || !parse_integer(mark + 1, &bytes))
		return false;
	*mark = '\0';
	*wanted = NULL;
	return value_add_text(v, element) && value_add_integer(v, bytes);
}

static bool add_entry(struct ss_value *v, char *element, const char **wanted)
{
	char *mark = strchr(element, '=');

	*wanted = "NAME=VALUE of each entry";
	if (!mark || mark == element)
		return false;
	*mark = '\0';
	*wanted = NULL;
	return value_set_entry(v, element, mark + 1);
}

static bool add_integer(struct ss_value *v, const char *element, const char **wanted)
{
	int64_t integer;

	*wanted = "integers apart by commas";
	if (!parse_integer(element, &integer))
		return false;
	*wanted = NULL;
	return value_add_integer(v, integer);
}

/* False with *wanted NULL is out of memory. */
static bool parse_list(struct ss_value *v, enum ss_field_type type, const char *text,
		       const char **wanted)
{
	char element[VALUE_TEXT_LENGTH_MAX + 2];
	/* Brackets, as a JSON list of integers has them, are fine too: both. */
	bool is_open = type == SS_TYPE_INT_LIST && *text == '[';
	size_t elements = 0;

	text += is_open;
	while (next_element(&text, element, sizeof(element))) {
		bool is_added;

		*wanted = "a shorter list";
		if (++elements > VALUE_TEXTS_MAX)
			return false;
		*wanted = NULL;
		if (is_open && !*text && element[0] && element[strlen(element) - 1] == ']') {
			element[strlen(element) - 1] = '\0';
			is_open = false;
		}
		is_added = type == SS_TYPE_TIERS      ? add_tier(v, element, wanted)
			   : type == SS_TYPE_TEXT_MAP ? add_entry(v, element, wanted)
			   : type == SS_TYPE_INT_LIST ? add_integer(v, element, wanted)
						      : value_add_text(v, element);
		if (!is_added)
			return false;
	}
	if (is_open)
		*wanted = "a ] at the end";
	return !is_open;
}

static bool parse_value(struct ss_value *v, const struct ss_field *f, const char *text,
			const char **wanted)
{
	*wanted = NULL;
	switch (f->type) {
	case SS_TYPE_INT:
		*wanted = "an integer";
		return parse_integer(text, &v->integer);
	case SS_TYPE_INT_OR_AUTO:
		*wanted = "an integer or auto";
		v->is_auto = strcasecmp(text, "auto") == 0 || strcmp(text, "-1") == 0;
		return v->is_auto || parse_integer(text, &v->integer);
	case SS_TYPE_FLOAT:
		*wanted = "a number";
		return parse_number(text, &v->number);
	case SS_TYPE_BOOL:
		*wanted = "on or off";
		return parse_bool(text, &v->integer);
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		v->text = strdup(text);
		return v->text != NULL;
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		return parse_list(v, f->type, text, wanted);
	}
	return false;
}

enum ss_status ss_value_parse(struct ss_value *out, const struct ss_field *field, const char *text,
			      struct ss_error *err)
{
	struct ss_value v = { 0 };
	const char *wanted = NULL;
	char fault[256];

	ss_value_release(out);
	while (*text == ' ')
		text++;
	if (!*text)
		return SS_OK;
	if (!parse_value(&v, field, text, &wanted)) {
		ss_value_release(&v);
		if (!wanted)
			return ss_fail(err, SS_ENOMEM, field->path, "out of memory");
		return ss_fail(err, SS_EUSAGE, field->path, "found \"%.80s\", wants %s", text,
			       wanted);
	}
	if (value_fault(fault, sizeof(fault), field, &v)) {
		ss_value_release(&v);
		return ss_fail(err, SS_EUSAGE, field->path, "%s", fault);
	}
	v.is_stated = true;
	*out = v;
	return SS_OK;
}

/* Text appended with snprintf's accounting: the length grows past the end. */
struct out {
	char *text;
	size_t size, length;
};

static void put_char(struct out *o, char c)
{
	if (o->length + 1 < o->size) {
		o->text[o->length] = c;
		o->text[o->length + 1] = '\0';
	}
	o->length++;
}

static void put(struct out *o, const char *text, bool is_element)
{
	for (; *text; text++) {
		if (is_element && (*text == ',' || *text == '\\'))
			put_char(o, '\\');
		put_char(o, *text);
	}
}

static void put_integer(struct out *o, int64_t integer)
{
	char digits[32];

	(void)snprintf(digits, sizeof(digits), "%" PRId64, integer);
	put(o, digits, false);
}

static void put_elements(struct out *o, const struct ss_value *v)
{
	for (size_t i = 0; i < v->count; i++) {
		if (i)
			put_char(o, ',');
		if (v->texts)
			put(o, v->texts[i], true);
		if (v->texts && v->integers)
			put_char(o, '=');
		if (v->integers)
			put_integer(o, v->integers[i]);
	}
}

size_t ss_value_format(char *out, size_t size, const struct ss_field *field,
		       const struct ss_value *v)
{
	struct out o = { out, size, 0 };
	char number[40];

	if (size)
		out[0] = '\0';
	if (!v->is_stated)
		return 0;
	switch (field->type) {
	case SS_TYPE_INT:
		put_integer(&o, v->integer);
		break;
	case SS_TYPE_INT_OR_AUTO:
		if (v->is_auto)
			put(&o, "auto", false);
		else
			put_integer(&o, v->integer);
		break;
	case SS_TYPE_FLOAT:
		(void)number_text(number, sizeof(number), v->number);
		put(&o, number, false);
		break;
	case SS_TYPE_BOOL:
		put(&o, v->integer ? "true" : "false", false);
		break;
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		put(&o, v->text, false);
		break;
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		put_elements(&o, v);
		break;
	}
	return o.length;
}
