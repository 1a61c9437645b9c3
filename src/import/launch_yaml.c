/*
 * Launches of YAML: containers of Kubernetes objects, services of compose files, the
 * values of the production stack's and llm-d's charts, and objects whose keys are flags.
 * Found by shape: any map that says what to run is tried.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/launches.h"
#include "import/vllm_flags.h"

#define DEPTH_MAX 48

/** What the maps around a container say. */
struct surroundings {
	struct launches *out;
	const char *name;
	const char *model; /**< of llm-d's values and KServe's objects; "" for none */
	enum launch_role role;
	int64_t nodes;
	bool is_other_node, is_kubernetes;
	unsigned depth;
	struct ss_error *err;
};

static enum ss_status no_memory(const struct surroundings *s)
{
	return ss_fail(s->err, SS_ENOMEM, "", "out of memory");
}

static const char *text_of(const struct tree_node *map, const char *key)
{
	const struct tree_node *node = tree_get(map, key);

	return node && node->text && node->kind != TREE_NULL ? node->text : "";
}

/** The value at keys one inside the other, apart by blanks. */
static const struct tree_node *get_path(const struct tree_node *map, const char *path)
{
	char key[64];

	while (map && *path) {
		size_t n = strcspn(path, " ");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		map = tree_get(map, key);
		path += n + (path[n] == ' ');
	}
	return map;
}

static int64_t count_of(const struct tree_node *node)
{
	const char *text = node && node->text ? node->text : "";

	return *text && strlen(text) < 9 && strspn(text, "0123456789") == strlen(text)
		       ? strtol(text, NULL, 10)
		       : 0;
}

/* -- words ----------------------------------------------------------------------------- */

static enum ss_status add_word(struct surroundings *s, struct launch *launch, const char *text,
			       size_t line)
{
	return launch_add_word(launch, text, line) ? SS_OK : no_memory(s);
}

/** The line a text begins on: that of a block stands below the `|` that opens it. */
static size_t first_line(const struct tree_node *node)
{
	return node->line + (strchr(node->text, '\n') != NULL);
}

/** A script stays as it is; in a plain word what the environment sets is filled in. */
static enum ss_status add_item(struct surroundings *s, struct launch *launch,
			       const struct tree_node *item)
{
	bool is_script = strchr(item->text, '\n') || strstr(item->text, "vllm serve");
	char *filled;
	enum ss_status rc;

	if (is_script || !strchr(item->text, '$'))
		return add_word(s, launch, item->text, first_line(item));
	filled = shell_words_fill(item->text, &s->out->variables);
	rc = filled ? add_word(s, launch, filled, item->line) : no_memory(s);
	free(filled);
	return rc;
}

/** A command as one line of a shell. */
static enum ss_status add_line(struct surroundings *s, struct launch *launch,
			       const struct tree_node *node)
{
	struct shell_words words;
	enum ss_status rc = shell_words_split(&words, node->text, strlen(node->text),
					      &s->out->variables, s->err);

	if (rc == SS_EUSAGE)
		snprintf(s->err->where, sizeof(s->err->where), "line %zu", node->line);
	if (rc)
		return rc;
	for (size_t i = 0; i < words.count && !rc; i++) {
		if (words.items[i].kind == SHELL_WORD)
			rc = add_word(s, launch, words.items[i].text,
				      first_line(node) + words.items[i].line - 1);
	}
	shell_words_release(&words);
	return rc;
}

static enum ss_status add_words(struct surroundings *s, struct launch *launch,
				const struct tree_node *node)
{
	enum ss_status rc = SS_OK;

	if (!node || node->kind == TREE_NULL || node->kind == TREE_MAP)
		return SS_OK;
	if (node->kind != TREE_LIST)
		return add_line(s, launch, node);
	for (size_t i = 0; i < node->count && !rc; i++) {
		if (node->items[i].text)
			rc = add_item(s, launch, &node->items[i]);
	}
	return rc;
}

