#include "engine/condition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct condition_kind kinds[] = {
	{ "anchored",       SUBJECT_ANCHORED,    TEST_IS },
	{ "backend",        SUBJECT_BACKEND,     TEST_TEXT },
	{ "backend_serves", SUBJECT_SERVES,      TEST_IS },
	{ "batches",        SUBJECT_SEQUENCES,   TEST_EQUAL },
	{ "capturing",      SUBJECT_CAPTURING,   TEST_IS },
	{ "causal",         SUBJECT_CAUSAL,      TEST_IS },
	{ "codec",          SUBJECT_CODEC,       TEST_NAMES },
	{ "contiguous",     SUBJECT_CONTIGUOUS,  TEST_IS },
	{ "decode_rows",    SUBJECT_DECODE_ROWS, TEST_IS },
	{ "draft",          SUBJECT_DRAFT,       TEST_IS },
	{ "gqa",            SUBJECT_GQA,         TEST_IN },
	{ "gqa_not",        SUBJECT_GQA,         TEST_NOT_IN },
	{ "head_dim",       SUBJECT_HEAD_DIM,    TEST_IN },
	{ "hint_below",     SUBJECT_HINT,        TEST_BELOW },
	{ "kv_heads",       SUBJECT_KV_HEADS,    TEST_IN },
	{ "kv_multiple",    SUBJECT_KV,          TEST_MULTIPLE },
	{ "max_kv",         SUBJECT_KV,          TEST_MAX },
	{ "max_q",          SUBJECT_Q,           TEST_MAX },
	{ "max_sequences",  SUBJECT_SEQUENCES,   TEST_MAX },
	{ "metadata",       SUBJECT_METADATA,    TEST_IS },
	{ "min_kv",         SUBJECT_KV,          TEST_MIN },
	{ "min_model_len",  SUBJECT_MODEL_LEN,   TEST_MIN },
	{ "min_q",          SUBJECT_Q,           TEST_MIN },
	{ "min_rows",       SUBJECT_ROWS,        TEST_MIN },
	{ "min_sequences",  SUBJECT_SEQUENCES,   TEST_MIN },
	{ "native_absent",  SUBJECT_NATIVE,      TEST_TEXT },
	{ "option",         SUBJECT_OPTION,      TEST_ON },
	{ "option_off",     SUBJECT_OPTION,      TEST_OFF },
	{ "page_multiple",  SUBJECT_PAGE,        TEST_MULTIPLE },
	{ "page_sizes",     SUBJECT_PAGE,        TEST_IN },
	{ "partition",      SUBJECT_PARTITION,   TEST_IS },
	{ "prefix",         SUBJECT_PREFIX,      TEST_IS },
	{ "q",              SUBJECT_Q,           TEST_IN },
	{ "q_multiple",     SUBJECT_Q,           TEST_MULTIPLE },
	{ "q_multiple_not", SUBJECT_Q,           TEST_NOT_MULTIPLE },
	{ "query_heads",    SUBJECT_QUERY_HEADS, TEST_IN },
	{ "query_rows",     SUBJECT_ROWS,        TEST_IN },
	{ "rows_match",     SUBJECT_ROWS_MATCH,  TEST_IS },
	{ "stage",          SUBJECT_STAGE,       TEST_NAMES },
	{ "tree",           SUBJECT_TREE,        TEST_IS },
	{ "window",         SUBJECT_WINDOW,      TEST_IS },
	{ "xqa_rules",      SUBJECT_XQA,         TEST_IS },
};

