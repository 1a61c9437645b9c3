/**
 * @file
 * Deployments that carry a wanted rate, cheapest first: for a person and as JSON.
 */
#ifndef REPORT_PLANNED_H
#define REPORT_PLANNED_H

#include "case/capacity.h"
#include "report/json.h"
#include "report/printout.h"

/** One deployment tried. */
struct planned_row {
	const char *part; /**< borrowed */
	char **values;    /**< of each axis */
	size_t order;     /**< as they were tried, from 0 */
	bool is_met;
	char reason[320]; /**< why it is not */
	int64_t gpus;     /**< of one */
	double cost;      /**< of all, an hour; NAN: not stated */
	int64_t replicas[CAPACITY_SIDES];
	struct ss_goodput goodput;
	double output_tokens_per_s;
	double by_method[SS_METHOD_COUNT];
	char leading[64];
	char *command; /**< that starts one */
};

struct planned {
	struct planned_row *rows;
	size_t count, tried; /**< rows there are; of so many asked for */
	char **axes;         /**< names */
	size_t axis_count;
	double rate;
	struct ss_slo slo;
	char model[96], load[200];
	bool has_cost;
	/** Columns of the table, and of CSV's; made by planned_finish(). */
	struct column *columns, *data;
	size_t column_count, data_count;
	char titles[SS_SLO_TERMS_MAX][2][48];
};

void planned_release(struct planned *planned);

/**
 * No row is added any more. Cheapest first: by cost where it is stated, else by GPUs; those
 * that do not carry it last.
 */
void planned_finish(struct planned *planned);
/** GPUs of all replicas. */
int64_t planned_gpus(const struct planned_row *row);

/* The sections in order: each planned_NAME() and json_planned_NAME(). */
#define PLANNED_LIST(X) X(plan) X(commands)

void planned_plan(struct doc *doc, const struct planned *planned);
void planned_commands(struct doc *doc, const struct planned *planned);
cJSON *json_planned_plan(const struct planned *planned);
cJSON *json_planned_commands(const struct planned *planned);

#endif
