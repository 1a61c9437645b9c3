/* The executor's order: walks of candidates, their conditions, the XQA rules. */
#include <cjson/cJSON.h>
#include <string.h>

#include "documents/nearest.h"
#include "engine/condition.h"
#include "engine/read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
static const struct key order_keys[] = {
	{ "age_note", FORM_TEXT, 0 },
	{ "triton_option", FORM_TEXT, 0 },
	{ "backend", FORM_TEXT, KEY_OPTIONAL },
	{ "backend_field", FORM_TEXT, KEY_OPTIONAL },
	{ "dtype_field", FORM_TEXT, KEY_OPTIONAL },
	{ "served_head_dims", FORM_INTS, KEY_OPTIONAL },
	{ "walks", FORM_LIST, 0 },
	{ "stages", FORM_OBJECT, 0 },
	{ "inner", FORM_OBJECT, KEY_NULLABLE },
};
static const struct key walk_keys[] = {
	{ "name", FORM_TEXT, 0 },
	{ "title", FORM_TEXT, 0 },
	{ "stage", FORM_TEXT, 0 },
	{ "requires", FORM_LIST, 0 },
	{ "exclusive", FORM_BOOL, 0 },
	{ "candidates", FORM_LIST, 0 },
};
static const struct key candidate_keys[] = {
	{ "route", FORM_TEXT, KEY_NULLABLE },
	{ "label", FORM_TEXT, KEY_OPTIONAL },
	{ "role", FORM_TEXT, 0 },
	{ "confidence", FORM_TEXT, 0 },
	{ "requires", FORM_LIST, 0 },
	{ "exclusive", FORM_TEXT, KEY_OPTIONAL },
	{ "delegate", FORM_TEXT, KEY_OPTIONAL },
	{ "continues", FORM_BOOL, KEY_OPTIONAL },
	{ "admitted_as", FORM_TEXT, KEY_OPTIONAL },
	{ "note", FORM_TEXT, KEY_OPTIONAL },
};
static const struct key inner_keys[] = {
	{ "walk", FORM_TEXT, 0 },
	{ "requires", FORM_LIST, 0 },
	{ "entered_from", FORM_TEXTS, 0 },
};
static const struct key xqa_keys[] = {
	{ "reason", FORM_TEXT, 0 },
	{ "when", FORM_LIST, 0 },
};
static const char *const role_names[] = {
	[SS_ROLE_CHOICE] = "choice", [SS_ROLE_OPT_IN] = "opt_in",
	[SS_ROLE_GATE] = "gate",     [SS_ROLE_RECORD] = "record",
	[SS_ROLE_LAST_RESORT] = "last_resort", [SS_ROLE_DELEGATE] = "delegate",
};
/* clang-format on */

const char *ss_candidate_role_name(enum ss_candidate_role role)
{
	return role_names[role];
}

static const char *closest_condition(const char *name)
{
	const char *words[64];
	size_t count = 0;

	while (count < COUNT(words) && condition_key_name(count)) {
		words[count] = condition_key_name(count);
		count++;
	}
	return ss_closest_word(name, words, count);
}

/* A count from 0 that a double holds exactly. */
static bool is_count(const cJSON *item)
{
	return cJSON_IsNumber(item) && item->valuedouble >= 0 &&
	       item->valuedouble <= 9007199254740992.0 &&
	       item->valuedouble == (double)(int64_t)item->valuedouble;
}

static bool read_numbers(struct reader *reader, const cJSON *item, const struct pointer *at,
			 enum test test, struct ss_route_condition *c)
{
	bool wants_list = test == TEST_IN || test == TEST_NOT_IN;
	bool is_right =
		wants_list ? cJSON_GetArraySize(item) > 0 && cJSON_IsArray(item) : is_count(item);
	const cJSON *child;

	if (is_right && wants_list)
		cJSON_ArrayForEach(child, item) is_right = is_right && is_count(child);
	if (!is_right) {
		reader_fault(reader, "type", at, "must be %s",
			     wants_list ? "a list of whole numbers from 0"
					: "a whole number from 0");
		return false;
	}
	c->numbers = numbers_read(reader, item);
	if ((test == TEST_MULTIPLE || test == TEST_NOT_MULTIPLE) && c->numbers.count > 0 &&
	    c->numbers.items[0] < 1) {
		reader_fault(reader, "range", at, "a divisor must be 1 or more");
		return false;
	}
	return true;
}