/* -- environment and devices ----------------------------------------------------------- */

static enum ss_status add_setting(struct surroundings *s, struct launch *launch, const char *name,
				  const char *value, size_t line)
{
	int n = snprintf(NULL, 0, "%s=%s", name, value);
	char *text = malloc((size_t)n + 1);
	bool is_kept;

	if (!text)
		return no_memory(s);
	(void)snprintf(text, (size_t)n + 1, "%s=%s", name, value);
	is_kept = launch_settings_add(&launch->environment, text, line) &&
		  shell_variables_set(&s->out->variables, name, strlen(name), value, false);
	free(text);
	return is_kept ? SS_OK : no_memory(s);
}

/** `{name, value}` or `NAME=VALUE` in a list, or a map of names. */
static enum ss_status add_environment(struct surroundings *s, struct launch *launch,
				      const struct tree_node *node)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; node && i < node->count && !rc; i++) {
		const struct tree_node *item = &node->items[i];
		const char *equals = item->text ? strchr(item->text, '=') : NULL;

		if (node->kind == TREE_MAP && item->text && item->kind != TREE_NULL) {
			rc = add_setting(s, launch, node->keys[i].text, item->text, item->line);
		} else if (node->kind == TREE_LIST && item->kind == TREE_MAP &&
			   *text_of(item, "name") && tree_get(item, "value")) {
			rc = add_setting(s, launch, text_of(item, "name"), text_of(item, "value"),
					 item->line);
		} else if (node->kind == TREE_LIST && equals) {
			char *name = strndup(item->text, (size_t)(equals - item->text));

			rc = name ? add_setting(s, launch, name, equals + 1, item->line)
				  : no_memory(s);
			free(name);
		}
	}
	return rc;
}

/** GPUs that a container asks for, in any of the places people say so; 0 for none. */
static int64_t gpus_of(const struct tree_node *map)
{
	static const char *const places[] = { "resources limits nvidia.com/gpu",
					      "resources requests nvidia.com/gpu",
					      "limits nvidia.com/gpu", "requestGPU", "gpus" };
	const struct tree_node *devices = get_path(map, "deploy resources reservations devices");

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int64_t count = count_of(get_path(map, places[i]));

		if (count)
			return count;
	}
	for (size_t i = 0; devices && devices->kind == TREE_LIST && i < devices->count; i++) {
		const struct tree_node *ids = tree_get(&devices->items[i], "device_ids");
		int64_t count = count_of(tree_get(&devices->items[i], "count"));

		if (count)
			return count;
		if (ids && ids->kind == TREE_LIST && ids->count == 1 && ids->items[0].text)
			return launch_device_count(ids->items[0].text);
		if (ids && ids->kind == TREE_LIST)
			return (int64_t)ids->count;
	}
	return 0;
}

/* -- containers ------------------------------------------------------------------------ */

/** `repository` and `tag` of an image map, or the image as it is; the caller frees. */
static char *image_of(const struct tree_node *map)
{
	const struct tree_node *image = tree_get(map, "image");
	const struct tree_node *from = image && image->kind == TREE_MAP ? image : map;
	const char *repository = text_of(from, "repository"), *tag = text_of(from, "tag");
	char *out;
	int n;

	if (image && image->text)
		return strdup(image->text);
	n = snprintf(NULL, 0, "%s%s%s", repository, *tag ? ":" : "", tag);
	out = malloc((size_t)n + 1);
	if (out)
		(void)snprintf(out, (size_t)n + 1, "%s%s%s", repository, *tag ? ":" : "", tag);
	return out;
}

/** Words that a server image's own entry point would be given. */
static bool are_server_words(const struct shell_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *text = words->items[i].text;

		if (!strcmp(text, "--model") || !strncmp(text, "--model=", 8) ||
		    !strncmp(text, "--tensor-parallel-size", 22) ||
		    !strncmp(text, "--tensor_parallel_size", 22) ||
		    !strncmp(text, "--max-model-len", 15) ||
		    !strncmp(text, "--served-model-name", 19))
			return true;
	}
	return false;
}

