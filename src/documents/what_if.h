/**
 * @file
 * The values a scenario tries and the corrections it states: kept, compared and read.
 */
#ifndef DOCUMENTS_WHAT_IF_H
#define DOCUMENTS_WHAT_IF_H

#include "documents/reader.h"
#include "stepscope/scenario.h"

void what_if_release(struct ss_scenario *s);
/** Into a scenario that tries nothing yet. */
SS_NODISCARD enum ss_status what_if_copy(struct ss_scenario *out, const struct ss_scenario *s);
/** Same values tried, in any order, and the same corrections? */
bool what_if_equal(const struct ss_scenario *a, const struct ss_scenario *b);

/** `what_if`, or NULL; false when out of memory. */
bool what_if_read(struct reader *r, const cJSON *item, struct ss_scenario *s);
/** `corrections`, or NULL. */
void corrections_read(struct reader *r, const cJSON *item, struct ss_scenario *s);

/** Name of a divergence by its place in the table. */
const char *correction_name(size_t divergence);

#endif