static bool read_names(struct reader *reader, const cJSON *item, const struct pointer *at,
		       const struct condition_kind *kind, struct ss_route_condition *c)
{
	enum ss_route_stage stage;
	const cJSON *child;

	if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) == 0) {
		reader_fault(reader, "type", at, "must be a list of names");
		return false;
	}
	cJSON_ArrayForEach(child, item)
	{
		bool is_known = cJSON_IsString(child) &&
				(kind->subject == SUBJECT_STAGE
					 ? ss_route_stage_find(child->valuestring, &stage)
					 : ss_codec_by_symbol(reader->reference,
							      child->valuestring) != NULL);

		if (!is_known) {
			reader_fault(reader, "range", at, "names a %s that is not there",
				     kind->subject == SUBJECT_STAGE ? "stage" : "codec");
			return false;
		}
	}
	c->names = names_read(reader, item);
	return true;
}

/* Paths must be fields of the pack; names of environment variables hold no dot. */
static bool read_option(struct reader *reader, const cJSON *item, const struct pointer *at,
			struct ss_route_condition *c)
{
	const struct ss_reference *r = reader->reference;

	if (cJSON_IsNull(item))
		return true;
	if (!cJSON_IsString(item) || !item->valuestring[0]) {
		reader_fault(reader, "type", at, "must be an option path, a variable or null");
		return false;
	}
	c->text = item->valuestring;
	if (strchr(c->text, '.') && !ss_reference_field(r, c->text)) {
		reader_fault(reader, "range", at, "option `%s` is not in config_fields", c->text);
		return false;
	}
	return true;
}

static bool read_condition(struct reader *reader, const cJSON *item, const struct pointer *at,
			   struct ss_route_condition *c)
{
	const struct condition_kind *kind;
	int key = condition_find(item->string);

	if (key < 0) {
		const char *near = closest_condition(item->string);

		reader_fault(reader, "unknown-key", at, "unknown condition%s%s%s",
			     near ? ", did you mean `" : "", near ? near : "", near ? "`?" : "");
		return false;
	}
	kind = condition_kind(key);
	c->key = key;
	switch (kind->test) {
	case TEST_IS:
		if (!cJSON_IsBool(item)) {
			reader_fault(reader, "type", at, "must be true or false");
			return false;
		}
		c->flag = cJSON_IsTrue(item);
		return true;
	case TEST_NAMES:
		return read_names(reader, item, at, kind, c);
	case TEST_ON:
	case TEST_OFF:
		return read_option(reader, item, at, c);
	case TEST_TEXT:
		if (!cJSON_IsString(item)) {
			reader_fault(reader, "type", at, "must be a name");
			return false;
		}
		c->text = item->valuestring;
		return true;
	case TEST_MIN:
	case TEST_MAX:
	case TEST_BELOW:
	case TEST_EQUAL:
	case TEST_IN:
	case TEST_NOT_IN:
	case TEST_MULTIPLE:
	case TEST_NOT_MULTIPLE:
		return read_numbers(reader, item, at, kind->test, c);
	}
	return false;
}

/* A list of objects with one key each, since conditions are tested in order
 * and the keys of an object have none. */
struct ss_route_conditions conditions_read(struct reader *reader, const cJSON *list,
					   const struct pointer *pointer)
{
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_route_condition *items = reader_array(reader, count, sizeof(*items));
	const cJSON *item;
	size_t i = 0;
	size_t n = 0;

	if (!items)
		return (struct ss_route_conditions){ 0 };
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(pointer, i++);

		if (!cJSON_IsObject(item) || cJSON_GetArraySize(item) != 1) {
			reader_fault(reader, "type", &at, "must be an object with one condition");
			continue;
		}
		at = pointer_key(&at, item->child->string);
		if (read_condition(reader, item->child, &at, &items[n]))
			n++;
	}
	return (struct ss_route_conditions){ items, n };
}

static const struct ss_route_walk *walk_find(const struct ss_reference *r, const char *name)
{
	for (size_t i = 0; i < r->order.walk_count; i++)
		if (r->order.walks[i].name && strcmp(r->order.walks[i].name, name) == 0)
			return &r->order.walks[i];
	return NULL;
}

static bool find_role(const char *name, enum ss_candidate_role *out)
{
	for (size_t i = 0; i < COUNT(role_names); i++) {
		if (strcmp(role_names[i], name) == 0) {
			*out = (enum ss_candidate_role)i;
			return true;
		}
	}
	return false;
}

/* The route it names, the one that admits it, and its label. */
static void read_candidate_name(struct reader *reader, const cJSON *item, const struct pointer *at,
				struct ss_route_candidate *c)
{
	const char *route = value_text(item, "route");
	const char *as = value_text(item, "admitted_as");

