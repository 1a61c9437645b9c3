/* Rows: which are shown, and how they are written. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "cli/arguments.h"
#include "report/printout.h"
#include "report/json.h"
#include "sweep/sweep.h"
#include "sweep/sweep_database.h"

struct column_row {
	const char *name;
	bool is_text;
	enum column_goal goal;
};

static const struct column_row columns[] = {
#define X(id, name, is_text, goal, shown) { name, is_text, GOAL_##goal },
	SWEEP_COLUMN_LIST(X)
#undef X
};

const char *sweep_column_name(enum sweep_column column)
{
	return columns[column].name;
}

bool sweep_column_is_text(enum sweep_column column)
{
	return columns[column].is_text;
}

enum column_goal sweep_column_goal(enum sweep_column column)
{
	return columns[column].goal;
}

void plan_key(const struct sweep_plan *plan, uint64_t index, char *out, size_t size)
{
	(void)snprintf(out, size, "%08" PRIx32 "-%" PRIu64, plan->hash, index);
}

/* -- numbers, fast -------------------------------------------------------------------- */

#if LDBL_MANT_DIG >= 64
/* Powers of ten that a 64-bit mantissa holds exactly. */
static const long double powers[] = { 1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
				      1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
				      1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
				      1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L };

static size_t put_digits(char *out, uint64_t digits, int places)
{
	char text[48];
	int n = 0;
	size_t len = 0;

	for (; places > 0 && digits % 10 == 0; places--)
		digits /= 10;
	do
		text[n++] = (char)('0' + digits % 10);
	while (digits /= 10);
	while (n <= places)
		text[n++] = '0';
	while (n-- > 0) {
		out[len++] = text[n];
		if (n == places && places)
			out[len++] = '.';
	}
	return len;
}

/** Digits after the point for `digits` significant ones of a number of this size. */
static int places_for(double size, int digits)
{
	int whole = 0;

	if (size >= 1) {
		while (whole < 17 && (long double)size >= powers[whole])
			whole++;
		return digits - whole;
	}
	while (whole < 6 && (long double)size * powers[whole + 1] < 1)
		whole++;
	return digits + whole;
}

/**
 * A decimal brings a double back when it lies nearer to it than half the step to the
 * next one: downwards, where the step is the shorter one. A hundredth is left for the
 * rounding of what is compared here. 17 digits lie that near; fewer are tried first.
 */
static size_t put_fast(char *out, double size)
{
	long double half = ((long double)size - (long double)nextafter(size, 0)) / 2;

	for (int digits = 15; digits <= 17; digits++) {
		int places = places_for(size, digits);
		long double scaled;

		if (places < 0)
			places = 0;
		scaled = roundl((long double)size * powers[places]);
		if (scaled < 1.8e19L &&
		    fabsl(scaled / powers[places] - (long double)size) < half * 0.99L)
			return put_digits(out, (uint64_t)scaled, places);
	}
	return 0;
}
#else
static size_t put_fast(char *out, double size)
{
	(void)out;
	(void)size;
	return 0;
}
#endif

size_t put_double(char *out, double number)
{
	double size = fabs(number);
	size_t sign = 0, len = 0;

	if (number < 0)
		out[sign++] = '-';
	if (size >= 1e-6 && size < 1e15)
		len = put_fast(out + sign, size);
	if (len)
		return sign + len;
	return (size_t)snprintf(out, 32, "%s", number_plain(number).text);
}

static void put_number(struct xbuf *out, double number)
{
	char *at = xbuf_reserve(out, 40);

	out->len += put_double(at, number);
}

/* -- tests ---------------------------------------------------------------------------- */

/** Text of a text column; NULL for a number. */
static const char *text_of(const struct sweep_row *row, size_t column)
{
	switch ((enum sweep_column)column) {
	case COLUMN_BOTTLENECK:
		return row->bottleneck;
	case COLUMN_GRAPH:
		return row->graph;
	case COLUMN_FITS:
		return row->is_refused ? "" : row->fits ? "true" : "false";
	case COLUMN_CODE:
		return row->code;
	case COLUMN_REASON:
		return row->reason;
	case COLUMN_LEAD:
	case COLUMN_MEASURED:
	case COLUMN_SERIAL:
	case COLUMN_OVERLAP:
	case COLUMN_NO_OVERLAP:
	case COLUMN_ITL:
	case COLUMN_KERNELS:
	case COLUMN_TOKENS:
	case COLUMN_TOKENS_GPU:
	case COLUMN_PREFILL:
	case COLUMN_WEIGHTS:
	case COLUMN_FIXED:
	case COLUMN_BUDGET:
	case COLUMN_BATCH_BYTES:
	case COLUMN_KV_TOKEN:
	case COLUMN_POOL_TOKENS:
	case COLUMN_CONCURRENCY:
	case COLUMN_RANKS:
	case COLUMN_EVIDENCED:
	case COLUMN_ENTRIES:
	case COLUMN_ASSUMED:
	case COLUMN_DISTANCE:
#define X(id, ...) case COLUMN_##id:
		SWEEP_SERVED_LIST(X)
#undef X
	case SWEEP_COLUMN_COUNT:
		break;
	}
	return NULL;
}

