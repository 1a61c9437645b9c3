/**
 * @file
 * A text being split into shell words; what splitting and expanding share.
 */
#ifndef SHELL_SPLITTER_H
#define SHELL_SPLITTER_H

#include <stdbool.h>
#include <stddef.h>

#include "import/shell_words.h"

/** Here-documents that one line may open. */
#define SHELL_HERE_MAX 8

/** Text that grows; kept terminated once anything was added. */
struct shell_text {
	char *data;
	size_t length, capacity;
};

/** A here-document whose body starts with the next line. */
struct shell_here {
	char *end; /**< the line that ends it */
	bool is_raw, strips_tabs;
};

struct shell_splitter {
	const char *text;
	size_t length, at, line;
	struct shell_words *out;
	struct shell_text word;
	size_t word_line;
	bool has_word; /**< a word was begun, be it empty quotes */
	bool is_void;  /**< the word is an empty array in quotes: no word, when nothing joins it */
	bool is_dropped;       /**< the word is a redirection's target */
	bool is_output;        /**< and that target is written to */
	bool is_command_start; /**< only assignments so far */
	size_t command_first;  /**< the command's first item of `out` */
	char *output_file;     /**< that the command writes to; NULL for none */
	struct shell_here here[SHELL_HERE_MAX];
	size_t here_count;
	struct shell_variables *variables;
	char *array;                       /**< whose `=( ... )` is open; NULL for none */
	unsigned depth;                    /**< of defaults in defaults */
	size_t expanded;                   /**< bytes that variables gave so far */
	bool has_no_single, has_no_double; /**< no such quote ahead any more */
	struct ss_error *err;
};

enum ss_status shell_fail(struct shell_splitter *s, size_t line, const char *message);
enum ss_status shell_no_memory(struct shell_splitter *s);

/** The byte `ahead` of the place; 0 past the end. */
char shell_peek(const struct shell_splitter *s, size_t ahead);

/** Blanks and tabs from `ahead` bytes on. */
size_t shell_blanks_at(const struct shell_splitter *s, size_t ahead);

/** Bytes from `ahead` to the end of its line, the end not counted. */
size_t shell_rest_of_line(const struct shell_splitter *s, size_t ahead);

enum ss_status shell_item_add(struct shell_splitter *s, enum shell_word_kind kind, const char *text,
			      size_t length, size_t line);

/** `>`, `2>&1`, `<<EOF`: the operator, its number and its target are no words of the command. */
enum ss_status shell_redirection(struct shell_splitter *s);

/** The bodies of those the line before opened, from the place on. */
enum ss_status shell_read_bodies(struct shell_splitter *s);

/** Length of the variable's name at `text`; 0 when none stands there. */
size_t shell_name_length(const char *text, size_t length);

enum ss_status shell_word_add(struct shell_splitter *s, const char *data, size_t length);
enum ss_status shell_word_end(struct shell_splitter *s);

/** `$NAME`, `${NAME...}`, `$((...))`, `$(...)` at the place; anything else stays as it is. */
enum ss_status shell_expand(struct shell_splitter *s, bool is_quoted);

/** Copy `$(...)` or backticks as written: what they would print is not known. */
enum ss_status shell_copy_substitution(struct shell_splitter *s);

/** Add `text` to the word with its variables filled in, as inside double quotes. */
enum ss_status shell_expand_text(struct shell_splitter *s, const char *text, size_t length);

#endif
