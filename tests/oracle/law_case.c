#include "law_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double as_number(const cJSON *item)
{
	if (cJSON_IsTrue(item))
		return 1;
	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

double number(const cJSON *object, const char *name)
{
	return as_number(cJSON_GetObjectItemCaseSensitive(object, name));
}

double given(const struct law_case *c, const char *name)
{
	return number(c->given, name);
}

int64_t given_whole(const struct law_case *c, const char *name)
{
	return (int64_t)given(c, name);
}

double given_at(const struct law_case *c, const char *name, int i)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(c->given, name);

	return as_number(cJSON_IsArray(item) ? cJSON_GetArrayItem(item, i) : item);
}

const cJSON *given_list(const struct law_case *c, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(c->given, name);

	return cJSON_IsArray(item) ? item : NULL;
}

const char *given_text(const struct law_case *c, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(c->given, name));

	return text ? text : "";
}

static void miss(struct law_case *c, double got, double wanted)
{
	print_error("%s: %s: got %.17g, want %.17g\n", c->id, c->want_name, got, wanted);
	c->failures++;
}

/** A figure is {value, exact | rel_tol | abs_tol}, or a plain number or truth. */
static void compare(struct law_case *c, const cJSON *figure, double got)
{
	const cJSON *tolerance;
	double wanted, allowed;

	if (!cJSON_IsObject(figure)) {
		if (!cJSON_IsBool(figure) && !cJSON_IsNumber(figure))
			want_true(c, false, "a figure to compare with");
		else if (got != as_number(figure))
			miss(c, got, as_number(figure));
		return;
	}
	want_true(c, cJSON_HasObjectItem(figure, "value"), "a value to compare with");
	wanted = number(figure, "value");
	allowed = 0;
	if ((tolerance = cJSON_GetObjectItemCaseSensitive(figure, "rel_tol")))
		allowed = tolerance->valuedouble * fabs(wanted);
	else if ((tolerance = cJSON_GetObjectItemCaseSensitive(figure, "abs_tol")))
		allowed = tolerance->valuedouble;
	else
		want_true(c, cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(figure, "exact")),
			  "a tolerance");
	if (!(fabs(got - wanted) <= allowed))
		miss(c, got, wanted);
}

void want(struct law_case *c, double got)
{
	compare(c, c->want, got);
}

void want_at(struct law_case *c, int i, double got)
{
	const cJSON *figure = c->want;

	if (cJSON_IsArray(figure))
		figure = cJSON_GetArrayItem(figure, i);
	else
		want_true(c, i == 0, "one figure for each entry");
	compare(c, figure, got);
}

void want_true(struct law_case *c, bool holds, const char *what)
{
	if (holds)
		return;
	print_error("%s: %s: does not hold: %s\n", c->id, c->want_name, what);
	c->failures++;
}

cJSON *read_document(const char *path)
{
	char *text;
	long size;
	cJSON *document;
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("cannot read %s", path);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size > 0);
	rewind(f);
	text = malloc((size_t)size);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), size);
	fclose(f);
	document = cJSON_ParseWithLength(text, (size_t)size);
	free(text);
	if (!document)
		fail_msg("%s is not JSON", path);
	return document;
}

static bool has_text(const cJSON *object, const char *name, const char *text)
{
	const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return found && !strcmp(found, text);
}

const cJSON *model_node(cJSON **document, const char *model, const char *op)
{
	char path[512];
	const cJSON *kind, *node;
	int length = snprintf(path, sizeof(path), TEST_SRCDIR "/registry/models/%s.json", model);

	assert_true(length > 0 && length < (int)sizeof(path));
	*document = read_document(path);
	cJSON_ArrayForEach(kind, cJSON_GetObjectItemCaseSensitive(*document, "layer_kinds"))
	{
		cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(kind, "nodes"))
		{
			if (has_text(node, "op", op) && !(has_text(node, "op", "Attention") &&
							  cJSON_HasObjectItem(node, "role")))
				return node;
		}
	}
	fail_msg("%s has no %s", model, op);
	return NULL;
}
