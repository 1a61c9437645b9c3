/* The list of launches, and what makes a command one. */
#include "import/launches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/shell_splitter.h"

static bool is_word(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(word, words[i]))
			return true;
	}
	return false;
}

#define IS_WORD(word, words) is_word(word, words, sizeof(words) / sizeof((words)[0]))

static enum ss_status no_memory(struct ss_error *err)
{
	return ss_fail(err, SS_ENOMEM, "", "out of memory");
}

bool launch_settings_add(struct launch_settings *settings, const char *text, size_t line)
{
	if (settings->count == settings->capacity) {
		size_t capacity = settings->capacity ? settings->capacity * 2 : 8;
		struct launch_setting *grown = realloc(settings->items, capacity * sizeof(*grown));

		if (!grown)
			return false;
		settings->items = grown;
		settings->capacity = capacity;
	}
	settings->items[settings->count] = (struct launch_setting){ strdup(text), line };
	if (!settings->items[settings->count].text)
		return false;
	settings->count++;
	return true;
}

void launch_settings_release(struct launch_settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		free(settings->items[i].text);
	free(settings->items);
	*settings = (struct launch_settings){ 0 };
}

bool launch_add_word(struct launch *launch, const char *text, size_t line)
{
	struct shell_words *w = &launch->words;

	if (w->count == w->capacity) {
		size_t capacity = w->capacity ? w->capacity * 2 : 16;
		struct shell_word *grown = realloc(w->items, capacity * sizeof(*grown));

		if (!grown)
			return false;
		w->items = grown;
		w->capacity = capacity;
	}
	w->items[w->count] =
		(struct shell_word){ .kind = SHELL_WORD, .text = strdup(text), .line = line };
	if (!w->items[w->count].text)
		return false;
	w->count++;
	return true;
}

struct launch *launches_add(struct launches *out, const struct launch_frame *frame)
{
	struct launch *launch;

	if (out->count == out->capacity) {
		size_t capacity = out->capacity ? out->capacity * 2 : 8;
		struct launch *grown = realloc(out->items, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		out->items = grown;
		out->capacity = capacity;
	}
	launch = &out->items[out->count];
	*launch = (struct launch){ .name = strdup(frame ? frame->name : ""),
				   .image = strdup(frame ? frame->image : ""),
				   .shared_count = out->shared.count };
	out->count++;
	if (!launch->name || !launch->image)
		return NULL;
	if (!frame)
		return launch;
	launch->line = frame->line;
	launch->gpus = frame->gpus;
	launch->nodes = frame->nodes;
	launch->role = frame->role;
	launch->is_other_node = frame->is_other_node;
	for (size_t i = 0; i < frame->environment_count; i++) {
		if (!launch_settings_add(&launch->environment, frame->environment[i].text,
					 frame->environment[i].line))
			return NULL;
	}
	return launch;
}

void launches_release(struct launches *launches)
{
	for (size_t i = 0; i < launches->count; i++) {
		struct launch *launch = &launches->items[i];

		free(launch->name);
		free(launch->image);
		shell_words_release(&launch->words);
		launch_settings_release(&launch->environment);
		cJSON_Delete(launch->flags);
	}
	free(launches->items);
	for (size_t i = 0; i < launches->comment_count; i++)
		free(launches->comments[i].text);
	free(launches->comments);
	launch_settings_release(&launches->shared);
	launch_settings_release(&launches->files);
	shell_variables_release(&launches->variables);
	free(launches->last_comment);
	*launches = (struct launches){ 0 };
}

bool launch_is_assignment(const char *word)
{
	size_t n = shell_name_length(word, strlen(word));

	return n && word[n] == '=';
}

/** Does `text` hold `word`, capitals or not, between what are no letters? */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; *at; at++) {
		if (!strncasecmp(at, word, n) && (at == text || !isalpha((unsigned char)at[-1])))
			return true;
	}
	return false;
}

enum launch_role launch_role_of(const char *name)
{
	bool is_prefill = has_word(name, "prefill"), is_decode = has_word(name, "decod");

