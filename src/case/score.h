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

/** A run priced. */
struct score_row {
	const struct ss_run *run;
	const char *release;            /**< it was priced as */
	bool is_release_assumed;        /**< the row states none */
	int64_t held;                   /**< requests at once on one rank; 0: not priced */
	double tpot_s[SS_FIGURE_COUNT]; /**< NAN where there is none */
	char *refusal;                  /**< why it is not priced; NULL */
	bool is_done;
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
};

/** The file of the shipped runs, for the caller to free; NULL where no root has it. */
char *score_shipped(const struct ss_registry *registry);

/**
 * Read the runs. Nothing is priced yet. Always release.
 *
 * @param request corrections, values tried and the release of rows that state none
 *        (`adhoc.engine_version`); borrowed for as long as the score.
 */
SS_NODISCARD enum ss_status score_open(struct score *out, struct ss_registry *registry,
				       const struct session_request *request, const char *file,
				       struct ss_problems *problems);
void score_release(struct score *score);
/** Let go of all that it has of the registry; what was priced stays. */
void score_close(struct score *score);

/** Price a row, if that was not done; `refusal` says why where it cannot be. */
SS_NODISCARD enum ss_status score_price(struct score *score, size_t index);

/**
 * The release that a row without one is priced as: the middle of those stated for the same
 * model and part, else for the model, else in the file; else that asked for, or ours.
 */
const char *score_release_of(const struct score *score, const struct ss_run *run);

/* -- how far off --------------------------------------------------------------------------- */

/** Predicted over measured, less 1; NAN where either is missing. */
double score_error(const struct score_row *row, enum ss_figure figure);

struct score_stat {
	size_t rows;
	double median, p90; /**< of the errors without their sign; p90 between order statistics */
	double bias;        /**< mean error */
};

/** Rows that a caller wants counted. */
typedef bool score_wants(const struct score_row *row, const void *context);

/** Over the rows priced that are wanted (NULL: all). */
void score_stat(struct score_stat *out, const struct score *score, enum ss_figure figure,
		score_wants *wants, const void *context);

/** Does any row have the figure? */
bool score_has(const struct score *score, enum ss_figure figure);

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
void score_group_stat(struct score_stat *out, const struct score *score, enum ss_figure figure,
		      enum score_group group, const char *value);

#endif
