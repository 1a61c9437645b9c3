/**
 * @file
 * Figures as a person types them: a decimal with an optional factor, k m g t of
 * 1000 and K M G T of 1024.
 */
#ifndef DOCUMENTS_VALUE_TEXT_H
#define DOCUMENTS_VALUE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

bool parse_number(const char *text, double *out);
bool parse_integer(const char *text, int64_t *out);

#endif
