/**
 * @file
 * Measured times of GPU kernels: curves of microseconds by rows or bytes, families of
 * them by shape, and laws fitted to such tables. A document holds those of one part
 * and one subject, so that a deployment loads what it needs and no more.
 */
#ifndef STEPSCOPE_TIMES_H
#define STEPSCOPE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/vocabulary.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most numbers that tell one curve of a family from the next. */
#define SS_TIMES_KEYS_MAX 6

/** Constants of the laws, each by its name in documents; a family has those it lists. */
#define SS_TIMES_CONSTANTS(X)                                                              \
	X(floor)                                                                           \
	X(depth) X(row_cost) X(request_cost) X(context_cost) X(stream_share) X(math_share) \
		X(overlap_exponent) X(tile_rows) X(skew) X(rank_imbalance)                 \
			X(bandwidth_bytes_per_us) X(peak_flop_per_us)

struct ss_times_law {
#define SS_X(name) double name;
	SS_TIMES_CONSTANTS(SS_X)
#undef SS_X
};

/* clang-format off */
/** Families of entries: id, name, file of a part that holds them, numbers that tell its
 * curves (or its laws) apart, what a curve is read at, constants of the law. */
#define SS_TIMES_FAMILIES(X)                                                                         \
	X(GEMM,         "gemm_times",             "gemm",  "n k", "rows", "")                        \
	X(GEMM_LAW,     "gemm_law",               "laws",  "", "",                                   \
	  "floor depth stream_share math_share overlap_exponent bandwidth_bytes_per_us peak_flop_per_us") \
	X(MOE,          "moe_times",              "moe",   "hidden inter top_k experts tp ep", "tokens", "") \
	X(MOE_LAW,      "moe_law",                "laws",  "", "",                                   \
	  "floor depth row_cost stream_share math_share overlap_exponent tile_rows skew "            \
	  "rank_imbalance bandwidth_bytes_per_us peak_flop_per_us")                                  \
	X(DECODE_LAW,   "attention_decode_law",   "laws",  "head_dim window", "",                    \
	  "floor stream_share request_cost overlap_exponent context_cost bandwidth_bytes_per_us")    \
	X(PREFILL_LAW,  "attention_prefill_law",  "laws",  "head_dim window", "",                    \
	  "floor depth math_share stream_share bandwidth_bytes_per_us peak_flop_per_us")             \
	X(ALL_REDUCE,   "all_reduce_times",       "links", "ranks", "bytes", "")                     \
	X(NCCL,         "nccl_times",             "links", "ranks", "bytes", "")                     \
	X(DEEPEP,       "deepep_times",           "links", "nodes hidden top_k experts", "tokens", "") \
	X(GLUE,         "glue_kernel",            "terms", "", "", "")                               \
	X(PREFILL_HOST, "prefill_step_host",      "terms", "", "", "")                               \
	X(SYNC_BASE,    "sync_step_base",         "terms", "", "", "")                               \
	X(SYNC_REQUEST, "sync_step_per_request",  "terms", "", "", "")
/* clang-format on */

enum ss_times_family {
#define SS_X(id, ...) SS_TIMES_##id,
	SS_TIMES_FAMILIES(SS_X)
#undef SS_X
		SS_TIMES_COUNT,
};

/** A row of the table. Texts are static; word lists are apart by spaces. */
struct ss_times_family_row {
	const char *name, *file, *keys, *argument, *constants;
};
SS_API const struct ss_times_family_row *ss_times_family(enum ss_times_family family);

/** A curve: log-log between points, the first value below them, the last slope beyond. */
struct ss_curve {
	int64_t key[SS_TIMES_KEYS_MAX];
	size_t count;
	const double *x, *us; /**< x ascending */
};

/** Minor release, or 0 where a range has no such end. */
struct ss_times_range {
	int from, to;
};

/** One table, law or value. All text is owned by the document and never NULL. */
struct ss_times_entry {
	enum ss_times_family family;
	char *format, *kernel, *measured_with, *rationale;
	char *from_text, *to_text; /**< as written */
	struct ss_times_range stands_for;
	enum ss_method method;
	int64_t at[2];           /**< of a law: what tells it apart */
	struct ss_times_law law; /**< 0 where its family has no such constant */
	double value;
	bool has_errors;
	double median_error, p90_error; /**< of the law against its table, shares */
	int64_t points;
	struct ss_curve *curves; /**< ascending by key */
	size_t curve_count;
	int64_t *axes[2]; /**< of a grid: the values of its two numbers, ascending */
	size_t axis_counts[2];
};

struct ss_times {
	char *name, *description;
	char **hardware;
	size_t hardware_count;
	char **sources; /**< what each cites */
	size_t source_count;
	struct ss_times_entry *entries;
	size_t count;
};

SS_API void ss_times_free(struct ss_times *times);

/** Does the entry stand for this minor release? */
static inline bool ss_times_holds(const struct ss_times_entry *e, int minor)
{
	return (!e->stands_for.from || minor >= e->stands_for.from) &&
	       (!e->stands_for.to || minor <= e->stands_for.to);
}

/** The curve of a key; NULL when it was not measured. */
SS_API const struct ss_curve *ss_times_curve(const struct ss_times_entry *e,
					     const int64_t key[SS_TIMES_KEYS_MAX]);

/** Minor number of a release, as `0.24.0` or `vllm 0.24.0`; 0 when there is none. */
SS_API int ss_release_minor(const char *text);

#ifdef __cplusplus
}
#endif

#endif
