/**
 * @file
 * Coefficient sets: values with units, method, scope and sources.
 */
#ifndef STEPSCOPE_COEFFICIENTS_H
#define STEPSCOPE_COEFFICIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/vocabulary.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ss_source {
	char *kind, *cite, *role;
};

/** Where an entry applies. An empty dimension admits anything. */
struct ss_scope {
	char **hardware, **model;
	size_t hardware_count, model_count;
	int64_t *tp, *ep, *nodes_spanned;
	size_t tp_count, ep_count, nodes_spanned_count;
};

struct ss_coefficient {
	char *name;
	double value;
	enum ss_unit units;
	enum ss_method method;
	bool is_fitted;
	bool is_remainder; /**< what a fit left over */
	bool has_ci95;
	double ci95[2];
	struct ss_scope scope;
	struct ss_source *sources;
	size_t source_count;
	char *rationale, *copied_from, *supersedes; /**< never NULL */
};

/** No value of any unit we have is more: times in us, rates in bytes or FLOPs a us, bytes. */
#define SS_COEFFICIENT_MOST 1e15

/** Entries that one part may use, in file order: those that list it or list none. */
struct ss_hardware_entries {
	char *hardware;
	unsigned *entries;
	size_t count;
};

struct ss_coefficient_set {
	char *name, *description;
	struct ss_coefficient *entries;
	size_t count;
	struct ss_hardware_entries *by_hardware; /**< sorted by name; made when loaded */
	size_t hardware_count;
	unsigned *everywhere; /**< entries that list no hardware, in file order */
	size_t everywhere_count;
};

/** What is known of all entries whose names start alike. Text is static. */
struct ss_coefficient_family {
	const char *name;
	const char *suffix;  /**< what follows it in an entry's name, `_<format>`, or "" */
	const char *law;     /**< one line */
	const char *without; /**< what is priced when it is absent; "" when it is required or assumed */
};
SS_API size_t ss_coefficient_family_count(void);
/** @param index below the count. */
SS_API void ss_coefficient_family(struct ss_coefficient_family *out, size_t index);

/** Does a dimension list the value (case-blind for text)? Empty lists admit all. */
SS_API bool ss_scope_has_hardware(const struct ss_scope *scope, const char *part);
SS_API bool ss_scope_has_model(const struct ss_scope *scope, const char *model);

SS_API void ss_coefficient_set_free(struct ss_coefficient_set *set);

#ifdef __cplusplus
}
#endif

#endif
