/**
 * @file
 * A case under examination: a scenario opened, one of its pools resolved, the
 * batch loaded and what is tried on it. The batch commands and the explorer
 * both open one of these.
 */
#ifndef CASE_SESSION_H
#define CASE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case/roots.h"
#include "stepscope/footing.h"
#include "stepscope/kernel.h"
#include "stepscope/review.h"

/** The scenario opened when none is named. */
#define SESSION_DEFAULT_SCENARIO "deepseek-v3-h200-fp8-tp8"

/** The setting that is a whole load in its short form, see ss_load_set(). */
#define SESSION_LOAD "load"

/** A setting to change: path and text as ss_scenario_set() reads them. */
struct setting {
	const char *path, *text;
};

/** A scenario made from words instead of a file. Unstated: NULL or 0. */
struct adhoc {
	const char *model, *part;
	int64_t nodes, gpus_per_node, gpus_per_rack;
	const char *fabric;
	double inter_node_gb_s;
	const char *engine_version;
};

/** What to open. All text is borrowed for the call. `{ 0 }` opens the default. */
struct session_request {
	const char *registry; /**< --registry, or NULL */
	ss_model_source_fn *model_source; /**< reads a model that is a path; may be NULL */
	const char *scenario; /**< a path, a name, `-`, or NULL */
	struct adhoc adhoc;   /**< used when it names a model */
	const char *part;     /**< put the scenario on this part; NULL: its own */
	const struct setting *settings;
	size_t setting_count;
	const char *pool;  /**< an index from 0, or a role only one pool has; NULL: 0 */
	const char *batch; /**< as ss_batch_parse() reads it, or NULL */
	int64_t decode_threshold, sm_budget; /**< 0: unstated */
	const struct ss_whatif *whatifs;     /**< over the scenario's own; NAN: as in its set */
	size_t whatif_count;
	unsigned corrections_dropped; /**< of those the scenario has on, and then ... */
	unsigned corrections_added;   /**< ... turned on */
	enum ss_figure figure;
	struct ss_spread spread;
	double acceptance;
	int64_t ttft_tokens;   /**< 0: none asked for */
	bool skips_resolution; /**< leave basis and kernel to the caller */
};

struct session {
	struct roots roots;
	struct ss_registry *registry;
	struct ss_scenario *scenario;
	struct ss_scenario *loaded; /**< as it was read, before the request changed it */
	struct ss_basis *basis;
	struct ss_kernel *kernel; /**< NULL when the deployment is refused */
	size_t pool;
	unsigned corrections;
	enum ss_figure figure;       /**< with a kernel: the one that leads */
	enum ss_figure asked_figure; /**< SS_FIGURE_LEAD: none was asked for */
	struct ss_group *groups;     /**< the batch loaded */
	size_t group_count;
	/** The workload's own, of which the batch is the pool's part; NULL: a batch was asked for.
	 */
	struct ss_group *workload_groups;
	int64_t decode_threshold, sm_budget;
	/** Tried: those of the scenario, which has the request's too. Borrowed. */
	const struct ss_whatif *whatifs;
	size_t whatif_count;
	struct ss_spread spread;
	double acceptance;
	int64_t ttft_tokens;
	const struct ss_review *review; /**< of its assumed entries; borrowed, NULL: none */
	struct ss_problems problems;    /**< of the last load or resolution: refusals, warnings */
};

/** A request that asks for nothing in particular. */
struct session_request session_request(void);

/**
 * Open the registry alone: for commands that need no scenario.
 *
 * @param err  filled on SS_EUSAGE (a --registry that is no folder) and SS_ENOMEM.
 */
SS_NODISCARD enum ss_status session_open_registry(struct session *out,
						  const struct session_request *request,
						  struct ss_error *err);

/**
 * Open a case and resolve it. Always release the session, whatever is returned.
 *
 * @return SS_EUSAGE (see `err`), SS_EDOCUMENT and SS_EREFUSED (see out->problems;
 *         when refused, all but the kernel is there), SS_ENOMEM, SS_EIO.
 */
SS_NODISCARD enum ss_status session_open(struct session *out, const struct session_request *request,
					 struct ss_error *err);

/**
 * Resolve again after a change of scenario, pool, what-ifs or corrections. On
 * failure the kernel is NULL and `problems` says why.
 *
 * @param is_basis_stale the change touches what the basis rests on: a document
 *        named by the scenario, or a what-if.
 */
SS_NODISCARD enum ss_status session_resolve(struct session *session, bool is_basis_stale);

/** The batch loaded, as the kernel takes it. Borrows. */
struct ss_batch session_batch(const struct session *session);

void session_release(struct session *session);

/** Does this field name a document, so that a change needs another basis? */
bool session_field_is_of_basis(enum ss_field_id id);

/** Text of a field's value, "" when unstated. */
const char *session_text(const struct ss_scenario *scenario, size_t pool, enum ss_field_id id);

/** Read a pool as `--pool` takes it; `err` names the pools. */
SS_NODISCARD enum ss_status session_find_pool(const struct ss_scenario *scenario, const char *text,
					      size_t *out, struct ss_error *err);

/** Make a scenario of words: see struct adhoc. */
SS_NODISCARD enum ss_status adhoc_scenario(struct ss_scenario **out, struct ss_registry *registry,
					   const struct adhoc *words, struct ss_problems *problems,
					   struct ss_error *err);

/** What a scenario made of words takes from its part. `{ 0 }` is none. */
struct adhoc_defaults {
	char **coefficients; /**< names of its sets; owned */
	size_t coefficient_count;
	char *version; /**< release; owned */
	int64_t gpus_per_node;
};

/** Fill them for `words->part`; release with adhoc_defaults_release() whatever this returns. */
SS_NODISCARD enum ss_status adhoc_defaults(struct adhoc_defaults *out, struct ss_registry *registry,
					   const struct adhoc *words, struct ss_problems *problems,
					   struct ss_error *err);
void adhoc_defaults_release(struct adhoc_defaults *defaults);

/** Put a scenario on another part: its sets, the GPUs of its nodes, its build of the engine. */
SS_NODISCARD enum ss_status adhoc_move(struct ss_scenario *scenario, struct ss_registry *registry,
				       const char *part, struct ss_problems *problems,
				       struct ss_error *err);

/** Make a batch that the request states the scenario's own; the session has none then. */
void session_keep_batch(struct session *session, const struct session_request *request);

/**
 * The opening batch of a scenario: its groups, its shape's mean, or one decode,
 * as the session's pool has it (see opening_groups()).
 */
SS_NODISCARD enum ss_status session_opening_batch(struct session *session);

#endif
