/**
 * @file
 * Published serving runs priced: what each of them should have taken, and how far from
 * what was measured that is. Rows are priced one at a time, so that a caller can do
 * something else between them.
 */
#ifndef CASE_SCORE_H
#define CASE_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "case/session.h"
#include "stepscope/runs.h"

/** The runs that come with the registry, below its folder. */
#define SCORE_SHIPPED "validation/serving.csv"

/* clang-format off */
/**
 * What is set against a measurement: id, name, title, a short one. First the time per output token in
 * closed form by each figure; then what playing the load gives.
 */
#define SCORE_VIEWS(X)                                           \
	X(SERIAL,     "serial",     "Serial",      "Serial")     \
	X(NO_OVERLAP, "no_overlap", "NoOverlap",   "NoOverlap")  \
	X(OVERLAP,    "overlap",    "Overlap",     "Overlap")    \
	X(KERNELS,    "kernels",    "Kernels",     "Kernels")    \
	X(SERVE_TPOT, "serve_tpot", "played TPOT", "played")     \
	X(SERVE_TTFT, "serve_ttft", "played TTFT", "TTFT")
/* clang-format on */

enum score_view {
#define X(id, name, title, brief) SCORE_##id,
	SCORE_VIEWS(X)
#undef X
		SCORE_VIEW_COUNT,
};
const char *score_view_name(enum score_view view);
const char *score_view_title(enum score_view view);
/** The closed form by a figure. */
enum score_view score_view_of(enum ss_figure figure);

/** A run priced. */
struct score_row {
	const struct ss_run *run;
	const char *release;              /**< it was priced as */
	bool is_release_assumed;          /**< the row states none */
	int64_t held;                     /**< requests at once on one rank; 0: not priced */
	double seconds[SCORE_VIEW_COUNT]; /**< NAN where there is none */
	double admission_s;               /**< of its mean prompt, before it is scheduled */
	char *refusal;                    /**< why it is not priced, or not played; NULL */
	bool is_done;
	/* kept of runs that are to be played */
	struct ss_scenario *scenario;
	const struct ss_basis *basis;
};

struct score_basis; /**< opaque: what rows that share documents are priced with */

struct score {
	struct ss_registry *registry; /**< borrowed */
	const struct session_request *request;
	char *file; /**< as it is shown: of the shipped runs, SCORE_SHIPPED */
	struct ss_runs runs;
	struct score_row *rows; /**< as many as runs */
	struct score_basis *bases;
	size_t basis_count;
	struct ss_kernel *kernel;     /**< of the row priced last ... */
	struct ss_scenario *scenario; /**< ... and what it borrows from */
	bool is_played;               /**< runs will be played: set before they are priced */
};

/** The file of the shipped runs, for the caller to free; NULL where no root has it. */
char *score_shipped(const struct ss_registry *registry);

/**
 * Read the runs. Nothing is priced yet. Always release.
 *
 * @param request settings over those of every row, corrections, values tried and the
 *        release of rows that state none (`adhoc.engine_version`); borrowed for as long as
 *        the score.
 */
SS_NODISCARD enum ss_status score_open(struct score *out, struct ss_registry *registry,
				       const struct session_request *request, const char *file,
				       struct ss_problems *problems);
void score_release(struct score *score);
/** Let go of all that it has of the registry; what was priced stays. */
void score_close(struct score *score);

/**
 * Price a row, if that was not done; `refusal` says why where it cannot be.
 *
 * @return SS_ENOMEM, or SS_EIO with what could not be read in `problems`.
 */
SS_NODISCARD enum ss_status score_price(struct score *score, size_t index,
					struct ss_problems *problems);

/**
 * Keep the runs that pass a test of a group's column, `part=h100`, before any is priced;
 * numbers are compared as such.
 */
SS_NODISCARD enum ss_status score_keep(struct score *score, const char *test, struct ss_error *err);

/** Plays runs, one after another; a thread has one of its own. `{ 0 }` is ready. */
struct score_player {
	struct ss_kernel *kernel;
};

/**
 * Play the load of a run that is priced: as many requests as ten times those at once,
 * lengths drawn evenly, the next one when one ends. Rows may be played in any order by
 * several threads, each once.
 */
SS_NODISCARD enum ss_status score_play(struct score_player *player, struct score *score,
				       size_t index, enum ss_figure figure);
void score_player_release(struct score_player *player);

/**
 * The release that a row without one is priced as: the middle of those stated for the same
 * model and part, else for the model, else in the file; else that asked for, or ours.
 */
const char *score_release_of(const struct score *score, const struct ss_run *run);

/* -- how far off --------------------------------------------------------------------------- */

/** Predicted over measured, less 1; NAN where either is missing. */
double score_error(const struct score_row *row, enum score_view view);
/** What was measured of what a view predicts; 0: nothing. */
double score_measured(const struct score_row *row, enum score_view view);

struct score_stat {
	size_t rows;
	double median, p90; /**< of the errors without their sign; p90 between order statistics */
	double bias;        /**< mean error */
};

/** Rows that a caller wants counted. */
typedef bool score_wants(const struct score_row *row, const void *context);

/** Over the rows priced that are wanted (NULL: all). */
void score_stat(struct score_stat *out, const struct score *score, enum score_view view,
		score_wants *wants, const void *context);

/** Does any row have it? */
bool score_has(const struct score *score, enum score_view view);

/* clang-format off */
/** What runs are told apart by: id, name of the column. */
#define SCORE_GROUPS(X)                    \
	X(MODEL,     "model")              \
	X(PART,      "part")               \
	X(PRECISION, "precision")          \
	X(TP,        "tp")                 \
	X(BATCH,     "concurrency")        \
	X(LENGTH,    "length")             \
	X(RELEASE,   "engine_version")     \
	X(SOURCE,    "source")
/* clang-format on */

enum score_group {
#define X(id, name) SCORE_BY_##id,
	SCORE_GROUPS(X)
#undef X
		SCORE_GROUP_COUNT,
};
const char *score_group_name(enum score_group group);

/** The row's value of a group, `1024/8192`; "" where it states none. */
void score_group_value(char *out, size_t size, const struct score_row *row, enum score_group group);

/** Values of a group, each once, numbers by their size; free with names_free(). */
void score_group_values(const struct score *score, enum score_group group, char ***values,
			size_t *count);

/** Over the rows of one value of a group. */
void score_group_stat(struct score_stat *out, const struct score *score, enum score_view view,
		      enum score_group group, const char *value);

#endif
