#include "files/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text/xbuf.h"

#define BESIDE_PREFIX ".stepscope-"
#define BESIDE_SUFFIX ".new"
#define LINKS_MAX 40
#define NAME_ROOM 4096

static enum ss_status failed(struct ss_error *err, const char *path)
{
	return ss_fail(err, SS_EIO, path, "cannot be written: %s", strerror(errno));
}

/* -- what is left when the program ends half way -------------------------------------- */

/* One file at a time is being written; a signal's handler may read nothing but this. */
static char unfinished[NAME_ROOM];
static volatile sig_atomic_t has_unfinished;

static void remove_unfinished(void)
{
	if (has_unfinished)
		(void)unlink(unfinished);
	has_unfinished = 0;
}

static void leave(int number)
{
	remove_unfinished();
	(void)raise(number); /* the handler is gone: this ends the program */
}

/* A signal that would end the program takes the file with it; others' handlers stay. */
static void remember_unfinished(const char *path)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	static bool is_set_up;
	struct sigaction was, ours = { .sa_handler = leave };

	has_unfinished = 0;
	if (strlen(path) >= sizeof(unfinished))
		return;
	memcpy(unfinished, path, strlen(path) + 1);
	has_unfinished = 1;
	if (!is_set_up)
		is_set_up = !atexit(remove_unfinished);
	ours.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
	(void)sigemptyset(&ours.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler == SIG_DFL)
			(void)sigaction(signals[i], &ours, NULL);
}

static bool is_beside_name(const char *name)
{
	size_t len = strlen(name), tail = strlen(BESIDE_SUFFIX);

	return !strncmp(name, BESIDE_PREFIX, strlen(BESIDE_PREFIX)) && len > tail &&
	       !strcmp(name + len - tail, BESIDE_SUFFIX);
}

