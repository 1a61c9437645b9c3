/**
 * @file
 * A graph made of a checkpoint's `config.json`, for a registry that is asked for its path.
 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include "import/checkpoint.h"
#include "stepscope/registry.h"

/** See ss_model_source_fn: a `config.json`, a folder that holds one, or a graph's own file. */
char *model_source_read(struct ss_registry *registry, const char *name, bool *is_source,
			struct ss_problems *problems);

/**
 * Warn when a name says a quantised format, `-fp8`, and the checkpoint states none: the
 * configuration is followed.
 *
 * @param table NULL: no format is known.
 */
void model_source_check_format(const struct checkpoint *checkpoint, const char *name,
			       const char *file, const struct ss_model_names *table,
			       struct ss_problems *problems);

#endif
