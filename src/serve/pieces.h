/**
 * @file
 * Pieces of prompts a pool still holds, the least recently used leaving first.
 */
#ifndef STEPSCOPE_SERVE_PIECES_H
#define STEPSCOPE_SERVE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
	int64_t id;
	int32_t older, newer; /**< by use; -1 ends */
	int32_t chain;        /**< next of its bucket */
};

struct pieces {
	struct piece *items;
	int32_t *buckets;
	uint32_t bucket_count; /**< a power of two */
	int32_t count, capacity;
	int32_t oldest, newest;
};

/** @return false when out of memory. A capacity of 0 holds nothing. */
bool pieces_init(struct pieces *pieces, int64_t capacity);
void pieces_release(struct pieces *pieces);
/** How many of the first ids are held, without a gap. They count as used. */
size_t pieces_find(struct pieces *pieces, const int64_t *ids, size_t count);
/** Hold them, in this order. */
void pieces_add(struct pieces *pieces, const int64_t *ids, size_t count);

#endif
