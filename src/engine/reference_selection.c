/* MoE selector rules, GDN prefill and weight formats of a pack. */
#include <cjson/cJSON.h>
#include <string.h>

#include "engine/moe.h"
#include "engine/read.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
static const struct key moe_keys[] = {
	{ "settings", FORM_OBJECT, 0 },
	{ "rules", FORM_LIST, 0 },
};
static const struct key rule_keys[] = {
	{ "families", FORM_TEXTS, 0 },
	{ "stage", FORM_TEXT, 0 },
	{ "mode", FORM_TEXT, 0 },
	{ "when", FORM_OBJECT, 0 },
	{ "reason", FORM_TEXT, 0 },
};
static const struct key gdn_keys[] = {
	{ "backend_fields", FORM_TEXTS, 0 },
	{ "backends", FORM_LIST, 0 },
	{ "fallback_backend", FORM_TEXT, 0 },
	{ "original_prefill", FORM_OBJECT, 0 },
};
static const struct key backend_keys[] = {
	{ "name", FORM_TEXT, 0 },
	{ "asked_as", FORM_TEXTS, 0 },
	{ "compute_capability", FORM_TEXTS, 0 },
	{ "head_k", FORM_INTS, 0 },
	{ "dtypes", FORM_TEXTS, 0 },
};
static const struct key original_keys[] = {
	{ "backend", FORM_TEXT, 0 },
	{ "typed", FORM_TEXT, 0 },
	{ "environment", FORM_TEXTS, 0 },
	{ "default", FORM_BOOL, 0 },
	{ "false_texts", FORM_TEXTS, 0 },
	{ "on", FORM_TEXT, 0 },
	{ "off", FORM_TEXT, 0 },
	{ "on_about", FORM_TEXT, 0 },
	{ "off_about", FORM_TEXT, 0 },
};
static const struct key format_keys[] = {
	{ "name", FORM_TEXT, 0 },
	{ "aliases", FORM_TEXTS, 0 },
	{ "bits", FORM_INT, KEY_NULLABLE },
	{ "moe_family", FORM_TEXT, KEY_NULLABLE },
};
/* clang-format on */

static void read_moe_condition(struct reader *reader, const cJSON *item, const struct pointer *at,
			       struct ss_moe_condition *c)
{
	int key = moe_condition_find(item->string);
	const cJSON *child;
	bool is_right = false;

	if (key < 0) {
		reader_fault(reader, "unknown-key", at, "unknown condition of a MoE rule");
		return;
	}
	c->key = key;
	switch (moe_condition_form(key)) {
	case MOE_FORM_NUMBERS:
		is_right =
			cJSON_IsNumber(item) || (cJSON_IsArray(item) && cJSON_GetArraySize(item));
		cJSON_ArrayForEach(child, item) is_right = is_right && cJSON_IsNumber(child);
		if (is_right)
			c->numbers = numbers_read(reader, item);
		break;
	case MOE_FORM_FIELD:
		is_right = cJSON_IsString(item);
		c->field = cJSON_GetStringValue(item);
		break;
	case MOE_FORM_MEMBER:
		is_right = cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2 &&
			   cJSON_IsString(cJSON_GetArrayItem(item, 0)) &&
			   cJSON_IsString(cJSON_GetArrayItem(item, 1));
		c->field = cJSON_GetStringValue(cJSON_GetArrayItem(item, 0));
		c->value = cJSON_GetStringValue(cJSON_GetArrayItem(item, 1));
		break;
	case MOE_FORM_TEXT:
		is_right = cJSON_IsString(item);
		c->value = cJSON_GetStringValue(item);
		break;
	}
	if (!is_right)
		reader_fault(reader, "type", at, "is not of the form this condition takes");
}

static bool has_binding(const struct ss_reference *r, const char *family, const char *stage,
			const char *mode)
{
	for (size_t i = 0; i < r->binding_count; i++) {
		const struct ss_moe_binding *b = &r->bindings[i];

		if (strcmp(b->stage, stage) != 0 || strcmp(b->mode, mode) != 0)
			continue;
		for (size_t j = 0; j < b->families.count; j++)
			if (strcmp(b->families.items[j], family) == 0)
				return true;
	}
	return false;
}

static void read_rule(struct reader *reader, const cJSON *item, const struct pointer *at,
		      struct ss_moe_rule *rule)
{
	const cJSON *when = cJSON_GetObjectItemCaseSensitive(item, "when");
	size_t count = (size_t)cJSON_GetArraySize(when);
	struct ss_moe_condition *rows = reader_array(reader, count, sizeof(*rows));
	struct pointer parent = pointer_key(at, "when");
	const cJSON *child;
	size_t i = 0;

	rule->families = value_names(reader, item, "families");
	rule->stage = value_text(item, "stage");
	rule->mode = value_text(item, "mode");
	rule->reason = value_text(item, "reason");
	for (size_t j = 0; j < rule->families.count; j++)
		if (!has_binding(reader->reference, rule->families.items[j], rule->stage,
				 rule->mode))
			reader_fault(reader, "range", at, "no binding %s %s %s is declared",
				     rule->families.items[j], rule->stage, rule->mode);
	if (!rows)
		return;
	cJSON_ArrayForEach(child, when)
	{
		struct pointer where = pointer_key(&parent, child->string);

		read_moe_condition(reader, child, &where, &rows[i++]);
	}
	rule->when = rows;
	rule->when_count = count;
}

