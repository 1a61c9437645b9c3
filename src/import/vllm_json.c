/* Flags that take JSON, and those that became keys of one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/python_literal.h"
#include "import/vllm_take.h"

/** Move the keys of `from` into `into`, later ones winning; `from` is deleted. */
static void merge(struct vllm_taker *t, cJSON **into, cJSON *from)
{
	if (!*into) {
		*into = from;
		return;
	}
	while (from->child) {
		cJSON *item = cJSON_DetachItemViaPointer(from, from->child);

		cJSON_DeleteItemFromObjectCaseSensitive(*into, item->string);
		if (!cJSON_AddItemToObject(*into, item->string, item)) {
			cJSON_Delete(item);
			t->is_out_of_memory = true;
		}
	}
	cJSON_Delete(from);
}

/** Which of a pool's objects a flag fills, by its first letter. */
static cJSON **object_of(struct vllm_pool *own, const char *flag, size_t **line)
{
	if (strcmp(flag, "kernel-config") == 0) {
		*line = &own->kernel_line;
		return &own->kernel;
	}
	switch (flag[0]) {
	case 'c':
		*line = &own->compilation_line;
		return &own->compilation;
	case 's':
		*line = &own->speculative_line;
		return &own->speculative;
	case 'k':
		*line = &own->transfer_line;
		return &own->transfer;
	case 'a':
		*line = &own->attention_line;
		return &own->attention;
	case 'h':
		*line = &own->overrides_line;
		return &own->overrides;
	case 'r':
		*line = &own->rope_line;
		return &own->rope;
	default:
		*line = &own->eplb_line;
		return &own->eplb;
	}
}

/** `{path: value}`, the value JSON where it is; NULL when out of memory. */
static cJSON *wrap(const char *path, const char *value)
{
	cJSON *item = cJSON_ParseWithOpts(value, NULL, 1), *object = cJSON_CreateObject();
	bool is_python = !strcmp(value, "True") || !strcmp(value, "False");

	if (!item)
		item = is_python ? cJSON_CreateBool(value[0] == 'T') : cJSON_CreateString(value);
	if (item && object && cJSON_AddItemToObject(object, path, item))
		return object;
	cJSON_Delete(item);
	cJSON_Delete(object);
	return NULL;
}

/** An object, be it in Python's quotes, which the engine itself would refuse. */
static cJSON *read_object(struct vllm_taker *t, const char *shown, const char *value, size_t line)
{
	cJSON *object = cJSON_ParseWithOpts(value, NULL, 1);
	size_t used = 0;

	if (cJSON_IsObject(object))
		return object;
	cJSON_Delete(object);
	object = NULL;
	if (value[0] == '{' && !python_object_read(&object, &used, value, strlen(value)) &&
	    object) {
		taker_doubt(t, line, "syntax",
			    "%s is no JSON (which wants \" around texts); read as Python writes it",
			    shown);
		return object;
	}
	cJSON_Delete(object);
	return NULL;
}

void taker_json(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag, const char *shown,
		const char *path, const char *value, size_t line)
{
	size_t *into_line;
	cJSON **into = object_of(&t->pools[pool], flag->name, &into_line), *object;

	if (taker_is_none(value)) {
		taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "left to its default");
		return;
	}
	if (!path && flag->name[0] == 'c' && value[0] && strspn(value, "0123") == strlen(value)) {
		taker_optimization(t, pool, value, line);
		return;
	}
	object = path ? wrap(path, value) : read_object(t, shown, value, line);
	if (!object && path) {
		t->is_out_of_memory = true;
		return;
	}
	if (!object && t->options->is_lenient) {
		taker_note(t, IMPORT_NOTED, line, pool, shown, "not in a form read here");
		return;
	}
	if (!object) {
		taker_problem(t, line, "syntax", "%s takes a JSON object, got '%.60s'", shown,
			      value);
		return;
	}
	merge(t, into, object);
	*into_line = line;
}

/* clang-format off */
/* Flags that later releases keep as a key of a JSON flag. */
static const struct {
	const char *flag, *object, *key;
} key_flags[] = {
	{ "speculative-model",                      "speculative-config", "model" },
	{ "num-speculative-tokens",                 "speculative-config", "num_speculative_tokens" },
	{ "speculative-draft-tensor-parallel-size", "speculative-config", "draft_tensor_parallel_size" },
	{ "speculative-model-quantization",         "speculative-config", "quantization" },
	{ "speculative-max-model-len",              "speculative-config", "max_model_len" },
	{ "speculative-disable-by-batch-size",      "speculative-config", "disable_by_batch_size" },
	{ "ngram-prompt-lookup-max",                "speculative-config", "prompt_lookup_max" },
	{ "ngram-prompt-lookup-min",                "speculative-config", "prompt_lookup_min" },
	{ "speculative-method",                     "speculative-config", "method" },
	{ "num-redundant-experts",                  "eplb-config", "num_redundant_experts" },
	{ "eplb-window-size",                       "eplb-config", "window_size" },
	{ "eplb-step-interval",                     "eplb-config", "step_interval" },
};
/* clang-format on */

