/**
 * @file
 * --only: which sections of its output a command prints.
 */
#ifndef CLI_ONLY_H
#define CLI_ONLY_H

#include "cli/run.h"

/**
 * Check the words of --only against the names there are, each ended by a comma; 0 or
 * a status.
 */
int only_check(struct batch *batch, const char *names);
/** Is it among names apart by commas or blanks? */
bool only_lists(const char *names, const char *name);
/** Is the section printed? All are when nothing is chosen. */
bool only_wants(const struct batch *batch, const char *name);

#endif
