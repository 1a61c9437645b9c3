/* Axes: `tp=1,2,4`, `count=1..256:x2`, `gpu_memory_utilization=0.8..0.95:+0.05`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
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

/** `LOW..HIGH`, with `:xFACTOR` or `:+STEP` behind it. */
static enum ss_status add_range(struct axis *axis, const char *text, const char *dots,
				struct ss_error *err)
{
	char *low_text = copy_part(text, (size_t)(dots - text));
	size_t high_len = strcspn(dots + 2, ":");
	char *high_text = copy_part(dots + 2, high_len);
	const char *rule = dots + 2 + high_len;
	double low = 0, high = 0, step = 1;
	bool is_factor = rule[0] == ':' && rule[1] == 'x';
	bool is_sum = rule[0] == ':' && rule[1] == '+';
	enum ss_status rc = SS_OK;

	if (number_parse(&low, low_text) || number_parse(&high, high_text) || high < low ||
	    (*rule && !is_factor && !is_sum) || (*rule && number_parse(&step, rule + 2)) ||
	    !(is_factor ? step > 1 && low > 0 : step > 0))
		rc = ss_fail(err, SS_EUSAGE, "vary",
			     "%s: a range reads LOW..HIGH, LOW..HIGH:xFACTOR or LOW..HIGH:+STEP, "
			     "got %s",
			     axis->name, text);
	if (!rc) {
		double count = is_factor ? log(high / low) / log(step) : (high - low) / step;

		/* Before any is made: a slip of the finger may be 10^12 of them. */
		if (!(count < AXIS_VALUES_MAX - (double)axis->count))
			rc = too_many(axis, err);
	}
	/* Counted, not summed, so that steps of 0.1 do not drift past the end. */
	for (double i = 0; !rc; i++) {
		double at = is_factor ? low * pow(step, i) : low + i * step;
		struct number_text shown;

		if (at > high * (1 + 1e-12))
			break;
		at = is_whole(axis) ? round(at) : strtod(number_fixed(at, 12).text, NULL);
		shown = number_plain(at);
		rc = add_value(axis, shown.text, err);
	}
	free(low_text);
	free(high_text);
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
		const char *dots = strstr(item, "..");

		rc = dots ? add_range(axis, item, dots, err) : add_value(axis, item, err);
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

	if (!strcmp(name, "count") || !strcmp(name, "context")) {
		axis->kind = !strcmp(name, "count") ? AXIS_COUNT : AXIS_CONTEXT;
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
			       "no such axis; one is a setting, count, context or coef:NAME");
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
		if (!strcmp(axes->items[i].name, axis->name))
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
