/**
 * @file
 * What a served load came to, for a person and as JSON.
 */
#ifndef REPORT_SERVED_H
#define REPORT_SERVED_H

#include "case/findings.h"
#include "case/serving.h"
#include "report/json.h"
#include "report/printout.h"

/* The sections in order: each served_NAME() and json_served_NAME(). */
#define SERVED_LIST(X) X(load) X(serve) X(time) X(slo) X(find) X(assumptions) X(bench)

/** A run, and the search that led to it. */
struct served_report {
	const struct findings *f;
	const struct served *served;
	const struct serving_search *search; /**< NULL: none was asked for */
};

void served_load(struct doc *doc, const struct served_report *r);
void served_serve(struct doc *doc, const struct served_report *r);
void served_time(struct doc *doc, const struct served_report *r);
void served_slo(struct doc *doc, const struct served_report *r);
void served_find(struct doc *doc, const struct served_report *r);
void served_assumptions(struct doc *doc, const struct served_report *r);
/** The figures as `vllm bench serve` names them: CSV and JSON alone. */
void served_bench(struct doc *doc, const struct served_report *r);

cJSON *json_served_load(const struct served_report *r);
cJSON *json_served_serve(const struct served_report *r);
cJSON *json_served_time(const struct served_report *r);
cJSON *json_served_slo(const struct served_report *r);
cJSON *json_served_find(const struct served_report *r);
cJSON *json_served_assumptions(const struct served_report *r);
/** With the very keys of a result that `vllm bench serve` saves. */
cJSON *json_served_bench(const struct served_report *r);

/** Terms of all pools by their seconds of the lead figure, largest first; the caller frees. */
struct served_term {
	const struct ss_kernel *kernel;
	const struct ss_term *term;
	int pool;
	double seconds;
};
struct served_term *served_terms(const struct served *served, size_t *count);
/** Seconds of all steps by the lead figure, all pools. */
double served_seconds(const struct served *served);
/** Layer kind of a term, `head` or `host`. */
const char *served_layer(const struct served_term *term);

#endif
