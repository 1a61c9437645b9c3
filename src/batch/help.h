/**
 * @file
 * Help, the manual page and completion for three shells, all out of the tables of
 * commands, options and fields.
 */
#ifndef BATCH_HELP_H
#define BATCH_HELP_H

#include "app/buf.h"
#include "batch/commands.h"

/** `--help` of the program (NULL) or of a command. */
void help_text(struct buf *out, const struct command *command);
/** stepscope(1) in man macros. */
void help_manual(struct buf *out);

#endif
