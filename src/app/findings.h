/**
 * @file
 * All that is known of a session's price, gathered once for whoever shows it.
 */
#ifndef APP_FINDINGS_H
#define APP_FINDINGS_H

#include "app/figures.h"
#include "app/session.h"

struct findings {
	const struct session *session;
	const struct ss_kernel *kernel;
	bool has_price; /**< false: all below but fit, evidence and the batch's bytes is empty */
	struct figures figures;
	struct ss_breakdown breakdown;
	struct ss_divergence_effect effects[SS_DIVERGENCE_COUNT];
	size_t effect_count;
	struct influence *influences; /**< one for each entry; all zero without a price */
	double band_s[2];
	double share[SS_METHOD_COUNT];
	struct ss_fit fit;
	struct ss_evidence evidence;
	int64_t batch_bytes;
	bool batch_fits;
};

/** The session must have a kernel; it is borrowed. Always release. */
SS_NODISCARD enum ss_status findings_new(struct findings *out, const struct session *session);
void findings_release(struct findings *findings);

/** Indexes of the entries in the order of a walk: assumed ones, the kernel's own first,
 * then by how far they move the price. The caller frees. */
size_t *findings_walk(const struct findings *findings, size_t *count);

/** All entries (or those a filter admits) by influence, largest first, ties in order. */
size_t *findings_by_influence(const struct findings *findings,
			      bool (*admits)(const struct findings *findings, size_t entry),
			      size_t *count);

#endif
