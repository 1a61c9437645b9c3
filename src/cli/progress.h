/**
 * @file
 * A bar on a terminal for what takes over a second, and Ctrl-C, which ends the run but
 * not the program.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "cli/run.h"

/** What a run stopped by Ctrl-C ends with, once it has said what it knows. */
enum { EXIT_INTERRUPTED = 130 };

struct progress {
	bool is_on, is_shown;
	double start_s, shown_s;
	const char *what;
};

/** Begin; nothing is shown where it would be in the way. */
void progress_start(struct progress *progress, const struct batch *batch);
/** Show a share done, 0 to 1, when it is time to. */
void progress_show(struct progress *progress, double share);
void progress_end(const struct progress *progress);

/** From here the first Ctrl-C is ours; the next one stops the program. */
void progress_catch(void);
/** Was it pressed? */
bool progress_is_stopped(void);

#endif
