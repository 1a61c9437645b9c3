/*
 * The Serve pane: the scenario's load played before the deployment as it is, latency
 * against load, the timeline, and the frontier of throughput against speed over widths.
 * Long runs go on in slices between keys.
 */
#ifndef APP_SERVE_H
#define APP_SERVE_H

#include "app/app.h"
#include "case/serving.h"

/** Steps of a slice: a few milliseconds of a plain step. */
#define SERVE_SLICE 1500
/** Steps played before the first paint, so that the usual load is whole in its frame. */
#define SERVE_FIRST 4000

#define SERVE_POINTS 24
#define SERVE_FRONTIER 160
#define SERVE_TIMELINE 512
#define SERVE_COLUMNS 10

/** What is drawn below the figures. */
enum serve_shown {
	SERVE_SHOWS_TTFT, /**< latencies at p90, in the order of their ids */
	SERVE_SHOWS_TPOT,
	SERVE_SHOWS_ITL,
	SERVE_SHOWS_E2E,
	SERVE_SHOWS_TIMELINE,
	SERVE_SHOWS_FRONTIER,
	SERVE_SHOWN_COUNT,
};

/** One load of the curve. */
struct serve_point {
	double load; /**< at once, or a second */
	bool is_done, is_met, is_saturated, has_failed;
	double latency[SS_LATENCY_COUNT]; /**< p90 */
	double tokens_per_s;
};

/** One deployment and load of the frontier. */
struct serve_frontier {
	int64_t tp, replicas, concurrency;
	bool has_ep;
	bool is_done, is_met, has_failed;
	double per_gpu, per_user; /**< output tokens a second */
};

struct serve_view {
	bool is_open;  /**< the deployment and load below stand */
	char why[256]; /**< why not */
	struct quote *quote; /**< what it was opened on: its kernel is read until it is closed */
	unsigned long priced;
	enum ss_figure figure;
	struct serving serving;
	struct serving_run run;
	struct served served; /**< so far */
	bool is_over;
	struct ss_serve_result ends[2]; /**< the same load at either end of the band ... */
	int sides;                      /**< ... so many of them played */

	bool by_rate; /**< the curve varies the rate, not the concurrency */
	enum serve_shown shown;
	struct serve_point points[SERVE_POINTS];
	size_t point_count, done, at;
	double knee; /**< load where throughput stops growing; 0: none yet */
	struct serving_run probe;

	struct serve_frontier frontier[SERVE_FRONTIER];
	size_t frontier_count, frontier_done, frontier_at;
	struct ss_scenario *changed; /**< of the frontier's probe */
	struct ss_kernel *kernel;
	struct serving other;
	bool is_probing;
};

struct serve_view *serve_new(struct app *app);
/** NULL is fine. */
void serve_free(struct serve_view *view);

/** Start anew when anything behind it changed, and play what a frame has room for. */
void serve_refresh(struct app *app);
/** Play another slice; false when all is played. */
bool serve_think(struct app *app);

unsigned serve_apply(struct app *app, enum action_id action);
unsigned serve_move(struct app *app, int by);
/** Take the load, or the deployment, under the cursor; says whether anything changed. */
bool serve_take(struct app *app);
/** Twice or half the load. */
unsigned serve_step(struct app *app, int step);
unsigned serve_ask(struct app *app);
/** `1024/512@64`, as --load takes it; and a service level, empty for none. */
unsigned serve_command(struct app *app, const char *load);
unsigned serve_promise(struct app *app, const char *slo);

const char *serve_shown_name(enum serve_shown shown);
/** Points of the curve, or of the frontier, as a table for export. */
void serve_table(const struct app *app, struct table *out);

#endif
