/**
 * @file
 * What the settings of a load owe each other.
 */
#ifndef DOCUMENTS_LOAD_FIELDS_H
#define DOCUMENTS_LOAD_FIELDS_H

#include "documents/reader.h"
#include "stepscope/fields.h"
#include "stepscope/status.h"

/** Report what does not go together in the values of a `workload` at `at`. */
void load_fields_check(struct reader *r, const struct place *at, const struct ss_value *values);

/**
 * A setting of a load was set: those that say the same otherwise are left unstated.
 * @return SS_EUSAGE where the value alone is wrong.
 */
enum ss_status load_field_set(struct ss_value *values, enum ss_field_id id, struct ss_error *err);

#endif
