/**
 * @file
 * Files that documents were read from, with a digest of the very bytes that were read.
 */
#ifndef STEPSCOPE_DOCUMENTS_READ_FILES_H
#define STEPSCOPE_DOCUMENTS_READ_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/registry.h"

struct read_file;

/** All zero at first. */
struct read_files {
	struct read_file *first;
};

/**
 * Remember a file; the same one with the same bytes is kept once.
 *
 * @param text taken over, also on failure; it is digested when somebody asks, and freed then.
 * @return false when out of memory.
 */
bool read_files_add(struct read_files *files, enum ss_document_kind kind, const char *name,
		    char *text, size_t length);
void read_files_release(struct read_files *files);

/** As ss_registry_documents. */
size_t read_files_list(const struct read_files *files, struct ss_document *out, size_t capacity);

#endif
