/*
 * Opening, painting and lending the terminal; reading it is events.c.
 *
 * SIGWINCH stays with ncurses. It is blocked but while the loop sleeps, so
 * that a resize is never lost between looking and sleeping.
 */
#include "term/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <term.h>

#include "term/screen.h"
#include "term/signals.h"
#include "text/xbuf.h"
#include "view/text.h"

#define ESCAPE_DELAY_MS 25
/* What terminals commonly take in one OSC 52, after base64. */
#define COPY_LIMIT 74994

struct screen screen = { .in_fd = -1, .out_fd = -1, .watched_fd = -1 };

static attr_t attributes_of(unsigned attrs)
{
	return (attrs & ATTR_BOLD ? A_BOLD : A_NORMAL) |
	       (attrs & ATTR_REVERSE ? A_REVERSE : A_NORMAL) |
	       (attrs & ATTR_UNDERLINE ? A_UNDERLINE : A_NORMAL) |
	       (attrs & ATTR_DIM ? A_DIM : A_NORMAL);
}

static void set_looks(enum term_colors colors)
{
	const char *no_color = getenv("NO_COLOR");
	bool wants = colors == TERM_COLORS_ALWAYS ||
		     (colors == TERM_COLORS_AUTO && !(no_color && no_color[0]));
	bool has_default;
	int i;

	screen.colors = 0;
	if (wants && has_colors() && start_color() == OK && COLOR_PAIRS > STYLE_COUNT)
		screen.colors = COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
	has_default = screen.colors && use_default_colors() == OK;
	for (i = 0; i < STYLE_COUNT; i++) {
		const struct style_row *row = style_row((enum style_role)i);
		const struct style_look *look = screen.colors == 256 ? &row->rich : &row->eight;
		short fg = look->fg, bg = look->bg;

		screen.attrs[i] = attributes_of(screen.colors ? look->attrs : row->mono);
		screen.pairs[i] = 0;
		if (!screen.colors || (fg < 0 && bg < 0))
			continue;
		if (!has_default) {
			fg = fg < 0 ? COLOR_WHITE : fg;
			bg = bg < 0 ? COLOR_BLACK : bg;
		}
		if (init_pair((short)(i + 1), fg, bg) == OK)
			screen.pairs[i] = (short)(i + 1);
	}
}

/* Where tputs() puts what a crash would write. */
static char leave_text[512];
static size_t leave_len;

static int keep_byte(int c)
{
	if (leave_len < sizeof(leave_text))
		leave_text[leave_len++] = (char)c;
	return c;
}

static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

static void prepare_leave(bool has_mouse)
{
	static const char mouse_off[] = "\033[?1000l\033[?1006l";
	static const char *const names[] = { "sgr0", "op", "cnorm", "rmkx", "rmcup" };
	size_t i;

	leave_len = 0;
	for (i = 0; paste_off[i]; i++)
		(void)keep_byte(paste_off[i]);
	for (i = 0; has_mouse && mouse_off[i]; i++)
		(void)keep_byte(mouse_off[i]);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		/* tigetstr() takes no const, and writes nothing */
		char name[8];
		char *text;

		(void)snprintf(name, sizeof(name), "%s", names[i]);
		text = tigetstr(name);
		if (text && text != (char *)-1)
			(void)tputs(text, 1, keep_byte);
	}
	signals_set_leave(screen.out_fd, leave_text, leave_len, &screen.mode_before);
}

/*
 * Ctrl-C and Ctrl-Z stay signals. Flow control and the driver's quoting go:
 * a stray Ctrl-S must not freeze the screen.
 */
static void set_keyboard_mode(void)
{
	struct termios mode;

	(void)cbreak();
	(void)noecho();
	(void)nonl();
	if (tcgetattr(screen.in_fd, &mode) == 0) {
		mode.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
		mode.c_lflag &= ~(tcflag_t)IEXTEN;
		(void)tcsetattr(screen.in_fd, TCSADRAIN, &mode);
		(void)def_prog_mode();
	}
	(void)intrflush(stdscr, FALSE);
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)set_escdelay(ESCAPE_DELAY_MS);
}

