/* Weight formats of a configuration, module by module. */
#include "import/hf_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/hf_expression.h"
#include "import/hf_patterns.h"

#define AT "/quantization_config"

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
	/* clang-format off */
	static const struct {
		const char *text, *format;
	} dtypes[] = {
		{ "bfloat16", "bf16" },
		{ "float16",  "fp16" },
		{ "half",     "fp16" },
		{ "auto",     "bf16" },
		/* the engine casts to the 16 bits that the part prefers */
		{ "float32",  "bf16" },
		{ "float",    "bf16" },
	};
	/* clang-format on */
	char text[48];
	const char *word = text;

	if (!hf_text(h, text, sizeof(text), "dtype ?? torch_dtype"))
		return "bf16";
	if (!strncmp(word, "torch.", 6))
		word += 6;
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
		if (!strcmp(word, dtypes[i].text))
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
		return "int4";
	}
	if (bits == 4)
		return group == 32 ? "mxfp4" : "nvfp4";
	if (bits == 16)
		return h->formats.compute;
	hf_problem(h, "range", AT, "weights of 4 or 8 bits are known, got %lld", (long long)bits);
	return h->formats.compute;
}

static void exclude(struct hf *h, const cJSON *list)
{
	if (!hf_patterns_read(h, &h->formats.excluded, list, AT))
		h->is_out_of_memory = true;
}

/* -- modelopt ------------------------------------------------------------------------- */

/** Format that an algorithm's name stands for; NULL with a problem when none is known. */
static const char *format_of_algorithm(struct hf *h, const char *algorithm)
{
	/* clang-format off */
	static const struct {
		const char *algorithm, *format;
	} algorithms[] = {
		{ "FP8", "fp8" }, { "FP8_PER_CHANNEL_PER_TOKEN", "fp8" }, { "FP8_PB_WO", "fp8" },
		{ "FP8_BLOCK_SCALES", "fp8" },
		{ "NVFP4", "nvfp4" }, { "NVFP4_AWQ", "nvfp4" }, { "W4A16_NVFP4", "nvfp4" },
		{ "MXFP8", "mxfp8" }, { "MXFP4", "mxfp4" }, { "W4A8_MXFP4_FP8", "mxfp4" },
		{ "W4A16_AWQ", "int4" }, { "W4A8_AWQ", "int4" }, { "INT4_AWQ", "int4" },
		{ "W4A16_GPTQ", "int4" }, { "W8A16", "int8" }, { "W8A8_SQ_PER_CHANNEL", "int8" },
		{ "INT8_SQ", "int8" },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (!strcmp(algorithm, algorithms[i].algorithm))
			return algorithms[i].format;
	}
	hf_problem(h, "range", AT "/quant_algo",
		   "FP8, NVFP4, MXFP8, MXFP4, W4A16_AWQ, INT8_SQ and MIXED_PRECISION are known, "
		   "got '%.40s'",
		   algorithm);
	return h->formats.compute;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct hf_listed *)a)->name, ((const struct hf_listed *)b)->name);
}

static void read_listed(struct hf *h, const cJSON *layers)
{
	struct hf_formats *f = &h->formats;
	size_t size = (size_t)cJSON_GetArraySize(layers);
	const cJSON *item;

	f->listed = size ? calloc(size, sizeof(*f->listed)) : NULL;
	if (size && !f->listed) {
		h->is_out_of_memory = true;
		return;
	}
	cJSON_ArrayForEach(item, layers)
	{
		int64_t group = count_of(item, "group_size");
		const char *format = format_of_algorithm(h, text_of(item, "quant_algo"));

		if (!strcmp(format, "int4") && group)
			f->group = group;
		f->listed[f->listed_count++] =
			(struct hf_listed){ hf_bare_name(item->string), format };
	}
	if (f->listed_count)
		qsort(f->listed, f->listed_count, sizeof(*f->listed), by_name);
}

