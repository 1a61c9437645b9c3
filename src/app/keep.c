#include "app/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/keep_view.h"
#include "app/opening_batch.h"
#include "app/store.h"
#include "case/kept.h"
#include "case/review.h"
#include "files/out.h"
#include "stepscope/registry.h"

/* A session is NAME of `kept-NAME`; its lock is held on `lock-NAME`, since `kept-NAME`
 * is replaced at every change. */
#define KEPT "kept-"
#define LOCK "lock-"

enum { NAME_LENGTH = 6, PINS_MOST = 1000 };

struct keeper {
	char *dir;
	char name[NAME_LENGTH + 1];
	int lock;
	struct xbuf last;            /* what was written; empty: nothing is kept */
	char found[NAME_LENGTH + 1]; /* "": none */
	int found_lock;
	struct xbuf found_text;
};

static void path_of(struct xbuf *out, const struct keeper *keeper, const char *kind,
		    const char *name)
{
	out->len = 0;
	xbuf_printf(out, "%s/%s%s", keeper->dir, kind, name);
}

static void remove_file(const struct keeper *keeper, const char *kind, const char *name)
{
	struct xbuf path = { 0 };

	path_of(&path, keeper, kind, name);
	(void)unlink(xbuf_text(&path));
	xbuf_release(&path);
}

/* -- names and locks ------------------------------------------------------------------ */

/* Lock an open file whose name is still its own; false when somebody else has it. */
static bool take_lock(int fd, const char *path)
{
	struct stat mine, there;

	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &mine) && !stat(path, &there) &&
	       mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/* A name nobody has: made by mkstemp(), ours once it is locked. */
static bool take_name(struct keeper *keeper)
{
	struct xbuf path = { 0 };
	bool is_taken = false;

	for (int tries = 0; tries < 100 && !is_taken; tries++) {
		path_of(&path, keeper, LOCK, "XXXXXX");
		keeper->lock = mkstemp(path.data);
		if (keeper->lock < 0)
			break;
		(void)fcntl(keeper->lock, F_SETFD, FD_CLOEXEC);
		/* Somebody tidying up may have been faster. */
		is_taken = take_lock(keeper->lock, path.data);
		if (is_taken)
			memcpy(keeper->name, path.data + path.len - NAME_LENGTH, NAME_LENGTH);
		else
			(void)close(keeper->lock);
	}
	xbuf_release(&path);
	return is_taken;
}

struct keeper *keeper_new(const char *dir)
{
	struct keeper *keeper = xcalloc(1, sizeof(*keeper));

	keeper->dir = xstrdup(dir);
	keeper->found_lock = -1;
	if (take_name(keeper))
		return keeper;
	free(keeper->dir);
	free(keeper);
	return NULL;
}

void keeper_free(struct keeper *keeper, bool drops)
{
	if (!keeper)
		return;
	keeper_settle(keeper, false);
	if (drops)
		remove_file(keeper, KEPT, keeper->name);
	/* The lock's file stays with what was kept: it is what says that nobody has it. */
	if (drops || !keeper->last.len)
		remove_file(keeper, LOCK, keeper->name);
	(void)close(keeper->lock);
	xbuf_release(&keeper->last);
	free(keeper->dir);
	free(keeper);
}

/* -- writing down --------------------------------------------------------------------- */

static cJSON *made(cJSON *item)
{
	if (!item)
		out_of_memory();
	return item;
}

static void put(cJSON *object, const char *key, cJSON *item)
{
	if (!(key ? cJSON_AddItemToObject(object, key, made(item))
		  : cJSON_AddItemToArray(object, made(item))))
		out_of_memory();
}

static void put_number(cJSON *object, const char *key, double number)
{
	put(object, key, cJSON_CreateNumber(number));
}

static void put_text(cJSON *object, const char *key, const char *text)
{
	put(object, key, cJSON_CreateString(text));
}

static void put_hash(cJSON *object, const char *key, char *text)
{
	char sha256[SS_SHA256_SIZE];

	if (!text)
		out_of_memory();
	ss_sha256(sha256, text, strlen(text));
	free(text);
	put_text(object, key, sha256);
}

static cJSON *stamp_json(const struct store_stamp *stamp)
{
	cJSON *object = made(cJSON_CreateObject());
	const long long numbers[] = { stamp->size, stamp->seconds, stamp->nanoseconds,
				      stamp->inode };
	static const char *const keys[] = { "size", "seconds", "nanoseconds", "inode" };
	char text[32];

	if (!stamp->exists) {
		cJSON_Delete(object);
		return cJSON_CreateNull();
	}
	/* As text: an inode may need all of its 64 bits. */
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(text, sizeof(text), "%lld", numbers[i]);
		put_text(object, keys[i], text);
	}
	return object;
}

