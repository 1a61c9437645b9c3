#include "term/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "files/out.h"
#include "view/text.h"

#define QUEUE_BYTES 16

struct prompt_history {
	HISTORY_STATE state;
	char *file;
	int limit;
};

/* readline keeps its state in globals, so there is one prompt. */
static struct {
	bool is_open, is_set_up;
	enum prompt_state state;
	char *label;
	char *line; /* the finished line */
	struct prompt_history *history;
	char **(*complete)(void *context, const char *line, size_t start, size_t end);
	void *context;
	char **candidates;
	size_t candidate_count;
	char queue[QUEUE_BYTES]; /* bytes of the key being handed over */
	size_t queue_at, queue_len;
	FILE *nowhere; /* what readline would write to the terminal */
	int left;      /* first column of the text shown */
} prompt;

static void use_history(struct prompt_history *history)
{
	static HISTORY_STATE none;
	HISTORY_STATE *now;

	history_set_history_state(history ? &history->state : &none);
	now = history_get_history_state();
	/* an empty list has no memory yet, which readline then allocates */
	free(now);
	if (history)
		stifle_history(history->limit);
	else
		unstifle_history();
	using_history();
}

/* Take over what readline did to the list, which may have moved. */
static void keep_history(struct prompt_history *history)
{
	HISTORY_STATE *now = history_get_history_state();

	if (now && history)
		history->state = *now;
	free(now);
}

struct prompt_history *prompt_history_load(const char *file, int limit)
{
	struct prompt_history *history = calloc(1, sizeof(*history));
	struct stat about;

	if (!history)
		return NULL;
	history->limit = limit > 0 ? limit : 1;
	if (file) {
		history->file = strdup(file);
		if (!history->file) {
			free(history);
			return NULL;
		}
	}
	use_history(history);
	if (file && !stat(file, &about) && S_ISREG(about.st_mode))
		(void)read_history(file);
	keep_history(history);
	return history;
}

int prompt_history_save(struct prompt_history *history)
{
	HIST_ENTRY **list = history->state.length ? history->state.entries : NULL;
	struct file_out out;

	if (!history->file)
		return 0;
	if (file_out_open(&out, history->file, FILE_REPLACE | FILE_PRIVATE, NULL))
		return -1;
	for (size_t i = 0; list && list[i]; i++)
		(void)fprintf(out.stream, "%s\n", list[i]->line);
	return file_out_close(&out, NULL) ? -1 : 0;
}

void prompt_history_free(struct prompt_history *history)
{
	if (!history)
		return;
	use_history(history);
	clear_history();
	keep_history(history);
	free(history->state.entries);
	use_history(NULL);
	free(history->file);
	free(history);
}

static int has_bytes(void)
{
	return prompt.queue_at < prompt.queue_len;
}

static int next_byte(FILE *stream)
{
	(void)stream;
	return has_bytes() ? (unsigned char)prompt.queue[prompt.queue_at++] : EOF;
}

static void draw_later(void)
{
	/* the caller draws when it paints */
}

static void forget_candidates(void)
{
	size_t i;

	for (i = 0; i < prompt.candidate_count; i++)
		free(prompt.candidates[i]);
	free(prompt.candidates);
	prompt.candidates = NULL;
	prompt.candidate_count = 0;
}

/* readline lists what it cannot decide between; [0] is what they share. */
static void keep_candidates(char **matches, int count, int longest)
{
	int i;

	(void)longest;
	forget_candidates();
	if (count <= 0)
		return;
	prompt.candidates = calloc((size_t)count, sizeof(*prompt.candidates));
	for (i = 1; prompt.candidates && i <= count; i++) {
		char *copy = strdup(matches[i]);

		if (!copy)
			break;
		prompt.candidates[prompt.candidate_count++] = copy;
	}
}

