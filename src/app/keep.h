/*
 * The session that outlives a crash: all a user would miss, written down after every
 * change under a name that is nobody else's, which stays locked while its explorer lives.
 */
#ifndef APP_KEEP_H
#define APP_KEEP_H

#include <stdbool.h>

#include "app/app.h"
#include "stepscope/status.h"

struct keeper; /* opaque */

/** Take a name in a folder. NULL: nothing can be kept there. */
struct keeper *keeper_new(const char *dir);

/** Write the session down unless it is as it was, or remove it when nothing would be lost. */
SS_NODISCARD enum ss_status keeper_keep(struct keeper *keeper, const struct app *app,
					struct ss_error *err);

/** Give the name back; NULL is fine. `drops`: what was kept goes too. */
void keeper_free(struct keeper *keeper, bool drops);

/**
 * Find a session whose explorer is gone, the newest; it is ours from now on, so that
 * no other explorer finds it. One that was saved before its explorer went is removed.
 *
 * @return whether there is one.
 */
bool keeper_find(struct keeper *keeper);

/** What is in the session found, in a line for a person. */
void keeper_describe(const struct keeper *keeper, char *out, size_t size);

/**
 * Take over the session found: draft, edits, baseline and pins, figure, load, walk, review.
 *
 * @return false, with `err` filled and nothing changed, when it does not read.
 */
bool keeper_recover(struct keeper *keeper, struct app *app, struct ss_error *err);

/** Remove the session found, or leave it for another time. */
void keeper_settle(struct keeper *keeper, bool drops);

#endif
