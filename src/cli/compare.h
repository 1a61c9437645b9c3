/** @file  Two cases side by side: what the parts of the command share. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include <stdbool.h>

#include "case/findings.h"
#include "cli/run.h"
#include "report/json.h"

struct doc;

struct pair {
	const struct findings *a, *b;
	bool differs;
};

/** Has each side a price? */
bool compare_has_prices(const struct pair *p);
/** Does one side have measured kernels and the other the laws? */
bool compare_is_crossed(const struct pair *p);
bool compare_is_apart(double a, double b);
/** Three cells of milliseconds: A, B, and what B is more. */
void compare_delta(struct doc *doc, double a, double b);
/** The section of the terms. */
cJSON *compare_terms(struct pair *p, struct doc *doc);

/** One deployment under releases apart by commas. */
int run_compare_releases(struct batch *batch, const char *names);

#endif
