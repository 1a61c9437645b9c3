/**
 * @file
 * JSON text in, strictly: grammar, encoding and limits are checked before
 * cJSON, which is lenient about all of them, builds the tree.
 */
#ifndef DOCUMENTS_JSON_H
#define DOCUMENTS_JSON_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "stepscope/problems.h"

enum {
	JSON_SIZE_MAX = 64 * 1024 * 1024,
	JSON_DEPTH_MAX = 64,
	JSON_VALUES_MAX = 2000000,
	JSON_NUMBER_MAX = 60, /* bytes; cJSON cuts longer ones */
};

/** Bytes of the UTF-8 character at `at`, which is before `end`; 0 when it is none (RFC 3629). */
size_t utf8_length(const char *at, const char *end);

/** The tree of a text, or NULL with a problem. The caller cJSON_Delete()s it. */
cJSON *json_parse(const char *text, size_t length, const char *file, struct ss_problems *problems);

/** A whole file, ending in NUL, or NULL with a problem. The caller frees it. */
char *json_read_file(const char *path, size_t *length, struct ss_problems *problems);

/** Both in one. */
cJSON *json_load(const char *path, struct ss_problems *problems);

#endif
