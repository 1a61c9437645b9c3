/**
 * @file
 * Text that grows. Out of memory ends the program with status 4, since no
 * caller could go on without its text.
 */
#ifndef TEXT_XBUF_H
#define TEXT_XBUF_H

#include <stdarg.h>
#include <stddef.h>

#include "stepscope/status.h"

/** `{ 0 }` is empty. `data` ends in NUL once something was added. */
struct xbuf {
	char *data;
	size_t len, capacity;
};

void xbuf_add(struct xbuf *buf, const char *text, size_t len);
void xbuf_puts(struct xbuf *buf, const char *text);
void xbuf_putc(struct xbuf *buf, char c);
void xbuf_pad(struct xbuf *buf, char c, size_t count);
void xbuf_printf(struct xbuf *buf, const char *format, ...) SS_PRINTF(2, 3);
void xbuf_vprintf(struct xbuf *buf, const char *format, va_list args) SS_PRINTF(2, 0);
/** Room for `len` more bytes; the caller fills it and adds to `len`. */
char *xbuf_reserve(struct xbuf *buf, size_t len);
/** The text, never NULL. */
const char *xbuf_text(const struct xbuf *buf);
void xbuf_release(struct xbuf *buf);

/** Memory that is there, or the program ends with status 4. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
/** Say that memory ran out and end the program with status 4. */
_Noreturn void out_of_memory(void);
/** What gives the terminal back before that is said; NULL for none. */
void out_of_memory_gives_back(void (*terminal)(void));

#endif