	if (is_prefill == is_decode)
		return LAUNCH_ALONE;
	return is_prefill ? LAUNCH_PREFILL : LAUNCH_DECODE;
}

/* -- what starts the engine ------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** The image's name without registry and tag holds `vllm`. */
static bool is_image(const char *word)
{
	const char *name = base_name(word);
	size_t n = strcspn(name, ":@");

	if (word[0] == '-' || word[0] == '.' || word[0] == '/')
		return false;
	for (size_t i = 0; i + 4 <= n; i++) {
		if (!strncasecmp(name + i, "vllm", 4))
			return true;
	}
	/* `vllm/rocm`, and the images of llm-d, which carry the engine. */
	return strstr(word, "vllm/") || !strncmp(name, "llm-d-", 6);
}

bool launch_is_server_image(const char *image)
{
	return strstr(base_name(image), "vllm-openai") || strstr(base_name(image), "vllm-cpu-env");
}

static bool is_container_program(const char *word)
{
	static const char *const programs[] = { "docker",    "podman",      "nerdctl",
						"apptainer", "singularity", "enroot" };

	return IS_WORD(base_name(word), programs);
}

/** Programs that only speak of a command: what they are given is not run. */
static bool is_talker(const char *word)
{
	static const char *const programs[] = {
		"echo",  "printf", "grep",  "egrep", "pkill", "pgrep",   "killall",  "which",
		"alias", "pip",    "pip3",  "brew",  "apt",   "man",     "curl",     "git",
		"kill",  "rm",     "mkdir", "cp",    "ls",    "lm_eval", "guidellm", "genai-perf",
	};

	return IS_WORD(base_name(word), programs);
}

static bool is_server_module(const char *word)
{
	return !strcmp(word, "vllm.entrypoints.openai.api_server") ||
	       !strcmp(word, "vllm.entrypoints.api_server") ||
	       !strcmp(word, "-mvllm.entrypoints.openai.api_server");
}

/** A benchmark that builds the engine from the same flags. */
static bool is_benchmark(const char *word, const char *next, const char *second, size_t *used)
{
	const char *name = base_name(word);

	if (!strcmp(name, "benchmark_throughput.py") || !strcmp(name, "benchmark_latency.py") ||
	    !strcmp(name, "benchmark_prefix_caching.py") ||
	    !strcmp(name, "benchmark_long_document_qa_throughput.py")) {
		*used = 1;
		return true;
	}
	*used = 3;
	return !strcmp(name, "vllm") && !strcmp(next, "bench") &&
	       (!strcmp(second, "throughput") || !strcmp(second, "latency"));
}

/** Where the image stands in `docker run ...`; `count` when there is none. */
static size_t find_image(const struct shell_word *words, size_t count)
{
	static const char *const valued[] = {
		"-v",         "--volume",     "--mount",
		"--name",     "-e",           "--env",
		"-p",         "--publish",    "--network",
		"--net",      "--entrypoint", "-w",
		"--workdir",  "-h",           "--hostname",
		"--env-file", "-l",           "--label",
		"-u",         "--user",       "--shm-size",
		"--gpus",     "--device",     "--runtime",
		"--ipc",      "--ulimit",     "--cpuset-cpus",
		"--memory",   "-m",           "--restart",
		"--add-host", "--group-add",  "--security-opt",
		"--cap-add",  "--bind",       "-B",
	};
	bool is_run = false;
	size_t i = 0;

	while (i < count && !is_container_program(words[i].text))
		i++;
	for (i++; i < count; i++) {
		const char *word = words[i].text;

		if (!strcmp(word, "run") || !strcmp(word, "create") || !strcmp(word, "exec"))
			is_run = true;
		else if (is_run && is_image(word) && !IS_WORD(words[i - 1].text, valued))
			return i;
	}
	return count;
}

bool launch_is_shell(const char *program)
{
	static const char *const shells[] = { "bash", "sh", "zsh", "dash", "ash" };

	return IS_WORD(base_name(program), shells);
}

