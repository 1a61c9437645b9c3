/*
 * Preloaded into the program: one call in so many fails. The environment says which:
 *	FAULT_KIND	alloc: malloc, calloc, realloc; file: what opens, reads and writes;
 *			kill: nothing fails, but the program is killed before the call
 *	FAULT_AT	the call that fails, from 1; 0 none
 *	FAULT_ALL	set: all from there on
 *	FAULT_ERRNO	what a failing file call says, as a number
 *	FAULT_COUNT	a file for the number of calls there were
 * Other programs, as the shell that starts it, are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* What glibc's own are called by; nothing has to be looked up before the first call. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static struct {
	bool is_alloc, is_file, is_kill, is_all;
	unsigned long at;
	int error;
	const char *count_file;
} fault;

static atomic_ulong calls;

static bool is_due(void)
{
	unsigned long n = atomic_fetch_add(&calls, 1) + 1;

	return fault.at && (n == fault.at || (fault.is_all && n > fault.at));
}

static bool fails_alloc(void)
{
	if (!fault.is_alloc || !is_due())
		return false;
	errno = ENOMEM;
	return true;
}

static bool fails_file(void)
{
	if ((!fault.is_file && !fault.is_kill) || !is_due())
		return false;
	if (fault.is_kill)
		(void)kill(getpid(), SIGKILL);
	errno = fault.error;
	return true;
}

static void write_count(void)
{
	char text[32];
	int fd = open(fault.count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int len = snprintf(text, sizeof(text), "%lu\n", (unsigned long)calls);

	if (fd >= 0 && write(fd, text, (size_t)len) == len)
		(void)close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	const char *kind = getenv("FAULT_KIND"), *at = getenv("FAULT_AT");
	const char *error = getenv("FAULT_ERRNO");
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (!kind || len <= 0)
		return;
	path[len] = '\0';
	if (!strstr(path, "stepscope") || !strcmp(strrchr(path, '/'), "/valgrind"))
		return;
	if (strcmp(strrchr(path, '/') + 1, "stepscope") != 0)
		return;
	fault.at = at ? strtoul(at, NULL, 10) : 0;
	fault.error = error ? (int)strtol(error, NULL, 10) : EIO;
	fault.is_all = getenv("FAULT_ALL") != NULL;
	fault.count_file = getenv("FAULT_COUNT");
	fault.is_alloc = !strcmp(kind, "alloc");
	fault.is_file = !strcmp(kind, "file");
	fault.is_kill = !strcmp(kind, "kill");
}

__attribute__((destructor)) static void end(void)
{
	fault.is_alloc = fault.is_file = fault.is_kill = false;
	if (fault.count_file)
		write_count();
}

/* -- memory --------------------------------------------------------------------------- */

EXPORT void *malloc(size_t size)
{
	return fails_alloc() ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return fails_alloc() ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	return fails_alloc() ? NULL : __libc_realloc(old, size);
}

/* -- files ---------------------------------------------------------------------------- */

/* POSIX lets a function come as an object pointer, ISO C says nothing. */
#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

EXPORT int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return fails_file() ? -1 : REAL(open)(path, flags, mode);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	return fails_file() ? NULL : REAL(fopen)(path, mode);
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
	return fails_file() ? NULL : REAL(fdopen)(fd, mode);
}

EXPORT ssize_t read(int fd, void *buffer, size_t len)
{
	return fails_file() ? -1 : REAL(read)(fd, buffer, len);
}

/* A failed stream says so until it is closed: glibc's _IO_ERR_SEEN. */
static bool fails_stream(FILE *stream)
{
	if (!fails_file())
		return false;
	stream->_flags |= 0x20;
	return true;
}

EXPORT size_t fread(void *buffer, size_t size, size_t count, FILE *stream)
{
	return fails_stream(stream) ? 0 : REAL(fread)(buffer, size, count, stream);
}

EXPORT size_t fwrite(const void *buffer, size_t size, size_t count, FILE *stream)
{
	/* what is said of a failure is not to fail itself */
	if (stream != stderr && fails_stream(stream))
		return 0;
	return REAL(fwrite)(buffer, size, count, stream);
}

EXPORT int fflush(FILE *stream)
{
	return stream && fails_stream(stream) ? EOF : REAL(fflush)(stream);
}

EXPORT int fclose(FILE *stream)
{
	bool fails = fails_file();
	int error = errno, rc = REAL(fclose)(stream);

	errno = fails ? error : errno;
	return fails ? EOF : rc;
}

EXPORT int fsync(int fd)
{
	return fails_file() ? -1 : REAL(fsync)(fd);
}

EXPORT int rename(const char *from, const char *to)
{
	return fails_file() ? -1 : REAL(rename)(from, to);
}

EXPORT int link(const char *from, const char *to)
{
	return fails_file() ? -1 : REAL(link)(from, to);
}

/* -- what only a kill is put before: nobody asks whether these fail ------------------- */

static void may_be_killed(void)
{
	if (fault.is_kill)
		(void)fails_file();
}

EXPORT int unlink(const char *path)
{
	may_be_killed();
	return REAL(unlink)(path);
}

EXPORT int flock(int fd, int how)
{
	may_be_killed();
	return REAL(flock)(fd, how);
}

EXPORT int ftruncate(int fd, off_t length)
{
	may_be_killed();
	return REAL(ftruncate)(fd, length);
}

EXPORT int fchmod(int fd, mode_t mode)
{
	may_be_killed();
	return REAL(fchmod)(fd, mode);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
	return fails_file() ? -1 : REAL(mkdir)(path, mode);
}
