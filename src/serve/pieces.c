#include "serve/pieces.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MAX = 1 << 22 };

bool pieces_init(struct pieces *pieces, int64_t capacity)
{
	*pieces = (struct pieces){ .oldest = -1, .newest = -1 };
	if (capacity <= 0)
		return true;
	pieces->capacity = (int32_t)(capacity < CAPACITY_MAX ? capacity : CAPACITY_MAX);
	pieces->bucket_count = 16;
	while (pieces->bucket_count < (uint32_t)pieces->capacity)
		pieces->bucket_count *= 2;
	pieces->items = malloc((size_t)pieces->capacity * sizeof(*pieces->items));
	pieces->buckets = malloc(pieces->bucket_count * sizeof(*pieces->buckets));
	if (!pieces->items || !pieces->buckets)
		return false;
	memset(pieces->buckets, 0xff, pieces->bucket_count * sizeof(*pieces->buckets));
	return true;
}

void pieces_release(struct pieces *pieces)
{
	free(pieces->items);
	free(pieces->buckets);
	*pieces = (struct pieces){ 0 };
}

static int32_t *bucket(struct pieces *pieces, int64_t id)
{
	uint64_t mixed = (uint64_t)id * 0x9e3779b97f4a7c15U;

	return &pieces->buckets[(mixed >> 32) & (pieces->bucket_count - 1)];
}

static int32_t find(struct pieces *pieces, int64_t id)
{
	int32_t at = *bucket(pieces, id);

	while (at >= 0 && pieces->items[at].id != id)
		at = pieces->items[at].chain;
	return at;
}

static void unlink_use(struct pieces *pieces, int32_t at)
{
	struct piece *p = &pieces->items[at];

	if (p->older >= 0)
		pieces->items[p->older].newer = p->newer;
	else
		pieces->oldest = p->newer;
	if (p->newer >= 0)
		pieces->items[p->newer].older = p->older;
	else
		pieces->newest = p->older;
}

static void link_newest(struct pieces *pieces, int32_t at)
{
	struct piece *p = &pieces->items[at];

	p->older = pieces->newest;
	p->newer = -1;
	if (pieces->newest >= 0)
		pieces->items[pieces->newest].newer = at;
	else
		pieces->oldest = at;
	pieces->newest = at;
}

/** Take the oldest one out of its bucket and of the order. */
static int32_t drop_oldest(struct pieces *pieces)
{
	int32_t at = pieces->oldest;
	int32_t *link = bucket(pieces, pieces->items[at].id);

	while (*link != at)
		link = &pieces->items[*link].chain;
	*link = pieces->items[at].chain;
	unlink_use(pieces, at);
	return at;
}

size_t pieces_find(struct pieces *pieces, const int64_t *ids, size_t count)
{
	size_t n = 0;

	while (pieces->capacity && n < count) {
		int32_t at = find(pieces, ids[n]);

		if (at < 0)
			break;
		unlink_use(pieces, at);
		link_newest(pieces, at);
		n++;
	}
	return n;
}

void pieces_add(struct pieces *pieces, const int64_t *ids, size_t count)
{
	for (size_t i = 0; pieces->capacity && i < count; i++) {
		int32_t at = find(pieces, ids[i]), *first;

		if (at >= 0) {
			unlink_use(pieces, at);
			link_newest(pieces, at);
			continue;
		}
		at = pieces->count < pieces->capacity ? pieces->count++ : drop_oldest(pieces);
		first = bucket(pieces, ids[i]);
		pieces->items[at].id = ids[i];
		pieces->items[at].chain = *first;
		*first = at;
		link_newest(pieces, at);
	}
}
