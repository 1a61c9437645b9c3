#include "cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };
static const double SHOWN_AFTER_S = 1, SHOWN_EVERY_S = 0.1;

static double now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(struct progress *progress, const struct batch *batch)
{
	*progress = (struct progress){
		.is_on = !batch->arguments->is_quiet && isatty(STDERR_FILENO),
		.start_s = now_s(),
		.what = "",
	};
}

void progress_show(struct progress *p, double share)
{
	double at = now_s();
	char bar[BAR_WIDTH + 1];

	if (!p->is_on || at - p->start_s < SHOWN_AFTER_S || at - p->shown_s < SHOWN_EVERY_S)
		return;
	p->shown_s = at;
	p->is_shown = true;
	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	(void)fprintf(stderr, "\r[%s] %3.0f %%  %-30.30s", bar, share * 100, p->what);
}

void progress_end(const struct progress *p)
{
	if (p->is_shown)
		(void)fprintf(stderr, "\r%*s\r", BAR_WIDTH + 40, "");
}

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

void progress_catch(void)
{
	struct sigaction action = { .sa_flags = (int)SA_RESETHAND };

	action.sa_handler = on_interrupt;
	is_interrupted = 0;
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
}

bool progress_is_stopped(void)
{
	return is_interrupted;
}
