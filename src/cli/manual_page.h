/**
 * @file
 * A page of the manual, written once: as roff for man(1), as text for a terminal, as
 * HTML for a browser.
 */
#ifndef CLI_MANUAL_PAGE_H
#define CLI_MANUAL_PAGE_H

#include "text/xbuf.h"

enum page_form { PAGE_ROFF, PAGE_TEXT, PAGE_HTML };

/** Where a page goes. In texts, what stands in backquotes is shown as typed. */
struct manual_page {
	enum page_form form;
	struct xbuf *out;
	size_t width; /**< of text */
};

/** `stepscope-laws`, section 7, and what it is about. */
void page_open(struct manual_page *page, const char *name, int section, const char *about);
void page_close(struct manual_page *page);
void page_heading(struct manual_page *page, const char *text);
void page_subheading(struct manual_page *page, const char *text);
void page_paragraph(struct manual_page *page, const char *text);
/** A name, its argument (or "") and what it is; several texts make one item. */
void page_item(struct manual_page *page, const char *name, const char *argument, const char *text);
/** More of the item before. */
void page_more(struct manual_page *page, const char *text);
/** Lines as they are. */
void page_lines(struct manual_page *page, const char *text);

#endif
