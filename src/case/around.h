/**
 * @file
 * What a request costs around the steps that serve it: admission, each output token,
 * completion, its KV handed to a decode pool, its KV in the tiers of the offload.
 */
#ifndef CASE_AROUND_H
#define CASE_AROUND_H

#include <stddef.h>
#include <stdint.h>

#include "stepscope/kernel.h"

struct around_row {
	char key[80]; /**< `admission_s`, `offload_nvme_gen4_read_s` */
	char label[80];
	double seconds; /**< infinite: nothing there moves it */
	char note[160];
};

/** Room for every row: the host's, the places of a transfer, 16 tiers each way. */
#define AROUND_ROWS_MAX 40

/**
 * The rows of a request of `tokens`; returns how many.
 *
 * @param scenario of the kernel: its P/D transfer and its offload decide what there is.
 */
size_t around_of(struct around_row rows[AROUND_ROWS_MAX], const struct ss_kernel *kernel,
		 const struct ss_scenario *scenario, int64_t tokens);

/** Tokens of the longest request of a batch. */
int64_t around_longest(const struct ss_batch *batch);

#endif
