/**
 * @file
 * Loaders of the registry's documents. Each reads a parsed tree into a new
 * document and reports all it finds; NULL when anything was an error. `stem` is
 * the file's name without `.json`, or NULL when the text has no file.
 */
#ifndef DOCUMENTS_DOCUMENTS_H
#define DOCUMENTS_DOCUMENTS_H

#include <cjson/cJSON.h>

#include "documents/reader.h"
#include "stepscope/registry.h"
#include "stepscope/review.h"

struct ss_model *model_read(const cJSON *root, const char *file, const char *stem,
			    struct ss_problems *problems);
struct ss_part *part_read(const cJSON *root, const char *file, const char *stem,
			  struct ss_problems *problems);
struct ss_network *network_read(const cJSON *root, const char *file, const char *stem,
				struct ss_problems *problems);
struct ss_storage *storage_read(const cJSON *root, const char *file, const char *stem,
				struct ss_problems *problems);
struct ss_workload_shape *workload_read(const cJSON *root, const char *file, const char *stem,
					struct ss_problems *problems);
struct ss_coefficient_set *coefficients_read(const cJSON *root, const char *file, const char *stem,
					     struct ss_problems *problems);
struct ss_pack *pack_read(const cJSON *root, const char *file, const char *stem,
			  struct ss_problems *problems);
struct ss_times *times_read(const cJSON *root, const char *file, const char *stem,
			    struct ss_problems *problems);
struct ss_scenario *scenario_read(const cJSON *root, const char *file,
				  struct ss_problems *problems);

/** The reader of a kind; NULL when anything was an error. */
void *document_read(enum ss_document_kind kind, const cJSON *root, const char *file,
		    const char *stem, struct ss_problems *problems);
/** `document` may be NULL. */
void document_free(enum ss_document_kind kind, void *document);
struct ss_review *review_read(const cJSON *root, const char *file, struct ss_problems *problems);

/** Add the classes that `into` has not; false when out of memory. */
bool storage_add(struct ss_storage *into, const struct ss_storage *more);

struct ss_model_names *model_names_read(const cJSON *root, const char *file,
				  struct ss_problems *problems);
/** Add the rows of another table behind `into`'s; false when out of memory. */
bool model_names_add(struct ss_model_names *into, const struct ss_model_names *more);

/** Keep on a graph what it was asked for by; 0 keeps its window. False: out of memory. */
bool model_name_asked(struct ss_model *model, const char *asked, const char *reason,
		      const char *quantization, int64_t max_model_len);

/** Rules G and N of a decoded graph, reported through `r`. */
void model_check(struct reader *r, const struct ss_model *model);

/** Refuse what a graph names and nothing here prices: an op, a kind, a condition. */
void model_check_known(const struct ss_model *model, const char *file,
		       struct ss_problems *problems);

/** Is the document's kind this one? Reports it when not. */
bool check_kind(struct reader *r, const cJSON *root, enum ss_document_kind kind);

/** A document's own name against its file's: a warning when they differ. */
void check_name(struct reader *r, const char *name, const char *stem);

/** `sources` of a document: kind, cite and role of each, only checked. */
void check_sources(struct reader *r, const struct place *at, const cJSON *list);

/** Kinds and roles of sources. */
extern const struct words source_kind_words;
extern const struct words source_role_words;

/** True (and reported) when a piece was lost for lack of memory. */
bool check_memory(struct reader *r);

/** One plain path segment? */
bool is_plain_name(const char *name);

/** Name of a document kind, as its `kind` key spells it. */
const char *document_kind_name(enum ss_document_kind kind);

#endif