/** `vllm/vllm-openai` runs the server with what it is given, in front of nothing else. */
static bool runs_server(const struct surroundings *s, const struct launch *own,
			const struct tree_node *map)
{
	const struct tree_node *command = tree_get(map, "command");
	const struct tree_node *entry = tree_get(map, "entrypoint");
	/* Of compose files `command` is what the entry point is given. */
	bool has_program = entry || (command && (s->is_kubernetes || tree_get(map, "args")));

	if (!own->words.count)
		return *s->model && launch_is_server_image(own->image) && !command && !entry;
	if (!strcmp(text_of(map, "modelCommand"), "vllmServe"))
		return true;
	if (has_program && own->words.items[0].text[0] != '-')
		return false;
	if (launch_is_server_image(own->image))
		return own->words.items[0].text[0] == '-' || !has_program;
	return own->words.items[0].text[0] == '-' && are_server_words(&own->words);
}

/** Add what the words start, with the container's surroundings. */
static enum ss_status take_words(struct surroundings *s, struct launch *own,
				 const struct tree_node *map)
{
	struct launch_frame frame = { .name = own->name,
				      .image = own->image,
				      .line = map->line,
				      .gpus = own->gpus,
				      .nodes = s->nodes,
				      .role = s->role,
				      .is_other_node = s->is_other_node,
				      .environment = own->environment.items,
				      .environment_count = own->environment.count };
	size_t before = s->out->count, skip = 0;
	const char *shell = own->words.count ? own->words.items[0].text : "";
	struct launch *launch;
	enum ss_status rc;

	if (frame.role == LAUNCH_ALONE)
		frame.role = launch_role_of(own->name);
	rc = launches_take_words(s->out, own->words.items, own->words.count, &frame, s->err);
	if (rc || s->out->count > before || launch_is_shell(shell))
		return rc;
	if (!runs_server(s, own, map))
		return SS_OK;
	launch = launches_add(s->out, &frame);
	if (!launch)
		return no_memory(s);
	if (own->words.count && !strcmp(own->words.items[0].text, "serve"))
		skip = 1;
	/* llm-d names the model beside the containers, KServe in a storage URI. */
	if (*s->model && !are_server_words(&own->words))
		rc = add_word(s, launch, s->model, map->line);
	else if (*s->model && own->words.count && own->words.items[0].text[0] == '-')
		rc = add_word(s, launch, s->model, map->line);
	for (size_t i = skip; i < own->words.count && !rc; i++)
		rc = add_word(s, launch, own->words.items[i].text, own->words.items[i].line);
	return rc;
}

/** A map that says what to run: a container of Kubernetes, a service of compose. */
static enum ss_status read_container(struct surroundings *s, const struct tree_node *map)
{
	struct shell_variables outer = s->out->variables;
	struct launch own = { .gpus = gpus_of(map) };
	const char *name = text_of(map, "name");
	char group[32];
	enum ss_status rc = SS_OK;

