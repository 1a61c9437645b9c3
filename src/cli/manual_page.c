#include "cli/manual_page.h"

#include <ctype.h>
#include <string.h>

#include "config.h"
#include "text/words.h"

static const char text_indent[] = "       ";

/* -- one character run in each form ------------------------------------------------------- */

static void put_roff(struct xbuf *out, const char *text, size_t len)
{
	if (len && (*text == '.' || *text == '\''))
		xbuf_puts(out, "\\&");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '-')
			xbuf_puts(out, "\\-");
		else if (text[i] == '\\')
			xbuf_puts(out, "\\e");
		else
			xbuf_putc(out, text[i]);
	}
}

static void put_html(struct xbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '<')
			xbuf_puts(out, "&lt;");
		else if (text[i] == '>')
			xbuf_puts(out, "&gt;");
		else if (text[i] == '&')
			xbuf_puts(out, "&amp;");
		else
			xbuf_putc(out, text[i]);
	}
}

static void put_run(struct manual_page *page, const char *text, size_t len)
{
	if (page->form == PAGE_ROFF)
		put_roff(page->out, text, len);
	else if (page->form == PAGE_HTML)
		put_html(page->out, text, len);
	else
		xbuf_add(page->out, text, len);
}

/** Text whose backquoted parts are set apart. */
static void put_marked(struct manual_page *page, const char *text)
{
	static const char *const marks[][2] = { [PAGE_ROFF] = { "\\fB", "\\fR" },
						[PAGE_TEXT] = { "", "" },
						[PAGE_HTML] = { "<code>", "</code>" } };
	bool is_open = false;

	while (*text) {
		size_t len = strcspn(text, "`");

		put_run(page, text, len);
		text += len;
		if (*text) {
			xbuf_puts(page->out, marks[page->form][is_open]);
			is_open = !is_open;
			text++;
		}
	}
}

/** Words in lines of the page's width behind an indent. */
static void put_wrapped(struct manual_page *page, size_t indent, const char *text)
{
	struct xbuf plain = { 0 };
	struct manual_page flat = { PAGE_TEXT, &plain, 0 };
	size_t room = page->width > indent + 20 ? page->width - indent : 20;
	const char *at;

	put_marked(&flat, text);
	at = xbuf_text(&plain);
	while (*at) {
		size_t len = strlen(at);

		if (len > room) {
			for (len = room; len && at[len] != ' '; len--)
				;
			len = len ? len : strcspn(at, " ");
		}
		xbuf_pad(page->out, ' ', indent);
		xbuf_add(page->out, at, len);
		xbuf_putc(page->out, '\n');
		at += len + strspn(at + len, " ");
	}
	xbuf_release(&plain);
}

/* -- the parts of a page ------------------------------------------------------------------ */

static void put_upper(struct xbuf *out, const char *text)
{
	for (; *text; text++)
		xbuf_putc(out, (char)toupper((unsigned char)*text));
}

void page_open(struct manual_page *page, const char *name, int section, const char *about)
{
	switch (page->form) {
	case PAGE_ROFF:
		xbuf_puts(page->out, ".TH ");
		put_upper(page->out, name);
		xbuf_printf(page->out, " %d \"\" \"stepscope\" \"%s\"\n.SH NAME\n", section,
			    section == 1   ? "User Commands"
			    : section == 5 ? "File Formats"
					   : "Background");
		put_roff(page->out, name, strlen(name));
		xbuf_puts(page->out, " \\- ");
		put_roff(page->out, about, strlen(about));
		xbuf_putc(page->out, '\n');
		return;
	case PAGE_TEXT:
		xbuf_printf(page->out, "%s(%d): %s\n", name, section, about);
		return;
	case PAGE_HTML:
		xbuf_printf(
			page->out,
			"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
			"<title>%s(%d)</title>\n<style>body{max-width:60em;margin:2em auto;"
			"padding:0 1em;font-family:sans-serif;line-height:1.4}"
			"pre{background:#f4f4f4;padding:.6em;overflow-x:auto}"
			"dt{font-family:monospace;font-weight:bold}</style>\n<h1>%s(%d)</h1>\n<p>",
			name, section, name, section);
		put_html(page->out, about, strlen(about));
		xbuf_puts(page->out, "</p>\n");
		return;
	}
}

