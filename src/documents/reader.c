#include "documents/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "documents/clean.h"
#include "documents/nearest.h"

_Static_assert(sizeof(enum ss_severity) == sizeof(int), "KEY_WORD writes an enum as an int");

/* One segment of a pointer, escaped as RFC 6901 says. */
static size_t put_segment(char *out, size_t size, const char *key)
{
	size_t used = 0;

	for (const char *c = key; *c && used + 3 < size; c++) {
		if (*c == '~' || *c == '/') {
			out[used++] = '~';
			out[used++] = *c == '~' ? '0' : '1';
		} else {
			out[used++] = *c;
		}
	}
	out[used] = '\0';
	return used;
}

static size_t put_place(char *out, size_t size, const struct place *place)
{
	size_t used;
	int n;

	if (!place)
		return 0;
	used = put_place(out, size, place->parent);
	if (used + 32 > size)
		return used;
	if (place->key) {
		out[used++] = '/';
		return used + put_segment(out + used, size - used, place->key);
	}
	n = snprintf(out + used, size - used, "/%zu", place->index);
	return used + (n > 0 ? (size_t)n : 0);
}

void place_pointer(char *out, size_t size, const struct place *place)
{
	out[0] = '\0';
	(void)put_place(out, size, place);
	clean_text(out);
}

void report(struct reader *r, enum ss_severity severity, const struct place *at, const char *code,
	    const char *format, ...)
{
	char pointer[512], message[1024];
	va_list args;

	if (severity == SS_ERROR)
		r->error_count++;
	place_pointer(pointer, sizeof(pointer), at);
	va_start(args, format);
	(void)vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	clean_text(message);
	(void)ss_problems_add(r->problems, severity, code ? code : "value", r->file, pointer, "%s",
			      message);
}

void describe(char *out, size_t size, const cJSON *item)
{
	if (cJSON_IsString(item))
		(void)snprintf(out, size, "text \"%.80s\"", item->valuestring);
	else if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
		(void)snprintf(out, size, "a number too large to hold");
	else if (cJSON_IsNumber(item))
		(void)snprintf(out, size, "%.15g", item->valuedouble);
	else
		(void)snprintf(out, size, "%s",
			       cJSON_IsArray(item)    ? "a list"
			       : cJSON_IsObject(item) ? "an object"
			       : cJSON_IsTrue(item)   ? "true"
			       : cJSON_IsFalse(item)  ? "false"
						      : "null");
}

static bool wrong_type(struct reader *r, const struct place *at, const cJSON *item,
		       const char *wanted)
{
	char found[128];

	describe(found, sizeof(found), item);
	report(r, SS_ERROR, at, "type", "found %s, wants %s", found, wanted);
	return false;
}

static bool out_of_range(struct reader *r, const struct place *at, const cJSON *item, double min,
			 double max, const char *code)
{
	char found[128];

	describe(found, sizeof(found), item);
	if (!code)
		code = "range";
	if (max >= WIDTH_MAX && isfinite(item->valuedouble) && item->valuedouble < min)
		report(r, SS_ERROR, at, code, "found %s, must be %.15g or more", found, min);
	else
		report(r, SS_ERROR, at, code, "found %s, must be from %.15g to %.15g", found, min,
		       max);
	return false;
}

bool read_text(struct reader *r, const struct place *at, const cJSON *item, bool may_be_empty,
	       const char *code, char **out)
{
	if (!cJSON_IsString(item))
		return wrong_type(r, at, item, "text");
	if (!may_be_empty && !item->valuestring[0]) {
		report(r, SS_ERROR, at, code ? code : "range",
		       "found empty text, must not be empty");
		return false;
	}
	*out = arena_text(r->arena, item->valuestring);
	return true;
}

bool read_number(struct reader *r, const struct place *at, const cJSON *item, double min,
		 double max, const char *code, double *out)
{
	if (!cJSON_IsNumber(item))
		return wrong_type(r, at, item, "a number");
	if (!isfinite(item->valuedouble) || item->valuedouble < min || item->valuedouble > max)
		return out_of_range(r, at, item, min, max, code);
	*out = item->valuedouble;
	return true;
}

bool read_int(struct reader *r, const struct place *at, const cJSON *item, double min, double max,
	      const char *code, int64_t *out)
{
	double number;

	if (!cJSON_IsNumber(item))
		return wrong_type(r, at, item, "an integer");
	number = item->valuedouble;
	if (isfinite(number) && floor(number) < number)
		return wrong_type(r, at, item, "an integer");
	if (!isfinite(number) || number < min || number > max)
		return out_of_range(r, at, item, min, max, code);
	*out = (int64_t)number;
	return true;
}

bool read_bool(struct reader *r, const struct place *at, const cJSON *item, bool *out)
{
	if (!cJSON_IsBool(item))
		return wrong_type(r, at, item, "true or false");
	*out = cJSON_IsTrue(item) != 0;
	return true;
}

bool read_word(struct reader *r, const struct place *at, const cJSON *item,
	       const struct words *words, const char *code, int *out)
{
	char allowed[512];
	const char *near;
	int value;

	if (!cJSON_IsString(item))
		return wrong_type(r, at, item, "text");
	value = words_find(words, item->valuestring);
	if (value >= 0) {
		*out = value;
		return true;
	}
	words_list(allowed, sizeof(allowed), words);
	near = ss_closest_word(item->valuestring, words->names, words->count);
	if (near)
		report(r, SS_ERROR, at, code ? code : "range",
		       "found \"%.80s\", must be %s; did you mean \"%s\"?", item->valuestring,
		       allowed, near);
	else
		report(r, SS_ERROR, at, code ? code : "range", "found \"%.80s\", must be %s",
		       item->valuestring, allowed);
	return false;
}

