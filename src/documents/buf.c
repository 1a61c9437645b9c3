#include "documents/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL behind them. */
static bool reserve(struct buf *buf, size_t more)
{
	size_t capacity = buf->capacity ? buf->capacity : 128;
	char *grown;

	if (buf->is_out_of_memory)
		return false;
	if (more < buf->capacity - buf->length && buf->data)
		return true;
	while (more >= capacity - buf->length && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	grown = more < capacity - buf->length ? realloc(buf->data, capacity) : NULL;
	if (!grown) {
		buf->is_out_of_memory = true;
		return false;
	}
	buf->data = grown;
	buf->capacity = capacity;
	return true;
}

void buf_add(struct buf *buf, const char *bytes, size_t length)
{
	if (!reserve(buf, length))
		return;
	if (length > 0)
		memcpy(buf->data + buf->length, bytes, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void buf_text(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_char(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !reserve(buf, (size_t)n))
		return;
	va_start(args, format);
	vsnprintf(buf->data + buf->length, (size_t)n + 1, format, args);
	va_end(args);
	buf->length += (size_t)n;
}

void buf_clear(struct buf *buf)
{
	buf->length = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

char *buf_take(struct buf *buf, size_t *length)
{
	char *data;

	buf_add(buf, "", 0); /* an empty buffer still gives a text */
	data = buf->is_out_of_memory ? NULL : buf->data;
	if (!data)
		free(buf->data);
	if (length)
		*length = data ? buf->length : 0;
	*buf = (struct buf){ 0 };
	return data;
}

void buf_release(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){ 0 };
}
