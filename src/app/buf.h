/**
 * @file
 * Text that grows. Out of memory ends the program with status 4, since no
 * caller could go on without its text.
 */
#ifndef APP_BUF_H
#define APP_BUF_H

#include <stddef.h>

#include "stepscope/status.h"

/** `{ 0 }` is empty. `data` ends in NUL once something was added. */
struct buf {
	char *data;
	size_t len, capacity;
};

void buf_add(struct buf *buf, const char *text, size_t len);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_pad(struct buf *buf, char c, size_t count);
void buf_printf(struct buf *buf, const char *format, ...) SS_PRINTF(2, 3);
/** Room for `len` more bytes; the caller fills it and adds to `len`. */
char *buf_reserve(struct buf *buf, size_t len);
/** The text, never NULL. */
const char *buf_text(const struct buf *buf);
void buf_release(struct buf *buf);

/** Memory that is there, or the program ends with status 4. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
/** Say that memory ran out and end the program with status 4. */
_Noreturn void out_of_memory(void);

#endif
