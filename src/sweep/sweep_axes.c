/* Axes: `tp=1,2,4`, `batch=1..256:x2`, `gpu_memory_utilization=0.8..0.95:+0.05`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/range.h"
#include "sweep/sweep.h"

static char *copy_part(const char *text, size_t len)
{
	char *part = xmalloc(len + 1);

	memcpy(part, text, len);
	part[len] = '\0';
	return part;
}

static bool is_whole(const struct axis *axis)
{
	enum ss_field_type type;

	if (axis->kind != AXIS_FIELD)
		return axis->kind != AXIS_COEFFICIENT;
	type = ss_field(axis->field)->type;
	return type == SS_TYPE_INT || type == SS_TYPE_INT_OR_AUTO || type == SS_TYPE_INT_LIST;
}

static enum ss_status too_many(const struct axis *axis, struct ss_error *err)
{
	return ss_fail(err, SS_EUSAGE, "vary", "%s has more than %s values", axis->name,
		       number_count(AXIS_VALUES_MAX).text);
}

/** Check one value's text and keep it. */
static enum ss_status add_value(struct axis *axis, const char *text, struct ss_error *err)
{
	struct axis_value value = { 0 };
	enum ss_status rc = SS_OK;
	int64_t whole = 0;

	if (axis->count >= AXIS_VALUES_MAX)
		return too_many(axis, err);
	if (axis->kind == AXIS_FIELD) {
		rc = ss_value_parse(&value.value, ss_field(axis->field), text, err);
		if (number_parse(&value.number, text))
			value.number = NAN;
	} else if (axis->kind == AXIS_COEFFICIENT) {
		if (number_parse(&value.number, text) || value.number <= 0)
			rc = ss_fail(err, SS_EUSAGE, "vary", "%s must be a number above 0, got %s",
				     axis->name, text);
	} else {
		if (number_parse_whole(&whole, text) || whole < 1 || whole > 1000000000)
			rc = ss_fail(err, SS_EUSAGE, "vary",
				     "%s must be a whole number from 1 to 1000000000, got %s",
				     axis->name, text);
		value.number = (double)whole;
	}
	if (rc)
		return rc;
	value.text = xstrdup(text);
	if (!(axis->count & (axis->count - 1)))
		axis->values =
			xrealloc(axis->values, axis->count ? axis->count * 2 : 1, sizeof(value));
	axis->values[axis->count++] = value;
	return SS_OK;
}

static enum ss_status add_range(struct axis *axis, const struct range *range, struct ss_error *err)
{
	enum ss_status rc = SS_OK;
	double at;

	/* Before any is made: a slip of the finger may be 10^12 of them. */
	if (!(range_count(range) < AXIS_VALUES_MAX + 1 - (double)axis->count))
		rc = too_many(axis, err);
	for (double i = 0; !rc && range_at(range, i, &at); i++) {
		at = is_whole(axis) ? round(at) : strtod(number_fixed(at, 12).text, NULL);
		rc = add_value(axis, number_plain(at).text, err);
	}
	return rc;
}

static enum ss_status add_values(struct axis *axis, const char *list, struct ss_error *err)
{
	/* Values that are lists themselves hold commas; then bars stand between them. */
	char apart = strchr(list, '|') ? '|' : ',';
	enum ss_status rc = SS_OK;

	for (const char *at = list; !rc;) {
		const char *end = strchr(at, apart);
		size_t len = end ? (size_t)(end - at) : strlen(at);
		char *item = copy_part(at, len);
		struct range range;

		switch (range_parse(&range, item)) {
		case RANGE_NONE:
			rc = add_value(axis, item, err);
			break;
		case RANGE_OK:
			rc = add_range(axis, &range, err);
			break;
		case RANGE_BAD:
			rc = ss_fail(err, SS_EUSAGE, "vary",
				     "%s: a range reads " RANGE_FORM ", got %s", axis->name, item);
			break;
		}
		free(item);
		if (!end)
			break;
		at = end + 1;
	}
	return rc;
}

static enum ss_status name_axis(struct axis *axis, const char *name, struct ss_error *err)
{
	const char *path;

	if (!strcmp(name, "batch") || !strcmp(name, "count") || !strcmp(name, "context")) {
		axis->kind = strcmp(name, "context") ? AXIS_COUNT : AXIS_CONTEXT;
		axis->name = xstrdup(name);
		return SS_OK;
	}
	if (!strncmp(name, "coef:", 5) && name[5]) {
		axis->kind = AXIS_COEFFICIENT;
		axis->name = xstrdup(name + 5);
		return SS_OK;
	}
	axis->field = ss_field_find(name, err);
	if (axis->field == SS_FIELD_COUNT && !strstr(err->message, "did you mean"))
		return ss_fail(err, SS_EUSAGE, name,
			       "no such axis; one is a setting, batch, context or coef:NAME");
	if (axis->field == SS_FIELD_COUNT)
		return SS_EUSAGE;
	path = ss_field(axis->field)->path;
	axis->name = xstrdup(strrchr(path, '.') ? strrchr(path, '.') + 1 : path);
	return SS_OK;
}

enum ss_status axis_read(struct axis *axis, const char *name, const char *value,
			 struct ss_error *err)
{
	enum ss_status rc;

	*axis = (struct axis){ .field = SS_FIELD_COUNT };
	rc = name_axis(axis, name, err);
	if (!rc)
		rc = add_value(axis, value, err);
	if (rc)
		axis_release(axis);
	return rc;
}

enum ss_status axes_add(struct axes *axes, const char *text, struct ss_error *err)
{
	const char *equals = strchr(text, '=');
	struct axis *axis;
	char *name;
	enum ss_status rc;

	if (!equals || equals == text)
		return ss_fail(err, SS_EUSAGE, "vary", "must read AXIS=VALUES, got %s", text);
	axes->items = xrealloc(axes->items, axes->count + 1, sizeof(*axes->items));
	axis = &axes->items[axes->count++];
	*axis = (struct axis){ .field = SS_FIELD_COUNT };
	name = copy_part(text, (size_t)(equals - text));
	rc = name_axis(axis, name, err);
	free(name);
	for (size_t i = 0; !rc && i + 1 < axes->count; i++)
		if (!strcmp(axes->items[i].name, axis->name) ||
		    (axes->items[i].kind == AXIS_COUNT && axis->kind == AXIS_COUNT))
			rc = ss_fail(err, SS_EUSAGE, "vary", "%s is varied twice", axis->name);
	if (!rc)
		rc = add_values(axis, equals + 1, err);
	if (rc)
		return rc;
	if (!axes->rows)
		axes->rows = 1;
	if (axis->count > SWEEP_ROWS_MAX / axes->rows)
		return ss_fail(err, SS_EUSAGE, "vary", "more than 2^53 rows");
	axes->rows *= axis->count;
	return SS_OK;
}

void axis_release(struct axis *axis)
{
	for (size_t k = 0; k < axis->count; k++) {
		free(axis->values[k].text);
		ss_value_release(&axis->values[k].value);
	}
	free(axis->values);
	free(axis->name);
	*axis = (struct axis){ 0 };
}

void axes_release(struct axes *axes)
{
	for (size_t i = 0; i < axes->count; i++)
		axis_release(&axes->items[i]);
	free(axes->items);
	*axes = (struct axes){ 0 };
}
