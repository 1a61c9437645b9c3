/*
 * The terminal: curses and signals live in this folder and nowhere else. One
 * terminal at a time. A page goes in, events come out; the caller owns the
 * loop:
 *
 *	while (term_wait(&event, -1))
 *		handle(&event), draw(&page), term_paint(&page);
 *	term_close();
 *	term_raise_pending();
 */
#ifndef TERM_TERM_H
#define TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "app/key.h"
#include "view/page.h"

enum term_colors {
	TERM_COLORS_AUTO, /**< what the terminal has; none when NO_COLOR is set */
	TERM_COLORS_NONE,
	TERM_COLORS_ALWAYS, /**< what the terminal has, whatever NO_COLOR says */
};

struct term_options {
	enum term_colors colors;
	bool has_mouse;
	bool has_halves;   /**< plots of half blocks; also where TERM is of a console */
	bool is_ascii;     /**< lines and plots in ASCII even where UTF-8 would do */
	bool counts_bytes; /**< let term_bytes_written() count */
	int in_fd, out_fd; /**< 0 and 1 for the usual ones; see term_open() */
};

enum term_status {
	TERM_OK,
	TERM_NOT_A_TERMINAL, /**< output is no terminal, or no keys can be read */
	TERM_UNKNOWN,        /**< TERM is not set, not known, or cannot place text */
	TERM_NO_MEMORY,
};

/**
 * Take the terminal. setlocale(LC_CTYPE, "") must have been called. When
 * in_fd is no terminal, keys come from /dev/tty.
 *
 * @param message filled on failure: one line, no newline.
 */
enum term_status term_open(const struct term_options *options, char *message, size_t size);

/** Give the terminal back as it was. Fine when none is open. */
void term_close(void);

/** Whether to draw in ASCII: asked for, or the locale is not UTF-8. */
bool term_is_ascii(void);
/** Has the font half blocks alone, and neither braille nor finer ones? */
bool term_has_halves(void);

/** 256, 8, or 0 without colours. */
int term_color_count(void);

void term_size(int *rows, int *cols);

/** Show a page: what changed is sent in one write. */
void term_paint(const struct page *page);

/** Forget what is on the glass, so that the next page is painted whole. */
void term_repaint(void);

/** Bytes that painting has written since term_open(), when asked to count. */
unsigned long long term_bytes_written(void);

enum term_event_type {
	TERM_KEY,
	TERM_RESIZE, /**< term_size() has the new size */
	TERM_MOUSE,
	TERM_PASTE, /**< text pasted, by terminals that say so */
	TERM_FD,    /**< a watched descriptor can be read */
	TERM_TIMEOUT,
	TERM_RESUMED, /**< back from a suspension: paint again; a TERM_RESIZE may follow */
	TERM_LEAVE,   /**< a signal, or the end of input: leave now */
};

enum term_button {
	TERM_CLICK,
	TERM_WHEEL_UP,
	TERM_WHEEL_DOWN,
};

struct term_event {
	enum term_event_type type;
	struct key key;          /**< TERM_KEY */
	int fd;                  /**< TERM_FD */
	int row, col;            /**< TERM_MOUSE */
	enum term_button button; /**< TERM_MOUSE */
	const char *text;        /**< TERM_PASTE; borrowed until the next wait */
	size_t text_len;
};

/**
 * Work to do while no key waits. Called over and over between looks at the
 * keyboard as long as it returns true; each call should take a few ms at most.
 * NULL for none, as it is after term_open().
 */
void term_set_idle(bool (*step)(void *context), void *context);

/** Wake for input on a descriptor too, one at a time; -1 for none, as after term_open(). */
void term_watch_fd(int fd);

/**
 * The next event. Suspends and resumes by itself.
 *
 * @param timeout_ms below 0 waits without end.
 * @return false once the event is TERM_LEAVE.
 */
bool term_wait(struct term_event *event, int timeout_ms);

/** Whether a key waits already, so that painting can be put off. */
bool term_has_input(void);

/** Suspend as Ctrl-Z does; returns when resumed. */
void term_suspend(void);

/** Around a child process that uses the terminal. */
void term_lend(void);
void term_take_back(void);

/** Put text on the clipboard by OSC 52. False when it is too long for it. */
bool term_copy(const char *text, size_t len);

/** The signal that asked to leave, or 0. */
int term_pending_signal(void);

/** After term_close(): die of the signal that asked to leave, if one did. */
void term_raise_pending(void);

#endif
