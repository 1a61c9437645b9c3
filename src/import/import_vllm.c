#include "import/import_vllm.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/launches.h"
#include "import/vllm_take.h"
#include "import/vllm_words.h"

bool import_rows_add(struct import_rows *rows, enum import_fate fate, size_t line, size_t pool,
		     const char *flag, const char *format, ...)
{
	char detail[512];
	va_list arguments;
	struct import_row *row;

	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity ? rows->capacity * 2 : 32;
		struct import_row *grown = realloc(rows->items, capacity * sizeof(*grown));

		if (!grown)
			return false;
		rows->items = grown;
		rows->capacity = capacity;
	}
	va_start(arguments, format);
	vsnprintf(detail, sizeof(detail), format, arguments);
	va_end(arguments);
	row = &rows->items[rows->count];
	*row = (struct import_row){ fate, line, pool, strdup(flag), strdup(detail) };
	if (!row->flag || !row->detail) {
		free(row->flag);
		free(row->detail);
		return false;
	}
	rows->count++;
	return true;
}

void import_rows_release(struct import_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->items[i].flag);
		free(rows->items[i].detail);
	}
	free(rows->items);
	*rows = (struct import_rows){ 0 };
}

/** A text being read: its launches, and those of them that make the deployment. */
struct reader {
	struct vllm_taker taker;
	struct vllm_import_options options; /**< the caller's, with our reader of files */
	const struct vllm_import_options *given;
	struct launches launches;
	char version[32];  /**< of an image's tag */
	bool is_pool_open; /**< `# pool I` was read and waits for its command */
};

/* -- `# pool I` and `# set PATH=VALUE` ------------------------------------------------ */

/** A field by the path that the exporter writes. */
static enum ss_field_id exported_field(const char *path)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		const char *prefix = ss_field_prefix(field->owner);
		size_t length = strlen(prefix);

		if (!strncmp(path, prefix, length) && !strcmp(path + length, field->path))
			return field->id;
	}
	return SS_FIELD_COUNT;
}

static void set_workload(struct reader *r, const char *key, const char *value, size_t line)
{
	struct vllm_taker *t = &r->taker;
	struct ss_workload *workload = &t->scenario->workload;
	struct ss_error err = { 0 };
	char *end = NULL, *shape;
	long threshold;

	if (!strcmp(key, "batch")) {
		struct ss_group *groups = NULL;
		size_t count = 0;

		if (ss_batch_parse(&groups, &count, value, &err)) {
			taker_problem(t, line, "range", "workload.batch: %s", err.message);
			return;
		}
		free(workload->groups);
		workload->groups = groups;
		workload->group_count = count;
		workload->has_batch = true;
	} else if (!strcmp(key, "shape")) {
		shape = strdup(value);
		t->is_out_of_memory |= !shape;
		free(workload->shape);
		workload->shape = shape;
	} else if (!strcmp(key, "decode_threshold")) {
		errno = 0;
		threshold = strtol(value, &end, 10);
		if (errno || end == value || *end || threshold < 0)
			taker_problem(t, line, "range",
				      "workload.decode_threshold takes a count, got '%.40s'",
				      value);
		else
			workload->decode_threshold = threshold;
	} else {
		taker_problem(t, line, "unknown-key",
			      "no workload.%.40s; there are batch, shape, decode_threshold and the "
			      "load's settings",
			      key);
	}
}

/** One entry of a map, `engine.sm70.PATH`. */
static bool is_map_entry(const char *path)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		size_t n = strlen(field->path);

		if (field->type == SS_TYPE_TEXT_MAP && !strncmp(path, field->path, n) &&
		    path[n] == '.')
			return true;
	}
	return false;
}

/** Settings of a pool may stand ahead of the first command; false when out of memory. */
static bool has_pool_for(struct vllm_taker *t, const char *path)
{
	bool is_scenario = !strncmp(path, "cluster.", 8) || !strncmp(path, "deployment.", 11);
	enum ss_field_id id = exported_field(path);

	if (id != SS_FIELD_COUNT)
		is_scenario = ss_field(id)->owner != SS_OWNER_POOL;
	return is_scenario || t->scenario->pool_count || taker_add_pool(t);
}

