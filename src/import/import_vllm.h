/**
 * @file
 * `vllm serve` command lines into a scenario.
 */
#ifndef IMPORT_VLLM_H
#define IMPORT_VLLM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "stepscope/problems.h"
#include "stepscope/scenario.h"

/** What became of a flag. */
enum import_fate {
	IMPORT_TAKEN,      /**< sets a field */
	IMPORT_NO_EFFECT,  /**< changes nothing that is priced */
	IMPORT_NOT_PRICED, /**< changes the run, but no law here reads it */
	IMPORT_NOTED,      /**< something to know about the import */
	IMPORT_UNKNOWN,    /**< no flag of the engine */
	IMPORT_CHOSEN,     /**< a command of several that is taken */
	IMPORT_LEFT,       /**< one that is not */
};

/** One line of the list. Text is owned. */
struct import_row {
	enum import_fate fate;
	size_t line; /**< of the text; 0 when it has none */
	size_t pool;
	char *flag;   /**< with its dashes */
	char *detail; /**< `parallel.tp=8`, or why */
};

struct import_rows {
	struct import_row *items;
	size_t count, capacity;
};

/** What the text cannot say. All borrowed; NULL and 0 are "not given". */
struct vllm_import_options {
	const char *file; /**< what problems name, `-` for standard input */
	bool is_lenient;  /**< flags that are not known are noted, not refused: logs print more */
	bool is_strict;   /**< what would be passed over with a warning is refused */
	const char *container; /**< the command to take of several: its number from 1 or its name */
	const char *part, *fabric, *engine_version, *name;
	const char *default_fabric;  /**< network between nodes when nothing names one */
	const char *model;           /**< graph to take whatever the text calls its model */
	const char *default_version; /**< release when the text names none; NULL: the priced one */
	int64_t nodes, gpus_per_node, gpus_per_rack;
	int64_t part_gpus_per_node; /**< what the part's document says */
	const char *const *models;  /**< graphs there are */
	size_t model_count;
	const struct ss_model_names *names; /**< what else they go by; may be NULL */
	const char *const *coefficients; /**< sets of a scenario that states none */
	size_t coefficient_count;
	/**
	 * Read the file of `--config` into an object of flags the importer owns; NULL with
	 * `err` filled on failure. May be NULL: `--config` is then an error.
	 */
	cJSON *(*read_config)(void *context, const char *path, struct ss_error *err);
	void *context;
};

/**
 * Read what starts the engine in a text of any shape (launches.h), and the `# set` lines
 * of an export. A text that holds several commands gives the first, or `container`'s;
 * those of a prefill and a decode side, and all of an export, make a pool each.
 *
 * @param out  on success a scenario for the caller to free. Left alone on failure.
 * @param rows what became of each flag, filled on failure too; free with
 *             import_rows_release().
 * @return SS_EDOCUMENT with every problem listed, or SS_ENOMEM.
 */
enum ss_status vllm_import(struct ss_scenario **out, struct import_rows *rows, const char *text,
			   size_t length, const struct vllm_import_options *options,
			   struct ss_problems *problems);

/**
 * The same from flags as an object, `{"tensor_parallel_size": 4}`, as start-up logs
 * print them; `line` is where they stand.
 */
enum ss_status vllm_import_object(struct ss_scenario **out, struct import_rows *rows,
				  const cJSON *flags, size_t line,
				  const struct vllm_import_options *options,
				  struct ss_problems *problems);

void import_rows_release(struct import_rows *rows);

/** Add a row; the text is copied. False when out of memory. */
bool import_rows_add(struct import_rows *rows, enum import_fate fate, size_t line, size_t pool,
		     const char *flag, const char *format, ...) SS_PRINTF(6, 7);

#endif