	c->name = route ? route : value_text(item, "label");
	if (!c->name)
		reader_fault(reader, "missing", at, "a candidate without a route needs a label");
	if (route)
		c->route = ss_reference_route(reader->reference, route);
	if (route && !c->route)
		reader_fault(reader, "range", at, "route `%s` is not declared", route);
	c->admitted_as = as ? ss_reference_route(reader->reference, as) : c->route;
	if (as && !c->admitted_as)
		reader_fault(reader, "range", at, "route `%s` is not declared", as);
}

static void read_candidate(struct reader *reader, const cJSON *item, const struct pointer *at,
			   struct ss_route_candidate *c)
{
	struct pointer needs = pointer_key(at, "requires");
	const char *role = value_text(item, "role");
	const char *confidence = value_text(item, "confidence");
	const char *delegate = value_text(item, "delegate");
	int exclusive;

	read_candidate_name(reader, item, at, c);
	if (!find_role(role, &c->role))
		reader_fault(reader, "range", at,
			     "role must be choice, opt_in, gate, record, last_resort or delegate, "
			     "found `%s`",
			     role);
	c->is_inferred = strcmp(confidence, "inferred") == 0;
	if (!c->is_inferred && strcmp(confidence, "read") != 0)
		reader_fault(reader, "range", at, "confidence must be read or inferred, found `%s`",
			     confidence);
	c->needs =
		conditions_read(reader, cJSON_GetObjectItemCaseSensitive(item, "requires"), &needs);
	c->exclusive = value_text(item, "exclusive");
	exclusive = c->exclusive ? condition_find(c->exclusive) : 0;
	if (exclusive < 0 || (c->exclusive && condition_kind(exclusive)->test != TEST_IS))
		reader_fault(reader, "range", at, "exclusive must name a yes-or-no condition");
	c->continues = value_bool(item, "continues");
	c->note = value_text(item, "note");
	if ((c->role == SS_ROLE_DELEGATE) != (delegate != NULL))
		reader_fault(reader, "missing", at,
			     "a delegate names a walk, and nothing else does");
	c->delegate = delegate ? walk_find(reader->reference, delegate) : NULL;
	if (delegate && !c->delegate)
		reader_fault(reader, "range", at,
			     "walk `%s` must stand before the one that delegates to it", delegate);
}

static void read_walk(struct reader *reader, const cJSON *item, const struct pointer *at,
		      struct ss_route_walk *walk)
{
	struct pointer enter = pointer_key(at, "requires");
	struct pointer parent = pointer_key(at, "candidates");
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, "candidates");
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_route_candidate *rows = reader_array(reader, count, sizeof(*rows));
	const cJSON *child;
	size_t i = 0;

	walk->title = value_text(item, "title");
	if (!ss_route_stage_find(value_text(item, "stage"), &walk->stage))
		reader_fault(reader, "range", at, "unknown stage `%s`", value_text(item, "stage"));
	walk->enter =
		conditions_read(reader, cJSON_GetObjectItemCaseSensitive(item, "requires"), &enter);
	walk->is_exclusive = value_bool(item, "exclusive");
	if (!rows)
		return;
	walk->candidates = rows;
	walk->candidate_count = count;
	cJSON_ArrayForEach(child, list)
	{
		struct pointer where = pointer_index(&parent, i);

		if (reader_object(reader, child, &where, candidate_keys, COUNT(candidate_keys)))
			read_candidate(reader, child, &where, &rows[i]);
		i++;
	}
}

/* A walk counts only once it is read, so a delegate can reach none but those
 * before it, and no walk leads back into itself. */
static void read_walks(struct reader *reader, const cJSON *order, const struct pointer *pointer)
{
	struct ss_route_order *o = &reader->reference->order;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(order, "walks");
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_route_walk *walks = reader_array(reader, count, sizeof(*walks));
	struct pointer parent = pointer_key(pointer, "walks");
	const cJSON *item;
	size_t i = 0;

	if (!walks)
		return;
	o->walks = walks;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);

		if (reader_object(reader, item, &at, walk_keys, COUNT(walk_keys))) {
			const char *name = value_text(item, "name");

			if (walk_find(reader->reference, name))
				reader_fault(reader, "duplicate-key", &at, "walk `%s` stands twice",
					     name);
			read_walk(reader, item, &at, &walks[i]);
			walks[i].name = name;
		}
		o->walk_count = ++i;
	}
}

