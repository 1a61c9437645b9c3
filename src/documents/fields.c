#include "stepscope/fields.h"

#include <stdio.h>
#include <string.h>

#include "documents/field_path.h"
#include "documents/nearest.h"

static const struct ss_field fields[] = {
#define SS_X(id_, owner_, path_, section_, type_, min_, max_, choices_, list_, required_, flag_, \
	     unstated_, help_)                                                                   \
	[SS_F_##id_] = { .id = SS_F_##id_,                                                       \
			 .owner = SS_OWNER_##owner_,                                             \
			 .path = path_,                                                          \
			 .section = SS_SECTION_##section_,                                       \
			 .type = SS_TYPE_##type_,                                                \
			 .min = min_,                                                            \
			 .max = max_,                                                            \
			 .choices = choices_,                                                    \
			 .list = SS_LIST_##list_,                                                \
			 .is_required = required_,                                               \
			 .flag = flag_,                                                          \
			 .unstated = unstated_,                                                  \
			 .help = help_ },
	SS_FIELD_LIST(SS_X)
#undef SS_X
};

static const char *const section_names[SS_SECTION_COUNT] = {
	[SS_SECTION_SCENARIO] = "SCENARIO", [SS_SECTION_CLUSTER] = "CLUSTER",
	[SS_SECTION_POOL] = "POOL",         [SS_SECTION_PARALLEL] = "PARALLEL",
	[SS_SECTION_ENGINE] = "ENGINE",     [SS_SECTION_CACHE] = "CACHE",
	[SS_SECTION_GRAPHS] = "GRAPHS",     [SS_SECTION_BUDGETS] = "BUDGETS",
	[SS_SECTION_EXPERTS] = "EXPERTS",   [SS_SECTION_SPECULATION] = "SPECULATION",
	[SS_SECTION_OFFLOAD] = "OFFLOAD",   [SS_SECTION_SM70] = "SM70",
	[SS_SECTION_LOAD] = "LOAD",
};

const struct ss_field *ss_field(enum ss_field_id id)
{
	return &fields[id];
}

const char *ss_field_prefix(enum ss_field_owner owner)
{
	switch (owner) {
	case SS_OWNER_DEPLOYMENT:
		return "deployment.";
	case SS_OWNER_WORKLOAD:
		return "workload.";
	case SS_OWNER_SCENARIO:
	case SS_OWNER_POOL:
		break;
	}
	return "";
}

const char *ss_section_name(enum ss_field_section section)
{
	return section < SS_SECTION_COUNT ? section_names[section] : "";
}

/* An index of a pool after `pools`, as `[1].` or `.1.`; what follows it, or NULL. */
static const char *after_pool(const char *name, size_t *pool)
{
	size_t index = 0, digits = 0;
	bool is_bracketed = *name == '[';

	if (*name != '[' && *name != '.')
		return NULL;
	for (name++; *name >= '0' && *name <= '9' && digits < 6; name++, digits++)
		index = index * 10 + (size_t)(*name - '0');
	if (!digits || (is_bracketed && *name++ != ']') || *name++ != '.')
		return NULL;
	*pool = index;
	return name;
}

static const char *after_prefix(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

/* The field this path names from its owner; `key` is what follows a map's path. */
static enum ss_field_id exact(const char *path, unsigned owners, const char **key)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const char *rest = after_prefix(path, fields[i].path);

		if (!rest || !(owners & 1u << fields[i].owner))
			continue;
		if (*rest == '\0')
			return (enum ss_field_id)i;
		if (*rest == '.' && rest[1] && fields[i].type == SS_TYPE_TEXT_MAP) {
			*key = rest + 1;
			return (enum ss_field_id)i;
		}
	}
	return SS_FIELD_COUNT;
}

/* Does the field's path end in `name`, at the start of a segment? */
static const char *tail(const struct ss_field *field, const char *name)
{
	const char *at = field->path;

	for (;;) {
		const char *rest = after_prefix(name, at);

		if (rest &&
		    (*rest == '\0' || (*rest == '.' && rest[1] && field->type == SS_TYPE_TEXT_MAP)))
			return rest;
		at = strchr(at, '.');
		if (!at)
			return NULL;
		at++;
	}
}

static bool is_flag(const struct ss_field *field, const char *name)
{
	const char *flag = field->flag;

	if (!flag)
		return false;
	for (; *flag && *name; flag++, name++)
		if (*flag != *name && !(*flag == '-' && *name == '_'))
			return false;
	return !*flag && !*name;
}

static enum ss_field_id by_tail(const char *name, const char **key, struct ss_error *err)
{
	enum ss_field_id match = SS_FIELD_COUNT;
	char paths[224] = "";
	size_t count = 0, used = 0;

	for (size_t i = 0; i < SS_FIELD_COUNT; i++)
		if (is_flag(&fields[i], name))
			return (enum ss_field_id)i;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const char *rest = tail(&fields[i], name);
		int n;

