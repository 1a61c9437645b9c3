#include "import/export_vllm.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "import/shell_words.h"
#include "stepscope/kernel.h"

/* clang-format off */
/* Settings that the engine takes inside a JSON flag: flag, key, field. */
static const struct {
	const char *flag, *key;
	enum ss_field_id field;
} json_fields[] = {
	{ "compilation-config", "cudagraph_mode",         SS_F_CUDAGRAPH_MODE },
	{ "compilation-config", "pass_config.fuse_allreduce_rms", SS_F_FUSE_ALLREDUCE_RMS },
	{ "compilation-config", "pass_config.fuse_act_quant",     SS_F_FUSE_ACT_QUANT },
	{ "rope-scaling",       "factor",                 SS_F_ROPE_FACTOR },
	{ "eplb-config",        "num_redundant_experts",  SS_F_REDUNDANT_EXPERTS },
	{ "eplb-config",        "window_size",            SS_F_EPLB_WINDOW },
	{ "eplb-config",        "step_interval",          SS_F_EPLB_INTERVAL },
	{ "speculative-config", "method",                 SS_F_SPEC_METHOD },
	{ "speculative-config", "num_speculative_tokens", SS_F_SPEC_TOKENS },
	{ "kv-transfer-config", "kv_connector",           SS_F_KV_CONNECTOR },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** A value as text; the caller frees it. */
static char *value_text(const struct ss_field *field, const struct ss_value *value)
{
	size_t length = ss_value_format(NULL, 0, field, value);
	char *text = malloc(length + 1);

	if (text)
		ss_value_format(text, length + 1, field, value);
	return text;
}

static const struct ss_value *stated(const struct ss_scenario *scenario, size_t pool,
				     enum ss_field_id id)
{
	const struct ss_value *value = ss_scenario_value(scenario, pool, id);

	return value->is_stated ? value : NULL;
}

/** `# set PATH=VALUE`; in JSON quotes when a comment line would not keep it as it is. */
static enum ss_status write_set(FILE *out, const char *path, const char *text)
{
	size_t length = strlen(text);
	cJSON *string;
	char *quoted;

	if (!length || (strcspn(text, "\r\n\t") == length && text[0] != '"' && text[0] != ' ' &&
			text[length - 1] != ' ')) {
		fprintf(out, "# set %s=%s\n", path, text);
		return SS_OK;
	}
	string = cJSON_CreateString(text);
	quoted = string ? cJSON_PrintUnformatted(string) : NULL;
	cJSON_Delete(string);
	if (!quoted)
		return SS_ENOMEM;
	fprintf(out, "# set %s=%s\n", path, quoted);
	free(quoted);
	return SS_OK;
}

/** One line an entry, since a value may hold any separator. */
static enum ss_status write_map(FILE *out, const char *path, const struct ss_value *value)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < value->count && !rc; i++) {
		size_t n = strcspn(value->texts[i], "=");
		char *name = malloc(strlen(path) + n + 2);

		if (!name)
			return SS_ENOMEM;
		snprintf(name, strlen(path) + n + 2, "%s.%.*s", path, (int)n, value->texts[i]);
		rc = write_set(out, name, value->texts[i][n] ? value->texts[i] + n + 1 : "");
		free(name);
	}
	return rc;
}

static enum ss_status write_field(FILE *out, const struct ss_field *field,
				  const struct ss_value *value)
{
	char path[160];
	char *text;
	enum ss_status rc;

	snprintf(path, sizeof(path), "%s%s", ss_field_prefix(field->owner), field->path);
	if (field->type == SS_TYPE_TEXT_MAP)
		return write_map(out, path, value);
	text = value_text(field, value);
	if (!text)
		return SS_ENOMEM;
	rc = write_set(out, path, text);
	free(text);
	return rc;
}

static enum ss_status write_workload(FILE *out, const struct ss_workload *workload)
{
	enum ss_status rc = SS_OK;

	if (workload->shape) {
		rc = write_set(out, "workload.shape", workload->shape);
	} else if (workload->has_batch) {
		size_t length = ss_batch_format(NULL, 0, workload->groups, workload->group_count);
		char *text = malloc(length + 1);

		if (!text)
			return SS_ENOMEM;
		ss_batch_format(text, length + 1, workload->groups, workload->group_count);
		rc = write_set(out, "workload.batch", text);
		free(text);
	}
	if (workload->decode_threshold)
		fprintf(out, "# set workload.decode_threshold=%lld\n",
			(long long)workload->decode_threshold);
	return rc;
}

