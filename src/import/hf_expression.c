#include "import/hf_expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define COUNT_MOST 1e9

enum value_kind {
	ABSENT,
	NUMBER,
	TEXT,
};

struct value {
	enum value_kind kind;
	double number;
	const char *text;
	size_t length; /* of the text */
};

struct parser {
	struct hf *h;
	const char *at;
	const struct hf_frame *frame;
	int depth;
	bool is_skipping; /* reads on, evaluates nothing */
	bool has_fractions;
};

static const struct value absent = { ABSENT, 0, NULL, 0 };

static struct value number(double x)
{
	return (struct value){ NUMBER, x, NULL, 0 };
}

static struct value text(const char *s, size_t length)
{
	return (struct value){ TEXT, 0, s, length };
}

static bool is_true(struct value v)
{
	return v.kind == TEXT || (v.kind == NUMBER && (v.number < 0 || v.number > 0));
}

static struct value parse_choice(struct parser *p);

static void skip_space(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t')
		p->at++;
}

static bool take(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_space(p);
	if (strncmp(p->at, token, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* -- names ---------------------------------------------------------------------------- */

static const cJSON *find_in(const cJSON *object, int layer, const char *name, size_t length)
{
	const cJSON *item = object;
	char part[64];

	while (item && length) {
		const char *dot = memchr(name, '.', length);
		size_t n = dot ? (size_t)(dot - name) : length;

		if (n >= sizeof(part))
			return NULL;
		memcpy(part, name, n);
		part[n] = '\0';
		/* Of a list of objects, the one of the layer. */
		if (cJSON_IsArray(item))
			item = cJSON_GetArrayItem(item, layer);
		item = cJSON_GetObjectItemCaseSensitive(item, part);
		length -= dot ? n + 1 : n;
		name += dot ? n + 1 : n;
	}
	return item && !cJSON_IsNull(item) ? item : NULL;
}

static const cJSON *find_key(const struct hf *h, const char *name, size_t length, bool *is_text)
{
	const cJSON *item = find_in(h->text, (int)h->layer, name, length);

	*is_text = item && h->text != h->root;
	return item ? item : find_in(h->root, (int)h->layer, name, length);
}

static struct value read_number(struct parser *p, const cJSON *item, const char *name,
				size_t length, bool is_text)
{
	double x = item->valuedouble;
	char pointer[128], path[64];

	if (x >= 0 && x <= COUNT_MOST && (p->has_fractions || x == floor(x)))
		return number(x);
	snprintf(path, sizeof(path), "%.*s", (int)length, name);
	for (char *c = path; *c; c++)
		*c = *c == '.' ? '/' : *c;
	snprintf(pointer, sizeof(pointer), "/%s%s%s", is_text ? p->h->text_key : "",
		 is_text ? "/" : "", path);
	hf_problem(p->h, "range", pointer, "wants a whole number of 0 to 10^9");
	return number(0);
}

static struct value value_of(struct parser *p, const cJSON *item, const char *name, size_t length,
			     bool is_text)
{
	if (cJSON_IsArray(item))
		item = cJSON_GetArrayItem(item, (int)p->h->layer);
	if (cJSON_IsBool(item))
		return number(cJSON_IsTrue(item));
	if (cJSON_IsString(item))
		return text(item->valuestring, strlen(item->valuestring));
	if (cJSON_IsNumber(item))
		return read_number(p, item, name, length, is_text);
	return absent;
}

static struct value look_up_key(struct parser *p, const char *name, size_t length)
{
	bool is_text;
	const cJSON *item = find_key(p->h, name, length, &is_text);
	struct value v = value_of(p, item, name, length, is_text);

	/* An object or an empty list is stated, though it has no value. */
	if (v.kind == ABSENT && !item && !*p->h->missing)
		snprintf(p->h->missing, sizeof(p->h->missing), "%.*s", (int)length, name);
	return v;
}

/** Text after `name =` in a list of definitions; NULL when it has none. */
static const char *find_definition(const char *list, const char *name, size_t length)
{
	for (const char *p = list; p && *p;) {
		size_t n;

		p += strspn(p, " \n\t;");
		n = strcspn(p, " =;");
		if (n == length && !strncmp(p, name, n)) {
			p += n;
			p += strspn(p, " ");
			return *p == '=' ? p + 1 : NULL;
		}
		p = strchr(p, ';');
	}
	return NULL;
}

static struct value look_up(struct parser *p, const char *name, size_t length)
{
	const char *const lists[] = { p->h->family->definitions, hf_common, hf_towers };
	int start = 0;

	if (length == 1 && *name == 'l')
		return number((double)p->h->layer);
	if (length == 5 && !strncmp(name, "block", 5))
		return p->h->block ? text(p->h->block, strlen(p->h->block)) : absent;
	if (length == 5 && !strncmp(name, "draft", 5))
		return number(p->h->is_draft);
	for (const struct hf_frame *f = p->frame; f; f = f->outer) {
		if (f->length == length && !strncmp(f->name, name, length) && f->level >= start)
			start = f->level + 1;
	}
	for (int level = start; level < 3; level++) {
		const char *definition = find_definition(lists[level], name, length);
		struct hf_frame frame = { p->frame, name, length, level };
		struct parser inner = { p->h, definition, &frame, p->depth + 1, false, false };

		if (definition && inner.depth < DEPTH_MAX)
			return parse_choice(&inner);
	}
	return look_up_key(p, name, length);
}

/* -- functions ------------------------------------------------------------------------ */

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || (s[n] == '.' && n))
		n++;
	return n;
}

/** The list or object of a key named as an argument. */
static const cJSON *take_item(struct parser *p)
{
	bool is_text;
	const cJSON *item;
	size_t n;

	skip_space(p);
	n = name_length(p->at);
	item = find_key(p->h, p->at, n, &is_text);
	p->at += n;
	return item;
}

/** "4,5,6" holds 5. */
static bool lists_number(const char *s, double x)
{
	while (*s) {
		char *end;
		double item = (double)strtol(s, &end, 10);

		if (end != s && item >= x && item <= x)
			return true;
		s = *end ? end + 1 : end;
	}
	return false;
}

static struct value call_in(struct parser *p)
{
	struct value v = parse_choice(p);
	const cJSON *list, *item;

	(void)take(p, ",");
	list = take_item(p);
	if (cJSON_IsString(list))
		return number(v.kind == NUMBER && lists_number(list->valuestring, v.number));
	cJSON_ArrayForEach(item, list)
	{
		if (v.kind == NUMBER && cJSON_IsNumber(item) && item->valuedouble >= v.number &&
		    item->valuedouble <= v.number)
			return number(1);
	}
	return number(0);
}

static struct value call_letter(struct parser *p)
{
	struct value s = parse_choice(p), i;

	(void)take(p, ",");
	i = parse_choice(p);
	if (s.kind != TEXT || i.kind != NUMBER || i.number < 0 || i.number >= (double)s.length)
		return absent;
	return text(s.text + (size_t)i.number, 1);
}

static struct value call_item(struct parser *p)
{
	const cJSON *list = take_item(p), *item;
	struct value i;

	(void)take(p, ",");
	i = parse_choice(p);
	item = i.kind == NUMBER ? cJSON_GetArrayItem(list, (int)i.number) : NULL;
	return item ? value_of(p, item, "", 0, false) : absent;
}

static struct value call_two(struct parser *p, const char *name)
{
	struct value a = parse_choice(p), b;

	(void)take(p, ",");
	b = parse_choice(p);
	if (a.kind != NUMBER || b.kind != NUMBER)
		return absent;
	if (*name == 'l')
		return a.number < b.number ? a : b;
	if (*name == 'm')
		return a.number > b.number ? a : b;
	return b.number > 0 ? number(ceil(a.number / b.number) * b.number) : absent;
}

static bool is_named(const char *name, size_t length, const char *expected)
{
	return strlen(expected) == length && !strncmp(name, expected, length);
}

static struct value call(struct parser *p, const char *name, size_t length)
{
	struct value v = absent;

	if (is_named(name, length, "has")) {
		char missing[sizeof(p->h->missing)];
		bool is_stated;

		memcpy(missing, p->h->missing, sizeof(missing));
		is_stated = take_item(p) != NULL;
		memcpy(p->h->missing, missing, sizeof(missing));
		v = number(is_stated);
	} else if (is_named(name, length, "length")) {
		v = number(cJSON_GetArraySize(take_item(p)));
	} else if (is_named(name, length, "letters")) {
		struct value s = parse_choice(p);

		v = s.kind == TEXT ? number((double)s.length) : absent;
	} else if (is_named(name, length, "in")) {
		v = call_in(p);
	} else if (is_named(name, length, "letter")) {
		v = call_letter(p);
	} else if (is_named(name, length, "item")) {
		v = call_item(p);
	} else if (is_named(name, length, "real")) {
		bool had = p->has_fractions;

		p->has_fractions = true;
		v = parse_choice(p);
		p->has_fractions = had;
	} else {
		v = call_two(p, name);
	}
	(void)take(p, ")");
	return v;
}

/* -- operators ------------------------------------------------------------------------ */

static struct value parse_primary(struct parser *p)
{
	const char *name;
	size_t n;

	skip_space(p);
	if (take(p, "(")) {
		struct value v = parse_choice(p);

		(void)take(p, ")");
		return v;
	}
	if (*p->at == '\'') {
		const char *start = ++p->at;

		p->at += strcspn(p->at, "'");
		n = (size_t)(p->at - start);
		p->at += *p->at == '\'';
		return text(start, n);
	}
	if (isdigit((unsigned char)*p->at)) {
		double x = 0;

		while (isdigit((unsigned char)*p->at))
			x = x * 10 + (*p->at++ - '0');
		return number(x);
	}
	name = p->at;
	n = name_length(p->at);
	p->at += n;
	if (take(p, "("))
		return call(p, name, n);
	return p->is_skipping ? number(1) : look_up(p, name, n);
}

static struct value parse_unary(struct parser *p)
{
	skip_space(p);
	if (*p->at == '!' && p->at[1] != '=') {
		p->at++;
		return number(!is_true(parse_unary(p)));
	}
	return parse_primary(p);
}

static struct value arithmetic(char op, struct value a, struct value b)
{
	if (a.kind != NUMBER || b.kind != NUMBER)
		return absent;
	switch (op) {
	case '*':
		return number(a.number * b.number);
	case '+':
		return number(a.number + b.number);
	case '-':
		return number(a.number - b.number);
	case '/':
		return b.number > 0 ? number(floor(a.number / b.number)) : absent;
	default:
		return b.number > 0 ? number(fmod(a.number, b.number)) : absent;
	}
}

static struct value parse_product(struct parser *p)
{
	struct value v = parse_unary(p);

	for (;;) {
		skip_space(p);
		if (*p->at != '*' && *p->at != '/' && *p->at != '%')
			return v;
		{
			char op = *p->at++;

			v = arithmetic(op, v, parse_unary(p));
		}
	}
}

static struct value parse_sum(struct parser *p)
{
	struct value v = parse_product(p);

	for (;;) {
		skip_space(p);
		if (*p->at != '+' && *p->at != '-')
			return v;
		{
			char op = *p->at++;

			v = arithmetic(op, v, parse_product(p));
		}
	}
}

static bool is_equal(struct value a, struct value b)
{
	if (a.kind != b.kind || a.kind == ABSENT)
		return false;
	if (a.kind == TEXT)
		return a.length == b.length && !strncmp(a.text, b.text, a.length);
	return a.number >= b.number && a.number <= b.number;
}

static struct value parse_comparison(struct parser *p)
{
	struct value a = parse_sum(p), b;
	bool both;

	if (take(p, "=="))
		return number(is_equal(a, parse_sum(p)));
	if (take(p, "!="))
		return number(!is_equal(a, parse_sum(p)));
	skip_space(p);
	if (*p->at != '<' && *p->at != '>')
		return a;
	{
		char op = *p->at++;
		bool or_equal = take(p, "=");

		b = parse_sum(p);
		both = a.kind == NUMBER && b.kind == NUMBER;
		if (op == '<')
			return number(both &&
				      (or_equal ? a.number <= b.number : a.number < b.number));
		return number(both && (or_equal ? a.number >= b.number : a.number > b.number));
	}
}

/** Read past what is not asked for: its keys need not be there. */
static struct value guarded(struct parser *p, bool is_wanted,
			    struct value (*parse)(struct parser *))
{
	bool was = p->is_skipping;
	struct value v;

	p->is_skipping = was || !is_wanted;
	v = parse(p);
	p->is_skipping = was;
	return v;
}

static struct value parse_and(struct parser *p)
{
	struct value v = parse_comparison(p);

	while (take(p, "&&")) {
		bool first = is_true(v);
		struct value next = guarded(p, first, parse_comparison);

		v = number(first && is_true(next));
	}
	return v;
}

static struct value parse_or(struct parser *p)
{
	struct value v = parse_and(p);

	while (take(p, "||")) {
		bool first = is_true(v);
		struct value next = guarded(p, !first, parse_and);

		v = number(first || is_true(next));
	}
	return v;
}

/** What was missing matters no more once there is a value. */
struct missing {
	char key[sizeof(((struct hf *)0)->missing)];
};

static struct missing keep_missing(const struct hf *h)
{
	struct missing m;

	memcpy(m.key, h->missing, sizeof(m.key));
	return m;
}

static void restore_missing(struct hf *h, const struct missing *m)
{
	memcpy(h->missing, m->key, sizeof(m->key));
}

static struct value parse_default(struct parser *p)
{
	struct missing before = keep_missing(p->h);
	struct value v = parse_or(p);

	while (take(p, "??")) {
		struct value next = guarded(p, v.kind == ABSENT, parse_or);

		if (v.kind == ABSENT)
			v = next;
	}
	if (v.kind != ABSENT)
		restore_missing(p->h, &before);
	return v;
}

static struct value parse_choice(struct parser *p)
{
	struct missing before = keep_missing(p->h);
	struct value v = parse_default(p), a, b;
	bool is_first;

	skip_space(p);
	if (*p->at != '?' || p->at[1] == '?')
		return v;
	p->at++;
	restore_missing(p->h, &before);
	is_first = is_true(v);
	a = guarded(p, is_first, parse_choice);
	(void)take(p, ":");
	b = guarded(p, !is_first, parse_choice);
	return is_first ? a : b;
}

static struct value evaluate(struct hf *h, const char *expression)
{
	struct parser p = { .h = h, .at = expression };

	h->missing[0] = '\0';
	return parse_choice(&p);
}

/* -- what callers ask ----------------------------------------------------------------- */

int64_t hf_count(struct hf *h, const char *expression, int64_t fallback)
{
	struct value v = evaluate(h, expression);

	return v.kind == NUMBER ? (int64_t)v.number : fallback;
}

int64_t hf_need(struct hf *h, const char *expression)
{
	struct value v = evaluate(h, expression);
	char pointer[96];

	if (v.kind == NUMBER && v.number >= 0)
		return (int64_t)v.number;
	snprintf(pointer, sizeof(pointer), "/%s", h->missing);
	hf_problem(h, "missing", pointer, "%s has no default for this architecture", h->missing);
	return 0;
}

bool hf_holds(struct hf *h, const char *expression)
{
	return is_true(evaluate(h, expression));
}

enum hf_kind hf_value(struct hf *h, const char *expression, int64_t *count, char *out, size_t size)
{
	struct value v = evaluate(h, expression);

	*count = v.kind == NUMBER ? (int64_t)v.number : 0;
	out[0] = '\0';
	if (v.kind == TEXT)
		snprintf(out, size, "%.*s", (int)(v.length < size ? v.length : size - 1), v.text);
	return v.kind == ABSENT ? HF_ABSENT : v.kind == TEXT ? HF_TEXT : HF_COUNT;
}

bool hf_text(struct hf *h, char *out, size_t size, const char *expression)
{
	int64_t count;

	return hf_value(h, expression, &count, out, size) == HF_TEXT;
}
