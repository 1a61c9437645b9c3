#include "app/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)64 << 20)

struct store_stamp store_stamp(const char *path)
{
	struct stat about;

	if (!*path || stat(path, &about))
		return (struct store_stamp){ 0 };
	return (struct store_stamp){
		.exists = true,
		.size = (long long)about.st_size,
		.seconds = (long long)about.st_mtim.tv_sec,
		.nanoseconds = about.st_mtim.tv_nsec,
		.inode = (long long)about.st_ino,
	};
}

bool store_stamp_equal(const struct store_stamp *a, const struct store_stamp *b)
{
	return a->exists == b->exists && a->size == b->size && a->seconds == b->seconds &&
	       a->nanoseconds == b->nanoseconds && a->inode == b->inode;
}

static bool make_folder(const char *path)
{
	return !mkdir(path, 0700) || errno == EEXIST;
}

char **store_complete(const char *prefix)
{
	const char *slash = strrchr(prefix, '/');
	size_t folder_len = slash ? (size_t)(slash - prefix) + 1 : 0;
	const char *start = prefix + folder_len;
	struct xbuf folder = { 0 };
	const struct dirent *entry = NULL;
	char **found = NULL;
	size_t count = 0;
	DIR *listing = NULL;

	xbuf_add(&folder, prefix, folder_len);
	listing = opendir(folder_len ? xbuf_text(&folder) : ".");
	while (listing && (entry = readdir(listing)) && count < 200) {
		struct xbuf path = { 0 };
		struct stat about;

		if (strncmp(entry->d_name, start, strlen(start)) != 0 ||
		    (entry->d_name[0] == '.' && start[0] != '.'))
			continue;
		xbuf_printf(&path, "%s%s", xbuf_text(&folder), entry->d_name);
		if (!stat(xbuf_text(&path), &about) && S_ISDIR(about.st_mode))
			xbuf_putc(&path, '/');
		found = xrealloc(found, count + 2, sizeof(*found));
		found[count++] = path.data;
		found[count] = NULL;
	}
	if (listing)
		(void)closedir(listing);
	xbuf_release(&folder);
	return found;
}

char *store_state_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct xbuf path = { 0 };

	if (state && *state == '/') {
		xbuf_puts(&path, state);
		(void)make_folder(xbuf_text(&path));
	} else if (home && *home == '/') {
		xbuf_printf(&path, "%s/.local", home);
		(void)make_folder(xbuf_text(&path));
		xbuf_puts(&path, "/state");
		(void)make_folder(xbuf_text(&path));
	} else {
		return NULL;
	}
	xbuf_puts(&path, "/stepscope");
	if (make_folder(xbuf_text(&path)))
		return path.data;
	xbuf_release(&path);
	return NULL;
}

char *store_config_file(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct xbuf path = { 0 };

	if (config && *config == '/')
		xbuf_puts(&path, config);
	else if (home && *home == '/')
		xbuf_printf(&path, "%s/.config", home);
	else
		return NULL;
	xbuf_puts(&path, "/stepscope/config");
	return path.data;
}

enum ss_status store_read(const char *path, struct xbuf *out, struct ss_error *err)
{
	FILE *file = fopen(path, "rb");
	size_t n = 0;
	bool is_bad = false;

	if (!file)
		return ss_fail(err, SS_EIO, path, "cannot be read: %s", strerror(errno));
	do {
		n = fread(xbuf_reserve(out, 65536), 1, 65536, file);
		out->len += n;
	} while (n > 0 && out->len <= FILE_MAX);
	is_bad = ferror(file) != 0;
	(void)fclose(file);
	*xbuf_reserve(out, 1) = '\0';
	if (is_bad)
		return ss_fail(err, SS_EIO, path, "cannot be read");
	if (out->len > FILE_MAX)
		return ss_fail(err, SS_EIO, path, "is larger than 64 MiB");
	return SS_OK;
}
