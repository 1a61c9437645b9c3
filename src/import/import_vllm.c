#include "import/import_vllm.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/shell_words.h"
#include "import/vllm_take.h"

#define SHELL_DEPTH_MAX 3

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

/** A text being read: words, and what stood before the commands. */
struct reader {
	struct vllm_taker taker;
	struct shell_words words;
	int64_t visible_gpus; /**< exported for every command */
	char version[32];     /**< of an image's tag */
	bool is_pool_open;    /**< `# pool I` was read and waits for its command */
	unsigned shell_depth;
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

static void read_comment(struct reader *r, const struct shell_word *word)
{
	struct vllm_taker *t = &r->taker;
	char *text = strdup(word->text), *start;

	if (!text) {
		t->is_out_of_memory = true;
		return;
	}
	start = text + strspn(text, " \t");
	if (!strncmp(start, "set ", 4)) {
		set_path(r, start + 4 + strspn(start + 4, " \t"), word->line);
	} else if (!strncmp(start, "pool ", 5) && isdigit((unsigned char)start[5])) {
		if (!taker_add_pool(t))
			t->is_out_of_memory = true;
		r->is_pool_open = true;
	}
	free(text);
}

/* -- commands ------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_assignment(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return n && !isdigit((unsigned char)word[0]) && word[n] == '=';
}

/** GPUs in `0,1,2,3`; 0 when it is no such list. */
static int64_t count_devices(const char *list)
{
	int64_t count = 1;

	if (!*list || strspn(list, "0123456789,") != strlen(list))
		return 0;
	for (; *list; list++)
		count += *list == ',';
	return count;
}

/** Environment that decides a setting; the rest is the host's own business. */
static void read_environment(struct reader *r, const struct shell_word *word,
			     const char *assignment, size_t pool, int64_t *visible)
{
	static const char devices[] = "CUDA_VISIBLE_DEVICES=", all2all[] = "VLLM_ALL2ALL_BACKEND=";
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(assignment, "="), assignment);
	if (!strncmp(assignment, devices, sizeof(devices) - 1)) {
		*visible = count_devices(assignment + sizeof(devices) - 1);
		taker_note(&r->taker, IMPORT_NOTED, word->line, pool, name, "the GPUs of the node");
	} else if (!strncmp(assignment, all2all, sizeof(all2all) - 1)) {
		if (pool < r->taker.scenario->pool_count)
			taker_set(&r->taker, pool, SS_F_ALL2ALL_BACKEND,
				  assignment + sizeof(all2all) - 1, name, word->line);
	} else {
		bool is_engine = !strncmp(name, "VLLM_", 5);

		taker_note(&r->taker, is_engine ? IMPORT_NOT_PRICED : IMPORT_NO_EFFECT, word->line,
			   pool, name,
			   is_engine ? "no law here reads it" : "changes nothing that is priced");
	}
}

/** `v0.31.0` of `vllm/vllm-openai:v0.31.0-x86_64`. */
static void read_tag(struct reader *r, const struct shell_word *word)
{
	const char *tag = strrchr(word->text, ':');
	size_t n;

	if (!tag || tag[1] != 'v' || !isdigit((unsigned char)tag[2])) {
		taker_note(&r->taker, IMPORT_NOTED, word->line, 0, base_name(word->text),
			   "the tag names no release");
		return;
	}
	n = strspn(tag + 2, "0123456789.");
	snprintf(r->version, sizeof(r->version), "%.*s", (int)n, tag + 2);
}

static bool is_image(const char *word)
{
	const char *name = base_name(word);

	return !strncmp(name, "vllm-openai", 11) && (!name[11] || strchr(":@-", name[11]));
}

