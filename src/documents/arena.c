#include "documents/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "documents/clean.h"

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 64 * 1024, ALIGNMENT = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* of data */
	_Alignas(ALIGNMENT) unsigned char data[];
};

static bool add_chunk(struct arena *a, size_t wanted)
{
	size_t size = a->next_size ? a->next_size : FIRST_CHUNK;
	struct arena_chunk *chunk;

	a->next_size = size < LARGEST_CHUNK ? size * 2 : size;
	if (size < wanted)
		size = wanted;
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return false;
	chunk->next = a->chunks;
	chunk->size = size;
	a->chunks = chunk;
	a->left = size;
	return true;
}

static void *take(struct arena *a, size_t size)
{
	unsigned char *at;

	if (size > a->left && !add_chunk(a, size)) {
		a->is_out_of_memory = true;
		return NULL;
	}
	at = a->chunks->data + (a->chunks->size - a->left);
	a->left -= size;
	return at;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	/* What is left stays a multiple of the alignment only if texts round up too. */
	if (size && count > (SIZE_MAX / 2) / size) {
		a->is_out_of_memory = true;
		return NULL;
	}
	size *= count;
	return take(a, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

char *arena_text(struct arena *a, const char *text)
{
	size_t length = strlen(text);
	char *copy;

	if (!length)
		return a->empty;
	copy = arena_array(a, length + 1, 1);
	if (!copy)
		return a->empty;
	memcpy(copy, text, length + 1);
	clean_text(copy);
	return copy;
}

void arena_release(struct arena *a)
{
	struct arena_chunk *chunk = a->chunks;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	*a = (struct arena){ 0 };
}
