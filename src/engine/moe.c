#include "engine/moe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stepscope/engine.h"

/* What a rule may ask. Settings are those of the family's owner path. */
enum moe_test {
	MOE_TOKENS,
	MOE_MAX_TOKENS,
	MOE_TOKENS_ABOVE, /* above a cap that is stated above 0 */
	MOE_MAX_SLOTS,    /* slots: tokens times experts each */
	MOE_TP,
	MOE_HIDDEN,
	MOE_EXPERTS,
	MOE_TOP_K,
	MOE_MODEL_FAMILY,
	MOE_SETTING_ON,
	MOE_SETTING_OFF,
	MOE_SETTING_TAKES, /* unstated takes every member */
};

/* clang-format off */
static const struct {
	const char *key;
	enum moe_test test;
	enum moe_form form;
} kinds[] = {
	{ "tokens",        MOE_TOKENS,        MOE_FORM_NUMBERS },
	{ "max_tokens",    MOE_MAX_TOKENS,    MOE_FORM_NUMBERS },
	{ "tokens_above",  MOE_TOKENS_ABOVE,  MOE_FORM_FIELD },
	{ "max_slots",     MOE_MAX_SLOTS,     MOE_FORM_NUMBERS },
	{ "tp",            MOE_TP,            MOE_FORM_NUMBERS },
	{ "hidden",        MOE_HIDDEN,        MOE_FORM_NUMBERS },
	{ "experts",       MOE_EXPERTS,       MOE_FORM_NUMBERS },
	{ "top_k",         MOE_TOP_K,         MOE_FORM_NUMBERS },
	{ "model_family",  MOE_MODEL_FAMILY,  MOE_FORM_TEXT },
	{ "setting_on",    MOE_SETTING_ON,    MOE_FORM_FIELD },
	{ "setting_off",   MOE_SETTING_OFF,   MOE_FORM_FIELD },
	{ "setting_takes", MOE_SETTING_TAKES, MOE_FORM_MEMBER },
};
/* clang-format on */

int moe_condition_find(const char *key)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].key, key) == 0)
			return (int)i;
	return -1;
}

enum moe_form moe_condition_form(int key)
{
	return kinds[key].form;
}

/* The full path of a family's setting; false when the family has none. */
static bool setting_path(const struct ss_reference *r, const char *family, const char *field,
			 char *out, size_t size)
{
	for (size_t i = 0; i < r->moe_settings_count; i++) {
		if (strcmp(r->moe_settings[i].family, family) != 0)
			continue;
		snprintf(out, size, "%s.%s", r->moe_settings[i].owner_path, field);
		return true;
	}
	return false;
}

static bool numbers_have(const struct ss_numbers *numbers, int64_t value)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->items[i] == value)
			return true;
	return false;
}

/* Is `member` one of the words of a stated list? Braces and quotes are skipped. */
static bool takes(const char *text, const char *member)
{
	static const char between[] = " ,;{}[]'\"";
	size_t length = strlen(member);

	if (!text)
		return true;
	while (*text) {
		size_t n;

		text += strspn(text, between);
		n = strcspn(text, between);
		if (n == length && strncmp(text, member, n) == 0)
			return true;
		text += n;
	}
	return false;
}

static int64_t as_number(const char *text)
{
	return text ? strtoll(text, NULL, 10) : 0;
}

static bool test_setting(const struct ss_reference *r, const struct ss_moe_request *q,
			 const struct ss_moe_condition *c, enum moe_test test)
{
	char path[192];
	const char *text;
	int64_t cap;

	if (!setting_path(r, q->family, c->field, path, sizeof(path)))
		return test == MOE_SETTING_TAKES;
	if (test == MOE_SETTING_ON)
		return ss_setting_state(r, q->settings, path) == 1;
	if (test == MOE_SETTING_OFF)
		return ss_setting_state(r, q->settings, path) == 0;
	text = ss_setting_text(r, q->settings, path);
	if (test == MOE_SETTING_TAKES)
		return takes(text, c->value);
	cap = as_number(text);
	return cap > 0 && q->tokens > cap;
}