bool taker_json_key(struct vllm_taker *t, size_t pool, const char *flag, const char *value,
		    size_t line)
{
	for (size_t i = 0; i < sizeof(key_flags) / sizeof(key_flags[0]); i++) {
		size_t *into_line;
		cJSON **into = object_of(&t->pools[pool], key_flags[i].object, &into_line), *object;

		if (strcmp(key_flags[i].flag, flag) != 0)
			continue;
		object = wrap(key_flags[i].key, value);
		if (!object) {
			t->is_out_of_memory = true;
			return true;
		}
		merge(t, into, object);
		*into_line = line;
		return true;
	}
	return false;
}

void taker_optimization(struct vllm_taker *t, size_t pool, const char *text, size_t line)
{
	static const struct vllm_flag compilation = { "compilation-config", VLLM_ONE, VLLM_JSON,
						      SS_FIELD_COUNT };

	if (text[0] == '.') {
		const char *equals = strchr(text, '=');
		char *key = equals ? strndup(text + 1, (size_t)(equals - text) - 1) : NULL;

		if (!equals)
			taker_problem(t, line, "syntax", "-O%s lacks its =VALUE", text);
		else if (!key)
			t->is_out_of_memory = true;
		else
			taker_json(t, pool, &compilation, "-O", key, equals + 1, line);
		free(key);
		return;
	}
	if (text[0] == '{') {
		taker_json(t, pool, &compilation, "-O", NULL, text, line);
		return;
	}
	if (strlen(text) != 1 || !strchr("0123", text[0]))
		taker_problem(t, line, "range", "-O takes a level of 0 to 3 or JSON, got '%s'",
			      text);
	else if (text[0] == '0')
		taker_set(t, pool, SS_F_CUDAGRAPH_MODE, "NONE", "-O0", line);
	else if (text[0] == '1')
		taker_set(t, pool, SS_F_CUDAGRAPH_MODE, "PIECEWISE", "-O1", line);
	else
		taker_note(t, IMPORT_NO_EFFECT, line, pool, text[0] == '2' ? "-O2" : "-O3",
			   "what runs by default");
}

/** The shortest text that reads back as the same number. */
static void write_number(FILE *out, double number)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g", number);
	if (strtod(text, NULL) != number)
		snprintf(text, sizeof(text), "%.17g", number);
	fputs(text, out);
}