static void set_path(struct reader *r, char *setting, size_t line)
{
	struct vllm_taker *t = &r->taker;
	size_t pool = t->scenario->pool_count ? t->scenario->pool_count - 1 : 0;
	char *value = strchr(setting, '='), *plain = NULL;
	cJSON *quoted = NULL;
	enum ss_field_id id;

	if (!value) {
		taker_problem(t, line, "syntax", "# set takes PATH=VALUE, got '%.80s'", setting);
		return;
	}
	*value++ = '\0';
	if (*value == '"') { /* text that a comment cannot hold as it is */
		quoted = cJSON_ParseWithOpts(value, NULL, 1);
		if (!cJSON_IsString(quoted)) {
			taker_problem(t, line, "syntax", "%s: a value in quotes is a JSON string",
				      setting);
			cJSON_Delete(quoted);
			return;
		}
		plain = quoted->valuestring;
	} else {
		plain = value;
	}
	id = exported_field(setting);
	if (id == SS_FIELD_COUNT && !strncmp(setting, "workload.", 9)) {
		set_workload(r, setting + 9, plain, line);
		goto done;
	}
	if (id != SS_FIELD_COUNT) {
		if (!has_pool_for(t, setting)) {
			t->is_out_of_memory = true;
			goto done;
		}
		t->is_model_set |= id == SS_F_MODEL;
		taker_set(t, pool, id, plain, "# set", line);
		goto done;
	}
	if (!strncmp(setting, "what_if.", 8) || !strncmp(setting, "corrections.", 12)) {
		taker_trial(t, setting, plain, line);
		goto done;
	}
	if (!strcmp(setting, "deployment.pd_transfer")) {
		t->scenario->has_pd_transfer = true;
		goto done;
	}
	if (is_map_entry(setting)) {
		struct ss_error err = { 0 };

		if (!has_pool_for(t, setting))
			t->is_out_of_memory = true;
		else if (ss_scenario_set(t->scenario, pool, setting, plain, &err))
			taker_problem(t, line, "range", "%s", err.message);
		goto done;
	}
	taker_problem(t, line, "unknown-key", "# set %.80s: no such path", setting);
done:
	cJSON_Delete(quoted);
}

static void read_exported_line(struct reader *r, const struct launch_comment *comment)
{
	struct vllm_taker *t = &r->taker;
	char *text = strdup(comment->text);

	if (!text) {
		t->is_out_of_memory = true;
		return;
	}
	if (!strncmp(text, "set ", 4)) {
		set_path(r, text + 4 + strspn(text + 4, " \t"), comment->line);
	} else {
		if (!taker_add_pool(t))
			t->is_out_of_memory = true;
		r->is_pool_open = true;
	}
	free(text);
}

/* -- one launch ------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** Environment that decides a setting; the rest is the host's own business. */
static void read_environment(struct reader *r, const struct launch_setting *setting, size_t pool,
			     int64_t *visible)
{
	static const char devices[] = "CUDA_VISIBLE_DEVICES=", all2all[] = "VLLM_ALL2ALL_BACKEND=";
	const char *text = setting->text;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
	if (!strncmp(text, devices, sizeof(devices) - 1)) {
		*visible = launch_device_count(text + sizeof(devices) - 1);
		taker_note(&r->taker, IMPORT_NOTED, setting->line, pool, name,
			   "the GPUs of the node");
	} else if (!strncmp(text, all2all, sizeof(all2all) - 1)) {
		taker_set(&r->taker, pool, SS_F_ALL2ALL_BACKEND, text + sizeof(all2all) - 1, name,
			  setting->line);
	} else {
		bool is_engine = !strncmp(name, "VLLM_", 5);

		taker_note(&r->taker, is_engine ? IMPORT_NOT_PRICED : IMPORT_NO_EFFECT,
			   setting->line, pool, name,
			   is_engine ? "no law here reads it" : "changes nothing that is priced");
	}
}

/** `v0.31.0` of `vllm/vllm-openai:v0.31.0-x86_64`. */
static void read_tag(struct reader *r, const struct launch *launch, size_t pool)
{
	const char *name = base_name(launch->image), *tag = strrchr(name, ':');
	bool is_release = tag && launch_is_server_image(launch->image) &&
			  strncmp(launch->image, "lmcache/", 8) != 0;
	size_t n;

	if (!*launch->image)
		return;
	if (is_release)
		tag += 1 + (tag[1] == 'v');
	if (!is_release || !isdigit((unsigned char)tag[0]) || tag[1] != '.') {
		taker_note(&r->taker, IMPORT_NOTED, launch->line, pool, name,
			   "the tag names no release");
		return;
	}
	n = strspn(tag, "0123456789.");
	while (n && tag[n - 1] == '.')
		n--;
	snprintf(r->version, sizeof(r->version), "%.*s", (int)n, tag);
}