	s->out->variables = (struct shell_variables){ 0 };
	if (s->nodes) {
		snprintf(group, sizeof(group), "%lld", (long long)s->nodes);
		if (!shell_variables_set(&s->out->variables, "LWS_GROUP_SIZE", 14, group, false) ||
		    !shell_variables_set(&s->out->variables, "LWS_WORKER_INDEX", 16,
					 s->is_other_node ? "1" : "0", false))
			rc = no_memory(s);
	}
	own.name = strdup(*name && strcmp(name, "vllm") != 0 ? name : s->name);
	own.image = image_of(map);
	if (own.image && strchr(own.image, '$')) { /* compose fills in a tag's default */
		char *written = own.image;

		own.image = shell_words_fill(written, &s->out->variables);
		free(written);
	}
	if (!own.name || !own.image)
		rc = no_memory(s);
	if (!rc)
		rc = add_environment(s, &own, tree_get(map, "env"));
	if (!rc)
		rc = add_environment(s, &own, tree_get(map, "environment"));
	if (!rc)
		rc = add_words(s, &own, tree_get(map, "entrypoint"));
	if (!rc)
		rc = add_words(s, &own, tree_get(map, "command"));
	if (!rc)
		rc = add_words(s, &own, get_path(map, "image command"));
	if (!rc)
		rc = add_words(s, &own, tree_get(map, "args"));
	if (!rc)
		rc = take_words(s, &own, map);
	free(own.name);
	free(own.image);
	shell_words_release(&own.words);
	launch_settings_release(&own.environment);
	shell_variables_release(&s->out->variables);
	s->out->variables = outer;
	return rc;
}

/* -- the production stack's values ----------------------------------------------------- */

/* clang-format off */
/* Keys of `vllmConfig` and the flag each becomes. */
static const struct {
	const char *key, *flag;
} stack_keys[] = {
	{ "maxModelLen",          "--max-model-len" },
	{ "dtype",                "--dtype" },
	{ "tensorParallelSize",   "--tensor-parallel-size" },
	{ "pipelineParallelSize", "--pipeline-parallel-size" },
	{ "maxNumSeqs",           "--max-num-seqs" },
	{ "gpuMemoryUtilization", "--gpu-memory-utilization" },
	{ "maxLoras",             "--max-loras" },
};
/* clang-format on */

static bool is_true(const struct tree_node *node)
{
	return node && node->text && !strcasecmp(node->text, "true");
}

/** What the chart writes behind `vllm serve` for one `modelSpec`. */
static enum ss_status add_stack_flags(struct surroundings *s, struct launch *launch,
				      const struct tree_node *spec)
{
	const struct tree_node *config = tree_get(spec, "vllmConfig"), *value;
	const struct tree_node *cache = tree_get(spec, "lmcacheConfig");
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < sizeof(stack_keys) / sizeof(stack_keys[0]) && !rc; i++) {
		value = tree_get(config, stack_keys[i].key);
		if (!value || !value->text)
			continue;
		rc = add_word(s, launch, stack_keys[i].flag, value->line);
		if (!rc)
			rc = add_word(s, launch, value->text, value->line);
	}
	value = tree_get(config, "enableChunkedPrefill");
	if (value && !rc)
		rc = add_word(s, launch,
			      is_true(value) ? "--enable-chunked-prefill"
					     : "--no-enable-chunked-prefill",
			      value->line);
	/* Not stated is off, in this chart. */
	value = tree_get(config, "enablePrefixCaching");
	if (config && !rc)
		rc = add_word(s, launch,
			      is_true(value) ? "--enable-prefix-caching"
					     : "--no-enable-prefix-caching",
			      value ? value->line : config->line);
	if (!rc)
		rc = add_words(s, launch, tree_get(config, "extraArgs"));
	if (!rc && is_true(tree_get(cache, "enabled"))) {
		const char *role = text_of(cache, "kvRole");
		char json[160];

		snprintf(json, sizeof(json),
			 "{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"%.40s\"}",
			 *role ? role : "kv_both");
		rc = add_word(s, launch, "--kv-transfer-config", cache->line);
		if (!rc)
			rc = add_word(s, launch, json, cache->line);
	}
	return rc;
}

static enum ss_status read_stack(struct surroundings *s, const struct tree_node *spec)
{
	char *image = image_of(spec);
	const char *name = text_of(spec, "name");
	const struct tree_node *ray = tree_get(spec, "raySpec");
	int64_t workers = count_of(get_path(spec, "replicaCount"));
	struct launch_frame frame = { .name = name,
				      .image = image ? image : "",
				      .line = spec->line,
				      .gpus = gpus_of(spec),
				      .nodes = ray && workers ? workers + 1 : 0,
				      .role = launch_role_of(name) };
	struct launch *launch = image ? launches_add(s->out, &frame) : NULL;
	enum ss_status rc = launch ? SS_OK : no_memory(s);

