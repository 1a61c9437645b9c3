#include "engine/read.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/nearest.h"

/* Every array of a reference hangs on one list, so that freeing is one loop. */
struct ss_allocation {
	struct ss_allocation *next;
	max_align_t data[];
};

struct pointer pointer_key(const struct pointer *parent, const char *key)
{
	struct pointer p = *parent;
	size_t used = strlen(p.text);

	if (used + 1 < sizeof(p.text))
		snprintf(p.text + used, sizeof(p.text) - used, "/%s", key);
	return p;
}

struct pointer pointer_index(const struct pointer *parent, size_t index)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", index);
	return pointer_key(parent, number);
}

void reader_fault(struct reader *reader, const char *code, const struct pointer *pointer,
		  const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	reader->errors++;
	ss_problems_add(reader->problems, SS_ERROR, code, reader->file, pointer->text, "%s",
			message);
}

void *reader_array(struct reader *reader, size_t count, size_t size)
{
	struct ss_allocation *a;

	if (count == 0)
		return NULL;
	if (count > (SIZE_MAX - sizeof(*a)) / size) {
		reader->is_out_of_memory = true;
		return NULL;
	}
	a = calloc(1, sizeof(*a) + count * size);
	if (!a) {
		reader->is_out_of_memory = true;
		return NULL;
	}
	a->next = reader->reference->memory;
	reader->reference->memory = a;
	return a->data;
}

void ss_reference_free(struct ss_reference *reference)
{
	if (!reference)
		return;
	while (reference->memory) {
		struct ss_allocation *next = reference->memory->next;

		free(reference->memory);
		reference->memory = next;
	}
	cJSON_Delete(reference->document);
	free(reference);
}

/** What stands there: the number or the truth itself, of the rest only its kind. */
struct found {
	char text[40];
};

static struct found found_name(const cJSON *item)
{
	struct found found = { "an object" };

	if (cJSON_IsNumber(item))
		snprintf(found.text, sizeof(found.text), "%.15g", item->valuedouble);
	else if (cJSON_IsBool(item))
		snprintf(found.text, sizeof(found.text), "%s",
			 cJSON_IsTrue(item) ? "true" : "false");
	else if (cJSON_IsString(item))
		snprintf(found.text, sizeof(found.text), "a text");
	else if (cJSON_IsNull(item))
		snprintf(found.text, sizeof(found.text), "null");
	else if (cJSON_IsArray(item))
		snprintf(found.text, sizeof(found.text), "a list");
	return found;
}

static bool is_count(const cJSON *item)
{
	double v = item->valuedouble;

	return cJSON_IsNumber(item) && v >= 0 && v <= 9007199254740992.0 && floor(v) == v;
}

static bool check_list(struct reader *reader, const cJSON *list, const struct pointer *pointer,
		       bool wants_text)
{
	const cJSON *item;
	size_t i = 0;
	bool fits = true;

	if (!cJSON_IsArray(list)) {
		reader_fault(reader, "type", pointer, "must be a list, found %s",
			     found_name(list).text);
		return false;
	}
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(pointer, i++);
		bool is_right = wants_text ? cJSON_IsString(item) : is_count(item);

		if (is_right)
			continue;
		reader_fault(reader, "type", &at, "must be %s, found %s",
			     wants_text ? "a text" : "a whole number from 0",
			     found_name(item).text);
		fits = false;
	}
	return fits;
}

