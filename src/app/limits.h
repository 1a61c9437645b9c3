/**
 * @file
 * The largest and smallest settings that still fit, by search over the kernel.
 */
#ifndef APP_LIMITS_H
#define APP_LIMITS_H

#include <stdint.h>

#include "app/session.h"

/** 0 where nothing fits or nothing bounds it. */
struct limits {
	int64_t requests;      /**< of the length asked about, at once */
	int64_t max_model_len; /**< largest that fits, within the model's window */
	int64_t max_num_seqs;  /**< largest that fits */
	int64_t tensor_parallel; /**< smallest that fits */
};

/**
 * @param length tokens of a request, prompt and output; above 0.
 */
SS_NODISCARD enum ss_status limits_find(struct limits *out, const struct session *session,
					int64_t length);

#endif
