/* Figures of the explorer: a key until its price is drawn, and the program on a terminal. */
#include "bench/bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "case/session.h"
#include "view/screen.h"

/* -- in process ----------------------------------------------------------------------- */

#define KEYS 2000

static double taken_s[KEYS];

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Edits of four settings and moves between, each drawn to a page of 24 x 80. */
static bool press_keys(void)
{
	static const char *const keys = "- + j j j j j <Space> - j j j <Space> u <Del> u k k k k k "
					"k k k ";
	struct session session;
	struct session_request request = session_request();
	struct ss_error err = { 0 };
	struct screen screen = { 0 };
	struct page page;
	struct app app;
	const char *next = keys;

	if (session_open(&session, &request, &err)) {
		session_release(&session);
		return false;
	}
	app_init_session(&app, &session);
	if (page_init(&page, 24, 80, false))
		return false;
	app_refresh(&app, APP_PRICE);
	screen_draw(&screen, &page, &app);
	for (int i = 0; i < KEYS; i++) {
		struct key key;
		double start;

		if (!key_parse(&next, &key)) {
			next = keys;
			(void)key_parse(&next, &key);
		}
		start = bench_now_s();
		app_refresh(&app, app_key(&app, key));
		screen_draw(&screen, &page, &app);
		taken_s[i] = bench_now_s() - start;
	}
	page_release(&page);
	app_release(&app);
	session_release(&session);
	qsort(taken_s, KEYS, sizeof(taken_s[0]), by_size);
	return true;
}

double bench_key_p50_ms(void)
{
	return press_keys() ? 1e3 * taken_s[KEYS / 2] : -1;
}

double bench_key_p99_ms(void)
{
	return press_keys() ? 1e3 * taken_s[KEYS * 99 / 100] : -1;
}

/* -- on a terminal -------------------------------------------------------------------- */

#define TERMINAL_KEYS 200

struct terminal {
	int fd;
	pid_t child;
	double start_s;
	char home[64]; /* of its own, so that nothing of the user's is read or written */
};

static bool open_terminal(struct terminal *t)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	const char *name;

	*t = (struct terminal){ .fd = posix_openpt(O_RDWR | O_NOCTTY),
				.home = "/tmp/stepscope-bench-XXXXXX" };
	if (!bench_program() || t->fd < 0 || grantpt(t->fd) || unlockpt(t->fd) ||
	    !(name = ptsname(t->fd)) || !mkdtemp(t->home))
		return false;
	(void)ioctl(t->fd, TIOCSWINSZ, &size);
	t->start_s = bench_now_s();
	t->child = fork();
	if (t->child == 0) {
		int slave;

		(void)setsid();
		slave = open(name, O_RDWR);
		if (slave >= 0 && dup2(slave, 0) >= 0 && dup2(slave, 1) >= 0 &&
		    dup2(slave, 2) >= 0) {
			(void)setenv("TERM", "xterm-256color", 1);
			(void)setenv("HOME", t->home, 1);
			(void)setenv("XDG_STATE_HOME", t->home, 1);
			(void)execl(bench_program(), bench_program(), (char *)NULL);
		}
		_exit(127);
	}
	return t->child > 0;
}

/* Read until `text` came, or for `quiet_ms` nothing did; bytes read, -1 when it ended. */
static long read_until(const struct terminal *t, const char *text, int quiet_ms)
{
	static char seen[65536];
	size_t len = 0;
	long all = 0;

	for (;;) {
		struct pollfd wait = { .fd = t->fd, .events = POLLIN };
		ssize_t n;

		if (poll(&wait, 1, quiet_ms) <= 0)
			return text ? -1 : all;
		if (len > sizeof(seen) / 2)
			len = 0;
		n = read(t->fd, seen + len, sizeof(seen) - len - 1);
		if (n <= 0)
			return -1;
		len += (size_t)n;
		all += n;
		seen[len] = '\0';
		if (text && strstr(seen, text))
			return all;
	}
}

static void remove_home(const struct terminal *t)
{
	char folder[128], path[400];
	const struct dirent *entry = NULL;
	DIR *listing = NULL;

	snprintf(folder, sizeof(folder), "%s/stepscope", t->home);
	listing = opendir(folder);
	while (listing && (entry = readdir(listing))) {
		snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
		(void)unlink(path);
	}
	if (listing)
		(void)closedir(listing);
	(void)rmdir(folder);
	(void)rmdir(t->home);
}

static void close_terminal(struct terminal *t)
{
	if (t->child > 0) {
		(void)kill(t->child, SIGKILL);
		(void)waitpid(t->child, NULL, 0);
		remove_home(t);
	}
	if (t->fd >= 0)
		(void)close(t->fd);
}

double bench_first_frame_ms(void)
{
	double best = -1;

	/* The best of a few: a busy machine only ever adds. */
	for (int i = 0; i < 5; i++) {
		struct terminal t;
		double taken;

		if (open_terminal(&t) && read_until(&t, "hbm-bound", 5000) > 0) {
			taken = 1e3 * (bench_now_s() - t.start_s);
			if (best < 0 || taken < best)
				best = taken;
		}
		close_terminal(&t);
	}
	return best;
}

/* The program on a terminal: from the byte of a key to the first of its frame. */
static bool press_on_terminal(void)
{
	static char frame[65536];
	struct terminal t;
	bool is_taken = false;
	int done = 0;

	if (open_terminal(&t) && read_until(&t, "hbm-bound", 5000) > 0) {
		(void)read_until(&t, NULL, 200);
		for (; done < TERMINAL_KEYS; done++) {
			struct pollfd wait = { .fd = t.fd, .events = POLLIN };
			double start = bench_now_s();

			if (write(t.fd, done % 2 ? "+" : "-", 1) != 1 || poll(&wait, 1, 5000) <= 0)
				break;
			taken_s[done] = bench_now_s() - start;
			while (poll(&wait, 1, 5) > 0 && read(t.fd, frame, sizeof(frame)) > 0)
				;
		}
		is_taken = done == TERMINAL_KEYS;
		qsort(taken_s, TERMINAL_KEYS, sizeof(taken_s[0]), by_size);
	}
	close_terminal(&t);
	return is_taken;
}

double bench_terminal_p50_ms(void)
{
	return press_on_terminal() ? 1e3 * taken_s[TERMINAL_KEYS / 2] : -1;
}

double bench_terminal_p99_ms(void)
{
	return press_on_terminal() ? 1e3 * taken_s[TERMINAL_KEYS * 99 / 100] : -1;
}

double bench_key_bytes(void)
{
	struct terminal t;
	long bytes = -1;

	if (open_terminal(&t) && read_until(&t, "hbm-bound", 5000) > 0) {
		(void)read_until(&t, NULL, 200);
		if (write(t.fd, "-", 1) == 1)
			bytes = read_until(&t, NULL, 200);
	}
	close_terminal(&t);
	return (double)bytes;
}

double bench_resident_mb(void)
{
	struct terminal t;
	char path[64], line[256];
	double megabytes = -1;
	FILE *status = NULL;

	if (open_terminal(&t) && read_until(&t, "hbm-bound", 5000) > 0) {
		snprintf(path, sizeof(path), "/proc/%ld/status", (long)t.child);
		status = fopen(path, "r");
	}
	while (status && fgets(line, sizeof(line), status)) {
		long kilobytes;

		if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1)
			megabytes = (double)kilobytes / 1000;
	}
	if (status)
		(void)fclose(status);
	close_terminal(&t);
	return megabytes;
}