	if (!rc)
		rc = add_environment(s, launch, tree_get(spec, "env"));
	if (!rc && *text_of(spec, "modelURL"))
		rc = add_word(s, launch, text_of(spec, "modelURL"),
			      tree_get(spec, "modelURL")->line);
	if (!rc)
		rc = add_stack_flags(s, launch, spec);
	free(image);
	return rc;
}

/* -- flags as an object ---------------------------------------------------------------- */

/** How many of a map's keys are flags of the engine; `*others` gets the rest. */
static size_t count_flags(const struct tree_node *map, size_t *others)
{
	size_t count = 0;

	*others = 0;
	for (size_t i = 0; i < map->count; i++) {
		struct vllm_flag flag;
		bool is_negated;

		if (vllm_flag_find(&flag, &is_negated, map->keys[i].text, NULL, 0))
			count++;
		else
			++*others;
	}
	return count;
}

/** `--config` files, `server_parameters` of benchmarks, `engine_kwargs` of Ray Serve. */
static enum ss_status read_flags(struct surroundings *s, const struct tree_node *map,
				 const char *model)
{
	struct launch_frame frame = {
		.name = s->name, .image = "", .line = map->line, .role = s->role
	};
	struct launch *launch = launches_add(s->out, &frame);

	if (!launch)
		return no_memory(s);
	launch->flags = tree_to_json(map);
	if (!launch->flags)
		return no_memory(s);
	if (*model && !cJSON_GetObjectItemCaseSensitive(launch->flags, "model") &&
	    !cJSON_AddStringToObject(launch->flags, "model", model))
		return no_memory(s);
	return SS_OK;
}

/** `model`, with enough other flags that it is no chance. */
static bool is_flags(const struct tree_node *map)
{
	size_t others, count = count_flags(map, &others);

	return *text_of(map, "model") && !tree_get(map, "kind") && !tree_get(map, "image") &&
	       !tree_get(map, "args") && count > others + (others ? 1 : 0);
}

/* -- the walk -------------------------------------------------------------------------- */

static bool is_container(const struct tree_node *map)
{
	static const char *const keys[] = { "command", "args", "entrypoint", "image" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct tree_node *node = tree_get(map, keys[i]);

		if (node && node->kind != TREE_NULL && (node->kind != TREE_MAP || i == 3))
			return true;
	}
	return false;
}

/** `Qwen/Qwen3-8B` of `hf://Qwen/Qwen3-8B`; any other name as it is. */
static const char *less_scheme(const char *uri)
{
	return !strncmp(uri, "hf://", 5) ? uri + 5 : uri;
}

static enum ss_status walk(struct surroundings *outer, const struct tree_node *node);

/** What this map says of all inside it. */
static void look_around(struct surroundings *s, const struct tree_node *map)
{
	static const char *const models[] = {
		"modelArtifacts name", "modelArtifacts uri", "model uri",
		"model storageUri",    "spec url",           "spec model uri"
	};
	const char *name = *text_of(map, "kind") ? text_of(tree_get(map, "metadata"), "name") : "";
	const struct tree_node *size = get_path(map, "leaderWorkerTemplate size");

	s->is_kubernetes |= tree_get(map, "apiVersion") || tree_get(map, "containers");
	if (*name) {
		s->name = name;
		if (launch_role_of(name) != LAUNCH_ALONE)
			s->role = launch_role_of(name);
	}
	if (count_of(size) > 1)
		s->nodes = count_of(size);
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		const struct tree_node *model = get_path(map, models[i]);

		if (model && model->text && *model->text) {
			s->model = less_scheme(model->text);
			break;
		}
	}
}

