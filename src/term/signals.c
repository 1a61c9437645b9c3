#include "term/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAVE_BYTES 512

/* A handler sees only these; all of it is ready before a handler is set. */
static volatile sig_atomic_t leaving, stop_asked, continued;
static volatile sig_atomic_t leave_fd = -1;
static volatile sig_atomic_t leave_len;
static char leave_bytes[LEAVE_BYTES];
static struct termios leave_mode;
static int wake[2] = { -1, -1 };

static const int leave_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int job_signals[] = { SIGTSTP, SIGCONT };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sigaction before_leave[COUNT(leave_signals)];
static struct sigaction before_crash[COUNT(crash_signals)];
static struct sigaction before_job[COUNT(job_signals)];
static bool is_open;

/* A crash by a full stack needs another one to give the terminal back on. */
static void *crash_stack;
static stack_t stack_before;

static void wake_loop(void)
{
	int saved = errno;
	ssize_t n = write(wake[1], "s", 1);

	/* a full pipe wakes the loop just as well */
	(void)n;
	errno = saved;
}

static void on_leave(int sig)
{
	leaving = sig;
	wake_loop();
}

static void on_job(int sig)
{
	if (sig == SIGTSTP)
		stop_asked = 1;
	else
		continued = 1;
	wake_loop();
}

void signals_give_back(void)
{
	if (leave_fd >= 0 && leave_len > 0) {
		ssize_t n = write(leave_fd, leave_bytes, (size_t)leave_len);

		(void)n;
		(void)tcsetattr(leave_fd, TCSANOW, &leave_mode);
	}
}

static void on_crash(int sig)
{
	size_t i;

	signals_give_back();
	for (i = 0; i < COUNT(crash_signals); i++)
		if (crash_signals[i] == sig)
			(void)sigaction(sig, &before_crash[i], NULL);
	(void)raise(sig);
}

static void install(const int *signals, struct sigaction *before, size_t count,
		    void (*handler)(int), int flags)
{
	struct sigaction action;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	(void)sigemptyset(&action.sa_mask);
	for (i = 0; i < count; i++) {
		(void)sigaction(signals[i], NULL, &before[i]);
		/* what the parent set to be ignored, as nohup does, stays so */
		if (before[i].sa_handler == SIG_IGN && handler != on_crash)
			continue;
		(void)sigaction(signals[i], &action, NULL);
	}
}

static void put_back(const int *signals, const struct sigaction *before, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		(void)sigaction(signals[i], &before[i], NULL);
}

static int set_flags(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -1;
	return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void close_pipe(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (wake[i] >= 0)
			(void)close(wake[i]);
		wake[i] = -1;
	}
}

int signals_open(void)
{
	size_t stack_size = (size_t)SIGSTKSZ < 32768 ? 32768 : (size_t)SIGSTKSZ;
	stack_t stack;

	if (pipe(wake) < 0)
		return -1;
	crash_stack = malloc(stack_size);
	if (!crash_stack || set_flags(wake[0]) < 0 || set_flags(wake[1]) < 0) {
		free(crash_stack);
		crash_stack = NULL;
		close_pipe();
		return -1;
	}
	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = crash_stack;
	stack.ss_size = stack_size;
	(void)sigaltstack(&stack, &stack_before);
	leaving = 0;
	stop_asked = 0;
	continued = 0;
	install(leave_signals, before_leave, COUNT(leave_signals), on_leave, 0);
	install(job_signals, before_job, COUNT(job_signals), on_job, 0);
	install(crash_signals, before_crash, COUNT(crash_signals), on_crash,
		SA_ONSTACK | SA_NODEFER);
	is_open = true;
	return 0;
}

void signals_close(void)
{
	if (!is_open)
		return;
	is_open = false;
	leave_len = 0;
	leave_fd = -1;
	put_back(crash_signals, before_crash, COUNT(crash_signals));
	put_back(job_signals, before_job, COUNT(job_signals));
	put_back(leave_signals, before_leave, COUNT(leave_signals));
	(void)sigaltstack(&stack_before, NULL);
	free(crash_stack);
	crash_stack = NULL;
	close_pipe();
}

int signals_fd(void)
{
	return wake[0];
}

void signals_drain(void)
{
	char bytes[64];

	while (wake[0] >= 0 && read(wake[0], bytes, sizeof(bytes)) > 0)
		;
}

void signals_set_leave(int fd, const char *bytes, size_t len, const struct termios *mode)
{
	/* off while it changes: a crash in between must not write half of it */
	leave_len = 0;
	if (len > sizeof(leave_bytes))
		len = sizeof(leave_bytes);
	if (len == 0)
		return;
	memcpy(leave_bytes, bytes, len);
	leave_mode = *mode;
	leave_fd = fd;
	leave_len = (sig_atomic_t)len;
}

int signals_leaving(void)
{
	return leaving;
}

bool signals_take_stop(void)
{
	bool was = stop_asked;

	stop_asked = 0;
	return was;
}

bool signals_take_continue(void)
{
	bool was = continued;

	continued = 0;
	return was;
}

void signals_stop_self(void)
{
	struct sigaction ours, usual;
	sigset_t stop, before;

	/* a shell without job control could not continue us */
	if (before_job[0].sa_handler == SIG_IGN)
		return;
	memset(&usual, 0, sizeof(usual));
	usual.sa_handler = SIG_DFL;
	(void)sigemptyset(&usual.sa_mask);
	(void)sigaction(SIGTSTP, &usual, &ours);
	(void)sigemptyset(&stop);
	(void)sigaddset(&stop, SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &stop, &before);
	(void)raise(SIGTSTP);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	(void)sigaction(SIGTSTP, &ours, NULL);
}
