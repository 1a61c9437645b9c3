/** Shared by the parts of a score. */
#ifndef CASE_SCORE_IMPL_H
#define CASE_SCORE_IMPL_H

#include "case/score.h"

/** Rows whose scenarios name the same documents share one. */
struct score_basis {
	struct ss_scenario *scenario;
	struct ss_basis *basis; /**< NULL: it cannot be made, for this reason */
	char *reason;
};

/** The scenario a run describes; SS_EREFUSED with the reason where there is none. */
SS_NODISCARD enum ss_status score_scenario(struct ss_scenario **out, const struct score *score,
					   const struct ss_run *run, const char *release,
					   char **reason, struct ss_problems *problems);

/** Corrections of a run: by default, but for what is asked. */
unsigned score_corrections(const struct score *score, const struct ss_scenario *scenario);

/**
 * Make a failure the refusal of a row: the first problem as one line, where it is and what;
 * without one, `otherwise`. Memory that ran out and files that cannot be read are failures
 * still, SS_ENOMEM and SS_EIO.
 */
SS_NODISCARD enum ss_status score_refuse(char **reason, enum ss_status rc,
					 const struct ss_problems *problems, const char *otherwise);

void score_basis_release(struct score_basis *basis);

#endif
