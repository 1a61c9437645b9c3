/**
 * @file
 * A run written row by row: its requests, and its timeline.
 */
#ifndef CLI_SERVE_FILES_H
#define CLI_SERVE_FILES_H

#include "cli/run.h"
#include "stepscope/serve.h"

/** Points a timeline keeps when it is written. */
#define TIMELINE_POINTS 100000

/** Would the files be written? Before anything is played; 0 or a status. */
int serve_files_check(struct batch *batch);
/** Write those asked for; 0 or a status. */
int serve_files_write(struct batch *batch, const struct ss_serve *serve);

#endif