static enum ss_status read_launch(struct reader *r, const struct launch *launch)
{
	struct vllm_taker *t = &r->taker;
	int64_t visible = 0;
	size_t pool;

	if (!r->is_pool_open && !(t->scenario->pool_count == 1 && !t->pools[0].has_command) &&
	    !taker_add_pool(t))
		return SS_ENOMEM;
	r->is_pool_open = false;
	pool = t->scenario->pool_count - 1;
	t->pools[pool].has_command = true;
	t->pools[pool].command_line = launch->line;
	t->pools[pool].nnodes = launch->nodes;
	t->pools[pool].is_benchmark = launch->is_benchmark;
	for (size_t i = 0; i < launch->shared_count; i++)
		read_environment(r, &r->launches.shared.items[i], pool, &visible);
	for (size_t i = 0; i < launch->environment.count; i++)
		read_environment(r, &launch->environment.items[i], pool, &visible);
	t->pools[pool].visible_gpus = visible ? visible : launch->gpus;
	read_tag(r, launch, pool);
	if (launch->flags)
		taker_object(t, pool, launch->flags, false, launch->line);
	vllm_words_read(t, pool, launch->words.items, launch->words.count);
	taker_finish_pool(t, pool);
	return t->is_out_of_memory ? SS_ENOMEM : SS_OK;
}

/* -- which launches -------------------------------------------------------------------- */

/** Everything in the order it stood: what the exporter wrote, and a pool each. */
static enum ss_status read_in_order(struct reader *r)
{
	struct launches *l = &r->launches;
	enum ss_status rc = SS_OK;
	size_t next = 0;

	for (size_t i = 0; i <= l->count && !rc; i++) {
		for (; next < l->comment_count && l->comments[next].before <= i; next++) {
			if (!l->comments[next].is_note)
				read_exported_line(r, &l->comments[next]);
		}
		if (i < l->count)
			rc = read_launch(r, &l->items[i]);
	}
	return rc;
}

/** The model that a launch names, before its flags are read; "" for none. */
static const char *model_of(const struct launch *launch)
{
	const cJSON *named = cJSON_GetObjectItemCaseSensitive(launch->flags, "model");
	const struct shell_words *w = &launch->words;

	if (cJSON_IsString(named))
		return named->valuestring;
	for (size_t i = 0; i < w->count; i++) {
		if (!strcmp(w->items[i].text, "--model") && i + 1 < w->count)
			return w->items[i + 1].text;
		if (!strncmp(w->items[i].text, "--model=", 8))
			return w->items[i].text + 8;
	}
	return w->count && w->items[0].text[0] != '-' ? w->items[0].text : "";
}

static bool has_text(const struct launch *launch, const char *text)
{
	for (size_t i = 0; i < launch->words.count; i++) {
		if (strstr(launch->words.items[i].text, text))
			return true;
	}
	return false;
}

/** By its transfer's role, else by its name where it has a transfer. */
static enum launch_role role_of(const struct launch *launch)
{
	bool is_producer = has_text(launch, "kv_producer");

	if (is_producer != has_text(launch, "kv_consumer"))
		return is_producer ? LAUNCH_PREFILL : LAUNCH_DECODE;
	return has_text(launch, "kv_connector") ? launch->role : LAUNCH_ALONE;
}

/** The launch that `--container` names: its number in the list, its name or a part of it. */
static size_t find_named(struct reader *r, const char *wanted)
{
	const struct launches *l = &r->launches;
	char *end = NULL;
	unsigned long number = strtoul(wanted, &end, 10);
	size_t found = SIZE_MAX, matches = 0;

	if (end != wanted && !*end && number >= 1 && number <= l->count)
		return number - 1;
	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->items[i].name, wanted))
			return i;
		if (strstr(l->items[i].name, wanted)) {
			found = i;
			matches++;
		}
	}
	return matches == 1 ? found : SIZE_MAX;
}

