#include "case/roots.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case/review.h"
#include "text/xbuf.h"

static bool is_folder(const char *path)
{
	struct stat info;

	return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool is_there(const char *path)
{
	struct stat info;

	return !stat(path, &info);
}

static char *join(const char *a, const char *b, const char *c)
{
	struct xbuf path = { 0 };

	xbuf_printf(&path, "%s%s%s", a, b, c);
	return path.data;
}

static char *scenarios_beside(const char *root);

/** Take `path` over; it is kept when it, or the scenarios beside it, are not yet listed. */
static void add_root(struct roots *roots, char *path)
{
	char *scenarios = path ? scenarios_beside(path) : NULL;
	bool is_new = path && (is_folder(path) || is_folder(scenarios));

	free(scenarios);
	for (size_t i = 0; is_new && i < roots->count; i++)
		is_new = strcmp(roots->items[i], path) != 0;
	if (is_new)
		roots->items[roots->count++] = path;
	else
		free(path);
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/** Folders above this one that may be the source tree: a build folder lies in it. */
#define TREE_DEPTH 6

/** The registry of the source tree that the program is run in or below. */
static void add_source_tree(struct roots *roots)
{
	char above[3 * TREE_DEPTH + 1] = "";

	for (int depth = 0; depth < TREE_DEPTH; depth++) {
		char *configure = join(above, "configure.ac", "");
		char *program = join(above, "src/main.c", "");
		bool is_tree = is_there(configure) && is_there(program);

		free(configure);
		free(program);
		if (is_tree) {
			add_root(roots, join(above, "registry", ""));
			return;
		}
		memcpy(above + strlen(above), "../", 4);
	}
}

/** The data that an unpacked folder has: `share` beside the folder of the program. */
static void add_beside_program(struct roots *roots)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	/* Without /proc, as it was started. */
	if (length <= 0 && getauxval(AT_EXECFN))
		length = snprintf(path, sizeof(path), "%s", (const char *)getauxval(AT_EXECFN));
	if (length >= (ssize_t)sizeof(path))
		return;

	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length <= 1)
		return;
	path[length] = '\0';
	add_root(roots, join(path, "../share/stepscope/registry", ""));
}

void roots_find(struct roots *out, const char *registry)
{
	const char *stated = setting("STEPSCOPE_REGISTRY");
	const char *data = setting("XDG_DATA_HOME");
	const char *home = setting("HOME");

	*out = (struct roots){ 0 };
	if (registry)
		add_root(out, xstrdup(registry));
	if (stated)
		add_root(out, xstrdup(stated));
	add_source_tree(out);
	if (data)
		add_root(out, join(data, "/stepscope/registry", ""));
	else if (home)
		add_root(out, join(home, "/.local/share/stepscope/registry", ""));
	add_beside_program(out);
	add_root(out, xstrdup(PKGDATADIR "/registry"));
}

void roots_release(struct roots *roots)
{
	for (size_t i = 0; i < roots->count; i++)
		free(roots->items[i]);
	*roots = (struct roots){ 0 };
}

/** The scenarios beside a root: its sibling folder. */
static char *scenarios_beside(const char *root)
{
	struct xbuf path = { 0 };
	size_t len = strlen(root);

	while (len > 1 && root[len - 1] == '/')
		len--;
	/* `x/registry` has `x/scenarios` beside it; any other name is left by `..`. */
	if (len >= 8 && !memcmp(root + len - 8, "registry", 8) &&
	    (len == 8 || root[len - 9] == '/'))
		xbuf_add(&path, root, len - 8);
	else
		xbuf_printf(&path, "%.*s/../", (int)len, root);
	xbuf_puts(&path, "scenarios");
	return path.data;
}

/** NAME with `ending` in `folder` (or "") of the scenarios of the first root that has it. */
static char *find(const struct roots *roots, const char *name, const char *folder_in,
		  const char *ending)
{
	struct stat info;

	if (strchr(name, '/') || (!stat(name, &info) && S_ISREG(info.st_mode)))
		return xstrdup(name);
	for (size_t i = 0; i < roots->count; i++) {
		char *folder = scenarios_beside(roots->items[i]);
		struct xbuf path = { 0 };

		xbuf_printf(&path, "%s/%s%s%s", folder, folder_in, name, ending);
		free(folder);
		/* A pipe would be waited for. */
		if (!stat(path.data, &info) && S_ISREG(info.st_mode))
			return path.data;
		xbuf_release(&path);
	}
	return NULL;
}

char *roots_scenario(const struct roots *roots, const char *name)
{
	return find(roots, name, "", ".json");
}

char *roots_tour(const struct roots *roots, const char *name)
{
	return find(roots, name, "tours/", ".tour");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/** Drop texts equal to the one before; the list is sorted. */
static size_t unique(char **names, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && !strcmp(names[kept - 1], names[i]))
			free(names[i]);
		else
			names[kept++] = names[i];
	}
	return kept;
}

void roots_scenarios(const struct roots *roots, char ***names, size_t *count)
{
	char **found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < roots->count; i++) {
		char *folder = scenarios_beside(roots->items[i]);
		DIR *listing = opendir(folder);
		struct dirent *item;

		free(folder);
		while (listing && (item = readdir(listing))) {
			size_t len = strlen(item->d_name);

			if (len <= 5 || item->d_name[0] == '.' ||
			    strcmp(item->d_name + len - 5, ".json") != 0 ||
			    review_is_path(item->d_name))
				continue;
			found = xrealloc(found, n + 1, sizeof(*found));
			found[n] = xstrdup(item->d_name);
			found[n++][len - 5] = '\0';
		}
		if (listing)
			(void)closedir(listing);
	}
	if (n)
		qsort(found, n, sizeof(*found), by_text);
	*names = found;
	*count = unique(found, n);
}

void names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