/* Whether this terminal can place text; the message says what would help. */
static enum term_status check_terminal(char *message, size_t size)
{
	const char *name = getenv("TERM");
	char place[] = "cup", clean[64];
	int found = 0;

	if (!name || !name[0]) {
		(void)snprintf(message, size,
			       "TERM is not set; set it to the terminal's name, as xterm-256color");
		return TERM_UNKNOWN;
	}
	text_clean(clean, sizeof(clean), name, strlen(name));
	if (setupterm(NULL, screen.out_fd, &found) != OK && found <= 0) {
		(void)snprintf(message, size,
			       "TERM=%s is not a known terminal; set it to one that is, as"
			       " xterm-256color",
			       clean);
		return TERM_UNKNOWN;
	}
	if (!tigetstr(place) || tigetstr(place) == (char *)-1) {
		(void)snprintf(message, size,
			       "TERM=%s cannot place text on the screen; set it to one that can, as"
			       " xterm-256color",
			       clean);
		(void)del_curterm(cur_term);
		return TERM_UNKNOWN;
	}
	(void)del_curterm(cur_term);
	return TERM_OK;
}

static void release_screen(void)
{
	if (screen.in)
		(void)fclose(screen.in);
	if (screen.out)
		(void)fclose(screen.out);
	free(screen.shown);
	xbuf_release(&screen.pasted);
	memset(&screen, 0, sizeof(screen));
	screen.in_fd = -1;
	screen.out_fd = -1;
	screen.watched_fd = -1;
}

/* Streams of our own, so that closing them leaves stdin and stdout alone. */
static int open_streams(const struct term_options *options)
{
	int in = isatty(options->in_fd) ? dup(options->in_fd)
					: open("/dev/tty", O_RDONLY | O_NOCTTY);
	int out = dup(options->out_fd);

	if (in >= 0)
		screen.in = fdopen(in, "r");
	if (out >= 0)
		screen.out = fdopen(out, "w");
	if (in >= 0 && !screen.in)
		(void)close(in);
	if (out >= 0 && !screen.out)
		(void)close(out);
	if (!screen.in || !screen.out)
		return -1;
	(void)fcntl(in, F_SETFD, FD_CLOEXEC);
	(void)fcntl(out, F_SETFD, FD_CLOEXEC);
	screen.in_fd = in;
	screen.out_fd = out;
	return in < FD_SETSIZE ? 0 : -1;
}

static void block_resize_signal(void)
{
	sigset_t winch;

	(void)sigemptyset(&winch);
	(void)sigaddset(&winch, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &winch, &screen.mask_before);
	screen.mask_asleep = screen.mask_before;
	(void)sigdelset(&screen.mask_asleep, SIGWINCH);
}

/* Let the terminal mark what is pasted; those that cannot pass it over. */
static void set_paste(bool is_on)
{
	(void)fputs(is_on ? paste_on : paste_off, screen.out);
	(void)fflush(screen.out);
	if (is_on) {
		(void)define_key("\033[200~", PASTE_BEGIN);
		(void)define_key("\033[201~", PASTE_END);
	}
}

