#include "app/store.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/out.h"
#include "text/number.h"
#include "app/opening_batch.h"
#include "stepscope/registry.h"

/* First line of a session file; what follows it is `NAME VALUE` lines, a blank
 * line and the scenario. */
#define SESSION_HEAD "stepscope session 1\n"
#define SESSION_PREFIX "session-"

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

static void session_path(struct xbuf *out, const char *dir)
{
	xbuf_printf(out, "%s/%s%ld", dir, SESSION_PREFIX, (long)getpid());
}

enum ss_status store_keep_session(const char *dir, const struct app *app, struct ss_error *err)
{
	struct xbuf text = { 0 }, path = { 0 };
	enum ss_status rc = SS_OK;
	char *json = app_scenario_json(app);

	xbuf_puts(&text, SESSION_HEAD);
	xbuf_printf(&text, "file %s\n", app->saved_as);
	xbuf_printf(&text, "corrections %u\n", app->draft.corrections);
	xbuf_printf(&text, "sms %lld\n", (long long)app->draft.sm_budget);
	for (size_t i = 0; i < app->draft.whatif_count; i++)
		xbuf_printf(&text, "coef %s %s\n", app->draft.whatifs[i].name,
			    number_plain(app->draft.whatifs[i].value).text);
	xbuf_putc(&text, '\n');
	xbuf_puts(&text, json);
	free(json);
	session_path(&path, dir);
	/* What is kept after every key must not wait for the disk. */
	rc = file_write(xbuf_text(&path), text.data, text.len,
			FILE_REPLACE | FILE_PRIVATE | FILE_QUICK, err);
	xbuf_release(&text);
	xbuf_release(&path);
	return rc;
}

void store_drop_session(const char *dir)
{
	struct xbuf path = { 0 };

	session_path(&path, dir);
	(void)unlink(xbuf_text(&path));
	xbuf_release(&path);
}

char *store_find_session(const char *dir)
{
	DIR *folder = opendir(dir);
	const struct dirent *entry = NULL;
	struct xbuf found = { 0 };

	while (folder && !found.len && (entry = readdir(folder))) {
		char *end = NULL;
		long pid = 0;

		if (strncmp(entry->d_name, SESSION_PREFIX, strlen(SESSION_PREFIX)) != 0)
			continue;
		pid = strtol(entry->d_name + strlen(SESSION_PREFIX), &end, 10);
		/* Another explorer that still runs keeps its own. */
		if (*end || pid <= 0 || pid == (long)getpid() || !kill((pid_t)pid, 0) ||
		    errno == EPERM)
			continue;
		xbuf_printf(&found, "%s/%s", dir, entry->d_name);
	}
	if (folder)
		(void)closedir(folder);
	return found.data;
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

/* One `NAME VALUE` line of the head. */
static void read_line(struct draft *draft, char *line, char *file, size_t size)
{
	double value = 0;
	char *space = NULL;

	if (!strncmp(line, "file ", 5)) {
		snprintf(file, size, "%s", line + 5);
	} else if (!strncmp(line, "corrections ", 12)) {
		draft->corrections = (unsigned)strtoul(line + 12, NULL, 10);
	} else if (!strncmp(line, "sms ", 4)) {
		draft->sm_budget = strtoll(line + 4, NULL, 10);
	} else if (!strncmp(line, "coef ", 5) && (space = strrchr(line + 5, ' ')) != NULL) {
		*space = '\0';
		if (number_parse(&value, space + 1) == NUMBER_OK)
			draft_set_whatif(draft, line + 5, &value);
	}
}

bool store_recover(const char *path, struct app *app, struct ss_error *err)
{
	struct xbuf text = { 0 };
	struct draft draft = { 0 };
	struct ss_problems problems = { 0 };
	char *line = NULL, *end = NULL;
	char file[sizeof(app->saved_as)] = "";
	bool is_read = false;

	if (store_read(path, &text, err) ||
	    strncmp(xbuf_text(&text), SESSION_HEAD, strlen(SESSION_HEAD)) != 0) {
		(void)ss_fail(err, SS_EIO, path, "is not a session that was kept");
		xbuf_release(&text);
		return false;
	}
	draft_init(&draft, NULL);
	line = text.data + strlen(SESSION_HEAD);
	while ((end = strchr(line, '\n')) != NULL && end != line) {
		*end = '\0';
		read_line(&draft, line, file, sizeof(file));
		line = end + 1;
	}
	if (end) {
		struct ss_scenario *scenario =
			ss_scenario_parse(end + 1, strlen(end + 1), file, &problems);
		int64_t sm_budget = draft.sm_budget;

		draft_release(&draft);
		draft_init(&draft, scenario);
		draft.sm_budget = sm_budget;
	}
	if (draft.scenario) {
		if (app->pool >= draft.scenario->pool_count)
			app->pool = 0;
		snprintf(app->saved_as, sizeof(app->saved_as), "%s", file);
		history_replace(&app->history, &app->draft, &draft,
				"the session kept from a crash");
		app_follow_pool(app, &app->draft);
		is_read = true;
	} else {
		(void)ss_fail(err, SS_EDOCUMENT, path, "%s",
			      problems.count ? problems.items[0].message : "is cut short");
		draft_release(&draft);
	}
	ss_problems_release(&problems);
	xbuf_release(&text);
	return is_read;
}
