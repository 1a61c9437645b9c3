/**
 * @file
 * Text as a POSIX shell (and bash, where it says more) splits it into words: quotes,
 * backslashes, comments, variables and arrays set in the same text, here-documents.
 * Nothing is run. What people paste is often not quite a script: a slip that a shell
 * would trip over is read as it was meant and noted.
 */
#ifndef SHELL_WORDS_H
#define SHELL_WORDS_H

#include <stddef.h>
#include <stdio.h>

#include "import/shell_variables.h"
#include "stepscope/status.h"

enum shell_word_kind {
	SHELL_WORD,    /**< a word of a command */
	SHELL_END,     /**< the command ends: newline, `;`, `&`, `|` and the like */
	SHELL_COMMENT, /**< text of a comment after its `#`, without the newline */
	SHELL_HERE,    /**< body of a here-document of the command before */
	SHELL_NOTE,    /**< what a shell would have taken otherwise, in our words */
};

struct shell_word {
	enum shell_word_kind kind;
	char *text;  /**< owned; "" for SHELL_END */
	char *file;  /**< SHELL_HERE: what its command writes it to, `> file`; else NULL; owned */
	size_t line; /**< from 1, where it starts */
};

/** `{ 0 }` is empty. */
struct shell_words {
	struct shell_word *items;
	size_t count, capacity;
};

/**
 * Split `text` (need not end in NUL). A variable set earlier in the text is
 * filled in; any other stays as it is written, so that a key kept in the
 * environment does no harm. Redirections are dropped.
 *
 * @param out       released on failure; free with shell_words_release().
 * @param variables what is set before the text, and what the text sets; NULL for none.
 * @return SS_EUSAGE with the line in `err->where` for an open quote, a NUL byte or
 *         variables that grow past all bounds.
 */
enum ss_status shell_words_split(struct shell_words *out, const char *text, size_t length,
				 struct shell_variables *variables, struct ss_error *err);
void shell_words_release(struct shell_words *words);

/** `text` with what `variables` hold filled in, `$(NAME)` too, for the caller to free;
 * NULL when out of memory. */
char *shell_words_fill(const char *text, struct shell_variables *variables);

/** Write `text` as one word of a POSIX shell, quoted only when it must be. */
void shell_quote(FILE *out, const char *text);

#endif