/* The fonts of these have no braille: those of kernels, which hold 512 glyphs at most. */
static bool is_console(void)
{
	static const char *const names[] = { "linux", "cons25", "wsvt25", "vt220", "console" };
	const char *name = termname();

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

enum term_status term_open(const struct term_options *options, char *message, size_t size)
{
	enum term_status status;

	release_screen();
	if (!isatty(options->out_fd)) {
		(void)snprintf(message, size, "the output is not a terminal");
		return TERM_NOT_A_TERMINAL;
	}
	if (open_streams(options) || tcgetattr(screen.in_fd, &screen.mode_before)) {
		(void)snprintf(message, size, "no terminal to read keys from");
		release_screen();
		return TERM_NOT_A_TERMINAL;
	}
	status = check_terminal(message, size);
	if (status) {
		release_screen();
		return status;
	}
	screen.curses = newterm(NULL, screen.out, screen.in);
	if (!screen.curses || signals_open()) {
		if (screen.curses) {
			(void)endwin();
			delscreen(screen.curses);
		}
		(void)snprintf(message, size, "the terminal cannot be set up");
		release_screen();
		return TERM_NO_MEMORY;
	}
	(void)set_term(screen.curses);
	block_resize_signal();
	set_keyboard_mode();
	set_looks(options->colors);
	prepare_leave(options->has_mouse);
	out_of_memory_gives_back(signals_give_back);
	screen.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	screen.is_ascii = options->is_ascii || !screen.is_utf8;
	screen.has_halves = options->has_halves || is_console();
	screen.counts_bytes = options->counts_bytes;
	if (options->has_mouse) {
		(void)mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
		/* a press is answered at once, not after a wait for a second one */
		(void)mouseinterval(0);
	}
	set_paste(true);
	(void)curs_set(0);
	return TERM_OK;
}

void term_close(void)
{
	int sig;

	if (!screen.curses)
		return;
	set_paste(false);
	(void)endwin();
	/* endwin() knows the mode newterm() found; ours was read before it */
	(void)tcsetattr(screen.in_fd, TCSADRAIN, &screen.mode_before);
	sig = signals_leaving();
	out_of_memory_gives_back(NULL);
	signals_close();
	(void)sigprocmask(SIG_SETMASK, &screen.mask_before, NULL);
	delscreen(screen.curses);
	release_screen();
	screen.signal = sig;
}

bool term_has_halves(void)
{
	return screen.has_halves;
}

bool term_is_ascii(void)
{
	return screen.is_ascii;
}

int term_color_count(void)
{
	return screen.colors;
}

void term_size(int *rows, int *cols)
{
	getmaxyx(stdscr, *rows, *cols);
}

/* What the kernel says this process has written; 0 where it does not say. */
static unsigned long long written_so_far(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	unsigned long long bytes = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "wchar:", 6) == 0)
			bytes = strtoull(line + 6, NULL, 10);
	if (f)
		(void)fclose(f);
	return bytes;
}

/* A cell as ncurses takes it; what it would measure otherwise becomes '?'. */
static void put_cell(int row, int col, const struct cell *cell)
{
	size_t len = strlen(cell->text), at = 0, n = 0;
	wchar_t wide[CCHARW_MAX + 1];
	cchar_t out;
	int k;

	while (at < len && n < CCHARW_MAX) {
		uint32_t cp;

		at += text_decode(cell->text + at, len - at, &cp);
		wide[n++] = (wchar_t)cp;
	}
	wide[n] = L'\0';
	if (wide[0] >= 0x80 && (!screen.is_utf8 || wcwidth(wide[0]) != cell->width)) {
		wide[0] = L'?';
		wide[1] = L'\0';
	}
	if (setcchar(&out, wide, screen.attrs[cell->style], screen.pairs[cell->style], NULL) != OK)
		return;
	(void)mvadd_wchnstr(row, col, &out, 1);
	for (k = 1; k < cell->width && wide[0] == L'?'; k++)
		(void)mvadd_wchnstr(row, col + k, &out, 1);
}

static bool take_shadow(const struct page *page)
{
	size_t n = (size_t)page->rows * (size_t)page->cols;

	if (screen.shown && screen.shown_rows == page->rows && screen.shown_cols == page->cols)
		return true;
	free(screen.shown);
	screen.shown = calloc(n, sizeof(*screen.shown));
	screen.shown_rows = page->rows;
	screen.shown_cols = page->cols;
	(void)erase();
	return screen.shown != NULL;
}

