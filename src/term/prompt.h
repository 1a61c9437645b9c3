/*
 * One line of input: readline through its callback interface, drawn into a
 * page. readline touches neither the terminal nor the environment nor signals;
 * keys come from the caller's loop, so that resizes and timers go on while
 * someone types.
 */
#ifndef TERM_PROMPT_H
#define TERM_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "app/key.h"
#include "view/page.h"

/** Lines typed before, for one kind of prompt. */
struct prompt_history;

/**
 * Start a history, with the lines of a file when it can be read.
 *
 * @param file where prompt_history_save() writes; NULL keeps it in memory.
 * @param limit how many lines are kept, above 0.
 * @return for the caller to prompt_history_free(); NULL when out of memory.
 */
struct prompt_history *prompt_history_load(const char *file, int limit);

/** Write to the file, atomically and for the user alone. 0, or -1 with errno set. */
int prompt_history_save(struct prompt_history *history);

/** NULL is fine. Not while a prompt uses it. */
void prompt_history_free(struct prompt_history *history);

struct prompt_options {
	const char *label;              /**< shown before the line, as ":"; copied */
	const char *initial;            /**< text to start from; NULL for none */
	struct prompt_history *history; /**< NULL for none; kept until prompt_end() */
	/**
	 * What could stand in place of line[start .. end). Returns a NULL-ended
	 * array of strings, both from malloc() and readline's to free, or NULL.
	 */
	char **(*complete)(void *context, const char *line, size_t start, size_t end);
	void *context;
};

enum prompt_state {
	PROMPT_EDITING,
	PROMPT_DONE,      /**< Enter: prompt_line() has the text */
	PROMPT_CANCELLED, /**< Esc, or Ctrl-D on an empty line */
};

/** Open; one at a time. 0, or -1 when it cannot be set up. */
int prompt_begin(const struct prompt_options *options);

/** Hand over a key. */
enum prompt_state prompt_key(struct key key);

/** The text as it is now; borrowed until the next call here. */
const char *prompt_line(void);

/**
 * Draw on the first row of the area, scrolled so that the cursor shows, and
 * set the page's cursor.
 */
void prompt_draw(const struct area *area);

/**
 * What the last Tab found, for the caller to show; borrowed until the next key.
 * The count is 0 when there is nothing to choose from.
 */
const char *const *prompt_candidates(size_t *count);

/** Close; the line goes to the history when it was finished. Fine when closed. */
void prompt_end(void);

bool prompt_is_open(void);

#endif