static void read_modelopt(struct hf *h, const cJSON *quantization)
{
	const char *algorithm = text_of(quantization, "quant_algo");
	int64_t group = count_of(quantization, "group_size");

	exclude(h, get(quantization, "exclude_modules"));
	exclude(h, get(quantization, "ignore"));
	if (!strcmp(algorithm, "MIXED_PRECISION")) {
		read_listed(h, get(quantization, "quantized_layers"));
		return;
	}
	if (!*algorithm)
		return;
	h->formats.weights = format_of_algorithm(h, algorithm);
	if (!strcmp(h->formats.weights, "int4"))
		h->formats.group = group;
}

/* -- the other methods ---------------------------------------------------------------- */

static const char *format_of_weights(struct hf *h, const cJSON *weights)
{
	const cJSON *symmetric = get(weights, "symmetric");
	bool is_float = !strcmp(text_of(weights, "type"), "float");

	if (!weights || cJSON_IsNull(weights))
		return h->formats.compute;
	if (cJSON_IsFalse(symmetric) && !is_float)
		h->formats.has_zeros = true;
	read_block(h, get(weights, "block_structure"));
	return format_of_bits(h, count_of(weights, "num_bits"), is_float,
			      count_of(weights, "group_size"));
}

static void read_compressed(struct hf *h, const cJSON *quantization)
{
	struct hf_formats *f = &h->formats;
	const cJSON *group;

	exclude(h, get(quantization, "ignore"));
	cJSON_ArrayForEach(group, get(quantization, "config_groups"))
	{
		const char *format = format_of_weights(h, get(group, "weights"));
		const cJSON *targets = get(group, "targets"), *target;
		bool is_class = !targets || !targets->child;

		cJSON_ArrayForEach(target, targets)
		{
			/* A class stands for whatever no other target names. */
			if (cJSON_IsString(target) && !strpbrk(target->valuestring, ".*:_"))
				is_class = true;
		}
		if (is_class) {
			f->weights = format;
			continue;
		}
		if (f->group_count == HF_GROUPS_MAX) {
			hf_problem(h, "limit", AT "/config_groups", "at most %d groups",
				   HF_GROUPS_MAX);
			return;
		}
		f->groups[f->group_count].format = format;
		if (!hf_patterns_read(h, &f->groups[f->group_count++].targets, targets, AT))
			h->is_out_of_memory = true;
	}
	/* Without a class the largest share decides what the graph is called. */
	if (!strcmp(f->weights, f->compute) && f->group_count == 1 &&
	    hf_patterns_match(h, &f->groups[0].targets, "mlp.experts.0.gate_proj", 23))
		f->experts = f->groups[0].format;
}

static void read_integers(struct hf *h, const cJSON *quantization, bool is_awq)
{
	const cJSON *zeros = get(quantization, is_awq ? "zero_point" : "sym"), *rule;
	int64_t bits = count_of(quantization, "bits"), group;

	group = count_of(quantization, "group_size");
	if (!bits)
		bits = count_of(quantization, "w_bit");
	if (!group)
		group = count_of(quantization, "q_group_size");
	h->formats.weights = format_of_bits(h, bits, false, group);
	h->formats.has_zeros = is_awq ? !cJSON_IsFalse(zeros) : cJSON_IsFalse(zeros);
	h->formats.is_head_quantized = cJSON_IsTrue(get(quantization, "lm_head"));
	exclude(h, get(quantization, "modules_to_not_convert"));
	cJSON_ArrayForEach(rule, get(quantization, "dynamic"))
	{
		if (rule->string && !strncmp(rule->string, "-:", 2)) {
			cJSON one = { .type = cJSON_Array };
			cJSON pattern = { .type = cJSON_String, .valuestring = rule->string };

			one.child = &pattern;
			exclude(h, &one);
		}
	}
}

/** nf4 holds a 32-bit scale for 64 elements, as much as a 16-bit one for 32. */
#define NF4_GROUP 32

