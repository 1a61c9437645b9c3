#include "text/shown.h"

#include <stdarg.h>
#include <string.h>

#include "text/utf8.h"

static bool is_plain(char c, enum shown_as as)
{
	unsigned char byte = (unsigned char)c;

	return (byte >= 0x20 && byte < 0x7f) || (byte < 0x20 && as == SHOWN_JSON) ||
	       (byte == '\n' && as == SHOWN_LINES);
}

static void spell(struct xbuf *out, uint32_t cp, enum shown_as as)
{
	if (as == SHOWN_JSON && cp > 0xffff)
		xbuf_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (cp >> 10)),
			    (unsigned)(0xdc00 + (cp & 0x3ff)));
	else if (as == SHOWN_JSON || cp > 0xff)
		xbuf_printf(out, "\\u%04x", (unsigned)cp);
	else if (cp == '\n' || cp == '\t' || cp == '\r')
		xbuf_puts(out, cp == '\n' ? "\\n" : cp == '\t' ? "\\t" : "\\r");
	else
		xbuf_printf(out, "\\x%02x", (unsigned)cp);
}

/* Bytes of the character at the start of a text; whether it is to be spelt out, and as what. */
static size_t take(const char *text, size_t len, enum shown_as as, bool *is_spelt, uint32_t *cp)
{
	size_t n = text_decode(text, len, cp);

	*is_spelt = !is_plain(*text, as) && text_acts(*cp);
	if (n == 1 && (unsigned char)*text >= 0x80) {
		*is_spelt = true;
		*cp = as == SHOWN_JSON ? 0xfffd : (unsigned char)*text;
	}
	return n;
}

bool shown_is_plain(const char *text, size_t len, enum shown_as as)
{
	for (size_t at = 0; at < len;) {
		uint32_t cp;
		bool is_spelt;

		while (at < len && is_plain(text[at], as))
			at++;
		if (at == len)
			return true;
		at += take(text + at, len - at, as, &is_spelt, &cp);
		if (is_spelt)
			return false;
	}
	return true;
}

void shown_add(struct xbuf *out, const char *text, size_t len, enum shown_as as)
{
	size_t at = 0;

	while (at < len) {
		size_t from = at, n = 0;
		uint32_t cp = 0;
		bool is_spelt = false;

		while (at < len && !is_spelt) {
			n = is_plain(text[at], as) ? 1
						   : take(text + at, len - at, as, &is_spelt, &cp);
			at += n;
		}
		xbuf_add(out, text + from, at - from - (is_spelt ? n : 0));
		if (is_spelt)
			spell(out, cp, as);
	}
}

void shown_buffer(struct xbuf *buffer, enum shown_as as)
{
	struct xbuf out = { 0 };

	if (shown_is_plain(xbuf_text(buffer), buffer->len, as))
		return;
	shown_add(&out, buffer->data, buffer->len, as);
	xbuf_release(buffer);
	*buffer = out;
}

void say(const char *format, ...)
{
	struct xbuf text = { 0 }, line = { 0 };
	va_list args;

	va_start(args, format);
	xbuf_vprintf(&text, format, args);
	va_end(args);
	xbuf_puts(&line, "stepscope: ");
	shown_add(&line, xbuf_text(&text), text.len, SHOWN_LINE);
	xbuf_putc(&line, '\n');
	(void)fwrite(line.data, 1, line.len, stderr);
	xbuf_release(&text);
	xbuf_release(&line);
}
