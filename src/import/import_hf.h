/**
 * @file
 * A Hugging Face `config.json` into a model graph.
 */
#ifndef IMPORT_HF_H
#define IMPORT_HF_H

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "stepscope/problems.h"

/** Does this document look like such a configuration? */
bool hf_is_config(const cJSON *document);

/**
 * Make a graph for one of the architectures that hf_architecture() lists.
 *
 * @param out  on success a ModelGraph document for the caller to cJSON_Delete().
 * @param quantization what lies beside it in hf_quant_config.json, taken when the
 *        configuration itself states none; may be NULL.
 * @param name of the graph.
 * @param file named in problems.
 * @return SS_EDOCUMENT with every problem listed (an unknown architecture with the
 *         nearest known), or SS_ENOMEM.
 */
enum ss_status hf_import(cJSON **out, const cJSON *config, const cJSON *quantization,
			 const char *name, const char *file, struct ss_problems *problems);

/** Known architectures, `length` characters each; NULL past the last. */
const char *hf_architecture(size_t index, size_t *length);

/**
 * List what differs between two graphs, layer by layer and node by node; names,
 * sources and comments are not compared.
 *
 * @return how many differences were written.
 */
size_t graph_compare(FILE *out, const cJSON *ours, const cJSON *theirs);

#endif
