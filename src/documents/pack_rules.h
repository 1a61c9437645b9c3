/**
 * @file
 * Rules of an engine pack, read and checked.
 */
#ifndef DOCUMENTS_PACK_RULES_H
#define DOCUMENTS_PACK_RULES_H

#include "documents/reader.h"
#include "stepscope/pack.h"

void read_rules(struct reader *r, const struct place *at, const cJSON *list, struct ss_pack *pack);

#endif
