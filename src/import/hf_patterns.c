/* Which modules a configuration's patterns name. */
#include "import/hf_patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/hf_expression.h"

/* What checkpoints put ahead of `layers.`. */
static const char *const prefixes[] = {
	"model.language_model.", "language_model.model.", "model.", "language_model.", "backbone.",
	"transformer.",          "thinker.model.",        "",
};

#define PREFIX_COUNT (sizeof(prefixes) / sizeof(prefixes[0]))

const char *hf_bare_name(const char *name)
{
	for (size_t i = 0; i < PREFIX_COUNT; i++) {
		size_t n = strlen(prefixes[i]);
		const char *rest = name + n;

		if (!strncmp(name, prefixes[i], n) &&
		    (!strncmp(rest, "layers.", 7) || !strncmp(rest, "h.", 2)))
			return rest;
	}
	return name;
}

size_t hf_bare_names(struct hf *h, const char *module, size_t length, char out[][HF_NAME_SIZE])
{
	int n = (int)length;
	size_t count = 0;

	snprintf(out[count++], HF_NAME_SIZE, "layers.%lld.%.*s", (long long)h->layer, n, module);
	if (!h->is_draft) {
		snprintf(out[count++], HF_NAME_SIZE, "h.%lld.%.*s", (long long)h->layer, n, module);
		return count;
	}
	snprintf(out[count++], HF_NAME_SIZE, "mtp.layers.%lld.%.*s",
		 (long long)(h->layer - hf_count(h, "layers", 0)), n, module);
	snprintf(out[count++], HF_NAME_SIZE, "mtp.%lld.%.*s",
		 (long long)(h->layer - hf_count(h, "layers", 0)), n, module);
	return count;
}

/** `*` stands for anything. */
static bool matches_glob(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			retry = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/** A whole dotted part of the name: `model.layers.1` is no part of `model.layers.10`. */
static bool holds_part(const char *name, const char *part)
{
	size_t n = strlen(part);
	bool is_rooted = !strncmp(part, "layers.", 7) || !strncmp(part, "h.", 2);

	for (const char *p = strstr(name, part); n && p; p = strstr(p + 1, part)) {
		if (is_rooted && p != name)
			return false;
		if ((p == name || p[-1] == '.') && (!p[n] || p[n] == '.' || p[n - 1] == '.'))
			return true;
	}
	return false;
}

/** Python spells some of what POSIX does not know. */
static void to_posix(char *out, size_t size, const char *pattern)
{
	/* clang-format off */
	static const struct {
		const char *python, *posix;
	} spellings[] = {
		{ "(?:", "(" }, { "\\d", "[0-9]" }, { "\\w", "[A-Za-z0-9_]" }, { ".*?", ".*" }, { ".+?", ".+" },
	};
	/* clang-format on */
	size_t used = 0;

	out[used++] = '^';
	while (*pattern && used + 16 < size) {
		size_t i = 0;

		while (i < sizeof(spellings) / sizeof(spellings[0]) &&
		       strncmp(pattern, spellings[i].python, strlen(spellings[i].python)) != 0)
			i++;
		if (i < sizeof(spellings) / sizeof(spellings[0])) {
			used += (size_t)snprintf(out + used, size - used, "%s", spellings[i].posix);
			pattern += strlen(spellings[i].python);
		} else {
			out[used++] = *pattern++;
		}
	}
	out[used] = '\0';
}

static bool is_regex(const char *text)
{
	return !strncmp(text, "re:", 3) || !strncmp(text, "-:", 2);
}

bool hf_patterns_read(struct hf *h, struct hf_patterns *out, const cJSON *list, const char *pointer)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		const char *text = cJSON_IsString(item) ? item->valuestring : item->string;
		char posix[1024];
		struct hf_pattern *grown;

		if (!text)
			continue;
		grown = realloc(out->items, (out->count + 1) * sizeof(*grown));
		if (!grown)
			return false;
		out->items = grown;
		grown[out->count] = (struct hf_pattern){ .text = hf_bare_name(text) };
		if (is_regex(text)) {
			to_posix(posix, sizeof(posix), strchr(text, ':') + 1);
			if (regcomp(&grown[out->count].regex, posix, REG_EXTENDED | REG_NOSUB)) {
				hf_problem(h, "range", pointer,
					   "the pattern '%.80s' cannot be read", text);
				continue;
			}
			grown[out->count].is_regex = true;
		}
		grown[out->count].is_glob =
			!grown[out->count].is_regex && strpbrk(text, "*") != NULL;
		if (grown[out->count].is_glob)
			grown[out->count].text = text;
		out->count++;
	}
	return true;
}

void hf_patterns_release(struct hf_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++) {
		if (patterns->items[i].is_regex)
			regfree(&patterns->items[i].regex);
	}
	free(patterns->items);
	*patterns = (struct hf_patterns){ 0 };
}

/** A pattern may spell any of the prefixes, or none. */
static bool matches_spelled(const struct hf_pattern *pattern, const char *bare)
{
	for (size_t i = 0; i < PREFIX_COUNT; i++) {
		char name[HF_NAME_SIZE + 32];

		snprintf(name, sizeof(name), "%s%s", prefixes[i], bare);
		if (pattern->is_regex ? !regexec(&pattern->regex, name, 0, NULL, 0)
				      : matches_glob(pattern->text, name))
			return true;
	}
	return false;
}

bool hf_pattern_matches(const struct hf_pattern *pattern, const char *bare)
{
	return pattern->is_regex || pattern->is_glob ? matches_spelled(pattern, bare)
						     : holds_part(bare, pattern->text);
}

bool hf_patterns_match(struct hf *h, const struct hf_patterns *patterns, const char *module,
		       size_t length)
{
	char names[HF_NAMES_MAX][HF_NAME_SIZE];
	size_t count = patterns->count ? hf_bare_names(h, module, length, names) : 0;

	for (size_t i = 0; i < patterns->count; i++) {
		for (size_t k = 0; k < count; k++) {
			if (hf_pattern_matches(&patterns->items[i], names[k]))
				return true;
		}
	}
	return false;
}

bool hf_patterns_name(const struct hf_patterns *patterns, const char *module)
{
	for (size_t i = 0; i < patterns->count; i++) {
		if (hf_pattern_matches(&patterns->items[i], module))
			return true;
	}
	return false;
}
