/*
 * Scenario files, read against the table of fields: an object of the file is
 * every field (of one owner) whose path begins with the object's own.
 */
#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"
#include "documents/json.h"
#include "documents/level.h"
#include "documents/value.h"
#include "documents/what_if.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { POOLS_MAX = 1000, PATH_MAX_LENGTH = 128 };

void level_make(struct level *level, enum ss_field_owner owner, const char *prefix)
{
	size_t length = strlen(prefix);

	level->count = 0;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);
		const char *rest = f->path + length;
		size_t span, k = 0;

		if (f->owner != owner || strncmp(f->path, prefix, length) != 0)
			continue;
		span = strcspn(rest, ".");
		if (span >= SEGMENT_MAX || level->count == KEYS_MAX)
			continue;
		while (k < level->count &&
		       (strncmp(level->segments[k], rest, span) != 0 || level->segments[k][span]))
			k++;
		if (k < level->count)
			continue;
		memcpy(level->segments[k], rest, span);
		level->segments[k][span] = '\0';
		level->keys[k] = (struct key){ .name = level->segments[k],
					       .kind = rest[span] ? KEY_OBJECT : KEY_ITEM,
					       .offset = NO_OFFSET };
		level->ids[k] = rest[span] ? SS_FIELD_COUNT : (enum ss_field_id)i;
		level->count++;
	}
}

void level_add_key(struct level *level, const char *name, enum key_kind kind, bool is_required)
{
	level->keys[level->count] = (struct key){
		.name = name, .kind = kind, .is_required = is_required, .offset = NO_OFFSET
	};
	level->ids[level->count++] = SS_FIELD_COUNT;
}

static bool read_value_text(struct reader *r, const struct place *at, const cJSON *item,
			    struct target *t, char **out)
{
	if (!cJSON_IsString(item)) {
		char found[128];

		describe(found, sizeof(found), item);
		report(r, SS_ERROR, at, "type", "found %s, wants text", found);
		return false;
	}
	if (strlen(item->valuestring) > VALUE_TEXT_LENGTH_MAX) {
		report(r, SS_ERROR, at, "limit", "text of more than %d bytes",
		       VALUE_TEXT_LENGTH_MAX);
		return false;
	}
	*out = strdup(item->valuestring);
	t->is_out_of_memory |= !*out;
	return *out != NULL;
}

static void read_value_ints(struct reader *r, const struct place *at, const cJSON *item,
			    struct target *t, struct ss_value *v)
{
	size_t i = 0;

	if (!read_list_size(r, at, item, VALUE_TEXTS_MAX))
		return;
	for (const cJSON *element = item->child; element; element = element->next) {
		struct place place = { at, NULL, i++ };
		int64_t integer;

		if (read_int(r, &place, element, -EXACT_MAX, EXACT_MAX, NULL, &integer))
			t->is_out_of_memory |= !value_add_integer(v, integer);
	}
}

static void read_value_texts(struct reader *r, const struct place *at, const cJSON *item,
			     struct target *t, struct ss_value *v)
{
	size_t i = 0;

	if (!read_list_size(r, at, item, VALUE_TEXTS_MAX))
		return;
	for (const cJSON *element = item->child; element; element = element->next) {
		struct place place = { at, NULL, i++ };
		char *text = NULL;

		if (read_value_text(r, &place, element, t, &text))
			t->is_out_of_memory |= !value_add_text(v, text);
		free(text);
	}
}

/* An entry's value as text: settings are numbers and truths too. */
static bool entry_text(struct reader *r, const struct place *at, const cJSON *item,
		       const struct ss_field *f, struct target *t, char **out)
{
	char number[40];

	if (f->section != SS_SECTION_SM70 || cJSON_IsString(item))
		return read_value_text(r, at, item, t, out);
	if (cJSON_IsBool(item))
		*out = strdup(cJSON_IsTrue(item) ? "true" : "false");
	else if (cJSON_IsNumber(item) && number_text(number, sizeof(number), item->valuedouble))
		*out = strdup(number);
	else
		return read_value_text(r, at, item, t, out);
	t->is_out_of_memory |= !*out;
	return *out != NULL;
}

static void read_value_map(struct reader *r, const struct place *at, const cJSON *item,
			   const struct ss_field *f, const char *prefix, struct target *t,
			   struct ss_value *v)
{
	size_t count = 0;

