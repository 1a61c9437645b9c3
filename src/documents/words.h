/**
 * @file
 * The closed vocabularies as word lists, for the readers.
 */
#ifndef DOCUMENTS_WORDS_H
#define DOCUMENTS_WORDS_H

#include <stddef.h>

/** A word's value is `first` plus its index. */
struct words {
	const char *const *names;
	size_t count;
	int first;
};

extern const struct words dtype_words;
extern const struct words op_words;
extern const struct words attention_words;
extern const struct words recurrent_words;
extern const struct words condition_words;
extern const struct words method_words;
extern const struct words unit_words;
extern const struct words shard_words;
extern const struct words qk_norm_words;

/** Value of a word, or -1. */
int words_find(const struct words *words, const char *word);

/** "a, b or c" into `out`, cut at its end. */
void words_list(char *out, size_t size, const struct words *words);

#endif