/** The first word that is no assignment: what is run. */
static const char *program_of(const struct shell_word *words, size_t count)
{
	static const char *const wrappers[] = { "sudo", "env",  "exec", "nohup", "time", "export",
						"{",    "then", "do",   "else",  "!",    "if" };

	for (size_t i = 0; i < count; i++) {
		if (!launch_is_assignment(words[i].text) && !IS_WORD(words[i].text, wrappers))
			return words[i].text;
	}
	return "";
}

/** Where the server's arguments begin; SIZE_MAX when the words start none. */
static size_t find_server(const struct shell_word *words, size_t count, bool *is_bench)
{
	size_t used;

	*is_bench = false;
	for (size_t i = 0; i < count; i++) {
		const char *word = words[i].text, *next = i + 1 < count ? words[i + 1].text : "";
		const char *second = i + 2 < count ? words[i + 2].text : "";

		/* `!vllm` of a notebook's cell */
		if (!strcmp(base_name(word + (word[0] == '!')), "vllm") && !strcmp(next, "serve"))
			return i + 2;
		if (is_server_module(word))
			return i + 1;
		if (!strcmp(word, "vllm.entrypoints.cli.main") && !strcmp(next, "serve"))
			return i + 2;
		if (strstr(word, "entrypoints/") && !strcmp(base_name(word), "api_server.py"))
			return i + 1;
		if (is_benchmark(word, next, second, &used)) {
			*is_bench = true;
			return i + used;
		}
	}
	return SIZE_MAX;
}

/** A further node of an engine that another command starts: it adds ranks to no pool. */
static bool is_further_node(const struct shell_word *words, size_t count)
{
	static const char *const ranks[] = { "--node-rank",
					     "--node_rank",
					     "-r",
					     "--data-parallel-rank",
					     "--data_parallel_rank",
					     "-dpn",
					     "--data-parallel-start-rank",
					     "--data_parallel_start_rank",
					     "-dpr" };

	for (size_t i = 0; i < count; i++) {
		const char *word = words[i].text, *value = strchr(word, '=');
		char name[64];
		size_t n = value ? (size_t)(value - word) : strlen(word);

		if (!strcmp(word, "--headless"))
			return true;
		snprintf(name, sizeof(name), "%.*s", (int)(n < 63 ? n : 63), word);
		if (!IS_WORD(name, ranks))
			continue;
		value = value ? value + 1 : i + 1 < count ? words[i + 1].text : "0";
		if (isdigit((unsigned char)*value) && strtol(value, NULL, 10) > 0)
			return true;
	}
	return false;
}

int64_t launch_device_count(const char *list)
{
	int64_t count = 1;

	if (!*list || strspn(list, "0123456789,") != strlen(list))
		return 0;
	for (; *list; list++)
		count += *list == ',';
	return count;
}

/** `2`, `all`, `"device=0,1"` of `--gpus`. */
static void read_gpus(struct launch *launch, const char *text)
{
	const char *devices = strstr(text, "device=");
	char list[256];

	if (*text && strspn(text, "0123456789") == strlen(text)) {
		launch->gpus = strtol(text, NULL, 10);
	} else if (devices) {
		devices += strlen("device=");
		snprintf(list, sizeof(list), "%.*s", (int)strspn(devices, "0123456789,"), devices);
		launch->gpus = launch_device_count(list);
	}
}

/** What `docker run` says before the image: environment and GPUs. */
static bool read_container(struct launch *launch, const struct shell_word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = words[i].text, *next = i + 1 < count ? words[i + 1].text : "";
		const char *setting = NULL;

		if (!strcmp(text, "-e") || !strcmp(text, "--env"))
			setting = next;
		else if (!strncmp(text, "--env=", 6))
			setting = text + 6;
		else if (!strncmp(text, "-e", 2) && text[2] != '-')
			setting = text + 2;
		if (setting && launch_is_assignment(setting) &&
		    !launch_settings_add(&launch->environment, setting, words[i].line))
			return false;
		if (!strncmp(text, "--gpus=", 7))
			read_gpus(launch, text + 7);
		else if (!strcmp(text, "--gpus"))
			read_gpus(launch, next);
	}
	return true;
}

