#include "case/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/edit_impl.h"
#include "text/xbuf.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EXACT ((int64_t)1 << 53)

enum { POOLS_MOST = 1000 };

static const char *const kind_names[] = {
#define NAME(id, name) name,
	EDIT_KINDS(NAME)
#undef NAME
};

static cJSON *made(cJSON *item)
{
	if (!item)
		out_of_memory();
	return item;
}

static void put(cJSON *object, const char *key, cJSON *item)
{
	if (!(key ? cJSON_AddItemToObject(object, key, made(item))
		  : cJSON_AddItemToArray(object, made(item))))
		out_of_memory();
}

static void put_integer(cJSON *object, const char *key, int64_t number)
{
	put(object, key, cJSON_CreateNumber((double)number));
}

static void put_text(cJSON *object, const char *key, const char *text)
{
	put(object, key, cJSON_CreateString(text));
}

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

int64_t kept_integer(const cJSON *object, const char *key, int64_t min, int64_t max,
		     int64_t fallback)
{
	const cJSON *item = key ? get(object, key) : object;

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= (double)min) ||
	    !(item->valuedouble <= (double)max))
		return fallback;
	return (int64_t)item->valuedouble;
}

const char *kept_text(const cJSON *object, const char *key)
{
	const cJSON *item = get(object, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

/* -- values --------------------------------------------------------------------------- */

static cJSON *value_json(const struct ss_value *value)
{
	cJSON *object = made(cJSON_CreateObject()), *list;

	if (value->is_auto)
		put(object, "auto", cJSON_CreateTrue());
	if (value->integer)
		put_integer(object, "integer", value->integer);
	if (value->number < 0 || value->number > 0)
		put(object, "number", cJSON_CreateNumber(value->number));
	if (value->text)
		put_text(object, "text", value->text);
	if (value->texts) {
		list = made(cJSON_CreateArray());
		for (size_t i = 0; i < value->count; i++)
			put_text(list, NULL, value->texts[i]);
		put(object, "texts", list);
	}
	if (value->integers) {
		list = made(cJSON_CreateArray());
		for (size_t i = 0; i < value->count; i++)
			put_integer(list, NULL, value->integers[i]);
		put(object, "integers", list);
	}
	return object;
}

/* Is all there that the field's type promises? */
static bool is_of_type(const struct ss_value *value, enum ss_field_type type)
{
	switch (type) {
	case SS_TYPE_INT:
	case SS_TYPE_INT_OR_AUTO:
	case SS_TYPE_FLOAT:
	case SS_TYPE_BOOL:
		return true;
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		return value->text != NULL;
	case SS_TYPE_INT_LIST:
		return (value->integers || !value->count) && !value->texts;
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
		return (value->texts || !value->count) && !value->integers;
	case SS_TYPE_TIERS:
		return (value->texts && value->integers) || !value->count;
	}
	return false;
}

/* Lists as every other way into a value leaves them: fit for a terminal. */
static void clean_value(struct ss_value *value)
{
	struct ss_value clean = { 0 };

	if (ss_value_copy(&clean, value))
		out_of_memory();
	ss_value_release(value);
	*value = clean;
}

static bool read_value(struct ss_value *out, const cJSON *item, const struct ss_field *field)
{
	const cJSON *text = get(item, "text"), *texts = get(item, "texts"),
		    *integers = get(item, "integers"), *number = get(item, "number"), *one;
	size_t i = 0;

	*out = (struct ss_value){ .is_stated = cJSON_IsObject(item) };
	if (!out->is_stated)
		return item == NULL;
	out->is_auto = cJSON_IsTrue(get(item, "auto"));
	out->integer = kept_integer(item, "integer", -EXACT, EXACT, 0);
	out->number = cJSON_IsNumber(number) ? number->valuedouble : 0;
	if (cJSON_IsString(text))
		out->text = xstrdup(text->valuestring);
	out->count = (size_t)cJSON_GetArraySize(texts ? texts : integers);
	if (texts && integers && cJSON_GetArraySize(texts) != cJSON_GetArraySize(integers))
		out->count = 0;
	if (texts)
		out->texts = xcalloc(out->count + 1, sizeof(*out->texts));
	if (integers)
		out->integers = xcalloc(out->count + 1, sizeof(*out->integers));
	one = texts ? texts->child : NULL;
	for (i = 0; one && i < out->count; i++, one = one->next)
		out->texts[i] = xstrdup(cJSON_IsString(one) ? one->valuestring : "");
	one = integers ? integers->child : NULL;
	for (i = 0; one && i < out->count; i++, one = one->next)
		out->integers[i] = kept_integer(one, NULL, -EXACT, EXACT, 0);
	if (out->count)
		clean_value(out);
	return is_of_type(out, field->type);
}

/* A scenario and its deployment both have a name. */
static const char *key_of(const struct ss_field *field, char *out, size_t size)
{
	(void)snprintf(out, size, "%s%s", field->owner == SS_OWNER_DEPLOYMENT ? "deployment." : "",
		       field->path);
	return out;
}

static cJSON *values_json(const struct ss_value *values)
{
	cJSON *object = made(cJSON_CreateObject());
	char key[160];

	for (int id = 0; id < SS_FIELD_COUNT; id++)
		if (values[id].is_stated)
			put(object, key_of(ss_field((enum ss_field_id)id), key, sizeof(key)),
			    value_json(&values[id]));
	return object;
}

static bool read_values(struct ss_value *values, const cJSON *item)
{
	char key[160];

	if (!cJSON_IsObject(item))
		return false;
	for (int id = 0; id < SS_FIELD_COUNT; id++) {
		const struct ss_field *field = ss_field((enum ss_field_id)id);

		if (!read_value(&values[id], get(item, key_of(field, key, sizeof(key))), field))
			return false;
	}
	return true;
}

/* -- batches -------------------------------------------------------------------------- */

cJSON *kept_groups(const struct ss_group *groups, size_t count)
{
	cJSON *list = made(cJSON_CreateArray());

	for (size_t i = 0; i < count; i++) {
		const int64_t numbers[] = { groups[i].count, groups[i].scheduled,
					    groups[i].computed, groups[i].prompt_len };
		cJSON *group = made(cJSON_CreateArray());

		for (size_t k = 0; k < COUNT(numbers); k++)
			put_integer(group, NULL, numbers[k]);
		put(list, NULL, group);
	}
	return list;
}

bool kept_read_groups(struct ss_group **out, size_t *count, const cJSON *item)
{
	size_t n = (size_t)cJSON_GetArraySize(item), i = 0;
	const cJSON *group;

	*out = NULL;
	*count = 0;
	if (!cJSON_IsArray(item))
		return false;
	*out = xcalloc(n + 1, sizeof(**out));
	*count = n;
	cJSON_ArrayForEach(group, item)
	{
		(*out)[i++] = (struct ss_group){
			kept_integer(cJSON_GetArrayItem(group, 0), NULL, 0, EXACT, 0),
			kept_integer(cJSON_GetArrayItem(group, 1), NULL, 0, EXACT, 0),
			kept_integer(cJSON_GetArrayItem(group, 2), NULL, 0, EXACT, 0),
			kept_integer(cJSON_GetArrayItem(group, 3), NULL, 0, EXACT, 0),
		};
	}
	return true;
}

static cJSON *workload_json(const struct ss_workload *workload)
{
	cJSON *object = made(cJSON_CreateObject());

	if (workload->has_batch)
		put(object, "batch", kept_groups(workload->groups, workload->group_count));
	if (workload->shape)
		put_text(object, "shape", workload->shape);
	put_integer(object, "decode_threshold", workload->decode_threshold);
	return object;
}

static bool read_workload(struct ss_workload *out, const cJSON *item)
{
	const char *shape = kept_text(item, "shape");

	if (!cJSON_IsObject(item))
		return false;
	out->has_batch = kept_read_groups(&out->groups, &out->group_count, get(item, "batch"));
	out->shape = *shape ? xstrdup(shape) : NULL;
	out->decode_threshold = kept_integer(item, "decode_threshold", 0, EXACT, 0);
	return true;
}

/* -- drafts --------------------------------------------------------------------------- */

static cJSON *corrections_json(unsigned set)
{
	cJSON *list = made(cJSON_CreateArray());

	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++)
		if (set & (1u << i))
			put_text(list, NULL, ss_divergence((enum ss_divergence_id)i)->name);
	return list;
}

static unsigned read_corrections(const cJSON *list)
{
	struct ss_error ignored;
	const cJSON *name;
	unsigned set = 0;

	cJSON_ArrayForEach(name, list)
	{
		if (cJSON_IsString(name))
			(void)!ss_corrections_parse(&set, name->valuestring, &ignored);
	}
	return set;
}

cJSON *kept_draft(const struct draft *draft)
{
	const struct ss_scenario *s = draft->scenario;
	cJSON *object = made(cJSON_CreateObject()), *pools = made(cJSON_CreateArray()),
	      *tried = made(cJSON_CreateObject());

	put_text(object, "file", s->file);
	put(object, "values", values_json(s->values));
	for (size_t i = 0; i < s->pool_count; i++)
		put(pools, NULL, values_json(s->pools[i].values));
	put(object, "pools", pools);
	put(object, "pd_transfer", cJSON_CreateBool(s->has_pd_transfer));
	put(object, "workload", workload_json(&s->workload));
	for (size_t i = 0; i < draft->whatif_count; i++)
		put(tried, draft->whatifs[i].name, cJSON_CreateNumber(draft->whatifs[i].value));
	put(object, "what_if", tried);
	put(object, "corrections", corrections_json(draft->corrections));
	put_integer(object, "sm_budget", draft->sm_budget);
	return object;
}

static struct ss_scenario *read_scenario(const cJSON *item)
{
	struct ss_scenario *s = ss_scenario_new();
	const cJSON *pools = get(item, "pools"), *pool;
	int count = cJSON_GetArraySize(pools);
	bool is_whole;

	if (!s)
		out_of_memory();
	free(s->file);
	s->file = xstrdup(kept_text(item, "file"));
	s->has_pd_transfer = cJSON_IsTrue(get(item, "pd_transfer"));
	is_whole = count > 0 && count <= POOLS_MOST &&
		   read_values(s->values, get(item, "values")) &&
		   read_workload(&s->workload, get(item, "workload"));
	if (is_whole)
		s->pools = xcalloc((size_t)count, sizeof(*s->pools));
	pool = is_whole ? pools->child : NULL;
	for (; pool && is_whole; pool = pool->next)
		is_whole = read_values(s->pools[s->pool_count++].values, pool);
	/* What every scenario states is read without looking. */
	for (int id = 0; id < SS_FIELD_COUNT && is_whole; id++) {
		const struct ss_field *field = ss_field((enum ss_field_id)id);

		for (size_t p = 0; p < s->pool_count; p++)
			is_whole &= !field->is_required ||
				    ss_scenario_value(s, p, field->id)->is_stated;
	}
	if (is_whole)
		return s;
	ss_scenario_free(s);
	return NULL;
}

/* As the prompt would take it. */
static bool can_be_tried(const cJSON *number)
{
	return cJSON_IsNumber(number) && isfinite(number->valuedouble) && number->valuedouble > 0;
}

bool kept_read_draft(struct draft *out, const cJSON *item)
{
	struct ss_scenario *scenario = read_scenario(item);
	const cJSON *tried;

	*out = (struct draft){ 0 };
	if (!scenario)
		return false;
	draft_init(out, scenario);
	cJSON_ArrayForEach(tried, get(item, "what_if"))
	{
		if (tried->string && can_be_tried(tried))
			draft_set_whatif(out, tried->string, &tried->valuedouble);
	}
	out->corrections = read_corrections(get(item, "corrections"));
	out->sm_budget = kept_integer(item, "sm_budget", 0, EXACT, 0);
	return true;
}

/* -- reviews and histories ------------------------------------------------------------ */

cJSON *kept_review(const struct ss_review *review)
{
	char *text = ss_review_to_json(review);
	cJSON *item;

	if (!text)
		out_of_memory();
	item = made(cJSON_Parse(text));
	free(text);
	return item;
}

struct ss_review *kept_read_review(const cJSON *item)
{
	char *text = item ? cJSON_PrintUnformatted(item) : NULL;
	struct ss_review *review = NULL;

	if (text)
		review = ss_review_parse(text, strlen(text), "", NULL);
	cJSON_free(text);
	return review;
}

static cJSON *edit_json(const struct edit *edit)
{
	cJSON *object = made(cJSON_CreateObject());
	char key[160];

	put_text(object, "kind", kind_names[edit->kind]);
	put_text(object, "name", edit->name);
	if (edit->is_joined)
		put(object, "joined", cJSON_CreateTrue());
	switch (edit->kind) {
	case EDIT_FIELD:
		put_integer(object, "pool", (int64_t)edit->pool);
		put_text(object, "field", key_of(ss_field(edit->field), key, sizeof(key)));
		if (edit->value.is_stated)
			put(object, "value", value_json(&edit->value));
		break;
	case EDIT_GROUPS:
		put(object, "workload", workload_json(&edit->workload));
		break;
	case EDIT_THRESHOLD:
	case EDIT_BUDGET:
		put_integer(object, "number", edit->number);
		break;
	case EDIT_CORRECTIONS:
		put(object, "corrections", corrections_json((unsigned)edit->number));
		break;
	case EDIT_WHATIF:
		put_text(object, "entry", edit->coefficient);
		if (edit->has_tried)
			put(object, "tried", cJSON_CreateNumber(edit->tried));
		break;
	case EDIT_DRAFT:
		put(object, "draft", kept_draft(&edit->draft));
		break;
	case EDIT_REVIEW:
		put_text(object, "entry", edit->coefficient);
		put(object, "said", kept_review(edit->said));
		break;
	case EDIT_KIND_COUNT:
		break;
	}
	return object;
}

cJSON *kept_history(const struct history *history)
{
	cJSON *object = made(cJSON_CreateObject()), *edits = made(cJSON_CreateArray());

	for (size_t i = 0; i < history->count; i++)
		put(edits, NULL, edit_json(&history->edits[i]));
	put(object, "edits", edits);
	put_integer(object, "position", (int64_t)history->position);
	put_integer(object, "saved",
		    history->saved > history->count ? -1 : (int64_t)history->saved);
	return object;
}

static enum ss_field_id field_of(const cJSON *item)
{
	const char *path = kept_text(item, "field");
	char key[160];

	for (int id = 0; id < SS_FIELD_COUNT; id++)
		if (!strcmp(key_of(ss_field((enum ss_field_id)id), key, sizeof(key)), path))
			return (enum ss_field_id)id;
	return SS_FIELD_COUNT;
}

static bool read_edit(struct edit *out, const cJSON *item)
{
	const char *kind = kept_text(item, "kind");
	const cJSON *tried = get(item, "tried");
	int k = 0;

	while (k < EDIT_KIND_COUNT && strcmp(kind_names[k], kind) != 0)
		k++;
	*out = (struct edit){ .kind = (enum edit_kind)k,
			      .name = xstrdup(kept_text(item, "name")),
			      .is_joined = cJSON_IsTrue(get(item, "joined")) };
	switch (out->kind) {
	case EDIT_FIELD:
		out->pool = (size_t)kept_integer(item, "pool", 0, POOLS_MOST, 0);
		out->field = field_of(item);
		return out->field != SS_FIELD_COUNT &&
		       read_value(&out->value, get(item, "value"), ss_field(out->field));
	case EDIT_GROUPS:
		return read_workload(&out->workload, get(item, "workload"));
	case EDIT_THRESHOLD:
	case EDIT_BUDGET:
		out->number = kept_integer(item, "number", 0, EXACT, 0);
		return true;
	case EDIT_CORRECTIONS:
		out->number = (int64_t)read_corrections(get(item, "corrections"));
		return true;
	case EDIT_WHATIF:
		out->coefficient = xstrdup(kept_text(item, "entry"));
		out->has_tried = can_be_tried(tried);
		out->tried = out->has_tried ? tried->valuedouble : 0;
		return true;
	case EDIT_DRAFT:
		return kept_read_draft(&out->draft, get(item, "draft"));
	case EDIT_REVIEW:
		out->coefficient = xstrdup(kept_text(item, "entry"));
		out->said = kept_read_review(get(item, "said"));
		return out->said != NULL && out->said->count <= 1;
	case EDIT_KIND_COUNT:
		break;
	}
	return false;
}

bool kept_read_history(struct history *out, const cJSON *item)
{
	const cJSON *edits = get(item, "edits"), *edit;
	struct history read = { .review = out->review };
	bool is_whole = cJSON_IsArray(edits);

	read.capacity = (size_t)cJSON_GetArraySize(edits);
	read.edits = xcalloc(read.capacity + 1, sizeof(*read.edits));
	cJSON_ArrayForEach(edit, edits)
	{
		is_whole = is_whole && read_edit(&read.edits[read.count++], edit);
		if (!is_whole)
			break;
	}
	read.position =
		(size_t)kept_integer(item, "position", 0, (int64_t)read.count, (int64_t)read.count);
	read.saved = (size_t)kept_integer(item, "saved", 0, (int64_t)read.count, -1);
	if (!is_whole) {
		history_release(&read);
		return false;
	}
	*out = read;
	return true;
}