void page_close(struct manual_page *page)
{
	if (page->form == PAGE_HTML)
		xbuf_puts(page->out, "</html>\n");
}

void page_heading(struct manual_page *page, const char *text)
{
	switch (page->form) {
	case PAGE_ROFF:
		xbuf_puts(page->out, ".SH ");
		put_upper(page->out, text);
		xbuf_putc(page->out, '\n');
		return;
	case PAGE_TEXT:
		xbuf_putc(page->out, '\n');
		put_upper(page->out, text);
		xbuf_putc(page->out, '\n');
		return;
	case PAGE_HTML:
		xbuf_puts(page->out, "<h2>");
		put_html(page->out, text, strlen(text));
		xbuf_puts(page->out, "</h2>\n");
		return;
	}
}

void page_subheading(struct manual_page *page, const char *text)
{
	switch (page->form) {
	case PAGE_ROFF:
		xbuf_puts(page->out, ".SS ");
		put_roff(page->out, text, strlen(text));
		xbuf_putc(page->out, '\n');
		return;
	case PAGE_TEXT:
		xbuf_printf(page->out, "\n   %s\n", text);
		return;
	case PAGE_HTML:
		xbuf_puts(page->out, "<h3>");
		put_html(page->out, text, strlen(text));
		xbuf_puts(page->out, "</h3>\n");
		return;
	}
}

void page_paragraph(struct manual_page *page, const char *text)
{
	switch (page->form) {
	case PAGE_ROFF:
		xbuf_puts(page->out, ".PP\n");
		put_marked(page, text);
		xbuf_putc(page->out, '\n');
		return;
	case PAGE_TEXT:
		put_wrapped(page, sizeof(text_indent) - 1, text);
		return;
	case PAGE_HTML:
		xbuf_puts(page->out, "<p>");
		put_marked(page, text);
		xbuf_puts(page->out, "</p>\n");
		return;
	}
}

void page_item(struct manual_page *page, const char *name, const char *argument, const char *text)
{
	switch (page->form) {
	case PAGE_ROFF:
		xbuf_puts(page->out, ".TP\n\\fB");
		put_roff(page->out, name, strlen(name));
		xbuf_puts(page->out, *argument ? "\\fR \\fI" : "");
		put_roff(page->out, argument, strlen(argument));
		xbuf_puts(page->out, "\\fR\n");
		break;
	case PAGE_TEXT:
		xbuf_printf(page->out, "%s%s%s%s\n", text_indent, name, *argument ? " " : "",
			    argument);
		break;
	case PAGE_HTML:
		xbuf_puts(page->out, "<dl><dt>");
		put_html(page->out, name, strlen(name));
		xbuf_puts(page->out, *argument ? " <i>" : "");
		put_html(page->out, argument, strlen(argument));
		xbuf_puts(page->out, *argument ? "</i></dt></dl>\n" : "</dt></dl>\n");
		break;
	}
	if (*text)
		page_more(page, text);
}

void page_more(struct manual_page *page, const char *text)
{
	switch (page->form) {
	case PAGE_ROFF:
		put_marked(page, text);
		xbuf_putc(page->out, '\n');
		return;
	case PAGE_TEXT:
		put_wrapped(page, 2 * (sizeof(text_indent) - 1), text);
		return;
	case PAGE_HTML:
		xbuf_puts(page->out, "<dl><dd>");
		put_marked(page, text);
		xbuf_puts(page->out, "</dd></dl>\n");
		return;
	}
}

void page_lines(struct manual_page *page, const char *text)
{
	static const char *const marks[][2] = { [PAGE_ROFF] = { ".PP\n.nf\n", ".fi\n" },
						[PAGE_TEXT] = { "\n", "\n" },
						[PAGE_HTML] = { "<pre>\n", "</pre>\n" } };

	xbuf_puts(page->out, marks[page->form][0]);
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (page->form == PAGE_TEXT)
			xbuf_puts(page->out, text_indent);
		put_run(page, text, len);
		xbuf_putc(page->out, '\n');
		text += len + (text[len] == '\n');
	}
	xbuf_puts(page->out, marks[page->form][1]);
}