static const char *const labels[] = {
	[SUBJECT_Q] = "rows per sequence",  [SUBJECT_KV] = "kv",
	[SUBJECT_GQA] = "gqa",              [SUBJECT_HEAD_DIM] = "head_dim",
	[SUBJECT_PAGE] = "page",            [SUBJECT_QUERY_HEADS] = "query heads",
	[SUBJECT_KV_HEADS] = "kv heads",    [SUBJECT_ROWS] = "rows",
	[SUBJECT_SEQUENCES] = "sequences",  [SUBJECT_MODEL_LEN] = "model length",
	[SUBJECT_HINT] = "length hint",     [SUBJECT_CAUSAL] = "causal",
	[SUBJECT_CAPTURING] = "capturing",  [SUBJECT_DRAFT] = "draft",
	[SUBJECT_TREE] = "tree",            [SUBJECT_ANCHORED] = "anchored",
	[SUBJECT_WINDOW] = "window",        [SUBJECT_CONTIGUOUS] = "contiguous",
	[SUBJECT_PREFIX] = "prefix",        [SUBJECT_DECODE_ROWS] = "decode rows",
	[SUBJECT_SERVES] = "backend serves", [SUBJECT_METADATA] = "metadata",
	[SUBJECT_ROWS_MATCH] = "rows match", [SUBJECT_PARTITION] = "partition",
	[SUBJECT_CODEC] = "codec",          [SUBJECT_STAGE] = "stage",
	[SUBJECT_OPTION] = "option",        [SUBJECT_NATIVE] = "native",
	[SUBJECT_BACKEND] = "backend",      [SUBJECT_XQA] = "xqa",
};
/* clang-format on */

const struct condition_kind *condition_kind(int key)
{
	return &kinds[key];
}

int condition_find(const char *key)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].key, key) == 0)
			return (int)i;
	return -1;
}

const char *condition_key_name(size_t index)
{
	return index < sizeof(kinds) / sizeof(kinds[0]) ? kinds[index].key : NULL;
}

bool names_have(const struct ss_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

static bool numbers_have(const struct ss_numbers *numbers, int64_t value)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->items[i] == value)
			return true;
	return false;
}

int64_t ss_route_gqa(const struct ss_route_request *request)
{
	if (request->query_heads <= 0 || request->kv_heads <= 0 ||
	    request->query_heads % request->kv_heads)
		return 0;
	return request->query_heads / request->kv_heads;
}

static void fill_unstated(struct ss_route_request *r)
{
	if (r->sequences <= 0)
		r->sequences = 1;
	if (r->stage == SS_STAGE_PREFILL && r->prefix_len == 0 && r->kv_len > r->chunk)
		r->prefix_len = r->kv_len - r->chunk;
	if (r->kv_len == 0)
		r->kv_len = r->prefix_len + r->chunk;
	if (r->rows == 0)
		r->rows = r->chunk > 0 ? r->chunk : r->sequences;
	if (r->sequence_rows == 0)
		r->sequence_rows = r->rows;
	if (r->rows_per_sequence == 0)
		r->rows_per_sequence = r->rows;
	if (r->length_hint == 0)
		r->length_hint = r->kv_len;
}

void facts_fill(struct facts *facts, const struct ss_reference *reference,
		const struct ss_route_request *request)
{
	struct ss_route_request *r = &facts->request;
	int64_t *v = facts->values;

	facts->reference = reference;
	*r = *request;
	fill_unstated(r);
	v[SUBJECT_Q] = r->chunk > 0 ? r->chunk : r->rows_per_sequence;
	v[SUBJECT_KV] = r->kv_len;
	v[SUBJECT_GQA] = ss_route_gqa(r);
	v[SUBJECT_HEAD_DIM] = r->head_dim;
	v[SUBJECT_PAGE] = r->page_size;
	v[SUBJECT_QUERY_HEADS] = r->query_heads;
	v[SUBJECT_KV_HEADS] = r->kv_heads;
	v[SUBJECT_ROWS] = r->rows;
	v[SUBJECT_SEQUENCES] = r->sequences;
	v[SUBJECT_MODEL_LEN] = r->model_len;
	v[SUBJECT_HINT] = r->length_hint;
	v[SUBJECT_CAUSAL] = !r->is_noncausal;
	v[SUBJECT_CAPTURING] = r->is_capturing;
	v[SUBJECT_DRAFT] = r->is_draft;
	v[SUBJECT_TREE] = r->is_tree;
	v[SUBJECT_ANCHORED] = r->is_anchored;
	v[SUBJECT_WINDOW] = r->window > 0;
	v[SUBJECT_CONTIGUOUS] = r->is_contiguous;
	v[SUBJECT_PREFIX] = r->prefix_len > 0;
	v[SUBJECT_DECODE_ROWS] = r->has_decode_rows;
	v[SUBJECT_SERVES] = !r->is_unserved;
	v[SUBJECT_METADATA] = !r->lacks_metadata;
	v[SUBJECT_ROWS_MATCH] = r->rows == r->sequence_rows;
	v[SUBJECT_PARTITION] = r->partition > 0;
}

