/**
 * @file
 * What the engine commands share: their words, packs, and ways to fail.
 */
#ifndef CLI_ENGINE_ARGS_H
#define CLI_ENGINE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stepscope/engine.h"

enum { EXIT_FINE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_DOCUMENT = 3, EXIT_SYSTEM = 4 };

enum { ENGINE_WORDS_MAX = 256 };

/** How rows are printed; JSON is told apart by `is_json`. */
enum engine_form { ENGINE_TEXT, ENGINE_CSV, ENGINE_MARKDOWN };

/** One run of a command. */
struct engine_run {
	int argc;
	char **argv;
	const char *folder;
	FILE *out;     /* the answer */
	FILE *err;     /* what is wrong */
	FILE *console; /* errors as objects, whatever file takes the answer */
	const char *words[ENGINE_WORDS_MAX]; /* those that are no option */
	size_t word_count;
	const char *pack;
	const char *registry; /* a root that goes before `folder` */
	const char *color;    /* nothing here has colour */
	const char *directory;
	bool is_quiet;
	const char *output;
	bool is_forced; /* the file may be written over */
	const char *sort;
	const char *name;
	const char *version;
	bool is_json;
	enum engine_form form;
	bool is_exact;
	bool is_exact_text; /* the answer is a document: byte for byte */
	const char *wheres[ENGINE_WORDS_MAX]; /* COLUMN=TEXT */
	size_t where_count;
	bool has_unread;   /* a pack that could not be read was said */
	bool has_bad_form; /* a document's form is wrong, and not only what a cell says */
	struct ss_reference *reference;
};

/** Say what is wrong with the usage; EXIT_USAGE. */
int engine_usage(struct engine_run *run, const char *format, ...) SS_PRINTF(2, 3);

/** Print all problems, also as an object when the answer is JSON, and release them. */
void engine_problems(struct engine_run *run, struct ss_problems *problems);

/** Exit status for a failed call. */
int engine_status(enum ss_status status);

/** Load the pack named, or the first of the folder that carries a reference. */
int engine_load_pack(struct engine_run *run, struct ss_reference **out);

/** Load a pack or a Markdown reference from a file, `-` for standard input. */
int engine_load_any(struct engine_run *run, const char *path, struct ss_reference **out,
		    char **text, size_t *length);

/** Write to `out`. */
int engine_write(struct engine_run *run, const char *text, size_t length);

/** Print a JSON tree and free it. */
int engine_print_json(struct engine_run *run, struct cJSON *root);

/** One cell of a table, for the caller to free(). NULL when memory runs out. */
char *engine_cell(const struct ss_reference *r, enum ss_table table, size_t row, size_t column);

/** One row as an object, a text for each column; the caller's. */
struct cJSON *engine_row_json(const struct ss_reference *r, enum ss_table table, size_t row);

/** The commands. */
int engine_list(struct engine_run *run);
int engine_show(struct engine_run *run);
int engine_admit(struct engine_run *run);

#endif