void term_paint(const struct page *page)
{
	unsigned long long before = screen.counts_bytes ? written_so_far() : 0;
	bool has_shadow;
	int row, col, rows, cols;

	if (!screen.curses)
		return;
	has_shadow = take_shadow(page);
	getmaxyx(stdscr, rows, cols);
	for (row = 0; row < page->rows && row < rows; row++) {
		for (col = 0; col < page->cols && col < cols; col++) {
			const struct cell *cell = page_cell(page, row, col);
			struct cell *was = NULL;

			if (has_shadow)
				was = &screen.shown[(size_t)row * (size_t)page->cols + (size_t)col];
			if (was && memcmp(was, cell, sizeof(*cell)) == 0)
				continue;
			if (was)
				*was = *cell;
			if (cell->width > 0)
				put_cell(row, col, cell);
		}
	}
	(void)curs_set(page->cursor_row >= 0 ? 1 : 0);
	if (page->cursor_row >= 0)
		(void)move(page->cursor_row, page->cursor_col);
	(void)refresh();
	if (screen.counts_bytes)
		screen.bytes += written_so_far() - before;
}

void term_repaint(void)
{
	free(screen.shown);
	screen.shown = NULL;
	if (screen.curses)
		(void)clearok(curscr, TRUE);
}

unsigned long long term_bytes_written(void)
{
	return screen.bytes;
}

void term_lend(void)
{
	set_paste(false);
	(void)endwin();
	(void)tcsetattr(screen.in_fd, TCSADRAIN, &screen.mode_before);
	(void)sigprocmask(SIG_SETMASK, &screen.mask_before, NULL);
}

void term_take_back(void)
{
	struct winsize size;

	block_resize_signal();
	(void)reset_prog_mode();
	set_paste(true);
	if (ioctl(screen.out_fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
	    is_term_resized(size.ws_row, size.ws_col))
		(void)resizeterm(size.ws_row, size.ws_col);
	term_repaint();
	(void)refresh();
}

void term_suspend(void)
{
	if (!screen.curses)
		return;
	term_lend();
	signals_stop_self();
	term_take_back();
}

static size_t base64(char *out, const char *text, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t put = 0, i;

	for (i = 0; i < len; i += 3) {
		unsigned long bits = (unsigned long)(unsigned char)text[i] << 16;

		if (i + 1 < len)
			bits |= (unsigned long)(unsigned char)text[i + 1] << 8;
		if (i + 2 < len)
			bits |= (unsigned char)text[i + 2];
		out[put++] = digits[bits >> 18 & 63];
		out[put++] = digits[bits >> 12 & 63];
		out[put++] = i + 1 < len ? digits[bits >> 6 & 63] : '=';
		out[put++] = i + 2 < len ? digits[bits & 63] : '=';
	}
	return put;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

bool term_copy(const char *text, size_t len)
{
	static const char start[] = "\033]52;c;", end[] = "\a";
	size_t room = sizeof(start) + (len + 2) / 3 * 4 + sizeof(end), put;
	bool is_sent;
	char *bytes;

	if (!screen.curses || len > COPY_LIMIT / 4 * 3)
		return false;
	bytes = malloc(room);
	if (!bytes)
		return false;
	memcpy(bytes, start, sizeof(start) - 1);
	put = sizeof(start) - 1;
	put += base64(bytes + put, text, len);
	memcpy(bytes + put, end, sizeof(end) - 1);
	put += sizeof(end) - 1;
	is_sent = write_all(screen.out_fd, bytes, put);
	free(bytes);
	return is_sent;
}

int term_pending_signal(void)
{
	return screen.curses ? signals_leaving() : screen.signal;
}

void term_raise_pending(void)
{
	if (!screen.signal)
		return;
	/* What stands there now may be a handler of curses, which would exit instead. */
	(void)signal(screen.signal, SIG_DFL);
	(void)raise(screen.signal);
}
