/**
 * @file
 * Text on its way to a person. Names, files and arguments may hold what acts on a
 * terminal or turns what is read around; here it is spelt out instead: \x1b, \u202e.
 * CSV alone goes out as it is.
 */
#ifndef TEXT_SHOWN_H
#define TEXT_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "text/xbuf.h"
#include "stepscope/status.h"

enum shown_as {
	SHOWN_LINE,  /**< one line: its breaks are spelt out too */
	SHOWN_LINES, /**< breaks are ours and stay */
	SHOWN_JSON,  /**< JSON already: it reads back as the same text */
};

/** Is there nothing to spell out? */
bool shown_is_plain(const char *text, size_t len, enum shown_as as);

/** Add a text spelt out. */
void shown_add(struct xbuf *out, const char *text, size_t len, enum shown_as as);

/** Spell out what a buffer holds. */
void shown_buffer(struct xbuf *buffer, enum shown_as as);

/** Say one line on standard error, with the program's name before it. */
void say(const char *format, ...) SS_PRINTF(1, 2);

#endif
