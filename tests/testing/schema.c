#include "testing/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A way down to where a fault is. */
struct checker {
	char path[512];
	char *fault;
	size_t size;
};

static bool check(struct checker *c, const cJSON *schema, const cJSON *value);

static bool fail(struct checker *c, const char *why, const char *what)
{
	if (c->size)
		(void)snprintf(c->fault, c->size, "%s: %s %s", c->path, why, what);
	return false;
}

static bool has_type(const char *type, const cJSON *value)
{
	if (!strcmp(type, "object"))
		return cJSON_IsObject(value);
	if (!strcmp(type, "array"))
		return cJSON_IsArray(value);
	if (!strcmp(type, "string"))
		return cJSON_IsString(value);
	if (!strcmp(type, "boolean"))
		return cJSON_IsBool(value);
	if (!strcmp(type, "null"))
		return cJSON_IsNull(value);
	if (!strcmp(type, "number"))
		return cJSON_IsNumber(value);
	return !strcmp(type, "integer") && cJSON_IsNumber(value) &&
	       !(fmod(value->valuedouble, 1) < 0 || fmod(value->valuedouble, 1) > 0);
}

static bool check_type(struct checker *c, const cJSON *rule, const cJSON *value)
{
	const cJSON *one;

	if (cJSON_IsString(rule))
		return has_type(rule->valuestring, value) || fail(c, "is no", rule->valuestring);
	cJSON_ArrayForEach(one, rule) if (has_type(one->valuestring, value)) return true;
	return fail(c, "has none of its types", "");
}

static bool check_enum(struct checker *c, const cJSON *rule, const cJSON *value)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, rule) if (cJSON_Compare(one, value, true)) return true;
	return fail(c, "is none of the values allowed:",
		    cJSON_IsString(value) ? value->valuestring : "");
}

static bool check_any(struct checker *c, const cJSON *rule, const cJSON *value)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, rule) if (check(c, one, value)) return true;
	return false;
}

static bool check_items(struct checker *c, const cJSON *rule, const cJSON *value)
{
	size_t len = strlen(c->path);
	const cJSON *item;
	int i = 0;

	if (!cJSON_IsArray(value))
		return true;
	cJSON_ArrayForEach(item, value)
	{
		(void)snprintf(c->path + len, sizeof(c->path) - len, "/%d", i++);
		if (!check(c, rule, item))
			return false;
		c->path[len] = '\0';
	}
	return true;
}

/** Each member by its own rule, or by that of the others. */
static bool check_members(struct checker *c, const cJSON *schema, const cJSON *value)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *others = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
	size_t len = strlen(c->path);
	const cJSON *member;

	if (!cJSON_IsObject(value))
		return true;
	cJSON_ArrayForEach(member, value)
	{
		const cJSON *rule = cJSON_GetObjectItemCaseSensitive(properties, member->string);

		(void)snprintf(c->path + len, sizeof(c->path) - len, "/%s", member->string);
		if (!rule && cJSON_IsFalse(others))
			return fail(c, "is not in the schema", "");
		if (!rule && cJSON_IsObject(others))
			rule = others;
		if (rule && !check(c, rule, member))
			return false;
		c->path[len] = '\0';
	}
	return true;
}

static bool check_required(struct checker *c, const cJSON *rule, const cJSON *value)
{
	const cJSON *name;

	if (!cJSON_IsObject(value))
		return true;
	cJSON_ArrayForEach(name, rule) if (
		!cJSON_GetObjectItemCaseSensitive(
			value, name->valuestring)) return fail(c, "lacks", name->valuestring);
	return true;
}

static bool check_size(struct checker *c, const cJSON *rule, const cJSON *value)
{
	double limit = rule->valuedouble, number = value->valuedouble;
	double count =
		cJSON_IsArray(value) || cJSON_IsObject(value) ? cJSON_GetArraySize(value) : 0;
	const char *name = rule->string;

	if (cJSON_IsNumber(value)) {
		if ((!strcmp(name, "minimum") && number < limit) ||
		    (!strcmp(name, "maximum") && number > limit) ||
		    (!strcmp(name, "exclusiveMinimum") && number <= limit))
			return fail(c, "breaks its", name);
	} else if (cJSON_IsArray(value)) {
		if ((!strcmp(name, "minItems") && count < limit) ||
		    (!strcmp(name, "maxItems") && count > limit))
			return fail(c, "breaks its", name);
	} else if (cJSON_IsObject(value)) {
		if (!strcmp(name, "minProperties") && count < limit)
			return fail(c, "breaks its", name);
	} else if (cJSON_IsString(value)) {
		if (!strcmp(name, "minLength") && (double)strlen(value->valuestring) < limit)
			return fail(c, "breaks its", name);
	}
	return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static bool check(struct checker *c, const cJSON *schema, const cJSON *value)
{
	static const char *const sizes[] = { "minimum",   "maximum",  "exclusiveMinimum",
					     "minItems",  "maxItems", "minProperties",
					     "minLength", NULL };
	/* Read with `properties`, or for people. */
	static const char *const silent[] = { "additionalProperties", "$schema", "title",
					      "description", NULL };
	const cJSON *rule;

	cJSON_ArrayForEach(rule, schema)
	{
		const char *name = rule->string;
		bool holds = true;

		if (!strcmp(name, "type"))
			holds = check_type(c, rule, value);
		else if (!strcmp(name, "enum"))
			holds = check_enum(c, rule, value);
		else if (!strcmp(name, "const"))
			holds = cJSON_Compare(rule, value, true) || fail(c, "is another value", "");
		else if (!strcmp(name, "anyOf"))
			holds = check_any(c, rule, value);
		else if (!strcmp(name, "items"))
			holds = check_items(c, rule, value);
		else if (!strcmp(name, "properties"))
			holds = check_members(c, schema, value);
		else if (!strcmp(name, "required"))
			holds = check_required(c, rule, value);
		else if (is_one_of(name, sizes))
			holds = check_size(c, rule, value);
		else if (!is_one_of(name, silent))
			holds = fail(c, "the schema says what this test cannot check:", name);
		if (!holds)
			return false;
	}
	/* An object of nothing but members that all follow one rule. */
	if (!cJSON_GetObjectItemCaseSensitive(schema, "properties"))
		return check_members(c, schema, value);
	return true;
}

bool schema_admits(const cJSON *schema, const cJSON *value, char *fault, size_t size)
{
	struct checker c = { .path = "", .fault = fault, .size = size };

	return check(&c, schema, value);
}

cJSON *schema_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t len = 0, got;
	cJSON *root;

	if (!file)
		return NULL;
	do {
		char *more = realloc(text, len + 65536);

		if (!more)
			break;
		text = more;
		got = fread(text + len, 1, 65536, file);
		len += got;
	} while (got);
	(void)fclose(file);
	root = text ? cJSON_ParseWithLength(text, len) : NULL;
	free(text);
	return root;
}
