/* Weight formats of a configuration, and the modules it leaves alone. */
#include "import/hf_config.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *item = get(object, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static int64_t count_of(const cJSON *object, const char *key)
{
	const cJSON *item = get(object, key);

	return cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= 1e6
		       ? (int64_t)item->valuedouble
		       : 0;
}

static const char *compute_format(struct hf *h)
{
	static const struct {
		const char *text, *format;
	} dtypes[] = {
		{ "bfloat16", "bf16" },
		{ "float16", "fp16" },
		{ "float32", "fp32" },
	};
	const char *text = hf_text(h, "dtype");

	if (!text)
		text = hf_text(h, "torch_dtype");
	if (!text)
		return "bf16";
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
		if (!strcmp(text, dtypes[i].text))
			return dtypes[i].format;
	}
	hf_problem(h, "range", "/torch_dtype", "wants bfloat16, float16 or float32, got '%.40s'",
		   text);
	return "bf16";
}

static void read_block(struct hf *h, const cJSON *block)
{
	for (int i = 0; i < 2 && cJSON_GetArraySize(block) == 2; i++) {
		const cJSON *item = cJSON_GetArrayItem(block, i);

		if (cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= 1e6)
			h->formats.block[i] = (int64_t)item->valuedouble;
	}
}

/** Integer or float weights of so many bits. */
static const char *format_of_bits(struct hf *h, int64_t bits, bool is_float, int64_t group)
{
	if (bits == 8)
		return is_float ? "fp8" : "int8";
	if (bits == 4 && !is_float) {
		h->formats.group = group;
		h->formats.has_plain_head = true;
		return "int4";
	}
	if (bits == 4)
		return group == 32 ? "mxfp4" : "nvfp4";
	hf_problem(h, "range", "/quantization_config", "weights of 4 or 8 bits are known, got %lld",
		   (long long)bits);
	return h->formats.compute;
}

static void read_compressed(struct hf *h, const cJSON *quantization)
{
	const cJSON *group = get(quantization, "config_groups");
	const cJSON *weights;

	if (!group || !group->child || group->child->next) {
		hf_problem(h, "range", "/quantization_config/config_groups",
			   "one group of formats is known, got %d", cJSON_GetArraySize(group));
		return;
	}
	weights = get(group->child, "weights");
	h->formats.weights = format_of_bits(h, count_of(weights, "num_bits"),
					    !strcmp(text_of(weights, "type"), "float"),
					    count_of(weights, "group_size"));
	read_block(h, get(weights, "block_structure"));
	h->formats.excluded = get(quantization, "ignore");
}

static void read_modelopt(struct hf *h, const cJSON *quantization)
{
	const char *algorithm = text_of(quantization, "quant_algo");

	h->formats.excluded = get(quantization, "exclude_modules");
	if (!h->formats.excluded)
		h->formats.excluded = get(quantization, "ignore");
	if (!strcmp(algorithm, "FP8"))
		h->formats.weights = "fp8";
	else if (!strcmp(algorithm, "NVFP4"))
		h->formats.weights = "nvfp4";
	else
		hf_problem(h, "range", "/quantization_config/quant_algo",
			   "FP8 and NVFP4 are known, got '%.40s'", algorithm);
}

void hf_read_formats(struct hf *h)
{
	const cJSON *quantization = get(h->root, "quantization_config");
	const char *method;
	int64_t group;

	h->formats.compute = compute_format(h);
	h->formats.weights = h->formats.compute;
	if (!quantization)
		quantization = get(h->text, "quantization_config");
	if (!quantization || cJSON_IsNull(quantization))
		return;
	method = text_of(quantization, "quant_method");
	h->formats.excluded = get(quantization, "modules_to_not_convert");
	group = count_of(quantization, "group_size");
	if (!strcmp(method, "fp8")) {
		h->formats.weights = "fp8";
		read_block(h, get(quantization, "weight_block_size"));
	} else if (!strcmp(method, "mxfp4")) {
		h->formats.experts = "mxfp4";
	} else if (!strcmp(method, "awq") || !strcmp(method, "gptq") ||
		   !strcmp(method, "auto-round")) {
		h->formats.weights =
			format_of_bits(h, count_of(quantization, "bits"), false, group);
	} else if (!strcmp(method, "compressed-tensors")) {
		read_compressed(h, quantization);
	} else if (!strcmp(method, "modelopt")) {
		read_modelopt(h, quantization);
	} else {
		hf_problem(h, "range", "/quantization_config/quant_method",
			   "fp8, mxfp4, awq, gptq, compressed-tensors and modelopt are known, got "
			   "'%.40s'",
			   method);
	}
}