size_t read_list_size(struct reader *r, const struct place *at, const cJSON *item, size_t max)
{
	size_t count = 0;

	if (!item)
		return 0;
	if (!cJSON_IsArray(item)) {
		(void)wrong_type(r, at, item, "a list");
		return 0;
	}
	for (const cJSON *element = item->child; element; element = element->next)
		count++;
	if (count > max) {
		report(r, SS_ERROR, at, "limit", "holds %zu elements, must hold %zu at most", count,
		       max);
		return 0;
	}
	return count;
}

void read_texts(struct reader *r, const struct place *at, const cJSON *item, size_t max,
		char ***out, size_t *count)
{
	size_t size = read_list_size(r, at, item, max), used = 0;
	char **texts = size ? arena_array(r->arena, size, sizeof(*texts)) : NULL;

	*out = texts;
	*count = 0;
	if (!texts)
		return;
	for (const cJSON *element = item->child; element; element = element->next) {
		struct place place = { at, NULL, used };

		texts[used] = r->arena->empty;
		(void)read_text(r, &place, element, false, NULL, &texts[used]);
		used++;
	}
	*count = used;
}

void read_ints(struct reader *r, const struct place *at, const cJSON *item, size_t max, double min,
	       double high, int64_t **out, size_t *count)
{
	size_t size = read_list_size(r, at, item, max), used = 0;
	int64_t *integers = size ? arena_array(r->arena, size, sizeof(*integers)) : NULL;

	*out = integers;
	*count = 0;
	if (!integers)
		return;
	for (const cJSON *element = item->child; element; element = element->next) {
		struct place place = { at, NULL, used };

		(void)read_int(r, &place, element, min, high, NULL, &integers[used]);
		used++;
	}
	*count = used;
}

/* The member a key fills, or a scratch for keys that are only checked. */
static void *target(const struct key *key, void *out, void *scratch)
{
	return key->offset == NO_OFFSET || !out ? scratch : (unsigned char *)out + key->offset;
}

static bool read_member(struct reader *r, const struct place *at, const cJSON *item,
			const struct key *key, void *out)
{
	union {
		char *text;
		int64_t integer;
		double number;
		bool truth;
		int word;
	} scratch;
	void *member = target(key, out, &scratch);

	switch (key->kind) {
	case KEY_ITEM:
		return true;
	case KEY_OBJECT:
		return cJSON_IsObject(item) || wrong_type(r, at, item, "an object");
	case KEY_LIST:
		return cJSON_IsArray(item) || wrong_type(r, at, item, "a list");
	case KEY_TEXT:
	case KEY_NAME:
		return read_text(r, at, item, key->kind == KEY_TEXT, key->code, member);
	case KEY_INT:
		return read_int(r, at, item, key->min, key->max, key->code, member);
	case KEY_NUMBER:
		return read_number(r, at, item, key->min, key->max, key->code, member);
	case KEY_BOOL:
		return read_bool(r, at, item, member);
	case KEY_WORD:
		return read_word(r, at, item, key->words, key->code, member);
	}
	return false;
}

static void unknown_key(struct reader *r, const struct place *at, const struct key *keys,
			size_t count)
{
	const char *names[KEYS_MAX];
	const char *near;
	char known[512] = "";
	struct words words = { names, count, 0 };

	for (size_t i = 0; i < count; i++)
		names[i] = keys[i].name;
	near = ss_closest_word(at->key, names, count);
	words_list(known, sizeof(known), &words);
	if (near)
		report(r, SS_ERROR, at, "unknown-key",
		       "unknown key \"%.80s\"; did you mean \"%s\"?", at->key, near);
	else
		report(r, SS_ERROR, at, "unknown-key", "unknown key \"%.80s\"; known here: %s",
		       at->key, known);
}

bool read_object(struct reader *r, const struct place *at, const cJSON *item,
		 const struct key *keys, size_t count, void *out, const cJSON **found)
{
	bool is_seen[KEYS_MAX] = { false };
	size_t next = 0, members = 0;

	for (size_t i = 0; i < count; i++) {
		if (found)
			found[i] = NULL;
		if ((keys[i].kind == KEY_TEXT || keys[i].kind == KEY_NAME) &&
		    keys[i].offset != NO_OFFSET)
			memcpy((unsigned char *)out + keys[i].offset, &(char *){ r->arena->empty },
			       sizeof(char *));
	}
	if (!cJSON_IsObject(item))
		return wrong_type(r, at, item, "an object");
	for (const cJSON *child = item->child; child; child = child->next) {
		struct place place = { at, child->string, 0 };
		size_t k = next;

		if (++members > MEMBERS_MAX) {
			report(r, SS_ERROR, at, "limit", "holds more than %d keys", MEMBERS_MAX);
			break;
		}
		/* Keys mostly come in the table's order, so look on from the last one. */
		for (size_t i = 0; i < count && strcmp(keys[k].name, child->string) != 0; i++)
			k = k + 1 == count ? 0 : k + 1;
		if (count == 0 || strcmp(keys[k].name, child->string) != 0) {
			unknown_key(r, &place, keys, count);
			continue;
		}
		next = k + 1 == count ? 0 : k + 1;
		if (is_seen[k]) {
			report(r, SS_ERROR, &place, "duplicate-key",
			       "the key \"%s\" stands here a second time", keys[k].name);
			continue;
		}
		is_seen[k] = true;
		if (read_member(r, &place, child, &keys[k], out) && found)
			found[k] = child;
	}
	for (size_t i = 0; i < count; i++) {
		struct place place = { at, keys[i].name, 0 };

		if (keys[i].is_required && !is_seen[i])
			report(r, SS_ERROR, &place, keys[i].code ? keys[i].code : "missing",
			       "missing; it must be stated");
	}
	return true;
}