/** What `docker run` says before the image: environment and GPUs. */
static void read_docker(struct reader *r, const struct shell_word *words, size_t count, size_t pool,
			int64_t *visible)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = words[i].text, *next = i + 1 < count ? words[i + 1].text : "";
		const char *devices;

		if ((!strcmp(text, "-e") || !strcmp(text, "--env")) && is_assignment(next))
			read_environment(r, &words[i], next, pool, visible);
		else if (!strncmp(text, "--env=", 6) && is_assignment(text + 6))
			read_environment(r, &words[i], text + 6, pool, visible);
		if (!strncmp(text, "--gpus=", 7))
			text += 7;
		else if (!i || strcmp(words[i - 1].text, "--gpus") != 0)
			continue;
		devices = strstr(text, "device=");
		if (*text && strspn(text, "0123456789") == strlen(text)) {
			*visible = strtol(text, NULL, 10);
		} else if (devices) {
			char list[256];

			devices += strlen("device=");
			snprintf(list, sizeof(list), "%.*s", (int)strspn(devices, "0123456789,"),
				 devices);
			*visible = count_devices(list);
		}
	}
}

/** Does this word begin a flag, and not a value (a negative number, a lone dash)? */
static bool is_flag(const char *word)
{
	return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

/** The words of a flag's value after `words[0]`, by its arity. */
static size_t value_count(const struct vllm_flag *flag, const struct shell_word *words, size_t left)
{
	size_t count = 0;

	switch (flag->arity) {
	case VLLM_SWITCH:
		break;
	case VLLM_ONE:
	case VLLM_OPTIONAL:
		count = left && !is_flag(words[0].text) ? 1 : 0;
		break;
	case VLLM_MANY:
		while (count < left && !is_flag(words[count].text))
			count++;
		break;
	}
	return count;
}

/** One flag at `words[0]`; returns how many words it took. */
static size_t read_flag(struct reader *r, size_t pool, const struct shell_word *words, size_t left)
{
	struct vllm_taker *t = &r->taker;
	const struct shell_word *word = &words[0];
	const char *values[64], *equals = strchr(word->text, '='), *name, *dot, *long_name;
	char written[160], nearest[64], *path = NULL;
	bool is_long = word->text[1] == '-', is_negated;
	struct vllm_flag flag;
	size_t n = equals ? (size_t)(equals - word->text) : strlen(word->text), count = 0;

	if (!is_long && word->text[1] == 'O') {
		const char *rest = word->text + 2;

		if (*rest == '=')
			rest++;
		if (!*rest && left > 1) {
			taker_optimization(t, pool, words[1].text, word->line);
			return 2;
		}
		taker_optimization(t, pool, rest, word->line);
		return 1;
	}
	snprintf(written, sizeof(written), "%.*s", (int)n, word->text);
	dot = strchr(written, '.');
	if (is_long && dot) {
		written[dot - written] = '\0';
		path = strdup(dot + 1);
		t->is_out_of_memory |= !path;
	}
	name = written + (is_long ? 2 : 1);
	long_name = is_long ? name : vllm_short_option(name);
	if (!long_name ||
	    !vllm_flag_find(&flag, &is_negated, long_name, nearest, sizeof(nearest))) {
		if (!long_name)
			nearest[0] = '\0';
		taker_note(t, IMPORT_UNKNOWN, word->line, pool, written, "no flag of the engine");
		taker_problem(t, word->line, "unknown-key", "no flag %.100s of vllm serve%s%s%s",
			      written, *nearest ? "; did you mean --" : "", nearest,
			      *nearest ? "?" : "");
		free(path);
		/* What follows may be its value: not to be blamed as well. */
		flag.arity = VLLM_ONE;
		return 1 + (equals ? 0 : value_count(&flag, words + 1, left - 1));
	}
	if (equals) {
		values[count++] = equals + 1;
		n = 1;
		/* `--api-key=a b` lists on */
		if (flag.arity == VLLM_MANY)
			n += value_count(&flag, words + 1, left - 1);
	} else {
		n = 1 + value_count(&flag, words + 1, left - 1);
	}
	for (size_t i = 1; i < n && count < sizeof(values) / sizeof(values[0]); i++)
		values[count++] = words[i].text;
	if (n > sizeof(values) / sizeof(values[0]))
		taker_problem(t, word->line, "limit", "%s lists more than %zu values", written,
			      count);
	else if (!count && (flag.arity == VLLM_ONE || flag.arity == VLLM_MANY))
		taker_problem(t, word->line, "missing", "%s needs a value", written);
	else
		taker_flag(t, pool, &flag, is_negated, written, path, values, count, word->line);
	free(path);
	return n;
}

static void read_arguments(struct reader *r, size_t pool, const struct shell_word *words,
			   size_t count)
{
	struct vllm_taker *t = &r->taker;
	bool has_positional = false;

	for (size_t i = 0; i < count;) {
		if (is_flag(words[i].text)) {
			i += read_flag(r, pool, words + i, count - i);
			continue;
		}
		if (has_positional) {
			taker_problem(t, words[i].line, "syntax",
				      "'%.60s' stands alone: a flag's value, or a second model?",
				      words[i].text);
		} else {
			has_positional = true;
			free(t->pools[pool].model);
			t->pools[pool].model = strdup(words[i].text);
			t->pools[pool].model_line = words[i].line;
			t->is_out_of_memory |= !t->pools[pool].model;
		}
		i++;
	}
}

static enum ss_status read_text(struct reader *r, const char *text, size_t length, size_t line);

static bool is_server_module(const char *name)
{
	return !strcmp(name, "vllm.entrypoints.openai.api_server") ||
	       !strcmp(name, "vllm.entrypoints.api_server");
}

/** A further node of an engine that another command starts: it adds ranks to no pool. */
static bool is_other_node(const struct shell_word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *next = i + 1 < count ? words[i + 1].text : "";

		if (!strcmp(words[i].text, "--headless"))
			return true;
		if (!strcmp(words[i].text, "--node-rank") ||
		    !strcmp(words[i].text, "--node_rank") || !strcmp(words[i].text, "-r"))
			return strcmp(next, "0") != 0;
		if (!strncmp(words[i].text, "--node-rank=", 12))
			return strcmp(words[i].text + 12, "0") != 0;
	}
	return false;
}

