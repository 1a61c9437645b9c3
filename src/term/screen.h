/* What the files of this folder share about the one open terminal. */
#ifndef TERM_SCREEN_H
#define TERM_SCREEN_H

#include <curses.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

#include "text/xbuf.h"
#include "view/page.h"

/* Keys of ours beside those of curses: the marks around a paste. */
#define PASTE_BEGIN (KEY_MAX + 1)
#define PASTE_END (KEY_MAX + 2)

struct screen {
	SCREEN *curses; /**< NULL while no terminal is open */
	FILE *in, *out;
	int in_fd, out_fd;
	struct termios mode_before;
	sigset_t mask_before; /**< put back when the terminal is given back */
	sigset_t mask_asleep; /**< while the loop sleeps: SIGWINCH comes through */
	bool is_utf8, is_ascii, has_halves, counts_bytes, is_at_end;
	int colors;
	attr_t attrs[STYLE_COUNT];
	short pairs[STYLE_COUNT];
	struct cell *shown; /**< what is on the glass; NULL when unknown */
	int shown_rows, shown_cols;
	unsigned long long bytes;
	int signal;         /**< that asked to leave, kept past term_close() */
	struct xbuf pasted; /**< text between the marks of a paste */
	bool is_pasting;
	int watched_fd; /**< -1 for none */
	bool (*idle)(void *context);
	void *idle_context;
};

extern struct screen screen;

#endif