	if (!cJSON_IsObject(item)) {
		char found[128];

		describe(found, sizeof(found), item);
		report(r, SS_ERROR, at, "type", "found %s, wants an object of names and texts",
		       found);
		return;
	}
	for (const cJSON *entry = item->child; entry; entry = entry->next) {
		struct place place = { at, entry->string, 0 };
		char name[512], *text = NULL;
		size_t length = strlen(prefix) + strlen(entry->string);

		if (++count > VALUE_TEXTS_MAX) {
			report(r, SS_ERROR, at, "limit", "holds more than %d entries",
			       VALUE_TEXTS_MAX);
			return;
		}
		if (!entry->string[0] || strchr(entry->string, '=') || length + 2 > sizeof(name)) {
			report(r, SS_ERROR, &place, "range",
			       "a name must be 1 to 500 bytes and hold no '='");
			continue;
		}
		memcpy(name, prefix, strlen(prefix));
		memcpy(name + strlen(prefix), entry->string, strlen(entry->string) + 1);
		if (cJSON_IsObject(entry) && f->section == SS_SECTION_SM70) {
			name[length] = '.';
			name[length + 1] = '\0';
			read_value_map(r, &place, entry, f, name, t, v);
			continue;
		}
		if (value_has_entry(v, name))
			report(r, SS_ERROR, &place, "duplicate-key",
			       "the key \"%.80s\" stands here a second time", entry->string);
		else if (entry_text(r, &place, entry, f, t, &text))
			t->is_out_of_memory |= !value_set_entry(v, name, text);
		free(text);
	}
}

static void read_value_tiers(struct reader *r, const struct place *at, const cJSON *item,
			     struct target *t, struct ss_value *v)
{
	struct tier {
		char *name;
		int64_t bytes;
	};
	static const struct key keys[] = {
		{ "tier", KEY_NAME, true, offsetof(struct tier, name), 0, 0, NULL, NULL },
		{ "bytes", KEY_INT, true, offsetof(struct tier, bytes), 1, EXACT_MAX, NULL, NULL },
	};
	size_t i = 0;

	if (!read_list_size(r, at, item, VALUE_TEXTS_MAX))
		return;
	for (const cJSON *element = item->child; element; element = element->next) {
		struct place place = { at, NULL, i++ };
		struct tier tier = { NULL, 0 };

		if (read_object(r, &place, element, keys, COUNT(keys), &tier, NULL))
			t->is_out_of_memory |=
				!value_add_text(v, tier.name) || !value_add_integer(v, tier.bytes);
	}
}

static void read_value(struct reader *r, const struct place *at, const cJSON *item,
		       const struct ss_field *f, struct target *t)
{
	struct ss_value v = { 0 };
	size_t before = r->error_count;
	bool truth = false;
	char fault[256];

	switch (f->type) {
	case SS_TYPE_INT_OR_AUTO:
		v.is_auto = cJSON_IsString(item) && strcmp(item->valuestring, "auto") == 0;
		if (v.is_auto)
			break;
		if (cJSON_IsString(item)) {
			report(r, SS_ERROR, at, "type",
			       "found text \"%.80s\", wants an integer or "
			       "\"auto\"",
			       item->valuestring);
			break;
		}
		(void)read_int(r, at, item, f->min, f->max, NULL, &v.integer);
		break;
	case SS_TYPE_INT:
		(void)read_int(r, at, item, f->min, f->max, NULL, &v.integer);
		break;
	case SS_TYPE_FLOAT:
		(void)read_number(r, at, item, f->min, f->max, NULL, &v.number);
		break;
	case SS_TYPE_BOOL:
		(void)read_bool(r, at, item, &truth);
		v.integer = truth;
		break;
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		(void)read_value_text(r, at, item, t, &v.text);
		break;
	case SS_TYPE_INT_LIST:
		read_value_ints(r, at, item, t, &v);
		break;
	case SS_TYPE_NAME_LIST:
		read_value_texts(r, at, item, t, &v);
		break;
	case SS_TYPE_TEXT_MAP:
		read_value_map(r, at, item, f, "", t, &v);
		break;
	case SS_TYPE_TIERS:
		read_value_tiers(r, at, item, t, &v);
		break;
	}
	if (r->error_count == before && !t->is_out_of_memory &&
	    value_fault(fault, sizeof(fault), f, &v))
		report(r, SS_ERROR, at, "range", "%s", fault);
	v.is_stated = r->error_count == before;
	/* A list of none is the same as one left out. */
	if ((f->type == SS_TYPE_TEXT_MAP || f->type == SS_TYPE_NAME_LIST) && !v.count)
		v.is_stated = false;
	if (!v.is_stated || t->is_out_of_memory) {
		ss_value_release(&v);
		return;
	}
	t->values[f->id] = v;
}

