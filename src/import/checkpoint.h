/**
 * @file
 * The files of a checkpoint that say what its weights are: `config.json`, and beside it
 * `hf_quant_config.json` and the index of its shards.
 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "stepscope/status.h"

struct checkpoint {
	cJSON *config;
	cJSON *quantization; /**< of hf_quant_config.json; NULL when there is none */
	int64_t index_bytes; /**< of all shards, as their index says; 0: no index */
};

/** JSON as Python writes it: Infinity and NaN are read as null. NULL when it is none. */
cJSON *checkpoint_json(const char *text, size_t length);

/**
 * Read a configuration's text and what lies beside `path`; release with
 * checkpoint_release() whatever this returns.
 *
 * @param path of the configuration; `-` has nothing beside it.
 */
enum ss_status checkpoint_read(struct checkpoint *out, const char *text, size_t length,
			       const char *path, struct ss_error *err);
void checkpoint_release(struct checkpoint *checkpoint);

#endif