static bool check_value(struct reader *reader, const cJSON *item, const struct pointer *pointer,
			const struct key *key)
{
	const char *wanted = NULL;

	if (cJSON_IsNull(item) && (key->flags & KEY_NULLABLE))
		return true;
	switch (key->form) {
	case FORM_TEXT:
		if (!cJSON_IsString(item)) {
			wanted = "a text";
		} else if (!item->valuestring[0] && !(key->flags & KEY_EMPTY_OK)) {
			reader_fault(reader, "range", pointer, "must not be empty");
			return false;
		}
		break;
	case FORM_BOOL:
		wanted = cJSON_IsBool(item) ? NULL : "true or false";
		break;
	case FORM_INT:
		wanted = is_count(item) ? NULL : "a whole number from 0";
		break;
	case FORM_TEXTS:
		return check_list(reader, item, pointer, true);
	case FORM_INTS:
		return check_list(reader, item, pointer, false);
	case FORM_OBJECT:
		wanted = cJSON_IsObject(item) ? NULL : "an object";
		break;
	case FORM_LIST:
		wanted = cJSON_IsArray(item) ? NULL : "a list";
		break;
	case FORM_ANY:
		break;
	}
	if (!wanted)
		return true;
	reader_fault(reader, "type", pointer, "must be %s, found %s", wanted,
		     found_name(item).text);
	return false;
}

static const struct key *key_find(const struct key *keys, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

static void unknown_key(struct reader *reader, const struct pointer *pointer, const char *name,
			const struct key *keys, size_t count)
{
	const char *words[32];
	const char *near;
	size_t n = 0;

	for (; n < count && n < sizeof(words) / sizeof(words[0]); n++)
		words[n] = keys[n].name;
	near = ss_closest_word(name, words, n);
	if (near)
		reader_fault(reader, "unknown-key", pointer, "unknown key, did you mean `%s`?",
			     near);
	else
		reader_fault(reader, "unknown-key", pointer, "unknown key");
}

bool reader_object(struct reader *reader, const cJSON *object, const struct pointer *pointer,
		   const struct key *keys, size_t count)
{
	size_t before = reader->errors;
	const cJSON *item;

	if (!cJSON_IsObject(object)) {
		reader_fault(reader, "type", pointer, "must be an object, found %s",
			     found_name(object).text);
		return false;
	}
	cJSON_ArrayForEach(item, object)
	{
		const struct key *key = key_find(keys, count, item->string);
		struct pointer at = pointer_key(pointer, item->string);

		if (!key)
			unknown_key(reader, &at, item->string, keys, count);
		else if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item)
			reader_fault(reader, "duplicate-key", &at, "stands twice in its object");
		else
			check_value(reader, item, &at, key);
	}
	for (size_t i = 0; i < count; i++) {
		if (keys[i].flags & KEY_OPTIONAL)
			continue;
		if (!cJSON_GetObjectItemCaseSensitive(object, keys[i].name))
			reader_fault(reader, "missing", pointer, "key `%s` is missing",
				     keys[i].name);
	}
	return reader->errors == before;
}

const char *value_text(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

bool value_bool(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

int64_t value_int(const cJSON *object, const char *key, int64_t otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : otherwise;
}

struct ss_names names_read(struct reader *reader, const cJSON *list)
{
	size_t count = (size_t)cJSON_GetArraySize(list);
	const char **items = reader_array(reader, count, sizeof(*items));
	const cJSON *item;
	size_t i = 0;

	if (!items)
		return (struct ss_names){ 0 };
	cJSON_ArrayForEach(item, list) items[i++] = item->valuestring;
	return (struct ss_names){ items, count };
}

struct ss_names value_names(struct reader *reader, const cJSON *object, const char *key)
{
	return names_read(reader, cJSON_GetObjectItemCaseSensitive(object, key));
}

/* One number is a list of one. */
struct ss_numbers numbers_read(struct reader *reader, const cJSON *item)
{
	bool is_one = cJSON_IsNumber(item);
	size_t count = is_one ? 1 : (size_t)cJSON_GetArraySize(item);
	int64_t *items = reader_array(reader, count, sizeof(*items));
	const cJSON *child;
	size_t i = 0;

	if (!items)
		return (struct ss_numbers){ 0 };
	if (is_one)
		items[0] = (int64_t)item->valuedouble;
	else
		cJSON_ArrayForEach(child, item) items[i++] = (int64_t)child->valuedouble;
	return (struct ss_numbers){ items, count };
}

struct ss_numbers value_numbers(struct reader *reader, const cJSON *object, const char *key)
{
	return numbers_read(reader, cJSON_GetObjectItemCaseSensitive(object, key));
}