/** Text of a JSON scalar or list of them, as ss_value_parse() reads it; the caller frees it. */
char *taker_json_text(const cJSON *item)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const cJSON *child;

	if (!out)
		return NULL;
	if (cJSON_IsString(item))
		fputs(item->valuestring, out);
	else if (cJSON_IsBool(item))
		fputs(cJSON_IsTrue(item) ? "true" : "false", out);
	else if (cJSON_IsNumber(item))
		write_number(out, item->valuedouble);
	else if (cJSON_IsArray(item)) {
		cJSON_ArrayForEach(child, item)
		{
			if (child != item->child)
				putc(',', out);
			if (cJSON_IsNumber(child))
				write_number(out, child->valuedouble);
			else if (cJSON_IsString(child))
				fputs(child->valuestring, out);
		}
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void set_json(struct vllm_taker *t, size_t pool, enum ss_field_id id, const cJSON *item,
		     const char *shown, size_t line)
{
	char *text = taker_json_text(item);

	if (!text)
		t->is_out_of_memory = true;
	else
		taker_set(t, pool, id, text, shown, line);
	free(text);
}

/* clang-format off */
/* Keys of the JSON flags that set a field; `flag` is its first letter. */
static const struct {
	char flag;
	const char *key;
	enum ss_field_id field;
} json_fields[] = {
	{ 'c', "cudagraph_mode",             SS_F_CUDAGRAPH_MODE },
	{ 'c', "cudagraph_capture_sizes",    SS_F_CAPTURE_SIZES },
	{ 'c', "max_cudagraph_capture_size", SS_F_MAX_CAPTURE },
	{ 'c', "max_capture_size",           SS_F_MAX_CAPTURE },
	{ 'p', "fuse_allreduce_rms",         SS_F_FUSE_ALLREDUCE_RMS },
	{ 'p', "enable_fi_allreduce_fusion", SS_F_FUSE_ALLREDUCE_RMS },
	{ 'p', "fuse_act_quant",             SS_F_FUSE_ACT_QUANT },
	{ 'n', "moe_backend",                SS_F_MOE_BACKEND },
	{ 'n', "linear_backend",             SS_F_LINEAR_BACKEND },
	{ 's', "method",                     SS_F_SPEC_METHOD },
	{ 's', "num_speculative_tokens",     SS_F_SPEC_TOKENS },
	{ 'a', "backend",                    SS_F_ATTENTION_BACKEND },
	{ 'r', "factor",                     SS_F_ROPE_FACTOR },
	{ 'e', "num_redundant_experts",      SS_F_REDUNDANT_EXPERTS },
	{ 'e', "window_size",                SS_F_EPLB_WINDOW },
	{ 'e', "step_interval",              SS_F_EPLB_INTERVAL },
};
/* clang-format on */

static enum ss_field_id json_field(char flag, const char *key)
{
	static const char passes[] = "pass_config.";

	/* `--compilation-config.pass_config.KEY` */
	if (flag == 'c' && strncmp(key, passes, sizeof(passes) - 1) == 0)
		return json_field('p', key + sizeof(passes) - 1);
	for (size_t i = 0; i < sizeof(json_fields) / sizeof(json_fields[0]); i++) {
		if (json_fields[i].flag == flag && !strcmp(json_fields[i].key, key))
			return json_fields[i].field;
	}
	return SS_FIELD_COUNT;
}

/** Keys that are no field; true when the key was dealt with. */
static bool take_odd_key(struct vllm_taker *t, size_t pool, char flag, const cJSON *item,
			 const char *shown, size_t line)
{
	if (flag == 'c' && !strcmp(item->string, "full_cuda_graph") && cJSON_IsTrue(item)) {
		taker_set(t, pool, SS_F_CUDAGRAPH_MODE, "FULL", shown, line);
		return true;
	}
	if (flag == 'c' && !strcmp(item->string, "use_cudagraph") && cJSON_IsFalse(item)) {
		taker_set(t, pool, SS_F_CUDAGRAPH_MODE, "NONE", shown, line);
		return true;
	}
	return false;
}

static void take_keys(struct vllm_taker *t, size_t pool, char flag, const char *name,
		      const cJSON *object, size_t line);

/** Passes of the compiler stand in an object of their own; true when `item` is it. */
static bool take_passes(struct vllm_taker *t, size_t pool, char flag, const cJSON *item,
			const char *shown, size_t line)
{
	if (flag != 'c' || strcmp(item->string, "pass_config") != 0 || !cJSON_IsObject(item))
		return false;
	take_keys(t, pool, 'p', shown + 2, item, line);
	return true;
}

static void take_keys(struct vllm_taker *t, size_t pool, char flag, const char *name,
		      const cJSON *object, size_t line)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
	{
		enum ss_field_id id = json_field(flag, item->string);
		char shown[160];

		snprintf(shown, sizeof(shown), "--%s.%s", name, item->string);
		if (cJSON_IsNull(item))
			taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "left to its default");
		else if (id != SS_FIELD_COUNT)
			set_json(t, pool, id, item, shown, line);
		else if (!take_odd_key(t, pool, flag, item, shown, line) &&
			 !take_passes(t, pool, flag, item, shown, line))
			taker_note(t, IMPORT_NOT_PRICED, line, pool, shown, "no law here reads it");
	}
}

/** What stretches the window is kept; the rest of the model's own values is not priced. */
static void take_overrides(struct vllm_taker *t, size_t pool)
{
	const struct vllm_pool *own = &t->pools[pool];
	const cJSON *item;

	cJSON_ArrayForEach(item, own->overrides)
	{
		char flag[160];

		snprintf(flag, sizeof(flag), "--hf-overrides.%s", item->string);
		if (cJSON_IsObject(item) && strncmp(item->string, "rope_", 5) == 0)
			take_keys(t, pool, 'r', flag + 2, item, own->overrides_line);
		else
			taker_note(t, IMPORT_NOT_PRICED, own->overrides_line, pool, flag,
				   "no law here reads it");
	}
}