/* The objects inside: `parallel`, `engine`, `engine.dbo`. */
static void read_inner(struct reader *r, const struct place *at, const cJSON *item,
		       const char *prefix, const char *segment, struct target *t)
{
	struct level *level = malloc(sizeof(*level));
	char inner[PATH_MAX_LENGTH];

	if (!level) {
		t->is_out_of_memory = true;
		return;
	}
	(void)snprintf(inner, sizeof(inner), "%s%s.", prefix, segment);
	level_make(level, t->owner, inner);
	level_read(r, at, item, level, inner, t, NULL);
	free(level);
}

void level_read(struct reader *r, const struct place *at, const cJSON *item, struct level *level,
		const char *prefix, struct target *t, const cJSON **given)
{
	const cJSON *found[KEYS_MAX];

	for (size_t k = 0; k < level->count; k++) {
		if (level->ids[k] != SS_FIELD_COUNT && ss_field(level->ids[k])->is_required)
			level->keys[k].is_required = true;
	}
	if (!read_object(r, at, item, level->keys, level->count, NULL, found))
		return;
	for (size_t k = 0; k < level->count; k++) {
		struct place place = { at, level->keys[k].name, 0 };

		if (given)
			given[k] = found[k];
		if (found[k] && level->ids[k] != SS_FIELD_COUNT)
			read_value(r, &place, found[k], ss_field(level->ids[k]), t);
		else if (found[k] && level->keys[k].name == level->segments[k])
			read_inner(r, &place, found[k], prefix, level->segments[k], t);
	}
}

const cJSON *level_given(const struct level *level, const cJSON *const *given, const char *name)
{
	for (size_t k = 0; k < level->count; k++)
		if (strcmp(level->keys[k].name, name) == 0)
			return given[k];
	return NULL;
}

/* An object whose block is there needs some of its fields: `offload` its tiers. */
static void check_block(struct reader *r, const struct place *parent, const cJSON *block,
			const char *name, const char *key)
{
	struct place at = { parent, name, 0 }, place = { &at, key, 0 };

	if (block && !cJSON_GetObjectItemCaseSensitive(block, key))
		report(r, SS_ERROR, &place, "missing", "missing; it must be stated in %s", name);
}

static void read_pool(struct reader *r, const struct place *at, const cJSON *item,
		      struct ss_pool *pool, struct level *level, struct target *t)
{
	struct place engine_at = { at, "engine", 0 };
	const cJSON *engine, *speculative;

	t->values = pool->values;
	t->owner = SS_OWNER_POOL;
	level_make(level, SS_OWNER_POOL, "");
	for (size_t k = 0; k < level->count; k++)
		if (strcmp(level->keys[k].name, "parallel") == 0)
			level->keys[k].is_required = true;
	level_read(r, at, item, level, "", t, NULL);
	engine = cJSON_GetObjectItemCaseSensitive(item, "engine");
	speculative = cJSON_GetObjectItemCaseSensitive(engine, "speculative");
	if (!cJSON_IsObject(speculative))
		return;
	check_block(r, &engine_at, speculative, "speculative", "method");
	check_block(r, &engine_at, speculative, "speculative", "num_spec_tokens");
}

static void read_deployment(struct reader *r, const cJSON *item, struct ss_scenario *s,
			    struct level *level, struct target *t)
{
	const cJSON *given[KEYS_MAX] = { NULL };
	const cJSON *pools, *transfer;
	struct place at = { NULL, "deployment", 0 }, list = { &at, "pools", 0 };
	size_t count, i = 0;

	t->values = s->values;
	t->owner = SS_OWNER_DEPLOYMENT;
	level_make(level, SS_OWNER_DEPLOYMENT, "");
	level_add_key(level, "pools", KEY_LIST, true);
	level_read(r, &at, item, level, "", t, given);
	check_block(r, &at, level_given(level, given, "offload"), "offload", "tiers");
	transfer = level_given(level, given, "pd_transfer");
	s->has_pd_transfer = transfer != NULL;
	pools = level_given(level, given, "pools");
	if (pools && !pools->child)
		report(r, SS_ERROR, &list, "range", "empty; a deployment has one pool at least");
	count = read_list_size(r, &list, pools, POOLS_MAX);
	s->pools = count ? calloc(count, sizeof(*s->pools)) : NULL;
	if (!s->pools) {
		t->is_out_of_memory |= count > 0;
		return;
	}
	s->pool_count = count;
	for (const cJSON *pool = pools->child; pool; pool = pool->next, i++) {
		struct place place = { &list, NULL, i };

		read_pool(r, &place, pool, &s->pools[i], level, t);
	}
}

