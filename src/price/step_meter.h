/**
 * @file
 * One pass being priced and where its charges go: what the files of the step share.
 */
#ifndef STEPSCOPE_PRICE_STEP_METER_H
#define STEPSCOPE_PRICE_STEP_METER_H

#include "price/batch_sums.h"
#include "price/step.h"
#include "price/step_times.h"

/** One pass being priced: main or draft. */
struct pass {
	const struct plan *plan;
	const struct ss_batch *batch;
	struct batch_sums sums;
	unsigned corrections;
	double stretch;                /**< FLOP-derived times, for a smaller SM budget */
	double work_rows;              /**< rows of GEMMs: T, or the padded graph size */
	double rate_s[PLAN_RATES_MAX]; /**< seconds of one FLOP a row, over all rows */
	double attention_flop_s;       /**< seconds of one attention FLOP on the BF16 ramp */
	bool is_draft;
};

/** Where charges go: one layer, then the step. */
struct meter {
	struct step_rows *rows;          /**< NULL in the plain call, and for what is left out */
	struct step_rows *all_rows;      /**< those asked for */
	bool is_kernels;                 /**< rows of the figure Kernels */
	size_t layer_mark;               /**< first row of the layer being priced */
	double layer[SS_RESOURCE_COUNT]; /**< of one layer, without experts */
	double expert_compute_s, expert_read_s;
	double serial_s; /**< of one layer */
	/* the step */
	double resource_s[SS_RESOURCE_COUNT];
	double overlap_s, step_serial_s;
	struct times_sum kernels; /**< Kernels: what no measured time holds for, and the host */
};

/** Entries a charge reads; absent ones (-1) are skipped. */
#define READS(...) ((const int[]){ __VA_ARGS__, -2 })

/** A row of the breakdown, for as long as the meter keeps rows. */
void meter_record(struct meter *m, const struct pass *pass, enum ss_term_id term,
		  enum ss_resource resource, int kind, const char *detail, double count,
		  double floor_s, double slope_s, double flops, double bytes,
		  const int *floor_reads, const int *slope_reads);
/** Seconds of the layer, one kernel after another. */
void meter_charge(struct meter *m, enum ss_resource resource, double seconds);

static inline int derate_entry(const struct plan *plan)
{
	return plan->derate.entry;
}

/** One attention node of a layer, its exchanges between ranks apart. */
void price_attention(struct meter *m, const struct pass *pass, const struct plan_layer *l,
		     const struct plan_attention *a);
void price_exchanges(struct meter *m, const struct pass *pass, int kind,
		     const struct plan_attention *a);
/** A collective of so many bytes, `count` times. */
void price_link(struct meter *m, const struct pass *pass, int kind, enum ss_term_id term,
		const struct plan_link *l, double bytes, double count, const char *detail);

#endif