const char *subject_label(const struct facts *facts, enum subject subject)
{
	if (subject == SUBJECT_Q && facts->request.chunk > 0)
		return "chunk";
	return labels[subject];
}

bool subject_is_flag(enum subject subject)
{
	return subject >= SUBJECT_CAUSAL && subject < SUBJECT_NUMBERS;
}

static bool names_test(const struct facts *facts, const struct condition_kind *kind,
		       const struct ss_route_condition *condition)
{
	const struct ss_route_request *r = &facts->request;

	if (kind->subject == SUBJECT_STAGE)
		return names_have(&condition->names, ss_route_stage_name(r->stage));
	return r->codec && names_have(&condition->names, r->codec->symbol);
}

static bool text_test(const struct facts *facts, const struct condition_kind *kind,
		      const struct ss_route_condition *condition)
{
	const struct ss_route_request *r = &facts->request;

	if (kind->subject == SUBJECT_NATIVE)
		return names_have(&r->absent_native, condition->text);
	return r->backend && strcmp(r->backend, condition->text) == 0;
}

/* An option that no field sets stands for something only the environment of
 * the source could turn on: it is off. */
static int option_state(const struct facts *facts, const struct ss_route_condition *condition)
{
	if (!condition->text)
		return 0;
	return ss_setting_state(facts->reference, facts->request.settings, condition->text);
}

static bool number_test(int64_t value, enum test test, const struct ss_route_condition *condition)
{
	const struct ss_numbers *numbers = &condition->numbers;
	int64_t first = numbers->count > 0 ? numbers->items[0] : 0;

	switch (test) {
	case TEST_MIN:
		return value >= first;
	case TEST_MAX:
		return value <= first;
	case TEST_BELOW:
		return value < first;
	case TEST_EQUAL:
		return value == first;
	case TEST_IN:
		return numbers_have(numbers, value);
	case TEST_NOT_IN:
		return !numbers_have(numbers, value);
	case TEST_MULTIPLE:
		return value > 0 && value % first == 0;
	case TEST_NOT_MULTIPLE:
		return value % first != 0;
	case TEST_IS:
		return (value != 0) == condition->flag;
	case TEST_NAMES:
	case TEST_ON:
	case TEST_OFF:
	case TEST_TEXT:
		break;
	}
	return false;
}

bool condition_holds(const struct facts *facts, const struct ss_route_condition *condition)
{
	const struct condition_kind *kind = condition_kind(condition->key);

	switch (kind->test) {
	case TEST_NAMES:
		return names_test(facts, kind, condition);
	case TEST_TEXT:
		return text_test(facts, kind, condition);
	case TEST_ON:
		return option_state(facts, condition) == 1;
	case TEST_OFF:
		return option_state(facts, condition) == 0;
	case TEST_IS:
	case TEST_MIN:
	case TEST_MAX:
	case TEST_BELOW:
	case TEST_EQUAL:
	case TEST_IN:
	case TEST_NOT_IN:
	case TEST_MULTIPLE:
	case TEST_NOT_MULTIPLE:
		break;
	}
	if (kind->subject == SUBJECT_XQA)
		return (xqa_refusal(facts, NULL) == NULL) == condition->flag;
	return number_test(facts->values[kind->subject], kind->test, condition);
}

