/**
 * @file
 * The engine's own spellings of settings on our command line: `-tp 8`,
 * `--max-model-len=32k`, `--enable-expert-parallel`, `--no-enable-prefix-caching`.
 */
#ifndef BATCH_ENGINE_FLAGS_H
#define BATCH_ENGINE_FLAGS_H

#include <stdbool.h>

#include "batch/arguments.h"

struct engine_flag {
	const char *path;     /**< of the field, from its owner */
	const char *value;    /**< NULL: the flag takes an argument */
	const char *attached; /**< the argument behind `=`, or NULL; points into the word */
};

/** Read a word with its dashes; false when no setting is spelled so. */
bool engine_flag_find(struct engine_flag *out, const char *word);

/** Take the flags of a pasted line as settings; remarks on flags of no effect go to stderr. */
SS_NODISCARD enum ss_status engine_flags_paste(struct arguments *arguments, const char *text,
					       struct ss_error *err);

#endif
