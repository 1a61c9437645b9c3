/**
 * @file
 * A sweep whose cases come one a line: for editors and services.
 */
#ifndef CLI_SWEEP_JOBS_H
#define CLI_SWEEP_JOBS_H

#include "cli/run.h"
#include "sweep/sweep.h"

/**
 * Read JSON objects from standard input, one a line, until its end; answer each with
 * one line before the next is read when input has run dry. Keys are axes as --vary
 * names them, `batch` and `id`; what a line does not name is as in the scenario.
 *
 * @return the exit status: 1 when no line could be priced.
 */
int sweep_jobs(struct batch *batch, struct sweep_plan *plan);

#endif