/** Where the server's arguments begin in a command; SIZE_MAX when it starts none. */
static size_t find_server(struct reader *r, const struct shell_word *words, size_t count,
			  size_t *image)
{
	*image = count;
	for (size_t i = 0; i < count; i++) {
		const char *next = i + 1 < count ? words[i + 1].text : "";

		if (is_image(words[i].text) && *image == count) {
			*image = i;
			read_tag(r, &words[i]);
		}
		if (!strcmp(base_name(words[i].text), "vllm") && !strcmp(next, "serve"))
			return i + 2;
		if (!strcmp(words[i].text, "-m") && is_server_module(next))
			return i + 2;
		if (!strcmp(words[i].text, "vllm.entrypoints.cli.main") && !strcmp(next, "serve"))
			return i + 2;
		if (strstr(words[i].text, "/entrypoints/") &&
		    !strcmp(base_name(words[i].text), "api_server.py"))
			return i + 1;
	}
	if (*image < count) {
		size_t first = *image + 1;

		/* `IMAGE serve MODEL` where the entry point is the bare program */
		return first < count && !strcmp(words[first].text, "serve") ? first + 1 : first;
	}
	return SIZE_MAX;
}

/** `bash -c '...'`: the text it would run; NULL when there is none. */
static const struct shell_word *inner_shell(const struct shell_word *words, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++) {
		const char *flag = words[i].text;
		size_t n = strlen(flag);

		if (flag[0] == '-' && flag[1] != '-' && n > 1 && flag[n - 1] == 'c' &&
		    strstr(words[i + 1].text, "vllm"))
			return &words[i + 1];
	}
	return NULL;
}

static enum ss_status read_command(struct reader *r, const struct shell_word *words, size_t count)
{
	struct vllm_taker *t = &r->taker;
	size_t image, start = find_server(r, words, count, &image), pool, before;
	int64_t visible = r->visible_gpus;
	const struct shell_word *inner = inner_shell(words, count);