const struct ss_route_condition *conditions_unmet(const struct facts *facts,
						  const struct ss_route_conditions *conditions)
{
	for (size_t i = 0; i < conditions->count; i++)
		if (!condition_holds(facts, &conditions->items[i]))
			return &conditions->items[i];
	return NULL;
}

bool conditions_hold(const struct facts *facts, const struct ss_route_conditions *conditions)
{
	return conditions_unmet(facts, conditions) == NULL;
}

static void append(char *out, size_t size, const char *text)
{
	size_t used = strlen(out);

	if (used + 1 < size)
		snprintf(out + used, size - used, "%s", text);
}

void ss_route_condition_text(const struct ss_route_condition *condition, char *out, size_t size)
{
	const struct condition_kind *kind = condition_kind(condition->key);
	char number[32];

	if (size == 0)
		return;
	snprintf(out, size, "%s", kind->key);
	if (kind->test == TEST_IS)
		append(out, size, condition->flag ? " true" : " false");
	if (kind->test == TEST_ON || kind->test == TEST_OFF || kind->test == TEST_TEXT) {
		append(out, size, " ");
		append(out, size, condition->text ? condition->text : "(environment only)");
	}
	for (size_t i = 0; i < condition->names.count; i++) {
		append(out, size, i ? " or " : " ");
		append(out, size, condition->names.items[i]);
	}
	for (size_t i = 0; i < condition->numbers.count; i++) {
		snprintf(number, sizeof(number), "%s%" PRId64, i ? " or " : " ",
			 condition->numbers.items[i]);
		append(out, size, number);
	}
}

static const char *option_word(int state)
{
	return state < 0 ? "not stated" : state ? "on" : "off";
}

void condition_unmet_text(const struct facts *facts, const struct ss_route_condition *condition,
			  char *out, size_t size)
{
	const struct condition_kind *kind = condition_kind(condition->key);
	const struct ss_route_request *r = &facts->request;
	char wanted[256];
	char has[128];

	ss_route_condition_text(condition, wanted, sizeof(wanted));
	if (kind->subject < SUBJECT_NUMBERS && subject_is_flag(kind->subject))
		snprintf(has, sizeof(has), "has %s",
			 facts->values[kind->subject] ? "true" : "false");
	else if (kind->subject < SUBJECT_NUMBERS)
		snprintf(has, sizeof(has), "has %" PRId64, facts->values[kind->subject]);
	else if (kind->subject == SUBJECT_CODEC)
		snprintf(has, sizeof(has), "has %s", r->codec ? r->codec->symbol : "none");
	else if (kind->subject == SUBJECT_STAGE)
		snprintf(has, sizeof(has), "has %s", ss_route_stage_name(r->stage));
	else if (kind->subject == SUBJECT_BACKEND)
		snprintf(has, sizeof(has), "has %s", r->backend ? r->backend : "the build's own");
	else if (kind->subject == SUBJECT_NATIVE)
		snprintf(has, sizeof(has), "it is present");
	else if (kind->subject == SUBJECT_XQA) {
		const struct ss_xqa_rule *rule = xqa_refusal(facts, NULL);

		snprintf(has, sizeof(has), "%s", rule ? rule->reason : "they hold");
	} else
		snprintf(has, sizeof(has), "is %s", option_word(option_state(facts, condition)));
	snprintf(out, size, "requires %s, %s", wanted, has);
}

const struct ss_xqa_rule *xqa_refusal(const struct facts *facts, size_t *alternative)
{
	const struct ss_reference *reference = facts->reference;

	for (size_t i = 0; i < reference->xqa_rule_count; i++) {
		const struct ss_xqa_rule *rule = &reference->xqa_rules[i];

		for (size_t j = 0; j < rule->alternative_count; j++) {
			if (!conditions_hold(facts, &rule->alternatives[j]))
				continue;
			if (alternative)
				*alternative = j;
			return rule;
		}
	}
	return NULL;
}