static cJSON *pins_json(const struct app *app)
{
	cJSON *list = made(cJSON_CreateArray());

	for (size_t i = 0; i < app->pin_count; i++) {
		cJSON *pin = made(cJSON_CreateObject());

		put_text(pin, "name", app->pins[i].name);
		put_number(pin, "pool", (double)app->pins[i].pool);
		put(pin, "draft", kept_draft(&app->pins[i].draft));
		put(list, NULL, pin);
	}
	return list;
}

static void write_down(const struct app *app, struct xbuf *out)
{
	cJSON *root = made(cJSON_CreateObject());
	char *text = NULL;

	put_text(root, "kind", "Session");
	put_number(root, "format", 1);
	put_text(root, "file", app->saved_as);
	put(root, "stamp", stamp_json(&app->stamp));
	put(root, "review_stamp", stamp_json(&app->review_stamp));
	/* What S would write: on disk already, nothing is lost. */
	put_hash(root, "scenario_sha256", app_scenario_json(app));
	put_hash(root, "review_sha256", ss_review_to_json(app->review));
	put(root, "draft", kept_draft(&app->draft));
	put(root, "opened", kept_draft(&app->opened));
	put(root, "source", kept_draft(&app->source));
	put(root, "review", kept_review(app->review));
	put(root, "source_review", kept_review(app->source_review));
	put(root, "history", kept_history(&app->history));
	if (app->workload.has_batch)
		put(root, "workload", kept_groups(app->workload.groups, app->workload.group_count));
	put(root, "pins", pins_json(app));
	put(root, "view", kept_view(app));
	if (app->record)
		put(root, "recording", kept_recording(app->record));
	text = cJSON_PrintUnformatted(root);
	cJSON_Delete(root);
	if (!text)
		out_of_memory();
	xbuf_puts(out, text);
	cJSON_free(text);
}

enum ss_status keeper_keep(struct keeper *keeper, const struct app *app, struct ss_error *err)
{
	struct xbuf text = { 0 }, path = { 0 };
	enum ss_status rc = SS_OK;

	if (!history_is_dirty(&app->history) && !app->pin_count && !app->record) {
		if (keeper->last.len)
			remove_file(keeper, KEPT, keeper->name);
		keeper->last.len = 0;
		return SS_OK;
	}
	write_down(app, &text);
	if (text.len == keeper->last.len && !memcmp(text.data, keeper->last.data, text.len)) {
		xbuf_release(&text);
		return SS_OK;
	}
	path_of(&path, keeper, KEPT, keeper->name);
	/* What is kept after every key must not wait for the disk. */
	rc = file_write(xbuf_text(&path), text.data, text.len,
			FILE_REPLACE | FILE_PRIVATE | FILE_QUICK, err);
	xbuf_release(&path);
	if (rc) {
		xbuf_release(&text);
		return rc;
	}
	xbuf_release(&keeper->last);
	keeper->last = text;
	return SS_OK;
}

/* -- finding -------------------------------------------------------------------------- */

static bool has_hash(const char *path, const char *sha256)
{
	struct xbuf text = { 0 };
	struct ss_error err = { 0 };
	char found[SS_SHA256_SIZE];
	bool is_same = false;

	if (!store_read(path, &text, &err)) {
		ss_sha256(found, xbuf_text(&text), text.len);
		is_same = !strcmp(found, sha256);
	}
	xbuf_release(&text);
	return is_same;
}

/* Is all of it in the files already? */
static bool is_saved(const cJSON *root)
{
	const char *file = kept_text(root, "file");
	const cJSON *review = cJSON_GetObjectItemCaseSensitive(root, "review");
	const cJSON *pins = cJSON_GetObjectItemCaseSensitive(root, "pins");
	int said = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(review, "entries"));
	char *beside = NULL;
	bool is_there = false;

	if (!*file || cJSON_GetArraySize(pins) ||
	    !has_hash(file, kept_text(root, "scenario_sha256")))
		return false;
	beside = review_path(file);
	is_there = !said || has_hash(beside, kept_text(root, "review_sha256"));
	free(beside);
	return is_there;
}

/* The lock of a name, when nobody has it; -1 when somebody does. */
static int claim(const struct keeper *keeper, const char *name)
{
	struct xbuf path = { 0 };
	int fd = -1;

	path_of(&path, keeper, LOCK, name);
	fd = open(xbuf_text(&path), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0 && !take_lock(fd, xbuf_text(&path))) {
		(void)close(fd);
		fd = -1;
	}
	xbuf_release(&path);
	return fd;
}

