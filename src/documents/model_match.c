/* Which graph a name stands for, and which are nearest when none does. */
#include "stepscope/model_names.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stepscope/nearest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NAME_SIZE = 128, PARTS_MAX = 24, CHOICES = 3 };

/* A name taken apart at its dashes. */
struct parts {
	char text[NAME_SIZE];
	const char *items[PARTS_MAX];
	size_t count;
};

void ss_model_match_none(struct ss_model_match *out)
{
	*out = (struct ss_model_match){ 0 };
	out->quantization = out->suffix = "";
}

/* What is searched. */
struct search {
	const struct ss_model_names *table;
	const char *const *graphs;
	size_t count;
};

static void copy(char out[NAME_SIZE], const char *text, size_t length)
{
	if (length >= NAME_SIZE)
		length = NAME_SIZE - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

/** The second part of `https://host/org/name/...`, of `models/org/name` too. */
static const char *name_of_address(const char *text, size_t *length)
{
	const char *host = strstr(text, "://"), *at;

	if (!host || strncasecmp(text, "http", 4) != 0)
		return NULL;
	at = strchr(host + 3, '/');
	if (at && !strncasecmp(at, "/models/", 8))
		at += 7;
	at = at ? strchr(at + 1, '/') : NULL;
	if (!at)
		return NULL;
	*length = strcspn(at + 1, "/?#@");
	return *length ? at + 1 : NULL;
}

/** The last part of `org/name`, `/folder/name/`, `.../models--org--name/snapshots/hash`. */
static void read_name(char out[NAME_SIZE], const char *text)
{
	static const char file[] = "/config.json";
	const char *cached = strstr(text, "models--"), *name;
	size_t length = strlen(text), start;

	name = cached ? strstr(cached + strlen("models--"), "--") : NULL;
	if (name) {
		copy(out, name + 2, strcspn(name + 2, "/"));
		return;
	}
	name = name_of_address(text, &length);
	if (name) {
		copy(out, name, length);
		return;
	}
	if (length >= sizeof(file) && !strcmp(text + length - sizeof(file) + 1, file))
		length -= sizeof(file) - 1;
	while (length && text[length - 1] == '/')
		length--;
	for (start = length; start && text[start - 1] != '/'; start--)
		;
	/* A revision, `name@main`, is the same model. */
	name = memchr(text + start, '@', length - start);
	copy(out, text + start,
	     name && name > text + start ? (size_t)(name - text) - start : length - start);
}

/** Cut the longest format suffix there is; NULL when there is none. */
static const struct ss_name_format *cut_format(char name[NAME_SIZE],
					       const struct ss_model_names *table)
{
	const struct ss_name_format *best = NULL;
	size_t length = strlen(name), cut = 0;

	for (size_t i = 0; table && i < table->format_count; i++) {
		size_t n = strlen(table->formats[i].suffix);

		if (n > cut && length > n &&
		    !ss_edit_distance(name + length - n, table->formats[i].suffix)) {
			best = &table->formats[i];
			cut = n;
		}
	}
	name[length - cut] = '\0';
	return best;
}

static const char *find_graph(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!ss_edit_distance(name, s->graphs[i]))
			return s->graphs[i];
	return NULL;
}

static const struct ss_name_alias *find_alias(const struct search *s, const char *name)
{
	for (size_t i = 0; s->table && i < s->table->alias_count; i++)
		if (!ss_edit_distance(name, s->table->aliases[i].name) &&
		    find_graph(s, s->table->aliases[i].graph))
			return &s->table->aliases[i];
	return NULL;
}

static void take_apart(struct parts *out, const char *name)
{
	copy(out->text, name, strlen(name));
	out->count = 0;
	for (char *at = out->text; at && out->count < PARTS_MAX;) {
		char *dash = strpbrk(at, "-_:");

		if (dash)
			*dash++ = '\0';
		if (*at)
			out->items[out->count++] = at;
		at = dash;
	}
}

/** A part that changes no width: a word of the table, or a date, `0324`, `20250514`. */
static bool is_idle(const struct ss_model_names *table, const char *part)
{
	size_t digits = strspn(part, "0123456789");

	if (!part[digits] && (digits == 4 || digits == 6 || digits == 8))
		return true;
	for (size_t i = 0; table && i < table->word_count; i++)
		if (!strcasecmp(part, table->words[i]))
			return true;
	return false;
}

/** The parts that count, joined again; those left out go to `left` when it is given. */
static void stem_of(char out[NAME_SIZE], const struct search *s, const char *name,
		    struct parts *left)
{
	struct parts parts;
	size_t used = 0, first;