/** A draft model without a method is what its name says, as the engine decides. */
static void guess_method(struct vllm_taker *t, size_t pool, const cJSON *object, size_t line)
{
	const cJSON *model = cJSON_GetObjectItemCaseSensitive(object, "model");
	const char *name = cJSON_IsString(model) ? model->valuestring : "";
	const char *method = "draft_model";

	if (!*name) {
		taker_problem(t, line, "missing",
			      "--speculative-config names neither a method nor a model");
		return;
	}
	if (!strcmp(name, "ngram") || !strcmp(name, "[ngram]"))
		method = "ngram";
	else if (strstr(name, "eagle3") || strstr(name, "EAGLE3"))
		method = "eagle3";
	else if (strstr(name, "eagle") || strstr(name, "EAGLE"))
		method = "eagle";
	else if (strstr(name, "medusa"))
		method = "medusa";
	taker_set(t, pool, SS_F_SPEC_METHOD, method, "--speculative-config.model", line);
}

static void take_transfer(struct vllm_taker *t, size_t pool)
{
	struct vllm_pool *own = &t->pools[pool];
	size_t line = own->transfer_line;
	const cJSON *connector = cJSON_GetObjectItemCaseSensitive(own->transfer, "kv_connector");
	const cJSON *role = cJSON_GetObjectItemCaseSensitive(own->transfer, "kv_role");
	const cJSON *item;

	if (!cJSON_IsString(connector)) {
		taker_problem(t, line, "missing", "--kv-transfer-config lacks its kv_connector");
		return;
	}
	set_json(t, pool, SS_F_KV_CONNECTOR, connector, "--kv-transfer-config.kv_connector", line);
	if (cJSON_IsString(role)) {
		if (!strcmp(role->valuestring, "kv_producer"))
			own->kv_role = VLLM_KV_PRODUCER;
		else if (!strcmp(role->valuestring, "kv_consumer"))
			own->kv_role = VLLM_KV_CONSUMER;
		else if (strcmp(role->valuestring, "kv_both") != 0)
			taker_problem(t, line, "range",
				      "kv_role is kv_producer, kv_consumer or kv_both, got '%.40s'",
				      role->valuestring);
	}
	cJSON_ArrayForEach(item, own->transfer)
	{
		char shown[160];

		if (item == connector || item == role)
			continue;
		snprintf(shown, sizeof(shown), "--kv-transfer-config.%s", item->string);
		taker_note(t, IMPORT_NOT_PRICED, line, pool, shown, "no law here reads it");
	}
}

/** A checkpoint's own draft layers run as many tokens as there are layers: one, as a rule. */
static bool fill_tokens(struct vllm_taker *t, size_t pool)
{
	struct vllm_pool *own = &t->pools[pool];
	const cJSON *method = cJSON_GetObjectItemCaseSensitive(own->speculative, "method");
	size_t line = own->speculative_line;

	if (!cJSON_IsString(method))
		return false;
	if (!strcmp(method->valuestring, "suffix")) {
		taker_note(t, IMPORT_NOTED, line, pool, "--speculative-config",
			   "drafts as many tokens as its tree gives");
		return true;
	}
	if (!strstr(method->valuestring, "mtp"))
		return false;
	taker_set(t, pool, SS_F_SPEC_TOKENS, "1", "--speculative-config", line);
	return true;
}

void taker_finish_pool(struct vllm_taker *t, size_t pool)
{
	struct vllm_pool *own = &t->pools[pool];

	if (own->compilation)
		take_keys(t, pool, 'c', "compilation-config", own->compilation,
			  own->compilation_line);
	if (own->kernel)
		take_keys(t, pool, 'n', "kernel-config", own->kernel, own->kernel_line);
	if (own->eplb)
		take_keys(t, pool, 'e', "eplb-config", own->eplb, own->eplb_line);
	if (own->attention)
		take_keys(t, pool, 'a', "attention-config", own->attention, own->attention_line);
	if (own->overrides)
		take_overrides(t, pool);
	if (own->rope)
		take_keys(t, pool, 'r', "rope-scaling", own->rope, own->rope_line);
	if (own->transfer)
		take_transfer(t, pool);
	if (!own->speculative)
		return;
	take_keys(t, pool, 's', "speculative-config", own->speculative, own->speculative_line);
	if (!cJSON_GetObjectItemCaseSensitive(own->speculative, "method"))
		guess_method(t, pool, own->speculative, own->speculative_line);
	if (!cJSON_GetObjectItemCaseSensitive(own->speculative, "num_speculative_tokens") &&
	    !fill_tokens(t, pool))
		taker_problem(t, own->speculative_line, "missing",
			      "--speculative-config lacks its num_speculative_tokens");
}