static bool passes(const struct sweep_plan *plan, const struct sweep_row *row,
		   const struct where *where)
{
	const char *text;
	double number;

	if (where->is_axis) {
		const struct axis_value *value =
			&plan->axes.items[where->column].values[row->digits[where->column]];

		text = value->text;
		number = value->number;
	} else {
		text = text_of(row, where->column);
		number = row->numbers[where->column];
	}
	if (where->has_number && !isnan(number) && (where->is_axis || !text))
		return where_holds(where->op, (number > where->number) - (number < where->number));
	return text && where_holds(where->op, strcmp(text, where->text));
}

bool plan_admits(const struct sweep_plan *plan, const struct sweep_row *row)
{
	for (size_t i = 0; i < plan->where_count; i++)
		if (!passes(plan, row, &plan->wheres[i]))
			return false;
	return true;
}

/* -- writing -------------------------------------------------------------------------- */

void plan_header(const struct sweep_plan *plan, struct xbuf *out)
{
	if (plan->format == FORMAT_JSON || plan->format == FORMAT_SQLITE)
		return;
	if (plan->format == FORMAT_MARKDOWN) {
		for (size_t i = 0; i < plan->shown_count; i++)
			xbuf_printf(out, "| %s ", plan->shown[i].name);
		xbuf_puts(out, "|\n");
		for (size_t i = 0; i < plan->shown_count; i++)
			xbuf_puts(out, "| --- ");
		xbuf_puts(out, "|\n");
		return;
	}
	for (size_t i = 0; i < plan->shown_count; i++) {
		const struct shown_column *c = &plan->shown[i];

		if (plan->format == FORMAT_CSV)
			xbuf_printf(out, "%s%s", i ? "," : "", c->name);
		else
			xbuf_printf(out, "%-*s%s", i + 1 < plan->shown_count ? c->width : 0,
				    c->name, i + 1 < plan->shown_count ? "  " : "");
	}
	xbuf_putc(out, '\n');
}

/** A figure as a person reads it: times in ms, sizes in GiB. */
static struct number_text shown_number(const struct shown_column *c, double number)
{
	size_t len = strlen(c->name);

	if (c->kind == SHOW_COLUMN && (c->index == COLUMN_REQUESTS || c->index == COLUMN_GOODPUT ||
				       c->index == COLUMN_SLO_SHARE))
		return number_fixed(number, 2);
	if (len > 2 && !strcmp(c->name + len - 2, "_s") && !strstr(c->name, "_per_s"))
		return number_time(number);
	if (len > 6 && !strcmp(c->name + len - 6, "_bytes"))
		return number_bytes_binary(number);
	return number_count(number);
}

static void put_text_cell(const struct sweep_plan *plan, const struct sweep_row *row, size_t i,
			  struct xbuf *out)
{
	const struct shown_column *c = &plan->shown[i];
	bool is_last = i + 1 == plan->shown_count;
	struct number_text number;
	const char *text = "";
	char key[40];

	if (c->kind == SHOW_KEY) {
		plan_key(plan, row->index, key, sizeof(key));
		text = key;
	} else if (c->kind == SHOW_AXIS) {
		text = plan->axes.items[c->index].values[row->digits[c->index]].text;
		text = *text ? text : "-";
	} else if (columns[c->index].is_text) {
		text = text_of(row, c->index);
	} else if (!isnan(row->numbers[c->index])) {
		number = shown_number(c, row->numbers[c->index]);
		text = number.text;
	}
	if (!*text)
		text = is_last ? "" : "-";
	if (plan->format == FORMAT_MARKDOWN)
		xbuf_printf(out, "| %s %s", text, is_last ? "|" : "");
	else if (is_last)
		xbuf_puts(out, text);
	else
		xbuf_printf(out, "%-*s  ", c->width, text);
}

