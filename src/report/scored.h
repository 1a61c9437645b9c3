/**
 * @file
 * A score for a person and as JSON.
 */
#ifndef REPORT_SCORED_H
#define REPORT_SCORED_H

#include "case/score.h"
#include "report/json.h"
#include "report/printout.h"

/* The sections in order: each scored_NAME(), and json_scored_NAME() of those with data. */
#define SCORED_DATA(X) X(summary) X(groups) X(ttft) X(worst) X(refused) X(runs)
#define SCORED_LIST(X) X(summary) X(groups) X(ttft) X(worst) X(plot) X(refused) X(runs)

enum { SCORED_COLUMNS_MAX = 32, SCORED_WORST = 10, SCORED_LABELS = 6 };

/** Columns of a table that are chosen while it is made; they last as long as it is shown. */
struct scored_table {
	struct column columns[SCORED_COLUMNS_MAX];
	size_t count;
};

/** A score whose rows are priced, and what of it is shown. */
struct scored_report {
	const struct score *score;
	enum score_view views[SCORE_VIEW_COUNT]; /**< the first leads */
	size_t view_count;
	bool is_whole; /**< leave out no column and group for being the same everywhere */
	struct column group_columns[SCORED_COLUMNS_MAX];
	struct scored_table runs, worst;
};

/** Make the columns of the views. */
void scored_columns(struct scored_report *report);

void scored_summary(struct doc *doc, const struct scored_report *r);
void scored_groups(struct doc *doc, const struct scored_report *r);
/** Of the first token what playing leaves over, by concurrency and length. */
void scored_ttft(struct doc *doc, const struct scored_report *r);
void scored_worst(struct doc *doc, struct scored_report *r);
void scored_plot(struct doc *doc, const struct scored_report *r);
void scored_refused(struct doc *doc, const struct scored_report *r);
void scored_runs(struct doc *doc, struct scored_report *r);

cJSON *json_scored_summary(const struct scored_report *r);
cJSON *json_scored_groups(const struct scored_report *r);
cJSON *json_scored_ttft(const struct scored_report *r);
cJSON *json_scored_worst(const struct scored_report *r);
cJSON *json_scored_refused(const struct scored_report *r);
cJSON *json_scored_runs(const struct scored_report *r);

/** A cell with a share; a dash for NAN. */
void scored_put_share(struct doc *doc, double share, bool has_sign);
/** Rows by the size of the leading view's error, largest first, for the caller to free. */
const struct score_row **scored_by_error(const struct scored_report *r, size_t *count);
/** Rows that are not priced. */
size_t scored_refusals(const struct score *score);
/** Releases that rows are priced as, each once; free with names_free(). */
void scored_releases(const struct score *score, char ***releases, size_t *count);
/** Rows that state no release and are priced as this one. */
size_t scored_assumed(const struct score *score, const char *release);

#endif