static bool holds(const struct ss_reference *r, const struct ss_moe_request *q,
		  const struct ss_moe_condition *c)
{
	enum moe_test test = kinds[c->key].test;
	int64_t first = c->numbers.count > 0 ? c->numbers.items[0] : 0;

	switch (test) {
	case MOE_TOKENS:
		return numbers_have(&c->numbers, q->tokens);
	case MOE_MAX_TOKENS:
		return q->tokens > 0 && q->tokens <= first;
	case MOE_MAX_SLOTS:
		return q->top_k > 0 && q->tokens <= first / q->top_k;
	case MOE_TP:
		return numbers_have(&c->numbers, q->tp);
	case MOE_HIDDEN:
		return numbers_have(&c->numbers, q->hidden);
	case MOE_EXPERTS:
		return numbers_have(&c->numbers, q->experts);
	case MOE_TOP_K:
		return numbers_have(&c->numbers, q->top_k);
	case MOE_MODEL_FAMILY:
		return q->model_family &&
		       strncasecmp(q->model_family, c->value, strlen(c->value)) == 0;
	case MOE_TOKENS_ABOVE:
	case MOE_SETTING_ON:
	case MOE_SETTING_OFF:
	case MOE_SETTING_TAKES:
		break;
	}
	return test_setting(r, q, c, test);
}

static bool names_have(const struct ss_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

static bool is_met(const struct ss_reference *r, const struct ss_moe_request *q,
		   const struct ss_moe_rule *rule)
{
	for (size_t i = 0; i < rule->when_count; i++)
		if (!holds(r, q, &rule->when[i]))
			return false;
	return true;
}

/* First rule of the stage that holds, or NULL. */
static const struct ss_moe_rule *select_rule(const struct ss_reference *r,
					     const struct ss_moe_request *q, const char *stage)
{
	for (size_t i = 0; i < r->moe_rule_count; i++) {
		const struct ss_moe_rule *rule = &r->moe_rules[i];

		if (names_have(&rule->families, q->family) && strcmp(rule->stage, stage) == 0 &&
		    is_met(r, q, rule))
			return rule;
	}
	return NULL;
}

/* Why a mode is not the one: no rule gives it, none of its rules holds, or one came first. */
static void refuse_mode(struct ss_moe_verdict *out, const struct ss_reference *r,
			const struct ss_moe_request *q)
{
	const struct ss_moe_binding *b = out->binding;

	out->reason = "no selector rule read";
	for (size_t i = 0; i < r->moe_rule_count; i++) {
		const struct ss_moe_rule *rule = &r->moe_rules[i];

		if (!names_have(&rule->families, q->family) || strcmp(rule->stage, b->stage) != 0 ||
		    strcmp(rule->mode, b->mode) != 0)
			continue;
		if (is_met(r, q, rule)) {
			out->reason = "another row matched first";
			out->wants = NULL;
			return;
		}
		out->reason = "its rule does not hold";
		if (!out->wants)
			out->wants = rule->reason;
	}
}

size_t ss_moe_select(struct ss_moe_verdict *out, size_t capacity,
		     const struct ss_reference *reference, const struct ss_moe_request *request)
{
	size_t count = 0;

	for (size_t i = 0; i < reference->binding_count; i++) {
		const struct ss_moe_binding *b = &reference->bindings[i];
		const struct ss_moe_rule *rule;
		struct ss_moe_verdict verdict = { .binding = b };

		if (!names_have(&b->families, request->family))
			continue;
		rule = select_rule(reference, request, b->stage);
		verdict.is_chosen = rule && strcmp(rule->mode, b->mode) == 0;
		if (verdict.is_chosen)
			verdict.reason = rule->reason;
		else
			refuse_mode(&verdict, reference, request);
		if (count < capacity)
			out[count] = verdict;
		count++;
	}
	return count;
}
