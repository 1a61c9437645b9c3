/**
 * @file
 * All that is known of a session's price, gathered once for whoever shows it.
 */
#ifndef CASE_FINDINGS_H
#define CASE_FINDINGS_H

#include "case/figures.h"
#include "case/session.h"
#include "case/validated.h"

struct findings {
	const struct session *session;
	const struct ss_kernel *kernel;
	bool has_price; /**< false: all below but fit, evidence and the batch's bytes is empty */
	struct figures figures;
	struct ss_breakdown breakdown;
	struct ss_divergence_effect effects[SS_DIVERGENCE_COUNT];
	size_t effect_count;
	struct ss_influence *influences; /**< one for each entry */
	double band_s[2];
	struct ss_share share; /**< of the lead figure */
	struct ss_share memory_share;
	const char *bottleneck; /**< `hbm`, or `host (fitted remainder)` */
	struct ss_fit fit;
	struct ss_evidence evidence;
	int64_t batch_bytes;
	struct validated validated; /**< once findings_validate() was called */
};

/** The session must have a kernel; it is borrowed. Always release. */
SS_NODISCARD enum ss_status findings_new(struct findings *out, const struct session *session);
void findings_release(struct findings *findings);

/** Price published runs like the case, too; it takes longer than the rest. */
SS_NODISCARD enum ss_status findings_validate(struct findings *findings);

/** Tokens of the request that "around a step" is of: of TTFT, else the longest of the batch. */
int64_t findings_prompt(const struct findings *findings);

/** Entries that are assumed, in the order to walk them; the caller frees. */
struct ss_walk_item *findings_walk(const struct findings *findings, size_t *count);

/** Entries that can be tried at other values, largest influence first; the caller frees. */
size_t *findings_by_influence(const struct findings *findings, size_t *count);

#endif
