/**
 * @file
 * Patterns of a configuration that name modules: `lm_head`, `model.layers.3.mlp`,
 * `*.self_attn*`, `re:.*mlp\.gate$`, under whatever prefix the checkpoint has.
 */
#ifndef HF_PATTERNS_H
#define HF_PATTERNS_H

#include <regex.h>

#include "import/hf_config.h"

#define HF_NAME_SIZE 192
#define HF_NAMES_MAX 3

struct hf_pattern {
	const char *text; /**< borrowed */
	regex_t regex;
	bool is_regex, is_glob;
};

/**
 * Add the texts of a list, or the keys of an object.
 *
 * @return false when out of memory; what cannot be read is a problem at `pointer`.
 */
bool hf_patterns_read(struct hf *h, struct hf_patterns *out, const cJSON *list,
		      const char *pointer);
void hf_patterns_release(struct hf_patterns *patterns);

/** A name less what checkpoints put ahead of `layers.`. */
const char *hf_bare_name(const char *name);
/** What a module of the layer at hand may be called, less such prefixes. */
size_t hf_bare_names(struct hf *h, const char *module, size_t length, char out[][HF_NAME_SIZE]);

bool hf_pattern_matches(const struct hf_pattern *pattern, const char *bare);
/** Does one of them name this module of the layer at hand? */
bool hf_patterns_match(struct hf *h, const struct hf_patterns *patterns, const char *module,
		       size_t length);
/** Does one of them name a module outside the layers? */
bool hf_patterns_name(const struct hf_patterns *patterns, const char *module);

#endif
