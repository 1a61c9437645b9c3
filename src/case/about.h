/**
 * @file
 * What a document of the registry is, in a line.
 */
#ifndef CASE_ABOUT_H
#define CASE_ABOUT_H

#include "stepscope/registry.h"
#include "text/xbuf.h"

/** Add `685 B parameters, 61 layers, ...`; nothing for a kind there is nothing to say of. */
void about_document(struct xbuf *out, struct ss_registry *registry, enum ss_document_kind kind,
		    const char *name, struct ss_problems *problems);

#endif
