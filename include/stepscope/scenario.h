/**
 * @file
 * A scenario: the fixed problem and the deployment chosen for it, as stated.
 */
#ifndef STEPSCOPE_SCENARIO_H
#define STEPSCOPE_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "stepscope/fields.h"
#include "stepscope/problems.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Identical requests of a batch. */
struct ss_group {
	int64_t count;      /**< requests, >= 0 */
	int64_t scheduled;  /**< tokens this step, >= 0 */
	int64_t computed;   /**< tokens already computed, >= 0 */
	int64_t prompt_len; /**< prompt length, 0 when not known */
};

/** One data-parallel rank's step. */
struct ss_batch {
	const struct ss_group *groups;
	size_t group_count;
	int64_t decode_threshold; /**< more scheduled tokens make a prefill; 0: the engine's default
				   */
	int64_t sm_budget;        /**< SMs this step may use; 0: all */
};

/** What the explorer opens with. */
struct ss_workload {
	struct ss_group *groups;
	size_t group_count;
	bool has_batch;           /**< a batch is stated, be it the empty one */
	int64_t decode_threshold; /**< 0: unstated */
	char *shape;              /**< workload file instead of groups; NULL when none */
};

/** One pool's settings; only fields owned by SS_OWNER_POOL are used. */
struct ss_pool {
	struct ss_value values[SS_FIELD_COUNT];
};

/** A coefficient tried at another value. The name is borrowed, but for a scenario's own. */
struct ss_whatif {
	const char *name;
	double value; /**< above 0 and finite */
};

struct ss_scenario {
	char *file;                             /**< where it came from; "" when made in memory */
	struct ss_value values[SS_FIELD_COUNT]; /**< scenario and deployment fields */
	struct ss_pool *pools;
	size_t pool_count;
	struct ss_workload workload;
	bool has_pd_transfer; /**< the block `pd_transfer` is there, even without a connector */
	struct ss_whatif *what_if; /**< values tried, in the order stated */
	size_t what_if_count;
	unsigned corrections_stated; /**< divergences whose correction is stated on or off ... */
	unsigned corrections_on;     /**< ... and those of them that are on */
};

/** Make an empty scenario (no pools). NULL when out of memory. */
SS_API struct ss_scenario *ss_scenario_new(void);
SS_API void ss_scenario_free(struct ss_scenario *scenario);
SS_API SS_NODISCARD enum ss_status ss_scenario_clone(struct ss_scenario **out,
						     const struct ss_scenario *scenario);
/** Same stated values, pools and workload? The file is not compared. */
SS_API bool ss_scenario_equal(const struct ss_scenario *a, const struct ss_scenario *b);

/** The value of a field; `pool` is used for pool fields only and must be in range. Never NULL. */
SS_API const struct ss_value *ss_scenario_value(const struct ss_scenario *scenario, size_t pool,
						enum ss_field_id id);
/** The same, to change. */
SS_API struct ss_value *ss_scenario_value_mut(struct ss_scenario *scenario, size_t pool,
					      enum ss_field_id id);

/**
 * Set one field from text, as `--set` does. Path: see ss_field_find(); a path
 * `pools[1].parallel.tp` or `deployment.pools.1.parallel.tp` names its pool itself;
 * `engine.sm70.PATH` sets one entry of the map. Empty text unsets.
 */
SS_API SS_NODISCARD enum ss_status ss_scenario_set(struct ss_scenario *scenario, size_t pool,
						   const char *path, const char *text,
						   struct ss_error *err);

/** Set what a fix sets, and what goes with it; the scenario may be half changed on failure. */
SS_API SS_NODISCARD enum ss_status ss_scenario_take_fix(struct ss_scenario *scenario, size_t pool,
							const struct ss_fix *fix,
							struct ss_error *err);

/** Try a coefficient at a value in place of an earlier one; NULL: no longer. */
SS_API SS_NODISCARD enum ss_status ss_scenario_set_what_if(struct ss_scenario *scenario,
							    const char *name, const double *value);

/** The set of corrections in force: by default, but for what the scenario states. */
SS_API unsigned ss_scenario_corrections(const struct ss_scenario *scenario);
/** State the set: what differs from the default. */
SS_API void ss_scenario_set_corrections(struct ss_scenario *scenario, unsigned set);

/** JSON pointer of a field, `/deployment/pools/0/parallel/tp`. */
SS_API void ss_scenario_pointer(char *out, size_t size, size_t pool, enum ss_field_id id);

/** Tokens that the requests of a batch may hold together: no machine has room for more. */
#define SS_BATCH_TOKENS_MAX 1e12

/** The tokens that the requests of a batch hold together, computed and scheduled. */
SS_API double ss_batch_tokens(const struct ss_group *groups, size_t count);

/** Parse `32x4096,1x8192p,8x2s+4094` or `empty` (see the manual) into groups the caller frees. */
SS_API SS_NODISCARD enum ss_status ss_batch_parse(struct ss_group **out, size_t *count,
						  const char *text, struct ss_error *err);

/** The same text back; returns the full length. */
SS_API size_t ss_batch_format(char *out, size_t size, const struct ss_group *groups, size_t count);

/** The scenario as its JSON file's text (ends in a newline); the caller frees it. NULL: no memory.
 */
SS_API char *ss_scenario_to_json(const struct ss_scenario *scenario);

/**
 * Cross-field rules D and X: refusals with the rule's code, and warnings.
 * @return how many refusals were added.
 */
SS_API size_t ss_scenario_check(const struct ss_scenario *scenario, struct ss_problems *problems);

#ifdef __cplusplus
}
#endif

#endif
