/**
 * @file
 * Values as Python prints them, which is how a log shows arguments.
 */
#ifndef PYTHON_LITERAL_H
#define PYTHON_LITERAL_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "stepscope/status.h"

/**
 * Read `{'a': 1}`, `Namespace(a=1)` or bare `a=1, b='x'` that stands at the start of
 * `text` into an object. What is no literal (`torch.bfloat16`, `<Enum.X: 2>`) becomes
 * its text.
 *
 * @param used on success, bytes read.
 * @return SS_EDOCUMENT when the text ends inside it, SS_EUSAGE when it is no such
 *         value, SS_ENOMEM.
 */
enum ss_status python_object_read(cJSON **out, size_t *used, const char *text, size_t length);

#endif
