#include "stepscope/registry.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/documents.h"
#include "documents/release.h"
#include "documents/json.h"
#include "documents/nearest.h"
#include "documents/read_files.h"
#include "documents/registry_derived.h"
#include "documents/registry_load.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { FILE_PATH_MAX = 4096 };

/* A loaded document. */
struct entry {
	struct entry *next;
	enum ss_document_kind kind;
	void *document;
	bool is_fallback; /* of a pack: every list taken as unknown */
	void *derived;    /* made from the document by a later layer, or NULL */
	void (*release)(void *derived);
	char name[];
};

struct ss_registry {
	char **roots;
	size_t root_count;
	ss_model_source_fn *model_source; /* reads what lies in no registry; may be NULL */
	struct entry *entries;
	struct entry *times; /* apart: threads may ask for them at once */
	struct read_files files;
	pthread_mutex_t times_lock;
};

/* clang-format off */
#define FOLDER_OF(id, name, folder) folder,
static const char *const folders[] = { SS_DOCUMENT_KINDS(FOLDER_OF) };

static const struct kind_row {
	const char *word;    /* what messages call it */
	const char *pointer; /* where a scenario names it */
} kinds[] = {
	[SS_DOCUMENT_SCENARIO] = { "scenario", "" },
	[SS_DOCUMENT_MODEL] = { "model", "/model" },
	[SS_DOCUMENT_COEFFICIENTS] = { "coefficient set", "/coefficients" },
	[SS_DOCUMENT_PACK] = { "engine pack", "/engine" },
	[SS_DOCUMENT_HARDWARE] = { "part", "/cluster/hardware" },
	[SS_DOCUMENT_NETWORK] = { "network", "/cluster/fabric" },
	[SS_DOCUMENT_STORAGE] = { "storage", "/cluster/storage" },
	[SS_DOCUMENT_WORKLOAD] = { "workload", "/workload/shape" },
	[SS_DOCUMENT_TIMES] = { "kernel times", "" },
	[SS_DOCUMENT_REVIEW] = { "review", "" },
	[SS_DOCUMENT_NAMES] = { "table of model names", "" },
};
/* clang-format on */

enum ss_status ss_registry_new(struct ss_registry **out, const char *const *roots,
			       size_t root_count, struct ss_error *err)
{
	struct ss_registry *registry = calloc(1, sizeof(*registry));

	if (!registry)
		return ss_fail(err, SS_ENOMEM, "", "out of memory");
	(void)pthread_mutex_init(&registry->times_lock, NULL);
	registry->roots = calloc(root_count + 1, sizeof(*registry->roots));
	for (size_t i = 0; registry->roots && i < root_count; i++) {
		registry->roots[i] = strdup(roots[i]);
		if (!registry->roots[i])
			break;
		registry->root_count++;
	}
	if (registry->root_count < root_count || !registry->roots) {
		ss_registry_free(registry);
		return ss_fail(err, SS_ENOMEM, "", "out of memory");
	}
	*out = registry;
	return SS_OK;
}

static void entries_free(struct entry *entry)
{
	while (entry) {
		struct entry *next = entry->next;

		if (entry->derived)
			entry->release(entry->derived);
		document_free(entry->kind, entry->document);
		free(entry);
		entry = next;
	}
}

void ss_registry_forget(struct ss_registry *registry)
{
	entries_free(registry->entries);
	entries_free(registry->times);
	registry->entries = registry->times = NULL;
	read_files_release(&registry->files);
}

static struct entry *entry_of(const struct ss_registry *registry, const void *document)
{
	struct entry *entry = registry->entries;

	while (entry && entry->document != document)
		entry = entry->next;
	return entry;
}

void *registry_derived(const struct ss_registry *registry, const void *document)
{
	const struct entry *entry = entry_of(registry, document);

	return entry ? entry->derived : NULL;
}

bool registry_keep_derived(struct ss_registry *registry, const void *document, void *derived,
			   void (*release)(void *derived))
{
	struct entry *entry = entry_of(registry, document);

	if (!entry || entry->derived)
		return false;
	entry->derived = derived;
	entry->release = release;
	return true;
}

void ss_registry_free(struct ss_registry *registry)
{
	if (!registry)
		return;
	ss_registry_forget(registry);
	(void)pthread_mutex_destroy(&registry->times_lock);
	for (size_t i = 0; i < registry->root_count; i++)
		free(registry->roots[i]);
	free(registry->roots);
	free(registry);
}

