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
	SOURCE_COMMAND, /**< `vllm serve` */
	SOURCE_LOG,
	SOURCE_JSON,
	SOURCE_YAML,
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

/** A name for the graph of a `config.json`: its folder's, in lower case; "" when unknown. */
void source_graph_name(char *out, size_t size, const char *path);

/** All of one file, ending in NUL, for the caller to free; NULL with `err` filled. */
char *source_read(const char *path, size_t *length, struct ss_error *err);

#endif
