/**
 * @file
 * What a later layer makes from a loaded document, kept beside it: made once, and
 * ended with the document.
 */
#ifndef DOCUMENTS_REGISTRY_DERIVED_H
#define DOCUMENTS_REGISTRY_DERIVED_H

#include <stdbool.h>

#include "stepscope/registry.h"

/** What was kept for a document of this registry; NULL when nothing was. */
void *registry_derived(const struct ss_registry *registry, const void *document);

/**
 * Keep `derived` until the document goes. False, and nothing is taken over, when the
 * registry has no such document or keeps something for it already.
 */
bool registry_keep_derived(struct ss_registry *registry, const void *document, void *derived,
			   void (*release)(void *derived));

#endif
