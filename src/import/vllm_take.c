#include "import/vllm_take.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONFIG_DEPTH_MAX 4

void taker_problem(struct vllm_taker *t, size_t line, const char *code, const char *format, ...)
{
	char message[512], where[32] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	if (line)
		snprintf(where, sizeof(where), "line %zu", line);
	ss_problems_add(t->problems, SS_ERROR, code, t->options->file ? t->options->file : "",
			where, "%s", message);
}

void taker_note(struct vllm_taker *t, enum import_fate fate, size_t line, size_t pool,
		const char *flag, const char *detail)
{
	if (!import_rows_add(t->rows, fate, line, pool, flag, "%s", detail))
		t->is_out_of_memory = true;
}

bool taker_add_pool(struct vllm_taker *t)
{
	size_t count = t->scenario->pool_count;
	struct ss_pool *pools = realloc(t->scenario->pools, (count + 1) * sizeof(*pools));
	struct vllm_pool *own;

	if (!pools)
		return false;
	t->scenario->pools = pools;
	own = realloc(t->pools, (count + 1) * sizeof(*own));
	if (!own)
		return false;
	t->pools = own;
	memset(&pools[count], 0, sizeof(pools[count]));
	memset(&own[count], 0, sizeof(own[count]));
	t->scenario->pool_count++;
	return true;
}

void taker_set(struct vllm_taker *t, size_t pool, enum ss_field_id id, const char *text,
	       const char *shown, size_t line)
{
	const struct ss_field *field = ss_field(id);
	struct ss_value *value = ss_scenario_value_mut(t->scenario, pool, id);
	struct ss_error err = { 0 };
	enum ss_status rc = ss_value_parse(value, field, text, &err);

	if (id == SS_F_PD_CONNECTOR && !rc)
		t->scenario->has_pd_transfer = value->is_stated;
	if (rc == SS_ENOMEM)
		t->is_out_of_memory = true;
	else if (rc)
		taker_problem(t, line, "range", "%s: %s", shown, err.message);
	else if (!import_rows_add(t->rows, IMPORT_TAKEN, line, pool, shown, "%s=%s", field->path,
				  text))
		t->is_out_of_memory = true;
}

/**
 * Write out a size as vLLM reads it: 1k is 1000, 1K 1024, likewise m, g, t; only
 * the decimal ones take a fraction. Text that is no such size is left as it is.
 */
static void spell_integer(char *out, size_t size, const char *text)
{
	static const char letters[] = "kmgt";
	char *end = NULL;
	double number, scale = 1;
	const char *letter;

	snprintf(out, size, "%s", text);
	errno = 0;
	number = strtod(text, &end);
	if (end == text || errno || !*end || end[1] || number < 0 ||
	    strspn(text, "0123456789.") != (size_t)(end - text))
		return;
	letter = strchr(letters, *end >= 'A' && *end <= 'Z' ? *end - 'A' + 'a' : *end);
	if (!letter || (*end <= 'Z' && number != floor(number)))
		return;
	for (const char *l = letters; l <= letter; l++)
		scale *= *end <= 'Z' ? 1024 : 1000;
	if (number * scale < 9e15 && number * scale == floor(number * scale))
		snprintf(out, size, "%.0f", number * scale);
}

static bool is_none(const char *text)
{
	return !strcmp(text, "None") || !strcmp(text, "null");
}