static size_t shared_length(char *const *words)
{
	size_t n = strlen(words[0]), i, k;

	for (i = 1; words[i]; i++) {
		for (k = 0; k < n && words[i][k] == words[0][k]; k++)
			;
		n = k;
	}
	/* not in the middle of a character */
	while (n > 0 && ((unsigned char)words[0][n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* readline wants what the words share at [0], then the words. */
static char **complete_word(const char *text, int start, int end)
{
	char **words, **matches = NULL;
	size_t count = 0, shared;

	(void)text;
	/* no file names behind our back */
	rl_attempted_completion_over = 1;
	if (!prompt.complete)
		return NULL;
	words = prompt.complete(prompt.context, rl_line_buffer, (size_t)start, (size_t)end);
	while (words && words[count])
		count++;
	if (count > 0)
		matches = calloc(count + 2, sizeof(*matches));
	if (matches) {
		shared = count == 1 ? strlen(words[0]) : shared_length(words);
		matches[0] = strndup(words[0], shared);
	}
	if (!matches || !matches[0]) {
		while (count > 0)
			free(words[--count]);
		free(words);
		free(matches);
		return NULL;
	}
	if (count == 1)
		free(words[0]);
	else
		memcpy(matches + 1, words, count * sizeof(*words));
	free(words);
	return matches;
}

static void take_line(char *line)
{
	rl_callback_handler_remove();
	prompt.state = line ? PROMPT_DONE : PROMPT_CANCELLED;
	free(prompt.line);
	prompt.line = line;
}

/* Leave a search or a quoted character half way too. */
static void stop_editing(void)
{
	rl_callback_sigcleanup();
	rl_callback_handler_remove();
}

static int set_up(void)
{
	static const char word_breaks[] = " \t=,";
	/* these wait for a key, which Esc could not cancel, or make no sense here */
	static rl_command_func_t *const unwanted[] = {
		rl_quoted_insert,       rl_char_search,       rl_start_kbd_macro,
		rl_call_last_kbd_macro, rl_re_read_init_file,
	};
	size_t i;

	prompt.nowhere = fopen("/dev/null", "r+");
	if (!prompt.nowhere)
		return -1;
	(void)fcntl(fileno(prompt.nowhere), F_SETFD, FD_CLOEXEC);
	rl_readline_name = "stepscope";
	rl_instream = prompt.nowhere;
	rl_outstream = prompt.nowhere;
	rl_change_environment = 0;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_prep_term_function = NULL;
	rl_deprep_term_function = NULL;
	rl_getc_function = next_byte;
	rl_input_available_hook = has_bytes;
	rl_redisplay_function = draw_later;
	rl_attempted_completion_function = complete_word;
	rl_completion_display_matches_hook = keep_candidates;
	rl_basic_word_break_characters = word_breaks;
	rl_completer_word_break_characters = word_breaks;
	if (rl_initialize())
		return -1;
	for (i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++) {
		(void)rl_unbind_function_in_map(unwanted[i], emacs_standard_keymap);
		(void)rl_unbind_function_in_map(unwanted[i], emacs_ctlx_keymap);
		(void)rl_unbind_function_in_map(unwanted[i], vi_insertion_keymap);
	}
	(void)rl_variable_bind("bell-style", "none");
	(void)rl_variable_bind("show-all-if-ambiguous", "on");
	(void)rl_variable_bind("enable-bracketed-paste", "off");
	prompt.is_set_up = true;
	return 0;
}

int prompt_begin(const struct prompt_options *options)
{
	prompt_end();
	if (!prompt.is_set_up && set_up())
		return -1;
	prompt.label = strdup(options->label ? options->label : "");
	if (!prompt.label)
		return -1;
	prompt.history = options->history;
	prompt.complete = options->complete;
	prompt.context = options->context;
	prompt.state = PROMPT_EDITING;
	prompt.left = 0;
	prompt.is_open = true;
	use_history(prompt.history);
	/* an empty prompt would make readline lose the memory of its messages */
	rl_callback_handler_install(" ", take_line);
	if (options->initial)
		(void)rl_insert_text(options->initial);
	return 0;
}

static void hand_over(const char *bytes, size_t len)
{
	memcpy(prompt.queue, bytes, len);
	prompt.queue_at = 0;
	prompt.queue_len = len;
	while (has_bytes() && prompt.state == PROMPT_EDITING)
		rl_callback_read_char();
	prompt.queue_at = 0;
	prompt.queue_len = 0;
}

/* Keys that readline binds by the terminal's sequences, which it never sees. */
static bool edit_by_name(struct key key)
{
	switch (key.code) {
	case KEYCODE_LEFT:
		return rl_backward_char(1, 0) || true;
	case KEYCODE_RIGHT:
		return rl_forward_char(1, 0) || true;
	case KEYCODE_UP:
		return rl_get_previous_history(1, 0) || true;
	case KEYCODE_DOWN:
		return rl_get_next_history(1, 0) || true;
	case KEYCODE_HOME:
		return rl_beg_of_line(1, 0) || true;
	case KEYCODE_END:
		return rl_end_of_line(1, 0) || true;
	case KEYCODE_DELETE:
		return rl_delete(1, 0) || true;
	default:
		return false;
	}
}

enum prompt_state prompt_key(struct key key)
{
	bool is_searching;
	char bytes[4];

	if (!prompt.is_open || prompt.state != PROMPT_EDITING)
		return prompt.state;
	forget_candidates();
	/* a raw Esc would begin a prefix that readline then waits in */
	if (key.code == 0x1b || (key.code == '[' && (key.mods & MOD_CTRL)))
		key = (struct key){ KEYCODE_ESC, 0 };
	/* readline takes NUL for the end of input while it searches */
	if (key.code == 0 || (key.code == '@' && (key.mods & MOD_CTRL)))
		return prompt.state;
	is_searching = RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) != 0;
	if (key.code == KEYCODE_ESC || (key.code == 'g' && key.mods == MOD_CTRL)) {
		if (is_searching) {
			hand_over("\a", 1);
			return prompt.state;
		}
		stop_editing();
		prompt.state = PROMPT_CANCELLED;
		return prompt.state;
	}
	switch (key.code) {
	case KEYCODE_ENTER:
		hand_over("\r", 1);
		return prompt.state;
	case KEYCODE_BACKSPACE:
		hand_over("\177", 1);
		return prompt.state;
	case KEYCODE_TAB:
		if (key.mods == 0)
			hand_over("\t", 1);
		return prompt.state;
	default:
		break;
	}
	if (key.code >= KEYCODE_NAMED) {
		/* a search ends where it stands, as it does at any other key */
		if (is_searching)
			hand_over("\033", 1);
		(void)edit_by_name(key);
		return prompt.state;
	}
	/*
	 * Inside a search readline waits for the rest of quoting and prefix keys
	 * instead of returning, and gives up without cleaning up. Ctrl-R and
	 * Ctrl-S go on searching; any other such key ends the search first.
	 */
	if (is_searching && (key.mods & MOD_CTRL) && key.code != 'r' && key.code != 's')
		hand_over("\033", 1);
	if (key.mods & MOD_CTRL) {
		char c = (char)(key.code & 0x1f);

		hand_over(&c, 1);
	} else {
		hand_over(bytes, text_encode(bytes, key.code));
	}
	return prompt.state;
}

const char *prompt_line(void)
{
	if (!prompt.is_open)
		return "";
	if (prompt.state == PROMPT_EDITING)
		return rl_line_buffer ? rl_line_buffer : "";
	return prompt.line ? prompt.line : "";
}

void prompt_draw(const struct area *area)
{
	const char *line = prompt_line(), *label = prompt.label ? prompt.label : "";
	size_t point = strlen(line), skip;
	int cols, at, used, label_cols;
	struct area text;

	if (!prompt.is_open)
		return;
	if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG) &&
	    rl_display_prompt)
		label = rl_display_prompt;
	if (prompt.state == PROMPT_EDITING && rl_point >= 0 && (size_t)rl_point < point)
		point = (size_t)rl_point;
	label_cols = text_width(label);
	/* a label never takes so much that nothing can be read beside it */
	if (label_cols > area_cols(area) / 2)
		label_cols = area_cols(area) / 2;
	area_fill(area, 0, 0, 1, area_cols(area), STYLE_TEXT, ' ');
	area_text(area, 0, 0, label_cols, STYLE_PROMPT, label);
	text = area_part(area, 0, label_cols, 1, area_cols(area) - label_cols);
	cols = area_cols(&text);
	at = text_width_n(line, point);
	used = text_width(line) + 1 - cols;
	if (prompt.left > used)
		prompt.left = used > 0 ? used : 0;
	if (prompt.left > at)
		prompt.left = at > cols / 3 ? at - cols / 3 : 0;
	if (at - prompt.left > cols - 1)
		prompt.left = at - cols + 1;
	skip = text_fit(line, strlen(line), prompt.left, &used);
	area_put(&text, 0, used - prompt.left, STYLE_TEXT, line + skip);
	if (prompt.left > 0)
		area_put(&text, 0, 0, STYLE_FAINT, "<");
	area_cursor(&text, 0, at - prompt.left);
}

const char *const *prompt_candidates(size_t *count)
{
	*count = prompt.candidate_count;
	return (const char *const *)prompt.candidates;
}

/* A line again and again is kept once. */
static void remember(const char *line)
{
	HIST_ENTRY *last;

	if (!line[0])
		return;
	last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
	if (!last || strcmp(last->line, line) != 0)
		add_history(line);
}

void prompt_end(void)
{
	if (!prompt.is_open)
		return;
	if (prompt.state == PROMPT_EDITING)
		stop_editing();
	if (prompt.history && prompt.state == PROMPT_DONE && prompt.line)
		remember(prompt.line);
	keep_history(prompt.history);
	use_history(NULL);
	forget_candidates();
	free(prompt.label);
	free(prompt.line);
	prompt.label = NULL;
	prompt.line = NULL;
	prompt.history = NULL;
	prompt.is_open = false;
}

bool prompt_is_open(void)
{
	return prompt.is_open;
}
