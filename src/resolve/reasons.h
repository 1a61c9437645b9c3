/**
 * @file
 * The wording of what a kernel noted. Our own words, one or two sentences each,
 * naming the value and the release.
 */
#ifndef STEPSCOPE_RESOLVE_REASONS_H
#define STEPSCOPE_RESOLVE_REASONS_H

#include "resolve/kernel_impl.h"

/** Why an assumption was made. */
void reason_of_assumption(const struct ss_kernel *k, const struct assumption_note *note, char *out,
			  size_t size);
/** What was priced without an absent coefficient. */
void reason_of_absent(const struct absent_note *note, char *out, size_t size);
/** Why a request is not honoured. */
void reason_of_override(const struct ss_kernel *k, const struct override_note *note, char *out,
			size_t size);

#endif