static void read_bitsandbytes(struct hf *h, const cJSON *quantization)
{
	if (cJSON_IsTrue(get(quantization, "load_in_8bit")) ||
	    cJSON_IsTrue(get(quantization, "_load_in_8bit"))) {
		h->formats.weights = "int8";
	} else {
		h->formats.weights = "int4";
		h->formats.group = NF4_GROUP;
	}
	exclude(h, get(quantization, "llm_int8_skip_modules"));
}

static void read_quark(struct hf *h, const cJSON *quantization)
{
	const cJSON *weight = get(get(quantization, "global_quant_config"), "weight");
	const char *dtype;

	if (cJSON_IsArray(weight))
		weight = weight->child;
	dtype = text_of(weight, "dtype");
	if (!strncmp(dtype, "fp8", 3))
		h->formats.weights = "fp8";
	else if (!strcmp(dtype, "fp4") || !strcmp(dtype, "mxfp4"))
		h->formats.weights = "mxfp4";
	else if (!strcmp(dtype, "int8"))
		h->formats.weights = "int8";
	else if (!strcmp(dtype, "int4"))
		h->formats.weights = format_of_bits(h, 4, false, count_of(weight, "group_size"));
	else
		hf_problem(h, "range", AT "/global_quant_config/weight/dtype",
			   "fp8, fp4, int8 and int4 are known, got '%.40s'", dtype);
	exclude(h, get(quantization, "exclude"));
}

static void read_fp8(struct hf *h, const cJSON *quantization)
{
	const cJSON *listed = get(quantization, "quantized_layers");
	char experts[16];

	h->formats.weights = "fp8";
	read_block(h, get(quantization, "weight_block_size"));
	exclude(h, get(quantization, "modules_to_not_convert"));
	exclude(h, get(quantization, "ignored_layers"));
	if (hf_text(h, experts, sizeof(experts), "expert_dtype") && !strcmp(experts, "fp4"))
		h->formats.experts = "mxfp4";
	if (listed)
		read_listed(h, listed);
}

static void read_mxfp4(struct hf *h, const cJSON *quantization)
{
	h->formats.experts = "mxfp4";
	exclude(h, get(quantization, "modules_to_not_convert"));
}

static void read_awq(struct hf *h, const cJSON *quantization)
{
	read_integers(h, quantization, true);
}

static void read_gptq(struct hf *h, const cJSON *quantization)
{
	read_integers(h, quantization, false);
}

static void read_experts_int8(struct hf *h, const cJSON *quantization)
{
	(void)quantization;
	h->formats.experts = "int8";
}

/* clang-format off */
static const struct {
	const char *method;
	void (*read)(struct hf *, const cJSON *);
} methods[] = {
	{ "fp8",                read_fp8 },
	{ "fbgemm_fp8",         read_fp8 },
	{ "ptpc_fp8",           read_fp8 },
	{ "mxfp4",              read_mxfp4 },
	{ "awq",                read_awq },
	{ "awq_marlin",         read_awq },
	{ "gptq",               read_gptq },
	{ "gptq_marlin",        read_gptq },
	{ "auto-round",         read_gptq },
	{ "auto_round",         read_gptq },
	{ "inc",                read_gptq },
	{ "intel/auto-round",   read_gptq },
	{ "compressed-tensors", read_compressed },
	{ "compressed_tensors", read_compressed },
	{ "modelopt",           read_modelopt },
	{ "modelopt_fp4",       read_modelopt },
	{ "modelopt_mixed",     read_modelopt },
	{ "bitsandbytes",       read_bitsandbytes },
	{ "quark",              read_quark },
	{ "experts_int8",       read_experts_int8 },
};
/* clang-format on */

/** Keys and values that the checkpoint has scales for. */
static void read_cache(struct hf *h, const cJSON *quantization)
{
	const cJSON *scheme = get(quantization, "kv_cache_scheme");
	const char *algorithm = text_of(quantization, "kv_cache_quant_algo");

	if (count_of(scheme, "num_bits") == 8 || !strcmp(algorithm, "FP8"))
		h->formats.cache = "fp8";
}

