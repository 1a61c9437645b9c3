/*
 * Files the explorer reads, and where it keeps its own.
 */
#ifndef APP_STORE_H
#define APP_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/stamp.h"
#include "text/xbuf.h"
#include "stepscope/status.h"

/** Add a whole file, of 64 MiB at most. */
SS_NODISCARD enum ss_status store_read(const char *path, struct xbuf *out, struct ss_error *err);

/**
 * Paths that begin with `prefix`, folders with a slash behind.
 *
 * @return NULL-ended, array and paths for the caller to free(); NULL when there are none.
 */
char **store_complete(const char *prefix);

/** $XDG_STATE_HOME/stepscope, made when missing; the caller frees it. NULL: there is no place. */
char *store_state_dir(void);

/** $XDG_CONFIG_HOME/stepscope/config, there or not; the caller frees it. NULL: no place. */
char *store_config_file(void);

#endif