enum ss_status ss_registry_again(struct ss_registry **out, const struct ss_registry *registry,
				 struct ss_error *err)
{
	enum ss_status rc = ss_registry_new(out, (const char *const *)registry->roots,
					    registry->root_count, err);

	if (!rc)
		(*out)->model_source = registry->model_source;
	return rc;
}

void ss_registry_set_model_source(struct ss_registry *registry, ss_model_source_fn *source)
{
	registry->model_source = source;
}

char *registry_read_model(struct ss_registry *registry, const char *name, bool *is_source,
			  struct ss_problems *problems)
{
	*is_source = false;
	return registry->model_source ? registry->model_source(registry, name, is_source, problems)
				      : NULL;
}

/** One that cannot be looked at counts as there: reading it says why. */
static bool is_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode);
	return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG && errno != ELOOP;
}

char *ss_registry_file(const struct ss_registry *registry, const char *path)
{
	for (size_t i = 0; i < registry->root_count; i++) {
		size_t size = strlen(registry->roots[i]) + strlen(path) + 2;
		char *file = malloc(size);

		if (!file)
			return NULL;
		(void)snprintf(file, size, "%s/%s", registry->roots[i], path);
		if (is_file(file))
			return file;
		free(file);
	}
	return NULL;
}

static bool file_of_root(const struct ss_registry *registry, size_t root,
			 enum ss_document_kind kind, const char *name, char *path, size_t size)
{
	int n = snprintf(path, size, "%s/%s%s%s.json", registry->roots[root], folders[kind],
			 folders[kind][0] ? "/" : "", name);

	return n > 0 && (size_t)n < size && is_file(path);
}

/* The first root's file of that name. */
static bool find_file(const struct ss_registry *registry, enum ss_document_kind kind,
		      const char *name, char *path, size_t size)
{
	for (size_t i = 0; i < registry->root_count; i++)
		if (file_of_root(registry, i, kind, name, path, size))
			return true;
	return false;
}

static void report_missing(struct ss_registry *registry, enum ss_document_kind kind,
			   const char *name, struct ss_problems *problems)
{
	char **names = NULL;
	size_t count = 0, used = 0;
	char list[760] = "";
	const char *near = NULL;

	if (ss_registry_names(registry, kind, &names, &count) == SS_OK)
		near = ss_closest_word(name, (const char *const *)names, count);
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (used + length + 24 > sizeof(list)) {
			(void)snprintf(list + used, sizeof(list) - used, " and %zu more",
				       count - i);
			break;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 names[i]);
	}
	(void)ss_problems_add(problems, SS_ERROR, "unknown-name", "", kinds[kind].pointer,
			      "no %s \"%.80s\" in the registry; %s%s%sthere is: %s",
			      kinds[kind].word, name, near ? "did you mean \"" : "",
			      near ? near : "", near ? "\"? " : "", count ? list : "none");
	ss_names_free(names, count);
}

static struct entry *find_entry(const struct ss_registry *registry, enum ss_document_kind kind,
				const char *name, bool is_fallback)
{
	for (struct entry *entry = registry->entries; entry; entry = entry->next)
		if (entry->kind == kind && entry->is_fallback == is_fallback &&
		    strcmp(entry->name, name) == 0)
			return entry;
	return NULL;
}

/* Holds the document, or frees it when there is no memory to. */
static struct entry *entry_new(enum ss_document_kind kind, const char *name, bool is_fallback,
			       void *document, struct ss_problems *problems)
{
	size_t size = strlen(name) + 1;
	struct entry *entry = calloc(1, sizeof(*entry) + size);

	if (!entry) {
		document_free(kind, document);
		(void)ss_problems_add(problems, SS_ERROR, "memory", "", "", "out of memory");
		return NULL;
	}
	memcpy(entry->name, name, size);
	entry->kind = kind;
	entry->is_fallback = is_fallback;
	entry->document = document;
	return entry;
}

static struct entry *keep(struct ss_registry *registry, enum ss_document_kind kind,
			  const char *name, bool is_fallback, void *document,
			  struct ss_problems *problems)
{
	struct entry *entry = entry_new(kind, name, is_fallback, document, problems);

	if (!entry)
		return NULL;
	entry->next = registry->entries;
	registry->entries = entry;
	return entry;
}