/** The text a field's value is parsed from; the caller frees it. */
static char *field_text(const struct ss_field *field, const char *const *values, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		char number[64];
		const char *value = values[i];

		if ((field->type == SS_TYPE_INT || field->type == SS_TYPE_INT_OR_AUTO ||
		     field->type == SS_TYPE_INT_LIST) &&
		    strlen(value) < sizeof(number)) {
			spell_integer(number, sizeof(number), value);
			value = number;
		}
		if (field->type == SS_TYPE_INT_OR_AUTO && !strcmp(value, "-1"))
			value = "auto";
		fprintf(out, "%s%s", i ? "," : "", value);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void take_field(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag,
		       bool is_negated, const char *shown, const char *const *values, size_t count,
		       size_t line)
{
	const struct ss_field *field = ss_field(flag->field);
	char *text;

	if (field->type == SS_TYPE_BOOL) {
		const char *value = count ? values[0] : "true";
		bool is_on = !strcasecmp(value, "true") || !strcmp(value, "1");

		if (!is_on && strcasecmp(value, "false") != 0 && strcmp(value, "0") != 0) {
			taker_problem(t, line, "type", "%s takes no value, got '%s'", shown, value);
			return;
		}
		taker_set(t, pool, field->id, is_on != is_negated ? "true" : "false", shown, line);
		return;
	}
	if (count == 1 && is_none(values[0])) {
		taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "left to its default");
		return;
	}
	text = field_text(field, values, count);
	if (!text) {
		t->is_out_of_memory = true;
		return;
	}
	/* The old flag's single size was the largest one. */
	if (field->id == SS_F_CAPTURE_SIZES && count == 1 &&
	    !strcmp(flag->name, "cuda-graph-sizes"))
		field = ss_field(SS_F_MAX_CAPTURE);
	if (!*text)
		taker_problem(t, line, "type", "%s needs a value", shown);
	else
		taker_set(t, pool, field->id, text, shown, line);
	free(text);
}

/* -- JSON values ---------------------------------------------------------------------- */

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

static void take_json(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag,
		      const char *shown, const char *path, const char *value, size_t line)
{
	struct vllm_pool *own = &t->pools[pool];
	cJSON **into = &own->eplb, *object;
	size_t *into_line = &own->eplb_line;

	if (flag->name[0] == 'c') {
		into = &own->compilation;
		into_line = &own->compilation_line;
	} else if (flag->name[0] == 's') {
		into = &own->speculative;
		into_line = &own->speculative_line;
	} else if (flag->name[0] == 'k') {
		into = &own->transfer;
		into_line = &own->transfer_line;
	}
	if (is_none(value)) {
		taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "left to its default");
		return;
	}
	if (path) {
		cJSON *item = cJSON_ParseWithOpts(value, NULL, 1);

		if (!item)
			item = cJSON_CreateString(value);
		object = cJSON_CreateObject();
		if (!item || !object || !cJSON_AddItemToObject(object, path, item)) {
			cJSON_Delete(item);
			cJSON_Delete(object);
			t->is_out_of_memory = true;
			return;
		}
	} else {
		if (flag->name[0] == 'c' && value[0] && strspn(value, "0123") == strlen(value)) {
			taker_optimization(t, pool, value, line);
			return;
		}
		object = cJSON_ParseWithOpts(value, NULL, 1);
		if (!cJSON_IsObject(object) && t->options->is_lenient) {
			taker_note(t, IMPORT_NOTED, line, pool, shown, "not in a form read here");
			cJSON_Delete(object);
			return;
		}
		if (!cJSON_IsObject(object)) {
			taker_problem(t, line, "syntax", "%s takes a JSON object, got '%.60s'",
				      shown, value);
			cJSON_Delete(object);
			return;
		}
	}
	merge(t, into, object);
	*into_line = line;
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
			take_json(t, pool, &compilation, "-O", key, equals + 1, line);
		free(key);
		return;
	}
	if (text[0] == '{') {
		take_json(t, pool, &compilation, "-O", NULL, text, line);
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
static char *json_text(const cJSON *item)
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
	char *text = json_text(item);

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
	{ 's', "method",                     SS_F_SPEC_METHOD },
	{ 's', "num_speculative_tokens",     SS_F_SPEC_TOKENS },
	{ 'e', "num_redundant_experts",      SS_F_REDUNDANT_EXPERTS },
	{ 'e', "window_size",                SS_F_EPLB_WINDOW },
	{ 'e', "step_interval",              SS_F_EPLB_INTERVAL },
};
/* clang-format on */