/** Values tried and corrections: an engine knows neither, a reader of these lines does. */
static enum ss_status write_trials(FILE *out, const struct ss_scenario *scenario)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < scenario->what_if_count && !rc; i++) {
		char path[256], number[40];

		snprintf(path, sizeof(path), "what_if.%.200s", scenario->what_if[i].name);
		snprintf(number, sizeof(number), "%.15g", scenario->what_if[i].value);
		if (strtod(number, NULL) < scenario->what_if[i].value ||
		    strtod(number, NULL) > scenario->what_if[i].value)
			snprintf(number, sizeof(number), "%.17g", scenario->what_if[i].value);
		rc = write_set(out, path, number);
	}
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++)
		if (scenario->corrections_stated & (1u << i))
			fprintf(out, "# set corrections.%s=%s\n",
				ss_divergence((enum ss_divergence_id)i)->name,
				scenario->corrections_on & (1u << i) ? "true" : "false");
	return rc;
}

static bool is_in_json(enum ss_field_id id)
{
	for (size_t i = 0; i < COUNT(json_fields); i++) {
		if (json_fields[i].field == id)
			return true;
	}
	return false;
}

/** Drafts and offload managers are whole settings to the engine: half of one has no flag. */
static bool has_flag(const struct ss_scenario *scenario, size_t pool, const struct ss_field *field)
{
	bool has_draft = stated(scenario, pool, SS_F_SPEC_METHOD) &&
			 stated(scenario, pool, SS_F_SPEC_TOKENS);

	if (field->id == SS_F_SPEC_METHOD || field->id == SS_F_SPEC_TOKENS)
		return has_draft;
	return field->flag || is_in_json(field->id) || field->id == SS_F_HYBRID_KV_MANAGER;
}

static void next_line(FILE *out)
{
	fputs(" \\\n  ", out);
}

static enum ss_status write_flag(FILE *out, const struct ss_field *field,
				 const struct ss_value *value)
{
	char *text;

	next_line(out);
	if (field->id == SS_F_HYBRID_KV_MANAGER) {
		fprintf(out, "--%sdisable-hybrid-kv-cache-manager", value->integer ? "no-" : "");
		return SS_OK;
	}
	if (field->type == SS_TYPE_BOOL) {
		fprintf(out, "--%s%s", value->integer ? "" : "no-", field->flag);
		return SS_OK;
	}
	fprintf(out, "--%s", field->flag);
	if (field->type == SS_TYPE_INT_LIST) {
		for (size_t i = 0; i < value->count; i++)
			fprintf(out, " %lld", (long long)value->integers[i]);
		return SS_OK;
	}
	text = value_text(field, value);
	if (!text)
		return SS_ENOMEM;
	putc(' ', out);
	shell_quote(out, text);
	free(text);
	return SS_OK;
}

/** The role a pool's connector plays between prefill and decode; NULL for both. */
static const char *kv_role(const struct ss_scenario *scenario, size_t pool)
{
	const struct ss_value *role = stated(scenario, pool, SS_F_ROLE);

	if (!role || !stated(scenario, pool, SS_F_PD_CONNECTOR) ||
	    stated(scenario, pool, SS_F_KV_CONNECTOR))
		return NULL;
	if (!strcmp(role->text, "prefill"))
		return "kv_producer";
	return strcmp(role->text, "decode") ? NULL : "kv_consumer";
}

static bool add_value(cJSON *object, const char *key, const struct ss_field *field,
		      const struct ss_value *value)
{
	double number = field->type == SS_TYPE_FLOAT ? value->number : (double)value->integer;
	const char *dot = strchr(key, '.');
	char first[40];

	/* a key of an object in the object */
	if (dot) {
		cJSON *inner;

		(void)snprintf(first, sizeof(first), "%.*s", (int)(dot - key), key);
		inner = cJSON_GetObjectItemCaseSensitive(object, first);
		if (!inner)
			inner = cJSON_AddObjectToObject(object, first);
		return inner && add_value(inner, dot + 1, field, value);
	}
	if (field->type == SS_TYPE_BOOL)
		return cJSON_AddBoolToObject(object, key, value->integer != 0) != NULL;
	return value->text ? cJSON_AddStringToObject(object, key, value->text) != NULL
			   : cJSON_AddNumberToObject(object, key, number) != NULL;
}

