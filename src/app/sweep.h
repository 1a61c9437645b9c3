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

/** What is varied: a field, the number of decodes of the batch, or their context. */
enum sweep_target { SWEEP_BATCH, SWEEP_CONTEXT, SWEEP_FIELD };

struct sweep_axis {
	enum sweep_target target;
	enum ss_field_id field; /**< SWEEP_FIELD */
	char **values;          /**< as text; owned */
	size_t count;
};

struct sweep_point {
	bool is_priced, fits;
	double x, y;                        /**< as drawn */
	double itl_s, tokens_per_s_per_gpu; /**< for the Pareto view */
	char why[256];                      /**< why not priced, or why it does not fit */
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
	struct table_column columns[SWEEP_COLUMNS]; /**< of sweep_table() */
};

struct sweep *sweep_new(struct app *app);
/** NULL is fine. */
void sweep_free(struct sweep *sweep);

/** Price the points again. */
void sweep_refresh(struct app *app);

unsigned sweep_apply(struct app *app, enum action_id action);
unsigned sweep_move(struct app *app, int by_x, int by_series);
/** Take the configuration under the cursor; says whether anything changed. */
bool sweep_take(struct app *app);
unsigned sweep_ask(struct app *app);

/** `tp 1,2,4,8`, `batch 1..256`, `context 1k..64k:x2`: of the axis or of the series. */
unsigned sweep_command(struct app *app, bool is_series, const char *text);

const char *sweep_figure_name(int figure);
const char *sweep_figure_unit(int figure);
const char *sweep_axis_name(const struct sweep_axis *axis);

/** All points as a table, for export. */
void sweep_table(const struct app *app, struct table *out);

#endif