static enum ss_field_id json_field(char flag, const char *key)
{
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
		else if (!take_odd_key(t, pool, flag, item, shown, line))
			taker_note(t, IMPORT_NOT_PRICED, line, pool, shown, "no law here reads it");
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

void taker_finish_pool(struct vllm_taker *t, size_t pool)
{
	struct vllm_pool *own = &t->pools[pool];

	if (own->compilation)
		take_keys(t, pool, 'c', "compilation-config", own->compilation,
			  own->compilation_line);
	if (own->eplb)
		take_keys(t, pool, 'e', "eplb-config", own->eplb, own->eplb_line);
	if (own->transfer)
		take_transfer(t, pool);
	if (!own->speculative)
		return;
	take_keys(t, pool, 's', "speculative-config", own->speculative, own->speculative_line);
	if (!cJSON_GetObjectItemCaseSensitive(own->speculative, "method"))
		guess_method(t, pool, own->speculative, own->speculative_line);
	if (!cJSON_GetObjectItemCaseSensitive(own->speculative, "num_speculative_tokens"))
		taker_problem(t, own->speculative_line, "missing",
			      "--speculative-config lacks its num_speculative_tokens");
}

/* -- flags the importer reads itself -------------------------------------------------- */

static int64_t read_count(struct vllm_taker *t, const char *shown, const char *text, size_t line)
{
	char *end = NULL;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 1 || value > 1000000) {
		taker_problem(t, line, "range", "%s takes a count of 1 or more, got '%.40s'", shown,
			      text);
		return 0;
	}
	return value;
}

static void take_config(struct vllm_taker *t, size_t pool, const char *path, size_t line)
{
	struct ss_error err = { 0 };
	cJSON *object;

	if (!*path) {
		taker_note(t, IMPORT_NO_EFFECT, line, pool, "--config", "empty");
		return;
	}
	if (!t->options->read_config) {
		taker_problem(t, line, "limit", "--config %.80s: no files are read here", path);
		return;
	}
	if (t->config_depth == CONFIG_DEPTH_MAX) {
		taker_problem(t, line, "limit", "--config %.80s: files name each other", path);
		return;
	}
	object = t->options->read_config(t->options->context, path, &err);
	if (!object) {
		taker_problem(t, line, "syntax", "--config%s%s: %s", *err.where ? " " : "",
			      err.where, err.message);
		return;
	}
	taker_note(t, IMPORT_NOTED, line, pool, "--config", path);
	t->config_depth++;
	taker_object(t, pool, object, true, line);
	t->config_depth--;
	cJSON_Delete(object);
}

/* clang-format off */
/* Flags of one field that has none of its own in the table. */
static const struct {
	const char *flag;
	enum ss_field_id field;
} single_fields[] = {
	{ "num-redundant-experts", SS_F_REDUNDANT_EXPERTS },
	{ "eplb-window-size",      SS_F_EPLB_WINDOW },
	{ "eplb-step-interval",    SS_F_EPLB_INTERVAL },
};
/* clang-format on */

static void take_special(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag,
			 bool is_negated, const char *shown, const char *value, size_t line)
{
	for (size_t i = 0; i < sizeof(single_fields) / sizeof(single_fields[0]); i++) {
		if (!strcmp(flag->name, single_fields[i].flag)) {
			taker_set(t, pool, single_fields[i].field, value, shown, line);
			return;
		}
	}
	if (!strcmp(flag->name, "config"))
		take_config(t, pool, value, line);
	else if (!strcmp(flag->name, "optimization-level"))
		taker_optimization(t, pool, value, line);
	else if (!strcmp(flag->name, "nnodes"))
		t->pools[pool].nnodes = read_count(t, shown, value, line);
	else if (!strcmp(flag->name, "enforce-eager") && !is_negated)
		taker_set(t, pool, SS_F_CUDAGRAPH_MODE, "NONE", shown, line);
	else if (!strcmp(flag->name, "enforce-eager"))
		taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "what runs by default");
	else /* disable-hybrid-kv-cache-manager */
		taker_set(t, pool, SS_F_HYBRID_KV_MANAGER, is_negated ? "true" : "false", shown,
			  line);
}

