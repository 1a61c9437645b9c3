/* Measured kernel times: curves as text, `rows:microseconds` apart by spaces. */
#include "stepscope/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { CURVES_MAX = 100000, POINTS_MAX = 10000, ENTRIES_MAX = 10000, WORD_SIZE = 48 };

struct times_document {
	struct ss_times times; /* first, so that one pointer serves for both */
	struct arena arena;
};

/* clang-format off */
static const struct ss_times_family_row families[] = {
#define SS_X(id, name, file, keys, argument, constants) \
	{ name, file, keys, argument, constants },
	SS_TIMES_FAMILIES(SS_X)
#undef SS_X
};
static const char *const family_names[] = {
#define SS_X(id, name, file, keys, argument, constants) name,
	SS_TIMES_FAMILIES(SS_X)
#undef SS_X
};
/* clang-format on */
static const struct {
	const char *name;
	size_t offset;
} constants[] = {
#define SS_X(name) { #name, offsetof(struct ss_times_law, name) },
	SS_TIMES_CONSTANTS(SS_X)
#undef SS_X
};
static const struct words family_words = { family_names, COUNT(family_names), 0 };

static size_t count_words(const char *list)
{
	size_t n = *list != '\0';

	for (; *list; list++)
		n += *list == ' ';
	return n;
}

/** Word `index` of a list; false past its end. */
static bool word_of(const char *list, size_t index, char out[WORD_SIZE])
{
	for (; index && *list; list++)
		index -= *list == ' ';
	(void)snprintf(out, WORD_SIZE, "%.*s", (int)strcspn(list, " "), list);
	return !index && *out;
}

const struct ss_times_family_row *ss_times_family(enum ss_times_family family)
{
	return &families[family];
}

int ss_release_minor(const char *text)
{
	const char *c = text + strcspn(text, "0123456789");
	char *end;
	long major = strtol(c, &end, 10), minor;

	if (end == c || *end != '.')
		return 0;
	minor = strtol(end + 1, NULL, 10);
	return major >= 0 && major < 1000 && minor >= 0 && minor < 1000
		       ? (int)(major * 1000 + minor)
		       : 0;
}

/* -- curves ----------------------------------------------------------------------------- */

/**
 * A decimal of at most 15 digits, exact: they and the power of ten are both doubles.
 * NULL when it is none.
 */
