#include "cli/progress.h"

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
	(void)fprintf(stderr, "\r[%s] %3.0f %%  %s  ", bar, share * 100, p->what);
}

void progress_end(const struct progress *p)
{
	if (p->is_shown)
		(void)fprintf(stderr, "\r%*s\r", BAR_WIDTH + 40, "");
}
