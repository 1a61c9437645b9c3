/**
 * @file
 * Help, the manual page and completion for three shells, all out of the tables of
 * commands, options and fields.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdbool.h>

#include "text/xbuf.h"
#include "cli/commands.h"

/** `--help` of the program (NULL) or of a command. */
void help_text(struct xbuf *out, const struct command *command);

/**
 * What the build and the shells ask for: `--generate bash|zsh|fish`, a topic or `html-`TOPIC and
 * `--complete KIND [WORD]`.
 *
 * @param status what to end with, when the line was one of these.
 * @return false for any other line.
 */
bool help_hidden(int argc, char **argv, int *status);

void completion_bash(struct xbuf *out);
void completion_zsh(struct xbuf *out);
void completion_fish(struct xbuf *out);
/** Candidates for a word of a kind, one a line: see completion_words.c. */
void completion_words(struct xbuf *out, const char *kind, const char *word);

#endif