/* clang-format off */
/* What the checkpoints call a node's weights; any of a role's names decides. */
static const struct {
	const char *role, *module;
} modules[] = {
	{ "qkv_proj",      "self_attn.q_proj" },
	{ "qkv_proj",      "mixer.q_proj" },
	{ "o_proj",        "self_attn.o_proj" },
	{ "o_proj",        "mixer.o_proj" },
	{ "qkv_a_proj",    "self_attn.q_a_proj" },
	{ "kv_a_proj",     "self_attn.kv_a_proj_with_mqa" },
	{ "q_proj",        "self_attn.q_proj" },
	{ "q_b_proj",      "self_attn.q_b_proj" },
	{ "kv_b_proj",     "self_attn.kv_b_proj" },
	{ "index_wq_b",    "self_attn.indexer.wq_b" },
	{ "mlp_gate_up",   "mlp.gate_proj" },
	{ "mlp_up",        "mixer.up_proj" },
	{ "mlp_down",      "mlp.down_proj" },
	{ "mlp_down",      "mixer.down_proj" },
	{ "experts",       "mlp.experts.0.gate_proj" },
	{ "experts",       "block_sparse_moe.experts.0.w1" },
	{ "experts",       "mixer.experts.0.up_proj" },
	{ "gdn_qkvz_proj", "linear_attn.in_proj_qkvz" },
	{ "gdn_qkvz_proj", "linear_attn.in_proj_qkv" },
	{ "gdn_ba_proj",   "linear_attn.in_proj_ba" },
	{ "gdn_ba_proj",   "linear_attn.in_proj_b" },
	{ "mixer_in",      "mixer.in_proj" },
	{ "mixer_out",     "linear_attn.out_proj" },
	{ "mixer_out",     "mixer.out_proj" },
};
/* clang-format on */

/** `*` stands for anything; a pattern without one may be a part of the name. */
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

	for (const char *p = strstr(name, part); n && p; p = strstr(p + 1, part)) {
		if ((p == name || p[-1] == '.') && (!p[n] || p[n] == '.'))
			return true;
	}
	return false;
}

static bool matches(const char *pattern, const char *name)
{
	regex_t regex;
	char *anchored;
	bool is_match;
	size_t size = strlen(pattern) + 4;

	if (strncmp(pattern, "re:", 3) != 0)
		return strchr(pattern, '*') ? matches_glob(pattern, name)
					    : holds_part(name, pattern);
	anchored = malloc(size);
	if (!anchored)
		return false;
	/* Python matches from the start of the name. */
	snprintf(anchored, size, "^%s", pattern + 3);
	is_match = false;
	if (!regcomp(&regex, anchored, REG_EXTENDED | REG_NOSUB)) {
		is_match = !regexec(&regex, name, 0, NULL, 0);
		regfree(&regex);
	}
	free(anchored);
	return is_match;
}

static bool is_excluded(const struct hf *h, const char *name)
{
	const cJSON *pattern;

	cJSON_ArrayForEach(pattern, h->formats.excluded)
	{
		if (cJSON_IsString(pattern) && matches(pattern->valuestring, name))
			return true;
	}
	return false;
}

const char *hf_module_format(struct hf *h, const char *role, int64_t layer)
{
	if (h->formats.experts && !strcmp(role, "experts"))
		return h->formats.experts;
	if (!strcmp(h->formats.weights, h->formats.compute))
		return NULL;
	if (!strcmp(role, "lm_head"))
		return h->formats.has_plain_head || is_excluded(h, "lm_head") ? h->formats.compute
									      : NULL;
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		char name[128];

		if (strcmp(modules[i].role, role) != 0)
			continue;
		snprintf(name, sizeof(name), "model.layers.%lld.%s", (long long)layer,
			 modules[i].module);
		if (is_excluded(h, name))
			return h->formats.compute;
	}
	return NULL;
}
