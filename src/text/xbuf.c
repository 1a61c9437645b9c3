#include "text/xbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*give_back)(void);

void out_of_memory_gives_back(void (*terminal)(void))
{
	give_back = terminal;
}

void out_of_memory(void)
{
	static const char line[] = "stepscope: out of memory\n";

	if (give_back)
		give_back();
	/* Nothing that wants memory itself. */
	(void)!write(STDERR_FILENO, line, sizeof(line) - 1);
	exit(4);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *old, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		out_of_memory();
	size *= count;
	p = realloc(old, size > 0 ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(xmalloc(size), text, size);
}

char *xbuf_reserve(struct xbuf *buf, size_t len)
{
	size_t wanted = buf->capacity ? buf->capacity : 256;

	if (len >= SIZE_MAX / 4 - buf->len)
		out_of_memory();
	while (wanted < buf->len + len + 1)
		wanted *= 2;
	if (wanted != buf->capacity) {
		buf->data = xrealloc(buf->data, wanted, 1);
		buf->capacity = wanted;
	}
	return buf->data + buf->len;
}

void xbuf_add(struct xbuf *buf, const char *text, size_t len)
{
	memcpy(xbuf_reserve(buf, len), text, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void xbuf_puts(struct xbuf *buf, const char *text)
{
	xbuf_add(buf, text, strlen(text));
}

void xbuf_putc(struct xbuf *buf, char c)
{
	xbuf_add(buf, &c, 1);
}

void xbuf_pad(struct xbuf *buf, char c, size_t count)
{
	memset(xbuf_reserve(buf, count), c, count);
	buf->len += count;
	buf->data[buf->len] = '\0';
}

void xbuf_vprintf(struct xbuf *buf, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		return;
	(void)vsnprintf(xbuf_reserve(buf, (size_t)len), (size_t)len + 1, format, args);
	buf->len += (size_t)len;
}

void xbuf_printf(struct xbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	xbuf_vprintf(buf, format, args);
	va_end(args);
}

const char *xbuf_text(const struct xbuf *buf)
{
	return buf->data ? buf->data : "";
}

void xbuf_release(struct xbuf *buf)
{
	free(buf->data);
	*buf = (struct xbuf){ 0 };
}
