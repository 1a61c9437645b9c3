/**
 * @file
 * YAML text as a tree that remembers where each value stood. In documents of ours
 * aliases, anchors and tags are refused: one that needs them says more than it shows.
 */
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "stepscope/status.h"

enum tree_kind { TREE_NULL, TREE_BOOL, TREE_NUMBER, TREE_TEXT, TREE_LIST, TREE_MAP };

struct tree_node {
	enum tree_kind kind;
	size_t line, column; /**< from 1 */
	char *text;          /**< of a scalar as written; NULL for lists and maps */
	double number;       /**< of numbers; 1 or 0 of booleans */
	/** Of a map: its keys, texts all, none twice; items[i] is under keys[i]. */
	struct tree_node *keys;
	struct tree_node *items;
	size_t count, capacity;
};

/** The documents of a text. */
struct tree_documents {
	struct tree_node *items;
	size_t count, capacity;
};

/** Is YAML built in? */
bool tree_has_yaml(void);

/**
 * Read every document of a text.
 *
 * @param out free with tree_release(); left empty on failure.
 * @return SS_EDOCUMENT with `line L, column C` in `err->where`; SS_EUSAGE when the
 *         program was built without YAML; SS_ENOMEM.
 */
enum ss_status tree_parse(struct tree_documents *out, const char *text, size_t length,
			  struct ss_error *err);
void tree_release(struct tree_documents *documents);

/**
 * The same of files that other programs read: anchors, aliases and `<<` are filled in,
 * tags are passed over.
 */
enum ss_status tree_parse_open(struct tree_documents *out, const char *text, size_t length,
			       struct ss_error *err);

/** A map's value; NULL when the key is missing or `map` is no map. */
const struct tree_node *tree_get(const struct tree_node *map, const char *key);

/** The same as JSON, for the caller to delete; NULL when out of memory or a number is not finite.
 */
cJSON *tree_to_json(const struct tree_node *node);

#endif
