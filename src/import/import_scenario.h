/**
 * @file
 * A scenario out of anything that starts the engine or says how it was started: a
 * launch command in any shape, a start-up log, or a catalogue's YAML.
 */
#ifndef IMPORT_SCENARIO_H
#define IMPORT_SCENARIO_H

#include "import/import_log.h"
#include "import/import_source.h"
#include "import/import_vllm.h"

/** What became of a flag, as a list of flags says it: "taken", "no effect". */
const char *import_fate_name(enum import_fate fate);

/**
 * For vllm_import_options.read_config: the file of `--config`, looked for as named and
 * then beside the file `context`.
 */
cJSON *import_read_config(void *context, const char *path, struct ss_error *err);

/**
 * The scenario that a start-up log's arguments make, for its release when `options` name
 * none.
 *
 * @return as vllm_import(); SS_EUSAGE with `err` filled for a log that prints no arguments.
 */
enum ss_status log_scenario(struct ss_scenario **out, struct import_rows *rows,
			    const struct serve_log *log, const struct vllm_import_options *options,
			    struct ss_problems *problems, struct ss_error *err);

/**
 * The scenario of a text, which is told by what it holds.
 *
 * @param options `file` names the text in problems.
 * @return as vllm_import(); SS_EDOCUMENT with `err` filled for a text that holds no
 *         scenario.
 */
enum ss_status import_scenario(struct ss_scenario **out, struct import_rows *rows,
			       enum source_kind kind, const char *text, size_t length,
			       const struct vllm_import_options *options,
			       struct ss_problems *problems, struct ss_error *err);

#endif
