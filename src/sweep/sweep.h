/**
 * @file
 * The sweep's parts: axes, the plan of a run, rows with their columns, and one
 * worker's state. A row is named by its index in the product of the axes, the last
 * axis varying fastest, so that it can be made anywhere and at any time.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case/session.h"
#include "text/where.h"
#include "text/xbuf.h"

/* -- axes ----------------------------------------------------------------------------- */

enum axis_kind {
	AXIS_FIELD,
	AXIS_COUNT,       /**< requests of the batch's first group */
	AXIS_CONTEXT,     /**< its context */
	AXIS_COEFFICIENT, /**< a value tried, `coef:NAME` */
};

struct axis_value {
	char *text;            /**< as shown; "" is unstated */
	struct ss_value value; /**< of a field */
	double number;         /**< of the other kinds, and of numeric fields */
};

struct axis {
	enum axis_kind kind;
	enum ss_field_id field;
	char *name; /**< column name: the last part of the path, or as given */
	struct axis_value *values;
	size_t count;
};

struct axes {
	struct axis *items;
	size_t count;
	uint64_t rows; /**< of the whole product; 1 without axes */
};

/** Most rows of a product, so that an index always fits. */
#define SWEEP_ROWS_MAX ((uint64_t)1 << 53)
/** Most values of one axis. */
#define AXIS_VALUES_MAX 10000000

/** Add one axis from `NAME=VALUES`; `err` says what is wrong. */
/** Read one axis and a single value of it; release with axis_release(). */
SS_NODISCARD enum ss_status axis_read(struct axis *axis, const char *name, const char *value,
				      struct ss_error *err);
void axis_release(struct axis *axis);
SS_NODISCARD enum ss_status axes_add(struct axes *axes, const char *text, struct ss_error *err);
void axes_release(struct axes *axes);
/** Are its values yes or no? */
bool axis_is_switch(const struct axis *axis);

/* -- columns -------------------------------------------------------------------------- */

enum column_goal { GOAL_NONE, GOAL_LESS, GOAL_MORE };

/* clang-format off */
/** Latencies of a served load: id, which, percentile. */
#define SWEEP_LATENCY_LIST(X) \
	X(TTFT_P50, TTFT, 0.5) X(TTFT_P90, TTFT, 0.9) X(TTFT_P99, TTFT, 0.99) \
	X(TPOT_P50, TPOT, 0.5) X(TPOT_P90, TPOT, 0.9) X(TPOT_P99, TPOT, 0.99) \
	X(ITL_P50,  ITL,  0.5) X(ITL_P90,  ITL,  0.9) X(ITL_P99,  ITL,  0.99) \
	X(E2E_P50,  E2E,  0.5) X(E2E_P90,  E2E,  0.9) X(E2E_P99,  E2E,  0.99)

/** What a load played comes to; asked for, each row plays it. The first and last are marks. */
#define SWEEP_SERVED_LIST(X)                                              \
	X(TTFT_P50,     "ttft_p50_s",           false, LESS, false) \
	X(TTFT_P90,     "ttft_p90_s",           false, LESS, false) \
	X(TTFT_P99,     "ttft_p99_s",           false, LESS, false) \
	X(TPOT_P50,     "tpot_p50_s",           false, LESS, false) \
	X(TPOT_P90,     "tpot_p90_s",           false, LESS, false) \
	X(TPOT_P99,     "tpot_p99_s",           false, LESS, false) \
	X(ITL_P50,      "itl_p50_s",            false, LESS, false) \
	X(ITL_P90,      "itl_p90_s",            false, LESS, false) \
	X(ITL_P99,      "itl_p99_s",            false, LESS, false) \
	X(E2E_P50,      "e2e_p50_s",            false, LESS, false) \
	X(E2E_P90,      "e2e_p90_s",            false, LESS, false) \
	X(E2E_P99,      "e2e_p99_s",            false, LESS, false) \
	X(REQUESTS,     "requests_per_s",       false, MORE, false) \
	X(OUTPUT,       "output_tokens_per_s",  false, MORE, false) \
	X(OUTPUT_GPU,   "output_tokens_per_s_per_gpu", false, MORE, false) \
	X(GOODPUT,      "goodput",              false, MORE, false) \
	X(SLO_SHARE,    "slo_share",            false, MORE, false) \
	X(SLO_MET,      "slo_met",              false, MORE, false)

/* id, name, text (or number), which way is better, shown unless chosen otherwise */
#define SWEEP_COLUMN_LIST(X)                                              \
	X(LEAD,         "lead_s",               false, LESS, true)  \
	X(SERIAL,       "serial_s",             false, LESS, true)  \
	X(OVERLAP,      "overlap_s",            false, LESS, true)  \
	X(NO_OVERLAP,   "no_overlap_s",         false, LESS, true)  \
	X(MEASURED,     "kernels_s",            false, LESS, true)  \
	X(ITL,          "itl_s",                false, LESS, true)  \
	X(BOTTLENECK,   "bottleneck",           true,  NONE, true)  \
	X(GRAPH,        "graph",                true,  NONE, false) \
	X(KERNELS,      "kernels",              false, LESS, false) \
	X(TOKENS,       "tokens_per_s",         false, MORE, true)  \
	X(TOKENS_GPU,   "tokens_per_s_per_gpu", false, MORE, true)  \
	X(PREFILL,      "prefill_tokens_per_s", false, MORE, false) \
	X(FITS,         "fits",                 true,  NONE, true)  \
	X(WEIGHTS,      "weights_bytes",        false, LESS, false) \
	X(FIXED,        "total_bytes",          false, LESS, false) \
	X(BUDGET,       "budget_bytes",         false, MORE, true)  \
	X(BATCH_BYTES,  "batch_bytes",          false, LESS, false) \
	X(KV_TOKEN,     "kv_bytes_per_token",   false, LESS, false) \
	X(POOL_TOKENS,  "reported_tokens",      false, MORE, false) \
	X(CONCURRENCY,  "max_concurrency",      false, MORE, false) \
	X(RANKS,        "ranks",                false, LESS, false) \
	X(EVIDENCED,    "evidenced",            false, MORE, false) \
	X(ENTRIES,      "entries",              false, NONE, false) \
	X(ASSUMED,      "assumed",              false, LESS, false) \
	X(DISTANCE,     "release_distance",     false, LESS, false) \
	SWEEP_SERVED_LIST(X)                                        \
	X(CODE,         "code",                 true,  NONE, true)  \
	X(REASON,       "reason",               true,  NONE, true)
