/**
 * @file
 * The registry: documents found by name in a chain of folders and loaded once.
 * Loading is not thread-safe; what is loaded is read-only and may be shared.
 */
#ifndef STEPSCOPE_REGISTRY_H
#define STEPSCOPE_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include "stepscope/coefficients.h"
#include "stepscope/hardware.h"
#include "stepscope/model.h"
#include "stepscope/model_names.h"
#include "stepscope/pack.h"
#include "stepscope/problems.h"
#include "stepscope/scenario.h"
#include "stepscope/times.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of documents. */
/* clang-format off */
#define SS_DOCUMENT_KINDS(X)                              \
	X(SCENARIO,    "Scenario",       "scenarios")     \
	X(MODEL,       "ModelGraph",     "models")        \
	X(COEFFICIENTS, "CoefficientSet", "coefficients") \
	X(PACK,        "EnginePack",     "engines")       \
	X(HARDWARE,    "Hardware",       "hardware")      \
	X(NETWORK,     "Network",        "networks")      \
	X(STORAGE,     "Storage",        "")              \
	X(WORKLOAD,    "Workload",       "workloads")     \
	X(TIMES,       "KernelTimes",    "kernel-times")  \
	X(REVIEW,      "Review",         "")              \
	X(NAMES,       "ModelNames",     "")
/* clang-format on */

enum ss_document_kind {
#define SS_X(id, name, folder) SS_DOCUMENT_##id,
	SS_DOCUMENT_KINDS(SS_X)
#undef SS_X
		SS_DOCUMENT_COUNT,
};

struct ss_registry; /**< opaque; owns every document loaded through it */

/**
 * Open a chain of registry roots, searched in order; the first root with a
 * document of a name gives it. Roots need not exist.
 *
 * @param roots copied.
 */
SS_API SS_NODISCARD enum ss_status ss_registry_new(struct ss_registry **out,
						   const char *const *roots, size_t root_count,
						   struct ss_error *err);
SS_API void ss_registry_free(struct ss_registry *registry);
/** Another one over the same roots, with nothing loaded. */
SS_API SS_NODISCARD enum ss_status ss_registry_again(struct ss_registry **out,
						     const struct ss_registry *registry,
						     struct ss_error *err);

/**
 * Load (or return the loaded) document. Borrowed, lives as long as the registry.
 * NULL on failure, with every problem in `problems`; a missing name lists what
 * exists and the nearest.
 */
/**
 * Makes the JSON of a graph of a checkpoint's `config.json` that lies outside any registry.
 *
 * @param name a file, or a folder that holds one.
 * @param is_source set when `name` is one of those, whatever is returned.
 * @return the text, for free(); NULL with the problems.
 */
typedef char *ss_model_source_fn(struct ss_registry *registry, const char *name,
				 bool *is_source, struct ss_problems *problems);

/** Let ss_registry_model() read such files; registries made again from this one do too. */
SS_API void ss_registry_set_model_source(struct ss_registry *registry, ss_model_source_fn *source);

/** The table of model names over all roots; NULL when there is none. */
SS_API const struct ss_model_names *ss_registry_model_names(struct ss_registry *registry,
							    struct ss_problems *problems);

/**
 * The graph a name stands for, among those of the registry.
 *
 * @param out borrows from `graphs`, which the caller frees with ss_names_free() after it.
 */
SS_API enum ss_status ss_registry_match(struct ss_model_match *out, char ***graphs, size_t *count,
					struct ss_registry *registry, const char *name,
					struct ss_error *err);

/**
 * A model graph by its own name, by any name that stands for it (ss_model_match()), or by the
 * path of a `config.json` or a folder that holds one; `asked` and `reason` of the graph say
 * when it was another name.
 */
SS_API const struct ss_model *ss_registry_model(struct ss_registry *registry, const char *name,
						struct ss_problems *problems);
SS_API const struct ss_part *ss_registry_part(struct ss_registry *registry, const char *name,
					      struct ss_problems *problems);
SS_API const struct ss_network *ss_registry_network(struct ss_registry *registry, const char *name,
						    struct ss_problems *problems);
SS_API const struct ss_storage *ss_registry_storage(struct ss_registry *registry,
						    struct ss_problems *problems);