static enum ss_status write_object(FILE *out, const char *flag, cJSON *object)
{
	char *text = cJSON_PrintUnformatted(object);

	if (!text)
		return SS_ENOMEM;
	next_line(out);
	fprintf(out, "--%s ", flag);
	shell_quote(out, text);
	free(text);
	return SS_OK;
}

/** One JSON flag: every stated key of it. */
static enum ss_status write_json(FILE *out, const struct ss_scenario *scenario, size_t pool,
				 const char *flag)
{
	cJSON *object = cJSON_CreateObject();
	const char *role = NULL;
	enum ss_status rc = object ? SS_OK : SS_ENOMEM;
	bool is_transfer = !strcmp(flag, "kv-transfer-config");

	for (size_t i = 0; i < COUNT(json_fields) && !rc; i++) {
		const struct ss_value *value = stated(scenario, pool, json_fields[i].field);

		if (value && !strcmp(json_fields[i].flag, flag) &&
		    has_flag(scenario, pool, ss_field(json_fields[i].field)) &&
		    !add_value(object, json_fields[i].key, ss_field(json_fields[i].field), value))
			rc = SS_ENOMEM;
	}
	if (is_transfer && !rc) {
		role = kv_role(scenario, pool);
		if (role && !add_value(object, "kv_connector", ss_field(SS_F_PD_CONNECTOR),
				       stated(scenario, pool, SS_F_PD_CONNECTOR)))
			rc = SS_ENOMEM;
		if (!rc && object->child &&
		    !cJSON_AddStringToObject(object, "kv_role", role ? role : "kv_both"))
			rc = SS_ENOMEM;
	}
	if (!rc && object->child)
		rc = write_object(out, flag, object);
	cJSON_Delete(object);
	return rc;
}

static enum ss_status write_pool(FILE *out, const struct ss_scenario *scenario, size_t pool,
				 const char *model)
{
	enum ss_status rc = SS_OK;

	fprintf(out, "# pool %zu\n", pool);
	for (size_t i = 0; i < SS_FIELD_COUNT && !rc; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		const struct ss_value *value =
			field->owner == SS_OWNER_POOL ? stated(scenario, pool, field->id) : NULL;

		if (value && !has_flag(scenario, pool, field))
			rc = write_field(out, field, value);
	}
	fputs("vllm serve ", out);
	shell_quote(out, model);
	for (size_t i = 0; i < SS_FIELD_COUNT && !rc; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		const struct ss_value *value =
			field->owner == SS_OWNER_POOL ? stated(scenario, pool, field->id) : NULL;

		if (value && has_flag(scenario, pool, field) && !is_in_json(field->id))
			rc = write_flag(out, field, value);
	}
	for (size_t i = 0; i < COUNT(json_fields) && !rc; i++) {
		if (!i || strcmp(json_fields[i].flag, json_fields[i - 1].flag) != 0)
			rc = write_json(out, scenario, pool, json_fields[i].flag);
	}
	putc('\n', out);
	return rc;
}

enum ss_status vllm_export(FILE *out, const struct ss_scenario *scenario, const char *repository)
{
	enum ss_status rc = SS_OK;
	const struct ss_value *model = ss_scenario_value(scenario, 0, SS_F_MODEL);

	if (!repository || !*repository)
		repository = model->is_stated ? model->text : "MODEL";
	for (size_t i = 0; i < SS_FIELD_COUNT && !rc; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		const struct ss_value *value =
			field->owner != SS_OWNER_POOL ? stated(scenario, 0, field->id) : NULL;

		if (value)
			rc = write_field(out, field, value);
	}
	if (!rc && scenario->has_pd_transfer && !stated(scenario, 0, SS_F_PD_CONNECTOR))
		fputs("# set deployment.pd_transfer={}\n", out);
	if (!rc)
		rc = write_workload(out, &scenario->workload);
	if (!rc)
		rc = write_trials(out, scenario);
	for (size_t i = 0; i < scenario->pool_count && !rc; i++)
		rc = write_pool(out, scenario, i, repository);
	return rc;
}
