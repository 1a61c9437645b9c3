/**
 * @file
 * The engine's own spellings of settings on our command line: `-tp 8`,
 * `--max-model-len=32k`, `--enable-expert-parallel`, `--no-enable-prefix-caching`.
 */
#ifndef CLI_ENGINE_FLAGS_H
#define CLI_ENGINE_FLAGS_H

#include <stdbool.h>

#include "text/xbuf.h"
#include "cli/arguments.h"

struct engine_flag {
	const char *path;     /**< of the field; NULL: a flag for engine_flags_paste() */
	const char *value;    /**< NULL: the flag takes an argument */
	const char *attached; /**< the argument behind `=`, or NULL; points into the word */
};

/** Read a word with its dashes; false when the engine has no such flag. */
bool engine_flag_find(struct engine_flag *out, const char *word);

/** A flag and its argument (may be empty) as a line to paste has them. */
void engine_flag_line(struct xbuf *out, const char *word, const char *value);

/** Take the flags of a pasted line as settings; remarks on flags of no effect go to stderr. */
SS_NODISCARD enum ss_status engine_flags_paste(struct arguments *arguments, const char *text,
					       struct ss_error *err);

#endif
