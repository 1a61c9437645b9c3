#include "batch/engine_flags.h"

#include <string.h>

#include "stepscope/fields.h"

/* Short spellings that the engine's own command line takes. */
static const struct {
	const char *name, *flag;
} shorts[] = {
	{ "tp", "tensor-parallel-size" },
	{ "pp", "pipeline-parallel-size" },
	{ "dp", "data-parallel-size" },
	{ "dpl", "data-parallel-size-local" },
	{ "pcp", "prefill-context-parallel-size" },
	{ "dcp", "decode-context-parallel-size" },
	{ "ep", "enable-expert-parallel" },
};

/** Letter by letter, `-` and `_` alike. */
static bool is_spelled(const char *text, size_t len, const char *flag)
{
	if (strlen(flag) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((text[i] == '_' ? '-' : text[i]) != flag[i])
			return false;
	return true;
}

static const struct ss_field *field_of(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
		if (is_spelled(text, len, shorts[i].name))
			return field_of(shorts[i].flag, strlen(shorts[i].flag));
	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);

		if (field->flag && is_spelled(text, len, field->flag))
			return field;
	}
	return NULL;
}

bool engine_flag_find(struct engine_flag *out, const char *word)
{
	const char *name = word + strspn(word, "-");
	size_t len = strcspn(name, "=");
	const struct ss_field *field = field_of(name, len);
	bool is_negated = false;

	if (!field && len > 3 && (!strncmp(name, "no-", 3) || !strncmp(name, "no_", 3))) {
		field = field_of(name + 3, len - 3);
		is_negated = true;
	}
	if (!field || (is_negated && (field->type != SS_TYPE_BOOL || name[len])))
		return false;
	*out = (struct engine_flag){ .path = field->path,
				     .attached = name[len] ? name + len + 1 : NULL };
	if (field->type == SS_TYPE_BOOL && !out->attached)
		out->value = is_negated ? "false" : "true";
	return true;
}
