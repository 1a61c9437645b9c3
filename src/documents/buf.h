/**
 * @file
 * A growing byte buffer. A failed allocation is remembered and what follows is
 * dropped, so that a long run of additions is checked once, at its end.
 */
#ifndef DOCUMENTS_BUF_H
#define DOCUMENTS_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "stepscope/status.h"

/** `{ 0 }` is empty. `data` ends in NUL once anything was added. */
struct buf {
	char *data;
	size_t length;
	size_t capacity;
	bool is_out_of_memory;
};

void buf_add(struct buf *buf, const char *bytes, size_t length);
void buf_text(struct buf *buf, const char *text);
void buf_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) SS_PRINTF(2, 3);

/** Empty it and keep its memory. */
void buf_clear(struct buf *buf);

/**
 * Hand the bytes to the caller, who free()s them; the buffer is empty after.
 * NULL when memory ran out. `length` may be NULL.
 */
char *buf_take(struct buf *buf, size_t *length);

void buf_release(struct buf *buf);

#endif
