/**
 * @file
 * The words behind `vllm serve` as the engine's own parser reads them.
 */
#ifndef VLLM_WORDS_H
#define VLLM_WORDS_H

#include <stddef.h>

#include "import/shell_words.h"
#include "import/vllm_take.h"

/** Take a command's arguments; all words are SHELL_WORD, their long dashes put right. */
void vllm_words_read(struct vllm_taker *t, size_t pool, struct shell_word *words, size_t count);

#endif
