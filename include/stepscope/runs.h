/**
 * @file
 * Published serving runs: what was served, on what, and the latencies measured. A table
 * with a heading and a row a run.
 */
#ifndef STEPSCOPE_RUNS_H
#define STEPSCOPE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/fields.h"
#include "stepscope/problems.h"
#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/** Columns with a meaning of their own; any other is a setting by its name, `tp`. id, name, what */
#define SS_RUN_COLUMNS(X)                                                                          \
	X(MODEL,          "model",          "name of a model graph")                               \
	X(PART,           "part",           "name of a GPU")                                       \
	X(PRECISION,      "precision",      "of the weights: bf16, fp8, fp4, int4, or a quantization") \
	X(EP,             "ep",             "ranks that experts are spread over; 0 or 1: not spread") \
	X(CONCURRENCY,    "concurrency",    "requests at once, the next comes when one ends")      \
	X(BATCH,          "batch",          "the same")                                            \
	X(PROMPT,         "prompt",         "tokens of every prompt")                              \
	X(PROMPT_LOW,     "prompt_low",     "fewest tokens of a prompt, drawn evenly up to ...")   \
	X(PROMPT_HIGH,    "prompt_high",    "... the most, both ends included")                    \
	X(OUTPUT,         "output",         "tokens of every output")                              \
	X(OUTPUT_LOW,     "output_low",     "fewest tokens of an output, drawn evenly up to ...")  \
	X(OUTPUT_HIGH,    "output_high",    "... the most, both ends included")                    \
	X(ENGINE_VERSION, "engine_version", "engine release")                                      \
	X(SOURCE,         "source",         "who published it")                                    \
	X(TTFT_MS,        "ttft_ms",        "measured: mean time to the first token, ms")          \
	X(TPOT_MS,        "tpot_ms",        "measured: mean time per output token after it, ms")
/* clang-format on */

enum ss_run_column {
#define SS_X(id, name, what) SS_RUN_##id,
	SS_RUN_COLUMNS(SS_X)
#undef SS_X
		SS_RUN_COLUMN_COUNT,
};
SS_API const char *ss_run_column_name(enum ss_run_column column);
SS_API const char *ss_run_column_what(enum ss_run_column column);

struct ss_run_setting {
	const char *path; /**< as ss_scenario_set() takes it */
	const char *text;
};

/** One row. Text is never NULL, "" when unstated. */
struct ss_run {
	size_t line;
	const char *model, *part, *precision, *engine_version, *source;
	int64_t ep;          /**< ranks that experts are spread over; 0 and 1: not spread */
	int64_t concurrency; /**< requests at once */
	int64_t prompt_low, prompt_high, output_low, output_high; /**< tokens, drawn evenly */
	double ttft_s, tpot_s;                                    /**< 0: not measured */
	struct ss_run_setting *settings;
	size_t setting_count;
	const char *fault; /**< what is wrong with the row, and what would be right; "" */
};

struct ss_runs {
	struct ss_run *items;
	size_t count, fault_count;
	const char **unknown; /**< columns that are not read */
	size_t unknown_count;
	char *text;
	struct ss_run_setting *settings;
	char *faults;
};

/**
 * Read a table of runs. A row that cannot be read is kept with its fault; a heading that
 * cannot is an error.
 *
 * @return SS_EDOCUMENT (see `problems`) or SS_ENOMEM, leaving `out` alone.
 */
SS_API SS_NODISCARD enum ss_status ss_runs_parse(struct ss_runs *out, const char *text,
						 size_t length, const char *file,
						 struct ss_problems *problems);
SS_API SS_NODISCARD enum ss_status ss_runs_load(struct ss_runs *out, const char *path,
						struct ss_problems *problems);
SS_API void ss_runs_release(struct ss_runs *runs);

#ifdef __cplusplus
}
#endif

#endif