/** The first that serves, its model named; else the first. */
static size_t find_first(const struct reader *r)
{
	const struct launches *l = &r->launches;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < l->count; i++) {
			const struct launch *launch = &l->items[i];
			bool is_named = *model_of(launch) && !taker_is_blank(model_of(launch));

			if (launch->is_other_node)
				continue;
			if (pass == 2 || (!launch->is_benchmark && (pass == 1 || is_named)))
				return i;
		}
	}
	return 0;
}

/** The launch that works with `chosen` in one deployment; `chosen` when none does. */
static size_t find_partner(const struct reader *r, size_t chosen)
{
	const struct launches *l = &r->launches;
	enum launch_role role = role_of(&l->items[chosen]);

	for (size_t i = 0; i < l->count && role != LAUNCH_ALONE; i++) {
		enum launch_role other = role_of(&l->items[i]);

		if (other != LAUNCH_ALONE && other != role && !l->items[i].is_other_node &&
		    !strcmp(model_of(&l->items[i]), model_of(&l->items[chosen])))
			return i;
	}
	return chosen;
}

/** One row for each launch of a text that holds several. */
static void list_launches(struct reader *r, size_t chosen, size_t partner)
{
	for (size_t i = 0; i < r->launches.count; i++) {
		const struct launch *launch = &r->launches.items[i];
		const char *model = model_of(launch);
		bool is_taken = i == chosen || i == partner;
		char name[96], detail[200];

		snprintf(name, sizeof(name), "%zu%s%.60s", i + 1, *launch->name ? " " : "",
			 launch->name);
		snprintf(detail, sizeof(detail), "%.120s%s%s", *model ? model : "no model named",
			 launch->is_other_node  ? ": another node of the engine before it"
			 : launch->is_benchmark ? ": a benchmark"
						: "",
			 is_taken || launch->is_other_node ? "" : "; --container takes it");
		taker_note(&r->taker, is_taken ? IMPORT_CHOSEN : IMPORT_LEFT, launch->line, 0, name,
			   detail);
	}
}

/** Of several launches those that make one deployment. */
static enum ss_status read_chosen(struct reader *r)
{
	struct launches *l = &r->launches;
	struct vllm_taker *t = &r->taker;
	const char *wanted = r->given->container;
	size_t chosen = wanted ? find_named(r, wanted) : find_first(r), partner, choices = 0;
	enum ss_status rc = SS_OK;

	if (chosen == SIZE_MAX) {
		list_launches(r, chosen, chosen);
		taker_problem(t, 0, "range", "no command '%.60s' in the text, which has %zu",
			      wanted, l->count);
		return SS_OK;
	}
	partner = find_partner(r, chosen);
	for (size_t i = 0; i < l->count; i++)
		choices += !l->items[i].is_other_node && i != chosen && i != partner;
	if (choices || l->count > 2)
		list_launches(r, chosen, partner);
	if (choices && !wanted)
		taker_doubt(
			t, l->items[chosen].line, "range",
			"the text starts the engine %zu times; this one is taken, --container N "
			"takes another",
			choices + 1 + (partner != chosen));
	for (size_t i = 0; i < l->comment_count; i++) {
		if (l->comments[i].is_note &&
		    (l->comments[i].before == chosen + 1 || l->comments[i].before == partner + 1))
			taker_doubt(t, l->comments[i].line, "syntax", "%s", l->comments[i].text);
	}
	for (size_t i = 0; i < l->count && !rc; i++) {
		if (i != chosen && i != partner)
			continue;
		rc = read_launch(r, &l->items[i]);
		if (!rc && chosen != partner &&
		    t->pools[t->scenario->pool_count - 1].kv_role == VLLM_KV_BOTH)
			t->pools[t->scenario->pool_count - 1].kv_role =
				role_of(&l->items[i]) == LAUNCH_PREFILL ? VLLM_KV_PRODUCER
									: VLLM_KV_CONSUMER;
	}
	return rc;
}

/* -- the whole text -------------------------------------------------------------------- */