/* clang-format on */

enum sweep_column {
#define X(id, ...) COLUMN_##id,
	SWEEP_COLUMN_LIST(X)
#undef X
		SWEEP_COLUMN_COUNT,
};

const char *sweep_column_name(enum sweep_column column);
bool sweep_column_is_text(enum sweep_column column);
enum column_goal sweep_column_goal(enum sweep_column column);

/** One configuration priced. */
struct sweep_row {
	uint64_t index;
	const size_t *digits;           /**< value of each axis; borrowed from the worker */
	bool is_priced;                 /**< else `code` and `reason` say why */
	bool is_refused;                /**< not even resolved: memory is not known either */
	bool fits;                      /**< the whole verdict of the batch */
	const char *bottleneck, *graph; /**< static */
	double numbers[SWEEP_COLUMN_COUNT];
	char code[16];
	char reason[1024];
};

/* -- what is shown -------------------------------------------------------------------- */

struct where {
	bool is_axis;
	size_t column; /**< an axis, or an enum sweep_column */
	enum where_op op;
	char *text;
	double number;
	bool has_number;
};

/** A shown column: the key, an axis or a figure. */
struct shown_column {
	enum { SHOW_KEY, SHOW_AXIS, SHOW_COLUMN } kind;
	size_t index;
	const char *name;
	int width; /**< in text */
};

struct sweep_plan {
	const struct session *session;
	struct axes axes;
	uint32_t hash; /**< of all that makes the rows what they are: the key's first part */
	struct shown_column *shown;
	size_t shown_count;
	size_t *json_order; /**< indexes of `shown` by name */
	struct where *wheres;
	size_t where_count;
	bool is_served; /**< a figure needed is one of the load played */
	bool needs[SWEEP_COLUMN_COUNT]; /**< figures shown, tested or ranked by */
	bool has_best;
	enum sweep_column best;
	size_t top;
	struct ss_basis **bases; /**< of every combination of the axes that need their own */
	char (*basis_reasons)[1024];
	char (*basis_codes)[16];
	size_t basis_count;
	size_t *basis_steps; /**< what one value of an axis adds to the index; 0: none */
	int format;          /**< enum output_format */
};

/** Most combinations of models, parts and values tried that one sweep opens. */
#define BASES_MAX 4096

/** Does an axis ask for a basis of its own? */
bool axis_has_own_basis(const struct axis *axis);
/** Open the basis of a scenario, the session's what-ifs and more; why it has none. */
struct ss_basis *plan_open_basis(const struct sweep_plan *plan, const struct ss_scenario *scenario,
				 const struct ss_whatif *more, size_t count, char code[16],
				 char reason[1024]);

/**
 * Read the command line's axes, columns and tests, and open every basis.
 *
 * @return SS_EUSAGE with `err` filled, or SS_ENOMEM. Release whatever is returned.
 */
struct arguments;
SS_NODISCARD enum ss_status plan_init(struct sweep_plan *plan, struct session *session,
				      const struct arguments *arguments, struct ss_error *err);
void plan_release(struct sweep_plan *plan);

bool plan_admits(const struct sweep_plan *plan, const struct sweep_row *row);
/** The line of titles: CSV and text; nothing for JSON Lines. */
void plan_header(const struct sweep_plan *plan, struct xbuf *out);
/** One row in the format asked for. */
void plan_row(const struct sweep_plan *plan, const struct sweep_row *row, struct xbuf *out);
/** `1f00ba12-17`: the key of a row. */
void plan_key(const struct sweep_plan *plan, uint64_t index, char *out, size_t size);

/** A double in as few digits as bring it back, fast; returns its length (at most 32). */
size_t put_double(char *out, double number);

/* -- a worker ------------------------------------------------------------------------- */

struct worker {
	const struct sweep_plan *plan;
	struct ss_scenario *scenario;
	struct ss_kernel *kernel;
	struct ss_group *groups;
	size_t group_count;
	size_t *digits;
	bool has_row, is_resolved;
	struct ss_problems problems;
	struct sweep_row row;
};

void worker_init(struct worker *worker, const struct sweep_plan *plan);
/** Price the row of an index; the result is the worker's `row`. */
void worker_price(struct worker *worker, uint64_t index);
void worker_release(struct worker *worker);

/** Take an axis to a value; true when the deployment must be resolved anew. */
bool worker_take(struct worker *worker, const struct axis *axis, const struct axis_value *value);
/** Resolve the worker's scenario; a refusal is in its row. */
void worker_resolve(struct worker *worker, const struct ss_basis *basis);
/** The row says that there is no price, and why. */
void worker_refuse(struct worker *worker, const char *code, const char *reason);
/** Play the load before what the worker has resolved, for the columns that want it. */
void worker_serve(struct worker *worker);
/** Price what the worker has been taken to. */
void worker_price_here(struct worker *worker, uint64_t index);

#endif
