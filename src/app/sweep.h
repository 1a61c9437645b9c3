/*
 * The Sweep pane: a figure over a range of one setting, a curve per value of a
 * second one. Priced by the kernel alone, point by point.
 */
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "app/app.h"

#define SWEEP_POINTS 96
#define SWEEP_SERIES 6
#define SWEEP_COLUMNS 7

/** Points priced at once where each needs documents opened: well under a key's 16 ms. */
#define SWEEP_STEP 2

/** Figures before the terms, which follow in their order. */
#define SWEEP_FIGURE_TERMS 6
#define SWEEP_FIGURES (SWEEP_FIGURE_TERMS + SS_TERM_COUNT)

/** What is varied: the number of decodes of the batch, their context, a field, a coefficient. */
enum sweep_target { SWEEP_BATCH, SWEEP_CONTEXT, SWEEP_FIELD, SWEEP_COEFFICIENT };

struct sweep_axis {
	enum sweep_target target;
	enum ss_field_id field; /**< SWEEP_FIELD */
	char *coefficient;      /**< SWEEP_COEFFICIENT; owned */
	char **values;          /**< as text; owned */
	size_t count;
};

struct sweep_point {
	bool is_waiting; /**< not priced yet */
	bool is_priced, fits;
	enum ss_resource bottleneck;
	double x, y;            /**< as drawn */
	struct figures figures; /**< where it is priced; what the Pareto view draws */
	char why[256];          /**< why not priced, or why it does not fit */
};

struct sweep {
	struct sweep_axis x, series; /**< series.count 0: one curve */
	int figure;                  /**< see sweep_figure_name() */
	bool is_log_x, is_log_y, is_pareto, shows_unfit;
	size_t at, series_at; /**< the cursor */
	struct sweep_point points[SWEEP_SERIES][SWEEP_POINTS];
	size_t series_count; /**< at least 1 once refreshed */
	double ceiling;      /**< capture ceiling on a batch axis; 0: not drawn */
	double now_x, now_y; /**< where the present state stands; NaN: off the axis */
	bool is_stale;
	size_t done;                                /**< points priced, in the order of the table */
	unsigned long priced;                       /**< app.prices they belong to; 0: none */
	enum ss_figure priced_figure;               /**< and the lead figure */
	struct quote_basis *basis;                  /**< of the last point that needed its own */
	struct table_column columns[SWEEP_COLUMNS]; /**< of sweep_table() */
};

/** Where the curve under the cursor turns, and why. */
struct sweep_knee {
	double x;
	char text[32]; /**< "capture ceiling", "sm binds", "fits no more" */
};
#define SWEEP_KNEES 8

/** The capture ceiling first, then along an axis of numbers; how many there are. */
size_t sweep_knees(const struct sweep *sweep, struct sweep_knee knees[SWEEP_KNEES]);

struct sweep *sweep_new(struct app *app);
/** NULL is fine. */
void sweep_free(struct sweep *sweep);

/** Start anew when anything behind the points changed, and price what is quick. */
void sweep_refresh(struct app *app);
/** Price some points that open documents; false when all are priced. */
bool sweep_think(struct app *app);

/** Put a value of an axis into a draft; false with `why` when it does not go in. */
bool sweep_put(struct draft *draft, size_t pool, const struct sweep_axis *axis, size_t at,
	       char *why, size_t size);
bool sweep_is_numeric(const struct sweep_axis *axis);
/** The value a coefficient has in the price, NaN when there is none. */
double sweep_coefficient_now(const struct app *app, const char *name);

unsigned sweep_apply(struct app *app, enum action_id action);
unsigned sweep_move(struct app *app, int by_x, int by_series);
/** Take the configuration under the cursor; says whether anything changed. */
bool sweep_take(struct app *app);
unsigned sweep_ask(struct app *app);

/** `tp 1,2,4,8`, `batch 1..64`, `context 1k..64k:x2`: of the axis or of the series. */
unsigned sweep_command(struct app *app, bool is_series, const char *text);

/** An axis as it was kept; one that no longer means anything is left out. */
void sweep_restore(struct app *app, bool is_series, const char *name, const char *const *values,
		   size_t count);

const char *sweep_figure_name(int figure);
const char *sweep_figure_unit(int figure);
const char *sweep_axis_name(const struct sweep_axis *axis);

/** All points as a table, for export. */
void sweep_table(const struct app *app, struct table *out);

#endif
