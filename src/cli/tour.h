/**
 * @file
 * Tours outside the explorer: the figures they look at, and the check.
 */
#ifndef CLI_TOUR_H
#define CLI_TOUR_H

#include "app/tour.h"
#include "cli/arguments.h"

/** Figures of the JSON contract, as tours name them. */
extern const struct tour_figures tour_json_figures;

/**
 * Read the tour that the arguments name and open the scenario it starts with.
 * Release the session whatever is returned; the tour on success.
 *
 * @return an exit status; what is wrong was said.
 */
int tour_open(struct tour *tour, struct session *session, const struct arguments *arguments);

#endif