/* The session of a name that is claimed; false, and it is removed, when nothing is in it. */
static bool look_into(struct keeper *keeper, const char *name)
{
	struct xbuf path = { 0 };
	struct ss_error err = { 0 };
	cJSON *root = NULL;
	bool is_wanted = false;

	keeper->found_text.len = 0;
	path_of(&path, keeper, KEPT, name);
	if (!store_read(xbuf_text(&path), &keeper->found_text, &err)) {
		root = cJSON_Parse(xbuf_text(&keeper->found_text));
		/* What cannot be read is offered all the same: taking it up says why. */
		is_wanted = !root || !is_saved(root);
		cJSON_Delete(root);
	}
	if (!is_wanted) {
		remove_file(keeper, KEPT, name);
		remove_file(keeper, LOCK, name);
	}
	xbuf_release(&path);
	return is_wanted;
}

static long long age_of(const struct keeper *keeper, const char *name)
{
	struct xbuf path = { 0 };
	struct store_stamp stamp;

	path_of(&path, keeper, KEPT, name);
	stamp = store_stamp(xbuf_text(&path));
	xbuf_release(&path);
	return stamp.exists ? stamp.seconds : -1;
}

struct candidate {
	char name[NAME_LENGTH + 1];
	long long seconds;
};

static int newest_first(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? 1 : -1;
	return strcmp(a->name, b->name);
}

static struct candidate *candidates(const struct keeper *keeper, size_t *count)
{
	DIR *folder = opendir(keeper->dir);
	const struct dirent *entry = NULL;
	struct candidate *list = NULL;
	struct stat about;

	*count = 0;
	while (folder && (entry = readdir(folder))) {
		const char *name = entry->d_name + strlen(KEPT);

		if ((strncmp(entry->d_name, KEPT, strlen(KEPT)) != 0 &&
		     strncmp(entry->d_name, LOCK, strlen(LOCK)) != 0) ||
		    strlen(name) != NAME_LENGTH || !strcmp(name, keeper->name))
			continue;
		/* What is no plain file is none of ours: a pipe would be waited for. */
		if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(about.st_mode))
			continue;
		list = xrealloc(list, *count + 1, sizeof(*list));
		memcpy(list[*count].name, name, NAME_LENGTH + 1);
		list[*count].seconds = age_of(keeper, name);
		(*count)++;
	}
	if (folder)
		(void)closedir(folder);
	if (*count)
		qsort(list, *count, sizeof(*list), newest_first);
	return list;
}

bool keeper_find(struct keeper *keeper)
{
	size_t count = 0;
	struct candidate *list = candidates(keeper, &count);

	keeper_settle(keeper, false);
	for (size_t i = 0; i < count && !keeper->found[0]; i++) {
		int fd = claim(keeper, list[i].name);

		if (fd < 0)
			continue;
		if (look_into(keeper, list[i].name)) {
			memcpy(keeper->found, list[i].name, sizeof(keeper->found));
			keeper->found_lock = fd;
		} else {
			(void)close(fd);
		}
	}
	free(list);
	return keeper->found[0] != '\0';
}

void keeper_settle(struct keeper *keeper, bool drops)
{
	if (keeper->found[0] && drops) {
		remove_file(keeper, KEPT, keeper->found);
		remove_file(keeper, LOCK, keeper->found);
	}
	if (keeper->found_lock >= 0)
		(void)close(keeper->found_lock);
	keeper->found_lock = -1;
	keeper->found[0] = '\0';
	xbuf_release(&keeper->found_text);
	keeper->found_text = (struct xbuf){ 0 };
}

void keeper_describe(const struct keeper *keeper, char *out, size_t size)
{
	cJSON *root = cJSON_Parse(xbuf_text(&keeper->found_text));
	const cJSON *draft = cJSON_GetObjectItemCaseSensitive(root, "draft");
	const cJSON *values = cJSON_GetObjectItemCaseSensitive(draft, "values");
	const char *name = kept_text(cJSON_GetObjectItemCaseSensitive(values, "name"), "text");
	int64_t edits = kept_integer(cJSON_GetObjectItemCaseSensitive(root, "history"), "position",
				     0, INT32_MAX, 0);
	int pins = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "pins"));

	snprintf(out, size, "%s: %lld edit%s%s", *name ? name : "unreadable", (long long)edits,
		 edits == 1 ? "" : "s", pins ? " and pins" : "");
	cJSON_Delete(root);
}

/* -- taking up again ------------------------------------------------------------------ */

/* All that is read before anything of the app changes. */
struct taken {
	struct draft draft, opened, source;
	struct ss_review *review, *source_review;
	struct history history;
	struct ss_workload workload;
	struct app_pin *pins;
	size_t pin_count;
};

