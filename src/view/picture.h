/*
 * A page as a picture for a document or a talk: HTML or SVG that needs no other file.
 * Colours are those of a terminal with 256 of them.
 */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include "text/xbuf.h"
#include "view/page.h"

/** Add the page as one HTML page; its text can be marked and searched. */
void picture_html(struct xbuf *out, const struct page *page, const char *title);

/** Add the page as one SVG, every run of letters held to its columns. */
void picture_svg(struct xbuf *out, const struct page *page, const char *title);

#endif