	take_apart(&parts, name);
	first = 0;
	out[0] = '\0';
	for (size_t i = 0; i < parts.count; i++) {
		int n;

		/* The family's own name stays, whatever it is. */
		if (i && is_idle(s->table, parts.items[i])) {
			if (left)
				left->items[left->count++] = name + (parts.items[i] - parts.text);
			continue;
		}
		n = snprintf(out + used, NAME_SIZE - used, "%s%s", i > first ? "-" : "",
			     parts.items[i]);
		used += n > 0 && used + (size_t)n < NAME_SIZE ? (size_t)n : 0;
	}
}

/** The only graph whose name has this stem, less its format where `with_formats`. */
static const char *find_stem(const struct search *s, const char *stem, bool with_formats)
{
	const char *match = NULL;
	size_t found = 0;

	for (size_t i = 0; i < s->count; i++) {
		char name[NAME_SIZE], own[NAME_SIZE];

		copy(name, s->graphs[i], strlen(s->graphs[i]));
		while (with_formats && cut_format(name, s->table))
			;
		stem_of(own, s, name, NULL);
		if (ss_edit_distance(stem, own) != 0)
			continue;
		match = s->graphs[i];
		found++;
	}
	return found == 1 ? match : NULL;
}

static const struct ss_name_alias *find_alias_stem(const struct search *s, const char *stem)
{
	for (size_t i = 0; s->table && i < s->table->alias_count; i++) {
		char own[NAME_SIZE];

		stem_of(own, s, s->table->aliases[i].name, NULL);
		if (!ss_edit_distance(stem, own) && find_graph(s, s->table->aliases[i].graph))
			return &s->table->aliases[i];
	}
	return NULL;
}

static void take_alias(struct ss_model_match *out, const struct search *s,
		       const struct ss_name_alias *alias)
{
	out->graph = find_graph(s, alias->graph);
	out->max_model_len = alias->max_model_len;
	(void)snprintf(out->reason, sizeof(out->reason), "same shape as %s: %s", alias->graph,
		       alias->why);
}

/** Say that the names differ in idle parts alone, or in the graph's format. */
static void explain_stem(struct ss_model_match *out, const struct parts *left, bool is_formatted)
{
	size_t size = sizeof(out->reason), used;

	used = (size_t)snprintf(out->reason, size, "same shape as %s", out->graph);
	if (is_formatted && used < size)
		used += (size_t)snprintf(out->reason + used, size - used,
					 ", the one form of it that there is");
	for (size_t i = 0; i < left->count && used < size; i++)
		used += (size_t)snprintf(out->reason + used, size - used, "%s%.*s", i ? ", " : ": ",
					 (int)strcspn(left->items[i], "-_:"), left->items[i]);
	if (left->count && used < size)
		(void)snprintf(out->reason + used, size - used, " in a name changes no width");
}

/** A graph of this name, of an alias, or of the same parts that count. */
static bool match_plain(struct ss_model_match *out, const struct search *s, const char *name)
{
	const struct ss_name_alias *alias;

	out->graph = find_graph(s, name);
	if (out->graph)
		return true;
	alias = find_alias(s, name);
	if (alias)
		take_alias(out, s, alias);
	return out->graph != NULL;
}

static bool match_stem(struct ss_model_match *out, const struct search *s, const char *name)
{
	struct parts left = { .count = 0 };
	const struct ss_name_alias *alias;
	bool is_formatted = false;
	char stem[NAME_SIZE];

	stem_of(stem, s, name, &left);
	out->graph = find_stem(s, stem, false);
	if (!out->graph) {
		alias = find_alias_stem(s, stem);
		if (alias) {
			take_alias(out, s, alias);
			return true;
		}
		out->graph = find_stem(s, stem, true);
		is_formatted = true;
	}
	if (!out->graph)
		return false;
	explain_stem(out, &left, is_formatted);
	return true;
}

/** Try a name, then the name less its formats, then by the parts that count. */
static bool match_name(struct ss_model_match *out, const struct search *s, const char *text)
{
	const struct ss_name_format *format, *first = NULL;
	char name[NAME_SIZE];

	copy(name, text, strlen(text));
	ss_model_match_none(out);
	if (match_plain(out, s, name))
		return true;
	while ((format = cut_format(name, s->table))) {
		/* What is told first is nearest to the weights: `-int4-autoround`. */
		if (!first || !*first->quantization)
			first = format;
		if (match_plain(out, s, name))
			break;
	}
	if (!out->graph && !match_stem(out, s, name))
		return false;
	if (first) {
		out->quantization = first->quantization;
		out->suffix = first->suffix;
	}
	return true;
}

