/*
 * A pane's list as text for other programs, and the state as a command line.
 */
#ifndef APP_EXPORT_H
#define APP_EXPORT_H

#include "app/app.h"

enum export_format { EXPORT_TEXT, EXPORT_CSV, EXPORT_MARKDOWN, EXPORT_JSON };

/** By the end of a file's name: .csv, .md, .json; else text. */
enum export_format export_format_of(const char *file);

/** What a file's name asks of the screen itself, which its owner draws. */
enum export_picture { EXPORT_NO_PICTURE, EXPORT_HTML, EXPORT_SVG };

/** By the end of the name: .html, .svg; else none. */
enum export_picture export_picture_of(const char *file);

/**
 * The rows shown of a table, or only those marked when there are any.
 *
 * @param title heads text and Markdown.
 */
void export_table(struct xbuf *out, const struct table *table, const struct app_list *list,
		  const char *title, enum export_format format);

/** A word quoted for a POSIX shell where that is needed. */
void export_shell_word(struct xbuf *out, const char *word);

#endif
