/**
 * @file
 * Text as a POSIX shell splits it into words: quotes, backslashes, comments,
 * variables set in the same text. Nothing is run.
 */
#ifndef SHELL_WORDS_H
#define SHELL_WORDS_H

#include <stddef.h>
#include <stdio.h>

#include "stepscope/status.h"

enum shell_word_kind {
	SHELL_WORD,    /**< a word of a command */
	SHELL_END,     /**< the command ends: newline, `;`, `&`, `|` and the like */
	SHELL_COMMENT, /**< text of a comment after its `#`, without the newline */
};

struct shell_word {
	enum shell_word_kind kind;
	char *text;  /**< owned; "" for SHELL_END */
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
 * @param out released on failure; free with shell_words_release().
 * @return SS_EUSAGE with the line in `err->where` for an open quote, a NUL
 *         byte, a here-document or a blank after a line's last backslash.
 */
enum ss_status shell_words_split(struct shell_words *out, const char *text, size_t length,
				 struct ss_error *err);
void shell_words_release(struct shell_words *words);

/** Write `text` as one word of a POSIX shell, quoted only when it must be. */
void shell_quote(FILE *out, const char *text);

#endif
