/**
 * @file
 * How a registry's documents are found and kept, for its own files.
 */
#ifndef DOCUMENTS_REGISTRY_LOAD_H
#define DOCUMENTS_REGISTRY_LOAD_H

#include <stdbool.h>

#include "stepscope/registry.h"

/** Is a document of this name loaded, or is there a file of it? */
bool registry_has(const struct ss_registry *registry, enum ss_document_kind kind, const char *name);

/** Load a document by its own name, or return the one loaded; NULL with the problems. */
void *registry_load(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		    struct ss_problems *problems);

/** The same, kept apart under the name it was asked for by. */
void *registry_load_as(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		       const char *asked, struct ss_problems *problems);

/** Read a document from its text and keep it under a name. */
void *registry_keep_text(struct ss_registry *registry, enum ss_document_kind kind,
			 const char *asked, const char *json, struct ss_problems *problems);

/** The one document of a kind, its rows over all roots, of the files `name`.json. */
void *registry_joined(struct ss_registry *registry, enum ss_document_kind kind, const char *name,
		      struct ss_problems *problems);

/** Text of a graph that the program makes of what `name` points to; see ss_model_source_fn. */
char *registry_read_model(struct ss_registry *registry, const char *name, bool *is_source,
			  struct ss_problems *problems);

#endif