/* What the cluster's own fields owe each other. */
static void check_cluster(struct reader *r, const struct ss_scenario *s)
{
	const struct ss_value *nodes = &s->values[SS_F_CLUSTER_NODES];
	const struct ss_value *node = &s->values[SS_F_GPUS_PER_NODE];
	const struct ss_value *rack = &s->values[SS_F_GPUS_PER_RACK];
	struct place at = { NULL, "cluster", 0 }, fabric = { &at, "fabric", 0 };
	struct place rack_at = { &at, "gpus_per_rack", 0 };

	if (nodes->is_stated && nodes->integer > 1 && !s->values[SS_F_FABRIC].is_stated &&
	    !s->values[SS_F_INTER_NODE_GB_S].is_stated)
		report(r, SS_ERROR, &fabric, "missing",
		       "missing; it or inter_node_gb_s must be stated for %lld nodes",
		       (long long)nodes->integer);
	if (rack->is_stated && node->is_stated && rack->integer % node->integer != 0)
		report(r, SS_ERROR, &rack_at, "range",
		       "found %lld, must be a multiple of gpus_per_node (%lld)",
		       (long long)rack->integer, (long long)node->integer);
}

static void read_scenario(struct reader *r, const cJSON *root, struct ss_scenario *s,
			  struct level *level, struct target *t)
{
	const cJSON *given[KEYS_MAX] = { NULL };
	const cJSON *workload, *deployment;
	size_t before = r->error_count;

	level_make(level, SS_OWNER_SCENARIO, "");
	for (size_t k = 0; k < level->count; k++)
		if (strcmp(level->keys[k].name, "cluster") == 0)
			level->keys[k].is_required = true;
	level_add_key(level, "kind", KEY_TEXT, true);
	level_add_key(level, "workload", KEY_OBJECT, false);
	level_add_key(level, "what_if", KEY_OBJECT, false);
	level_add_key(level, "corrections", KEY_OBJECT, false);
	level_add_key(level, "deployment", KEY_OBJECT, true);
	level_read(r, NULL, root, level, "", t, given);
	workload = level_given(level, given, "workload");
	deployment = level_given(level, given, "deployment");
	if (r->error_count == before)
		check_cluster(r, s);
	t->is_out_of_memory |= !what_if_read(r, level_given(level, given, "what_if"), s);
	corrections_read(r, level_given(level, given, "corrections"), s);
	/* the keys are of other objects from here on */
	if (workload)
		workload_fields_read(r, workload, s, level, t);
	if (deployment)
		read_deployment(r, deployment, s, level, t);
}

struct ss_scenario *scenario_read(const cJSON *root, const char *file, struct ss_problems *problems)
{
	struct arena arena = { 0 }; /* texts on their way into values */
	struct reader r = { problems, file, &arena, 0 };
	struct ss_scenario *s = ss_scenario_new();
	struct level *level = malloc(sizeof(*level));
	struct target t = { s ? s->values : NULL, SS_OWNER_SCENARIO, !s || !level };

	if (!t.is_out_of_memory && check_kind(&r, root, SS_DOCUMENT_SCENARIO)) {
		free(s->file);
		s->file = strdup(file);
		t.is_out_of_memory = !s->file;
		read_scenario(&r, root, s, level, &t);
	}
	if (t.is_out_of_memory || arena.is_out_of_memory)
		report(&r, SS_ERROR, NULL, "memory", "out of memory");
	if (r.error_count) {
		ss_scenario_free(s);
		s = NULL;
	}
	free(level);
	arena_release(&arena);
	return s;
}

struct ss_scenario *ss_scenario_parse(const char *json, size_t length, const char *file,
				      struct ss_problems *problems)
{
	cJSON *root = json_parse(json, length, file, problems);
	struct ss_scenario *s = root ? scenario_read(root, file, problems) : NULL;

	cJSON_Delete(root);
	return s;
}

struct ss_scenario *ss_scenario_load(const char *path, struct ss_problems *problems)
{
	cJSON *root = json_load(path, problems);
	struct ss_scenario *s = root ? scenario_read(root, path, problems) : NULL;

	cJSON_Delete(root);
	return s;
}
