/**
 * @file
 * One case of laws.json: its given numbers, one expected figure, and the
 * comparison by the tolerance that stands beside the figure.
 */
#ifndef STEPSCOPE_TESTS_LAW_CASE_H
#define STEPSCOPE_TESTS_LAW_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

struct law_case {
	const char *id;
	const cJSON *given, *expect;
	const cJSON *want;     /**< the figure now compared */
	const char *want_name; /**< its name in `expect` */
	const char *words;     /**< a relation's text, or NULL */
	int failures;
};

/** A law, run for one figure of a case. */
struct law_row {
	const char *area;
	const char *figure; /**< its name in `expect` */
	void (*run)(struct law_case *c);
};

/** A stated relation. Without a check it is a remark that the figures carry. */
struct law_relation {
	const char *words;
	void (*check)(struct law_case *c);
};

extern const struct law_row law_step_rows[], law_context_rows[], law_memory_rows[],
	law_document_rows[], law_kernel_rows[];
extern const struct law_relation law_relations[], law_kernel_relations[];

/** A given number; 0 when left out, false or null; 1 when true. */
double given(const struct law_case *c, const char *name);
int64_t given_whole(const struct law_case *c, const char *name);
/** Entry `i` of a given list, or the number itself. */
double given_at(const struct law_case *c, const char *name, int i);
/** A number of any object. */
double number(const cJSON *object, const char *name);
/** A given list; NULL when there is none. */
const cJSON *given_list(const struct law_case *c, const char *name);
/** A given text; "" when left out. */
const char *given_text(const struct law_case *c, const char *name);

/** Compare with the wanted figure, or its entry `i`. */
void want(struct law_case *c, double got);
void want_at(struct law_case *c, int i, double got);
/** Something that must hold. */
void want_true(struct law_case *c, bool holds, const char *what);

/** A document of the source tree; fails the test when it cannot be read. */
cJSON *read_document(const char *path);
/** The first node of an op in a registry model that is not a scorer; free `*document`. */
const cJSON *model_node(cJSON **document, const char *model, const char *op);

#endif