static void read_moe(struct reader *reader, const cJSON *moe)
{
	static const struct pointer top = { "/moe_selection" };
	struct ss_reference *r = reader->reference;
	const cJSON *settings = cJSON_GetObjectItemCaseSensitive(moe, "settings");
	const cJSON *rules = cJSON_GetObjectItemCaseSensitive(moe, "rules");
	size_t setting_count = (size_t)cJSON_GetArraySize(settings);
	size_t rule_count = (size_t)cJSON_GetArraySize(rules);
	struct ss_moe_settings *s;
	struct ss_moe_rule *rows;
	struct pointer parent = pointer_key(&top, "rules");
	const cJSON *item;
	size_t i = 0;

	if (!reader_object(reader, moe, &top, moe_keys, COUNT(moe_keys)))
		return;
	s = reader_array(reader, setting_count, sizeof(*s));
	rows = reader_array(reader, rule_count, sizeof(*rows));
	if (!s || !rows)
		return;
	cJSON_ArrayForEach(item, settings)
	{
		s[i].family = item->string;
		s[i].owner_path = cJSON_GetStringValue(item);
		if (!s[i].owner_path || !ss_reference_owner(r, s[i].owner_path))
			reader_fault(reader, "range", &top, "settings of `%s` need an owner path",
				     item->string);
		i++;
	}
	i = 0;
	cJSON_ArrayForEach(item, rules)
	{
		struct pointer at = pointer_index(&parent, i);

		if (reader_object(reader, item, &at, rule_keys, COUNT(rule_keys)))
			read_rule(reader, item, &at, &rows[i]);
		i++;
	}
	r->moe_settings = s;
	r->moe_settings_count = setting_count;
	r->moe_rules = rows;
	r->moe_rule_count = rule_count;
	r->has_moe_rules = true;
}

static void read_backends(struct reader *reader, const cJSON *gdn, const struct pointer *top)
{
	struct ss_gdn_rules *g = &reader->reference->gdn;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(gdn, "backends");
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_gdn_backend *rows = reader_array(reader, count, sizeof(*rows));
	struct pointer parent = pointer_key(top, "backends");
	const cJSON *item;
	size_t i = 0;

	if (!rows)
		return;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&parent, i);

		if (reader_object(reader, item, &at, backend_keys, COUNT(backend_keys))) {
			rows[i].name = value_text(item, "name");
			rows[i].asked_as = value_names(reader, item, "asked_as");
			rows[i].compute_capability =
				value_names(reader, item, "compute_capability");
			rows[i].head_k = value_numbers(reader, item, "head_k");
			rows[i].dtypes = value_names(reader, item, "dtypes");
		}
		i++;
	}
	g->backends = rows;
	g->backend_count = count;
}

static void check_setting(struct reader *reader, const char *path, const struct pointer *at)
{
	if (!ss_reference_field(reader->reference, path))
		reader_fault(reader, "range", at, "`%s` is not in config_fields", path);
}

static void read_gdn(struct reader *reader, const cJSON *gdn)
{
	static const struct pointer top = { "/gdn_prefill" };
	struct ss_gdn_rules *g = &reader->reference->gdn;
	struct pointer at = pointer_key(&top, "original_prefill");
	const cJSON *o;

	if (!reader_object(reader, gdn, &top, gdn_keys, COUNT(gdn_keys)))
		return;
	o = cJSON_GetObjectItemCaseSensitive(gdn, "original_prefill");
	if (!reader_object(reader, o, &at, original_keys, COUNT(original_keys)))
		return;
	g->backend_fields = value_names(reader, gdn, "backend_fields");
	for (size_t i = 0; i < g->backend_fields.count; i++)
		check_setting(reader, g->backend_fields.items[i], &top);
	g->fallback_backend = value_text(gdn, "fallback_backend");
	read_backends(reader, gdn, &top);
	g->original_backend = value_text(o, "backend");
	g->typed_field = value_text(o, "typed");
	check_setting(reader, g->typed_field, &at);
	g->variables = value_names(reader, o, "environment");
	g->false_texts = value_names(reader, o, "false_texts");
	g->default_on = value_bool(o, "default");
	g->name_on = value_text(o, "on");
	g->name_off = value_text(o, "off");
	g->about_on = value_text(o, "on_about");
	g->about_off = value_text(o, "off_about");
	reader->reference->has_gdn = reader->errors == 0;
}

static void read_formats(struct reader *reader, const cJSON *list)
{
	static const struct pointer top = { "/weight_formats" };
	struct ss_reference *r = reader->reference;
	size_t count = (size_t)cJSON_GetArraySize(list);
	struct ss_weight_format *rows = reader_array(reader, count, sizeof(*rows));
	const cJSON *item;
	size_t i = 0;

	if (!rows)
		return;
	cJSON_ArrayForEach(item, list)
	{
		struct pointer at = pointer_index(&top, i);

		if (reader_object(reader, item, &at, format_keys, COUNT(format_keys))) {
			rows[i].name = value_text(item, "name");
			rows[i].aliases = value_names(reader, item, "aliases");
			rows[i].bits = value_int(item, "bits", 0);
			rows[i].moe_family = value_text(item, "moe_family");
		}
		i++;
	}
	r->formats = rows;
	r->format_count = count;
}

void reader_selection(struct reader *reader, const cJSON *root)
{
	const cJSON *moe = cJSON_GetObjectItemCaseSensitive(root, "moe_selection");
	const cJSON *gdn = cJSON_GetObjectItemCaseSensitive(root, "gdn_prefill");

	if (cJSON_IsObject(moe))
		read_moe(reader, moe);
	if (cJSON_IsObject(gdn))
		read_gdn(reader, gdn);
	read_formats(reader, cJSON_GetObjectItemCaseSensitive(root, "weight_formats"));
}
