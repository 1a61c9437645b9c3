#include "stepscope/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/field_path.h"
#include "documents/load_fields.h"
#include "documents/value.h"
#include "documents/what_if.h"

struct ss_scenario *ss_scenario_new(void)
{
	struct ss_scenario *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->file = strdup("");
	if (!s->file) {
		free(s);
		return NULL;
	}
	return s;
}

static void release_values(struct ss_value *values)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++)
		ss_value_release(&values[i]);
}

void ss_scenario_free(struct ss_scenario *s)
{
	if (!s)
		return;
	release_values(s->values);
	for (size_t i = 0; i < s->pool_count; i++)
		release_values(s->pools[i].values);
	free(s->pools);
	free(s->workload.groups);
	free(s->workload.shape);
	what_if_release(s);
	free(s->file);
	free(s);
}

static enum ss_status copy_values(struct ss_value *out, const struct ss_value *values)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		enum ss_status rc = ss_value_copy(&out[i], &values[i]);

		if (rc)
			return rc;
	}
	return SS_OK;
}

static enum ss_status copy_workload(struct ss_workload *out, const struct ss_workload *w)
{
	out->has_batch = w->has_batch;
	out->decode_threshold = w->decode_threshold;
	if (w->group_count) {
		out->groups = malloc(w->group_count * sizeof(*out->groups));
		if (!out->groups)
			return SS_ENOMEM;
		memcpy(out->groups, w->groups, w->group_count * sizeof(*out->groups));
		out->group_count = w->group_count;
	}
	if (w->shape && !(out->shape = strdup(w->shape)))
		return SS_ENOMEM;
	return SS_OK;
}

static enum ss_status copy_scenario(struct ss_scenario *out, const struct ss_scenario *s)
{
	enum ss_status rc = copy_values(out->values, s->values);

	if (rc)
		return rc;
	out->has_pd_transfer = s->has_pd_transfer;
	out->file = strdup(s->file);
	if (!out->file)
		return SS_ENOMEM;
	if (s->pool_count) {
		out->pools = calloc(s->pool_count, sizeof(*out->pools));
		if (!out->pools)
			return SS_ENOMEM;
		out->pool_count = s->pool_count;
	}
	for (size_t i = 0; i < s->pool_count; i++) {
		rc = copy_values(out->pools[i].values, s->pools[i].values);
		if (rc)
			return rc;
	}
	rc = copy_workload(&out->workload, &s->workload);
	return rc ? rc : what_if_copy(out, s);
}

enum ss_status ss_scenario_clone(struct ss_scenario **out, const struct ss_scenario *scenario)
{
	struct ss_scenario *copy = calloc(1, sizeof(*copy));
	enum ss_status rc = copy ? copy_scenario(copy, scenario) : SS_ENOMEM;

	if (rc) {
		ss_scenario_free(copy);
		return rc;
	}
	*out = copy;
	return SS_OK;
}

static bool same_values(const struct ss_value *a, const struct ss_value *b)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++)
		if (!ss_value_equal(&a[i], &b[i]))
			return false;
	return true;
}

static bool same_workload(const struct ss_workload *a, const struct ss_workload *b)
{
	if (a->decode_threshold != b->decode_threshold || a->group_count != b->group_count ||
	    a->has_batch != b->has_batch || !a->shape != !b->shape ||
	    (a->shape && strcmp(a->shape, b->shape) != 0))
		return false;
	for (size_t i = 0; i < a->group_count; i++) {
		const struct ss_group *g = &a->groups[i], *h = &b->groups[i];

		if (g->count != h->count || g->scheduled != h->scheduled ||
		    g->computed != h->computed || g->prompt_len != h->prompt_len)
			return false;
	}
	return true;
}

bool ss_scenario_equal(const struct ss_scenario *a, const struct ss_scenario *b)
{
	if (a->pool_count != b->pool_count || a->has_pd_transfer != b->has_pd_transfer ||
	    !same_values(a->values, b->values) || !same_workload(&a->workload, &b->workload) ||
	    !what_if_equal(a, b))
		return false;
	for (size_t i = 0; i < a->pool_count; i++)
		if (!same_values(a->pools[i].values, b->pools[i].values))
			return false;
	return true;
}

