/**
 * @file
 * How tensor parallelism splits the GEMMs of a graph that does not say it itself.
 */
#ifndef IMPORT_GRAPH_SHARDS_H
#define IMPORT_GRAPH_SHARDS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/** State `shard` on every GEMM of the layer kinds that has a role and no shard. False: no memory. */
bool graph_add_shards(cJSON *graph);

#endif