/* Remembers a file that was read; `text` is taken over. */
static bool keep_file(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		      char *text, size_t length, struct ss_problems *problems)
{
	if (text && read_files_add(&registry->files, kind, name, text, length))
		return true;
	(void)ss_problems_add(problems, SS_ERROR, "memory", "", "", "out of memory");
	return false;
}

static void *load_file(struct ss_registry *registry, enum ss_document_kind kind, const char *path,
		       const char *name, struct ss_problems *problems)
{
	const char *stem = folders[kind][0] ? name : NULL;
	size_t length = 0;
	char *text = json_read_file(path, &length, problems);
	cJSON *root = text ? json_parse(text, length, path, problems) : NULL;
	void *document = root ? document_read(kind, root, path, stem, problems) : NULL;

	cJSON_Delete(root);
	if (!document) {
		free(text);
		return NULL;
	}
	if (!keep_file(registry, kind, name, text, length, problems)) {
		document_free(kind, document);
		document = NULL;
	}
	return document;
}

bool registry_has(const struct ss_registry *registry, enum ss_document_kind kind, const char *name)
{
	char path[FILE_PATH_MAX];

	return find_entry(registry, kind, name, false) ||
	       (is_plain_name(name) && find_file(registry, kind, name, path, sizeof(path)));
}

void *registry_load_as(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		       const char *asked, struct ss_problems *problems)
{
	struct entry *entry = find_entry(registry, kind, asked, false);
	char path[FILE_PATH_MAX];
	void *document;

	if (entry)
		return entry->document;
	if (!find_file(registry, kind, name, path, sizeof(path))) {
		report_missing(registry, kind, name, problems);
		return NULL;
	}
	document = load_file(registry, kind, path, name, problems);
	entry = document ? keep(registry, kind, asked, false, document, problems) : NULL;
	return entry ? entry->document : NULL;
}

void *registry_keep_text(struct ss_registry *registry, enum ss_document_kind kind,
			 const char *asked, const char *json, struct ss_problems *problems)
{
	cJSON *root = json_parse(json, strlen(json), asked, problems);
	void *document = root ? document_read(kind, root, asked, NULL, problems) : NULL;
	struct entry *entry;

	cJSON_Delete(root);
	if (document && !keep_file(registry, kind, asked, strdup(json), strlen(json), problems)) {
		document_free(kind, document);
		return NULL;
	}
	entry = document ? keep(registry, kind, asked, false, document, problems) : NULL;
	return entry ? entry->document : NULL;
}

static void *load(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		  bool is_fallback, struct ss_problems *problems)
{
	struct entry *entry = find_entry(registry, kind, name, is_fallback);
	char path[FILE_PATH_MAX];
	void *document;

	if (entry)
		return entry->document;
	if (!is_plain_name(name)) {
		(void)ss_problems_add(
			problems, SS_ERROR, "unknown-name", "", kinds[kind].pointer,
			"found \"%.80s\", the name of a %s must be plain, without '/'", name,
			kinds[kind].word);
		return NULL;
	}
	if (!find_file(registry, kind, name, path, sizeof(path))) {
		report_missing(registry, kind, name, problems);
		return NULL;
	}
	document = load_file(registry, kind, path, name, problems);
	if (!document)
		return NULL;
	entry = keep(registry, kind, name, is_fallback, document, problems);
	return entry ? entry->document : NULL;
}

void *registry_load(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		    struct ss_problems *problems)
{
	return load(registry, kind, name, false, problems);
}

const struct ss_part *ss_registry_part(struct ss_registry *registry, const char *name,
				       struct ss_problems *problems)
{
	return load(registry, SS_DOCUMENT_HARDWARE, name, false, problems);
}

const struct ss_network *ss_registry_network(struct ss_registry *registry, const char *name,
					     struct ss_problems *problems)
{
	return load(registry, SS_DOCUMENT_NETWORK, name, false, problems);
}

/* Rows are names too: those of the first root, then what the others add. */
static bool join(enum ss_document_kind kind, void *into, const void *more)
{
	return kind == SS_DOCUMENT_NAMES ? model_names_add(into, more) : storage_add(into, more);
}

/* NULL with `*is_wrong` false when no root has one. */
static void *load_joined(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
			 bool *is_wrong, struct ss_problems *problems)
{
	void *document = NULL;
	char path[FILE_PATH_MAX];

	*is_wrong = false;
	for (size_t i = 0; i < registry->root_count && !*is_wrong; i++) {
		void *more;

		if (!file_of_root(registry, i, kind, name, path, sizeof(path)))
			continue;
		more = load_file(registry, kind, path, name, problems);
		if (!more || (document && !join(kind, document, more)))
			*is_wrong = true;
		if (!*is_wrong && !document) {
			document = more;
			continue;
		}
		document_free(kind, more);
	}
	if (*is_wrong) {
		document_free(kind, document);
		return NULL;
	}
	return document;
}