static bool is_declaration(const char *word)
{
	static const char *const words[] = { "export", "local", "declare", "readonly", "typeset" };

	return IS_WORD(word, words);
}

/** Text of a command line inside a word: `bash -c '...'`, `eval "..."`, `tmux send "..."`. */
static bool holds_command(const char *word)
{
	return strchr(word, ' ') &&
	       (strstr(word, "vllm serve") || strstr(word, "entrypoints.openai.api_server") ||
		strstr(word, "vllm-openai") || strstr(word, "vllm bench"));
}

static const struct shell_word *inner_shell(const struct shell_word *words, size_t count)
{
	bool is_run = false; /* `CMD="vllm serve"` alone runs nothing */

	for (size_t i = 0; i < count; i++) {
		is_run |= !launch_is_assignment(words[i].text) && !is_declaration(words[i].text);
		if (is_run && holds_command(words[i].text))
			return &words[i];
	}
	return NULL;
}

/** Add the launch that `words` from `start` on describe. */
static enum ss_status add_launch(struct launches *out, const struct shell_word *words, size_t count,
				 size_t start, size_t image, const struct launch_frame *frame,
				 struct ss_error *err)
{
	struct launch *launch = launches_add(out, frame);
	const char *comment = out->last_comment ? out->last_comment : "";

	if (!launch)
		return no_memory(err);
	if (!frame || !launch->line)
		launch->line = words[0].line;
	if (launch->role == LAUNCH_ALONE)
		launch->role = launch_role_of(comment);
	for (size_t i = 0; i < start && launch_is_assignment(words[i].text); i++) {
		if (!launch_settings_add(&launch->environment, words[i].text, words[i].line))
			return no_memory(err);
	}
	if (image < count) {
		free(launch->image);
		launch->image = strdup(words[image].text);
		if (!launch->image || !read_container(launch, words, image))
			return no_memory(err);
	}
	/* A slip that is seen often: the word stands twice. */
	if (start < count && start && !strcmp(words[start].text, "serve") &&
	    !strcmp(words[start - 1].text, "serve"))
		start++;
	launch->is_other_node |= is_further_node(words + start, count - start);
	for (size_t i = start; i < count; i++) {
		if (!launch_add_word(launch, words[i].text, words[i].line))
			return no_memory(err);
	}
	return SS_OK;
}

enum ss_status launches_take_words(struct launches *out, const struct shell_word *words,
				   size_t count, const struct launch_frame *frame,
				   struct ss_error *err)
{
	bool is_bench;
	size_t image = find_image(words, count), start = find_server(words, count, &is_bench);
	size_t first = image + 1;
	const struct shell_word *inner = inner_shell(words, count);
	struct launch_frame outer = { .name = "", .image = "" };
	enum ss_status rc;

	if (!count || is_talker(program_of(words, count)))
		return SS_OK;
	if (inner && start == SIZE_MAX) {
		if (!frame && image < count) {
			outer.image = words[image].text;
			frame = &outer;
		}
		return launches_read_shell(out, inner->text, strlen(inner->text), inner->line,
					   frame, err);
	}
	if (start == SIZE_MAX && image < count) {
		if (first >= count || launch_is_shell(words[first].text))
			return SS_OK;
		if (!launch_is_server_image(words[image].text) && words[first].text[0] != '-' &&
		    strcmp(words[first].text, "serve") != 0)
			return SS_OK;
		/* `IMAGE serve MODEL` where the entry point is the bare program */
		start = first + !strcmp(words[first].text, "serve");
	}
	if (start == SIZE_MAX)
		return SS_OK;
	rc = add_launch(out, words, count, start, image, frame, err);
	if (!rc)
		out->items[out->count - 1].is_benchmark = is_bench;
	return rc;
}