/** Ray Serve keeps YAML in a text. */
static enum ss_status walk_text(struct surroundings *s, const struct tree_node *node)
{
	struct tree_documents documents = { 0 };
	struct ss_error ignored = { 0 };
	enum ss_status rc = SS_OK;

	if (tree_parse_open(&documents, node->text, strlen(node->text), &ignored))
		return SS_OK;
	for (size_t i = 0; i < documents.count && !rc; i++)
		rc = walk(s, &documents.items[i]);
	tree_release(&documents);
	return rc;
}

static enum ss_status walk_key(struct surroundings *s, const struct tree_node *map, size_t at)
{
	struct surroundings inner = *s;
	const char *key = map->keys[at].text;
	const struct tree_node *item = &map->items[at];

	if (!strcmp(key, "initContainers") || !strncmp(key, "x-", 2))
		return SS_OK;
	if (!strcmp(key, "serveConfigV2") && item->text)
		return walk_text(s, item);
	if (!strcmp(key, "engine_kwargs") && item->kind == TREE_MAP) {
		const struct tree_node *model = get_path(map, "model_loading_config model_source");

		if (!model || !model->text)
			model = get_path(map, "model_loading_config model_id");
		return read_flags(s, item, model && model->text ? model->text : "");
	}
	if ((!strcmp(key, "server_parameters") || !strcmp(key, "parameters")) &&
	    item->kind == TREE_MAP && *text_of(item, "model")) {
		if (*text_of(map, "test_name"))
			inner.name = text_of(map, "test_name");
		return read_flags(&inner, item, "");
	}
	if (item->kind == TREE_MAP && launch_role_of(key) != LAUNCH_ALONE) {
		inner.role = launch_role_of(key);
		inner.name = key;
	} else if (item->kind == TREE_MAP && is_container(item)) {
		inner.name = *s->name && strcmp(key, "image") == 0 ? s->name : key;
	}
	inner.is_other_node |= !strcmp(key, "workerTemplate") && tree_get(map, "leaderTemplate");
	return walk(&inner, item);
}

static enum ss_status walk(struct surroundings *outer, const struct tree_node *node)
{
	struct surroundings s = *outer;
	size_t before = s.out->count;
	bool is_read;
	enum ss_status rc = SS_OK;

	if (++s.depth > DEPTH_MAX || (node->kind != TREE_LIST && node->kind != TREE_MAP))
		return SS_OK;
	if (node->kind == TREE_LIST) {
		for (size_t i = 0; i < node->count && !rc; i++)
			rc = walk(&s, &node->items[i]);
		return rc;
	}
	look_around(&s, node);
	if (*text_of(node, "modelURL"))
		return read_stack(&s, node);
	if (is_flags(node))
		return read_flags(&s, node, "");
	if (is_container(node))
		rc = read_container(&s, node);
	is_read = s.out->count > before;
	/* What stands inside what starts the engine says nothing more to start. */
	for (size_t i = 0; i < node->count && !rc && !is_read; i++)
		rc = walk_key(&s, node, i);
	return rc;
}

enum ss_status launches_read_tree(struct launches *out, const struct tree_documents *documents,
				  struct ss_error *err)
{
	struct surroundings s = { .out = out, .name = "", .model = "", .err = err };
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < documents->count && !rc; i++)
		rc = walk(&s, &documents->items[i]);
	return rc;
}

bool launches_know_tree(const struct tree_documents *documents)
{
	static const char *const keys[] = { "apiVersion", "services", "servingEngineSpec",
					    "modelArtifacts", "serviceTemplate" };
	struct launches found = { 0 };
	struct ss_error ignored = { 0 };
	bool is_known;

	for (size_t i = 0; i < documents->count; i++) {
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			if (tree_get(&documents->items[i], keys[k]))
				return true;
		}
	}
	is_known = launches_read_tree(&found, documents, &ignored) != SS_OK || found.count;
	launches_release(&found);
	return is_known;
}