void taker_flag(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag, bool is_negated,
		const char *shown, const char *path, const char *const *values, size_t count,
		size_t line)
{
	if (path && flag->effect != VLLM_JSON && flag->effect != VLLM_NO_EFFECT &&
	    flag->effect != VLLM_NOT_PRICED) {
		taker_problem(t, line, "unknown-key", "%s has no parts, got '.%s'", shown, path);
		return;
	}
	if (flag->arity == VLLM_SWITCH && count && flag->effect != VLLM_FIELD)
		is_negated =
			is_negated != (!strcasecmp(values[0], "false") || !strcmp(values[0], "0"));
	switch (flag->effect) {
	case VLLM_FIELD:
		if (flag->field == SS_F_MODEL) {
			free(t->pools[pool].model);
			t->pools[pool].model = strdup(values[0]);
			t->pools[pool].model_line = line;
			t->is_out_of_memory |= !t->pools[pool].model;
			return;
		}
		take_field(t, pool, flag, is_negated, shown, values, count, line);
		return;
	case VLLM_JSON:
		take_json(t, pool, flag, shown, path, values[0], line);
		return;
	case VLLM_SPECIAL:
		take_special(t, pool, flag, is_negated, shown, count ? values[0] : "", line);
		return;
	case VLLM_NO_EFFECT:
		taker_note(t, IMPORT_NO_EFFECT, line, pool, shown,
			   "changes nothing that is priced");
		return;
	case VLLM_NOT_PRICED:
		taker_note(t, IMPORT_NOT_PRICED, line, pool, shown, "no law here reads it");
		return;
	}
}

/* -- flags of an object --------------------------------------------------------------- */

static bool is_stated(const struct vllm_taker *t, size_t pool, const struct vllm_flag *flag)
{
	const struct vllm_pool *own = &t->pools[pool];

	if (flag->field == SS_F_MODEL)
		return own->model != NULL;
	return flag->effect == VLLM_FIELD &&
	       ss_scenario_value(t->scenario, pool, flag->field)->is_stated;
}

static void take_item(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag,
		      bool is_negated, const cJSON *item, const char *shown, size_t line)
{
	const char *values[64];
	char *texts[64] = { NULL };
	size_t count = 0;
	const cJSON *child;

	if (cJSON_IsBool(item) && flag->arity == VLLM_SWITCH) {
		taker_flag(t, pool, flag, is_negated != !cJSON_IsTrue(item), shown, NULL, NULL, 0,
			   line);
		return;
	}
	if (cJSON_IsObject(item)) {
		texts[count++] = cJSON_PrintUnformatted(item);
	} else if (cJSON_IsArray(item)) {
		cJSON_ArrayForEach(child, item)
		{
			if (count < sizeof(texts) / sizeof(texts[0]))
				texts[count++] = json_text(child);
		}
		if (cJSON_GetArraySize(item) > (int)count)
			taker_problem(t, line, "limit", "%s lists more than %zu values", shown,
				      count);
	} else {
		texts[count++] = json_text(item);
	}
	for (size_t i = 0; i < count; i++) {
		values[i] = texts[i] ? texts[i] : "";
		t->is_out_of_memory |= !texts[i];
	}
	if (!count)
		taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "an empty list");
	else
		taker_flag(t, pool, flag, is_negated, shown, NULL, values, count, line);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
}

void taker_object(struct vllm_taker *t, size_t pool, const cJSON *object, bool is_weak, size_t line)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
	{
		struct vllm_flag flag = { 0 };
		bool is_negated;
		char nearest[64], shown[160];
		const char *name = item->string;

		/* What the parser calls the words that are not flags. */
		if (!strcmp(name, "model_tag"))
			name = "model";
		else if (!strcmp(name, "subparser") || !strcmp(name, "dispatch_function"))
			continue;
		snprintf(shown, sizeof(shown), "--%s", name);
		for (char *c = shown; *c; c++) {
			if (*c == '_')
				*c = '-';
		}
		if (!vllm_flag_find(&flag, &is_negated, name, nearest, sizeof(nearest)) &&
		    t->options->is_lenient)
			taker_note(t, IMPORT_NOTED, line, pool, shown, "not known here");
		else if (!flag.name) {
			taker_note(t, IMPORT_UNKNOWN, line, pool, shown, "no flag of the engine");
			taker_problem(t, line, "unknown-key", "no flag %s of vllm serve%s%s%s",
				      shown, *nearest ? "; did you mean --" : "", nearest,
				      *nearest ? "?" : "");
		} else if (cJSON_IsNull(item))
			taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "left to its default");
		else if (!is_weak || !is_stated(t, pool, &flag))
			take_item(t, pool, &flag, is_negated, item, shown, line);
	}
}
