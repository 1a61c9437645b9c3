#include "import/vllm_take.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONFIG_DEPTH_MAX 4

static void SS_PRINTF(5, 0) report(struct vllm_taker *t, enum ss_severity severity, size_t line,
				   const char *code, const char *format, va_list arguments)
{
	char message[512], where[32] = "";

	vsnprintf(message, sizeof(message), format, arguments);
	if (line)
		snprintf(where, sizeof(where), "line %zu", line);
	ss_problems_add(t->problems, severity, code, t->options->file ? t->options->file : "",
			where, "%s", message);
}

void taker_problem(struct vllm_taker *t, size_t line, const char *code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(t, SS_ERROR, line, code, format, arguments);
	va_end(arguments);
}

void taker_doubt(struct vllm_taker *t, size_t line, const char *code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report(t, t->options->is_strict ? SS_ERROR : SS_WARNING, line, code, format, arguments);
	va_end(arguments);
}

bool taker_is_blank(const char *text)
{
	size_t n = strlen(text);

	return strstr(text, "$(") || strstr(text, "${") || strchr(text, '`') ||
	       (text[0] == '$' && n > 1) || strstr(text, "{{") || !strcmp(text, "...") ||
	       !strcmp(text, "\xe2\x80\xa6") || (text[0] == '<' && text[n - 1] == '>') ||
	       (text[0] == '{' && n > 2 && text[n - 1] == '}' && !strpbrk(text, "\"':,"));
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

bool taker_is_none(const char *text)
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
	if (count == 1 && taker_is_none(values[0])) {
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
		taker_doubt(t, line, "syntax", "--config%s%s: %s", *err.where ? " " : "", err.where,
			    err.message);
		return;
	}
	taker_note(t, IMPORT_NOTED, line, pool, "--config", path);
	t->config_depth++;
	taker_object(t, pool, object, true, line);
	t->config_depth--;
	cJSON_Delete(object);
}

static void take_special(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag,
			 bool is_negated, const char *shown, const char *value, size_t line)
{
	if (taker_json_key(t, pool, flag->name, value, line))
		return;
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

/** A value that the text leaves open: the flag is asked for, not guessed. */
static bool ask_for_value(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag,
			  const char *shown, const char *value, size_t line)
{
	bool is_read = flag->effect == VLLM_FIELD || flag->effect == VLLM_SPECIAL ||
		       flag->effect == VLLM_JSON;
	const char *setting = flag->effect == VLLM_FIELD ? ss_field(flag->field)->path : "PATH";

	if (!is_read || flag->field == SS_F_MODEL || (*value && !taker_is_blank(value)))
		return false;
	/* An empty `--config` is none, to the engine as well. */
	if (!*value && flag->effect == VLLM_SPECIAL)
		return false;
	taker_note(t, IMPORT_NOTED, line, pool, shown, "left open by the text: its default runs");
	taker_doubt(t, line, "missing",
		    "%s is %.60s, which the text does not fill in; give it by --set %s=VALUE",
		    shown, *value ? value : "empty", setting);
	return true;
}

/** Is a value none of those the engine's parser takes? Then it is said. */
static bool is_refused(struct vllm_taker *t, const struct vllm_flag *flag, const char *shown,
		       const char *value, size_t line)
{
	const char *words = vllm_flag_choices(flag->name);
	size_t length = strlen(value);

	if (!words || t->is_exported || t->options->is_lenient || taker_is_none(value) ||
	    taker_is_blank(value))
		return false;
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if (n == length && !strncmp(at, value, n))
			return false;
		at += n;
	}
	taker_problem(t, line, "range", "%s takes no '%.40s'; it takes %s", shown, value, words);
	return true;
}

void taker_flag(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag, bool is_negated,
		const char *shown, const char *path, const char *const *values, size_t count,
		size_t line)
{
	for (size_t i = 0; i < count; i++) {
		if (ask_for_value(t, pool, flag, shown, values[i], line) ||
		    is_refused(t, flag, shown, values[i], line))
			return;
	}
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
		taker_json(t, pool, flag, shown, path, values[0], line);
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
				texts[count++] = taker_json_text(child);
		}
		if (cJSON_GetArraySize(item) > (int)count)
			taker_problem(t, line, "limit", "%s lists more than %zu values", shown,
				      count);
	} else {
		texts[count++] = taker_json_text(item);
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
			taker_doubt(t, line, "unknown-key", "no flag %s of vllm serve%s%s%s", shown,
				    *nearest ? "; did you mean --" : "", nearest,
				    *nearest ? "?" : "");
		} else if (cJSON_IsNull(item))
			taker_note(t, IMPORT_NO_EFFECT, line, pool, shown, "left to its default");
		else if (!is_weak || !is_stated(t, pool, &flag))
			take_item(t, pool, &flag, is_negated, item, shown, line);
	}
}