const struct ss_value *ss_scenario_value(const struct ss_scenario *s, size_t pool,
					 enum ss_field_id id)
{
	return ss_field(id)->owner == SS_OWNER_POOL ? &s->pools[pool].values[id] : &s->values[id];
}

struct ss_value *ss_scenario_value_mut(struct ss_scenario *s, size_t pool, enum ss_field_id id)
{
	return ss_field(id)->owner == SS_OWNER_POOL ? &s->pools[pool].values[id] : &s->values[id];
}

static enum ss_status set_entry(struct ss_value *value, const struct ss_field *field,
				const char *key, const char *text, struct ss_error *err)
{
	struct ss_value changed = { 0 };
	enum ss_status rc = ss_value_copy(&changed, value);
	char fault[256];

	if (rc)
		return ss_fail(err, rc, field->path, "out of memory");
	if (strchr(key, '='))
		rc = ss_fail(err, SS_EUSAGE, field->path, "a name of an entry holds no '='");
	else if (!value_set_entry(&changed, key, *text ? text : NULL))
		rc = ss_fail(err, SS_ENOMEM, field->path, "out of memory");
	else if (changed.is_stated && value_fault(fault, sizeof(fault), field, &changed))
		rc = ss_fail(err, SS_EUSAGE, field->path, "%s", fault);
	if (rc) {
		ss_value_release(&changed);
		return rc;
	}
	ss_value_release(value);
	*value = changed;
	return SS_OK;
}

enum ss_status ss_scenario_set(struct ss_scenario *s, size_t pool, const char *path,
			       const char *text, struct ss_error *err)
{
	struct field_path place;
	enum ss_field_id id = field_locate(path, &place, err);
	const struct ss_field *field;
	struct ss_value *value, parsed = { 0 };
	enum ss_status rc;

	if (id == SS_FIELD_COUNT)
		return SS_EUSAGE;
	field = ss_field(id);
	if (place.pool != SIZE_MAX)
		pool = place.pool;
	if (field->owner == SS_OWNER_POOL && pool >= s->pool_count)
		return ss_fail(err, SS_EUSAGE, path, "no pool %zu; the deployment has %zu", pool,
			       s->pool_count);
	value = ss_scenario_value_mut(s, pool, id);
	if (place.key)
		return set_entry(value, field, place.key, text, err);
	rc = ss_value_parse(&parsed, field, text, err);
	if (rc)
		return rc;
	if (!parsed.is_stated && field->is_required)
		return ss_fail(err, SS_EUSAGE, field->path, "must be stated");
	ss_value_release(value);
	*value = parsed;
	if (id == SS_F_PD_CONNECTOR)
		s->has_pd_transfer = parsed.is_stated;
	if (field->owner != SS_OWNER_WORKLOAD)
		return SS_OK;
	rc = load_field_set(s->values, id, err);
	if (rc)
		ss_value_release(value);
	return rc;
}

enum ss_status ss_scenario_take_fix(struct ss_scenario *s, size_t pool, const struct ss_fix *fix,
				    struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (; fix && !rc; fix = fix->also)
		rc = ss_scenario_set(s, pool, fix->path, fix->value, err);
	return rc;
}

void ss_scenario_pointer(char *out, size_t size, size_t pool, enum ss_field_id id)
{
	const struct ss_field *field = ss_field(id);
	char head[48] = "/";

	if (field->owner == SS_OWNER_POOL)
		(void)snprintf(head, sizeof(head), "/deployment/pools/%zu/", pool);
	else
		(void)snprintf(head, sizeof(head), "/%s", ss_field_prefix(field->owner));
	(void)snprintf(out, size, "%s%s", head, field->path);
	for (char *c = out; size && *c; c++)
		if (*c == '.')
			*c = '/';
}
