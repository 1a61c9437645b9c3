/**
 * @file
 * Figures of a vLLM start-up log, each rank's kept apart.
 */
#ifndef IMPORT_LOG_H
#define IMPORT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "stepscope/status.h"

/* clang-format off */
/** id, label, unit of `value` ("" for text and counts) */
#define LOG_FIGURES(X)                                             \
	X(VERSION,       "vLLM release",               "")         \
	X(LOADING,       "model loading",              "GiB")      \
	X(AVAILABLE,     "available KV cache",         "GiB")      \
	X(KV_TOKENS,     "GPU KV cache size",          "tokens")   \
	X(BLOCKS,        "GPU blocks",                 "blocks")   \
	X(CONCURRENCY,   "maximum concurrency",        "x")        \
	X(BLOCK_SIZE,    "attention block size",       "tokens")   \
	X(MAMBA_PADDING, "mamba page padding",         "%")        \
	X(BUDGET,        "chunked prefill budget",     "tokens")   \
	X(CAPTURE_SIZES, "graph capture sizes",        "sizes")    \
	X(GRAPHS,        "CUDA graphs",                "GiB")      \
	X(ATTENTION,     "attention backend",          "")         \
	X(MOE,           "MoE backend",                "")         \
	X(GRAPH_MODE,    "graph mode set instead",     "")         \
	X(NEEDED,        "KV cache needed for one request", "GiB") \
	X(MAX_LENGTH,    "estimated maximum length",   "tokens")   \
	X(FREE,          "free memory at start",       "GiB")      \
	X(OUT_OF_MEMORY, "allocation that failed",     "GiB")      \
	X(NO_BLOCKS,     "no memory for cache blocks", "")         \
	X(STATE_BLOCKS,  "state blocks available",     "blocks")   \
	X(TOTAL,         "memory of the device",       "GiB")      \
	X(REQUESTED,     "memory the engine takes",    "GiB")      \
	X(UTILIZATION,   "share of it",                "")         \
	X(EQUIVALENT,    "share without graphs counted", "")       \
	X(WEIGHTS,       "weights",                    "GiB")      \
	X(CONSUMED,      "weights and non-torch",      "GiB")      \
	X(NON_TORCH,     "non-torch memory",           "GiB")      \
	X(ACTIVATION,    "activation peak",            "GiB")      \
	X(PEAK,          "weights and activation",     "GiB")      \
	X(ESTIMATED,     "CUDA graphs, estimated",     "GiB")      \
	X(INITIAL_FREE,  "free memory before profiling", "GiB")    \
	X(RESERVED,      "KV cache as asked for",      "GiB")      \
	X(IN_USE,        "KV cache in use",            "GiB")      \
	X(TO_FIT,        "KV cache that would fit",    "GiB")      \
	X(TO_FILL,       "KV cache that would fill",   "GiB")      \
	X(NATURAL,       "blocks before the override", "blocks")   \
	X(OVERRIDE,      "blocks by override",         "blocks")   \
	X(CPU_BLOCKS,    "CPU blocks",                 "blocks")   \
	X(PADDING,       "padding layers",             "layers")   \
	X(CAPPED,        "largest graph after capping", "sizes")   \
	X(MODEL_LENGTH,  "longest request",            "tokens")   \
	X(LEFT,          "free when it failed",        "GiB")      \
	X(READ_TIME,     "weights read in",            "s")        \
	X(LOAD_TIME,     "model loaded in",            "s")        \
	X(PROFILE_TIME,  "memory profiled in",         "s")        \
	X(COMPILE_TIME,  "compiled in",                "s")        \
	X(CAPTURE_TIME,  "graphs captured in",         "s")        \
	X(START_TIME,    "engine started in",          "s")
/* clang-format on */

enum log_id {
#define LOG_ENUM(id, label, unit) LOG_##id,
	LOG_FIGURES(LOG_ENUM)
#undef LOG_ENUM
		LOG_COUNT,
};

/** One figure. Text is owned, never NULL. */
struct log_figure {
	enum log_id id;
	size_t line; /**< from 1 */
	/** `EngineCore_DP0`, `VllmWorker rank=3`, `VllmWorkerProcess pid=71`; "" for none */
	char *rank;
	double value; /**< in the figure's unit */
	/** CONCURRENCY: its length; FREE: the device's total; NEEDED: what was available;
	 * CAPTURE_SIZES: the largest; STATE_BLOCKS: max_num_seqs asked for; PADDING: the most
	 * it wastes, %; else 0 */
	double second;
	char *text; /**< name, list of sizes, `FROM -> TO`; "" for numbers */
};

struct serve_log {
	struct log_figure *items;
	size_t count, capacity;
	cJSON *arguments; /**< non-default arguments as flags; NULL when not in the log */
	size_t arguments_line;
	size_t line_count;
};

/**
 * Read a log. Lines that are not known are skipped.
 *
 * @param out free with serve_log_release(); left empty on failure.
 * @return SS_EDOCUMENT with the line in `err->where` for a file that is not text or
 *         that ends inside a figure or the arguments.
 */
enum ss_status serve_log_parse(struct serve_log *out, const char *text, size_t length,
			       struct ss_error *err);
void serve_log_release(struct serve_log *log);

/** The first figure of a kind; NULL when the log lacks it. */
const struct log_figure *serve_log_find(const struct serve_log *log, enum log_id id);

/** Smallest and largest value of a kind over the ranks; false when the log lacks it. */
bool serve_log_range(const struct serve_log *log, enum log_id id, double *low, double *high);

const char *log_label(enum log_id id);
const char *log_unit(enum log_id id);

/** Does this text look like a start-up log and not like a command? */
bool serve_log_is(const char *text, size_t length);

#endif
