#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/select.h"

enum { MOST = 4 };

/* All limits on one subject, gathered from the declaration and the order, so
 * that the reader is told one range and not four halves of it. */
struct limit {
	int64_t low;
	int64_t high;
	int64_t multiples[MOST];
	size_t multiple_count;
	int64_t not_multiple;
	const struct ss_numbers *lists[MOST];
	size_t list_count;
	const struct ss_numbers *not_list;
	int flag; /* -1: either */
};

static char *format_text(const char *format, ...) SS_PRINTF(1, 2);

static char *format_text(const char *format, ...)
{
	char text[640];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return strdup(text);
}

static void add_need(struct need_list *out, char *text, const char *option, const char *value)
{
	struct ss_route_need *grown = realloc(out->items, (out->count + 1) * sizeof(*out->items));

	if (!grown || !text) {
		free(text);
		if (grown)
			out->items = grown;
		out->is_out_of_memory = true;
		return;
	}
	out->items = grown;
	grown[out->count++] = (struct ss_route_need){ text, option, value };
}

void needs_release(struct ss_route_need *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(items[i].text);
	free(items);
}

static void limit_low(struct limit *l, int64_t value)
{
	if (value > l->low)
		l->low = value;
}

static void limit_high(struct limit *l, int64_t value)
{
	if (value < l->high)
		l->high = value;
}

static void limit_list(struct limit *l, const struct ss_numbers *list)
{
	if (list->count > 0 && l->list_count < MOST)
		l->lists[l->list_count++] = list;
}

static void limit_multiple(struct limit *l, int64_t value)
{
	if (value > 1 && l->multiple_count < MOST)
		l->multiples[l->multiple_count++] = value;
}

static void limit_condition(struct limit *limits, const struct ss_route_condition *c)
{
	const struct condition_kind *kind = condition_kind(c->key);
	struct limit *l = &limits[kind->subject];

	switch (kind->test) {
	case TEST_MIN:
		limit_low(l, c->numbers.items[0]);
		break;
	case TEST_MAX:
		limit_high(l, c->numbers.items[0]);
		break;
	case TEST_BELOW:
		limit_high(l, c->numbers.items[0] - 1);
		break;
	case TEST_EQUAL:
		limit_list(l, &c->numbers);
		break;
	case TEST_IN:
		limit_list(l, &c->numbers);
		break;
	case TEST_NOT_IN:
		l->not_list = &c->numbers;
		break;
	case TEST_MULTIPLE:
		limit_multiple(l, c->numbers.items[0]);
		break;
	case TEST_NOT_MULTIPLE:
		l->not_multiple = c->numbers.items[0];
		break;
	case TEST_IS:
		l->flag = c->flag;
		break;
	case TEST_NAMES:
	case TEST_ON:
	case TEST_OFF:
	case TEST_TEXT:
		break;
	}
}

/* What would undo an XQA refusal: turn round the one condition of it that a
 * caller can change, a length or a list; a switch; or say the rule. */
static void limit_xqa(struct need_list *out, struct limit *limits, const struct facts *facts,
		      const struct ss_xqa_rule *rule, const struct ss_route_conditions *when)
{
	char text[160];

	for (size_t i = 0; i < when->count; i++) {
		const struct ss_route_condition *c = &when->items[i];
		const struct condition_kind *kind = condition_kind(c->key);

		if (kind->test == TEST_BELOW)
			limit_low(&limits[kind->subject], c->numbers.items[0]);
		else if (kind->test == TEST_NOT_IN)
			limit_list(&limits[kind->subject], &c->numbers);
		else if (kind->test == TEST_IS && kind->subject < SUBJECT_NUMBERS)
			limits[kind->subject].flag = !c->flag;
		else if (kind->test == TEST_OFF)
			add_need(out, format_text("%s on (%s)", c->text, rule->reason), c->text,
				 "true");
		else
			continue;
		return;
	}
	(void)facts;
	ss_route_condition_text(&when->items[when->count - 1], text, sizeof(text));
	add_need(out, format_text("not %s (%s)", text, rule->reason), NULL, NULL);
}

static bool list_has(const struct ss_numbers *list, int64_t value)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == value)
			return true;
	return false;
}