SS_API const struct ss_workload_shape *
ss_registry_workload(struct ss_registry *registry, const char *name, struct ss_problems *problems);
SS_API const struct ss_coefficient_set *ss_registry_coefficients(struct ss_registry *registry,
								 const char *name,
								 struct ss_problems *problems);
/**
 * Kernel times of a name, loaded when first asked for; NULL when there is no such file,
 * which is no problem. Threads may share this call, and no other of the registry.
 */
SS_API const struct ss_times *ss_registry_times(struct ss_registry *registry, const char *name,
						struct ss_problems *problems);
/** The release whose behaviour stands in for one without a pack. */
#define SS_FALLBACK_RELEASE "0.31.0"

/**
 * Is a release one of those from `since` to `until`, patches of both included? "" has no
 * end; what is no number is in none but "" to "".
 */
SS_API bool ss_release_is_within(const char *release, const char *since, const char *until);
/** Minor releases between two, `0.10.1` and `0.29.0` 19; 0 for the same, else 1 at least. */
SS_API int64_t ss_release_distance(const char *a, const char *b);

/**
 * The pack of a release; a release with no pack gives the nearest that has one, with
 * every list unknown, and a warning; `*is_fallback` tells.
 */
SS_API const struct ss_pack *ss_registry_pack(struct ss_registry *registry, const char *engine,
					      const char *version, bool *is_fallback,
					      struct ss_problems *problems);

/** Names of a kind over all roots, sorted, each once; free with ss_names_free(). */
SS_API SS_NODISCARD enum ss_status ss_registry_names(struct ss_registry *registry,
						     enum ss_document_kind kind, char ***names,
						     size_t *count);
SS_API void ss_names_free(char **names, size_t count);

/** A line of a registry's `releases.csv`: what a version brought, newest first. */
struct ss_registry_release {
	const char *version, *date, *what; /**< of `text` below; never NULL */
};

struct ss_registry_releases {
	struct ss_registry_release *items;
	size_t count;
	char *text;
};

/** The table of the first root that has one; no rows where none has. Release it. */
SS_API SS_NODISCARD enum ss_status ss_registry_releases(const struct ss_registry *registry,
							struct ss_registry_releases *out,
							struct ss_problems *problems);
SS_API void ss_registry_releases_release(struct ss_registry_releases *releases);

/** A file of this path in the first root that has it, for the caller to free(); NULL. */
SS_API char *ss_registry_file(const struct ss_registry *registry, const char *path);

/** 64 hex digits and a NUL. */
#define SS_SHA256_SIZE 65

/** A document's file as it was read. */
struct ss_document {
	enum ss_document_kind kind;
	const char *name;            /**< the file's, without `.json`; borrowed from the registry */
	char sha256[SS_SHA256_SIZE]; /**< of its bytes */
};

/**
 * The files read so far and not forgotten, by kind and name.
 *
 * @param out NULL to count.
 * @return how many there are.
 */
SS_API size_t ss_registry_documents(const struct ss_registry *registry, struct ss_document *out,
				    size_t capacity);

/** SHA-256 of any bytes, as in ss_document. `bytes` may be NULL when there are none. */
SS_API void ss_sha256(char out[SS_SHA256_SIZE], const void *bytes, size_t length);

/** Drop every loaded document, so that the next use reads the disk again. */
SS_API void ss_registry_forget(struct ss_registry *registry);

/** Read a scenario file. NULL on failure, all problems reported. The caller frees it. */
SS_API struct ss_scenario *ss_scenario_load(const char *path, struct ss_problems *problems);
/** The same from text; `file` names it in problems. */
SS_API struct ss_scenario *ss_scenario_parse(const char *json, size_t length, const char *file,
					     struct ss_problems *problems);

/**
 * Read one document of any kind and report every problem in it.
 * @return its kind, or SS_DOCUMENT_COUNT when that cannot be told.
 */
SS_API enum ss_document_kind ss_document_validate(const char *path, struct ss_problems *problems);
/** The same of text; `file`, `NAME.json`, names it in problems and says what it is called. */
SS_API enum ss_document_kind ss_document_check(const char *json, size_t length, const char *file,
					       struct ss_problems *problems);

#ifdef __cplusplus
}
#endif

#endif
