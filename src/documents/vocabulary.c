#include "stepscope/vocabulary.h"

#include <stdio.h>
#include <string.h>

#include "documents/words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NAME2(id, name) name,
#define NAME3(id, name, extra) name,
static const char *const dtype_names[] = { SS_DTYPES(NAME3) };
static const char *const op_names[] = { SS_OPS(NAME2) };
static const char *const attention_names[] = { SS_ATTENTION_KINDS(NAME2) };
static const char *const recurrent_names[] = { SS_RECURRENT_KINDS(NAME2) };
static const char *const condition_names[] = { SS_CONDITIONS(NAME2) };
static const char *const method_names[] = { SS_METHODS(NAME3) };
static const char *const unit_names[] = { SS_UNITS(NAME2) };
static const char *const shard_names[] = { SS_SHARDS(NAME2) };
static const char *const qk_norm_names[] = { SS_QK_NORMS(NAME2) };
static const char *const resource_names[] = { SS_RESOURCES(NAME2) };

const struct words dtype_words = { dtype_names, COUNT(dtype_names), 1 };
const struct words op_words = { op_names, COUNT(op_names), 1 };
const struct words attention_words = { attention_names, COUNT(attention_names), 1 };
const struct words recurrent_words = { recurrent_names, COUNT(recurrent_names), 1 };
const struct words condition_words = { condition_names, COUNT(condition_names), 1 };
const struct words method_words = { method_names, COUNT(method_names), 0 };
const struct words shard_words = { shard_names, COUNT(shard_names), 1 };
const struct words qk_norm_words = { qk_norm_names, COUNT(qk_norm_names), 1 };
const struct words unit_words = { unit_names, COUNT(unit_names), 0 };

int words_find(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->names[i], word) == 0)
			return words->first + (int)i;
	return -1;
}

void words_list(char *out, size_t size, const struct words *words)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < words->count && used < size; i++) {
		const char *joint = i == 0 ? "" : i + 1 == words->count ? " or " : ", ";
		int n = snprintf(out + used, size - used, "%s%s", joint, words->names[i]);

		if (n < 0)
			return;
		used += (size_t)n;
	}
}

static const char *word_at(const struct words *words, int value)
{
	if (value < words->first || (size_t)(value - words->first) >= words->count)
		return "";
	return words->names[value - words->first];
}

const char *ss_dtype_name(enum ss_dtype dtype)
{
	return word_at(&dtype_words, (int)dtype);
}

const char *ss_op_name(enum ss_op op)
{
	return word_at(&op_words, (int)op);
}

const char *ss_attention_kind_name(enum ss_attention_kind kind)
{
	return word_at(&attention_words, (int)kind);
}

const char *ss_recurrent_kind_name(enum ss_recurrent_kind kind)
{
	return word_at(&recurrent_words, (int)kind);
}

const char *ss_condition_name(enum ss_condition condition)
{
	return word_at(&condition_words, (int)condition);
}

const char *ss_method_name(enum ss_method method)
{
	return word_at(&method_words, (int)method);
}

const char *ss_unit_name(enum ss_unit unit)
{
	return word_at(&unit_words, (int)unit);
}

const char *ss_resource_name(enum ss_resource resource)
{
	const struct words words = { resource_names, COUNT(resource_names), 0 };

	return word_at(&words, (int)resource);
}

double ss_dtype_bytes(enum ss_dtype dtype)
{
#define BYTES(id, name, bytes) bytes,
	static const double sizes[] = { 0.0, SS_DTYPES(BYTES) };

	return (size_t)dtype < COUNT(sizes) ? sizes[dtype] : 0.0;
}

/** Elements per scale of 4-bit integers whose checkpoint states none. */
#define GROUP_DEFAULT 128

double ss_weight_scale_bytes(enum ss_dtype dtype, int64_t group_size, bool has_zeros)
{
	switch (dtype) {
	case SS_DTYPE_NVFP4:
		return 1.0 / 16;
	case SS_DTYPE_MXFP4:
		return 1.0 / 32;
	case SS_DTYPE_INT4:
		return (has_zeros ? 2.5 : 2.0) /
		       (double)(group_size > 0 ? group_size : GROUP_DEFAULT);
	case SS_DTYPE_UNSTATED:
	case SS_DTYPE_FP32:
	case SS_DTYPE_BF16:
	case SS_DTYPE_FP16:
	case SS_DTYPE_FP8:
	case SS_DTYPE_MXFP8:
	case SS_DTYPE_INT8:
	case SS_DTYPE_COUNT:
		break;
	}
	return 0;
}

int ss_method_is_evidence(enum ss_method method)
{
#define EVIDENCED(id, name, evidenced) evidenced,
	static const int is_evidence[] = { SS_METHODS(EVIDENCED) };

	return (size_t)method < COUNT(is_evidence) && is_evidence[method];
}

int ss_attention_is_latent(enum ss_attention_kind kind)
{
	return kind == SS_ATTENTION_MLA || kind == SS_ATTENTION_SPARSE_MLA;
}