static bool limit_admits(const struct limit *l, int64_t value)
{
	if (l->flag >= 0 && (value != 0) != (l->flag == 1))
		return false;
	if (value < l->low || value > l->high)
		return false;
	for (size_t i = 0; i < l->list_count; i++)
		if (!list_has(l->lists[i], value))
			return false;
	for (size_t i = 0; i < l->multiple_count; i++)
		if (value <= 0 || value % l->multiples[i])
			return false;
	if (l->not_multiple > 0 && value % l->not_multiple == 0)
		return false;
	return !l->not_list || !list_has(l->not_list, value);
}

/* How far the value is from what would do, relative to that. */
static double limit_step(const struct limit *l, int64_t value)
{
	int64_t aim = value;

	if (l->flag >= 0)
		return 1;
	if (l->list_count > 0) {
		aim = l->lists[0]->items[0];
		for (size_t i = 0; i < l->lists[0]->count; i++) {
			int64_t item = l->lists[0]->items[i];

			if (llabs(item - value) < llabs(aim - value))
				aim = item;
		}
	} else if (value < l->low) {
		aim = l->low;
	} else if (value > l->high) {
		aim = l->high;
	} else if (l->multiple_count > 0) {
		aim = value + l->multiples[0] - value % l->multiples[0];
	} else {
		aim = value + 1;
	}
	return (double)llabs(aim - value) / (double)(aim > 0 ? aim : 1);
}

static void append(char *out, size_t size, const char *format, ...) SS_PRINTF(3, 4);

static void append(char *out, size_t size, const char *format, ...)
{
	size_t used = strlen(out);
	va_list args;

	va_start(args, format);
	vsnprintf(out + used, size - used, format, args);
	va_end(args);
}

static void limit_words(const struct limit *l, char *out, size_t size)
{
	out[0] = '\0';
	if (l->list_count > 0) {
		const char *between = "";

		for (size_t i = 0; i < l->lists[0]->count; i++) {
			int64_t item = l->lists[0]->items[i];
			bool is_in = item >= l->low && item <= l->high;

			for (size_t j = 1; is_in && j < l->list_count; j++)
				is_in = list_has(l->lists[j], item);
			if (is_in) {
				append(out, size, "%s%" PRId64, between, item);
				between = " or ";
			}
		}
	} else if (l->low > 0 && l->low == l->high) {
		append(out, size, "%" PRId64, l->low);
	} else if (l->low > 0 && l->high < INT64_MAX) {
		append(out, size, "%" PRId64 "-%" PRId64, l->low, l->high);
	} else if (l->low > 0) {
		append(out, size, "at least %" PRId64, l->low);
	} else if (l->high < INT64_MAX) {
		append(out, size, "at most %" PRId64, l->high);
	}
	for (size_t i = 0; i < l->multiple_count; i++)
		if (i == 0 || l->multiples[i] != l->multiples[i - 1])
			append(out, size, "%sa multiple of %" PRId64, out[0] ? ", " : "",
			       l->multiples[i]);
	if (l->not_multiple > 0)
		append(out, size, "%sno multiple of %" PRId64, out[0] ? ", " : "", l->not_multiple);
}

static void need_limits(struct need_list *out, const struct facts *facts,
			const struct limit *limits)
{
	for (int i = 0; i < SUBJECT_NUMBERS; i++) {
		enum subject subject = (enum subject)i;
		int64_t value = facts->values[subject];
		char words[320];

		if (limit_admits(&limits[i], value))
			continue;
		out->step += limit_step(&limits[i], value);
		if (subject_is_flag(subject)) {
			add_need(out,
				 format_text("%s %s, has %s", subject_label(facts, subject),
					     limits[i].flag ? "true" : "false",
					     value ? "true" : "false"),
				 NULL, NULL);
			continue;
		}
		limit_words(&limits[i], words, sizeof(words));
		add_need(out,
			 format_text("%s %s, has %" PRId64, subject_label(facts, subject), words,
				     value),
			 NULL, NULL);
	}
}

static void join(char *out, size_t size, const struct ss_names *names)
{
	out[0] = '\0';
	for (size_t i = 0; i < names->count; i++)
		append(out, size, "%s%s", i ? " or " : "", names->items[i]);
}

