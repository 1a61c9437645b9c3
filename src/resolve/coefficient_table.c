#include "resolve/coefficient_table.h"

#include <string.h>

#include "stepscope/coefficients.h"

static const struct coef_family_row families[] = {
#define X(id, name, suffix, law, without, sign) \
	{ name, sizeof(name) - 1, SUFFIX_##suffix, law, without, sign },
	COEF_FAMILIES(X)
#undef X
};

const struct coef_family_row *coef_family(enum coef_family family)
{
	return &families[family];
}

size_t ss_coefficient_family_count(void)
{
	return COEF_FAMILY_COUNT;
}

void ss_coefficient_family(struct ss_coefficient_family *out, size_t index)
{
	static const char *const suffixes[] = {
		[SUFFIX_NONE] = "",
		[SUFFIX_FORMAT] = "_<format>",
		[SUFFIX_KIND] = "[_<attention kind or role>]",
		[SUFFIX_RECURRENT] = "_<recurrent kind>",
		[SUFFIX_COMPONENT] = "_<component>",
		[SUFFIX_RANKS] = "_<N>rank",
		[SUFFIX_MODE] = "_<graph mode>",
		[SUFFIX_OP_RANKS] = "_<collective>_fp16_<N>rank_<part>",
		[SUFFIX_BACKEND] = "_<all-to-all backend>_<N>ep",
	};
	const struct coef_family_row *row = &families[index];

	*out = (struct ss_coefficient_family){ row->name, suffixes[row->suffix], row->law,
					       row->without };
}

const char *coef_format_name(enum coef_format format)
{
	static const char *const names[] = {
#define X(id, name) name,
		COEF_FORMATS(X)
#undef X
	};

	return names[format];
}

const char *coef_collective_name(enum coef_collective op)
{
	static const char *const names[] = {
#define X(id, name) name,
		COEF_COLLECTIVES(X)
#undef X
	};

	return names[op];
}

const char *coef_backend_name(enum coef_backend backend)
{
	static const char *const names[] = {
#define X(id, name) name,
		COEF_BACKENDS(X)
#undef X
	};

	return names[backend];
}

bool coef_is_prefill_role(const char *role)
{
	return strcmp(role, "block_index_scores") == 0;
}

enum coef_family coef_family_find(const char *name, const char **suffix)
{
	enum coef_family found = COEF_FAMILY_COUNT;
	size_t longest = 0;

	for (int i = 0; i < COEF_FAMILY_COUNT; i++) {
		const struct coef_family_row *f = &families[i];
		char end;

		if (f->name[0] != name[0] || f->length <= longest ||
		    strncmp(f->name, name, f->length) != 0)
			continue;
		end = name[f->length];
		if (end == '\0' ? f->suffix != SUFFIX_NONE && f->suffix != SUFFIX_KIND
				: end != '_' || f->suffix == SUFFIX_NONE)
			continue;
		found = (enum coef_family)i;
		longest = f->length;
	}
	if (suffix && found != COEF_FAMILY_COUNT)
		*suffix = name[longest] ? name + longest + 1 : name + longest;
	return found;
}
