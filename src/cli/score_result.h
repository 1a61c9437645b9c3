/**
 * @file
 * Scoring what `vllm bench serve` saved of one deployment.
 */
#ifndef CLI_SCORE_RESULT_H
#define CLI_SCORE_RESULT_H

#include "cli/run.h"

/** Is it a saved result, by its name? */
bool score_is_result(const char *path);
/**
 * Play its load before the scenario named second, or made of the line, and set metric
 * against metric.
 *
 * @param limit  a median error above it is status 1.
 */
int score_result(struct batch *batch, const char *path, double limit);

#endif