void *registry_joined(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		      struct ss_problems *problems)
{
	struct entry *entry = find_entry(registry, kind, "", false);
	bool is_wrong;
	void *document;

	if (entry)
		return entry->document;
	document = load_joined(registry, kind, name, &is_wrong, problems);
	if (!document && !is_wrong && *kinds[kind].pointer)
		(void)ss_problems_add(problems, SS_ERROR, "unknown-name", "", kinds[kind].pointer,
				      "no %s.json in the registry, which would hold the classes",
				      name);
	entry = document ? keep(registry, kind, "", false, document, problems) : NULL;
	return entry ? entry->document : NULL;
}

const struct ss_storage *ss_registry_storage(struct ss_registry *registry,
					     struct ss_problems *problems)
{
	return registry_joined(registry, SS_DOCUMENT_STORAGE, "storage", problems);
}

const struct ss_workload_shape *ss_registry_workload(struct ss_registry *registry, const char *name,
						     struct ss_problems *problems)
{
	return load(registry, SS_DOCUMENT_WORKLOAD, name, false, problems);
}

const struct ss_coefficient_set *ss_registry_coefficients(struct ss_registry *registry,
							  const char *name,
							  struct ss_problems *problems)
{
	return load(registry, SS_DOCUMENT_COEFFICIENTS, name, false, problems);
}

static const struct ss_times *load_times(struct ss_registry *registry, const char *name,
					 struct ss_problems *problems)
{
	struct entry *entry = registry->times;
	char path[FILE_PATH_MAX];
	void *document = NULL;

	while (entry && strcmp(entry->name, name) != 0)
		entry = entry->next;
	if (entry)
		return entry->document;
	if (is_plain_name(name) &&
	    find_file(registry, SS_DOCUMENT_TIMES, name, path, sizeof(path))) {
		document = load_file(registry, SS_DOCUMENT_TIMES, path, name, problems);
		/* said anew each time it is asked for */
		if (!document)
			return NULL;
	}
	/* what is not there is kept too, not looked for again */
	entry = entry_new(SS_DOCUMENT_TIMES, name, false, document, problems);
	if (!entry)
		return NULL;
	entry->next = registry->times;
	registry->times = entry;
	return document;
}

const struct ss_times *ss_registry_times(struct ss_registry *registry, const char *name,
					 struct ss_problems *problems)
{
	const struct ss_times *times;

	(void)pthread_mutex_lock(&registry->times_lock);
	times = load_times(registry, name, problems);
	(void)pthread_mutex_unlock(&registry->times_lock);
	return times;
}

/* The pack of the release whose rules hold for this one too. */
static struct ss_pack *with_rules(struct ss_registry *registry, struct ss_pack *pack,
				  struct ss_problems *problems)
{
	char name[FILE_PATH_MAX];

	if (!pack || pack->rules_pack || !*pack->rules_of)
		return pack;
	if (strcmp(pack->rules_of, pack->version) == 0 ||
	    snprintf(name, sizeof(name), "%s-%s", pack->name, pack->rules_of) >= (int)sizeof(name))
		return pack;
	pack->rules_pack = load(registry, SS_DOCUMENT_PACK, name, false, problems);
	return pack->rules_pack ? pack : NULL;
}

/* Name of the pack whose release is nearest. */
static bool nearest_pack(struct ss_registry *registry, const char *engine, const char *version,
			 char *name, size_t size)
{
	char **names = NULL;
	size_t count = 0;
	const char *release = NULL;

	if (ss_registry_names(registry, SS_DOCUMENT_PACK, &names, &count) == SS_OK)
		release = release_nearest(names, count, engine, version);
	if (release)
		(void)snprintf(name, size, "%.400s-%s", engine, release);
	ss_names_free(names, count);
	return release != NULL;
}

const struct ss_pack *ss_registry_pack(struct ss_registry *registry, const char *engine,
				       const char *version, bool *is_fallback,
				       struct ss_problems *problems)
{
	char name[FILE_PATH_MAX], path[FILE_PATH_MAX];
	struct ss_pack *pack;
	int n = snprintf(name, sizeof(name), "%s-%s", engine, version);

