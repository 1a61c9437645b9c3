/*
 * Rules of a pack: `when` is a list of comparisons, words apart by one space, of facts,
 * settings as stated, variables of the host, numbers and words:
 *
 *	stated.max_model_len > window
 *	env.VLLM_ALLOW_LONG_MAX_MODEL_LEN != 1
 *	cache_dtype not in auto float16
 *	columns / split % group_size != 0
 *
 * Texts hold the same in braces. A name that is no fact is a problem on the left of a
 * comparison and in braces, and a word elsewhere.
 */
#include "documents/pack_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/nearest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(type, member) offsetof(struct type, member)

enum { RULES_MAX = 1000, WORDS_MAX = 64, TEXT_MAX = 2000 };

static const char *const fact_names[] = {
#define SS_X(id, name, scope) [SS_FACT_##id] = name,
	SS_FACTS(SS_X)
#undef SS_X
};

static const enum ss_rule_scope fact_scopes[] = {
#define SS_X(id, name, scope) [SS_FACT_##id] = SS_RULE_##scope,
	SS_FACTS(SS_X)
#undef SS_X
};

static const char *const effect_names[] = { "refuse", "warn" };
static const struct words effect_words = { effect_names, COUNT(effect_names), 0 };

static const char *const each_names[] = { "linear", "experts", "attention", "recurrent" };
static const struct words each_words = { each_names, COUNT(each_names), SS_RULE_LINEAR };

static const char *const test_names[] = { "=", "!=", "<", "<=", ">", ">=", "in", "not" };

const char *ss_fact_name(enum ss_fact_id fact)
{
	return fact < SS_FACT_COUNT ? fact_names[fact] : "";
}

/* A rule being read. */
struct rule_reader {
	struct reader *r;
	const struct place *at; /* of the text in hand */
	struct ss_rule *rule;
};

static int find_test(const char *word)
{
	for (size_t i = 0; i < COUNT(test_names); i++)
		if (strcmp(test_names[i], word) == 0)
			return (int)i;
	return -1;
}

static bool is_operation(const char *word)
{
	return word[0] && !word[1] && strchr("*/%+-", word[0]);
}

/* What a fact asks of the rule: a place where it is known. */
static void need_scope(struct rule_reader *q, enum ss_fact_id fact)
{
	enum ss_rule_scope needed = fact_scopes[fact], *has = &q->rule->scope;

	if (needed == SS_RULE_DEPLOYMENT || needed == *has ||
	    (needed == SS_RULE_NODE && *has >= SS_RULE_LINEAR))
		return;
	if (needed == SS_RULE_POOL && *has == SS_RULE_DEPLOYMENT)
		*has = SS_RULE_POOL;
	else
		report(q->r, SS_ERROR, q->at, "value",
		       "%s is not known here; say of which \"each\"", fact_names[fact]);
}