	if (inner && (start == SIZE_MAX || start == image + 1)) {
		if (image < count)
			read_docker(r, words, image, t->scenario->pool_count, &r->visible_gpus);
		return read_text(r, inner->text, strlen(inner->text), inner->line);
	}
	if (start == SIZE_MAX) {
		/* Not a server: only what it exports matters. */
		for (size_t i = 0; i < count; i++) {
			if (is_assignment(words[i].text))
				read_environment(r, &words[i], words[i].text,
						 t->scenario->pool_count, &r->visible_gpus);
			else if (strcmp(words[i].text, "export") != 0)
				break;
		}
		return SS_OK;
	}
	if (t->scenario->pool_count && !r->is_pool_open &&
	    is_other_node(words + start, count - start)) {
		taker_note(t, IMPORT_NOTED, words[0].line, t->scenario->pool_count - 1,
			   base_name(words[0].text), "another node of the engine before it");
		return SS_OK;
	}
	if (!r->is_pool_open && !(t->scenario->pool_count == 1 && !t->pools[0].has_command) &&
	    !taker_add_pool(t))
		return SS_ENOMEM;
	r->is_pool_open = false;
	pool = t->scenario->pool_count - 1;
	t->pools[pool].has_command = true;
	t->pools[pool].command_line = words[0].line;
	before = image < count ? image : start;
	for (size_t i = 0; i < before && is_assignment(words[i].text); i++)
		read_environment(r, &words[i], words[i].text, pool, &visible);
	if (image < count)
		read_docker(r, words, image, pool, &visible);
	t->pools[pool].visible_gpus = visible;
	read_arguments(r, pool, words + start, count - start);
	taker_finish_pool(t, pool);
	return t->is_out_of_memory ? SS_ENOMEM : SS_OK;
}

/** Read a text; `line` is that of its first one in the file, less 1 for nested text. */
static enum ss_status read_text(struct reader *r, const char *text, size_t length, size_t line)
{
	struct shell_words words;
	struct ss_error err = { 0 };
	enum ss_status rc;
	size_t start = 0;

	if (r->shell_depth == SHELL_DEPTH_MAX) {
		taker_problem(&r->taker, line, "limit", "shells are nested too deep");
		return SS_OK;
	}
	rc = shell_words_split(&words, text, length, &err);
	if (rc == SS_ENOMEM)
		return rc;
	if (rc) {
		ss_problems_add(r->taker.problems, SS_ERROR, "syntax",
				r->taker.options->file ? r->taker.options->file : "", err.where,
				"%s", err.message);
		return SS_OK;
	}
	r->shell_depth++;
	for (size_t i = 0; i < words.count && !rc; i++) {
		if (line)
			words.items[i].line += line - 1;
		if (words.items[i].kind == SHELL_COMMENT) {
			/* Shells allow no comment inside a command: it has ended. */
			read_comment(r, &words.items[i]);
			start = i + 1;
		} else if (words.items[i].kind == SHELL_END) {
			rc = read_command(r, words.items + start, i - start);
			start = i + 1;
		} else if (i + 1 < words.count && words.items[i + 1].kind == SHELL_COMMENT) {
			rc = read_command(r, words.items + start, i + 1 - start);
			start = i + 1;
		}
	}
	r->shell_depth--;
	shell_words_release(&words);
	return rc;
}

static enum ss_status reader_start(struct reader *r, struct import_rows *rows,
				   const struct vllm_import_options *options,
				   struct ss_problems *problems)
{
	*r = (struct reader){ .taker = { .options = options, .rows = rows, .problems = problems } };
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
	}
	free(t->pools);
	if (!rc) {
		*out = t->scenario;
		return SS_OK;
	}
	ss_scenario_free(t->scenario);
	return rc;
}

enum ss_status vllm_import(struct ss_scenario **out, struct import_rows *rows, const char *text,
			   size_t length, const struct vllm_import_options *options,
			   struct ss_problems *problems)
{
	struct reader r;
	enum ss_status rc = reader_start(&r, rows, options, problems);

	if (!rc)
		rc = read_text(&r, text, length, 0);
	if (!rc && r.taker.is_out_of_memory)
		rc = SS_ENOMEM;
	if (!rc)
		rc = ss_problems_count(problems, SS_ERROR) ? SS_EDOCUMENT
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
