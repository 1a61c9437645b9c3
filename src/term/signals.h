/*
 * Signals of the terminal module. Those that ask to leave set a flag and wake
 * the loop through a pipe; those that are crashes give the terminal back with
 * nothing but write() and tcsetattr().
 */
#ifndef TERM_SIGNALS_H
#define TERM_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/** Start: handlers in place, pipe open. 0, or -1 without a pipe or memory. */
int signals_open(void);

/** Put every handler back as it was. Fine when not open. */
void signals_close(void);

/** The end of the pipe that wakes the loop. */
int signals_fd(void);

/** Empty the pipe. */
void signals_drain(void);

/**
 * What a crash does: write these bytes to `fd`, then set its mode. The bytes
 * are copied; what does not fit is left out. With no bytes a crash only
 * raises again.
 */
void signals_set_leave(int fd, const char *bytes, size_t len, const struct termios *mode);

/** Write those bytes and set that mode now, as a crash does. */
void signals_give_back(void);

/** The signal that asked to leave, or 0. */
int signals_leaving(void);

/** Whether SIGTSTP or SIGCONT came since the last call. */
bool signals_take_stop(void);
bool signals_take_continue(void);

/** Stop this process as SIGTSTP does by default; returns when continued. */
void signals_stop_self(void);

#endif