static void report_unknown(struct rule_reader *q, const char *word)
{
	const char *near = NULL;
	unsigned best = 4;

	for (size_t i = 0; i < COUNT(fact_names); i++)
		if (ss_edit_distance(word, fact_names[i]) < best) {
			best = ss_edit_distance(word, fact_names[i]);
			near = fact_names[i];
		}
	report(q->r, SS_ERROR, q->at, "value", "\"%.60s\" is no fact of a deployment%s%s%s", word,
	       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static void read_value(struct rule_reader *q, const char *word, bool may_be_word,
		       struct ss_rule_value *out)
{
	char *end;

	out->number = strtod(word, &end);
	out->fact = SS_FACT_NUMBER;
	if (end != word && !*end)
		return;
	if (strncmp(word, "stated.", 7) == 0) {
		out->fact = SS_FACT_STATED;
		out->field = ss_field_find(word + 7, NULL);
		if (out->field == SS_FIELD_COUNT)
			report(q->r, SS_ERROR, q->at, "value", "%.60s: no such setting", word);
		return;
	}
	if (strncmp(word, "env.", 4) == 0) {
		out->fact = SS_FACT_ENVIRONMENT;
		out->text = arena_text(q->r->arena, word + 4);
		return;
	}
	for (size_t i = 0; i < COUNT(fact_names); i++)
		if (strcmp(fact_names[i], word) == 0) {
			out->fact = (enum ss_fact_id)i;
			need_scope(q, out->fact);
			return;
		}
	out->fact = SS_FACT_WORD;
	out->text = arena_text(q->r->arena, word);
	if (!may_be_word)
		report_unknown(q, word);
}

/* Words of a text, cut in place. */
static size_t cut_words(char *text, char **words)
{
	size_t count = 0;

	while (*text && count < WORDS_MAX) {
		words[count++] = text;
		text += strcspn(text, " ");
		while (*text == ' ')
			*text++ = '\0';
	}
	return count;
}

static void read_side(struct rule_reader *q, char *const *words, size_t count, bool may_be_word,
		      struct ss_rule_side *out)
{
	out->values = arena_array(q->r->arena, count + 1, sizeof(*out->values));
	if (!out->values)
		return;
	for (size_t i = 0; i < count; i += 2) {
		struct ss_rule_value *v = &out->values[out->count++];

		if (i && !is_operation(words[i - 1]))
			report(q->r, SS_ERROR, q->at, "value",
			       "found \"%.20s\" where *, /, %%, + or - belongs", words[i - 1]);
		read_value(q, words[i], may_be_word && count == 1, v);
		v->operation = i ? words[i - 1][0] : '\0';
	}
	if (count % 2 == 0)
		report(q->r, SS_ERROR, q->at, "value", "a value is missing");
}

static void read_word_list(struct rule_reader *q, char *const *words, size_t count,
			   struct ss_rule_side *out)
{
	out->values = arena_array(q->r->arena, count + 1, sizeof(*out->values));
	if (!out->values)
		return;
	for (out->count = 0; out->count < count; out->count++) {
		struct ss_rule_value *v = &out->values[out->count];

		v->fact = SS_FACT_WORD;
		v->text = arena_text(q->r->arena, words[out->count]);
	}
}

static void read_condition(struct rule_reader *q, const cJSON *item, struct ss_rule_condition *out)
{
	char *text = NULL, *words[WORDS_MAX];
	size_t count, i = 0, rest;
	int test = -1;

	if (!read_text(q->r, q->at, item, false, NULL, &text))
		return;
	count = cut_words(text, words);
	while (i < count && (test = find_test(words[i])) < 0)
		i++;
	rest = i + 1;
	if (test == SS_TEST_NOT_IN)
		test = rest < count && strcmp(words[rest++], "in") == 0 ? SS_TEST_NOT_IN : -1;
	if (test < 0 || i == 0 || rest >= count || count == WORDS_MAX) {
		report(q->r, SS_ERROR, q->at, "value",
		       "must compare two sides by =, !=, <, <=, >, >=, in or not in");
		return;
	}
	out->test = (enum ss_rule_test)test;
	read_side(q, words, i, false, &out->left);
	if (test == SS_TEST_IN || test == SS_TEST_NOT_IN)
		read_word_list(q, words + rest, count - rest, &out->right);
	else
		read_side(q, words + rest, count - rest, true, &out->right);
}

static bool asks_node(const struct ss_rule_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (side->values[i].fact >= SS_FACT_LAYER && side->values[i].fact < SS_FACT_COUNT)
			return true;
	return false;
}

/** What all nodes have alike comes first, and is asked once for all of them. */
static void order_conditions(struct ss_rule *rule)
{
	size_t done = 0;

	for (size_t i = 0; i < rule->condition_count; i++) {
		struct ss_rule_condition own = rule->conditions[i];

		if (asks_node(&own.left) || asks_node(&own.right))
			continue;
		memmove(&rule->conditions[done + 1], &rule->conditions[done],
			(i - done) * sizeof(own));
		rule->conditions[done++] = own;
	}
	rule->deployment_count = done;
}

static void read_conditions(struct rule_reader *q, const struct place *at, const cJSON *list)
{
	size_t size = read_list_size(q->r, at, list, WORDS_MAX), i = 0;

	if (!size)
		report(q->r, SS_ERROR, at, "range", "empty; a rule needs a condition");
	q->rule->conditions = arena_array(q->r->arena, size + 1, sizeof(*q->rule->conditions));
	if (!q->rule->conditions)
		return;
	for (const cJSON *item = size ? list->child : NULL; item; item = item->next) {
		struct place place = { at, NULL, i };

		q->at = &place;
		read_condition(q, item, &q->rule->conditions[i++]);
	}
	q->rule->condition_count = size;
	order_conditions(q->rule);
}

/* A text with sides in braces, cut into its pieces. */
static void read_pieces(struct rule_reader *q, const char *text, struct ss_rule_text *out)
{
	size_t braces = 1;
	char part[TEXT_MAX], *words[WORDS_MAX];

	for (const char *c = text; *c; c++)
		braces += *c == '{';
	if (strlen(text) >= sizeof(part)) {
		report(q->r, SS_ERROR, q->at, "limit", "longer than %d bytes", TEXT_MAX - 1);
		return;
	}
	out->pieces = arena_array(q->r->arena, braces, sizeof(*out->pieces));
	while (out->pieces && text) {
		struct ss_rule_piece *piece = &out->pieces[out->count++];
		size_t n = strcspn(text, "{"), inside = text[n] ? strcspn(text + n, "}") : 0;

		(void)snprintf(part, sizeof(part), "%.*s", (int)n, text);
		piece->text = arena_text(q->r->arena, part);
		if (!text[n])
			return;
		if (!text[n + inside]) {
			report(q->r, SS_ERROR, q->at, "value", "a brace is not closed");
			return;
		}
		(void)snprintf(part, sizeof(part), "%.*s", (int)inside - 1, text + n + 1);
		read_side(q, words, cut_words(part, words), false, &piece->side);
		text += n + inside + 1;
	}
}

static void read_fixes(struct rule_reader *q, const struct place *at, const cJSON *list)
{
	char **texts = NULL;
	size_t count = 0;

	read_texts(q->r, at, list, WORDS_MAX, &texts, &count);
	q->rule->fixes = arena_array(q->r->arena, count + 1, sizeof(*q->rule->fixes));
	if (!q->rule->fixes)
		return;
	for (size_t i = 0; i < count; i++) {
		struct place place = { at, NULL, i };
		char *value = strchr(texts[i], '=');

		q->at = &place;
		if (!value) {
			report(q->r, SS_ERROR, &place, "value", "must be a path, = and its value");
			continue;
		}
		*value++ = '\0';
		if (ss_field_find(texts[i], NULL) == SS_FIELD_COUNT)
			report(q->r, SS_ERROR, &place, "value", "%.80s: no such setting", texts[i]);
		q->rule->fixes[q->rule->fix_count].path = texts[i];
		read_pieces(q, value, &q->rule->fixes[q->rule->fix_count++].value);
	}
}

static void read_rule(struct reader *r, const struct place *at, const cJSON *item,
		      struct ss_rule *rule)
{
	enum { NAME, CODE, EFFECT, TARGET, EACH, WHEN, REASON, FIXES, SOURCE };
	/* clang-format off */
	static const struct key keys[] = {
		[NAME] = { "name", KEY_NAME, true, FIELD(ss_rule, name), 0, 0, NULL, NULL },
		[CODE] = { "code", KEY_NAME, true, FIELD(ss_rule, code), 0, 0, NULL, NULL },
		[EFFECT] = { "effect", KEY_ITEM, true, 0, 0, 0, NULL, NULL },
		[TARGET] = { "field", KEY_NAME, true, NO_OFFSET, 0, 0, NULL, NULL },
		[EACH] = { "each", KEY_ITEM, false, 0, 0, 0, NULL, NULL },
		[WHEN] = { "when", KEY_LIST, true, 0, 0, 0, NULL, NULL },
		[REASON] = { "reason", KEY_NAME, true, NO_OFFSET, 0, 0, NULL, NULL },
		[FIXES] = { "fixes", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[SOURCE] = { "source", KEY_NAME, true, FIELD(ss_rule, source), 0, 0, NULL, NULL },
	};
	/* clang-format on */
	struct place effect = { at, "effect", 0 }, each = { at, "each", 0 };
	struct place target = { at, "field", 0 }, when = { at, "when", 0 };
	struct place reason = { at, "reason", 0 }, fixes = { at, "fixes", 0 };
	struct rule_reader q = { .r = r, .rule = rule };
	const cJSON *found[COUNT(keys)];
	int word = 0;

	rule->name = rule->code = rule->source = r->arena->empty;
	if (!read_object(r, at, item, keys, COUNT(keys), rule, found))
		return;
	if (found[EFFECT] && read_word(r, &effect, found[EFFECT], &effect_words, NULL, &word))
		rule->is_warning = word != 0;
	if (found[EACH] && read_word(r, &each, found[EACH], &each_words, NULL, &word))
		rule->scope = (enum ss_rule_scope)word;
	rule->field =
		found[TARGET] ? ss_field_find(found[TARGET]->valuestring, NULL) : SS_FIELD_COUNT;
	if (found[TARGET] && rule->field == SS_FIELD_COUNT)
		report(r, SS_ERROR, &target, "value", "%.80s: no such setting",
		       found[TARGET]->valuestring);
	if (found[WHEN])
		read_conditions(&q, &when, found[WHEN]);
	q.at = &reason;
	if (found[REASON])
		read_pieces(&q, found[REASON]->valuestring, &rule->reason);
	if (found[FIXES])
		read_fixes(&q, &fixes, found[FIXES]);
}

void read_rules(struct reader *r, const struct place *at, const cJSON *list, struct ss_pack *pack)
{
	size_t size = read_list_size(r, at, list, RULES_MAX), i = 0;

	pack->rules = size ? arena_array(r->arena, size, sizeof(*pack->rules)) : NULL;
	if (!pack->rules)
		return;
	for (const cJSON *item = list->child; item; item = item->next, i++) {
		struct place place = { at, NULL, i };

		read_rule(r, &place, item, &pack->rules[i]);
		for (size_t j = 0; j < i; j++)
			if (*pack->rules[i].name &&
			    strcmp(pack->rules[i].name, pack->rules[j].name) == 0)
				report(r, SS_ERROR, &place, "duplicate-key",
				       "a second rule named %s", pack->rules[i].name);
	}
	pack->rule_count = size;
}
