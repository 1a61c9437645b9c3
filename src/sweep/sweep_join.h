/**
 * @file
 * Joining the shards of a sweep that are SQLite databases.
 */
#ifndef SWEEP_SWEEP_JOIN_H
#define SWEEP_SWEEP_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/status.h"

struct sweep_join {
	uint64_t rows, duplicates; /**< joined; found in more than one file */
	uint64_t next;             /**< the row after the last */
	/** Called for every hole, in order. */
	void (*hole)(void *context, uint64_t first, uint64_t last);
	void *context;
};

/** Is the file an SQLite database? False also when it cannot be read. */
bool sweep_is_database(const char *name);

/**
 * Put the rows of all files into one that is empty, in any order; what the first holds
 * besides (its run, columns and indexes) goes with them.
 *
 * @return SS_EUSAGE for a file of another sweep or rows that contradict, SS_EIO with
 *         SQLite's reason.
 */
SS_NODISCARD enum ss_status sweep_join(struct sweep_join *join, const char *out,
				       const char *const *names, size_t count,
				       struct ss_error *err);

#endif