/* A file whose writer still runs is locked by it. */
static void remove_if_left(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return;
	if (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		(void)unlinkat(folder, name, 0);
	(void)close(fd);
}

/* What a killed writer left in the folder. */
static void remove_left(const char *folder)
{
	DIR *listing = opendir(folder);
	const struct dirent *entry = NULL;

	while (listing && (entry = readdir(listing)))
		if (is_beside_name(entry->d_name))
			remove_if_left(dirfd(listing), entry->d_name);
	if (listing)
		(void)closedir(listing);
}

/* -- where it goes -------------------------------------------------------------------- */

/* The number of an open file that a path stands for, as /dev/stdout does; -1: none. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t len = strlen(folders[i]);
		const char *digits = path + len;

		if (!strncmp(path, folders[i], len) && *digits && strlen(digits) < 7 &&
		    digits[strspn(digits, "0123456789")] == '\0')
			return (int)strtol(digits, NULL, 10);
	}
	return -1;
}

static void folder_of(struct xbuf *out, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		xbuf_putc(out, '.');
	else
		xbuf_add(out, path, slash == path ? 1 : (size_t)(slash - path));
}

/* The file that links lead to, there or not; NULL with errno set. The caller frees it. */
static char *follow(const char *path)
{
	struct xbuf at = { 0 };
	char target[NAME_ROOM];
	ssize_t len = 0;

	xbuf_puts(&at, path);
	for (int i = 0; i < LINKS_MAX && descriptor_of(at.data) < 0; i++) {
		struct xbuf next = { 0 };

		len = readlink(at.data, target, sizeof(target));
		if (len < 0 || (size_t)len >= sizeof(target))
			break;
		if (target[0] != '/') {
			folder_of(&next, at.data);
			xbuf_putc(&next, '/');
		}
		xbuf_add(&next, target, (size_t)len);
		xbuf_release(&at);
		at = next;
		len = 0;
	}
	if (len <= 0 && (len == 0 || errno == EINVAL || errno == ENOENT))
		return at.data;
	xbuf_release(&at);
	return NULL;
}

static bool is_link(const char *path)
{
	struct stat about;

	return !lstat(path, &about) && S_ISLNK(about.st_mode);
}

/* What is there: no mode when nothing is. */
static enum ss_status look(struct stat *about, const char *path, unsigned how, struct ss_error *err)
{
	if (!*path)
		return ss_fail(err, SS_EIO, "output", "needs the name of a file");
	if (stat(path, about)) {
		about->st_mode = 0;
		return errno == ENOENT ? SS_OK : failed(err, path);
	}
	if (S_ISDIR(about->st_mode))
		return ss_fail(err, SS_EIO, path, "is a folder");
	if (!S_ISREG(about->st_mode) || descriptor_of(path) >= 0)
		return SS_OK;
	if (about->st_size > 0 && !(how & FILE_REPLACE))
		return ss_fail(err, SS_EIO, path,
			       "is there already; choose another name, or --force writes over it");
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? failed(err, path) : SS_OK;
}

enum ss_status file_out_check(const char *path, unsigned how, struct ss_error *err)
{
	struct stat about;
	enum ss_status rc = look(&about, path, how, err);
	struct xbuf folder = { 0 };
	char *file;

	if (rc || about.st_mode)
		return rc;
	file = follow(path);
	if (!file)
		return failed(err, path);
	folder_of(&folder, file);
	if (faccessat(AT_FDCWD, folder.data, W_OK | X_OK, AT_EACCESS))
		rc = failed(err, path);
	xbuf_release(&folder);
	free(file);
	return rc;
}

enum ss_status file_out_spares(const char *path, const char *input, struct ss_error *err)
{
	struct stat a, b;

	if (stat(path, &a) || stat(input, &b) || !S_ISREG(a.st_mode) || a.st_dev != b.st_dev ||
	    a.st_ino != b.st_ino)
		return SS_OK;
	return ss_fail(err, SS_EIO, path,
		       "is read here, so it is not written; choose another file");
}

/* -- beginning ------------------------------------------------------------------------ */

/* 64 bits that nobody can tell beforehand; a name in use is tried again anyway. */
static uint64_t chance(void)
{
	uint64_t bits = 0;
	struct timespec now;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) == (ssize_t)sizeof(bits))
		return bits;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return ((uint64_t)now.tv_nsec << 32) ^ (uint64_t)now.tv_sec ^
	       (uint64_t)getpid() * 0x9e3779b97f4a7c15U;
}

/* Make the file beside; it is locked, so that nobody takes it for left. -1: errno. */
static int make_beside(struct file_out *out, mode_t mode)
{
	struct xbuf folder = { 0 };
	struct stat about;
	int fd = -1;

	folder_of(&folder, out->path);
	out->folder = folder.data;
	remove_left(folder.data);
	for (int i = 0; i < 100 && fd < 0; i++) {
		struct xbuf name = { 0 };

		xbuf_printf(&name, "%s/" BESIDE_PREFIX "%016llx" BESIDE_SUFFIX, folder.data,
			    (unsigned long long)chance());
		fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0) {
			(void)flock(fd, LOCK_EX);
			/* Between the two it may have been taken for left. */
			if (fstat(fd, &about) || !about.st_nlink) {
				(void)close(fd);
				fd = -1;
				errno = EEXIST;
			}
		}
		if (fd >= 0)
			out->beside = name.data;
		else
			xbuf_release(&name);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0)
		remember_unfinished(out->beside);
	return fd;
}

/* The new file has the rights of the old one. */
static void keep_rights(int fd, const struct stat *old)
{
	struct stat now;

	if (!fstat(fd, &now) && (now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid))
		(void)!fchown(fd, (uid_t)-1, old->st_gid);
	(void)fchmod(fd, old->st_mode & 07777);
}

static int open_through(const char *path, unsigned how)
{
	int number = descriptor_of(path);
	int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC;
	int fd;

	if (number >= 0)
		return dup(number);
	fd = open(path, how & FILE_NO_WAIT ? flags | O_NONBLOCK : flags);
	if (fd >= 0 && how & FILE_NO_WAIT)
		(void)fcntl(fd, F_SETFL, 0);
	return fd;
}

