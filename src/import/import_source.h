/**
 * @file
 * What `import` is given: a file, standard input or a catalogue's folder, and which
 * kind of text it holds.
 */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include <stddef.h>

#include "stepscope/status.h"

enum source_kind {
	SOURCE_COMMAND, /**< what starts the engine, in any shape launches.h knows */
	SOURCE_LOG,
	SOURCE_JSON,
	SOURCE_YAML, /**< of a BLIS catalogue, or YAML that is nothing we know */
};

struct source {
	char *path; /**< `-` for standard input */
	char *stem; /**< file name less its last suffix */
	char *text;
	size_t length;
	enum source_kind kind;
};

/** `{ 0 }` is empty. */
struct sources {
	struct source *items;
	size_t count, capacity;
};

/**
 * Read a file, `-`, or every YAML document of a catalogue or registry folder, and add
 * them.
 *
 * @return SS_EIO with the path in `err->where`, SS_EDOCUMENT for one past 64 MiB.
 */
enum ss_status sources_add(struct sources *out, const char *path, struct ss_error *err);
void sources_release(struct sources *sources);

/**
 * What a text holds.
 *
 * @param path its name, whose suffix tells YAML; "" when it has none.
 * @param text ends in NUL.
 */
enum source_kind source_kind_of(const char *path, const char *text, size_t length);

/** A name for the graph of a `config.json`: its folder's, in lower case; "" when unknown. */
void source_graph_name(char *out, size_t size, const char *path);

/** All of one file, ending in NUL, for the caller to free; NULL with `err` filled. */
char *source_read(const char *path, size_t *length, struct ss_error *err);

#endif
