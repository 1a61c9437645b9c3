/**
 * @file
 * What the tests of the engine reference share. Include cmocka first.
 */
#ifndef TESTS_ENGINE_TESTING_H
#define TESTS_ENGINE_TESTING_H

#include <stdlib.h>
#include <string.h>

#include "stepscope/engine.h"

#define ENGINE_PACK TEST_SRCDIR "/registry/engines/vllm-sm70.json"

/** The generated catalogue that the shipped tables were read from. */
#define ENGINE_SEED TEST_SRCDIR "/tests/data/runtime-architecture-reference.txt"

/** A whole file ending in NUL; the caller frees it. NULL when it is not there. */
char *engine_read(const char *path, size_t *length);

/** The shipped pack, or NULL with its problems on standard output. */
struct ss_reference *engine_pack(void);

/** `text` with the first `old` made `new`; NULL when `old` is not in it. */
char *engine_replaced(const char *text, const char *old, const char *with);

/** Settings as NAME=VALUE texts, ended by NULL. */
struct engine_settings {
	const char *const *pairs;
};

/** ss_settings over pairs; names of both kinds are looked up among them. */
struct ss_settings engine_settings(const struct engine_settings *settings);

#endif