	*is_fallback = false;
	if (n < 0 || (size_t)n >= sizeof(name) || !is_plain_name(name)) {
		(void)ss_problems_add(problems, SS_ERROR, "unknown-name", "", "/engine_version",
				      "found \"%.80s\", an engine's release must be plain, without "
				      "'/'",
				      name);
		return NULL;
	}
	if (find_file(registry, SS_DOCUMENT_PACK, name, path, sizeof(path)))
		return with_rules(registry, load(registry, SS_DOCUMENT_PACK, name, false, problems),
				  problems);
	if (!nearest_pack(registry, engine, version, name, sizeof(name))) {
		(void)snprintf(name, sizeof(name), "%.400s-%.400s", engine, version);
		report_missing(registry, SS_DOCUMENT_PACK, name, problems);
		return NULL;
	}
	pack = with_rules(registry, load(registry, SS_DOCUMENT_PACK, name, true, problems),
			  problems);
	if (!pack)
		return NULL;
	for (size_t i = 0; i < SS_LIST_COUNT; i++)
		pack->lists[i] = (struct ss_list){ 0 };
	*is_fallback = true;
	(void)ss_problems_add(problems, SS_WARNING, "engine-version-known", "", "/engine_version",
			      "no engine pack for %s %s; taken as %s, the nearest there is, with "
			      "names unchecked",
			      engine, version, pack->version);
	return pack;
}

size_t ss_registry_documents(const struct ss_registry *registry, struct ss_document *out,
			     size_t capacity)
{
	return read_files_list(&registry->files, out, capacity);
}

struct names {
	char **items;
	size_t count;
	bool is_out_of_memory;
};

static void add_name(struct names *names, const char *name, size_t length)
{
	size_t capacity = names->count ? names->count * 2 : 16;
	char **items = names->items;

	if (!(names->count & (names->count - 1)) && (names->count >= 16 || !names->count))
		items = realloc(names->items, capacity * sizeof(*items));
	if (items)
		names->items = items;
	if (!items || !(items[names->count] = strndup(name, length)))
		names->is_out_of_memory = true;
	else
		names->count++;
}

static void list_folder(struct names *names, const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *file;

	if (!folder)
		return;
	while ((file = readdir(folder))) {
		size_t length = strlen(file->d_name);

		if (length > 5 && file->d_name[0] != '.' &&
		    strcmp(file->d_name + length - 5, ".json") == 0 &&
		    (length <= 12 || strcmp(file->d_name + length - 12, ".review.json") != 0))
			add_name(names, file->d_name, length - 5);
	}
	(void)closedir(folder);
}

static void list_classes(struct ss_registry *registry, struct names *names)
{
	const struct ss_storage *storage = ss_registry_storage(registry, NULL);

	for (size_t i = 0; storage && i < storage->count; i++)
		add_name(names, storage->classes[i].name, strlen(storage->classes[i].name));
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In order, and each once: a name may lie in several roots. */
static void sort_names(struct names *names)
{
	size_t kept = 0;

	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), name_order);
	for (size_t i = 0; i < names->count; i++) {
		if (kept && strcmp(names->items[kept - 1], names->items[i]) == 0)
			free(names->items[i]);
		else
			names->items[kept++] = names->items[i];
	}
	names->count = kept;
}

enum ss_status ss_registry_names(struct ss_registry *registry, enum ss_document_kind kind,
				 char ***out, size_t *count)
{
	struct names names = { NULL, 0, false };

	if (kind == SS_DOCUMENT_STORAGE)
		list_classes(registry, &names);
	for (size_t i = 0; i < registry->root_count && folders[kind][0]; i++) {
		/* Scenarios lie beside a source tree's registry, or inside one. */
		const char *const places[] = { "", "../" };
		char path[FILE_PATH_MAX];

		for (size_t j = 0; j < (kind == SS_DOCUMENT_SCENARIO ? 2u : 1u); j++) {
			int n = snprintf(path, sizeof(path), "%s/%s%s", registry->roots[i],
					 places[j], folders[kind]);

			if (n > 0 && (size_t)n < sizeof(path))
				list_folder(&names, path);
		}
	}
	if (names.is_out_of_memory) {
		ss_names_free(names.items, names.count);
		return SS_ENOMEM;
	}
	sort_names(&names);
	*out = names.items;
	*count = names.count;
	return SS_OK;
}

void ss_names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
