/*
 * From bytes to events. The loop sleeps in pselect() over the keyboard, the
 * pipe of the signals and one more descriptor; SIGWINCH comes through only
 * there, and ncurses turns it into KEY_RESIZE.
 */
#include "term/term.h"

#include <curses.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <time.h>

#include "term/screen.h"
#include "text/utf8.h"
#include "term/signals.h"

static const struct {
	int curses;
	struct key key;
} named[] = {
	{ KEY_ENTER, { KEYCODE_ENTER, 0 } },
	{ KEY_BACKSPACE, { KEYCODE_BACKSPACE, 0 } },
	{ KEY_DC, { KEYCODE_DELETE, 0 } },
	{ KEY_SDC, { KEYCODE_DELETE, MOD_SHIFT } },
	{ KEY_IC, { KEYCODE_INSERT, 0 } },
	{ KEY_UP, { KEYCODE_UP, 0 } },
	{ KEY_DOWN, { KEYCODE_DOWN, 0 } },
	{ KEY_LEFT, { KEYCODE_LEFT, 0 } },
	{ KEY_RIGHT, { KEYCODE_RIGHT, 0 } },
	{ KEY_SR, { KEYCODE_UP, MOD_SHIFT } },
	{ KEY_SF, { KEYCODE_DOWN, MOD_SHIFT } },
	{ KEY_SLEFT, { KEYCODE_LEFT, MOD_SHIFT } },
	{ KEY_SRIGHT, { KEYCODE_RIGHT, MOD_SHIFT } },
	{ KEY_HOME, { KEYCODE_HOME, 0 } },
	{ KEY_END, { KEYCODE_END, 0 } },
	{ KEY_A1, { KEYCODE_HOME, 0 } },
	{ KEY_C1, { KEYCODE_END, 0 } },
	{ KEY_PPAGE, { KEYCODE_PAGE_UP, 0 } },
	{ KEY_NPAGE, { KEYCODE_PAGE_DOWN, 0 } },
	{ KEY_A3, { KEYCODE_PAGE_UP, 0 } },
	{ KEY_C3, { KEYCODE_PAGE_DOWN, 0 } },
	{ KEY_BTAB, { KEYCODE_TAB, MOD_SHIFT } },
};

/* False for a key we have no name for. */
static bool decode_named(int code, struct key *key)
{
	size_t i;

	if (code >= KEY_F(1) && code <= KEY_F(12)) {
		key->code = (uint32_t)(KEYCODE_F1 + (code - KEY_F(1)));
		key->mods = 0;
		return true;
	}
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (named[i].curses == code) {
			*key = named[i].key;
			return true;
		}
	}
	return false;
}

static struct key decode_character(wint_t c)
{
	struct key key = { (uint32_t)c, 0 };

	switch (c) {
	case '\r':
	case '\n':
		key.code = KEYCODE_ENTER;
		break;
	case '\t':
		key.code = KEYCODE_TAB;
		break;
	case 0x1b:
		key.code = KEYCODE_ESC;
		break;
	case 0x08:
	case 0x7f:
		key.code = KEYCODE_BACKSPACE;
		break;
	default:
		if (c < 0x20) {
			/* ^A is 'a' with Ctrl; ^@ and ^\ keep their sign */
			key.code = c >= 1 && c <= 26 ? (uint32_t)c + 'a' - 1 : (uint32_t)c + '@';
			key.mods = MOD_CTRL;
		}
		break;
	}
	return key;
}

static bool decode_mouse(struct term_event *event)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK)
		return false;
	event->type = TERM_MOUSE;
	event->row = mouse.y;
	event->col = mouse.x;
	if (mouse.bstate & BUTTON4_PRESSED)
		event->button = TERM_WHEEL_UP;
	else if (mouse.bstate & BUTTON5_PRESSED)
		event->button = TERM_WHEEL_DOWN;
	else if (mouse.bstate & BUTTON1_PRESSED)
		event->button = TERM_CLICK;
	else
		return false;
	return true;
}

#define PASTE_LIMIT ((size_t)1 << 20)

/* A key inside a paste; true at its end. What is too long is cut, and does not parse. */
static bool paste_key(int rc, wint_t c, struct term_event *event)
{
	if (rc == KEY_CODE_YES && c == PASTE_BEGIN) {
		screen.is_pasting = true;
		screen.pasted.len = 0;
		return false;
	}
	if (rc == KEY_CODE_YES && c == PASTE_END) {
		screen.is_pasting = false;
		event->type = TERM_PASTE;
		event->text = xbuf_text(&screen.pasted);
		event->text_len = screen.pasted.len;
		return true;
	}
	if (rc == KEY_CODE_YES && c == KEY_ENTER)
		c = '\n', rc = OK;
	if (rc == OK && screen.pasted.len < PASTE_LIMIT) {
		char bytes[5];

		bytes[text_encode(bytes, c == '\r' ? '\n' : (uint32_t)c)] = '\0';
		xbuf_puts(&screen.pasted, bytes);
	}
	return false;
}

