/**
 * @file
 * Memory of one loaded document: many small pieces, freed at once. No error
 * path of a loader then has anything to free piece by piece.
 */
#ifndef DOCUMENTS_ARENA_H
#define DOCUMENTS_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

/** `{ 0 }` is an empty arena. */
struct arena {
	struct arena_chunk *chunks;
	size_t left; /**< bytes free at the end of the newest chunk */
	size_t next_size;
	bool is_out_of_memory;
	char empty[1]; /**< the text "" for all that is left out */
};

/** `count` zeroed elements of `size`; NULL (and is_out_of_memory) when there is no room. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/**
 * A copy of a text from outside: control characters become '?', since it will
 * reach terminals. Never NULL: "" when out of memory.
 */
char *arena_text(struct arena *arena, const char *text);

void arena_release(struct arena *arena);

#endif
