/**
 * @file
 * Options that state a load, those of `vllm bench serve` among them, as settings.
 */
#ifndef CLI_LOAD_ARGS_H
#define CLI_LOAD_ARGS_H

#include "cli/arguments.h"

/** Put all that were given among the settings, the short form first. */
SS_NODISCARD enum ss_status load_args_take(struct arguments *arguments, struct ss_error *err);

/** A term of --goodput, `ttft:500`: it takes as many words as there are. */
bool load_args_is_goodput(const char *word);

#endif
