#include "import/import_source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import/import_blis.h"
#include "import/import_log.h"
#include "import/launches.h"

#define SIZE_LIMIT ((size_t)64 * 1024 * 1024)

static char *read_stream(FILE *f, const char *path, size_t *length, struct ss_error *err)
{
	size_t capacity = 65536, used = 0, got;
	char *text = malloc(capacity);

	if (!text) {
		ss_fail(err, SS_ENOMEM, path, "out of memory");
		return NULL;
	}
	while ((got = fread(text + used, 1, capacity - used - 1, f)) > 0) {
		used += got;
		if (used > SIZE_LIMIT) {
			free(text);
			ss_fail(err, SS_EDOCUMENT, path, "larger than 64 MiB");
			return NULL;
		}
		if (capacity - used < 2) {
			char *grown = realloc(text, capacity * 2);

			if (!grown) {
				free(text);
				ss_fail(err, SS_ENOMEM, path, "out of memory");
				return NULL;
			}
			text = grown;
			capacity *= 2;
		}
	}
	if (ferror(f)) {
		free(text);
		ss_fail(err, SS_EIO, path, "%s", strerror(errno));
		return NULL;
	}
	text[used] = '\0';
	*length = used;
	return text;
}

char *source_read(const char *path, size_t *length, struct ss_error *err)
{
	FILE *f;
	char *text;

	if (!strcmp(path, "-"))
		return read_stream(stdin, path, length, err);
	f = fopen(path, "rb");
	if (!f) {
		ss_fail(err, SS_EIO, path, "%s", strerror(errno));
		return NULL;
	}
	text = read_stream(f, path, length, err);
	fclose(f);
	return text;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

/** `key:` or `- ` at the start of a line, ahead of anything that is no comment. */
static bool starts_like_yaml(const char *text)
{
	size_t n;

	while (*text) {
		text += strspn(text, " \t\r\n");
		if (*text == '#') {
			text += strcspn(text, "\n");
			continue;
		}
		if (!strncmp(text, "---", 3) || !strncmp(text, "%YAML", 5) ||
		    !strncmp(text, "- ", 2))
			return true;
		n = strcspn(text, ": \t\r\n'\"$=/");
		return n && text[n] == ':' &&
		       (text[n + 1] == ' ' || isspace((unsigned char)text[n + 1]));
	}
	return false;
}

/** YAML is a catalogue's when it reads as one, whatever the file is called. */
static bool is_catalogue(const char *text, size_t length)
{
	struct tree_documents documents = { 0 };
	struct ss_error ignored = { 0 };
	bool is_one = false;

	if (tree_parse(&documents, text, length, &ignored))
		return false;
	for (size_t i = 0; i < documents.count; i++)
		is_one |= blis_looks_like(&documents.items[i]);
	tree_release(&documents);
	return is_one;
}

/** Markdown that shows a command and some lines it prints, and no start-up of its own. */
static bool is_guide(const char *text)
{
	return strstr(text, "```") && strstr(text, "vllm serve ") &&
	       !strstr(text, "non-default args: ") && !strstr(text, "LLM engine (v");
}

enum source_kind source_kind_of(const char *path, const char *text, size_t length)
{
	bool is_yaml = has_suffix(path, ".yaml") || has_suffix(path, ".yml");
	const char *start = text + strspn(text, " \t\r\n");
	/* `[Service]` begins a unit of systemd. */
	bool is_json = *start == '{' || (*start == '[' && !isalpha((unsigned char)start[1]));

	if (is_json)
		return !is_yaml && !launches_are_yaml(text, length) ? SOURCE_JSON : SOURCE_COMMAND;
	/* A file that is no text is judged as a log, which says so. */
	if (memchr(text, '\0', length))
		return is_yaml ? SOURCE_YAML : SOURCE_LOG;
	if (is_yaml || starts_like_yaml(text)) {
		if (is_catalogue(text, length))
			return SOURCE_YAML;
		if (launches_are_yaml(text, length))
			return SOURCE_COMMAND;
		/* A name that says YAML: its reader says what is wrong with it. */
		if (is_yaml && !strstr(text, "vllm serve"))
			return SOURCE_YAML;
	}
	return serve_log_is(text, length) && !is_guide(text) ? SOURCE_LOG : SOURCE_COMMAND;
}

static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static enum ss_status add_file(struct sources *out, const char *path, struct ss_error *err)
{
	struct source source = { 0 };

	if (out->count == out->capacity) {
		size_t capacity = out->capacity ? out->capacity * 2 : 8;
		struct source *grown = realloc(out->items, capacity * sizeof(*grown));

		if (!grown)
			return ss_fail(err, SS_ENOMEM, path, "out of memory");
		out->items = grown;
		out->capacity = capacity;
	}
	source.text = source_read(path, &source.length, err);
	if (!source.text)
		return err->status;
	source.path = strdup(path);
	source.stem = stem_of(path);
	source.kind = source_kind_of(path, source.text, source.length);
	out->items[out->count++] = source;
	return source.path && source.stem ? SS_OK : ss_fail(err, SS_ENOMEM, path, "out of memory");
}

/** What a catalogue and a registry keep where; `graph.yaml` lies one folder deeper. */
static bool is_document(const char *folder, const char *name)
{
	static const char *const folders[] = { "hardware",   "networks",     "devices",
					       "workloads",  "coefficients", "scenarios",
					       "deployments" };

	if (!has_suffix(name, ".yaml") && !has_suffix(name, ".yml"))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (!strcmp(folder, folders[i]))
			return true;
	}
	return !strcmp(folder, "models") && !strcmp(name, "graph.yaml");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum ss_status walk(struct sources *out, const char *path, const char *section, int depth,
			   struct ss_error *err);

/** Names in a folder, sorted, so that what is imported comes in one order. */
static enum ss_status list_folder(char ***names, size_t *count, const char *path,
				  struct ss_error *err)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	enum ss_status rc = SS_OK;

	if (!folder)
		return ss_fail(err, SS_EIO, path, "%s", strerror(errno));
	while (!rc && (entry = readdir(folder))) {
		char **grown;

		if (entry->d_name[0] == '.')
			continue;
		grown = realloc(*names, (*count + 1) * sizeof(*grown));
		if (grown) {
			*names = grown;
			grown[*count] = strdup(entry->d_name);
		}
		if (!grown || !grown[*count])
			rc = ss_fail(err, SS_ENOMEM, path, "out of memory");
		else
			++*count;
	}
	closedir(folder);
	if (*count)
		qsort(*names, *count, sizeof(**names), by_name);
	return rc;
}

