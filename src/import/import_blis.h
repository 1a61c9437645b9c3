/**
 * @file
 * Documents of a BLIS catalogue or registry, and its scenarios, into ours.
 */
#ifndef IMPORT_BLIS_H
#define IMPORT_BLIS_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "import/yaml_tree.h"
#include "stepscope/problems.h"
#include "stepscope/registry.h"

/** One document of ours and what it was made from. */
struct blis_document {
	enum ss_document_kind kind;
	char *name;                     /**< of the document; owned */
	cJSON *json;                    /**< owned */
	const struct tree_node *source; /**< borrowed from the tree; the scenario's, of a pair */
	const struct tree_node *deployment; /**< the other half of a pair; else NULL */
};

struct blis_import {
	struct blis_document *items;
	size_t count, capacity;
	/** A scenario or a deployment that waits for its other half, maybe in another file. */
	const struct tree_node *scenario, *deployment;
	const char *scenario_file, *deployment_file;
};

/** Is this document one of theirs? Any other YAML is somebody else's. */
bool blis_looks_like(const struct tree_node *map);

/**
 * Convert every document of a text. A deployment joins the scenario before or after it.
 *
 * @param file what problems name; kept while a half waits.
 * @param stem name of documents that carry none (parts, fabrics, workloads).
 * @return SS_EDOCUMENT with every problem listed, line and column as its pointer;
 *         SS_ENOMEM.
 */
enum ss_status blis_convert(struct blis_import *out, const struct tree_documents *documents,
			    const char *file, const char *stem, struct ss_problems *problems);

/** Say what still waits for its other half. */
enum ss_status blis_finish(struct blis_import *out, struct ss_problems *problems);

/**
 * Where a JSON pointer of our document stood in the text: the nearest value that is
 * there. Never NULL.
 */
const struct tree_node *blis_locate(const struct blis_document *document, const char *pointer);

void blis_release(struct blis_import *import);

#endif
