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
#define SCORED_DATA(X) X(summary) X(groups) X(worst) X(refused) X(runs)
#define SCORED_LIST(X) X(summary) X(groups) X(worst) X(plot) X(refused) X(runs)

enum { SCORED_COLUMNS_MAX = 32, SCORED_WORST = 10 };

/** A score whose rows are priced, and the figures it is shown for. */
struct scored_report {
	const struct score *score;
	enum ss_figure figures[SS_FIGURE_COUNT]; /**< the first leads */
	size_t figure_count;
	/* columns of tables whose width is the figures', for as long as they are shown */
	struct column group_columns[SCORED_COLUMNS_MAX], run_columns[SCORED_COLUMNS_MAX];
};

/** Make the columns of the figures asked for. */
void scored_columns(struct scored_report *report);

void scored_summary(struct doc *doc, const struct scored_report *r);
void scored_groups(struct doc *doc, const struct scored_report *r);
void scored_worst(struct doc *doc, const struct scored_report *r);
void scored_plot(struct doc *doc, const struct scored_report *r);
void scored_refused(struct doc *doc, const struct scored_report *r);
void scored_runs(struct doc *doc, const struct scored_report *r);

cJSON *json_scored_summary(const struct scored_report *r);
cJSON *json_scored_groups(const struct scored_report *r);
cJSON *json_scored_worst(const struct scored_report *r);
cJSON *json_scored_refused(const struct scored_report *r);
cJSON *json_scored_runs(const struct scored_report *r);

/** Rows by the size of the leading figure's error, largest first, for the caller to free. */
const struct score_row **scored_by_error(const struct scored_report *r, size_t *count);
/** Rows that are not priced. */
size_t scored_refusals(const struct score *score);
/** Releases that rows are priced as, each once; free with names_free(). */
void scored_releases(const struct score *score, char ***releases, size_t *count);
/** Rows that state no release and are priced as this one. */
size_t scored_assumed(const struct score *score, const char *release);

#endif
