/**
 * @file
 * A sweep spread over machines by what a site already runs: GNU parallel, a Slurm
 * job array or an indexed job of Kubernetes.
 */
#ifndef SWEEP_SWEEP_SCRIPT_H
#define SWEEP_SWEEP_SCRIPT_H

#include <stdint.h>

#include "cli/arguments.h"
#include "text/xbuf.h"

/** What a site runs jobs by; the words of `--plan`, in this order. */
#define SWEEP_SITES "parallel slurm k8s"

/** Does an option say where and how a run is made, not what its rows are? */
bool sweep_option_is_of_run(enum option_id id);

/** A site of that word; -1 when there is none. */
int sweep_site(const char *word);

/**
 * Write the script: each shard a file of its own that goes on where it was cut off,
 * then the merge, which fails when a row is missing.
 *
 * @param rows   of the whole sweep
 * @param shards how many parts, at least 1
 */
void sweep_script(struct xbuf *out, int site, const struct arguments *arguments, uint64_t rows,
		  int64_t shards);

#endif
