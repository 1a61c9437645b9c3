/**
 * @file
 * A scenario as `vllm serve` commands that import_vllm.h reads back.
 */
#ifndef EXPORT_VLLM_H
#define EXPORT_VLLM_H

#include <stdio.h>

#include "stepscope/scenario.h"

/**
 * Write one command per pool, after `# pool I`: stated settings only, one a line.
 * What has no flag becomes `# set PATH=VALUE` ahead of the command.
 *
 * @param repository where the checkpoint is, `deepseek-ai/DeepSeek-V3`; NULL or "" for
 *                   the graph's name.
 * @return SS_ENOMEM, else SS_OK; the caller checks `out` for write errors.
 */
enum ss_status vllm_export(FILE *out, const struct ss_scenario *scenario, const char *repository);

#endif