/* -- the nearest ----------------------------------------------------------------------------- */

/* What tells models apart, from their names alone. */
struct traits {
	size_t family;  /**< length of the first run of letters */
	double size;    /**< billions of parameters; 0: the name does not say */
	double version; /**< the first number; 0: none */
};

/** `32b`, `8x7b`, `0.5b`, `360m` in billions; 0 for another part. */
static double size_of(const char *part)
{
	char *end;
	double times = 1, value = strtod(part, &end);

	if (end == part || !isdigit((unsigned char)*part))
		return 0;
	if (tolower((unsigned char)*end) == 'x') {
		const char *rest = end + 1;

		times = value;
		value = strtod(rest, &end);
		if (end == rest)
			return 0;
	}
	if (end[0] && end[1])
		return 0;
	return tolower((unsigned char)*end) == 'b'   ? times * value
	       : tolower((unsigned char)*end) == 'm' ? times * value / 1000
						     : 0;
}

static struct traits traits_of(const char *name)
{
	struct traits t = { .family = 0 };
	struct parts parts;
	const char *digits = strpbrk(name, "0123456789");

	while (isalpha((unsigned char)name[t.family]))
		t.family++;
	take_apart(&parts, name);
	for (size_t i = 0; i < parts.count && t.size <= 0; i++)
		t.size = size_of(parts.items[i]);
	if (digits && size_of(digits) <= 0)
		t.version = strtod(digits, NULL);
	return t;
}

/** Do two names begin with one family? `meta-llama-3` and `llama-3` do not. */
static bool is_family(const char *a, const struct traits *x, const char *b, const struct traits *y)
{
	return x->family && x->family == y->family && !strncasecmp(a, b, x->family);
}

/** Far apart in family counts most, then in size, then in letters. */
static double distance_of(const char *text, const char *name)
{
	struct traits a = traits_of(text), b = traits_of(name);
	double distance = ss_edit_distance(text, name) * 0.001;

	if (!is_family(text, &a, name, &b)) {
		/* A slip of the pen in the family's name is a family still. */
		char x[NAME_SIZE], y[NAME_SIZE];
		unsigned edits;

		copy(x, text, a.family);
		copy(y, name, b.family);
		edits = ss_edit_distance(x, y);
		distance += a.family > 3 && edits <= 2 ? edits * 0.1 : 20;
	}
	if (a.size > 0 && b.size > 0)
		distance += fabs(log(a.size / b.size));
	else if (a.size > 0 || b.size > 0)
		distance += 1;
	if (a.version > 0 && b.version > 0)
		distance += fmin(fabs(a.version - b.version), 4) * 0.05;
	return distance;
}

void ss_model_nearest(char *out, size_t size, const char *text, const char *const *graphs,
		      size_t count)
{
	const char *chosen[CHOICES] = { NULL, NULL, NULL };
	double distances[CHOICES] = { 0, 0, 0 };
	size_t used = 0, length = 0;

	for (size_t i = 0; i < count; i++) {
		double distance = distance_of(text, graphs[i]);
		size_t at = used;

		while (at && distances[at - 1] > distance)
			at--;
		if (at == CHOICES)
			continue;
		if (used < CHOICES)
			used++;
		for (size_t j = used - 1; j > at; j--) {
			chosen[j] = chosen[j - 1];
			distances[j] = distances[j - 1];
		}
		chosen[at] = graphs[i];
		distances[at] = distance;
	}
	out[0] = '\0';
	for (size_t i = 0; i < used && length < size; i++) {
		int n = snprintf(out + length, size - length, "%s%s", i ? ", " : "", chosen[i]);

		length += n > 0 ? (size_t)n : 0;
	}
}

enum ss_status ss_model_match(struct ss_model_match *out, const char *text,
			      const struct ss_model_names *table, const char *const *graphs,
			      size_t count, struct ss_error *err)
{
	struct search s = { table, graphs, count };
	char name[NAME_SIZE], nearest[200];
	const char *dash;

	read_name(name, text);
	if (match_name(out, &s, name))
		return SS_OK;
	/* Some put a maker's name first, mostly the organisation's own. */
	dash = strchr(name, '-');
	if (dash && match_name(out, &s, dash + 1))
		return SS_OK;
	ss_model_match_none(out);
	ss_model_nearest(nearest, sizeof(nearest), name, graphs, count);
	return ss_fail(err, SS_EUSAGE, "model",
		       "no model graph for '%.60s'; nearest by family and size: %s", name,
		       *nearest ? nearest : "none");
}