static void need_codec(struct need_list *out, const struct facts *facts,
		       const struct ss_names *codecs)
{
	const struct ss_kv_codec *codec = facts->request.codec;
	char wanted[160];

	if (codec && names_have(codecs, codec->symbol))
		return;
	join(wanted, sizeof(wanted), codecs);
	out->step += 1;
	add_need(out, format_text("codec %s, has %s", wanted, codec ? codec->symbol : "none"), NULL,
		 NULL);
}

/* Needs of names and switches; numbers only add to the limits. */
static void need_conditions(struct need_list *out, const struct facts *facts,
			    const struct ss_route_conditions *conditions, struct limit *limits,
			    bool *has_codec)
{
	for (size_t i = 0; i < conditions->count; i++) {
		const struct ss_route_condition *c = &conditions->items[i];
		const struct condition_kind *kind = condition_kind(c->key);
		char text[256];

		if (kind->subject < SUBJECT_NUMBERS) {
			limit_condition(limits, c);
			continue;
		}
		if (condition_holds(facts, c) || kind->subject == SUBJECT_XQA)
			continue;
		if (kind->subject == SUBJECT_CODEC) {
			if (!*has_codec)
				need_codec(out, facts, &c->names);
			*has_codec = true;
			continue;
		}
		out->step += 1;
		if (kind->subject == SUBJECT_OPTION && c->text) {
			bool is_on = kind->test == TEST_ON;

			add_need(out, format_text("%s %s", c->text, is_on ? "on" : "off"), c->text,
				 is_on ? "true" : "false");
			continue;
		}
		out->has_unsettable |= kind->subject == SUBJECT_OPTION;
		ss_route_condition_text(c, text, sizeof(text));
		add_need(out, format_text("%s", text), NULL, NULL);
	}
}

static void need_declared(struct need_list *out, const struct facts *facts,
			  const struct ss_attention_route *route, struct limit *limits)
{
	struct limit *q = &limits[SUBJECT_Q];

	if (names_have(&facts->request.disabled, route->name))
		add_need(out, format_text("policy to allow it"), NULL, NULL);
	if (names_have(&facts->request.unavailable, route->name))
		add_need(out, format_text("its native op"), NULL, NULL);
	limit_list(&limits[SUBJECT_HEAD_DIM], &route->head_dims);
	limit_list(&limits[SUBJECT_GQA], &route->gqa_ratios);
	limit_multiple(&limits[SUBJECT_PAGE], route->page_alignment);
	limit_list(&limits[SUBJECT_PAGE], &route->page_sizes);
	limit_low(q, route->min_chunk);
	if (route->max_chunk >= 0)
		limit_high(q, route->max_chunk);
	limit_multiple(q, route->chunk_alignment);
	limit_list(q, &route->chunk_sizes);
}

void needs_collect(struct need_list *out, const struct facts *facts,
		   const struct ss_route_candidate *candidate,
		   const struct ss_route_conditions *extra)
{
	const struct ss_attention_route *route = candidate->admitted_as;
	struct limit limits[SUBJECT_NUMBERS];
	bool has_codec = false;
	bool asks_xqa = route && route->is_xqa;

	*out = (struct need_list){ 0 };
	for (int i = 0; i < SUBJECT_NUMBERS; i++)
		limits[i] = (struct limit){ .high = INT64_MAX, .flag = -1 };
	if (route) {
		has_codec = !(facts->request.codec &&
			      names_have(&route->codecs, facts->request.codec->symbol));
		need_codec(out, facts, &route->codecs);
		need_declared(out, facts, route, limits);
	}
	if (extra)
		need_conditions(out, facts, extra, limits, &has_codec);
	need_conditions(out, facts, &candidate->needs, limits, &has_codec);
	for (size_t i = 0; i < candidate->needs.count; i++)
		asks_xqa |= condition_kind(candidate->needs.items[i].key)->subject == SUBJECT_XQA;
	for (size_t i = 0; asks_xqa && i < facts->reference->xqa_rule_count; i++) {
		const struct ss_xqa_rule *rule = &facts->reference->xqa_rules[i];

		for (size_t j = 0; j < rule->alternative_count; j++)
			if (conditions_hold(facts, &rule->alternatives[j]))
				limit_xqa(out, limits, facts, rule, &rule->alternatives[j]);
	}
	need_limits(out, facts, limits);
}
