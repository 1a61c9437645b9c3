/**
 * @file
 * Release terms of an engine pack: figures of its start, by release.
 */
#ifndef DOCUMENTS_PACK_TERMS_H
#define DOCUMENTS_PACK_TERMS_H

#include "documents/reader.h"
#include "stepscope/pack.h"

void read_terms(struct reader *r, const struct place *at, const cJSON *list, struct ss_pack *pack);

/** Rates of attention routes. */
void read_rates(struct reader *r, const struct place *at, const cJSON *list, struct ss_pack *pack);

#endif