/** A file of `--config`: one that the text itself writes, else the caller's. */
static cJSON *read_config(void *context, const char *path, struct ss_error *err)
{
	struct reader *r = context;
	const struct launch_settings *files = &r->launches.files;

	for (size_t i = files->count; i-- > 0;) {
		const char *text = files->items[i].text, *equals = strchr(text, '=');
		struct tree_documents documents = { 0 };
		cJSON *out = NULL;
		char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;
		bool is_same = name && !strcmp(base_name(name), base_name(path));

		free(name);
		if (!is_same || tree_parse_open(&documents, equals + 1, strlen(equals + 1), err))
			continue;
		if (documents.count == 1 && documents.items[0].kind == TREE_MAP)
			out = tree_to_json(&documents.items[0]);
		tree_release(&documents);
		if (out)
			return out;
	}
	if (r->given->read_config)
		return r->given->read_config(r->given->context, path, err);
	(void)ss_fail(err, SS_EIO, path, "no files are read here");
	return NULL;
}

static enum ss_status reader_start(struct reader *r, struct import_rows *rows,
				   const struct vllm_import_options *options,
				   struct ss_problems *problems)
{
	*r = (struct reader){ .given = options, .options = *options };
	r->options.read_config = read_config;
	r->options.context = r;
	r->taker =
		(struct vllm_taker){ .options = &r->options, .rows = rows, .problems = problems };
	r->taker.scenario = ss_scenario_new();
	return r->taker.scenario ? SS_OK : SS_ENOMEM;
}

/** Hand the scenario over on success; free the rest. */
static enum ss_status reader_end(struct reader *r, enum ss_status rc, struct ss_scenario **out)
{
	struct vllm_taker *t = &r->taker;

	for (size_t i = 0; t->scenario && i < t->scenario->pool_count; i++) {
		free(t->pools[i].model);
		cJSON_Delete(t->pools[i].compilation);
		cJSON_Delete(t->pools[i].speculative);
		cJSON_Delete(t->pools[i].transfer);
		cJSON_Delete(t->pools[i].eplb);
		cJSON_Delete(t->pools[i].attention);
		cJSON_Delete(t->pools[i].overrides);
		cJSON_Delete(t->pools[i].rope);
		cJSON_Delete(t->pools[i].kernel);
	}
	free(t->pools);
	launches_release(&r->launches);
	if (!rc) {
		*out = t->scenario;
		return SS_OK;
	}
	ss_scenario_free(t->scenario);
	return rc;
}

static enum ss_status read_text(struct reader *r, const char *text, size_t length)
{
	struct ss_error err = { 0 };
	enum ss_status rc = launches_read(&r->launches, text, length, &err);

	if (rc == SS_ENOMEM)
		return rc;
	if (rc) {
		ss_problems_add(r->taker.problems, SS_ERROR, "syntax",
				r->options.file ? r->options.file : "", err.where, "%s",
				err.message);
		return SS_OK;
	}
	r->taker.is_exported = r->launches.is_exported;
	if (r->launches.is_exported)
		return read_in_order(r);
	return r->launches.count ? read_chosen(r) : SS_OK;
}

enum ss_status vllm_import(struct ss_scenario **out, struct import_rows *rows, const char *text,
			   size_t length, const struct vllm_import_options *options,
			   struct ss_problems *problems)
{
	struct reader r;
	size_t before = ss_problems_count(problems, SS_ERROR);
	enum ss_status rc = reader_start(&r, rows, options, problems);

	if (!rc)
		rc = read_text(&r, text, length);
	if (!rc && r.taker.is_out_of_memory)
		rc = SS_ENOMEM;
	if (!rc)
		rc = ss_problems_count(problems, SS_ERROR) > before
			     ? SS_EDOCUMENT
			     : taker_finish(&r.taker, r.version);
	return reader_end(&r, rc, out);
}

enum ss_status vllm_import_object(struct ss_scenario **out, struct import_rows *rows,
				  const cJSON *flags, size_t line,
				  const struct vllm_import_options *options,
				  struct ss_problems *problems)
{
	struct reader r;
	enum ss_status rc = reader_start(&r, rows, options, problems);

	if (!rc && !taker_add_pool(&r.taker))
		rc = SS_ENOMEM;
	if (!rc) {
		r.taker.pools[0].has_command = true;
		r.taker.pools[0].command_line = line;
		taker_object(&r.taker, 0, flags, false, line);
		taker_finish_pool(&r.taker, 0);
		rc = taker_finish(&r.taker, "");
	}
	return reader_end(&r, rc, out);
}