/* One event from what ncurses has; false when nothing of use is there. */
static bool read_key(struct term_event *event)
{
	wint_t c;
	int rc;

	while ((rc = get_wch(&c)) != ERR) {
		if (screen.is_pasting || (rc == KEY_CODE_YES && c == PASTE_BEGIN)) {
			if (paste_key(rc, c, event))
				return true;
			continue;
		}
		if (rc == OK) {
			event->type = TERM_KEY;
			event->key = decode_character(c);
			return true;
		}
		if (c == KEY_RESIZE) {
			event->type = TERM_RESIZE;
			return true;
		}
		if (c == KEY_MOUSE) {
			if (decode_mouse(event))
				return true;
		} else if (decode_named((int)c, &event->key)) {
			event->type = TERM_KEY;
			return true;
		}
	}
	return false;
}

void term_set_idle(bool (*step)(void *context), void *context)
{
	screen.idle = step;
	screen.idle_context = context;
}

void term_watch_fd(int fd)
{
	screen.watched_fd = fd < FD_SETSIZE ? fd : -1;
}

/* What woke the loop. */
struct ready {
	bool has_keys, has_watched;
};

/* Sleep; a wait of 0 only looks. Returns how many are ready, 0 after a signal. */
static int sleep_on(struct ready *ready, int wait_ms)
{
	struct timespec wait = { wait_ms / 1000, wait_ms % 1000 * 1000000L };
	int top = screen.in_fd, n;
	fd_set set;

	FD_ZERO(&set);
	FD_SET(screen.in_fd, &set);
	FD_SET(signals_fd(), &set);
	top = signals_fd() > top ? signals_fd() : top;
	if (screen.watched_fd >= 0) {
		FD_SET(screen.watched_fd, &set);
		top = screen.watched_fd > top ? screen.watched_fd : top;
	}
	n = pselect(top + 1, &set, NULL, NULL, wait_ms < 0 ? NULL : &wait, &screen.mask_asleep);
	ready->has_keys = n > 0 && FD_ISSET(screen.in_fd, &set);
	ready->has_watched = n > 0 && screen.watched_fd >= 0 && FD_ISSET(screen.watched_fd, &set);
	if (n > 0 && FD_ISSET(signals_fd(), &set))
		signals_drain();
	if (n < 0 && errno != EINTR)
		screen.is_at_end = true;
	return n < 0 ? 0 : n;
}

/* Readable without bytes: the terminal has gone. */
static bool is_gone(void)
{
	int waiting = 0;

	return ioctl(screen.in_fd, FIONREAD, &waiting) < 0 || waiting == 0;
}

static long long now_ms(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Signals first: they may come without a byte. True when `event` is set. */
static bool take_signals(struct term_event *event)
{
	if (signals_leaving() || screen.is_at_end) {
		event->type = TERM_LEAVE;
		return true;
	}
	if (signals_take_stop()) {
		term_suspend();
		/* stopping ourselves ends in a SIGCONT that is dealt with */
		(void)signals_take_continue();
		event->type = TERM_RESUMED;
		return true;
	}
	if (signals_take_continue()) {
		/* stopped from outside: the shell has changed the mode since */
		term_take_back();
		event->type = TERM_RESUMED;
		return true;
	}
	return false;
}

bool term_wait(struct term_event *event, int timeout_ms)
{
	long long until = timeout_ms < 0 ? 0 : now_ms() + timeout_ms;
	bool has_work = screen.idle != NULL;
	struct ready ready;

	for (;;) {
		int wait = -1;

		if (take_signals(event))
			return event->type != TERM_LEAVE;
		/* ncurses may hold keys it has read already */
		if (read_key(event))
			return true;
		if (timeout_ms >= 0) {
			long long left = until - now_ms();

			wait = left > 0 ? (int)left : 0;
		}
		if (sleep_on(&ready, has_work ? 0 : wait) == 0 && !has_work && wait == 0 &&
		    !signals_leaving()) {
			event->type = TERM_TIMEOUT;
			return true;
		}
		if (ready.has_keys && is_gone())
			screen.is_at_end = true;
		if (ready.has_keys)
			continue;
		if (ready.has_watched) {
			event->type = TERM_FD;
			event->fd = screen.watched_fd;
			return true;
		}
		if (has_work)
			has_work = screen.idle(screen.idle_context);
	}
}

bool term_has_input(void)
{
	struct ready ready;

	return sleep_on(&ready, 0) > 0 || signals_leaving() != 0;
}