		if (!rest)
			continue;
		*key = *rest == '.' ? rest + 1 : NULL;
		match = (enum ss_field_id)i;
		n = used < sizeof(paths) ? snprintf(paths + used, sizeof(paths) - used, "%s%s",
						    count++ ? ", " : "", fields[i].path)
					 : 0;
		used += n > 0 ? (size_t)n : 0;
	}
	if (count < 2)
		return match;
	(void)ss_fail(err, SS_EUSAGE, name, "may mean %s; name it further", paths);
	return SS_FIELD_COUNT;
}

/* A switch without its "enable_", as screens show it. */
static enum ss_field_id by_short_switch(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name, *key = NULL;
	char whole[128];
	int n = snprintf(whole, sizeof(whole), "%.*senable_%s", (int)(last - name), name, last);

	if (!*last || n < 0 || (size_t)n >= sizeof(whole))
		return SS_FIELD_COUNT;
	return by_tail(whole, &key, NULL);
}

/* Paths close to the name, as a whole or by their last segment. */
static void report_unknown(const char *name, struct ss_error *err)
{
	const char *near[3] = { NULL };
	unsigned edits[3] = { 0 };
	size_t count = 0;
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name;

	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const char *path_dot = strrchr(fields[i].path, '.');
		const char *path_last = path_dot ? path_dot + 1 : fields[i].path;
		unsigned whole = ss_edit_distance(name, fields[i].path);
		unsigned part = ss_edit_distance(last, path_last);
		unsigned best = whole < part ? whole : part;
		size_t at;

		if (best > edit_limit(name) && best > edit_limit(last))
			continue;
		for (at = count; at > 0 && edits[at - 1] > best; at--)
			if (at < 3) {
				near[at] = near[at - 1];
				edits[at] = edits[at - 1];
			}
		if (at >= 3)
			continue;
		near[at] = fields[i].path;
		edits[at] = best;
		count += count < 3;
	}
	if (!count)
		(void)ss_fail(err, SS_EUSAGE, name,
			      "no such setting; they are named as parallel.tp, or tp");
	else
		(void)ss_fail(err, SS_EUSAGE, name, "no such setting; did you mean %s%s%s%s%s?",
			      near[0], count > 1 ? ", " : "", count > 1 ? near[1] : "",
			      count > 2 ? ", " : "", count > 2 ? near[2] : "");
}

/* Dashes and, in a pointer, slashes as a path has them. One character stays one. */
static void normalize(char *out, const char *name, bool is_pointer)
{
	for (; *name; name++)
		*out++ = *name == '-' ? '_' : is_pointer && *name == '/' ? '.' : *name;
	*out = '\0';
}

enum ss_field_id field_locate(const char *name, struct field_path *out, struct ss_error *err)
{
	const char *path, *rest, *key = NULL;
	unsigned owners = 1u << SS_OWNER_SCENARIO;
	enum ss_field_id id;
	bool is_under = false, is_pointer;

	*out = (struct field_path){ .pool = SIZE_MAX };
	if (strlen(name) >= sizeof(out->text)) {
		(void)ss_fail(err, SS_EUSAGE, "", "the name of the setting is too long");
		return SS_FIELD_COUNT;
	}
	is_pointer = *name == '/';
	while (*name == '-' || *name == '/' || *name == ' ')
		name++;
	normalize(out->text, name, is_pointer);
	path = out->text;
	rest = after_prefix(path, "deployment.");
	if (rest) {
		owners = 1u << SS_OWNER_DEPLOYMENT;
		path = rest;
		is_under = true;
	}
	rest = after_prefix(path, "workload.");
	if (rest) {
		owners = 1u << SS_OWNER_WORKLOAD;
		path = rest;
		is_under = true;
	}
	rest = after_prefix(path, "pools");
	rest = rest ? after_pool(rest, &out->pool) : NULL;
	if (rest) {
		owners = 1u << SS_OWNER_POOL;
		path = rest;
		is_under = true;
	}
	id = exact(path, owners, &key);
	if (id == SS_FIELD_COUNT && !is_under)
		id = exact(path, 1u << SS_OWNER_POOL, &key);
	if (id == SS_FIELD_COUNT && !is_under)
		id = exact(path, 1u << SS_OWNER_DEPLOYMENT, &key);
	if (id == SS_FIELD_COUNT && !is_under)
		id = exact(path, 1u << SS_OWNER_WORKLOAD, &key);
	if (id == SS_FIELD_COUNT) {
		struct ss_error local = { 0 };

		id = by_tail(path, &key, &local);
		if (id == SS_FIELD_COUNT && local.status && err)
			*err = local;
		else if (id == SS_FIELD_COUNT && !local.status)
			id = by_short_switch(path);
		if (id == SS_FIELD_COUNT && !local.status)
			report_unknown(path, err);
	}
	/* What a map holds keeps its own spelling. */
	out->key = key ? name + (key - out->text) : NULL;
	return id;
}

enum ss_field_id ss_field_find(const char *name, struct ss_error *err)
{
	struct field_path path;

	return field_locate(name, &path, err);
}
