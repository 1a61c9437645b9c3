#include "cli/registry_version.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/store.h"
#include "case/roots.h"
#include "case/session.h"
#include "report/json.h"
#include "stepscope/registry.h"
#include "text/words.h"

enum { FILES_MOST = 10000, DEPTH_MOST = 8 };

struct files {
	char **names; /* below the root */
	size_t count;
};

/* -- the hash ------------------------------------------------------------------------- */

/** Documents alone: what an editor leaves behind is none. */
static bool is_document(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 &&
	       (!strcmp(name + len - 5, ".json") || !strcmp(name + len - 4, ".csv"));
}

static void gather(struct files *files, const char *root, const char *below, int depth)
{
	struct xbuf path = { 0 };
	DIR *folder;
	const struct dirent *item;
	struct stat info;

	xbuf_printf(&path, "%s/%s", root, below);
	folder = depth < DEPTH_MOST ? opendir(xbuf_text(&path)) : NULL;
	while (folder && (item = readdir(folder)) && files->count < FILES_MOST) {
		struct xbuf name = { 0 };

		if (item->d_name[0] == '.')
			continue;
		xbuf_printf(&name, "%s%s%s", below, *below ? "/" : "", item->d_name);
		path.len = 0;
		xbuf_printf(&path, "%s/%s", root, xbuf_text(&name));
		if (!stat(xbuf_text(&path), &info) && S_ISDIR(info.st_mode)) {
			gather(files, root, xbuf_text(&name), depth + 1);
		} else if (S_ISREG(info.st_mode) && is_document(item->d_name)) {
			files->names = xrealloc(files->names, files->count + 1, sizeof(char *));
			files->names[files->count++] = xstrdup(xbuf_text(&name));
		}
		xbuf_release(&name);
	}
	if (folder)
		(void)closedir(folder);
	xbuf_release(&path);
}

static int by_name(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

/** That of the list `sha256sum` prints of the documents, in order of their names. */
static void hash_of(char out[SS_SHA256_SIZE], const char *root)
{
	struct files files = { 0 };
	struct xbuf list = { 0 }, path = { 0 }, text = { 0 };
	struct ss_error err = { 0 };
	char one[SS_SHA256_SIZE];

	gather(&files, root, "", 0);
	if (files.count)
		qsort(files.names, files.count, sizeof(char *), by_name);
	for (size_t i = 0; i < files.count; i++) {
		path.len = text.len = 0;
		xbuf_printf(&path, "%s/%s", root, files.names[i]);
		if (store_read(xbuf_text(&path), &text, &err))
			text.len = 0;
		ss_sha256(one, xbuf_text(&text), text.len);
		xbuf_printf(&list, "%s  %s\n", one, files.names[i]);
	}
	ss_sha256(out, xbuf_text(&list), list.len);
	names_free(files.names, files.count);
	xbuf_release(&list);
	xbuf_release(&path);
	xbuf_release(&text);
}

/* -- the table ------------------------------------------------------------------------ */

/** The first root that is a folder; NULL when none is. Borrowed. */
static const char *first_root(const struct roots *roots)
{
	struct stat info;

	for (size_t i = 0; i < roots->count; i++)
		if (!stat(roots->items[i], &info) && S_ISDIR(info.st_mode))
			return roots->items[i];
	return NULL;
}

/** The version of one root alone; another's would say nothing of these documents. */
static void say_version(struct xbuf *out, const char *root)
{
	struct ss_registry_releases releases = { 0 };
	struct ss_problems problems = { 0 };
	struct ss_registry *registry = NULL;
	struct ss_error err = { 0 };

	if (!ss_registry_new(&registry, &root, 1, &err) &&
	    !ss_registry_releases(registry, &releases, &problems) && releases.count)
		xbuf_printf(out, "registry %s of %s", releases.items[0].version,
			    releases.items[0].date);
	else
		xbuf_puts(out, "registry without a version");
	ss_registry_releases_release(&releases);
	ss_problems_release(&problems);
	ss_registry_free(registry);
}

void registry_version_say(struct xbuf *out, const char *registry)
{
	struct roots roots;
	char hash[SS_SHA256_SIZE];
	const char *root;

	roots_find(&roots, registry);
	root = first_root(&roots);
	if (root) {
		hash_of(hash, root);
		say_version(out, root);
		xbuf_printf(out, ", sha256 %.16s, in %s\n", hash, root);
	} else {
		xbuf_puts(out, "no registry\n");
	}
	roots_release(&roots);
}

static cJSON *put_releases(struct doc *doc, const struct ss_registry_releases *releases)
{
	static const struct column columns[] = {
		{ "version", "version", false },
		{ "date", "date", false },
		{ "what it brought", "what", false },
	};
	cJSON *items = json_array();

	doc_table(doc, columns, 3, true);
	for (size_t i = 0; i < releases->count; i++) {
		const struct ss_registry_release *release = &releases->items[i];
		cJSON *o = json_object();

		doc_cell(doc, MARK_NONE, release->version);
		doc_cell(doc, MARK_NONE, release->date);
		doc_cell(doc, MARK_DIM, release->what);
		json_put_text(o, "version", release->version);
		json_put_text(o, "date", release->date);
		json_put_text(o, "what", release->what);
		json_put(items, NULL, o);
	}
	return items;
}

int list_registry(struct batch *batch, const struct session *session)
{
	struct ss_registry_releases releases;
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	enum ss_status rc = ss_registry_releases(session->registry, &releases, &problems);
	struct doc *doc;
	cJSON *root;
	int status;

	if (rc) {
		status = batch_fail(batch, rc, &problems, &err);
		ss_problems_release(&problems);
		return status;
	}
	doc = doc_new();
	root = json_object();
	json_put_count(root, "format", 1);
	json_put(root, "registry", put_releases(doc, &releases));
	if (batch_is_json(batch)) {
		doc_free(doc);
		status = batch_print_json(batch, root);
	} else {
		cJSON_Delete(root);
		status = batch_print(batch, doc);
	}
	ss_registry_releases_release(&releases);
	ss_problems_release(&problems);
	return status;
}