static int open_beside(struct file_out *out, const struct stat *old)
{
	bool is_private = out->how & FILE_PRIVATE || old->st_mode;
	int fd = make_beside(out, is_private ? 0600 : 0666);

	if (fd >= 0 && old->st_mode && !(out->how & FILE_PRIVATE))
		keep_rights(fd, old);
	return fd;
}

static void forget(struct file_out *out)
{
	if (out->beside)
		has_unfinished = 0;
	free(out->path);
	free(out->folder);
	free(out->beside);
	*out = (struct file_out){ 0 };
}

enum ss_status file_out_open(struct file_out *out, const char *path, unsigned how,
			     struct ss_error *err)
{
	struct stat old;
	enum ss_status rc = look(&old, path, how, err);
	bool is_through;
	int fd, error;

	*out = (struct file_out){ .how = how };
	if (rc)
		return rc;
	out->path = follow(path);
	if (!out->path)
		return failed(err, path);
	is_through = descriptor_of(out->path) >= 0 || (old.st_mode && !S_ISREG(old.st_mode));
	/* Links that lead nowhere we know of, as those of /proc, are opened as they are. */
	is_through = is_through || is_link(out->path);
	out->is_new = !old.st_mode;
	fd = is_through ? open_through(out->path, how) : open_beside(out, &old);
	if (fd >= 0)
		out->stream = fdopen(fd, "w");
	if (out->stream)
		return SS_OK;
	error = errno;
	if (fd >= 0)
		(void)close(fd);
	if (out->beside)
		(void)unlink(out->beside);
	forget(out);
	errno = error;
	return failed(err, path);
}

/* -- ending --------------------------------------------------------------------------- */

/* What came to be there in the meantime is not ours to write over. */
static bool put_new(const struct file_out *out)
{
	if (!link(out->beside, out->path)) {
		(void)unlink(out->beside);
		return true;
	}
	if (errno == EEXIST || !access(out->path, F_OK))
		return false;
	/* Not every file system has links. */
	return !rename(out->beside, out->path);
}

static bool put_in_place(const struct file_out *out)
{
	if (out->is_new && !(out->how & FILE_REPLACE))
		return put_new(out);
	return !rename(out->beside, out->path);
}

static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	(void)close(fd);
}

enum ss_status file_out_close(struct file_out *out, struct ss_error *err)
{
	bool is_quick = out->how & FILE_QUICK || !out->beside;
	bool is_good = !ferror(out->stream);
	enum ss_status rc;

	errno = is_good ? 0 : EIO;
	is_good = is_good && !fflush(out->stream) && (is_quick || !fsync(fileno(out->stream)));
	/* Renamed while it is still locked. */
	is_good = is_good && (!out->beside || put_in_place(out));
	if (!is_good) {
		rc = failed(err, out->path);
		file_out_drop(out);
		return rc;
	}
	/* What is on the disk is there, whatever closing says. */
	is_good = !fclose(out->stream) || !is_quick;
	rc = is_good ? SS_OK : failed(err, out->path);
	if (!is_quick)
		sync_folder(out->folder);
	forget(out);
	return rc;
}

void file_out_drop(struct file_out *out)
{
	if (out->beside)
		(void)unlink(out->beside);
	if (out->stream)
		(void)fclose(out->stream);
	forget(out);
}

enum ss_status file_write(const char *path, const char *text, size_t len, unsigned how,
			  struct ss_error *err)
{
	struct file_out out;
	enum ss_status rc = file_out_open(&out, path, how, err);

	if (rc)
		return rc;
	if (fwrite(text, 1, len, out.stream) == len)
		return file_out_close(&out, err);
	rc = failed(err, path);
	file_out_drop(&out);
	return rc;
}