static void release_taken(struct taken *t)
{
	draft_release(&t->draft);
	draft_release(&t->opened);
	draft_release(&t->source);
	ss_review_free(t->review);
	ss_review_free(t->source_review);
	history_release(&t->history);
	free(t->workload.groups);
	for (size_t i = 0; i < t->pin_count; i++)
		draft_release(&t->pins[i].draft);
	free(t->pins);
}

static bool read_pins(struct taken *t, const cJSON *list)
{
	const cJSON *item;

	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > PINS_MOST)
		return false;
	t->pins = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*t->pins));
	cJSON_ArrayForEach(item, list)
	{
		struct app_pin *pin = &t->pins[t->pin_count];

		if (!kept_read_draft(&pin->draft, cJSON_GetObjectItemCaseSensitive(item, "draft")))
			return false;
		t->pin_count++;
		snprintf(pin->name, sizeof(pin->name), "%s", kept_text(item, "name"));
		pin->pool = (size_t)kept_integer(item, "pool", 0,
						 (int64_t)pin->draft.scenario->pool_count - 1, 0);
	}
	return true;
}

static bool read_taken(struct taken *t, const cJSON *root)
{
#define ITEM(key) cJSON_GetObjectItemCaseSensitive(root, key)
	const cJSON *workload = ITEM("workload");

	if (strcmp(kept_text(root, "kind"), "Session") != 0 ||
	    !kept_read_draft(&t->draft, ITEM("draft")) ||
	    !kept_read_draft(&t->opened, ITEM("opened")) ||
	    !kept_read_draft(&t->source, ITEM("source")))
		return false;
	t->review = kept_read_review(ITEM("review"));
	t->source_review = kept_read_review(ITEM("source_review"));
	if (!t->review || !t->source_review || !kept_read_history(&t->history, ITEM("history")) ||
	    !read_pins(t, ITEM("pins")))
		return false;
	t->workload.has_batch =
		kept_read_groups(&t->workload.groups, &t->workload.group_count, workload);
	return true;
#undef ITEM
}

static struct store_stamp read_stamp(const cJSON *item)
{
	if (!cJSON_IsObject(item))
		return (struct store_stamp){ 0 };
	return (struct store_stamp){
		.exists = true,
		.size = strtoll(kept_text(item, "size"), NULL, 10),
		.seconds = strtoll(kept_text(item, "seconds"), NULL, 10),
		.nanoseconds = strtoll(kept_text(item, "nanoseconds"), NULL, 10),
		.inode = strtoll(kept_text(item, "inode"), NULL, 10),
	};
}

static void take_pins(struct app *app, struct taken *t)
{
	for (size_t i = 0; i < t->pin_count; i++) {
		struct app_pin *pin = &t->pins[i];

		pin->quote = quote_new(&app->basis, app->registry, &pin->draft, pin->pool,
				       app->figure, NULL);
		/* One that no longer prices cannot be compared with. */
		if (!pin->quote) {
			draft_release(&pin->draft);
			continue;
		}
		app->pins = xrealloc(app->pins, app->pin_count + 1, sizeof(*app->pins));
		app->pins[app->pin_count++] = *pin;
	}
	free(t->pins);
	t->pins = NULL;
	t->pin_count = 0;
}

static void take_over(struct app *app, struct taken *t, const cJSON *root)
{
	app_drop_state(app);
	app->draft = t->draft;
	app->opened = t->opened;
	app->source = t->source;
	app->review = t->review;
	app->source_review = t->source_review;
	app->history = t->history;
	app->history.review = app->review;
	app->workload = t->workload;
	snprintf(app->saved_as, sizeof(app->saved_as), "%s", kept_text(root, "file"));
	app->stamp = read_stamp(cJSON_GetObjectItemCaseSensitive(root, "stamp"));
	app->review_stamp = read_stamp(cJSON_GetObjectItemCaseSensitive(root, "review_stamp"));
	take_pins(app, t);
	kept_take_view(app, cJSON_GetObjectItemCaseSensitive(root, "view"));
	kept_take_recording(app, cJSON_GetObjectItemCaseSensitive(root, "recording"));
}

bool keeper_recover(struct keeper *keeper, struct app *app, struct ss_error *err)
{
	cJSON *root = cJSON_Parse(xbuf_text(&keeper->found_text));
	struct taken taken = { 0 };
	struct xbuf path = { 0 };
	bool is_read = root && read_taken(&taken, root);

	if (is_read) {
		take_over(app, &taken, root);
	} else {
		release_taken(&taken);
		path_of(&path, keeper, KEPT, keeper->found);
		(void)ss_fail(err, SS_EIO, xbuf_text(&path), "is no session that was kept whole");
		xbuf_release(&path);
	}
	cJSON_Delete(root);
	return is_read;
}
