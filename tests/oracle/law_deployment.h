/**
 * @file
 * A deployment made of what a case gives, on the registry of the source tree, and
 * resolved.
 */
#ifndef STEPSCOPE_TESTS_LAW_DEPLOYMENT_H
#define STEPSCOPE_TESTS_LAW_DEPLOYMENT_H

#include "law_case.h"
#include "stepscope/kernel.h"

/** Where a case's documents come from, and what is tried on them. */
struct origin {
	const char *model, *part;
	const char *root; /**< a registry before the product's own, or NULL */
	const struct ss_whatif *whatif;
};

/** A resolved case; `kernel` is NULL when it was refused. */
struct resolved {
	struct ss_registry *registry;
	struct ss_scenario *scenario;
	struct ss_basis *basis;
	struct ss_kernel *kernel;
	struct ss_problems problems;
};

/** A registry of one document, which comes before the product's own. */
struct small_registry {
	char root[16], folder[64], path[128];
};

/** The model and part a case names, or the ones it means. */
struct origin origin_of(const struct law_case *c);

/** The text of a scenario with the case's settings; free with cJSON_free(). */
char *scenario_text(const struct law_case *c, const char *model, const char *part);

/** Resolve; release() whatever came of it. */
void resolve(struct resolved *r, const struct law_case *c, const struct origin *from);
/** The same for what must not be refused: false when it was. */
bool resolve_whole(struct resolved *r, struct law_case *c, const struct origin *from);
void release(struct resolved *r);

/** Say why a deployment was refused. */
void print_problems(const struct ss_problems *problems);
bool has_code(const struct ss_problems *problems, const char *code);

/** A member that must be there. */
cJSON *member(cJSON *object, const char *name);

/** Make the registry in the working folder, and take it away again. */
void small_registry_make(struct small_registry *r, const char *kind, const char *name,
			 const cJSON *document);
void small_registry_remove(const struct small_registry *r);

#endif