static void read_stages(struct reader *reader, const cJSON *order, const struct pointer *pointer)
{
	struct ss_route_order *o = &reader->reference->order;
	const cJSON *stages = cJSON_GetObjectItemCaseSensitive(order, "stages");
	struct pointer parent = pointer_key(pointer, "stages");
	const cJSON *item;

	cJSON_ArrayForEach(item, stages)
	{
		struct pointer at = pointer_key(&parent, item->string);
		size_t count = (size_t)cJSON_GetArraySize(item);
		const struct ss_route_walk **walks = reader_array(reader, count, sizeof(*walks));
		enum ss_route_stage stage;
		const cJSON *child;
		size_t i = 0;

		if (!ss_route_stage_find(item->string, &stage)) {
			reader_fault(reader, "unknown-key", &at, "unknown stage");
			continue;
		}
		if (!walks)
			continue;
		cJSON_ArrayForEach(child, item)
		{
			const char *name = cJSON_GetStringValue(child);

			walks[i] = name ? walk_find(reader->reference, name) : NULL;
			if (!walks[i++])
				reader_fault(reader, "range", &at, "walk `%s` is not there",
					     name ? name : "");
		}
		o->stages[stage] = walks;
		o->stage_counts[stage] = count;
	}
}

static void read_inner(struct reader *reader, const cJSON *order, const struct pointer *pointer)
{
	struct ss_route_order *o = &reader->reference->order;
	const cJSON *inner = cJSON_GetObjectItemCaseSensitive(order, "inner");
	struct pointer at = pointer_key(pointer, "inner");
	struct pointer needs = pointer_key(&at, "requires");

	if (!cJSON_IsObject(inner) ||
	    !reader_object(reader, inner, &at, inner_keys, COUNT(inner_keys)))
		return;
	o->inner = walk_find(reader->reference, value_text(inner, "walk"));
	if (!o->inner)
		reader_fault(reader, "range", &at, "walk `%s` is not there",
			     value_text(inner, "walk"));
	o->inner_enter = conditions_read(
		reader, cJSON_GetObjectItemCaseSensitive(inner, "requires"), &needs);
	o->inner_from = value_names(reader, inner, "entered_from");
	for (size_t i = 0; i < o->inner_from.count; i++)
		if (!ss_reference_route(reader->reference, o->inner_from.items[i]))
			reader_fault(reader, "range", &at, "route `%s` is not declared",
				     o->inner_from.items[i]);
}

static void read_xqa_rule(struct reader *reader, const cJSON *item, const struct pointer *at,
			  struct ss_xqa_rule *rule)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, "when");
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_route_conditions *alternatives =
		reader_array(reader, count, sizeof(*alternatives));
	struct pointer parent = pointer_key(at, "when");
	const cJSON *child;
	size_t i = 0;

	rule->reason = value_text(item, "reason");
	if (!alternatives)
		return;
	cJSON_ArrayForEach(child, list)
	{
		struct pointer where = pointer_index(&parent, i);

		if (!cJSON_IsArray(child))
			reader_fault(reader, "type", &where, "must be a list of conditions");
		else
			alternatives[i] = conditions_read(reader, child, &where);
		if (alternatives[i].count == 0)
			reader_fault(reader, "range", &where, "an alternative needs a condition");
		for (size_t j = 0; j < alternatives[i].count; j++)
			if (condition_kind(alternatives[i].items[j].key)->subject == SUBJECT_XQA)
				reader_fault(reader, "range", &where,
					     "xqa_rules cannot stand inside an XQA rule");
		i++;
	}
	rule->alternatives = alternatives;
	rule->alternative_count = count;
}

static void read_xqa(struct reader *reader, const cJSON *root)
{
	static const struct pointer parent = { "/xqa_rules" };
	struct ss_reference *r = reader->reference;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "xqa_rules");
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_xqa_rule *rules = reader_array(reader, count, sizeof(*rules));
	const cJSON *item;
	size_t i = 0;

	if (!rules)
		return;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);

		if (reader_object(reader, item, &at, xqa_keys, COUNT(xqa_keys)))
			read_xqa_rule(reader, item, &at, &rules[i]);
		i++;
	}
	r->xqa_rules = rules;
	r->xqa_rule_count = count;
}

void reader_order(struct reader *reader, const cJSON *root)
{
	static const struct pointer at = { "/route_order" };
	const cJSON *order = cJSON_GetObjectItemCaseSensitive(root, "route_order");
	struct ss_reference *r = reader->reference;

	read_xqa(reader, root);
	if (!cJSON_IsObject(order) ||
	    !reader_object(reader, order, &at, order_keys, COUNT(order_keys)))
		return;
	r->order.age_note = value_text(order, "age_note");
	r->order.triton_option = value_text(order, "triton_option");
	r->order.backend = value_text(order, "backend");
	r->order.backend_field = value_text(order, "backend_field");
	r->order.dtype_field = value_text(order, "dtype_field");
	r->order.served_head_dims = value_numbers(reader, order, "served_head_dims");
	read_walks(reader, order, &at);
	read_stages(reader, order, &at);
	read_inner(reader, order, &at);
	r->has_order = reader->errors == 0;
}
