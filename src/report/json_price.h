/**
 * @file
 * The parts of the JSON contract, format 1: one function a key. No key is ever
 * left out: null says that it does not apply.
 */
#ifndef REPORT_JSON_PRICE_H
#define REPORT_JSON_PRICE_H

#include "case/findings.h"
#include "report/json.h"

cJSON *json_scenario(const struct findings *f);
cJSON *json_engine(const struct findings *f);
/** What is assumed, in the order of the walk, each with all that its page shows. */
cJSON *json_kernels(const struct findings *f);
cJSON *json_walk(const struct findings *f);
cJSON *json_warnings(const struct findings *f);
cJSON *json_divergences(const struct findings *f);
cJSON *json_price(const struct findings *f);
cJSON *json_layers(const struct findings *f);
cJSON *json_memory(const struct findings *f);
cJSON *json_fit(const struct findings *f);
cJSON *json_resolved(const struct findings *f);
cJSON *json_evidence(const struct findings *f);
cJSON *json_validation(const struct findings *f);
cJSON *json_provenance(const struct findings *f);
cJSON *json_review(const struct findings *f);
cJSON *json_routes(const struct findings *f);
cJSON *json_moe_bindings(const struct findings *f);
cJSON *json_gdn_prefill(const struct findings *f);

/** One entry of provenance. */
cJSON *json_entry(const struct findings *f, size_t index);

#endif