/** `section` is the folder that says what lies in it; depth 0 is the root itself. */
static enum ss_status walk(struct sources *out, const char *path, const char *section, int depth,
			   struct ss_error *err)
{
	char **names = NULL;
	size_t count = 0;
	enum ss_status rc = list_folder(&names, &count, path, err);

	for (size_t i = 0; i < count && !rc; i++) {
		char full[4096];
		struct stat info;
		int n = snprintf(full, sizeof(full), "%s/%s", path, names[i]);

		if (n < 0 || (size_t)n >= sizeof(full) || stat(full, &info))
			continue;
		if (S_ISDIR(info.st_mode) && depth < 3)
			rc = walk(out, full,
				  depth == 1 && !strcmp(section, "models") ? section : names[i],
				  depth + 1, err);
		else if (S_ISREG(info.st_mode) && is_document(section, names[i]))
			rc = add_file(out, full, err);
	}
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return rc;
}

enum ss_status sources_add(struct sources *out, const char *path, struct ss_error *err)
{
	struct stat info;
	size_t before = out->count;
	char config[4096];
	int n;
	enum ss_status rc;

	if (!strcmp(path, "-") || stat(path, &info) || !S_ISDIR(info.st_mode))
		return add_file(out, path, err);
	/* A checkpoint's folder is its configuration and what lies beside it. */
	n = snprintf(config, sizeof(config), "%s%sconfig.json", path,
		     *path && path[strlen(path) - 1] == '/' ? "" : "/");
	if (n > 0 && (size_t)n < sizeof(config) && !stat(config, &info))
		return add_file(out, config, err);
	rc = walk(out, path, "", 0, err);
	if (!rc && out->count == before)
		return ss_fail(err, SS_EIO, path,
			       "no YAML under hardware, networks, devices, workloads, "
			       "coefficients or models/*/graph.yaml");
	return rc;
}

void sources_release(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->items[i].path);
		free(sources->items[i].stem);
		free(sources->items[i].text);
	}
	free(sources->items);
	*sources = (struct sources){ 0 };
}

void source_graph_name(char *out, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t end = slash ? (size_t)(slash - path) : 0, start;

	/* A graph's file carries its own name; `config.json` lies in a folder that does. */
	if (strcmp(slash ? slash + 1 : path, "config.json") != 0) {
		char *stem = stem_of(path);

		snprintf(out, size, "%s", stem && strcmp(path, "-") ? stem : "");
		free(stem);
	} else {
		for (start = end; start && path[start - 1] != '/'; start--)
			;
		snprintf(out, size, "%.*s", (int)(end - start), path + start);
	}
	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!strcmp(out, ".") || !strcmp(out, ".."))
		out[0] = '\0';
}
