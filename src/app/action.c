#include "app/action.h"

#include <stdio.h>
#include <string.h>

static const struct action_row rows[ACT_COUNT] = {
#define ACTION_ROW(id, name, keys, where, brief, help) \
	[ACT_##id] = { name, keys, where, brief, help },
	ACTION_LIST(ACTION_ROW)
#undef ACTION_ROW
};

const struct action_row *action_row(enum action_id id)
{
	return &rows[id];
}

/* A key's name as a footer has room for it: without brackets, and Spc. */
static const char *key_label(const char *name, char *out, size_t size)
{
	size_t n = strlen(name);

	if (strcmp(name, "<Space>") == 0)
		(void)snprintf(out, size, "Spc");
	else if (n > 2 && name[0] == '<')
		(void)snprintf(out, size, "%.*s", (int)(n - 2), name + 1);
	else
		(void)snprintf(out, size, "%s", name);
	return out;
}

static bool has_key(const struct action_row *row, struct key key)
{
	const char *text = row->keys;
	struct key one;

	while (key_parse(&text, &one))
		if (key_equal(one, key))
			return true;
	return false;
}

enum action_id action_for_key(struct key key, unsigned where)
{
	unsigned bit;
	int i;

	where |= ACTION_ANYWHERE;
	for (bit = ACTION_WHERE_END >> 1; bit; bit >>= 1) {
		if (!(where & bit))
			continue;
		for (i = 0; i < ACT_COUNT; i++)
			if ((rows[i].where & bit) && has_key(&rows[i], key))
				return (enum action_id)i;
	}
	return ACT_NONE;
}

enum action_id action_by_name(const char *name)
{
	int i;

	for (i = 0; i < ACT_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			return (enum action_id)i;
	return ACT_NONE;
}

const char *action_key_name(enum action_id id, char *out, size_t size)
{
	const char *text = rows[id].keys;
	struct key key;

	if (size > 0)
		out[0] = '\0';
	return key_parse(&text, &key) ? key_text(key, out, size) : out;
}

const char *action_footer(const enum action_id *actions, int cols, char *out, size_t size)
{
	size_t put = 0;

	if (size > 0)
		out[0] = '\0';
	for (; *actions != ACT_NONE; actions++) {
		char name[16], label[16], text[64];
		int n;

		action_key_name(*actions, name, sizeof(name));
		n = snprintf(text, sizeof(text), "%s%s %s", put ? "  " : "",
			     key_label(name, label, sizeof(label)), rows[*actions].brief);
		/* keys and briefs are ASCII: bytes are columns */
		if (n < 0 || put + (size_t)n >= size || (long)put + n > cols)
			break;
		memcpy(out + put, text, (size_t)n + 1);
		put += (size_t)n;
	}
	return out;
}

const char *action_where_name(enum action_where where)
{
	switch (where) {
	case ACTION_ANYWHERE:
		return "everywhere";
	case ACTION_DEPLOYMENT:
		return "Deployment";
	case ACTION_PROVENANCE:
		return "Provenance";
	case ACTION_STEP:
		return "Step";
	case ACTION_MEMORY:
		return "Memory";
	case ACTION_BATCH:
		return "Batch";
	case ACTION_SWEEP:
		return "Sweep";
	case ACTION_COMPARE:
		return "Compare";
	case ACTION_SERVE:
		return "Serve";
	case ACTION_WALK:
		return "the walk";
	case ACTION_REFUSED:
		return "a refused deployment";
	case ACTION_TOUR:
		return "a tour";
	case ACTION_TOUR_FREE:
		return "a paused tour";
	case ACTION_WHERE_END:
		break;
	}
	return "";
}
