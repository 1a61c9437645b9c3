/**
 * @file
 * What the releases print at start-up, as forms a text is matched with.
 */
#ifndef LOG_FORMS_H
#define LOG_FORMS_H

#include <stddef.h>

#include "import/import_log.h"

#define LOG_TEXT_MAX 63
#define LOG_FORM_MAX 254

/** How a line fits a form. */
enum log_fit {
	LOG_FIT_NONE,
	LOG_FIT_CUT, /**< it fits as far as the line goes */
	LOG_FIT_WHOLE,
};

/** What the places of a form held. */
struct log_captured {
	double numbers[2];
	char texts[2][LOG_TEXT_MAX + 1];
	size_t number_count, text_count;
	size_t scaled_count; /**< numbers whose unit was read */
};

size_t log_form_count(void);
enum log_id log_form_id(size_t index);
const char *log_form_text(size_t index);

/** Length of the plain text a form begins with. */
size_t log_form_head(size_t index);

/** Match a form at the very start of `text`. */
enum log_fit log_form_match(struct log_captured *out, size_t index, const char *text);

#endif
