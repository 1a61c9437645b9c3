/**
 * @file
 * One flag of a `vllm serve` command into the scenario being made. Shared by the
 * command line, `--config` files and the arguments that a log prints.
 */
#ifndef VLLM_TAKE_H
#define VLLM_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "import/import_vllm.h"
#include "import/vllm_flags.h"

/** A command's role under `--kv-transfer-config`. */
enum vllm_kv_role { VLLM_KV_BOTH, VLLM_KV_PRODUCER, VLLM_KV_CONSUMER };

#define GRAPH_NAME_SIZE 128

/** What a pool's command said beside its fields. */
struct vllm_pool {
	char graph[GRAPH_NAME_SIZE]; /**< name of the graph that a model without one waits for */
	char *model;                 /**< repository name; owned */
	size_t model_line;
	bool has_command;
	bool is_benchmark; /**< of a benchmark, which has flags of its own beside the engine's */
	size_t command_line;
	enum vllm_kv_role kv_role;
	int64_t nnodes;       /**< 0: not stated */
	int64_t visible_gpus; /**< of CUDA_VISIBLE_DEVICES or docker; 0: not stated */
	/* merged JSON values */
	cJSON *compilation, *speculative, *transfer, *eplb, *attention, *overrides, *rope, *kernel;
	size_t compilation_line, speculative_line, transfer_line, eplb_line, attention_line,
		overrides_line, rope_line, kernel_line;
};

/** An import under way. */
struct vllm_taker {
	const struct vllm_import_options *options;
	struct ss_scenario *scenario;
	struct vllm_pool *pools; /**< as many as the scenario's */
	struct import_rows *rows;
	struct ss_problems *problems;
	bool is_model_set; /**< `# set model=`: the command's name is not matched */
	bool is_exported;  /**< the text is an export of ours, which writes whatever was stated */
	bool is_out_of_memory;
	unsigned config_depth;
};

/** Append a pool to the scenario. */
bool taker_add_pool(struct vllm_taker *t);

/** Report a problem at a line. */
void taker_problem(struct vllm_taker *t, size_t line, const char *code, const char *format, ...)
	SS_PRINTF(4, 5);

/**
 * Report what was read as it was meant, or passed over: a warning, which `--strict`
 * makes an error.
 */
void taker_doubt(struct vllm_taker *t, size_t line, const char *code, const char *format, ...)
	SS_PRINTF(4, 5);

/** Is this a blank to fill in: `<MODEL>`, `$MODEL`, `{{ model }}`, `...`? */
bool taker_is_blank(const char *text);

/**
 * Take one flag.
 *
 * @param shown  as written, with dashes, for the list.
 * @param path   rest of a dotted name, `cudagraph_mode` of `--compilation-config.cudagraph_mode`;
 *               NULL for none.
 * @param values none for a switch.
 */
void taker_flag(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag, bool is_negated,
		const char *shown, const char *path, const char *const *values, size_t count,
		size_t line);

/** Take a flag of JSON; `path` is the rest of a dotted name, NULL for none. */
void taker_json(struct vllm_taker *t, size_t pool, const struct vllm_flag *flag, const char *shown,
		const char *path, const char *value, size_t line);

/** Take a flag that is a key of a JSON flag by now; false when `flag` is none. */
bool taker_json_key(struct vllm_taker *t, size_t pool, const char *flag, const char *value,
		    size_t line);

/** Text of a JSON scalar or list of them, as ss_value_parse() reads it; the caller frees it. */
char *taker_json_text(const cJSON *item);

/** `None` or `null`? */
bool taker_is_none(const char *text);

/** Take `-O...`: `text` is what follows the O. */
void taker_optimization(struct vllm_taker *t, size_t pool, const char *text, size_t line);

/** Take flags of an object; `is_weak` leaves alone what is stated already. */
void taker_object(struct vllm_taker *t, size_t pool, const cJSON *object, bool is_weak,
		  size_t line);

/** Take `what_if.NAME` or `corrections.NAME` of a `# set` line. */
void taker_trial(struct vllm_taker *t, const char *path, const char *value, size_t line);

/** Apply the JSON values a pool's command merged. */
void taker_finish_pool(struct vllm_taker *t, size_t pool);

/** List what became of a flag. */
void taker_note(struct vllm_taker *t, enum import_fate fate, size_t line, size_t pool,
		const char *flag, const char *detail);

/**
 * Settle what the commands left open, once all are read.
 *
 * @param version release that an image's tag named; "" for none.
 * @return SS_EDOCUMENT with every problem listed, or SS_ENOMEM.
 */
enum ss_status taker_finish(struct vllm_taker *t, const char *version);

/** Set a field of a pool (or of the scenario) from text and list it. */
void taker_set(struct vllm_taker *t, size_t pool, enum ss_field_id id, const char *text,
	       const char *shown, size_t line);

#endif
