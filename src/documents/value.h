/**
 * @file
 * Making and checking single values of settings.
 */
#ifndef DOCUMENTS_VALUE_H
#define DOCUMENTS_VALUE_H

#include "stepscope/fields.h"

enum { VALUE_TEXTS_MAX = 4096, VALUE_TEXT_LENGTH_MAX = 4096 };

/** Append a copy of `text` (cleaned), or an integer: of the last text, where there are texts.
 * False: out of memory. */
bool value_add_text(struct ss_value *value, const char *text);
bool value_add_integer(struct ss_value *value, int64_t integer);

/** Set NAME of a text map, kept in order of name; NULL text removes it. False: out of memory. */
bool value_set_entry(struct ss_value *value, const char *name, const char *text);

/** Has the map this name? Names have no '='. */
bool value_has_entry(const struct ss_value *value, const char *name);

/** The first thing wrong with a stated value for its field, as one line; false when all is right.
 */
bool value_fault(char *out, size_t size, const struct ss_field *field,
		 const struct ss_value *value);

/** A double as the shortest text that reads back equal. */
size_t number_text(char *out, size_t size, double number);

#endif