static const cJSON *find_quantization(struct hf *h)
{
	const cJSON *const candidates[] = {
		get(h->root, "quantization_config"),
		get(h->text, "quantization_config"),
		get(h->root, "compression_config"),
		h->quantization,
	};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		if (cJSON_IsObject(candidates[i]) && candidates[i]->child)
			return candidates[i];
	}
	return NULL;
}

void hf_read_formats(struct hf *h)
{
	const cJSON *quantization = find_quantization(h), *inner;
	const char *method;

	h->formats.compute = compute_format(h);
	h->formats.weights = h->formats.compute;
	if (!quantization)
		return;
	/* The file beside the configuration holds it one level down. */
	inner = get(quantization, "quantization");
	if (cJSON_IsObject(inner))
		quantization = inner;
	method = text_of(quantization, "quant_method");
	if (!*method && get(quantization, "quant_algo"))
		method = "modelopt";
	read_cache(h, quantization);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (!strcmp(method, methods[i].method)) {
			methods[i].read(h, quantization);
			return;
		}
	}
	hf_problem(h, "range", AT "/quant_method",
		   "fp8, mxfp4, awq, gptq, auto-round, compressed-tensors, modelopt, bitsandbytes, "
		   "quark and fbgemm_fp8 are known, got '%.40s'",
		   method);
}

void hf_formats_release(struct hf_formats *formats)
{
	hf_patterns_release(&formats->excluded);
	for (size_t i = 0; i < formats->group_count; i++)
		hf_patterns_release(&formats->groups[i].targets);
	free(formats->listed);
	formats->listed = NULL;
}

/* -- modules -------------------------------------------------------------------------- */

/** A module listed by its name, or by what holds it. */
static const char *listed_format(struct hf *h, const char *module, size_t length)
{
	const struct hf_formats *f = &h->formats;
	char names[HF_NAMES_MAX][HF_NAME_SIZE];
	size_t count = f->listed_count ? hf_bare_names(h, module, length, names) : 0;

	for (size_t i = 0; i < count; i++) {
		char *dot;

		do {
			const struct hf_listed key = { names[i], NULL }, *found;

			found = bsearch(&key, f->listed, f->listed_count, sizeof(key), by_name);
			if (found)
				return found->format;
			dot = strrchr(names[i], '.');
			if (dot)
				*dot = '\0';
		} while (dot);
	}
	return NULL;
}

static const char *group_format(struct hf *h, const char *module, size_t length)
{
	for (size_t i = 0; i < h->formats.group_count; i++) {
		if (hf_patterns_match(h, &h->formats.groups[i].targets, module, length))
			return h->formats.groups[i].format;
	}
	return NULL;
}

static const char *format_of_modules(struct hf *h, const char *modules)
{
	const struct hf_formats *f = &h->formats;
	const char *found = NULL;
	bool are_experts = strstr(modules, ".experts.") != NULL;

	for (const char *p = modules; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (hf_patterns_match(h, &f->excluded, p, n) && !listed_format(h, p, n))
			return f->compute;
		if (!found)
			found = listed_format(h, p, n);
		if (!found)
			found = group_format(h, p, n);
		p += n;
	}
	if (found)
		return found;
	return are_experts && f->experts ? f->experts : f->weights;
}

const char *hf_module_format(struct hf *h, const char *modules)
{
	const struct hf_formats *f = &h->formats;
	const char *format = modules ? format_of_modules(h, modules) : f->compute;

	return strcmp(format, f->weights) != 0 ? format : NULL;
}

const char *hf_head_format(struct hf *h)
{
	const struct hf_formats *f = &h->formats;
	const struct hf_listed key = { "lm_head", NULL };
	const struct hf_listed *found =
		f->listed_count ? bsearch(&key, f->listed, f->listed_count, sizeof(key), by_name)
				: NULL;
	const char *format = f->is_head_quantized ? f->weights : f->compute;

	for (size_t i = 0; i < f->group_count; i++) {
		if (hf_patterns_name(&f->groups[i].targets, "lm_head"))
			format = f->groups[i].format;
	}
	if (found)
		format = found->format;
	return strcmp(format, f->weights) != 0 ? format : NULL;
}
