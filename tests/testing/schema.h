/**
 * @file
 * As much of JSON Schema as the installed schemas use: type, enum, const, minimum,
 * maximum and their exclusive forms, minLength, minItems, maxItems, minProperties,
 * items, properties, required, additionalProperties, anyOf.
 */
#ifndef TESTING_SCHEMA_H
#define TESTING_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

/**
 * @param fault where and why, on failure; an unknown word of the schema is one too.
 */
bool schema_admits(const cJSON *schema, const cJSON *value, char *fault, size_t size);

/** Parse a file; the test fails when it cannot. */
cJSON *schema_read(const char *path);

#endif