static void put_csv_cell(const struct sweep_plan *plan, const struct sweep_row *row,
			 const struct shown_column *c, struct xbuf *out)
{
	char key[40];

	if (c->kind == SHOW_KEY) {
		plan_key(plan, row->index, key, sizeof(key));
		xbuf_puts(out, key);
	} else if (c->kind == SHOW_AXIS) {
		csv_field(out, plan->axes.items[c->index].values[row->digits[c->index]].text);
	} else if (columns[c->index].is_text) {
		csv_field(out, text_of(row, c->index));
	} else if (!isnan(row->numbers[c->index])) {
		put_number(out, row->numbers[c->index]);
	}
}

bool axis_is_switch(const struct axis *axis)
{
	return axis->kind == AXIS_FIELD && ss_field(axis->field)->type == SS_TYPE_BOOL;
}

static void put_json_value(const struct sweep_plan *plan, const struct sweep_row *row,
			   const struct shown_column *c, struct xbuf *out)
{
	const struct axis_value *value;
	const char *text;
	char key[40];

	switch (c->kind) {
	case SHOW_KEY:
		plan_key(plan, row->index, key, sizeof(key));
		json_quote(out, key);
		return;
	case SHOW_AXIS:
		value = &plan->axes.items[c->index].values[row->digits[c->index]];
		if (!*value->text)
			xbuf_puts(out, "null");
		else if (axis_is_switch(&plan->axes.items[c->index]))
			xbuf_puts(out, value->value.integer ? "true" : "false");
		else if (!isnan(value->number))
			put_number(out, value->number);
		else
			json_quote(out, value->text);
		return;
	case SHOW_COLUMN:
		break;
	}
	text = text_of(row, c->index);
	if (text && !*text)
		xbuf_puts(out, "null");
	else if (text && c->index == COLUMN_FITS)
		xbuf_puts(out, text);
	else if (text)
		json_quote(out, text);
	else if (isnan(row->numbers[c->index]))
		xbuf_puts(out, "null");
	else
		put_number(out, row->numbers[c->index]);
}

static void pack_axis(const struct axis *axis, size_t digit, struct xbuf *out)
{
	const struct axis_value *value = &axis->values[digit];

	if (!*value->text)
		pack_null(out);
	else if (axis_is_switch(axis))
		pack_number(out, (double)value->value.integer);
	else if (!isnan(value->number))
		pack_number(out, value->number);
	else
		pack_text(out, value->text);
}

static void pack_row(const struct sweep_plan *plan, const struct sweep_row *row, struct xbuf *out)
{
	pack_index(out, row->index);
	for (size_t i = 0; i < plan->shown_count; i++) {
		const struct shown_column *c = &plan->shown[i];
		const char *text;

		if (c->kind == SHOW_KEY)
			continue;
		if (c->kind == SHOW_AXIS) {
			pack_axis(&plan->axes.items[c->index], row->digits[c->index], out);
			continue;
		}
		text = text_of(row, c->index);
		if ((text && !*text) || (!text && isnan(row->numbers[c->index])))
			pack_null(out);
		else if (text && c->index == COLUMN_FITS)
			pack_number(out, row->fits);
		else if (text)
			pack_text(out, text);
		else
			pack_number(out, row->numbers[c->index]);
	}
}

void plan_row(const struct sweep_plan *plan, const struct sweep_row *row, struct xbuf *out)
{
	if (plan->format == FORMAT_SQLITE) {
		pack_row(plan, row, out);
		return;
	}
	if (plan->format == FORMAT_JSON) {
		xbuf_putc(out, '{');
		for (size_t i = 0; i < plan->shown_count; i++) {
			const struct shown_column *c = &plan->shown[plan->json_order[i]];

			xbuf_add(out, i ? ",\"" : "\"", i ? 2 : 1);
			xbuf_puts(out, c->name);
			xbuf_add(out, "\":", 2);
			put_json_value(plan, row, c, out);
		}
		xbuf_add(out, "}\n", 2);
		return;
	}
	for (size_t i = 0; i < plan->shown_count; i++) {
		if (plan->format == FORMAT_CSV) {
			if (i)
				xbuf_putc(out, ',');
			put_csv_cell(plan, row, &plan->shown[i], out);
		} else {
			put_text_cell(plan, row, i, out);
		}
	}
	xbuf_putc(out, '\n');
}
