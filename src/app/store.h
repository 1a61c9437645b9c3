/*
 * Files the explorer writes: the scenario, exports, and the session that
 * outlives a crash.
 */
#ifndef APP_STORE_H
#define APP_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/app.h"
#include "stepscope/status.h"

/** What tells a file from what it was. */
struct store_stamp {
	bool exists;
	long long size, seconds, nanoseconds, inode;
};

struct store_stamp store_stamp(const char *path);
bool store_stamp_equal(const struct store_stamp *a, const struct store_stamp *b);

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

/** Keep the draft in `dir` under this process's name. */
SS_NODISCARD enum ss_status store_keep_session(const char *dir, const struct app *app,
					       struct ss_error *err);
/** Remove what this process kept. */
void store_drop_session(const char *dir);

/** A session whose process is gone: its file, for the caller to free; NULL when there is none. */
char *store_find_session(const char *dir);

/**
 * Take a kept session over as one edit of the draft.
 *
 * @return false, with `err` filled, when it does not read.
 */
bool store_recover(const char *path, struct app *app, struct ss_error *err);

#endif
