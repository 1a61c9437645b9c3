/**
 * @file
 * The rows of a sweep as an SQLite table, for millions of them: typed, indexed,
 * written in transactions, so that a run that was killed goes on after the last.
 */
#ifndef SWEEP_SWEEP_DATABASE_H
#define SWEEP_SWEEP_DATABASE_H

#include "sweep/sweep.h"

struct sweep_database; /* opaque */

enum database_how {
	DATABASE_NEW,
	DATABASE_GOES_ON, /**< may hold rows of this sweep */
	DATABASE_APART,   /**< new, and nothing until it is whole: no journal beside it */
};

/**
 * Make a database, or open one.
 *
 * Table `sweep`: `row` (the index in the product, the primary key), then the columns
 * shown: INTEGER for whole-numbered axes and yes or no, REAL, TEXT. Table `run`: the
 * sweep's hash, program version and scenario.
 *
 * @param first,last rows of this run; `*next` is the first one still missing.
 * @return SS_EUSAGE for a file of something else, SS_EIO with SQLite's reason.
 */
SS_NODISCARD enum ss_status sweep_database_open(struct sweep_database **out,
						const struct sweep_plan *plan, const char *name,
						enum database_how how, uint64_t first,
						uint64_t last, uint64_t *next,
						struct ss_error *err);

/** Add rows that plan_row() packed. */
SS_NODISCARD enum ss_status sweep_database_add(struct sweep_database *database,
					       const struct xbuf *rows, struct ss_error *err);

/** Make the indexes and close; NULL is fine. On failure it is closed all the same. */
SS_NODISCARD enum ss_status sweep_database_finish(struct sweep_database *database,
						  struct ss_error *err);
/** Close what cannot be finished: what was committed stays. */
void sweep_database_close(struct sweep_database *database);

/** How the tables of every sweep begin; the other columns of `sweep` follow. */
#define SWEEP_TABLES                                                        \
	"BEGIN; CREATE TABLE run (hash TEXT, version TEXT, scenario TEXT);" \
	"CREATE TABLE sweep (row INTEGER PRIMARY KEY"

/** Append a name as SQL quotes it. */
void sweep_put_name(struct xbuf *sql, const char *name);

/** Refuse a database to replace that a killed run left a journal beside: it would be played
 * back into the new one. */
SS_NODISCARD enum ss_status sweep_database_may_replace(const char *name, struct ss_error *err);

/* -- packed rows, between the workers and the one that writes ----------------------------- */

/** One cell: its kind, then a double, or a length and text; nothing for NULL. */
enum packed_kind { PACKED_NULL, PACKED_NUMBER, PACKED_TEXT };

void pack_index(struct xbuf *out, uint64_t index);
void pack_null(struct xbuf *out);
void pack_number(struct xbuf *out, double number);
void pack_text(struct xbuf *out, const char *text);

#endif