static const char *scan_number(const char *c, double *out)
{
	static const double powers[] = { 1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	const char *start = c;
	int64_t digits = 0;
	int count = 0, power = 0, exponent = 0;

	for (; *c >= '0' && *c <= '9'; c++, count++)
		digits = count < 15 ? digits * 10 + (*c - '0') : digits;
	if (c == start)
		return NULL;
	if (*c == '.')
		for (c++; *c >= '0' && *c <= '9'; c++, count++, power--)
			digits = count < 15 ? digits * 10 + (*c - '0') : digits;
	if (*c == 'e') {
		bool is_negative = c[1] == '-';

		c += 1 + (c[1] == '-' || c[1] == '+');
		if (*c < '0' || *c > '9')
			return NULL;
		for (; *c >= '0' && *c <= '9' && exponent < 100; c++)
			exponent = exponent * 10 + (*c - '0');
		power += is_negative ? -exponent : exponent;
	}
	if (count > 15 || power > 22 || power < -22)
		return NULL;
	*out = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
	return c;
}

static void read_points(struct reader *r, const struct place *at, const char *text,
			struct ss_curve *out)
{
	size_t count = count_words(text), i = 0;
	double *points = count && count <= POINTS_MAX
				 ? arena_array(r->arena, 2 * count, sizeof(*points))
				 : NULL;
	const char *c = text;

	if (!points) {
		if (!r->arena->is_out_of_memory)
			report(r, SS_ERROR, at, "range", "must hold 1 to %d points", POINTS_MAX);
		return;
	}
	for (; i < count; i++) {
		double *x = &points[i], *us = &points[count + i];

		c = scan_number(c, x);
		if (!c || *c != ':' || !(c = scan_number(c + 1, us)) || !(*x > 0) || !(*us > 0) ||
		    (*c != '\0' && *c != ' ') || (i + 1 < count) != (*c == ' ')) {
			report(r, SS_ERROR, at, "range",
			       "point %zu: must be X:MICROSECONDS, both above 0, one space apart",
			       i + 1);
			return;
		}
		if (i && !(*x > points[i - 1])) {
			report(r, SS_ERROR, at, "range",
			       "point %zu: found %.15g, must be above the one before (%.15g)",
			       i + 1, *x, points[i - 1]);
			return;
		}
		c++;
	}
	out->count = count;
	out->x = points;
	out->us = points + count;
}

static bool read_key(const char *text, size_t count, int64_t out[SS_TIMES_KEYS_MAX])
{
	for (size_t i = 0; i < count; i++) {
		char *end;
		long long n;

		if (*text < '0' || *text > '9')
			return false;
		n = strtoll(text, &end, 10);
		if (n < 0 || n > (long long)WIDTH_MAX || *end != (i + 1 < count ? ' ' : '\0'))
			return false;
		out[i] = n;
		text = end + (*end == ' ');
	}
	return true;
}

static int compare_keys(const int64_t a[SS_TIMES_KEYS_MAX], const int64_t b[SS_TIMES_KEYS_MAX])
{
	for (size_t i = 0; i < SS_TIMES_KEYS_MAX; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_widths(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/** The widths a grid was measured at; a corner of it may lack. */
static void make_axes(struct reader *r, struct ss_times_entry *e)
{
	for (int axis = 0; axis < 2; axis++) {
		int64_t *values = arena_array(r->arena, e->curve_count, sizeof(*values));
		size_t n = 0;

		if (!values)
			return;
		for (size_t i = 0; i < e->curve_count; i++)
			values[i] = e->curves[i].key[axis];
		qsort(values, e->curve_count, sizeof(*values), compare_widths);
		for (size_t i = 0; i < e->curve_count; i++)
			if (!n || values[n - 1] < values[i])
				values[n++] = values[i];
		e->axes[axis] = values;
		e->axis_counts[axis] = n;
	}
}

/** Every k needs the narrowest n, from which a missing corner is scaled. */
static void check_grid(struct reader *r, const struct place *at, const struct ss_times_entry *e)
{
	for (size_t i = 0; i < e->axis_counts[1]; i++) {
		const int64_t key[SS_TIMES_KEYS_MAX] = { e->axes[0][0], e->axes[1][i] };

		if (!ss_times_curve(e, key))
			report(r, SS_ERROR, at, "range",
			       "a grid holds its narrowest n (%lld) with every k: %lld lacks",
			       (long long)key[0], (long long)key[1]);
	}
}

static void read_curves(struct reader *r, const struct place *at, const cJSON *map,
			struct ss_times_entry *e)
{
	const struct ss_times_family_row *family = &families[e->family];
	size_t size = 0, count = count_words(family->keys);

	for (const cJSON *item = map->child; item; item = item->next)
		size++;
	if (!size || size > CURVES_MAX) {
		report(r, SS_ERROR, at, "range", "holds %zu curves, must hold 1 to %d", size,
		       CURVES_MAX);
		return;
	}
	e->curves = arena_array(r->arena, size, sizeof(*e->curves));
	if (!e->curves)
		return;
	for (const cJSON *item = map->child; item; item = item->next) {
		struct place place = { at, item->string, 0 };
		struct ss_curve *curve = &e->curves[e->curve_count];

		if (!read_key(item->string, count, curve->key)) {
			report(r, SS_ERROR, &place, "range",
			       "a curve of %s is named by the numbers %s, one space apart",
			       family->name, family->keys);
			return;
		}
		if (e->curve_count && compare_keys(curve->key, curve[-1].key) <= 0) {
			report(r, SS_ERROR, &place, "range", "curves must ascend by %s",
			       family->keys);
			return;
		}
		if (!cJSON_IsString(item)) {
			report(r, SS_ERROR, &place, "type", "must be text, X:MICROSECONDS ...");
			return;
		}
		read_points(r, &place, item->valuestring, curve);
		e->curve_count++;
	}
	if (e->family != SS_TIMES_GEMM || r->error_count)
		return;
	make_axes(r, e);
	if (!r->arena->is_out_of_memory)
		check_grid(r, at, e);
}

const struct ss_curve *ss_times_curve(const struct ss_times_entry *e,
				      const int64_t key[SS_TIMES_KEYS_MAX])
{
	size_t low = 0, high = e->curve_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_keys(e->curves[middle].key, key);

		if (order == 0)
			return &e->curves[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* -- laws and entries --------------------------------------------------------------------- */

static void read_law(struct reader *r, const struct place *at, const cJSON *map,
		     struct ss_times_entry *e)
{
	struct key keys[COUNT(constants)];
	char name[WORD_SIZE];
	size_t n = 0;

	while (n < COUNT(keys) && word_of(families[e->family].constants, n, name)) {
		size_t i = 0;

		while (strcmp(constants[i].name, name) != 0)
			i++;
		keys[n++] = (struct key){ constants[i].name, KEY_NUMBER, true, constants[i].offset,
					  0,                 1e15,       NULL, NULL };
	}
	(void)read_object(r, at, map, keys, n, &e->law, NULL);
}

static void read_at(struct reader *r, const struct place *at, const cJSON *map,
		    struct ss_times_entry *e)
{
	struct key keys[2];
	char names[2][WORD_SIZE];
	size_t n = 0;

	while (n < COUNT(keys) && word_of(families[e->family].keys, n, names[n])) {
		keys[n] = (struct key){ names[n], KEY_INT,   true, n * sizeof(int64_t),
					0,        WIDTH_MAX, NULL, NULL };
		n++;
	}
	(void)read_object(r, at, map, keys, n, e->at, NULL);
}

static void read_errors(struct reader *r, const struct place *at, const cJSON *map,
			struct ss_times_entry *e)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "median", KEY_NUMBER, true, offsetof(struct ss_times_entry, median_error), 0, 10, NULL, NULL },
		{ "p90", KEY_NUMBER, true, offsetof(struct ss_times_entry, p90_error), 0, 100, NULL, NULL },
		{ "points", KEY_INT, true, offsetof(struct ss_times_entry, points), 1, WIDTH_MAX, NULL, NULL },
	};
	/* clang-format on */
	e->has_errors = read_object(r, at, map, keys, COUNT(keys), e, NULL);
}

static int read_release(struct reader *r, const struct place *at, const char *key, const char *text)
{
	struct place place = { at, key, 0 };
	int minor = *text ? ss_release_minor(text) : 0;

	if (*text && !minor)
		report(r, SS_ERROR, &place, "range", "found \"%.40s\", must be a release, as 0.24",
		       text);
	return minor;
}

static void read_entry(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_times_entry *e)
{
	enum { NAME, METHOD, CURVES, LAW, AT, ERRORS, VALUE, SOURCES };
	/* clang-format off */
#define ENTRY(member) offsetof(struct ss_times_entry, member)
	static const struct key keys[] = {
		[NAME] = { "name", KEY_WORD, true, ENTRY(family), 0, 0, &family_words, NULL },
		[METHOD] = { "method", KEY_WORD, true, ENTRY(method), 0, 0, &method_words, NULL },
		[CURVES] = { "curves", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[LAW] = { "law", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[AT] = { "at", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[ERRORS] = { "errors", KEY_OBJECT, false, 0, 0, 0, NULL, NULL },
		[VALUE] = { "value", KEY_NUMBER, false, ENTRY(value), 1e-9, 1e12, NULL, NULL },
		[SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		{ "format", KEY_TEXT, false, ENTRY(format), 0, 0, NULL, NULL },
		{ "kernel", KEY_TEXT, false, ENTRY(kernel), 0, 0, NULL, NULL },
		{ "measured_with", KEY_TEXT, false, ENTRY(measured_with), 0, 0, NULL, NULL },
		{ "from", KEY_TEXT, false, ENTRY(from_text), 0, 0, NULL, NULL },
		{ "to", KEY_TEXT, false, ENTRY(to_text), 0, 0, NULL, NULL },
		{ "rationale", KEY_TEXT, false, ENTRY(rationale), 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place curves = { at, "curves", 0 }, law = { at, "law", 0 };
	struct place key = { at, "at", 0 }, errors = { at, "errors", 0 };
	struct place sources = { at, "sources", 0 };
	const struct ss_times_family_row *family;
	bool has_law, has_curves;

	if (!read_object(r, at, item, keys, COUNT(keys), e, found) || !found[NAME])
		return;
	family = &families[e->family];
	has_law = *family->constants;
	has_curves = *family->argument;
	if (!found[CURVES] != !has_curves || !found[LAW] != !has_law ||
	    !found[VALUE] != (has_law || has_curves)) {
		report(r, SS_ERROR, at, "missing", "%s holds %s and no other value", family->name,
		       has_curves ? "curves"
		       : has_law  ? "a law"
				  : "a value");
		return;
	}
	check_sources(r, &sources, found[SOURCES]);
	if (has_law && *family->keys && !found[AT])
		report(r, SS_ERROR, &key, "missing", "a law of %s is told apart by %s",
		       family->name, family->keys);
	if (found[CURVES])
		read_curves(r, &curves, found[CURVES], e);
	if (found[LAW])
		read_law(r, &law, found[LAW], e);
	if (found[AT])
		read_at(r, &key, found[AT], e);
	if (found[ERRORS])
		read_errors(r, &errors, found[ERRORS], e);
	e->stands_for.from = read_release(r, at, "from", e->from_text);
	e->stands_for.to = read_release(r, at, "to", e->to_text);
}

static void keep_cites(struct reader *r, const cJSON *list, struct ss_times *times)
{
	size_t size = (size_t)(list ? cJSON_GetArraySize(list) : 0);

	times->sources = size ? arena_array(r->arena, size, sizeof(*times->sources)) : NULL;
	if (!times->sources)
		return;
	for (const cJSON *item = list->child; item; item = item->next) {
		const cJSON *cite = cJSON_GetObjectItemCaseSensitive(item, "cite");

		times->sources[times->source_count++] =
			arena_text(r->arena, cJSON_IsString(cite) ? cite->valuestring : "");
	}
}

static void read_times(struct reader *r, const cJSON *root, const char *stem,
		       struct ss_times *times)
{
	enum { KIND, NAME, HARDWARE, DESCRIPTION, SOURCES, ENTRIES };
	/* clang-format off */
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[NAME] = { "name", KEY_NAME, true, offsetof(struct ss_times, name), 0, 0, NULL, NULL },
		[HARDWARE] = { "hardware", KEY_LIST, true, 0, 0, 0, NULL, NULL },
		[DESCRIPTION] = { "description", KEY_TEXT, false, offsetof(struct ss_times, description), 0, 0, NULL, NULL },
		[SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[ENTRIES] = { "entries", KEY_LIST, true, 0, 0, 0, NULL, NULL },
	};
	/* clang-format on */
	const cJSON *found[COUNT(keys)];
	struct place at = { NULL, "entries", 0 }, sources = { NULL, "sources", 0 };
	struct place hardware = { NULL, "hardware", 0 };
	size_t i = 0;

	if (!check_kind(r, root, SS_DOCUMENT_TIMES) ||
	    !read_object(r, NULL, root, keys, COUNT(keys), times, found))
		return;
	check_name(r, times->name, stem);
	check_sources(r, &sources, found[SOURCES]);
	keep_cites(r, found[SOURCES], times);
	read_texts(r, &hardware, found[HARDWARE], 1000, &times->hardware, &times->hardware_count);
	times->count = read_list_size(r, &at, found[ENTRIES], ENTRIES_MAX);
	times->entries =
		times->count ? arena_array(r->arena, times->count, sizeof(*times->entries)) : NULL;
	if (!times->entries)
		return;
	for (const cJSON *item = found[ENTRIES]->child; item; item = item->next, i++) {
		struct place place = { &at, NULL, i };
		struct ss_times_entry *e = &times->entries[i];

		e->format = e->kernel = e->measured_with = e->rationale = r->arena->empty;
		e->from_text = e->to_text = r->arena->empty;
		read_entry(r, &place, item, e);
	}
}

struct ss_times *times_read(const cJSON *root, const char *file, const char *stem,
			    struct ss_problems *problems)
{
	struct times_document *doc = calloc(1, sizeof(*doc));
	struct reader r = { problems, file, doc ? &doc->arena : NULL, 0 };

	if (!doc) {
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
		return NULL;
	}
	doc->times.name = doc->times.description = doc->arena.empty;
	read_times(&r, root, stem, &doc->times);
	if (check_memory(&r) || r.error_count) {
		ss_times_free(&doc->times);
		return NULL;
	}
	return &doc->times;
}

void ss_times_free(struct ss_times *times)
{
	struct times_document *doc = (struct times_document *)times;

	if (!doc)
		return;
	arena_release(&doc->arena);
	free(doc);
}
